# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# status.sh: the command status. Problems come last, each with the command to type.

CGROUPS_SHOWN=5
COUNTERS_SHOWN=(acks loss_noise loss_congestion loss_nodata undos)
COUNTING=''    # of counting_state
LOADED='' BACKEND='' VERSION='' ON_DISK='' KERNEL='' REFERENCES='' PRESENT=''
SOCKETS_KNOWN='' SOCKET_COUNTS=() CGROUP_COUNTS=() OTHER_PARAMETERS=()
PROBLEMS=()    # text, command, text, command, ...

cmd_status() {
	if [[ -v OPT[--short] && -v OPT[--check] ]]; then die 2 '--short and --check exclude each other' 'choose one of them'; fi
	if [[ -v OPT[--netns] ]]; then
		if [[ -v OPT[--short] || -v OPT[--check] ]]; then die 2 '--netns excludes --short and --check' 'ndmctl status --netns all'; fi
		if [[ ${OPT[--netns]} == all ]]; then cmd_netns_list; else cmd_default; fi
	elif [[ -v OPT[--check] ]]; then
		is_in_use || is_hidden || exit 3
	elif [[ -v OPT[--short] ]]; then
		short_status
		print_word status state "$REPLY"
	else
		gather_status
		find_problems
		in_format print_status
	fi
}

short_status() { # into REPLY
	current_default || :
	if ! is_in_use && ! is_hidden; then REPLY=absent
	elif is_ours "$REPLY"; then REPLY=default
	else REPLY=loaded; fi
}

gather_status() { gather_state gather_policies; }

# With MORE, what this function gathers as well. Connections are counted meanwhile, by other processes: 10,000 take as long as all else.
gather_state() { # [MORE]
	local counts
	exec {counts}< <(! count_sockets || echo known)
	gather_module "$@"
	read_counts <&"$counts"
	exec {counts}<&-
}

read_counts() { # those of count_sockets, then "known" if it did not fail
	local count cc cgroup
	while IFS=$'\t' read -r count cc cgroup; do
		if [[ $count == known ]]; then SOCKETS_KNOWN=yes
		elif [[ $cgroup ]]; then CGROUP_COUNTS+=("$cgroup" "$cc" "$count")
		else SOCKET_COUNTS+=("$cc" "$count"); fi
	done
}

gather_module() { # [MORE]
	module_version_on_disk
	ON_DISK=$REPLY
	kernel_release
	KERNEL=$REPLY
	current_default || :
	PRESENT=$REPLY
	read_record || :
	is_set_by_us "$PRESENT" "$SET_HERE" || PREVIOUS=''
	counting_state
	COUNTING=$REPLY
	"$@"
	backend_in_use
	BACKEND=$REPLY
	[[ $BACKEND ]] || return 0
	LOADED=yes
	read_state version || :
	VERSION=$REPLY
	read_state refcnt || :
	REFERENCES=$REPLY
	list_parameters
	! read_stats || add_up_congestion
}

list_parameters() { # those that differ from their defaults
	local key
	for key in "${KEY_NAMES[@]}"; do
		if ! is_parameter "$key" || ! read_state "parameters/${key,,}"; then continue; fi
		[[ $REPLY == "${KEY_DEFAULT[$key]}" ]] || OTHER_PARAMETERS+=("${key,,}" "$REPLY" "${KEY_DEFAULT[$key]}")
	done
}

