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

function __ndmctl_is_key # is the last word one?
    contains -- (commandline -opc)[-1] $__ndmctl_keys
end

function __ndmctl_type # TYPE of an argument: what fits
    switch $argv[1]
        case NAME
            string split " " </proc/sys/net/ipv4/tcp_available_congestion_control
            printf '%s\n' $__ndmctl_ours
        case KEY
            printf '%s\n' $__ndmctl_keys
        case VALUE
            set -l at (contains -i -- (commandline -opc)[-1] $__ndmctl_keys)
            and string match -q '*|*' -- $__ndmctl_ranges[$at]
            and string split '|' -- $__ndmctl_ranges[$at] | string match -v NAME
        case UNIT
            systemctl list-units --plain --no-legend --type=service,socket,slice 2>/dev/null |
                string replace -r ' .*' ''
        case NS
            set -l names all /run/netns/*
            string replace /run/netns/ '' $names
        case WHEN
            printf '%s\n' auto always never
        case FILE TARGET
            __fish_complete_path (commandline -ct)
    end
end

set -g __ndmctl_ours
set -g __ndmctl_keys
set -g __ndmctl_ranges
complete -c ndmctl -f
for line in (command ndmctl help --plain 2>/dev/null)
    set -l fields (string split \t -- $line)
    switch $fields[1]
        case ours
            set -g __ndmctl_ours $fields[2..-1]
        case command
            set -l words (string split ' ' -- $fields[2])
            complete -c ndmctl -n '__ndmctl_begins ""' -a $words[1]
            if set -q words[2]
                complete -c ndmctl -n "__ndmctl_begins $words[1]" -a $words[2] -d "$fields[5]"
            end
            for type in (string match -ar '[A-Z]+' -- $fields[4])
                switch $type
                    case VALUE
                        complete -c ndmctl -n "__ndmctl_within $fields[2]; and __ndmctl_is_key" \
                            -a "(__ndmctl_type VALUE)"
                    case KEY
                        complete -c ndmctl -n "__ndmctl_within $fields[2]; and not __ndmctl_is_key" \
                            -a "(__ndmctl_type KEY)"
                    case '*'
                        complete -c ndmctl -n "__ndmctl_within $fields[2]" -a "(__ndmctl_type $type)"
                end
            end
        case option
            set -l name (string replace -- -- '' $fields[3])
            set -l argument
            test $fields[4] = -; or set argument -x -a "(__ndmctl_type $fields[4])"
            if test $fields[2] = '*'
                complete -c ndmctl -l $name $argument -d "$fields[5]"
            else
                for command in (string split , -- $fields[2])
                    complete -c ndmctl -n "__ndmctl_within $command" -l $name $argument -d "$fields[5]"
                end
            end
        case key
            set -ga __ndmctl_keys $fields[2]
            set -ga __ndmctl_ranges $fields[3]
    end
end
