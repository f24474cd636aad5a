# SPDX-License-Identifier: GPL-2.0
# unit.sh: the drop-ins of units. systemd creates the cgroup of a unit again at each start, so a drop-in holds the
# policy; a running unit also gets the program at once.
#
# service, slice  ndm-tcp-policy@.service, which attaches the program after the start, and, from systemd 249 on, on a
#                 pure cgroup v2 system, BPFProgram=
# socket          TCPCongestion=: it is opened long before the program could be loaded, and what it accepts inherits
#                 from it. A service that sockets activate gets it for each of these.

needs probes/cgroup probes/records probes/unit steps/cgroup steps/programs

UNITS_CHANGED=''

# Such a unit needs the program at its start. ndm-tcp-units.service provides it, not ndm-tcp.service, which may be
# disabled and sets the default of the system.
#
# systemd attaches the program before anything of the unit runs, and detaches it at the next daemon-reload, whoever
# asks for that. So ndmctl attaches its own copy when the unit has started, from a unit of its own: a command in this
# one (ExecStartPre=) would run as root with an environment (PATH, LD_PRELOAD) and, where cgroups are delegated, in a
# cgroup that the service's user may write, and with the limits of the service, which may be too narrow for it.
unit_text() { # UNIT NAME ORIGIN: the drop-in, into REPLY
	local section=Service
	REPLY="# ndmctl: $2 $3; see ndmctl(8), unit"$'\n'
	if [[ $1 == *.socket ]]; then
		REPLY+=$'[Socket]\nTCPCongestion='$2
		return 0
	fi
	REPLY+=$'[Unit]\nWants=ndm-tcp-units.service ndm-tcp-policy@%n.service\nAfter=ndm-tcp-units.service ndm-tcp.service\n'
	# One that ends with its start is waited for beside it.
	{ read_unit "$1" && [[ ${UNIT_PROPERTY[Type]-} == oneshot ]]; } || REPLY+=$'Before=ndm-tcp-policy@%n.service\n'
	[[ $1 != *.slice ]] || section=Slice
	REPLY+="[$section]"
	if takes_programs; then REPLY+=$'\n'BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/$2/start
	elif [[ $1 == *.slice ]]; then die 5 'policies of slices need systemd 249 and pure cgroup v2' \
		"ndmctl cgroup set /$1 $2, while it is there"; fi
}

unit_dir() { # ORIGIN into REPLY
	REPLY=$SYSTEM/run/systemd/system
	[[ $1 != persistent ]] || REPLY=$SYSTEM/etc/systemd/system
}

write_unit_file() { # UNIT NAME ORIGIN
	local dir text there=''
	unit_text "$@"
	text=$REPLY
	unit_dir "$3"
	dir=$REPLY/$1.d
	! is_unit_file_of_others "$dir/$UNIT_FILE" || die 1 "$dir/$UNIT_FILE was not written by ndmctl, so it stays" \
		'give it another name, such as 60-own.conf'
	if [[ -r $dir/$UNIT_FILE ]]; then there=$(<"$dir/$UNIT_FILE"); fi
	if [[ $there == "$text" ]]; then
		already "$dir/$UNIT_FILE has $2"
		return 0
	fi
	note_unit_change
	audit "drop-in of $1" "$(unit_file_name "$there")" "$2"
	write_file "$dir/$UNIT_FILE" "$text" durable || die 1 "cannot write $dir/$UNIT_FILE: $WRITE_ERROR" \
		"$(hint_of_unit_dir "$dir" "$3")"
}

hint_of_unit_dir() { # DIR ORIGIN
	printf 'df %s; findmnt -T %s' "$1" "$1"
	[[ $2/$WRITE_ERROR != persistent/*Read-only* ]] || printf '; --runtime needs no /etc, until the next boot'
}

unit_file_name() { # TEXT of a drop-in: the algorithm in its first line
	local name
	read -r _ _ name _ <<<"$1"
	printf '%s' "${name:-none}"
}

note_unit_change() { # before the first one, so that it is undone last
	if [[ $UNITS_CHANGED ]]; then return 0; fi
	UNITS_CHANGED=yes
	note_undo_call run systemctl daemon-reload
}

remove_unit_file() { # PATH, and the directory when nothing else is in it
	note_unit_change
	audit "drop-in $1" "$(unit_file_name "$(<"$1")")" none
	remove_file "$1" durable || die 1 "cannot remove $1: $WRITE_ERROR" "findmnt -T $1"
	note_undo_call mkdir -p -- "${1%/*}"
	[[ $DRY_RUN ]] || rmdir -- "${1%/*}" 2>/dev/null || :
}

remove_unit_files() { # UNIT...: all that ndmctl has written for these
	local i
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ " $* " != *" ${UNIT_TARGETS[i]} "* ]] || remove_unit_file "${UNIT_PATHS[i]}"
	done
}

reload_manager() { # systemd reads its files again
	local unit attached
	[[ $UNITS_CHANGED ]] || return 0
	list_programmed_units
	attached=("${REPLY_LIST[@]}")
	run systemctl daemon-reload || die 1 "systemctl daemon-reload failed: $RUN_ERROR" 'systemctl status'
	UNIT_SHOWN=()
	# One that crashes meanwhile does not undo what is to be done for another.
	for unit in "${attached[@]}"; do in_own_shell attach_again "$unit" || :; done
}

# What systemd itself has attached it detaches now; it may be all there is, where ndmctl could not attach its own copy.
list_programmed_units() { # units with a drop-in whose cgroup has a program, into REPLY_LIST
	local unit units=()
	REPLY_LIST=()
	if [[ $DRY_RUN ]] || ! find_bpftool; then return 0; fi
	read_mounts
	list_unit_files
	for unit in "${UNIT_TARGETS[@]}"; do
		! unit_has_program "$unit" || units+=("$unit")
	done
	REPLY_LIST=("${units[@]}")
}

# The record may have another policy for the cgroup, of the configuration or of cgroup set: another unit's change is
# no reason to replace that.
attach_again() { # UNIT
	local path name
	describe_unit "$1"
	path=${UNIT_PROPERTY[ControlGroup]-}
	read_policies
	if find_policy "$path" && [[ ${POLICY_ORIGINS[REPLY]} != unit ]] &&
		is_recorded "$CGROUP_ROOT$path" "${POLICY_NAMES[REPLY]}"; then
		set_policy "$path" "${POLICY_NAMES[REPLY]}" "${POLICY_ORIGINS[REPLY]}"
		return 0
	fi
	live_unit_policy "$1"
	name=$REPLY
	[[ $name == none ]] || name_problem "$name" || attach_unit "$1" "$name"
}

attach_unit() { # UNIT NAME: what of it runs now
	local path
	describe_unit "$1"
	path=${UNIT_PROPERTY[ControlGroup]-}
	if [[ $path && $path != / && -e $CGROUP_ROOT$path/cgroup.procs ]]; then set_policy "$path" "$2" unit
	else provide_start "$2"; fi
}

detach_unit() { # UNIT
	describe_unit "$1"
	if [[ ${UNIT_PROPERTY[ControlGroup]-} && ${UNIT_PROPERTY[ControlGroup]} != / ]]; then
		clear_policy "${UNIT_PROPERTY[ControlGroup]}"; fi
}

remove_config_units() { # at the end of the service; what an administrator set for a unit stays
	local i
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ ${UNIT_ORIGINS[i]} != config ]] || remove_unit_file "${UNIT_PATHS[i]}"
	done
	reload_manager
	keep_changes
}
