# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# status.sh: one screen; what is wrong comes last, each with the command to type.

CGROUPS_SHOWN=5 PATH_SHOWN=4096
POLICIES=()    # kind, target, algorithm, remark, ...
PROBLEMS=()    # text, command, text, command, ...

cmd_status() {
	[[ ! ${OPT[--short]-} || ! ${OPT[--check]-} ]] || die 2 '--short and --check exclude each other' 'choose one of them'
	if [[ ${OPT[--check]-} ]]; then
		is_loaded || exit 3
	elif [[ ${OPT[--short]-} ]]; then print_short
	else
		gather_status
		find_problems
		"print_status_$FORMAT"
	fi
}

print_short() {
	current_default || :
	if ! is_loaded; then printf 'absent\n'
	elif is_ours "$REPLY"; then printf 'default\n'
	else printf 'loaded\n'; fi
}

gather_status() {
	local count cc cgroup
	LOADED='' VERSION='' REFERENCES='' SOCKET_COUNTS=() CGROUP_COUNTS=() OTHER_PARAMETERS=()
	module_version_on_disk
	ON_DISK=$REPLY
	kernel_release
	KERNEL=$REPLY
	current_default || :
	PRESENT=$REPLY
	read_record
	[[ $SET_HERE == "$PRESENT" ]] || PREVIOUS=''
	while IFS=$'\t' read -r count cc cgroup; do
		if [[ $cgroup ]]; then CGROUP_COUNTS+=("$cgroup" "$cc" "$count"); else SOCKET_COUNTS+=("$cc" "$count"); fi
	done < <(count_sockets)
	gather_policies
	is_loaded || return 0
	LOADED=yes
	read_value "$MODULE/version" || :
	VERSION=$REPLY
	read_value "$MODULE/refcnt" || :
	REFERENCES=$REPLY
	list_parameters
	! read_stats || add_up_congestion
}

list_parameters() { # those that are not at their defaults
	local key
	for key in "${KEY_NAMES[@]}"; do
		read_value "$PARAMETERS/${key,,}" || continue    # DEFAULT is no parameter
		[[ $REPLY == "${KEY_DEFAULT[$key]}" ]] || OTHER_PARAMETERS+=("${key,,}" "$REPLY" "${KEY_DEFAULT[$key]}")
	done
}

gather_policies() { # everything that gives an algorithm to a part of the system
	local i
	POLICIES=()
	gather_cgroup_policies
	gather_netns_policies
	list_routes add_route_policy
}

gather_cgroup_policies() {
	local i
	read_policies
	read_inodes
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		[[ ${POLICY_ORIGINS[i]}/$REPLY != unit/active ]] || continue    # its unit says it
		POLICIES+=(cgroup "${POLICY_PATHS[i]}" "${POLICY_NAMES[i]}" "${POLICY_ORIGINS[i]}, $REPLY")
	done
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do POLICIES+=(unit "${UNIT_TARGETS[i]}" "${UNIT_NAMES[i]}" "${UNIT_ORIGINS[i]}"); done
}

gather_netns_policies() { # those with another default than ours; only root may look into them
	local id default remark
	[[ $EUID == 0 || $ROOT ]] || return 0
	list_netns
	for id in ${NETNS_LIST[@]+"${NETNS_LIST[@]}"}; do
		if [[ $id == "$NETNS_OWN" ]] || ! netns_default "$id" || [[ ! $REPLY || $REPLY == "$PRESENT" ]]; then continue; fi
		default=$REPLY remark=''
		[[ ! ${NETNS_PID[$id]-} ]] || remark="pid ${NETNS_PID[$id]}"
		POLICIES+=(netns "${NETNS_NAMES[$id]:-$id}" "$default" "$remark")
	done
}

add_route_policy() { # the parsed one
	local remark="table $ROUTE_TABLE, metric $ROUTE_METRIC"
	[[ $ROUTE_CC != lock* ]] || remark+=', lock'
	shown_destination
	POLICIES+=(route "$REPLY" "${ROUTE_CC#lock }" "$remark")
}

