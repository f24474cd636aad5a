# SPDX-License-Identifier: GPL-2.0
# cgroup.sh: the command cgroup.

needs probes/cgroup probes/config probes/module probes/records steps/backend steps/cgroup steps/config

cmd_cgroup_set() { # [PATH] NAME
	local name=${*: -1} origin=runtime
	require_name "$name"
	find_cgroup "$@"
	require_cgroup
	require_config
	require_bpf
	plan_cgroup "$name"
	ensure_registered "$name"
	# that of the configuration, when it has the same one
	! find_wanted CGROUP "$CGROUP" || [[ ${WANTED_NAMES[REPLY]} != "$name" ]] || origin=config
	set_policy "$CGROUP" "$name" "$origin"
	write_drop_in
	drop_unused_programs
	if [[ -v OPT[--persist] ]]; then note_unit; fi
}

plan_cgroup() { # NAME, empty to remove the line
	[[ -v OPT[--persist] ]] || return 0
	[[ $CGROUP != *[!\ -~]* && $CGROUP != *' ' ]] || die 2 'the configuration takes only ASCII names of cgroups' \
		'omit --persist'
	start_drop_in
	change_line CGROUP "${1:+$CGROUP:$1}" "$CGROUP"
	require_config
}

cmd_cgroup_clear() { # [PATH]; a cgroup that is gone can still be forgotten
	find_cgroup "$@"
	read_policies
	find_policy "$CGROUP" || require_cgroup
	require_config
	require_bpf
	plan_cgroup ''
	local before=$CHANGED
	clear_policy "$CGROUP"
	[[ $CHANGED != "$before" ]] || already "$CGROUP has no policy"
	write_drop_in
	drop_unused_programs
	if find_wanted CGROUP "$CGROUP"; then
		note "note: ${WANTED_ORIGINS[REPLY]} still has ${WANTED_NAMES[REPLY]} for it, and ndmctl load applies that;" \
			"ndmctl cgroup clear --persist removes a line of ndmctl, CGROUP=$CGROUP:no overrides another one"
	fi
}

cmd_cgroup_list() {
	local i shown=''
	read_policies
	read_states
	begin_table 'cgroup list' policies 'cgroup:str cc:str origin:str state:str' '%-8s %-8s %-8s %s' \
		'CC=cc ORIGIN=origin STATE=state CGROUP=cgroup'
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		if [[ ${POLICY_ORIGINS[i]} == unit && $REPLY != active ]]; then continue; fi
		add_row "${POLICY_PATHS[i]}" "${POLICY_NAMES[i]}" "${POLICY_ORIGINS[i]}" "$REPLY"
		shown=yes
	done
	end_table
	[[ $shown ]] || note_in_text 'no cgroup has a policy of its own; ndmctl unit list shows the units'
}

cmd_cgroup_show() { # [PATH]
	local own='' state='' origin='' counts from=default name kind=''
	find_cgroup "$@"
	read_policies
	find_policy "$CGROUP" || require_cgroup
	read_states
	if find_policy "$CGROUP"; then
		own=${POLICY_NAMES[REPLY]} origin=${POLICY_ORIGINS[REPLY]}
		policy_state "$REPLY"
		state=$REPLY
	fi
	current_default || :
	name=$REPLY
	if nearest_policy "$CGROUP"; then from=${POLICY_PATHS[REPLY]} name=${POLICY_NAMES[REPLY]}; fi
	! read_program "$name" || kind=$KIND
	counts=(set '' not_registered '' not_permitted '' failed '')
	if [[ $own ]] && read_counters "$own"; then
		counts=(set "${REPLY_LIST[0]}" not_registered "${REPLY_LIST[1]}" not_permitted "${REPLY_LIST[2]}" failed \
			"${REPLY_LIST[3]}")
	fi
	print_pairs 'cgroup show' print_cgroup cgroup:str "$CGROUP" policy "$own" origin "$origin" state "$state" \
		cc "$name" from:str "$from" program "$kind" "${counts[@]}"
}

print_cgroup() { # NAME VALUE...
	local refused
	local -A is=()
	while (($#)); do
		is[${1%:*}]=$2
		shift 2
	done
	print_row cgroup "${is[cgroup]}"
	print_row policy "${is[policy]:-none}${is[origin]:+    (${is[origin]}, ${is[state]})}"
	print_row new "connections get ${is[cc]}, from ${is[from]/#default/the default}"
	[[ ${is[program]} != plain ]] ||
		print_row program 'without type information of the kernel (BTF): the outermost policy wins, over applications too'
	if [[ ${is[set]} ]]; then
		refused="${is[not_registered]} not registered, ${is[not_permitted]} not permitted, ${is[failed]} otherwise"
		print_row 'since set' "${is[set]} connections switched to ${is[policy]} in all its cgroups; refused: $refused"
	fi
}
