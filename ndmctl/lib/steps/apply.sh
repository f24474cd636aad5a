# SPDX-License-Identifier: GPL-2.0
# apply.sh: applies the configuration to the running system, at boot and by load.

needs probes/backend probes/boot probes/cgroup probes/config probes/environment probes/module probes/records probes/unit
needs steps/backend steps/cgroup steps/counting steps/default steps/programs steps/unit

# Module and parameters, DEFAULT, METRICS, then the policies; connections are not touched. Cubic and others need no
# module, so one part that fails, as without a module for this kernel, leaves the others alone.
apply_config() {
	local step rc=0 failed=0 cure='ndmctl load'
	require_config
	# systemd stops no unit whose start failed
	[[ $VERB != service ]] ||
		cure+='; to take back what is applied, and what was set by hand: /usr/lib/ndm-tcp/service stop'
	for step in apply_module apply_default apply_counting apply_policies; do
		if [[ $DRY_RUN ]]; then "$step"; continue; fi
		configured_default
		[[ $step != apply_default ]] || ((rc == 0)) || ! is_ours "$REPLY" || continue
		in_own_shell "$step" || rc=$? failed=$((failed + 1))
	done
	# One that has failed alone has said why, and what helps.
	((rc == 0)) || ((failed > 1)) || [[ $VERB == service ]] || exit "$rc"
	((rc == 0)) || die "$rc" 'not all of the configuration is applied' advise "see the lines above; then: $cure"
}

apply_module() {
	local there=''
	if is_bpf && is_container; then return 0; fi    # they are those of the host
	! is_in_use || there=yes
	load_ndm
	[[ ! $there ]] || write_parameters "${KEY_NAMES[@]}"
}

apply_policies() { # of the configuration: removes those that it no longer contains, then sets the others
	local i failed=0 wanted_paths=$'\n' path unwanted=()
	((${#WANTED_TARGETS[@]})) || [[ -e $RECORDS/cgroups ]] || has_unit_files || return 0
	require_bpf
	resolve_wanted_units
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} != CGROUP || ${WANTED_NAMES[i]} == no ]] || wanted_paths+="${WANTED_TARGETS[i]}"$'\n'
	done
	read_policies
	for i in "${!POLICY_PATHS[@]}"; do
		[[ ${POLICY_ORIGINS[i]} != config || $wanted_paths == *$'\n'"${POLICY_PATHS[i]}"$'\n'* ]] ||
			unwanted+=("${POLICY_PATHS[i]}")
	done
	for path in "${unwanted[@]}"; do clear_policy "$path"; done
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == CGROUP && ${WANTED_NAMES[i]} != no ]] || continue
		apply_policy "$i" || failed=$((failed + 1))
	done
	apply_units || failed=$((failed + REPLY))
	drop_unused_programs
	((failed == 0)) || die 1 "$failed of the configured policies could not be applied, the others were" \
		'see the lines above; then: ndmctl load'
}

apply_policy() { # INDEX of WANTED_*; a missing cgroup is no failure
	local path=${WANTED_TARGETS[$1]} name=${WANTED_NAMES[$1]}
	if [[ ! -e $CGROUP_ROOT$path/cgroup.procs ]]; then
		note "note: the cgroup $path does not exist (${WANTED_ORIGINS[$1]}); create it and run ndmctl load;" \
			'for a service or slice use UNIT='
		return 0
	fi
	find_policy_of_others "$path" && return 0
	in_own_shell set_wanted "$path" "$name" && return 0
	warn "${WANTED_ORIGINS[$1]}: CGROUP=$path:$name is not applied"
	return 1
}

provide_for_unit() { # NAME: its module and programs
	ensure_registered "$1"
	provide_start "$1"
}

apply_unit() { # UNIT NAME
	ensure_registered "$2"
	attach_unit "$1" "$2"
}

set_wanted() { # PATH NAME
	ensure_registered "$2"
	set_policy "$1" "$2" config
}

apply_units() { # REPLY is the number of failures; also loads programs again for the administrator's drop-ins
	local i name unit failed=0 targets=() applied=$'\n'
	require_systemd_for_units || { failed=$REPLY; REPLY=$failed; return "$((failed > 0))"; }
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		if [[ ${UNIT_ORIGINS[i]} != config ]] || is_wanted_unit "${UNIT_TARGETS[i]}"; then continue; fi
		remove_unit_file "${UNIT_PATHS[i]}"
		targets+=("${UNIT_TARGETS[i]}")
	done
	for name in "${targets[@]}"; do detach_unit "$name"; done
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == UNIT && ${WANTED_NAMES[i]} != no ]] || continue
		write_wanted_unit "$i" || failed=$((failed + 1))
	done
	list_unit_files
	reload_manager
	for i in "${!UNIT_TARGETS[@]}"; do
		name=${UNIT_NAMES[i]} unit=${UNIT_TARGETS[i]}
		name_problem "$name" && continue
		! read_unit "$unit" || unit=${UNIT_PROPERTY[Id]:-$unit}
		if [[ $unit != "${UNIT_TARGETS[i]}" ]]; then    # it has become an alias: one of the unit's own name counts first
			live_unit_policy "$unit"
			[[ $REPLY == none ]] || continue
		fi
		[[ $applied != *$'\n'"$unit"$'\n'* ]] || continue    # of two drop-ins the first counts, as for systemd
		applied+=$unit$'\n'
		in_own_shell apply_unit "${UNIT_TARGETS[i]}" "$name" && continue
		warn "${UNIT_PATHS[i]}: the policy of ${UNIT_TARGETS[i]} is not applied"
		failed=$((failed + 1))
	done
	REPLY=$failed
	((failed == 0))
}

require_systemd_for_units() { # fails without systemd; REPLY is the number of lines that are then left out
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

write_wanted_unit() { # INDEX; a unit that is not installed is no failure
	local unit=${WANTED_TARGETS[$1]} name=${WANTED_NAMES[$1]} target targets
	read_unit "$unit" || { warn "${WANTED_ORIGINS[$1]}: systemd does not describe $unit"; return 1; }
	if [[ ${UNIT_PROPERTY[LoadState]} != loaded ]]; then
		note "note: ${WANTED_ORIGINS[$1]}: the unit $unit is ${UNIT_PROPERTY[LoadState]};" \
			'when it exists, ndmctl load applies its policy'
		return 0
	fi
	if [[ $unit != *.socket ]] && starts_early "$unit"; then
		warn "${WANTED_ORIGINS[$1]}: $unit $REPLY"
		return 1
	fi
	read -ra targets <<<"$unit ${WANTED_SOCKETS[$1]#\?}"
	for target in "${targets[@]}"; do
		unit_dir config
		if is_unit_file_of_others "$REPLY/$target.d/$UNIT_FILE"; then
			warn "${WANTED_ORIGINS[$1]}: $SYSTEM/run/systemd/system/$target.d/$UNIT_FILE was not written by ndmctl, so it stays"
			return 1
		fi
		write_unit_file "$target" "$name" config
	done
}

apply_default() { # DEFAULT of the configuration, for the running system only
	local wanted applied
	configured_default
	wanted=$REPLY
	read_value "$RECORDS/applied" || :
	applied=$REPLY
	if [[ $wanted ]]; then
		is_ours "$wanted" || is_available "$wanted" || die 1 \
			"DEFAULT=$wanted in ${CONF_ORIGIN[DEFAULT]}: there is no such algorithm" override_command DEFAULT no
		ensure_registered "$wanted"
		set_running_default "$wanted"
		mark_applied "$wanted"
	elif [[ $applied ]]; then revert_running_default; fi
}
