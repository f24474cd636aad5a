# SPDX-License-Identifier: GPL-2.0
# status.sh: the command status. Problems, which are those of doctor, come last, each with what helps.

needs probes/backend probes/cgroup probes/config probes/module probes/netns probes/policies probes/records
needs probes/sockets probes/state probes/stats checks/list

CGROUPS_SHOWN=5
COUNTERS_SHOWN=(acks loss_noise loss_congestion loss_nodata undos)
OTHER_PARAMETERS=()

cmd_status() {
	if [[ -v OPT[--netns] ]]; then
		status_of_netns "${OPT[--netns]}"
	elif [[ -v OPT[--counters] ]]; then
		print_counters
	elif [[ -v OPT[--check] ]]; then
		is_in_use || is_hidden || exit 3
	elif [[ -v OPT[--short] ]]; then
		current_default || :
		if ! is_in_use && ! is_hidden; then REPLY=absent
		elif is_ours "$REPLY"; then REPLY=default
		else REPLY=loaded; fi
		print_word status state "$REPLY"
	else
		start_counting_sockets
		gather_state
		gather_policies
		list_parameters
		! read_stats || add_up_congestion
		run_checks quick
		read_counts
		in_format print_status
	fi
}

list_parameters() { # those that differ from their defaults
	local key
	for key in "${KEY_NAMES[@]}"; do
		if ! is_parameter "$key" || ! read_state "parameters/${key,,}"; then continue; fi
		[[ $REPLY == "${KEY_DEFAULT[$key]}" ]] || OTHER_PARAMETERS+=("${key,,}" "$REPLY" "${KEY_DEFAULT[$key]}")
	done
}