find_policy_problems() {
	local i name
	for i in "${!FOUND_KIND[@]}"; do
		name=${FOUND_NAME[i]}
		shown "${FOUND_TARGET[i]}"
		[[ $name == '?' ]] || is_registered "$name" || {
			module_of "$name"
			PROBLEMS+=("the policy of ${FOUND_KIND[i]} $SHOWN has no effect: $name is not registered" "modprobe $REPLY")
		}
		case ${FOUND_KIND[i]}/${FOUND_STATE[i]} in
		cgroup/lost) PROBLEMS+=("the cgroup $SHOWN lost its policy: it was created again, or somebody has detached the program" "${FOUND_CURE[i]}") ;;
		route/lost) PROBLEMS+=('a route no longer has the algorithm that ndmctl gave it: it was created again, changed or removed; route clear forgets that' "${FOUND_CURE[i]}") ;;
		esac
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
	find_backend_problem
	if [[ $BACKEND == bpf ]] || { [[ ! $LOADED ]] && is_hidden; }; then :
	elif [[ ! $LOADED ]] && is_container; then PROBLEMS+=('the host has not loaded tcp_ndm' 'on the host: ndmctl load')
	elif [[ ! $LOADED ]] && would_take_bpf; then PROBLEMS+=('the algorithms are not loaded; BPF would carry them' 'ndmctl load')
	elif [[ ! $LOADED && ${CONF_VALUE[BACKEND]-} == bpf ]]; then PROBLEMS+=("the algorithms are not loaded, and BPF cannot carry them: $CAUSE" "$HINT")
	elif [[ ! $LOADED ]] && find_obstacle tcp_ndm; then PROBLEMS+=("tcp_ndm is not loaded: $CAUSE" "$HINT")
	elif [[ ! $LOADED && $ON_DISK ]] && only_signed_load && ! is_signed; then PROBLEMS+=('tcp_ndm is not loaded, and only signed modules load here' 'ndmctl doctor')
	elif [[ ! $LOADED && $ON_DISK ]]; then PROBLEMS+=('tcp_ndm is not loaded' 'ndmctl load')
	elif [[ ! $LOADED ]]; then
		explain_unbuilt "$KERNEL"
		PROBLEMS+=("tcp_ndm is not available for kernel $KERNEL: $CAUSE" "$HINT")
	elif [[ $ON_DISK && $ON_DISK != "$VERSION" ]]; then
		PROBLEMS+=("version $VERSION is loaded, $ON_DISK is installed; unload and load it, or reboot" "$(reload_command "$wanted")")
	fi
	if [[ $wanted && $wanted != "$PRESENT" ]] && { [[ $LOADED ]] || ! is_ours "$wanted"; }; then
		PROBLEMS+=("the configuration says $wanted, the default is $PRESENT" 'ndmctl reload')
	fi
	find_policy_problems
	if [[ $COUNTING == lost ]]; then PROBLEMS+=('connections are no longer counted: somebody has detached the program' 'ndmctl metrics --enable')
	elif [[ $COUNTING == outdated ]]; then PROBLEMS+=('connections are counted by a program of another version' 'ndmctl metrics --enable')
	elif [[ ! $COUNTING && ${CONF_VALUE[METRICS]} == yes ]]; then PROBLEMS+=('the configuration says METRICS=yes, but connections are not counted' 'ndmctl reload'); fi
	if [[ $wanted ]]; then lasts "$wanted" || PROBLEMS+=('the configured default is not applied at boot' "$REPLY"); fi
}

find_backend_problem() { # one that is in use, and is not what the configuration wants, or not complete
	local wanted=${CONF_VALUE[BACKEND]-auto}
	! is_container || return 0
	if [[ $BACKEND == bpf ]]; then
		read_mounts
		if [[ $wanted == module ]]; then PROBLEMS+=('the configuration says BACKEND=module, and the algorithms are registered by BPF' "$(switch_command; printf '%s' "$REPLY")")
		elif ((USER_ID == 0)) && ! is_bpf_complete; then PROBLEMS+=('not all of the algorithms by BPF are there, as after a load that was cut off' 'ndmctl load')
		elif is_bpf_outdated; then PROBLEMS+=("the algorithms are BPF programs of another version${VERSION:+, $VERSION}" 'ndmctl service upgrade'); fi
	elif [[ $BACKEND == module && $wanted == bpf ]]; then PROBLEMS+=('the configuration says BACKEND=bpf, and the module is loaded' "$(switch_command; printf '%s' "$REPLY")"); fi
}

describe_module() { # into REPLY
	if [[ $BACKEND == bpf ]]; then
		read_value "$BPF_STATE/refused" || :
		REPLY="none: BPF programs of version ${VERSION:-unknown} stand for it; $WITHOUT_RACK${REPLY:+; this kernel does not take ${REPLY// /, }}"
	elif [[ $LOADED ]]; then REPLY="tcp_ndm $VERSION, loaded, ${REFERENCES:-?} references"
	elif is_hidden; then REPLY='tcp_ndm, loaded; what /sys/module says of it is hidden here'
	elif [[ $ON_DISK ]]; then REPLY="tcp_ndm $ON_DISK, not loaded"
	else REPLY="tcp_ndm, not installed for kernel $KERNEL"; fi
}