find_policy_problems() {
	local i
	for ((i = 0; i < ${#POLICIES[@]}; i += 4)); do
		printable "${POLICIES[i + 1]}"
		is_registered "${POLICIES[i + 2]}" ||
			PROBLEMS+=("the policy of ${POLICIES[i]} $SHOWN has no effect: ${POLICIES[i + 2]} is not registered" "modprobe tcp_${POLICIES[i + 2]}")
		[[ ${POLICIES[i]}/${POLICIES[i + 3]} != cgroup/*', lost' ]] ||
			PROBLEMS+=("the cgroup $SHOWN was made anew and has lost its policy" "ndmctl cgroup set ${POLICIES[i + 1]@Q} ${POLICIES[i + 2]}")
	done
}

find_problems() {
	local wanted=''
	PROBLEMS=()
	if read_config; then
		configured_default
		wanted=$REPLY
	else
		PROBLEMS+=("configuration invalid (${#CONF_ERRORS[@]} errors); it will not be applied" 'ndmctl config validate')
	fi
	if [[ ! $LOADED && $ON_DISK ]]; then PROBLEMS+=('tcp_ndm is not loaded' 'ndmctl load')
	elif [[ ! $LOADED ]]; then PROBLEMS+=("tcp_ndm is not available for kernel $KERNEL" 'ndmctl doctor')
	elif [[ $ON_DISK && $ON_DISK != "$VERSION" ]]; then
		PROBLEMS+=("version $VERSION is loaded, $ON_DISK is installed; unload and load it, or reboot" 'ndmctl unload && ndmctl reload')
	fi
	[[ ! $wanted || ! $LOADED || $wanted == "$PRESENT" ]] ||
		PROBLEMS+=("the configuration says $wanted, the default is $PRESENT" 'ndmctl reload')
	find_policy_problems
	[[ ! $wanted ]] || is_enabled || PROBLEMS+=('the configured default is not applied at boot' 'systemctl enable ndm-tcp')
}

describe_module() { # into REPLY
	if [[ $LOADED ]]; then REPLY="tcp_ndm $VERSION, loaded, ${REFERENCES:-?} references"
	elif [[ $ON_DISK ]]; then REPLY="tcp_ndm $ON_DISK, not loaded"
	else REPLY="tcp_ndm, not installed for kernel $KERNEL"; fi
}

print_row() { # NAME TEXT
	paint head "$(printf '%-11s' "$1")"
	printf '%s %s\n' "$REPLY" "$2"
}

print_status_text() {
	local i text='' total=0
	describe_module
	print_row module "$REPLY"
	print_row default "${PRESENT:-unknown}${PREVIOUS:+    (was $PREVIOUS)}"
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do
		text+="${text:+, }${OTHER_PARAMETERS[i]} ${OTHER_PARAMETERS[i + 1]} (default ${OTHER_PARAMETERS[i + 2]})"
	done
	[[ ! $LOADED ]] || print_row parameters "${text:-all at their defaults}"
	print_policies
	text=''
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do
		text+="${text:+, }${SOCKET_COUNTS[i + 1]} ${SOCKET_COUNTS[i]}"
		total=$((total + SOCKET_COUNTS[i + 1]))
	done
	print_row sockets "${text:-none}    ($total TCP in this network namespace)"
	print_cgroup_counts
	[[ ! ${STAT[schema]-} ]] || print_row 'since load' "acks ${STAT[acks]-?}, losses judged noise ${STAT[loss_noise]-?}, congestion ${STAT[loss_congestion]-?}, no data ${STAT[loss_nodata]-?}, undos ${STAT[undos]-?}"
	print_problems
}

print_policies() {
	local i name=policies
	for ((i = 0; i < ${#POLICIES[@]}; i += 4)); do
		printable "${POLICIES[i + 1]}" $PATH_SHOWN
		print_row "$name" "${POLICIES[i]} $SHOWN: ${POLICIES[i + 2]}${POLICIES[i + 3]:+    (${POLICIES[i + 3]})}"
		name=''
	done
	((${#POLICIES[@]})) || print_row policies none
}

print_cgroup_counts() { # those with the most sockets
	local i cgroup order=()
	local -A text=()
	for ((i = 0; i < ${#CGROUP_COUNTS[@]}; i += 3)); do
		cgroup=${CGROUP_COUNTS[i]}
		[[ ${text[$cgroup]-} ]] || order+=("$cgroup")
		text[$cgroup]+="${text[$cgroup]:+, }${CGROUP_COUNTS[i + 2]} ${CGROUP_COUNTS[i + 1]}"
	done
	for cgroup in "${order[@]:0:CGROUPS_SHOWN}"; do
		printable "$cgroup" $PATH_SHOWN
		print_row '' "$SHOWN: ${text[$cgroup]}"
	done
	((${#order[@]} <= CGROUPS_SHOWN)) || print_row '' "and in $((${#order[@]} - CGROUPS_SHOWN)) more cgroups    (ndmctl status --plain)"
}

print_problems() {
	local i name='problems'
	for ((i = 0; i < ${#PROBLEMS[@]}; i += 2)); do
		paint care "${PROBLEMS[i]}"
		print_row "$name" "$REPLY    (${PROBLEMS[i + 1]})"
		name=''
	done
	((${#PROBLEMS[@]})) || print_row problems none
}

print_status_plain() {
	local i loaded=no
	[[ ! $LOADED ]] || loaded=yes
	printf '%s\t%s\n' loaded "$loaded" version "$VERSION" version_on_disk "$ON_DISK" references "$REFERENCES" \
		default "$PRESENT" previous_default "$PREVIOUS"
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do printf 'parameter.%s\t%s\n' "${OTHER_PARAMETERS[@]:i:2}"; done
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do printf 'sockets.%s\t%s\n' "${SOCKET_COUNTS[@]:i:2}"; done
	for ((i = 0; i < ${#CGROUP_COUNTS[@]}; i += 3)); do printf 'cgroup\t%s\t%s\t%s\n' "${CGROUP_COUNTS[@]:i:3}"; done
	for ((i = 0; i < ${#POLICIES[@]}; i += 4)); do
		printable "${POLICIES[i + 1]}" $PATH_SHOWN
		printf 'policy\t%s\t%s\t%s\t%s\n' "${POLICIES[i]}" "$SHOWN" "${POLICIES[@]:i + 2:2}"
	done
	for i in acks loss_noise loss_congestion loss_nodata undos; do [[ ! -v STAT[$i] ]] || printf '%s\t%s\n' "$i" "${STAT[$i]}"; done
	for ((i = 0; i < ${#PROBLEMS[@]}; i += 2)); do printf 'problem\t%s\t%s\n' "${PROBLEMS[@]:i:2}"; done
}

json_pairs() { # NAME VALUE...: the inside of an object into REPLY
	local out='' name
	while (($#)); do
		json_str "$1"
		name=$REPLY
		json_value "$2"
		out+="${out:+,}$name:$REPLY"
		shift 2
	done
	REPLY=$out
}

print_status_json() {
	local i module parameters sockets cgroups policies counters pairs=() problems=''
	json_bool "$LOADED"
	module="\"loaded\":$REPLY"
	json_pairs version "$VERSION" version_on_disk "$ON_DISK" references "$REFERENCES"
	module+=",$REPLY"
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do pairs+=("${OTHER_PARAMETERS[@]:i:2}"); done
	json_pairs ${pairs[@]+"${pairs[@]}"}
	parameters=$REPLY
	json_pairs ${SOCKET_COUNTS[@]+"${SOCKET_COUNTS[@]}"}
	sockets=$REPLY cgroups='' policies='' pairs=()
	for ((i = 0; i < ${#CGROUP_COUNTS[@]}; i += 3)); do
		json_pairs cgroup "${CGROUP_COUNTS[i]}" cc "${CGROUP_COUNTS[i + 1]}" sockets "${CGROUP_COUNTS[i + 2]}"
		cgroups+="${cgroups:+,}{$REPLY}"
	done
	for ((i = 0; i < ${#POLICIES[@]}; i += 4)); do
		json_str "${POLICIES[i + 1]}"    # also when it is a number
		policies+="${policies:+,}{\"target\":$REPLY"
		json_pairs kind "${POLICIES[i]}" cc "${POLICIES[i + 2]}" remark "${POLICIES[i + 3]}"
		policies+=",$REPLY}"
	done
	for i in acks loss_noise loss_congestion loss_nodata undos; do pairs+=("$i" "${STAT[$i]-}"); done
	json_pairs "${pairs[@]}"
	counters=$REPLY
	for ((i = 0; i < ${#PROBLEMS[@]}; i += 2)); do
		json_pairs text "${PROBLEMS[i]}" command "${PROBLEMS[i + 1]}"
		problems+="${problems:+,}{$REPLY}"
	done
	json_pairs schema 1 command status default "$PRESENT" previous_default "$PREVIOUS"
	printf '{%s,"module":{%s},"parameters":{%s},"sockets":{%s},"cgroups":[%s],"policies":[%s],"counters":{%s},"problems":[%s]}\n' \
		"$REPLY" "$module" "$parameters" "$sockets" "$cgroups" "$policies" "$counters" "$problems"
}
