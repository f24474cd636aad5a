# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153,SC2016  # names shared with the other files; SC2016: systemd's own $ signs
# unit.sh: the command unit. systemd makes the cgroup of a unit anew at each start, so the policy stands in a drop-in of the
# unit; what runs already gets its program at once.
#
# UNIT.d/50-ndm-tcp.conf   below /etc/systemd/system (unit set), or /run/systemd/system (--runtime, and UNIT= of the
#                          configuration). Its first line says which: "# ndmctl: NAME ORIGIN"
#
# service  BPFProgram= from systemd 249 on, on a pure cgroup v2 system; else a command that runs before the service does
# slice    BPFProgram=
# socket   TCPCongestion=: it is opened long before the program could be loaded, and what it accepts inherits from it.
#          A service that sockets activate gets it for each of these.

UNIT_FILE=50-ndm-tcp.conf
UNIT_TARGETS=() UNIT_NAMES=() UNIT_ORIGINS=() UNIT_PATHS=()
UNITS_CHANGED=''

unit_name_problem() { # UNIT with its type: as name_problem
	REPLY=''
	if [[ ! $1 || $1 == *[!A-Za-z0-9:_.@\\-]* ]]; then REPLY='only letters, digits and : _ . @ \ - may be in the name of a unit'
	elif ((${#1} > 255)); then REPLY="unit name of ${#1} characters, systemd allows 255"
	elif [[ $1 == *@.* ]]; then REPLY='this is a template; name an instance of it, as in name@instance.service'
	elif [[ $1 != ?*.service && $1 != ?*.socket && $1 != ?*.slice ]]; then REPLY='only a service, a socket or a slice can have a policy'
	elif [[ $1 == -.slice || $1 == system.slice ]]; then
		REPLY='this slice holds ndm-tcp.service, which must come first; set the policy of its cgroup'
	elif [[ $1 == ndm-tcp.service ]]; then REPLY='ndm-tcp.service makes the policies of the others'; fi
	[[ $REPLY ]]
}

require_no_runtime() { # WORD
	[[ ! -v OPT[--runtime] ]] || die 2 "unit $1 takes no option --runtime" 'ndmctl help unit'
}

name_unit() { # UNIT as it may be given, into UNIT: without a type it is a service
	local hint='systemctl list-units --type=service,socket,slice'
	UNIT=$1
	[[ $UNIT == *.* || ! $UNIT ]] || UNIT+=.service
	printable "$1"
	unit_name_problem "$UNIT" || return 0
	[[ $UNIT != *.slice ]] || hint="ndmctl cgroup set /${UNIT/#-.slice/} NAME --persist"
	die 2 "'$SHOWN': $REPLY" "$hint"
}

has_systemd() { [[ -d $ROOT/run/systemd/system ]] && has_tool systemctl; }

require_systemd() {
	has_systemd ||
		die 5 'systemd does not run here, so there are no units' 'ndmctl cgroup set PATH NAME'
}

read_unit() { # UNIT: its properties into UNIT_PROPERTY; fails when systemctl does
	local line
	declare -gA UNIT_PROPERTY=()
	while IFS= read -r line; do
		[[ $line != *=* ]] || UNIT_PROPERTY[${line%%=*}]=${line#*=}
	done < <(tool systemctl show -p Id,LoadState,Transient,ControlGroup,TriggeredBy,Before,NeedDaemonReload -- "$1" 2>/dev/null)
	[[ ${UNIT_PROPERTY[LoadState]-} ]]
}

require_unit() { # UNIT must exist, and outlive its own start; sets UNIT to its own name
	printable "$UNIT"
	read_unit "$UNIT" || die 1 "systemd does not answer about $SHOWN" 'systemctl status'
	case ${UNIT_PROPERTY[LoadState]} in
	loaded) ;;
	not-found) die 1 "there is no unit $SHOWN" 'systemctl list-unit-files --type=service,socket,slice' ;;
	*) die 1 "the unit $SHOWN is ${UNIT_PROPERTY[LoadState]}" "systemctl status $SHOWN" ;;
	esac
	[[ ${UNIT_PROPERTY[Transient]-} != yes ]] ||
		die 1 "$SHOWN is a transient unit, which ends with what runs in it" 'systemd-run -p BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/NAME/prog, or: ndmctl cgroup set PATH NAME'
	UNIT=${UNIT_PROPERTY[Id]:-$UNIT}
	[[ " ${UNIT_PROPERTY[Before]-} " != *' 'basic.target' '* && " ${UNIT_PROPERTY[Before]-} " != *' 'sysinit.target' '* || $UNIT == *.socket ]] ||
		die 5 "$SHOWN starts before ndm-tcp.service can" 'ndmctl set-default NAME --persist, or: ndmctl cgroup set PATH NAME --persist'
}

takes_programs() { # does this systemd have BPFProgram=, and use it?
	local line
	read_mounts
	IFS= read -r line < <(tool systemctl --version 2>/dev/null) || line=''
	[[ $line =~ ^systemd\ ([0-9]+) ]] && ((BASH_REMATCH[1] >= 249)) && [[ $CGROUP_ROOT == "$ROOT/sys/fs/cgroup" ]]
}

unit_text() { # UNIT NAME ORIGIN: the drop-in, into REPLY
	local order=$'[Unit]\nWants=ndm-tcp.service\nAfter=ndm-tcp.service\n'
	REPLY="# ndmctl: $2 $3; see ndmctl(8), unit"$'\n'
	case $1 in
	*.socket) REPLY+=$'[Socket]\nTCPCongestion='$2 ;;
	*.slice)
		takes_programs || die 5 'a slice can have a policy from systemd 249 on, with cgroup v2 only' "ndmctl cgroup set /$1 $2, while it is there"
		REPLY+=$order$'[Slice]\nBPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/'$2/prog ;;
	*)
		if takes_programs; then REPLY+=$order$'[Service]\nBPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/'$2/prog
		# +: with all rights whatever the unit's sandbox; -: a policy must not keep a service from starting
		else REPLY+=$order$'[Service]\nExecStartPre=+-/usr/sbin/ndmctl --quiet cgroup set --self '$2; fi ;;
	esac
}

