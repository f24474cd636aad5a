# SPDX-License-Identifier: GPL-2.0
# metrics.sh: the command metrics. A family is a name, what it means, and its samples; a sample is one value with its
# labels.

needs probes/backend probes/boot probes/config probes/counting probes/differences probes/kernels probes/module
needs probes/objects probes/policies probes/sockets probes/state probes/stats checks/list

METRICS=()    # name, type, help, labels, value, suffix of the sample's name, ...

cmd_metrics() {
	local file='' text error
	if [[ -v OPT[--output] ]]; then
		require_output "${OPT[--output]}"
		file=$REPLY
	fi
	gather_metrics
	[[ $file ]] || { in_format print_metrics; return; }
	text=$(print_metrics_text)
	if [[ $DRY_RUN ]]; then would "replace $file"; return; fi
	error=$(replace_output "$file" "$text" 2>&1) || { shown "$file" 4096
		die 1 "cannot write $SHOWN: ${error##*: }" 'name a file in a directory of yours'; }
}

gather_metrics() { # into METRICS
	METRICS=()
	start_counting_sockets
	gather_state
	# Not of other network namespaces: these are for an ndmctl in there, and to look into them would need all rights of
	# root.
	gather_policies here
	run_checks quick
	read_counts
	state_metrics
	finding_metrics
	policy_metrics
	kernel_metrics
	! read_stats || counter_metrics
	if read_totals; then total_metrics; else note_no_totals; fi
}

note_no_totals() {
	if ! read_counting; then
		note_in_text 'note: what connections do is not counted, so these are the counters of the module;' \
			'sudo ndmctl config set METRICS yes'
	elif ((USER_ID)); then note_in_text 'note: only root sees what connections did; sudo ndmctl metrics'
	else
		note_in_text 'note: what connections did cannot be read, as after an upgrade; ndmctl load begins anew'
	fi
}

