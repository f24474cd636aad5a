# SPDX-License-Identifier: GPL-2.0
# stats.sh: the counters of this network namespace: /proc/net/tcp_ndm of the module, or the maps of the BPF programs.

needs probes/backend probes/cgroup probes/netns probes/objects probes/sockets

STAT_NAMES=()
declare -gA STAT=()

read_stats() { # into STAT and STAT_NAMES; fails when nobody offers them, or this user may not read them
	local name value file=$SYSTEM/proc/net/tcp_ndm
	STAT_NAMES=() STAT=()
	while read -r name value; do
		[[ $name =~ ^[a-z0-9_]+$ ]] || continue
		STAT_NAMES+=("$name")
		STAT[$name]=$value
	done < <(if [[ -f $file && -r $file ]]; then cat "$file"; elif is_bpf; then print_bpf_stats; fi)
	[[ -v STAT[schema] ]]
}

print_bpf_stats() { # lines as those of /proc/net/tcp_ndm
	local name json='' netns key=() found='' i
	read_mounts
	find_bpftool && ! are_pins_of_others && netns_id "$SYSTEM/proc/self/ns/net" || return 1
	netns=$REPLY
	byte_order
	for i in 0 8 16 24; do
		if [[ $BYTE_ORDER == little ]]; then key+=($((netns >> i & 255))); else key=($((netns >> i & 255)) "${key[@]}"); fi
	done
	for name in "${OURS[@]}"; do
		[[ -r $PINS/algorithms/$name/counters ]] || continue
		found=yes
		# none yet
		json+=$(LIMIT=20 tool "$BPFTOOL" -j map lookup pinned "$PINS/algorithms/$name/counters" key "${key[@]}" \
			2>/dev/null)$'\n' || :
	done
	[[ $found ]] || return 1
	printf 'schema 1\n'
	for name in version parameters/variant; do
		read_state "$name" || :
		printf '%s %s\n' "${name#*/}" "$REPLY"
	done
	layout_file
	printf '%s\n' "$json" | add_up_counters "$REPLY" "$BYTE_ORDER" "$netns"
}

# JSON of the maps, a line each: the sums over algorithms and CPUs, by the names of /proc/net/tcp_ndm. A connection
# may begin on one CPU and end on another, so what a CPU has counted may be negative.
add_up_counters() { # LAYOUT little|big NETNS
	awk -v order="$2" -v netns="$3" "$BYTES_PARSER"'
		{
			rows = split($0, row, /"key":/)
			for (r = 2; r <= rows; r++) {
				cpus = split(row[r], cpu, /"value":/)
				if (bytes_of(substr(cpu[1], 1, index(cpu[1], "]")), key) != 4 || number_at(key, 0, 4) != netns) continue
				for (c = 2; c <= cpus; c++) {
					bytes_of(substr(cpu[c], 1, index(cpu[c], "]")), part)
					for (name in at) if (name ~ /^counter\./) sum[at[name]] += number_at(part, at[name], 8, 1)
				}
			}
		}
		END {
			for (name in at) if (name ~ /^counter\./) { name_of[at[name]] = substr(name, 9); count++ }
			for (i = 0; i < count; i++) printf "%s %.0f\n", name_of[i * 8], sum[i * 8]
		}' "$1" -
}

add_up_congestion() { # loss_congestion becomes the sum of all losses judged as congestion, for any reason
	local name sum=0
	for name in "${VERDICTS[@]}"; do
		if [[ $name != @(nodata|noise) && ${STAT[loss_$name]-} =~ ^[0-9]{1,18}$ ]]; then
			sum=$((sum + 10#${STAT[loss_$name]}))
		fi
	done
	STAT[loss_congestion]=$sum
}
