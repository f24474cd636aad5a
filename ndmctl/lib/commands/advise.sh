# SPDX-License-Identifier: GPL-2.0
# advise.sh: the command advise: what the open connections say about their paths, by verdict. bench measures whether
# it is true.

needs probes/sockets

LEAST_SEGMENTS=1000    # below it ten losses in a thousand segments may be chance

cmd_advise() {
	local text rows
	require_ss
	text=$(answered ss -tinOH) || refuse_ss
	rows=$(printf '%s\n' "$text" | judge_connections) || die 1 'awk failed on what ss prints' 'ss -tinOH shows it'
	if [[ ! $rows ]]; then note_in_text 'note: there is no connection to another host from here: ndmctl sockets'; fi
	begin_table advise verdicts \
		'verdict:str advice:str connections:num segments:num again_percent:num rtt_ms:num smallest_rtt_ms:num peer:str'
	in_format print_advice "$rows"
}

print_advice() { printf %s "$1${1:+$'\n'}" | render_table; }

# A row for each verdict, most segments first, as in the table of cmd_advise; RTTs and peer are those of the
# connection with most segments. Packets that overtake each other make both RTTs and losses look worse, so reordering
# is judged first. RTTs tell a queue from chance, but for a queue that is too short to be seen in them.
judge_connections() {
	awk -v least="$LEAST_SEGMENTS" "$SS_PARSER"'
		function address_of(place) {    # ADDRESS:PORT of ss
			sub(/:[0-9]+$/, "", place)
			gsub(/[][]/, "", place)
			sub(/^::[fF][fF][fF][fF]:/, "", place)
			return place
		}
		function judge(lost, shift, base,    queued) {
			queued = shift >= 2 && shift >= base / 2
			if (sent < least) return "too-few"
			if (number("reord_seen") * 1000 >= sent) return "reordering"
			if (number("dsack_dups") >= 5 && number("dsack_dups") * 10 >= again) return "reordering"
			if (queued && (lost >= 0.001 || (again && (" " info " ") !~ / app_limited /))) return "queue"
			if (lost < 0.001) return "calm"
			return shift < 2 || shift < base / 4 ? "random-loss" : "unclear"
		}
		$1 != "State" && NF >= 5 { line[++lines] = $0; own[address_of($4)] }
		END {
			for (i = 1; i <= lines; i++) {
				$0 = line[i]
				dissect()
				peer = address_of($5)
				# This host, and its link, do not count.
				if (cc == "" || peer in own || peer ~ /%|^::1?$|^[fF][eE]80|^(127|0|169\.254)\./) continue
				sent = number("data_segs_out") + 0; again = total("retrans")
				base = number("minrtt"); rtt = number("rtt")
				kind = judge(sent ? again / sent : 0, rtt == "" || base == "" ? 0 : rtt - base, base)
				connections[kind]++; segments[kind] += sent; repeated[kind] += again
				if (sent >= most[kind]) { most[kind] = sent; peer_of[kind] = peer; rtt_of[kind] = rtt; base_of[kind] = base }
			}
			advice["reordering"] = advice["random-loss"] = "ndm_v5"; advice["queue"] = "cubic"
			for (kind in connections)
				print kind, advice[kind], connections[kind], sprintf("%.0f", segments[kind]), \
					segments[kind] ? sprintf("%.2f", repeated[kind] * 100 / segments[kind]) : "", \
					rtt_of[kind], base_of[kind], peer_of[kind]
		}' | sort -t $'\t' -k4,4nr -k1,1
}

print_advice_text() { # ROWS
	local row cells text
	while IFS= read -r row; do
		[[ $row ]] || continue
		mapfile -t cells <<<"${row//$'\t'/$'\n'}"    # an empty cell stays one
		case ${cells[0]} in
		too-few) text="not enough data: fewer than $LEAST_SEGMENTS segments each" ;;
		calm) text='next to nothing is lost: there is nothing that another algorithm could mend' ;;
		queue) text='lost, and the RTT is well above its smallest: a queue is full, and Cubic is right to slow down' ;;
		unclear) text='lost, and the RTT says neither queue nor chance' ;;
		reordering) text='packets overtake each other; ndm_v5 waits for them' ;;
		random-loss)
			text='lost, and the RTT stays near its smallest: chance, or a queue too short to be seen; ndm_v5 keeps cwnd there' ;;
		esac
		print_row "${cells[0]}" "$text"
		print_row '' "${cells[2]} connections, ${cells[3]} segments, ${cells[4]:-0} % of them sent again"
		[[ ${cells[0]} == @(too-few|calm) ]] || print_row '' "measure: ndmctl bench iperf3://$(bracketed "${cells[7]}")"
	done < <(printf '%s\n' "$1")
}

bracketed() { if [[ $1 == *:* ]]; then printf '[%s]' "$1"; else printf %s "$1"; fi; }
