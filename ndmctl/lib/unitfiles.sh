# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# unitfiles.sh: the drop-ins of units. systemd creates the cgroup of a unit again at each start, so a drop-in holds the policy;
# a running unit also gets the program at once.
#
# service  BPFProgram= from systemd 249 on, on a pure cgroup v2 system; else a command that runs before the service does
# slice    BPFProgram=
# socket   TCPCongestion=: it is opened long before the program could be loaded, and what it accepts inherits from it.
#          A service that sockets activate gets it for each of these.

UNITS_CHANGED=''
UNIT_ORDER=$'Wants=ndm-tcp-units.service\nAfter=ndm-tcp-units.service ndm-tcp.service'

# Such a unit needs the program at its start. ndm-tcp-units.service provides it, not ndm-tcp.service, which may be disabled and
# sets the default of the system.
unit_text() { # UNIT NAME ORIGIN: the drop-in, into REPLY
	local order=$'[Unit]\n'$UNIT_ORDER$'\n' program=BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/$2/prog
	REPLY="# ndmctl: $2 $3; see ndmctl(8), unit"$'\n'
	case $1 in
	*.socket) REPLY+=$'[Socket]\nTCPCongestion='$2 ;;
	*.slice)
		takes_programs || die 5 'policies of slices need systemd 249 and pure cgroup v2' "ndmctl cgroup set /$1 $2, while it is there"
		REPLY+=$order$'[Slice]\n'$program ;;
	*)
		if takes_programs; then REPLY+=$order$'[Service]\n'$program
		# +: with all rights whatever the unit's sandbox; -: a policy must not keep a service from starting
		else REPLY+=$'[Service]\nExecStartPre=+-/usr/sbin/ndmctl --quiet cgroup set --self '$2; fi ;;
	esac
}

unit_dir() { # ORIGIN into REPLY
	REPLY=$SYSTEM/run/systemd/system
	[[ $1 != persistent ]] || REPLY=$SYSTEM/etc/systemd/system
}

write_unit_file() { # UNIT NAME ORIGIN
	local dir text present=''
	unit_text "$@"
	text=$REPLY
	unit_dir "$3"
	dir=$REPLY/$1.d
	! is_unit_file_of_others "$dir/$UNIT_FILE" || die 1 "$dir/$UNIT_FILE was not written by ndmctl, so it stays" 'give it another name, such as 60-own.conf'
	[[ ! -r $dir/$UNIT_FILE ]] || present=$(<"$dir/$UNIT_FILE")
	if [[ $present == "$text" ]]; then
		already "$dir/$UNIT_FILE has $2"
		return 0
	fi
	note_unit_change
	audit "drop-in of $1" "$(unit_file_name "$present")" "$2"
	write_file "$dir/$UNIT_FILE" "$text" durable || die 1 "cannot write $dir/$UNIT_FILE: $WRITE_ERROR" "df $dir; findmnt -T $dir"
}

unit_file_name() { # TEXT of a drop-in: the algorithm in its first line
	local name
	read -r _ _ name _ <<<"$1"
	printf '%s' "${name:-none}"
}

note_unit_change() { # before the first one, so that it is undone last
	[[ ! $UNITS_CHANGED ]] || return 0
	UNITS_CHANGED=yes
	[[ $DRY_RUN ]] || note_undo_call run systemctl daemon-reload
}

remove_unit_file() { # PATH, and the directory when nothing else is in it
	note_unit_change
	audit "drop-in $1" "$(unit_file_name "$(<"$1")")" none
	remove_file "$1" durable || die 1 "cannot remove $1: $WRITE_ERROR" "findmnt -T $1"
	[[ ! $DRY_RUN ]] || return 0
	! rmdir -- "${1%/*}" 2>/dev/null || note_undo_call mkdir -- "${1%/*}"
}

reload_manager() { # UNIT...: systemd reads its files again. The service may not ask for it, but root may send the signal for it
	local tries
	[[ $UNITS_CHANGED ]] || return 0
	if [[ $VERB != service ]]; then
		run systemctl daemon-reload || die 1 "systemctl daemon-reload failed: $RUN_ERROR" 'systemctl status'
		return 0
	fi
	run kill -HUP 1 || { warn "cannot make systemd reload: $RUN_ERROR"; return 0; }
	[[ ! $DRY_RUN ]] || return 0
	for ((tries = 0; tries < 100; tries++)); do
		[[ $(tool systemctl show -p NeedDaemonReload --value -- "$@" 2>/dev/null) == *yes* ]] || return 0
		sleep 0.1
	done
	warn 'systemd did not reload within 10 seconds; systemctl daemon-reload'
}

attach_unit() { # UNIT NAME: what of it runs now
	local path
	describe_unit "$1"
	path=${UNIT_PROPERTY[ControlGroup]-}
	if [[ $path && $path != / && -e $CGROUP_ROOT$path/cgroup.procs ]]; then set_policy "$path" "$2" unit
	else provide_program "$2"; fi    # its start needs the pin
}

detach_unit() { # UNIT
	describe_unit "$1"
	[[ ! ${UNIT_PROPERTY[ControlGroup]-} || ${UNIT_PROPERTY[ControlGroup]} == / ]] || clear_policy "${UNIT_PROPERTY[ControlGroup]}"
}

# An older version had these start ndm-tcp.service itself, disabled or not, and with it the default. What else an
# administrator has added to the file stays. Those of the configuration reload writes anew.
renew_unit_files() {
	local i text new
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		text=$(<"${UNIT_PATHS[i]}")
		new=${text/$'\n'Wants=ndm-tcp.service$'\n'After=ndm-tcp.service$'\n'/$'\n'"$UNIT_ORDER"$'\n'}
		[[ $new != "$text" ]] || continue
		note_unit_change
		audit "drop-in of ${UNIT_TARGETS[i]}" 'Wants=ndm-tcp.service' 'Wants=ndm-tcp-units.service'
		write_file "${UNIT_PATHS[i]}" "$new" durable || die 1 "cannot write ${UNIT_PATHS[i]}: $WRITE_ERROR" "df ${UNIT_PATHS[i]%/*}; findmnt -T ${UNIT_PATHS[i]%/*}"
	done
}

remove_config_units() { # at the end of the service; what an administrator set for a unit stays
	local i targets=()
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ ${UNIT_ORIGINS[i]} == config ]] || continue
		remove_unit_file "${UNIT_PATHS[i]}"
		targets+=("${UNIT_TARGETS[i]}")
	done
	((${#targets[@]} == 0)) || reload_manager "${targets[@]}"
	keep_changes
}
