# SPDX-License-Identifier: GPL-2.0
# fish completion of ndmctl, which knows what may come next.

function __ndmctl_words
    set -l typed (commandline -opc)
    set -l word (commandline -ct)
    set -e typed[1]
    set -l lines (command ndmctl help --words -- $typed "$word" 2>/dev/null)
    string match -v -- \tFILE $lines
    contains -- \tFILE $lines; and __fish_complete_path $word
end

complete -c ndmctl -f -a '(__ndmctl_words)'
