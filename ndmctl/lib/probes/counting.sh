# SPDX-License-Identifier: GPL-2.0
# counting.sh: whether connections are counted, and what src/bpf/ndm_count.bpf.c has counted.

needs probes/cgroup probes/environment probes/objects probes/programs probes/records

TOTALS=()               # of each algorithm: its name, then TOTALS_FIELDS numbers, in the order of src/bpf/counts.h
TOTALS_FIELDS=0

read_counting() { # of the program that counts, by the record, PROGRAM and COUNTER_SUM; fails without
	PROGRAM='' COUNTER_SUM=''
	[[ -r $RECORDS/metrics ]] || return 1
	read -r PROGRAM COUNTER_SUM <"$RECORDS/metrics" || :
	[[ $PROGRAM =~ ^[0-9]+$ ]]
}

is_counter_outdated() { # after read_counting
	object_sum ndm_count
	[[ $COUNTER_SUM != "$REPLY" ]]
}

# Are connections counted, by the record, and for those who may ask by the kernel? Into REPLY: yes, outdated by a
# program of another version, lost when somebody has taken the program away, or nothing.
counting_state() {
	local state=yes
	REPLY=''
	read_counting || return 0
	! is_counter_outdated || state=outdated
	if ((USER_ID == 0)) && can_ask && read_mounts && [[ $CGROUP_ROOT ]] && find_bpftool &&
		list_attached "$CGROUP_ROOT" ndm_count; then
		[[ " ${REPLY_LIST[*]-} " == *" $PROGRAM "* && -e $PINS/count/prog ]] || state=lost
	fi
	REPLY=$state
}

is_counter_of_host() { # as is_own_program
	is_container && [[ -e $PINS/count ]] && ! { read_counting && is_pinned "$PINS/count/prog" "$PROGRAM"; }
}

is_counter_attached() { # its names may be gone, as when /sys/fs/bpf was mounted anew
	((USER_ID == 0)) && can_ask && [[ $CGROUP_ROOT ]] && find_bpftool && list_attached "$CGROUP_ROOT" ndm_count &&
		((${#REPLY_LIST[@]}))
}

# The totals into TOTALS; fails when there are none, or this user may not read them.
read_totals() {
	TOTALS=()
	read_layout && dump_maps names other || return 1
	TOTALS_FIELDS=$((LAYOUT[totals] / 8))
	mapfile -t TOTALS < <(printf %s "$REPLY" | add_up_rows "$BYTE_ORDER")
	((${#TOTALS[@]} % (TOTALS_FIELDS + 1) == 0))
}

dump_maps() { # NAME...: their JSON, a line each, into REPLY; the order of bytes into BYTE_ORDER
	local map text=''
	read_mounts
	find_bpftool || return 1
	for map; do [[ -r $PINS/count/ndm_count_$map ]] || return 1; done
	! are_pins_of_others || return 1    # what another user has pinned there is no total
	byte_order
	for map; do
		text+=$(LIMIT=20 tool "$BPFTOOL" -j map dump pinned "$PINS/count/ndm_count_$map" 2>/dev/null) || return 1
		text+=$'\n'
	done
	REPLY=$text
}

# JSON of the two maps, a line each: of each algorithm its name and the sums over the CPUs, a line each. An algorithm
# of the second map has no name, and is other; so is one whose name is none.
add_up_rows() { # little|big
	layout_file
	awk -v order="$1" -v fields="$TOTALS_FIELDS" "$BYTES_PARSER"'
		function name_of(text,    part) { bytes_of(text, part); return name_at(part, 0) }
		function add(name, text,    part, i) {
			if (bytes_of(text, part) != fields * 8) { strange = 1; return }    # of another version of the program
			for (i = 0; i < fields; i++) sum[name, i] += number_at(part, i * 8, 8)
		}
		{
			rows = split($0, row, /"key":/)
			for (r = 2; r <= rows; r++) {
				cpus = split(row[r], cpu, /"value":/)
				name = FNR == 1 ? name_of(cpu[1]) : "other"
				if (!(name in seen)) { seen[name] = 1; names[++count] = name }
				for (c = 2; c <= cpus; c++) add(name, substr(cpu[c], 1, index(cpu[c], "]")))
			}
		}
		END {
			if (strange) { print "strange"; exit }
			for (n = 1; n <= count; n++) {
				name = names[n]
				if (name == "other" && !sum[name, 0] && !sum[name, 1]) continue
				print name
				for (i = 0; i < fields; i++) printf "%.0f\n", sum[name, i]
			}
		}' "$REPLY" -
}
