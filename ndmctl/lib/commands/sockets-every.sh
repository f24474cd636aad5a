# SPDX-License-Identifier: GPL-2.0
# sockets-every.sh: sockets --every: what the connections of each algorithm do, again and again.

needs probes/module probes/sockets probes/stats

# A frame is the difference of two answers of ss. What a connection did before the first one, or after the last one
# that has it, is in no frame.
watch_sockets() { # SECONDS
	local period=$1 times=${OPT[--count]-} before now before_us now_us losses_before losses rows
	refuse_json 'sockets --every' 'ndmctl metrics, or: ndmctl status --json'
	[[ $period =~ ^[0-9]{1,4}(\.[0-9]{1,2})?$ && $period == *[1-9]* ]] || { shown "$period"
	die 2 "'$SHOWN' is not a number of seconds" 'ndmctl sockets --every 2'; }
	[[ ${times:-1} =~ ^[1-9][0-9]{0,8}$ ]] || { shown "$times"
	die 2 "--count: '$SHOWN' is not a number of times" 'ndmctl sockets --every 2 --count 10'; }
	require_ss
	plain_without_terminal
	trap 'exit 0' INT
	now=$(answer_of_ss)
	now_us=$(clock_us)
	losses=$(judged_losses)
	while :; do
		before=$now before_us=$now_us losses_before=$losses
		sleep "$period"
		now=$(answer_of_ss)
		now_us=$(clock_us)
		losses=$(judged_losses)
		rows=$(printf '%s\nNOW\n%s\n' "$before" "$now" | rows_of_interval $((now_us - before_us)))
		in_format print_frame "$rows" "$(losses_between "$losses_before" "$losses")"
		((${times:-2} != 1)) || return 0
		times=${times:+$((times - 1))}
	done
}

answer_of_ss() { answered ss -tinOH || refuse_ss; }

clock_us() { # which nobody sets
	local seconds
	{ read -r seconds _ <"$SYSTEM/proc/uptime"; } 2>/dev/null ||
		die 1 "cannot read $SYSTEM/proc/uptime" "mount -t proc proc ${SYSTEM%/}/proc"
	printf '%d\n' $((10#${seconds/./} * 10000))
}

judged_losses() { # "VERDICT COUNT" of each verdict so far, a line each; nothing where the module does not count
	local name
	read_stats || return 0
	for name in "${STAT_NAMES[@]}"; do
		if [[ $name == loss_* && ${STAT[$name]} =~ ^[0-9]{1,18}$ ]]; then
			printf '%s %d\n' "${name#loss_}" $((10#${STAT[$name]})); fi
	done
}

# BEFORE AFTER, as judged_losses prints them: "noise 3, share 1", or none; nothing where the module does not count
losses_between() {
	local name count found=''
	local -A before=()
	[[ $2 ]] || return 0
	while read -r name count; do
		if [[ $name ]]; then before[$name]=$count; fi
	done <<<"$1"
	while read -r name count; do
		count=$((count - ${before[$name]:-0}))
		if ((count)); then found+="${found:+, }$name $count"; fi
	done <<<"$2"
	printf '%s\n' "${found:-none}"
}

# Rows of render_table: ALGORITHM CONNECTIONS MBIT/S RETRANSMITTED RTT-P50 RTT-P95. The third and fourth are those of
# the time between: goodput, and the share of all segments with data, percent. RTTs, in ms, are those of the
# connections that there are.
rows_of_interval() { # US between the two answers
	awk "$SS_PARSER"'
		$0 == "NOW" { later = 1; next }
		$1 == "State" || NF < 5 { next }
		{
			dissect()
			if (cc == "") next
			key = $4 " " $5
			bytes = number("bytes_acked") + 0; sent = number("data_segs_out") + 0; again = total("retrans")
			if (!later) { had_bytes[key] = bytes; had_sent[key] = sent; had_again[key] = again; next }
			if (!(key in had_bytes) || had_bytes[key] > bytes || had_sent[key] > sent || had_again[key] > again)
				had_bytes[key] = had_sent[key] = had_again[key] = 0    # a new connection, perhaps with the port of an old one
			print cc, "0", 1, bytes - had_bytes[key], sent - had_sent[key], again - had_again[key]
			if (number("rtt") != "") print cc, "1", number("rtt")
		}' | sort -k1,1 -k2,2 -k3,3n | awk -v us="$1" '
		function finish() {
			if (name == "") return
			printf "%s\t%d\t%.2f\t%.2f\t%s\t%s\n", name, count, us ? bytes * 8 / us : 0, sent ? again * 100 / sent : 0, \
				part(0.5), part(0.95)
		}
		function part(share) { return rtts ? sprintf("%.1f", rtt[int((rtts - 1) * share + 0.5)]) : "-" }
		$1 != name { finish(); name = $1; count = bytes = sent = again = rtts = 0 }
		$2 == 0 { count++; bytes += $4; sent += $5; again += $6 }
		$2 == 1 { rtt[rtts++] = $3 }
		END { finish() }'
}

print_frame_text() { # ROWS LOSSES
	local row cells
	current_default || REPLY=unknown
	emit '\e[H\e[J'
	print_row sockets "$(printf '%(%T)T' -1)    default $REPLY    ends with Ctrl-C"
	paint head "$(printf '%-12s %11s %10s %14s %9s %9s' algorithm connections Mbit/s 'retransmitted' 'RTT p50' p95)"
	emit '%s\n' "$REPLY"
	while IFS= read -r row; do
		IFS=$'\t' read -ra cells <<<"$row"
		if [[ $row ]]; then emit '%-12s %11s %10s %13s%% %6s ms %6s ms\n' "${cells[@]}"; fi
	done < <(printf '%s\n' "$1")
	if [[ $2 ]]; then print_row losses "$2"; fi
}

print_frame_plain() { # ROWS LOSSES: the rows alone, each after the time
	local row
	while IFS= read -r row; do
		if [[ $row ]]; then emit '%(%FT%T%z)T\t%s\n' -1 "$row"; fi
	done < <(printf '%s\n' "$1")
}