describe_default() { # into REPLY
	local more=''
	if [[ $PRESENT == ndm ]] && read_state parameters/variant; then more="variant $REPLY"; fi
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
	if [[ $LOADED ]]; then print_row parameters "${text:-all at their defaults}"; fi
	print_policies
	text=''
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do
		text+="${text:+, }${SOCKET_COUNTS[i + 1]} ${SOCKET_COUNTS[i]}"
		total=$((total + SOCKET_COUNTS[i + 1]))
	done
	if [[ $SOCKETS_KNOWN ]]; then print_row sockets "${text:-none}    ($total TCP in this network namespace)"
	else print_row sockets 'unknown: ss is missing, or the kernel does not answer it    (ndmctl sockets)'; fi
	print_cgroup_counts
	if [[ $COUNTING ]]; then print_row counting "what connections did, by algorithm    ($COUNTING; ndmctl metrics)"; fi
	if [[ ${STAT[schema]-} ]]; then print_row 'since load' "acks ${STAT[acks]-?}, losses judged noise ${STAT[loss_noise]-?}, congestion ${STAT[loss_congestion]-?}, no data ${STAT[loss_nodata]-?}, undos ${STAT[undos]-?}"; fi
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
	((${#order[@]} <= CGROUPS_SHOWN)) || print_row '' "and in $((${#order[@]} - CGROUPS_SHOWN)) more cgroups    (ndmctl status --plain)"
}

print_problems() {
	local i name='problems'
	for ((i = 0; i < ${#PROBLEMS[@]}; i += 2)); do
		print_row "$name" "${PROBLEMS[i]}    (${PROBLEMS[i + 1]})" care
		name=''
	done
	((${#PROBLEMS[@]})) || print_row problems none
}

print_status_plain() {
	local i loaded=no
	if [[ $LOADED ]]; then loaded=yes; fi
	print_pairs_plain loaded "$loaded" backend "$BACKEND" version "$VERSION" version_on_disk "$ON_DISK" references "$REFERENCES" \
		default "$PRESENT" previous_default "$PREVIOUS" counting "$COUNTING"
	for ((i = 0; i < ${#OTHER_PARAMETERS[@]}; i += 3)); do print_cells "parameter.${OTHER_PARAMETERS[i]}" "${OTHER_PARAMETERS[i + 1]}"; done
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do print_cells "sockets.${SOCKET_COUNTS[i]}" "${SOCKET_COUNTS[i + 1]}"; done
	for ((i = 0; i < ${#CGROUP_COUNTS[@]}; i += 3)); do print_cells cgroup "${CGROUP_COUNTS[@]:i:3}"; done
	for i in "${!FOUND_KIND[@]}"; do print_cells policy "${FOUND_KIND[i]}" "${FOUND_TARGET[i]}" "${FOUND_NAME[i]}" "${FOUND_REMARK[i]}"; done
	for i in "${COUNTERS_SHOWN[@]}"; do if [[ -v STAT[$i] ]]; then print_cells "$i" "${STAT[$i]}"; fi; done
	for ((i = 0; i < ${#PROBLEMS[@]}; i += 2)); do print_cells problem "${PROBLEMS[@]:i:2}"; done
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
		json_pairs target:str "${FOUND_TARGET[i]}" kind:str "${FOUND_KIND[i]}" cc:str "${FOUND_NAME[i]}" remark:str "${FOUND_REMARK[i]}"
		policies+="${policies:+,}{$REPLY}"
	done
	for ((i = 0; i < ${#PROBLEMS[@]}; i += 2)); do
		json_pairs text:str "${PROBLEMS[i]}" command:str "${PROBLEMS[i + 1]}"
		problems+="${problems:+,}{$REPLY}"
	done
	json_pairs loaded:bool "$LOADED" version:str "$VERSION" version_on_disk:str "$ON_DISK" references "$REFERENCES"
	parts=(module:json "{$REPLY}")
	json_pairs "${parameters[@]}"
	parts+=(parameters:json "{$REPLY}")
	json_pairs "${sockets[@]}"
	REPLY="{$REPLY}"
	[[ $SOCKETS_KNOWN ]] || REPLY=null
	parts+=(sockets:json "$REPLY" cgroups:json "[$cgroups]" policies:json "[$policies]")
	json_pairs "${counters[@]}"
	print_json status backend:str "$BACKEND" default:str "$PRESENT" previous_default:str "$PREVIOUS" counting:str "$COUNTING" "${parts[@]}" counters:json "{$REPLY}" problems:json "[$problems]"
}
