# SPDX-License-Identifier: GPL-2.0
# holders.sh: who holds the algorithms: policies, network namespaces, routes and sockets.

needs probes/backend probes/cgroup probes/module probes/netns probes/records probes/route probes/sockets probes/unit

HOLDERS=()

# Who holds the algorithms, one line each, into HOLDERS. quick asks only for what refuses at once.
list_holders() { # [quick]
	local line count=''
	HOLDERS=()
	list_policy_holders
	read_value "$MODULE/refcnt" && count=$REPLY
	[[ $count != 0 ]] || return 0
	if [[ ${1-} == quick && $count ]]; then
		HOLDERS+=("$count references")
		return 0
	fi
	current_default || :
	! is_ours "$REPLY" || HOLDERS=("the default of this network namespace is $REPLY" "${HOLDERS[@]}")
	# Connections of a BPF program that is no longer registered go on with it.
	while IFS= read -r line; do HOLDERS+=("$line"); done < <(list_other_netns; is_bpf || list_holding_sockets)
	if is_bpf && ! can_enter_netns; then list_unseen_users; fi
	if ((${#HOLDERS[@]} == 0)) && [[ $count ]]; then
		HOLDERS=("$count references that cannot be seen from here, such as another network namespace"); fi
}

# Of BPF programs the kernel counts users, and removes a program all the same. A network namespace that cannot be seen
# may be one of them.
list_unseen_users() {
	local name own
	current_default || :
	own=$REPLY
	for name in "${OURS[@]}"; do
		if ! find_bpftool || ! find_live "$name"; then continue; fi
		[[ $name != "$own" ]] || USERS=$((USERS - 1))
		((USERS <= 0)) || HOLDERS+=("$USERS connections or network namespaces, which cannot be seen from here, have $name")
	done
}

list_policy_holders() { # policies need the algorithms, although the kernel counts no reference for them; into HOLDERS
	local i known=$'\n'
	read_policies
	read_inodes
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		if [[ $REPLY != active && $REPLY != unknown ]] || ! is_ours "${POLICY_NAMES[i]}"; then continue; fi
		HOLDERS+=("the policy of the cgroup ${POLICY_PATHS[i]} is ${POLICY_NAMES[i]}")
		known+=$CGROUP_ROOT${POLICY_PATHS[i]}$'\n'
	done
	list_attached_units "$known"
	list_routes add_route_holder
}

# DIRS that are known already, a line each. A unit that was restarted has its program from systemd, and no record. One
# of which nothing says that it has none counts.
list_attached_units() {
	local i path unseen=''
	if ! has_systemd || ! has_unit_files; then return 0; fi
	read_mounts
	if [[ ! $CGROUP_ROOT ]]; then
		are_cgroups_hidden || return 0
		unseen=yes
	elif ! find_bpftool; then
		[[ -d $PINS/cc ]] || return 0
		unseen=yes
	elif ! can_ask; then return 0; fi
	for i in "${!UNIT_TARGETS[@]}"; do
		is_ours "${UNIT_NAMES[i]}" || continue
		path=''
		if read_unit "${UNIT_TARGETS[i]}"; then
			[[ ${UNIT_PROPERTY[ControlGroup]-} ]] || continue
			path=$CGROUP_ROOT${UNIT_PROPERTY[ControlGroup]}
			if [[ ! $unseen ]] && list_attached "$path" && ((${#REPLY_LIST[@]} == 0)); then continue; fi
		fi
		[[ $path && $1 == *$'\n'"$path"$'\n'* ]] || HOLDERS+=("the policy of the unit ${UNIT_TARGETS[i]} is ${UNIT_NAMES[i]}")
	done
}

add_route_holder() { # the parsed one
	is_ours "${ROUTE_CC#lock }" || return 0
	shown_destination
	HOLDERS+=("the route $REPLY of the table $ROUTE_TABLE has ${ROUTE_CC#lock }")
}

list_holding_sockets() { # listeners hold the module as well, hence -a
	has_tool ss || return 0
	local hidden='a process that only root may see'
	((USER_ID)) || hidden='a process that is hidden from here'    # as in the sandbox of ndm-tcp.service
	answered ss -tinOHa | PROCESSES=<(tool ss -tnpOHa 2>/dev/null) parse_ss |
		awk -F '\t' -v hidden="$hidden" -v ours=" ${OURS[*]} " '
		index(ours, " " $4 " ") {
			process = "no process (closing)"
			if ($11 != "") {
				process = $12 " (pid " $11 ")"
				gsub(/\\"/, "\"", process)
			}
			else if ($1 != "FIN-WAIT-1" && $1 != "LAST-ACK" && $1 != "CLOSING") process = hidden
			count[($1 == "LISTEN" ? "listening socket(s) " : "socket(s) ") $4 " of " process]++
		}
		END { for (who in count) print count[who] " " who }' | sort -nr
}

list_other_netns() { # those with one of our algorithms as the default
	local id default
	list_netns
	for id in "${NETNS_LIST[@]}"; do
		if [[ $id == "$NETNS_OWN" ]] || ! netns_default "$id" || ! is_ours "$REPLY"; then continue; fi
		default=$REPLY
		describe_netns "$id"
		printf 'network namespace %s has the default %s\n' "$REPLY" "$default"
	done
}
