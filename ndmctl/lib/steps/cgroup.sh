# SPDX-License-Identifier: GPL-2.0
# cgroup.sh: which cgroup has which algorithm.

needs probes/cgroup probes/environment probes/programs probes/records probes/unit steps/programs steps/record

record_policy() { # PATH [NAME ORIGIN INODE]: without NAME the policy goes
	local i text='' before=none own=''
	[[ ${3-unit} == unit && $VERB != cgroup ]] || own=yes
	read_policies
	for i in "${!POLICY_PATHS[@]}"; do
		if [[ ${POLICY_PATHS[i]} == "$1" ]]; then before=${POLICY_NAMES[i]}; [[ ${POLICY_ORIGINS[i]} == unit ]] || own=yes
			continue; fi
		text+="${POLICY_NAMES[i]}"$'\t'"${POLICY_ORIGINS[i]}"$'\t'"${POLICY_INODES[i]}"$'\t'"${POLICY_PATHS[i]}"$'\n'
	done
	if [[ ${2-} ]]; then text+="$2"$'\t'"$3"$'\t'"$4"$'\t'"$1"$'\n'; fi
	# What a unit has by its drop-in is audited once, with that, not at each start and end.
	[[ $before == "${2:-none}" || ! $own ]] || audit "policy of the cgroup $1" "$before" "${2:-none}"
	write_record cgroups "${text%$'\n'}"
	if [[ $DRY_RUN && ! ${2-} ]]; then GONE+=$1$'\n'; fi
}

set_policy() { # PATH NAME ORIGIN: attached and recorded
	local dir=$CGROUP_ROOT$1 inode
	attach_program "$dir" "$2"
	inode=$(stat -c %i -- "$dir" 2>/dev/null) || die 1 "the cgroup $1 is gone" 'ndmctl cgroup list'
	read_policies
	if find_policy "$1" && [[ ${POLICY_NAMES[REPLY]} == "$2" && ${POLICY_INODES[REPLY]} == "$inode" &&
		${POLICY_ORIGINS[REPLY]} == "$3" ]]; then
		[[ $CHANGED ]] || already "$1 has $2"
		return 0
	fi
	record_policy "$1" "$2" "$3" "$inode"
}

clear_policy() { # PATH: detached, if it still exists, and forgotten
	detach_ours "$CGROUP_ROOT$1"
	record_policy "$1"
}

drop_unused_programs() { # after a change is complete: those that no cgroup and no unit names any more
	local name used=' '
	keep_changes
	forget_restarted_units
	read_policies
	list_unit_files
	for name in "${POLICY_NAMES[@]}" "${UNIT_NAMES[@]}"; do used+="$name "; done
	list_own_programs
	for name in "${REPLY_LIST[@]}"; do
		[[ $used == *" $name "* ]] || in_own_shell drop_programs "$name" ||
			note "note: $PINS/cc/$name stays, which nothing uses"
	done
	[[ $DRY_RUN || ! -d $PINS/new ]] || drop_empty_pins    # left by a killed ndmctl
	keep_changes
}

forget_restarted_units() {
	local i path paths=()
	read_policies
	[[ " ${POLICY_ORIGINS[*]-} " == *' unit '* ]] || return 0
	read_inodes
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		[[ ${POLICY_ORIGINS[i]} != unit || $REPLY == active ]] || paths+=("${POLICY_PATHS[i]}")
	done
	for path in "${paths[@]}"; do record_policy "$path"; done
}

# cgroups with a program of ndmctl according to the records, into REPLY_LIST; fails when a unit's is not known
list_recorded_dirs() {
	local path dirs=() rc=0
	read_policies
	for path in "${POLICY_PATHS[@]}"; do dirs+=("$CGROUP_ROOT$path"); done
	list_unit_files
	for path in "${UNIT_TARGETS[@]}"; do
		if ! read_unit "$path"; then
			! has_systemd || { warn "systemd does not describe $path"; rc=1; }
		elif [[ ${UNIT_PROPERTY[ControlGroup]-} ]]; then dirs+=("$CGROUP_ROOT${UNIT_PROPERTY[ControlGroup]}"); fi
	done
	REPLY_LIST=("${dirs[@]}")
	return "$rc"
}

remove_policies() { # when the service or the package ends: every program of ndmctl
	local dir dirs name stays=''
	read_mounts
	# what can be seen is the host's
	if is_container && [[ ! -e $RECORDS/cgroups && ! -e $RECORDS/programs ]]; then return 0; fi
	if [[ $CGROUP_ROOT ]] && find_bpftool; then
		if is_container || ! can_ask || ! list_attached_dirs; then list_recorded_dirs || stays=yes; fi
		dirs=("${REPLY_LIST[@]}")
		for dir in "${dirs[@]}"; do if ! in_own_shell detach_ours "$dir" && [[ -d $dir ]]; then stays=yes; fi; done
		if [[ $stays ]]; then
			warn 'so these policies of cgroups stay; /usr/lib/ndm-tcp/service stop'
			return 1    # and so do records and pins, which these still need
		fi
	elif [[ -e $RECORDS/cgroups || -d $PINS/cc ]]; then
		if [[ ! $CGROUP_ROOT ]]; then
			note 'note: no cgroup can be seen from here, so their policies stay;' \
				'nsenter -t 1 -m -C /usr/lib/ndm-tcp/service stop'
		else
			note 'note: without bpftool the policies of cgroups stay;' \
				'apt install bpftool && /usr/lib/ndm-tcp/service stop'
		fi
		return 0    # as above
	fi
	if [[ -e $RECORDS/cgroups ]]; then audit 'policies of cgroups' "$(grep -c . "$RECORDS/cgroups")" none; fi
	list_own_programs
	write_record cgroups ''
	write_record programs ''
	if [[ $DRY_RUN && -d $PINS/cc ]]; then would "remove $PINS/cc"
	elif [[ -d $PINS ]] && ! are_pins_of_others; then
		for name in "${REPLY_LIST[@]}"; do rm -rf "${PINS:?}/cc/$name" 2>/dev/null || note "note: $PINS/cc/$name stays"; done
		drop_empty_pins
	fi
	keep_changes
}
