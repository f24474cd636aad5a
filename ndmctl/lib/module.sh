# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# module.sh: the loaded module, the algorithms that are registered, and the default of this network namespace or of the one
# that netns.sh has entered.

SYSCTL=/proc/sys/net/ipv4/tcp_congestion_control
MODULE=$SYSTEM/sys/module/tcp_ndm
PARAMETERS=$MODULE/parameters

is_loaded() { [[ -d $MODULE ]]; }

is_ours() { [[ $1 == ndm || $1 == ndm_v1 || $1 == ndm_v4 || $1 == ndm_v5 ]]; }

is_registered() { # NAME
	read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
	[[ " $REPLY " == *" $1 "* ]]
}

require_name() { # NAME given on the command line
	local problem
	shown "$1"
	if name_problem "$1"; then
		problem=$REPLY
		read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
		die 2 "'$SHOWN': $problem" "registered are: $REPLY"
	fi
	[[ $1 != yes && $1 != no ]] || die 2 "'$1' is a word of the key DEFAULT, not an algorithm" 'ndmctl set-default ndm'
}

current_default() { # into REPLY
	if [[ $NETNS ]]; then read_entered_default; else read_value "$SYSTEM$SYSCTL"; fi
}

require_available() { # NAME: it is to be the default at boot, so it must exist by then
	local module=tcp_$1
	! is_ours "$1" || module=tcp_ndm
	[[ ! $TREE ]] || return 0    # preparing another system, whose kernel cannot be asked
	is_registered "$1" || tool modinfo -F filename "$module" >/dev/null 2>&1 ||
		{ explain_missing "$module" "$(kernel_release; printf %s "$REPLY")"; die 1 "cannot persist '$1': $CAUSE" "$HINT"; }
}
