# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# policies.sh: every policy of this system: of cgroups, units, network namespaces and routes.

NETNS_ASKED=20    # each takes two programs to ask
POLICIES=()    # kind, target, algorithm, remark, ...

gather_policies() { # of cgroups, units, network namespaces and routes
	local i
	POLICIES=()
	gather_cgroup_policies
	gather_netns_policies
	gather_route_policies
}

gather_cgroup_policies() {
	local i
	read_policies
	read_states
	list_unit_files
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		# Of a unit its drop-in says it; restarted, the unit has its program from systemd. Where that is gone, what runs has it still.
		if [[ ${POLICY_ORIGINS[i]} == unit ]] && { [[ $REPLY != active ]] || has_unit_file "${POLICY_PATHS[i]}"; }; then continue; fi
		POLICIES+=(cgroup "${POLICY_PATHS[i]}" "${POLICY_NAMES[i]}" "${POLICY_ORIGINS[i]}, $REPLY")
	done
	for i in "${!UNIT_TARGETS[@]}"; do POLICIES+=(unit "${UNIT_TARGETS[i]}" "${UNIT_NAMES[i]}" "${UNIT_ORIGINS[i]}"); done
}

gather_netns_policies() { # those with another default than this one; only root sees them
	local id default remark asked=0 others
	[[ $EUID == 0 ]] || return 0
	list_netns
	others=${#NETNS_LIST[@]}
	[[ " ${NETNS_LIST[*]-} " != *" $NETNS_OWN "* ]] || others=$((others - 1))
	for id in "${NETNS_LIST[@]}"; do
		[[ $id != "$NETNS_OWN" ]] || continue
		if ((asked++ == NETNS_ASKED)); then
			POLICIES+=(netns "$((others - NETNS_ASKED)) more" '?' 'ndmctl netns list asks all of them')
			break
		fi
		if ! netns_default "$id" || [[ ! $REPLY || $REPLY == "$PRESENT" ]]; then continue; fi
		default=$REPLY remark=''
		if [[ ${NETNS_PID[$id]-} ]]; then remark="pid ${NETNS_PID[$id]}"; fi
		POLICIES+=(netns "${NETNS_NAMES[$id]:-$id}" "$default" "$remark")
	done
}

add_route_policy() { # the parsed one
	local remark="table $ROUTE_TABLE, metric $ROUTE_METRIC"
	[[ $ROUTE_CC != lock* ]] || remark+=', lock'
	shown_destination
	POLICIES+=(route "$REPLY" "${ROUTE_CC#lock }" "$remark")
}

gather_route_policies() {
	local i lock
	list_routes add_route_policy
	list_lost_routes
	for ((i = 0; i < ${#REPLY_LIST[@]}; i += 4)); do
		lock=''
		[[ ${REPLY_LIST[i + 3]} != lock* ]] || lock=', lock'
		POLICIES+=(route "${REPLY_LIST[i]}" "${REPLY_LIST[i + 3]#lock }" "table ${REPLY_LIST[i + 1]}, metric ${REPLY_LIST[i + 2]}$lock, lost")
	done
}

reload_command() { # DEFAULT of the configuration: the command that replaces the loaded module by the installed one
	local i
	for ((i = 2; i < ${#POLICIES[@]}; i += 4)); do
		! is_ours "${POLICIES[i]}" || { reboot_command; printf '%s' "$REPLY"; return 0; }    # it holds the module
	done
	if ! is_ours "$PRESENT"; then printf 'ndmctl unload && ndmctl reload'
	elif [[ $1 == "$PRESENT" ]]; then printf 'ndmctl unload --force-default cubic && ndmctl reload'
	else printf 'ndmctl unload --force-default cubic && ndmctl set-default %s --runtime' "$PRESENT"; fi
}
