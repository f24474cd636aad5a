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
	if [[ -v OPT[--json] || -v OPT[--plain] ]]; then die 2 \
		'--output excludes --json and --plain: the file is for Prometheus' 'ndmctl metrics --json'; fi
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

add_metric() { # NAME TYPE HELP LABELS VALUE [SUFFIX]
	METRICS+=("${@:1:5}" "${6-}")
}

add_label() { # NAME VALUE into LABELS; printable ASCII only, with the three escapes of the format
	local value=${2//[!\ -~]/?}
	value=${value//\\/\\\\}
	LABELS+="${LABELS:+,}$1=\"${value//\"/\\\"}\""
}

yes_or_no() { if [[ $1 ]]; then REPLY=1; else REPLY=0; fi; }

state_metrics() {
	local LABELS='' wanted='' valid=yes i
	read_state parameters/variant || :
	add_label version "${VERSION:-$ON_DISK}"
	add_label variant "$REPLY"
	add_label kernel "$KERNEL"
	add_label backend "${BACKEND:-none}"
	add_metric ndm_tcp_info gauge \
		'Always 1; the version that is loaded, or else installed, and what carries it: module, bpf or none.' "$LABELS" 1
	yes_or_no "$BACKEND"
	add_metric ndm_tcp_loaded gauge 'Whether the algorithms are there, by the module or by BPF.' '' "$REPLY"
	LABELS=''
	add_label cc "$PRESENT"
	add_metric ndm_tcp_default gauge 'Always 1; the default algorithm of this network namespace.' "$LABELS" 1
	count_findings config-invalid
	((REPLY == 0)) || valid=''
	yes_or_no "$valid"
	add_metric ndm_tcp_config_valid gauge 'Whether the configuration is valid, so that it can be applied.' '' "$REPLY"
	configured_default
	for REPLY in "$REPLY" "${WANTED_NAMES[@]}"; do ! is_ours "$REPLY" || wanted=yes; done
	! has_policy_of_ours || wanted=yes
	yes_or_no "$wanted"
	add_metric ndm_tcp_wanted gauge 'Whether the configuration or a policy needs the algorithms.' '' "$REPLY"
	if is_enabled; then REPLY=1; else REPLY=0; fi
	add_metric ndm_tcp_enabled gauge 'Whether ndm-tcp.service is enabled, which applies the configuration at boot.' '' \
		"$REPLY"
	if [[ $valid && $BACKEND ]]; then
		begin_table '' '' ''
		add_differences
		add_metric ndm_tcp_config_drift_items gauge 'Values of the running system that differ from the configuration.' '' \
			"$(count_rows)"
	fi
	if read_counting; then REPLY=1; else REPLY=0; fi
	add_metric ndm_tcp_counting gauge 'Whether connections are counted by algorithm (METRICS=yes).' '' "$REPLY"
	for ((i = 0; i < ${#SOCKET_COUNTS[@]}; i += 2)); do
		LABELS=''
		add_label cc "${SOCKET_COUNTS[i]}"
		add_metric ndm_tcp_connections gauge 'TCP sockets with this algorithm in this network namespace.' "$LABELS" \
			"${SOCKET_COUNTS[i + 1]}"
	done
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
		add_metric ndm_tcp_problems gauge 'What ndmctl status finds: failures and warnings.' "state=\"$state\"" \
			"${count[$state]}"
	done
}

policy_metrics() {
	local kind
	local -A count=([cgroup]=0 [unit]=0 [route]=0)
	for kind in "${FOUND_KIND[@]}"; do count[$kind]=$((count[$kind] + 1)); done
	for kind in cgroup unit route; do
		add_metric ndm_tcp_policies gauge \
			'Cgroups, units, and routes of this network namespace with an algorithm of their own.' "kind=\"$kind\"" \
			"${count[$kind]}"
	done
	count_findings policy-lost
	add_metric ndm_tcp_policies_lost gauge \
		'Cgroups and routes that lost their policy: made again, removed, changed; for root, also detached.' '' "$REPLY"
}

kernel_metrics() { # those that can be booted, and the one that runs
	local kernel LABELS built=0 kernels
	list_kernels
	kernels=("${REPLY_LIST[@]}")
	[[ " ${kernels[*]-} " == *" $KERNEL "* ]] || kernels=("$KERNEL" "${kernels[@]}")
	for kernel in "${kernels[@]}"; do
		LABELS='' built=0
		! has_module_for "$kernel" || built=1
		add_label kernel "$kernel"
		add_metric ndm_tcp_dkms_built gauge 'Whether this installed kernel has the module.' "$LABELS" "$built"
	done
	add_metric ndm_tcp_newest_kernel_built gauge \
		'Whether the newest installed kernel, which the next boot usually takes, has the module.' '' "$built"
}

counter_metrics() { # of the algorithms, since they were loaded
	local verdict
	for verdict in "${VERDICTS[@]}"; do
		add_counter "loss_$verdict" ndm_tcp_loss_events_total 'Losses by what the module judged them as.' \
			"verdict=\"$verdict\""
	done
	add_counter ecn_reductions ndm_tcp_ecn_reductions_total 'Reductions of cwnd because of ECN.' ''
	add_counter rtos ndm_tcp_timeouts_total 'Retransmission timeouts.' ''
	add_counter reductions ndm_tcp_reductions_total 'Reductions of cwnd, for any reason.' ''
	add_counter undos ndm_tcp_undos_total 'Reductions that were undone, since the packets were not lost.' ''
	add_counter acks ndm_tcp_acks_total 'ACKs that the module has seen.' ''
	entropy_metrics
}

add_counter() { # NAME-OF-STAT NAME HELP LABELS
	if [[ ${STAT[$1]-} =~ ^[0-9]+$ ]]; then add_metric "$2" counter "$3" "$4" "${STAT[$1]}"; fi
}

# The module counts tenths, so the sum is of their middles, in twentieths.
entropy_metrics() {
	local bin count total=0 twentieths=0 limit \
		help='Normalised entropy of RTTs at each update; 1 is pure noise. The sum is of the middles of the buckets.'
	for bin in {0..9}; do
		count=${STAT[entropy_$bin]-}
		[[ $count =~ ^[0-9]{1,15}$ ]] || return 0
		total=$((total + 10#$count)) twentieths=$((twentieths + 10#$count * (2 * bin + 1)))
		limit=0.$((bin + 1))
		((bin < 9)) || limit=1.0
		add_metric ndm_tcp_entropy_ratio histogram "$help" "le=\"$limit\"" "$total" _bucket
	done
	add_metric ndm_tcp_entropy_ratio histogram "$help" 'le="+Inf"' "$total" _bucket
	add_metric ndm_tcp_entropy_ratio histogram "$help" '' "$((twentieths / 20)).$(printf %02d $((twentieths % 20 * 5)))" \
		_sum
	add_metric ndm_tcp_entropy_ratio histogram "$help" '' "$total" _count
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
	local i LABELS at=$((${LAYOUT[totals.$1]} / 8 + 1))
	for ((i = 0; i < ${#TOTALS[@]}; i += TOTALS_FIELDS + 1)); do
		LABELS=''
		add_label cc "${TOTALS[i]}"
		add_metric "$2" counter "$3" "$LABELS" "${TOTALS[i + at]}"
	done
}

# One more bucket than bounds; each bound is a factor times the one before. Of all, DIGITS are behind the point.
total_histograms() { # SUM BUCKETS BOUNDS DIGITS NAME HELP; the first two are fields
	local i k LABELS own bound count sum=$((${LAYOUT[totals.$1]} / 8 + 1)) buckets=$((${LAYOUT[totals.$2]} / 8 + 1))
	local bounds=${LAYOUT[$3_BOUNDS]} factor=${LAYOUT[$3_FACTOR]}
	for ((i = 0; i < ${#TOTALS[@]}; i += TOTALS_FIELDS + 1)); do
		LABELS='' bound=${LAYOUT[$3_FIRST]} count=0
		add_label cc "${TOTALS[i]}"
		own=$LABELS
		for ((k = 0; k < bounds; k++, bound *= factor)); do
			count=$((count + TOTALS[i + buckets + k]))
			with_point "$bound" "$4"
			add_metric "$5" histogram "$6" "$own,le=\"$REPLY\"" "$count" _bucket
		done
		count=$((count + TOTALS[i + buckets + bounds]))
		add_metric "$5" histogram "$6" "$own,le=\"+Inf\"" "$count" _bucket
		with_point "${TOTALS[i + sum]}" "$4"
		add_metric "$5" histogram "$6" "$own" "$REPLY" _sum
		add_metric "$5" histogram "$6" "$own" "$count" _count
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
