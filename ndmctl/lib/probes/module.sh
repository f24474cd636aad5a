# SPDX-License-Identifier: GPL-2.0
# module.sh: the loaded module, the algorithms that are registered, and the default of this network namespace or of
# the one that probes/netns.sh has entered.

needs probes/netns

MODULE=$SYSTEM/sys/module/tcp_ndm

is_loaded() { [[ -d $MODULE ]]; }

is_hidden() { [[ ! -d ${MODULE%/*} ]] && is_registered ndm; }    # systemd-nspawn shows no /sys/module

is_ours() { [[ $1 && $1 != *' '* && " ${OURS[*]} " == *" $1 "* ]]; }

module_of() { # NAME of an algorithm: its module into REPLY
	REPLY=tcp_$1
	! is_ours "$1" || REPLY=tcp_ndm
}

is_registered() { # NAME
	read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
	[[ " $REPLY " == *" $1 "* ]]
}

require_name() { # NAME given on the command line
	local problem
	if name_problem "$1"; then
		problem=$REPLY
		read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
		die 2 "'${1:0:60}': $problem" "registered are: $REPLY"
	fi
	[[ $1 != yes && $1 != no ]] || die 2 "'$1' is a value of the key DEFAULT, not an algorithm" \
		"ndmctl config set DEFAULT $1"
}

current_default() { # into REPLY
	if [[ $NETNS ]]; then read_entered_default; else read_value "$SYSTEM$SYSCTL"; fi
}

is_available() { # NAME: registered, or its module is on this system
	! is_registered "$1" || return 0
	module_of "$1"
	tool modinfo -F filename "$REPLY" >/dev/null 2>&1
}