require_output() { # FILE of --output
	if [[ -v OPT[--json] || -v OPT[--plain] ]]; then
		die 2 '--output excludes --json and --plain: the file is for Prometheus' 'ndmctl metrics --json'; fi
	shown "$1" 4096
	[[ $1 && ! -d $1 ]] || die 2 "--output: '$SHOWN' is not the name of a file" \
		'ndmctl metrics --output /var/lib/prometheus/node-exporter/ndm-tcp.prom'
	# A file takes the place of what is there, so of a device, too, or of the link /dev/stdout.
	[[ (! -e $1 || -f $1) && $1 != /dev/std* ]] ||
		die 2 "--output: $SHOWN is no regular file, which this one could replace" 'ndmctl metrics >FILE'
	REPLY=$1
	[[ $1 == */* ]] || REPLY=./$1
	[[ -d ${REPLY%/*}/ ]] || die 1 "the directory of $SHOWN does not exist" 'create it, or name another file'
}

# SUFFIX is that of the sample's name, or empty. Of a label's value printable ASCII stays, with the escapes of the
# format.
add_metric() { # TYPE NAME SUFFIX HELP VALUE [LABEL VALUE]...
	local labels='' value
	local metric=("$2" "$1" "$4" "$5" "$3")
	shift 5
	while (($#)); do
		value=${2//[!\ -~]/?}
		value=${value//\\/\\\\}
		labels+="${labels:+,}$1=\"${value//\"/\\\"}\""
		shift 2
	done
	METRICS+=("${metric[@]:0:3}" "$labels" "${metric[@]:3}")
}

gauge() { add_metric gauge "$1" '' "${@:2}"; }    # NAME HELP VALUE [LABEL VALUE]...

counter() { add_metric counter "$1" '' "${@:2}"; }

whether() { # NAME HELP COMMAND...: 1 when it succeeds, else 0
	local value=0
	! "${@:3}" || value=1
	gauge "$1" "$2" "$value"
}

state_metrics() {
	local i
	read_state parameters/variant || :
	gauge ndm_tcp_info \
		'Always 1; the version that is loaded, or else installed, and what carries it: module, bpf or none.' \
		1 version "${VERSION:-$ON_DISK}" variant "$REPLY" kernel "$KERNEL" backend "${BACKEND:-none}"
	whether ndm_tcp_loaded 'Whether the algorithms are there, by the module or by BPF.' test "$BACKEND"
	gauge ndm_tcp_default 'Always 1; the default algorithm of this network namespace.' 1 cc "$PRESENT"
	whether ndm_tcp_config_valid 'Whether the configuration is valid, so that it can be applied.' read_config
	whether ndm_tcp_wanted 'Whether the configuration or a policy needs the algorithms.' are_ours_wanted
	whether ndm_tcp_enabled 'Whether ndm-tcp.service is enabled, which applies the configuration at boot.' is_enabled
	if read_config && [[ $BACKEND ]]; then
		begin_table '' '' ''
		add_differences
		gauge ndm_tcp_config_drift_items 'Values of the running system that differ from the configuration.' \
			"$(count_rows)"
	fi
	whether ndm_tcp_counting 'Whether connections are counted by algorithm (METRICS=yes).' read_counting
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do
		gauge ndm_tcp_connections 'TCP sockets with this algorithm in this network namespace.' \
			"${SOCKET_COUNTS[i + 1]}" cc "${SOCKET_COUNTS[i]}"
	done
}

are_ours_wanted() {
	local name
	configured_default
	for name in "$REPLY" "${WANTED_NAMES[@]}"; do ! is_ours "$name" || return 0; done
	has_policy_of_ours
}

finding_metrics() { # as status prints them
	local i state
	local -A count=([fail]=0 [warn]=0)
	list_problems
	for i in "${REPLY_LIST[@]}"; do
		state=${FINDINGS[i + 2]}
		count[$state]=$((count[$state] + 1))
	done
	for state in fail warn; do
		gauge ndm_tcp_problems 'What ndmctl status finds: failures and warnings.' "${count[$state]}" state "$state"
	done
}

policy_metrics() {
	local kind
	local -A count=([cgroup]=0 [unit]=0 [route]=0)
	for kind in "${FOUND_KIND[@]}"; do count[$kind]=$((count[$kind] + 1)); done
	for kind in cgroup unit route; do
		gauge ndm_tcp_policies 'Cgroups, units, and routes of this network namespace with an algorithm of their own.' \
			"${count[$kind]}" kind "$kind"
	done
	count_findings policy-lost
	gauge ndm_tcp_policies_lost \
		'Cgroups and routes that lost their policy: made again, removed, changed; for root, also detached.' "$REPLY"
}

kernel_metrics() { # those that can be booted, and the one that runs
	local kernel built=0 kernels
	list_kernels
	kernels=("${REPLY_LIST[@]}")
	[[ " ${kernels[*]-} " == *" $KERNEL "* ]] || kernels=("$KERNEL" "${kernels[@]}")
	for kernel in "${kernels[@]}"; do
		built=0
		! has_module_for "$kernel" || built=1
		gauge ndm_tcp_dkms_built 'Whether this installed kernel has the module.' "$built" kernel "$kernel"
	done
	gauge ndm_tcp_newest_kernel_built \
		'Whether the newest installed kernel, which the next boot usually takes, has the module.' "$built"
}

counter_metrics() { # of the algorithms, since they were loaded
	local verdict
	for verdict in "${VERDICTS[@]}"; do
		add_stat "loss_$verdict" ndm_tcp_loss_events_total 'Losses by what the module judged them as.' verdict "$verdict"
	done
	add_stat ecn_reductions ndm_tcp_ecn_reductions_total 'Reductions of cwnd because of ECN.'
	add_stat rtos ndm_tcp_timeouts_total 'Retransmission timeouts.'
	add_stat reductions ndm_tcp_reductions_total 'Reductions of cwnd, for any reason.'
	add_stat undos ndm_tcp_undos_total 'Reductions that were undone, since the packets were not lost.'
	add_stat acks ndm_tcp_acks_total 'ACKs that the module has seen.'
	entropy_metrics
}

add_stat() { # NAME-OF-STAT NAME HELP [LABEL VALUE]
	if [[ ${STAT[$1]-} =~ ^[0-9]+$ ]]; then counter "$2" "$3" "${STAT[$1]}" "${@:4}"; fi
}

# The module counts tenths, so the sum is of their middles, in twentieths.
entropy_metrics() {
	local bin count bounds=() counts=() twentieths=0
	for bin in {0..9}; do
		count=${STAT[entropy_$bin]-}
		[[ $count =~ ^[0-9]{1,15}$ ]] || return 0
		twentieths=$((twentieths + 10#$count * (2 * bin + 1))) counts+=("$((10#$count))")
		bounds+=("$((bin == 9)).$(((bin + 1) % 10))")
	done
	with_point $((twentieths * 5)) 2
	histogram ndm_tcp_entropy_ratio \
		'Normalised entropy of RTTs at each update; 1 is pure noise. The sum is of the middles of the buckets.' "$REPLY"
}

# With bounds, and counts, of which there may be one more than bounds: what is above all of them.
histogram() { # NAME HELP SUM [LABEL VALUE]
	local i total=0
	for i in "${!bounds[@]}"; do
		total=$((total + counts[i]))
		add_metric histogram "$1" _bucket "$2" "$total" "${@:4}" le "${bounds[i]}"
	done
	total=$((total + ${counts[i + 1]-0}))
	add_metric histogram "$1" _bucket "$2" "$total" "${@:4}" le +Inf
	add_metric histogram "$1" _sum "$2" "$3" "${@:4}"
	add_metric histogram "$1" _count "$2" "$total" "${@:4}"
}

# What connections of every algorithm did, in all network namespaces, since it is counted; the fields are those of
# src/bpf/counts.h.
total_metrics() {
	add_totals connections ndm_tcp_ended_connections_total 'Established connections that have ended.'
	add_totals acked_bytes ndm_tcp_acked_bytes_total 'Bytes that were sent and acknowledged.'
	add_totals sent_segments ndm_tcp_sent_segments_total 'Segments sent with data, those sent again included.'
	add_totals retransmitted_segments ndm_tcp_retransmitted_segments_total \
		'Segments that were sent again, those of the handshake included.'
	add_totals dsacks ndm_tcp_dsacks_total 'DSACKs received: segments that were sent again in vain.'
	add_totals reorderings ndm_tcp_reorderings_total 'How often segments were seen to arrive in another order.'
	total_histograms srtt_us srtt SRTT 6 ndm_tcp_srtt_seconds \
		'Smoothed RTT of connections that ended, and once a minute of long ones.'
	total_histograms rate rates RATE 0 ndm_tcp_delivery_bytes_per_second \
		'Latest rate of delivery of connections that ended, and once a minute of long ones.'
}

add_totals() { # FIELD NAME HELP
	local i at=$((${LAYOUT[totals.$1]} / 8 + 1))
	for ((i = 0; i < ${#TOTALS[@]}; i += TOTALS_FIELDS + 1)); do
		counter "$2" "$3" "${TOTALS[i + at]}" cc "${TOTALS[i]}"
	done
}

# One more bucket than bounds; each bound is a factor times the one before. Of all, DIGITS are behind the point.
total_histograms() { # SUM BUCKETS BOUNDS DIGITS NAME HELP; the first two are fields
	local i k bound bounds=() counts sum=$((${LAYOUT[totals.$1]} / 8 + 1)) buckets=$((${LAYOUT[totals.$2]} / 8 + 1))
	for ((k = 0, bound = LAYOUT[$3_FIRST]; k < LAYOUT[$3_BOUNDS]; k++, bound *= LAYOUT[$3_FACTOR])); do
		with_point "$bound" "$4"
		bounds+=("$REPLY")
	done
	for ((i = 0; i < ${#TOTALS[@]}; i += TOTALS_FIELDS + 1)); do
		counts=("${TOTALS[@]:i + buckets:k + 1}")
		with_point "${TOTALS[i + sum]}" "$4"
		histogram "$5" "$6" "$REPLY" cc "${TOTALS[i]}"
	done
}

with_point() { # NUMBER DIGITS behind the point, into REPLY
	REPLY=$1
	(($2 == 0)) || printf -v REPLY '%d.%0*d' $(($1 / 10 ** $2)) "$2" $(($1 % 10 ** $2))
}

print_metrics_text() {
	local i last=''
	for ((i = 0; i < ${#METRICS[@]}; i += 6)); do
		if [[ ${METRICS[i]} != "$last" ]]; then
			last=${METRICS[i]}
			print_line "# HELP $last ${METRICS[i + 2]}"
			print_line "# TYPE $last ${METRICS[i + 1]}"
		fi
		print_line "$last${METRICS[i + 5]}${METRICS[i + 3]:+{${METRICS[i + 3]}\}} ${METRICS[i + 4]}"
	done
}

print_metrics() {
	local i
	begin_table metrics metrics 'name:str labels:str value:num'
	for ((i = 0; i < ${#METRICS[@]}; i += 6)); do
		add_row "${METRICS[i]}${METRICS[i + 5]}" "${METRICS[@]:i + 3:2}"
	done
	end_table
}
