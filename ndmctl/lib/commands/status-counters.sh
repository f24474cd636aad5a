# SPDX-License-Identifier: GPL-2.0
# status-counters.sh: status --counters.

needs probes/backend probes/cgroup probes/stats

print_counters() {
	read_stats || refuse_counters
	[[ ${STAT[schema]} == 1 ]] || note "note: the module writes schema ${STAT[schema]}, but this ndmctl reads schema 1"
	in_format print_stats
}

refuse_counters() {
	is_bpf || die 1 'no counters: tcp_ndm is not loaded' 'sudo ndmctl load'
	((USER_ID == 0)) || die 4 'only root sees the counters of algorithms by BPF' "sudo ndmctl $COMMAND_LINE"
	read_mounts
	! is_bpffs_hidden || die 1 'the counters of the BPF programs cannot be read from here, as below ip netns exec' \
		"nsenter -t 1 -m ndmctl $COMMAND_LINE"
	die 1 'the counters of the BPF programs cannot be read, as without their names in /sys/fs/bpf' 'ndmctl load'
}

print_stats_json() {
	local name pairs=()
	for name in "${STAT_NAMES[@]}"; do
		[[ $name != schema ]] || continue
		pairs+=("$name" "${STAT[$name]}")
	done
	print_json status "${pairs[@]}"
}

print_stats_plain() {
	local name
	for name in "${STAT_NAMES[@]}"; do print_cells "$name" "${STAT[$name]}"; done
}

print_stats_text() {
	local name
	for name in "${STAT_NAMES[@]}"; do print_columns '%-18s %s' "$name" "${STAT[$name]}"; done
}