unit_dir() { # ORIGIN into REPLY
	REPLY=$ROOT/run/systemd/system
	[[ $1 != persistent ]] || REPLY=$ROOT/etc/systemd/system
}

write_unit_file() { # UNIT NAME ORIGIN
	local dir text present=''
	unit_text "$@"
	text=$REPLY
	unit_dir "$3"
	dir=$REPLY/$1.d
	[[ ! -r $dir/$UNIT_FILE ]] || present=$(<"$dir/$UNIT_FILE")
	if [[ $present == "$text" ]]; then
		tell_already "$dir/$UNIT_FILE has $2"
		return 0
	fi
	note_unit_change
	[[ $DRY_RUN ]] || mkdir -p -- "$dir" 2>/dev/null || die 1 "cannot create $dir" "findmnt -T ${dir%/*}"
	replace_value "$dir/$UNIT_FILE" "$text" || die 1 "cannot write $dir/$UNIT_FILE: $WRITE_ERROR" "df $dir; findmnt -T $dir"
}

note_unit_change() { # before the first one, so that it is undone last
	[[ ! $UNITS_CHANGED ]] || return 0
	UNITS_CHANGED=yes
	[[ $DRY_RUN ]] || note_undo_call run systemctl daemon-reload
}

remove_unit_file() { # PATH, and the directory when nothing else is in it
	note_unit_change
	remove_file "$1" || die 1 "cannot remove $1: $WRITE_ERROR" "findmnt -T $1"
	[[ $DRY_RUN ]] || rmdir -- "${1%/*}" 2>/dev/null || :
}

list_unit_files() { # every drop-in of ours, into UNIT_*
	local file line
	UNIT_TARGETS=() UNIT_NAMES=() UNIT_ORIGINS=() UNIT_PATHS=()
	for file in "$ROOT"/{etc,run}/systemd/system/*.d/"$UNIT_FILE"; do
		read_value "$file" || continue
		read -r _ _ line _ <<<"$REPLY"
		UNIT_NAMES+=("$line")
		read -r _ _ _ line _ <<<"$REPLY"
		UNIT_ORIGINS+=("${line%;}") UNIT_PATHS+=("$file")
		file=${file%.d/*}
		UNIT_TARGETS+=("${file##*/}")
	done
}

live_unit_policy() { # UNIT, after list_unit_files: its algorithm into REPLY; the first drop-in counts, as for systemd
	local i
	REPLY=none
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ ${UNIT_TARGETS[i]} != "$1" ]] || { REPLY=${UNIT_NAMES[i]}; return; }
	done
}

