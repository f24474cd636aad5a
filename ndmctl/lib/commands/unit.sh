# SPDX-License-Identifier: GPL-2.0
# unit.sh: the command unit.

needs probes/boot probes/cgroup probes/config probes/module probes/records probes/unit steps/backend steps/cgroup
needs steps/unit

cmd_unit_set() { # UNIT NAME
	local name=$2 origin=persistent targets target aliases
	require_name "$name"
	name_unit "$1"
	require_systemd
	require_unit
	require_config
	require_bpf
	if [[ -v OPT[--runtime] ]]; then origin=runtime; fi
	names_of_unit "$UNIT"
	aliases=("${REPLY_LIST[@]:1}")
	sockets_of_unit
	targets=("$UNIT" "${REPLY_LIST[@]}")
	ensure_registered "$name"
	for target in "${targets[@]}"; do write_unit_file "$target" "$name" "$origin"; done
	[[ $origin == runtime ]] || remove_unit_files "${aliases[@]}"    # of two drop-ins with the same name systemd takes one
	reload_manager
	for target in "${targets[@]}"; do attach_unit "$target" "$name"; done
	drop_unused_programs
	[[ $origin != runtime ]] || for target in "$UNIT" "${aliases[@]}"; do warn_hidden "$target"; done
	list_masked
	if ((${#REPLY_LIST[@]})); then
		unmask_command "${REPLY_LIST[@]}"
		note "note: masked, so that the unit has no policy after its next start: $REPLY"
	fi
}

warn_hidden() { # UNIT: a file of the same name below /etc comes first
	local file=$SYSTEM/etc/systemd/system/$1.d/$UNIT_FILE hint="ndmctl unit clear $1 removes both"
	[[ -e $file ]] || return 0
	! is_unit_file_of_others "$file" || hint='ndmctl did not write it: give it another name'
	note "note: $file decides at the next start of the unit; $hint"
}

cmd_unit_clear() { # UNIT; also of one that is no longer installed
	local target targets names i found='' cgroups file
	name_unit "$1"
	require_systemd
	require_config
	require_bpf
	describe_unit "$UNIT"
	names_of_unit "$UNIT"
	names=("${REPLY_LIST[@]}")
	UNIT=${names[0]}
	sockets_of_unit
	targets=("$UNIT" "${REPLY_LIST[@]}")
	list_unit_files
	for i in "${UNIT_TARGETS[@]}"; do [[ " ${names[*]} ${targets[*]} " != *" $i "* ]] || found=yes; done
	list_unit_cgroups "${targets[@]}"
	cgroups=("${REPLY_LIST[@]}")
	if [[ ! $found && ${#cgroups[@]} -eq 0 ]]; then
		require_unit
		drop_unused_programs    # left by a kill
		already "$UNIT has no policy"
		return 0
	fi
	note_unit_change    # systemd would attach the program of a drop-in that is gone
	remove_unit_files "${names[@]}" "${targets[@]:1}"
	reload_manager
	for target in "${targets[@]}"; do
		detach_unit "$target"
		[[ $target != *.socket || ! ${UNIT_PROPERTY[ControlGroup]-} ]] ||
			note "note: $target passes the algorithm it was started with on until it is restarted: systemctl restart $target"
	done
	for i in "${cgroups[@]}"; do clear_policy "$i"; done
	drop_unused_programs
	read_unit "$UNIT" || :
	unquote_units "${UNIT_PROPERTY[DropInPaths]-}"
	for file in $REPLY; do
		[[ $file != */"$UNIT_FILE" || ! -e $SYSTEM$file ]] || is_gone "$SYSTEM$file" ||
			note "note: $file is no drop-in of ndmctl, and gives the unit a policy at its next start"
	done
	note_wanted
}

note_wanted() { # what the configuration says of UNIT
	resolve_wanted_units
	! find_wanted UNIT "$UNIT" ||
		note "note: ${WANTED_ORIGINS[REPLY]} still has ${WANTED_NAMES[REPLY]} for it, and ndmctl load applies that"
}

# Of UNIT...: the cgroups that had a program by a drop-in, into REPLY_LIST; also of one that is gone by now, removed by
# somebody else or before a kill.
list_unit_cgroups() {
	local i target paths=()
	read_policies
	for target; do
		read_unit "$target" || :
		for i in "${!POLICY_PATHS[@]}"; do
			[[ ${POLICY_ORIGINS[i]} == unit ]] || continue
			[[ ${POLICY_PATHS[i]} != "${UNIT_PROPERTY[ControlGroup]-}" && ${POLICY_PATHS[i]##*/} != "$target" ]] ||
				paths+=("${POLICY_PATHS[i]}")
		done
	done
	REPLY_LIST=("${paths[@]}")
}

cmd_unit_list() {
	local i
	list_unit_files
	begin_table 'unit list' units 'unit:str cc:str origin:str file:str' '%-8s %-10s %s' 'CC=cc ORIGIN=origin UNIT=unit'
	for i in "${!UNIT_TARGETS[@]}"; do add_row "${UNIT_TARGETS[i]}" "${UNIT_NAMES[i]}" "${UNIT_ORIGINS[i]}" \
		"${UNIT_PATHS[i]}"; done
	end_table
	((${#UNIT_TARGETS[@]})) || note_in_text 'no unit has a policy of its own; ndmctl cgroup list shows the cgroups'
}
