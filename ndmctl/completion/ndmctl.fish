# SPDX-License-Identifier: GPL-2.0
# fish completion of ndmctl, from "ndmctl help --plain".

function __ndmctl_words # what was typed after ndmctl, without options
    set -l words (commandline -opc)
    set -e words[1]
    set -q words[1]; and string match -v -- '-*' $words
end

function __ndmctl_begins # WORD...: are these the first words, and the last ones so far?
    set -l typed (__ndmctl_words) # in quotes it is one word, also when nothing was typed
    test "$typed" = "$argv"
end

function __ndmctl_within # COMMAND: does the line begin with it?
    set -l typed (__ndmctl_words)
    string match -q -- "$argv *" "$typed "
end

complete -c ndmctl -f
set -l ours
for line in (command ndmctl help --plain 2>/dev/null)
    set -l fields (string split \t -- $line)
    switch $fields[1]
        case ours
            set ours $fields[2..-1]
        case command
            set -l words (string split ' ' -- $fields[2])
            complete -c ndmctl -n '__ndmctl_begins ""' -a $words[1]
            if set -q words[2]
                complete -c ndmctl -n "__ndmctl_begins $words[1]" -a $words[2] -d "$fields[5]"
            end
            if string match -q '*NAME*' -- $fields[4]
                complete -c ndmctl -n "__ndmctl_within $fields[2]" -a '(string split " " </proc/sys/net/ipv4/tcp_available_congestion_control) '"$ours"
            end
        case option
            set -l name (string replace -- -- '' $fields[3])
            if test $fields[2] = '*'
                complete -c ndmctl -l $name -d "$fields[5]"
            else
                for command in (string split , -- $fields[2])
                    complete -c ndmctl -n "__ndmctl_within $command" -l $name -d "$fields[5]"
                end
            end
        case key
            for command in 'config get' 'config set' 'config unset'
                complete -c ndmctl -n "__ndmctl_within $command" -a $fields[2] -d "$fields[5]"
            end
    end
end