describe_module() { # into REPLY
	if [[ $BACKEND == bpf ]]; then
		read_value "$BPF_STATE/refused" || :
		REPLY=${REPLY:+; this kernel does not take ${REPLY// /, }}
		REPLY="none: BPF programs of version ${VERSION:-unknown} stand for it; $WITHOUT_RACK$REPLY"
	elif [[ $BACKEND ]]; then REPLY="tcp_ndm $VERSION, loaded, ${REFERENCES:-?} references"
	elif is_hidden; then REPLY='tcp_ndm, loaded; what /sys/module says of it is hidden here'
	elif [[ $ON_DISK ]]; then REPLY="tcp_ndm $ON_DISK, not loaded"
	else REPLY="tcp_ndm, not installed for kernel $KERNEL"; fi
}

describe_default() { # into REPLY
	local more=''
	if [[ $PRESENT == ndm ]] && read_state parameters/variant; then more="variant $REPLY"; fi
	previous_default
	if [[ $PREVIOUS ]]; then more+="${more:+, }was $PREVIOUS"; fi
	REPLY=${PRESENT:-unknown}${more:+    ($more)}
}

print_status_text() {
	local i text='' total=0
	describe_module
	print_row module "$REPLY"
	describe_default
	print_row default "$REPLY"
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do
		text+="${text:+, }${OTHER_PARAMETERS[i]} ${OTHER_PARAMETERS[i + 1]} (default ${OTHER_PARAMETERS[i + 2]})"
	done
	if [[ $BACKEND ]]; then print_row parameters "${text:-all at their defaults}"; fi
	print_policies
	text=''
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do
		text+="${text:+, }${SOCKET_COUNTS[i + 1]} ${SOCKET_COUNTS[i]}"
		total=$((total + SOCKET_COUNTS[i + 1]))
	done
	if [[ $SOCKETS_KNOWN ]]; then print_row sockets "${text:-none}    ($total TCP in this network namespace)"
	else print_row sockets 'unknown: ss is missing, or the kernel does not answer it    (ndmctl sockets)'; fi
	print_cgroup_counts
	if [[ $COUNTING ]]; then print_row counting "what connections did, by algorithm    (ndmctl metrics)"; fi
	text="losses judged noise ${STAT[loss_noise]-?}, congestion ${STAT[loss_congestion]-?}, no data ${STAT[loss_nodata]-?}"
	if [[ ${STAT[schema]-} ]]; then print_row 'since load' "acks ${STAT[acks]-?}, $text, undos ${STAT[undos]-?}"; fi
	print_problems
}

print_policies() {
	local i name=policies
	for i in "${!FOUND_KIND[@]}"; do
		print_row "$name" "${FOUND_KIND[i]} ${FOUND_TARGET[i]}: ${FOUND_NAME[i]}${FOUND_REMARK[i]:+    (${FOUND_REMARK[i]})}"
		name=''
	done
	((${#FOUND_KIND[@]})) || print_row policies none
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
		print_row '' "$cgroup: ${text[$cgroup]}"
	done
	((${#order[@]} <= CGROUPS_SHOWN)) ||
		print_row '' "and in $((${#order[@]} - CGROUPS_SHOWN)) more cgroups    (ndmctl status --plain)"
}

print_problems() {
	local i name='problems'
	list_problems
	for i in "${REPLY_LIST[@]}"; do
		hint_of "$i"
		print_row "$name" "${FINDINGS[i + 3]}${REPLY:+    ($REPLY)}" care
		name=''
	done
	[[ ! $name ]] || print_row problems none
}

print_status_plain() {
	local i loaded=no at
	if [[ $BACKEND ]]; then loaded=yes; fi
	previous_default
	print_pairs_plain loaded "$loaded" backend "$BACKEND" version "$VERSION" version_on_disk "$ON_DISK" references \
		"$REFERENCES" \
		default "$PRESENT" previous_default "$PREVIOUS" counting "$COUNTING"
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do print_cells "parameter.${OTHER_PARAMETERS[i]}" \
		"${OTHER_PARAMETERS[i + 1]}"; done
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do print_cells "sockets.${SOCKET_COUNTS[i]}" \
		"${SOCKET_COUNTS[i + 1]}"; done
	for ((i = 0; i < ${#CGROUP_COUNTS[@]}; i += 3)); do print_cells cgroup "${CGROUP_COUNTS[@]:i:3}"; done
	for i in "${!FOUND_KIND[@]}"; do print_cells policy "${FOUND_KIND[i]}" "${FOUND_TARGET[i]}" "${FOUND_NAME[i]}" \
		"${FOUND_REMARK[i]}"; done
	for i in "${COUNTERS_SHOWN[@]}"; do if [[ -v STAT[$i] ]]; then print_cells "$i" "${STAT[$i]}"; fi; done
	list_problems
	at=("${REPLY_LIST[@]}")
	for i in "${at[@]}"; do
		finding_row "$i"
		print_cells problem "${REPLY_LIST[@]}"
	done
}

print_status_json() {
	local i parameters=() sockets=() counters=() cgroups='' policies='' problems='' parts=()
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do parameters+=("${OTHER_PARAMETERS[@]:i:2}"); done
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do sockets+=("${SOCKET_COUNTS[@]:i:2}"); done
	for i in "${COUNTERS_SHOWN[@]}"; do counters+=("$i" "${STAT[$i]-}"); done
	for ((i = 0; i < ${#CGROUP_COUNTS[@]}; i += 3)); do
		json_pairs cgroup:str "${CGROUP_COUNTS[i]}" cc:str "${CGROUP_COUNTS[i + 1]}" sockets "${CGROUP_COUNTS[i + 2]}"
		cgroups+="${cgroups:+,}{$REPLY}"
	done
	for i in "${!FOUND_KIND[@]}"; do
		json_pairs target:str "${FOUND_TARGET[i]}" kind:str "${FOUND_KIND[i]}" cc:str "${FOUND_NAME[i]}" remark:str \
			"${FOUND_REMARK[i]}"
		policies+="${policies:+,}{$REPLY}"
	done
	list_problems
	for i in "${REPLY_LIST[@]}"; do
		finding_row "$i"
		json_pairs check:str "${REPLY_LIST[0]}" state:str "${REPLY_LIST[1]}" text:str "${REPLY_LIST[2]}" command:str \
			"${REPLY_LIST[3]}" \
			advice:str "${REPLY_LIST[4]}" id:str "${REPLY_LIST[5]}"
		problems+="${problems:+,}{$REPLY}"
	done
	previous_default
	json_pairs loaded:bool "$BACKEND" version:str "$VERSION" version_on_disk:str "$ON_DISK" references "$REFERENCES"
	parts=(module:json "{$REPLY}")
	json_pairs "${parameters[@]}"
	parts+=(parameters:json "{$REPLY}")
	json_pairs "${sockets[@]}"
	REPLY="{$REPLY}"
	[[ $SOCKETS_KNOWN ]] || REPLY=null
	parts+=(sockets:json "$REPLY" cgroups:json "[$cgroups]" policies:json "[$policies]")
	json_pairs "${counters[@]}"
	print_json status backend:str "${BACKEND:-none}" default:str "$PRESENT" previous_default:str "$PREVIOUS" \
		counting:bool "$COUNTING" "${parts[@]}" counters:json "{$REPLY}" problems:json "[$problems]"
}

# status --counters

print_counters() {
	local name pairs=()
	read_stats || refuse_counters
	[[ ${STAT[schema]} == 1 ]] || note "note: the module writes schema ${STAT[schema]}, but this ndmctl reads schema 1"
	for name in "${STAT_NAMES[@]}"; do [[ $name == schema ]] || pairs+=("$name" "${STAT[$name]}"); done
	print_pairs status print_stats "${pairs[@]}"
}

refuse_counters() {
	is_bpf || die 1 'no counters: tcp_ndm is not loaded' 'sudo ndmctl load'
	((USER_ID == 0)) || die 4 'only root sees the counters of algorithms by BPF' "sudo ndmctl $COMMAND_LINE"
	read_mounts
	! is_bpffs_hidden || die 1 'the counters of the BPF programs cannot be read from here, as below ip netns exec' \
		"nsenter -t 1 -m ndmctl $COMMAND_LINE"
	die 1 'the counters of the BPF programs cannot be read, as without their names in /sys/fs/bpf' 'ndmctl load'
}

print_stats() { # NAME VALUE...
	while (($#)); do
		print_columns '%-18s %s' "$1" "$2"
		shift 2
	done
}

# status --netns: the defaults of network namespaces

status_of_netns() { # NS, a name or a PID, or all
	if [[ $1 == all ]]; then list_defaults; return; fi
	enter_named_netns
	current_default || die 1 "cannot enter ${NETNS_SHOWN:-this network namespace}, or it is none" \
		'ndmctl status --netns all'
	print_word status default "$REPLY"
}

list_defaults() {
	local id default own
	list_netns
	begin_table status namespaces 'id:num default:str pid:num command:str names:list own:BOOL' \
		'%-11s %-10s %8s %-16s %s' 'ID=id DEFAULT=default PID=pid COMMAND=command NAMES=names'
	for id in "${NETNS_LIST[@]}"; do
		netns_default "$id" || REPLY=''
		default=$REPLY own=''
		[[ $id != "$NETNS_OWN" ]] || own=yes
		read_value "$SYSTEM/proc/${NETNS_PID[$id]-}/comm" || :
		add_row "$id" "$default" "${NETNS_PID[$id]-}" "$REPLY" "${NETNS_NAMES[$id]-}" "$own"
	done
	end_table
	[[ $USER_ID == 0 ]] || note "note: only root sees those of other users' processes, and other defaults than your own:" \
		'sudo ndmctl status --netns all'
}
