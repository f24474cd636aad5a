# SPDX-License-Identifier: GPL-2.0
# policies.sh: every policy of this system: of cgroups, units, network namespaces and routes.

needs probes/config probes/module probes/netns probes/records probes/route probes/unit

NETNS_ASKED=20    # each takes two programs to ask
POLICIES_KNOWN=''
# Of each: its kind, what it is for, its algorithm, a remark for the reader; lost, gone, or nothing; the command that
# sets a lost one again.
FOUND_KIND=() FOUND_TARGET=() FOUND_NAME=() FOUND_REMARK=() FOUND_STATE=() FOUND_CURE=()

gather_policies() { # [here: not of other network namespaces], once
	[[ ! $POLICIES_KNOWN ]] || return 0
	POLICIES_KNOWN=yes
	gather_cgroup_policies
	[[ ${1-} == here ]] || gather_netns_policies
	gather_route_policies
}

add_policy() { # KIND TARGET NAME REMARK [STATE COMMAND]
	FOUND_KIND+=("$1") FOUND_TARGET+=("$2") FOUND_NAME+=("$3") FOUND_REMARK+=("$4") FOUND_STATE+=("${5-}") \
		FOUND_CURE+=("${6-}")
}

has_policy_of_ours() {
	local name
	for name in "${FOUND_NAME[@]}"; do ! is_ours "$name" || return 0; done
	return 1
}

gather_cgroup_policies() {
	local i state
	read_policies
	read_states
	list_unit_files
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		# Of a unit its drop-in says it; restarted, the unit has its program from systemd. Where that is gone, what runs has
		# it still.
		if [[ ${POLICY_ORIGINS[i]} == unit ]] && { [[ $REPLY != active ]] || has_unit_file "${POLICY_PATHS[i]}"
			}; then continue; fi
		state=$REPLY
		case $state in
		lost) REPLY="ndmctl cgroup set ${POLICY_PATHS[i]@Q} ${POLICY_NAMES[i]}" ;;
		gone) REPLY="ndmctl cgroup clear ${POLICY_PATHS[i]@Q}" ;;
		esac
		add_policy cgroup "${POLICY_PATHS[i]}" "${POLICY_NAMES[i]}" "${POLICY_ORIGINS[i]}, $state" "$state" "$REPLY"
	done
	for i in "${!UNIT_TARGETS[@]}"; do add_policy unit "${UNIT_TARGETS[i]}" "${UNIT_NAMES[i]}" "${UNIT_ORIGINS[i]}"; done
}

gather_netns_policies() { # those with another default than this one; only root sees them
	local id default remark asked=0 others present
	[[ $USER_ID == 0 ]] || return 0
	current_default || :
	present=$REPLY
	list_netns
	others=${#NETNS_LIST[@]}
	[[ " ${NETNS_LIST[*]-} " != *" $NETNS_OWN "* ]] || others=$((others - 1))
	for id in "${NETNS_LIST[@]}"; do
		[[ $id != "$NETNS_OWN" ]] || continue
		if ((asked++ == NETNS_ASKED)); then
			add_policy netns "$((others - NETNS_ASKED)) more" '?' 'ndmctl status --netns all asks all of them'
			break
		fi
		if ! netns_default "$id" || [[ ! $REPLY || $REPLY == "$present" ]]; then continue; fi
		default=$REPLY remark=''
		if [[ ${NETNS_PID[$id]-} ]]; then remark="pid ${NETNS_PID[$id]}"; fi
		add_policy netns "${NETNS_NAMES[$id]:-$id}" "$default" "$remark"
	done
}

add_route_policy() { # the parsed one
	local remark="table $ROUTE_TABLE, metric $ROUTE_METRIC"
	[[ $ROUTE_CC != lock* ]] || remark+=', lock'
	shown_destination
	add_policy route "$REPLY" "${ROUTE_CC#lock }" "$remark"
}

gather_route_policies() {
	local i
	list_routes add_route_policy
	list_lost_routes
	for ((i = 0; i < ${#REPLY_LIST[@]}; i += 4)); do add_lost_route "${REPLY_LIST[@]:i:4}"; done
}

add_lost_route() { # DEST TABLE METRIC ALGORITHM
	local name=${4#lock } remark="table $2, metric $3" cure
	cure="ndmctl route set ${1:0:60} $name"
	[[ $2 == main ]] || cure+=" --table $2"
	[[ $3 == 0 ]] || cure+=" --metric $3"
	if [[ $4 == lock* ]]; then
		remark+=', lock'
		cure+=' --lock'
	fi
	add_policy route "$1" "$name" "$remark, lost" lost "$cure"
}

replace_command() { # what carries the algorithms: an older module, or the other backend; into REPLY
	local present free='ndmctl set-default cubic --runtime && ndmctl unload'
	gather_policies
	current_default || :
	present=$REPLY
	configured_default
	if has_policy_of_ours; then REPLY='systemctl reboot'    # which holds the module
	elif ! is_ours "$present"; then REPLY='ndmctl unload && ndmctl load'
	elif [[ $REPLY == "$present" ]]; then REPLY="$free && ndmctl load"
	else REPLY="$free && ndmctl set-default $present --runtime"; fi
}