has_unit_files() {
	list_unit_files
	((${#UNIT_TARGETS[@]}))
}

sockets_of_unit() { # the sockets that activate it, after read_unit, into REPLY_LIST
	local word
	REPLY_LIST=()
	for word in ${UNIT_PROPERTY[TriggeredBy]-}; do
		[[ $word != *.socket ]] || REPLY_LIST+=("$word")
	done
}

reload_manager() { # UNIT...: systemd reads its files again. The service may not ask for it, but root may send the signal for it
	local tries
	[[ $UNITS_CHANGED ]] || return 0
	if [[ $VERB != service ]]; then
		run systemctl daemon-reload || die 1 "systemctl daemon-reload failed: $RUN_ERROR" 'systemctl status'
		return 0
	fi
	run kill -HUP 1 || { warn "cannot make systemd reload: $RUN_ERROR"; return 0; }
	[[ ! $DRY_RUN && ! $ROOT ]] || return 0
	for ((tries = 0; tries < 100; tries++)); do
		[[ $(tool systemctl show -p NeedDaemonReload --value -- "$@" 2>/dev/null) == *yes* ]] || return 0
		sleep 0.1
	done
	warn 'systemd did not reload within 10 seconds; systemctl daemon-reload'
}

attach_unit() { # UNIT NAME: what of it runs now
	local path
	read_unit "$1" || return 0
	path=${UNIT_PROPERTY[ControlGroup]-}
	if [[ $path && $path != / && -e $CGROUP_ROOT$path/cgroup.procs ]]; then set_policy "$path" "$2" unit
	else provide_program "$2"; fi    # its start wants the pin
}

detach_unit() { # UNIT
	read_unit "$1" || return 0
	[[ ! ${UNIT_PROPERTY[ControlGroup]-} || ${UNIT_PROPERTY[ControlGroup]} == / ]] || clear_policy "${UNIT_PROPERTY[ControlGroup]}"
}

unit_set() { # UNIT NAME
	local name=$2 origin=persistent targets target
	require_name "$name"
	name_unit "$1"
	require_systemd
	require_unit
	require_config
	require_bpf
	[[ ! -v OPT[--runtime] ]] || origin=runtime
	sockets_of_unit
	targets=("$UNIT" ${REPLY_LIST[@]+"${REPLY_LIST[@]}"})
	lock_state
	ensure_registered "$name"
	for target in "${targets[@]}"; do write_unit_file "$target" "$name" "$origin"; done
	reload_manager "${targets[@]}"
	for target in "${targets[@]}"; do attach_unit "$target" "$name"; done
	keep_changes
	drop_unused_programs
	[[ $origin != runtime ]] || warn_hidden "$UNIT"
}

warn_hidden() { # UNIT: a file of the same name below /etc comes first
	[[ ! -e $ROOT/etc/systemd/system/$1.d/$UNIT_FILE ]] ||
		say "note: $ROOT/etc/systemd/system/$1.d/$UNIT_FILE decides at the next start of the unit; ndmctl unit clear $1 removes both"
}

unit_clear() { # UNIT; also of one that is no longer installed
	local target targets i found=''
	require_no_runtime clear
	name_unit "$1"
	require_systemd
	require_config
	require_bpf
	if read_unit "$UNIT"; then UNIT=${UNIT_PROPERTY[Id]:-$UNIT}; fi
	sockets_of_unit
	targets=("$UNIT" ${REPLY_LIST[@]+"${REPLY_LIST[@]}"})
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do [[ ${UNIT_TARGETS[i]} != "$UNIT" ]] || found=yes; done
	if [[ ! $found ]]; then
		require_unit
		tell_already "$UNIT has no policy"
		return 0
	fi
	lock_state
	for i in "${!UNIT_TARGETS[@]}"; do
		for target in "${targets[@]}"; do
			[[ ${UNIT_TARGETS[i]} != "$target" ]] || remove_unit_file "${UNIT_PATHS[i]}"
		done
	done
	reload_manager "${targets[@]}"
	for target in "${targets[@]}"; do
		detach_unit "$target"
		[[ $target != *.socket || ! ${UNIT_PROPERTY[ControlGroup]-} ]] || say "note: $target passes the algorithm it was started with on until it is restarted: systemctl restart $target"
	done
	keep_changes
	drop_unused_programs
	! find_wanted UNIT "$UNIT" || say "note: ${WANTED_ORIGINS[REPLY]} still wants ${WANTED_NAMES[REPLY]} for it, which ndmctl reload applies"
}

unit_list() {
	local i out=''
	require_no_runtime list
	list_unit_files
	[[ $FORMAT != text || ${#UNIT_TARGETS[@]} -eq 0 ]] || printf '%-8s %-10s %s\n' CC ORIGIN UNIT
	for i in "${!UNIT_TARGETS[@]}"; do
		case $FORMAT in
		json)
			json_pairs unit "${UNIT_TARGETS[i]}" cc "${UNIT_NAMES[i]}" origin "${UNIT_ORIGINS[i]}" file "${UNIT_PATHS[i]}"
			out+="${out:+,}{$REPLY}" ;;
		plain) printf '%s\t%s\t%s\t%s\n' "${UNIT_TARGETS[i]}" "${UNIT_NAMES[i]}" "${UNIT_ORIGINS[i]}" "${UNIT_PATHS[i]}" ;;
		*) printf '%-8s %-10s %s\n' "${UNIT_NAMES[i]}" "${UNIT_ORIGINS[i]}" "${UNIT_TARGETS[i]}" ;;
		esac
	done
	if [[ $FORMAT == json ]]; then printf '{"schema":1,"command":"unit list","units":[%s]}\n' "$out"
	elif ((${#UNIT_TARGETS[@]} == 0)); then say 'no unit has a policy of its own; ndmctl cgroup list shows the cgroups'; fi
}

# What the configuration wants, for policy.sh.

apply_units() { # REPLY is the number of failures; the drop-ins of an administrator get their programs again, too
	local i name failed=0 targets=()
	require_systemd_for_units || { failed=$REPLY; REPLY=$failed; return "$((failed > 0))"; }
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		if [[ ${UNIT_ORIGINS[i]} != config ]] || is_wanted_unit "${UNIT_TARGETS[i]}"; then continue; fi
		remove_unit_file "${UNIT_PATHS[i]}"
		targets+=("${UNIT_TARGETS[i]}")
	done
	for name in ${targets[@]+"${targets[@]}"}; do detach_unit "$name"; done
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == UNIT && ${WANTED_NAMES[i]} != no ]] || continue
		write_wanted_unit "$i" || failed=$((failed + 1))
	done
	list_unit_files
	if ((${#UNIT_TARGETS[@]})); then reload_manager "${UNIT_TARGETS[@]}"; elif [[ $UNITS_CHANGED ]]; then reload_manager "${targets[@]}"; fi
	for i in "${!UNIT_TARGETS[@]}"; do
		name=${UNIT_NAMES[i]}
		name_problem "$name" && continue
		(
			trap undo_on_exit EXIT
			UNDO_PATH=() UNDO_TEXT=() LOADED_HERE=()
			ensure_registered "$name"
			attach_unit "${UNIT_TARGETS[i]}" "$name"
			keep_changes
		) && continue
		warn "${UNIT_PATHS[i]}: the policy of ${UNIT_TARGETS[i]} is not applied"
		failed=$((failed + 1))
	done
	REPLY=$failed
	((failed == 0))
}

require_systemd_for_units() { # without systemd there is nothing to do; REPLY is how many lines of the configuration that leaves out
	local i
	REPLY=0
	! has_systemd || return 0
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == UNIT && ${WANTED_NAMES[i]} != no ]] || continue
		warn "${WANTED_ORIGINS[i]}: UNIT=${WANTED_TARGETS[i]}:${WANTED_NAMES[i]} needs systemd, which does not run here"
		REPLY=$((REPLY + 1))
	done
	return 1
}

is_wanted_unit() { # UNIT, itself or as the socket of one
	local i
	find_wanted UNIT "$1" && return 0
	[[ $1 == *.socket ]] || return 1
	for i in "${!WANTED_TARGETS[@]}"; do
		if [[ ${WANTED_KINDS[i]} != UNIT || ${WANTED_NAMES[i]} == no ]] || ! read_unit "${WANTED_TARGETS[i]}"; then continue; fi
		[[ " ${UNIT_PROPERTY[TriggeredBy]-} " != *" $1 "* ]] || return 0
	done
	return 1
}

write_wanted_unit() { # INDEX; a unit that is not installed is no failure
	local unit=${WANTED_TARGETS[$1]} name=${WANTED_NAMES[$1]} target
	read_unit "$unit" || { warn "${WANTED_ORIGINS[$1]}: systemd does not answer about $unit"; return 1; }
	if [[ ${UNIT_PROPERTY[LoadState]} != loaded ]]; then
		say "note: ${WANTED_ORIGINS[$1]}: the unit $unit is ${UNIT_PROPERTY[LoadState]}; ndmctl reload applies its policy when it is there"
		return 0
	fi
	sockets_of_unit
	for target in "$unit" ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}; do write_unit_file "$target" "$name" config; done
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
