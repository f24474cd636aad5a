# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# advise.sh: the command advise: what the open connections to a network, and those that ndm_count saw end, say about the path to it. It
# changes nothing.

needs probes/counting probes/sockets

LEAST_SEGMENTS=1000    # below it ten losses in a thousand segments may be chance

cmd_advise() { # [DESTINATION]
	local only='' text rows
	require_ss
	if (($#)); then
		only=$(rows_of_networks <<<"ESTAB 0 0 [::1]:1 $(bracketed "${1%/*}"):1 x rto:1" | cut -f 1)
		[[ $only && $1 =~ ^[0-9a-fA-F.:]+(/([0-9]{1,3}))?$ && ! ${BASH_REMATCH[2]:-128} -lt ${only#*/} ]] ||
			{ shown "$1"; die 2 "'$SHOWN' is not the address of another host, or its network" "ndmctl advise 192.0.2.7; networks are /$NETWORK4_BITS, or /$NETWORK6_BITS for IPv6"; }
	fi
	text=$(tool ss -tinOH 2>/dev/null | answered) || refuse_ss
	if ! read_paths; then
		REPLY=''
		if read_counting && ((USER_ID)); then note_in_text 'note: these are the open connections; those that ended are for root: sudo ndmctl advise'
		else note_in_text 'note: these are the open connections; ndmctl metrics --enable remembers those that end, too'; fi
	fi
	rows=$(printf '%s\n' "$text" "$REPLY" | rows_of_networks "$only") || die 1 'awk failed on what ss prints' 'ss -tinOH shows it'
	if [[ ! $rows ]]; then note_in_text "note: there is no connection to ${only:-another host} from here: ndmctl sockets"; fi
	begin_table advise networks 'network:str verdict:str advice:str connections:num segments:num retransmitted_percent:num reordering_events:num unneeded_percent:num rtt_ms:num smallest_rtt_ms:num rttvar_ms:num mbit_per_s:num used:list send_buffer_percent:num receive_window_percent:num waiting:num timestamps:num peer:str local:str ended:num'
	in_format print_advice "$rows" "$only"
}

bracketed() { if [[ $1 == *:* ]]; then printf '[%s]' "$1"; else printf %s "$1"; fi; }

print_advice_json() { printf %s "$1${1:+$'\n'}" | render_table; }
print_advice_plain() { print_advice_json "$1"; }

# [NETWORK]: a row for each network that connections lead to, as in the table of cmd_advise, most segments first. Reads what ss prints, and the
# lines of read_paths.
#
# The figures of a network are those of all its connections together; RTTs are weighted by their segments. RTTs tell a queue from chance,
# but for a queue that is too short to be seen in them. Packets that overtake each other make both RTTs and losses look worse, so reordering
# is judged first. A connection that has ended was mostly short: what it saw as its smallest RTT may have been a queue, too, so where most
# segments are of such ones, losses are not called chance while the RTT is well above the smallest that any of them saw.
rows_of_networks() {
	awk -v only="${1-}" -v least="$LEAST_SEGMENTS" "$SS_PARSER$NETWORK_PARSER"'
		function address_of(place) {    # ADDRESS:PORT of ss
			sub(/:[0-9]+$/, "", place)
			gsub(/[][]/, "", place)
			sub(/^::[fF][fF][fF][fF]:/, "", place)
			return place
		}
		function network_of(peer,    at, left, right, count, i, j, part, group, more) {
			if (peer ~ /^[0-9]+\.[0-9]+\.[0-9]+\.[0-9]+$/) {
				if (peer ~ /^(127|0|169\.254)\./) return ""
				split(peer, group, ".")
				return network4(group[1], group[2], group[3])
			}
			if (peer !~ /:.*:/ || peer ~ /%|^::1?$|^[fF][eE]80/) return ""
			at = index(peer, "::")
			left = at ? substr(peer, 1, at - 1) : peer
			right = at ? substr(peer, at + 2) : ""
			count = split(left, group, ":")
			for (i = count + 1; i <= 8 - split(right, more, ":"); i++) group[i] = 0
			for (j = 1; i <= 8; i++) group[i] = more[j++]
			for (i = 1; i <= 3; i++) {
				part = tolower(group[i])
				sub(/^0+/, "", part)
				group[i] = part == "" ? "0" : part
			}
			return network6(group[1], group[2], group[3])
		}
		function whole(count) { return sprintf("%.0f", count) }    # mawk prints 3e+09 otherwise
		function percent(part, all) { return all ? sprintf("%.2f", part * 100 / all) : "" }
		function add(    net, sent, address, least_rtt) {    # the connection in $0
			dissect()
			address = address_of($5)
			if (cc == "" || address in own) return    # this host, by an address of its own
			net = network_of(address)
			if (net == "" || (only != "" && net != only)) return
			sent = number("data_segs_out") + 0
			connections[net]++; segments[net] += sent; open[net] += sent
			again[net] += total("retrans"); events[net] += number("reord_seen"); unneeded[net] += number("dsack_dups")
			busy[net] += number("busy"); by_buffer[net] += number("sndbuf_limited"); by_window[net] += number("rwnd_limited")
			if ((" " info " ") ~ / app_limited /) waiting[net]++
			if ($0 ~ (" ts( [a-z_]+)* " cc " ")) stamped[net]++
			if (!((net, cc) in users)) names[net] = names[net] (names[net] == "" ? "" : "/") cc
			users[net, cc]++
			if (sent >= most[net]) { most[net] = sent; peer[net] = address; from[net] = address_of($4) }
			if (match(info, / delivery_rate [0-9]+bps/)) rate[net] += substr(info, RSTART + 15) / 1000000
			least_rtt = number("minrtt")
			if (number("rtt") == "" || least_rtt == "" || !sent) return
			weight[net] += sent; rtt[net] += sent * number("rtt"); floor[net] += sent * least_rtt
			if (!(net in smallest) || least_rtt < smallest[net]) smallest[net] = least_rtt
			variation[net] += sent * total("rtt")
		}
		function add_ended(    net, smallest_ms) {    # as read_paths has it in $0
			net = $2
			if (only != "" && net != only) return
			ended[net] += $4; segments[net] += $5; again[net] += $6; events[net] += $7; unneeded[net] += $8
			connections[net] += 0
			if (!((net, $3) in users)) names[net] = names[net] (names[net] == "" ? "" : "/") $3
			users[net, $3]++
			weight[net] += $9; rtt[net] += $10 / 1000; variation[net] += $11 / 1000; floor[net] += $12 / 1000
			smallest_ms = $13 / 1000
			if (smallest_ms && (!(net in smallest) || smallest_ms < smallest[net])) smallest[net] = smallest_ms
		}
		$1 == "COUNTED" { row[++rows] = $0; next }
		$1 != "State" && NF >= 5 { row[++rows] = $0; own[address_of($4)] }
		END {
			for (i = 1; i <= rows; i++) {
				$0 = row[i]
				if ($1 == "COUNTED") add_ended()
				else add()
			}
			for (net in connections) {
				lost = segments[net] ? again[net] / segments[net] : 0
				mean = weight[net] ? rtt[net] / weight[net] : 0
				shift = weight[net] ? mean - floor[net] / weight[net] : 0
				base = mean - shift
				queued = shift >= 2 && shift >= base / 2
				most_open = open[net] * 2 >= segments[net]
				bulk = again[net] > 0 && connections[net] && most_open && waiting[net] * 2 <= connections[net]    # the others may wait for delayed ACKs
				above = !most_open && (net in smallest) ? mean - smallest[net] : 0
				if (segments[net] < least) judged = "too-few"
				else if (events[net] * 1000 >= segments[net] || (unneeded[net] >= 5 && unneeded[net] * 10 >= again[net])) judged = "reordering"
				else if (queued && (lost >= 0.001 || bulk)) judged = "queue"
				else if (lost < 0.001) judged = "calm"
				else if (above >= 2 && above >= smallest[net] / 2) judged = "unclear"
				else if (shift < 2 || shift < base / 4) judged = "random-loss"
				else judged = "unclear"
				advice = judged ~ /^(reordering|random-loss)$/ ? "ndm_v5" : judged == "queue" ? "cubic" : ""
				print net, judged, advice, connections[net], whole(segments[net]), percent(again[net], segments[net]), whole(events[net]), \
					percent(unneeded[net], again[net]), weight[net] ? sprintf("%.1f", mean) : "", (net in smallest) ? sprintf("%.1f", smallest[net]) : "", \
					weight[net] ? sprintf("%.1f", variation[net] / weight[net]) : "", rate[net] ? sprintf("%.2f", rate[net]) : "", names[net], \
					percent(by_buffer[net], busy[net]), percent(by_window[net], busy[net]), waiting[net] + 0, stamped[net] + 0, peer[net], from[net], whole(ended[net])
			}
		}' | sort -t $'\t' -k5,5nr -k1,1
}

print_advice_text() { # ROWS [NETWORK that was asked for]
	local row cells few=0 few_connections=0
	while IFS= read -r row; do
		[[ $row ]] || continue
		mapfile -t cells <<<"${row//$'\t'/$'\n'}"    # an empty cell stays one
		if [[ ${cells[1]} == too-few && ! $2 ]]; then
			few=$((few + 1)) few_connections=$((few_connections + cells[3] + cells[19]))
			continue
		fi
		print_network
	done < <(printf '%s\n' "$1")
	((few == 0)) || print_line "not enough data: $few networks with $few_connections connections, fewer than $LEAST_SEGMENTS segments to each"
}

# Where next to nothing was lost, Cubic can do the same with a setting that kernels have had until 2025.
say_recovery_setting() { # PERCENT of what was sent again that had arrived
	local setting=net.ipv4.tcp_recovery
	((${1%.*} >= 90)) && [[ -e $ROOT/proc/sys/${setting//.//} ]] || return 0
	print_line "  nearly nothing was lost: Cubic with sysctl $setting=0 does so as well, for all connections of the host"
}

print_network() { # the caller's cells
	local network=${cells[0]} verdict=${cells[1]} advice=${cells[2]} peer=${cells[17]} loss ended=''
	paint head "$network"
	print_painted "$REPLY" ''
	((cells[19] == 0)) || ended=" open, ${cells[19]} ended,"
	print_line "  ${cells[3]} connections$ended by ${cells[12]//\// }, ${cells[4]} segments; RTT ${cells[8]:-?} ms, smallest ${cells[9]:-?} ms, variation ${cells[10]:-?} ms"
	loss="${cells[5]:-0} % of the segments were sent again"
	case $verdict in
	too-few) print_line "  not enough data: ${cells[4]} segments, $LEAST_SEGMENTS needed" ;;
	calm) print_line "  $loss: there is nothing that another algorithm could mend" ;;
	queue) print_line "  $loss, and the RTT is well above its smallest: a queue is full, and Cubic is right to slow down" ;;
	unclear) print_line "  $loss; the RTT says neither queue nor chance" ;;
	reordering) print_line "  packets overtake each other: ${cells[6]} times, and ${cells[7]:-0} % of what was sent again had arrived; ndm_v5 waits for such packets"; say_recovery_setting "${cells[7]:-0}" ;;
	random-loss) print_line "  $loss, and the RTT stays near its smallest: losses are chance, or a queue is too short to be seen; ndm_v5 keeps cwnd there, bbr is faster and takes more from others" ;;
	esac
	print_reasons
	case $verdict in too-few | calm) return 0 ;; esac
	if [[ $advice && ${cells[12]} == "$advice" ]]; then print_line "  they all use $advice already"; return 0; fi
	if [[ $peer ]]; then print_line "  measure: ndmctl bench iperf3://$(bracketed "$peer")"
	else
		print_line "  measure: ndmctl bench iperf3://ADDRESS    (a host of $network)"
		peer=${network%/*} peer=${peer%.0}
		[[ $peer == *: ]] && peer+='1' || peer+='.1'
	fi
	[[ $advice && $advice != cubic ]] || return 0
	! route_command "$network" "$peer" "$advice" "${cells[18]}" || print_line "  then:    $REPLY"
}

print_reasons() { # what slows connections down, whatever the algorithm is: the caller's cells
	if [[ ${cells[13]} && ${cells[13]%.*} -ge 20 ]]; then print_line "  the send buffer was the limit for ${cells[13]} % of the time: sysctl net.ipv4.tcp_wmem, or SO_SNDBUF of the application"; fi
	if [[ ${cells[14]} && ${cells[14]%.*} -ge 20 ]]; then print_line "  the receiver's window was the limit for ${cells[14]} % of the time: no algorithm here changes that"; fi
	if [[ $verdict == reordering && ${cells[5]%.*} -ge 5 && ${cells[16]} != 0 ]]; then
		print_line '  timestamps are on: a receiver drops what a repeated packet has overtaken (RFC 7323, PAWS), so that it is sent again, too'
	fi
	if ((cells[3] && cells[15] * 2 > cells[3])) && read_value "$SYSTEM/proc/sys/net/ipv4/tcp_slow_start_after_idle" && [[ $REPLY == 1 ]]; then
		print_line "  ${cells[15]} of them wait for their application, and begin anew after each pause: sysctl net.ipv4.tcp_slow_start_after_idle"
	fi
}

# The route that the packets take, or, where it leads to more than this network and its words are few and known, a new one for it.
route_command() { # NETWORK PEER ALGORITHM [LOCAL address, which a rule may look at]: the command into REPLY; fails when ip knows no route
	local family=4 table='' copied='' plain=yes words i
	[[ $1 != *:* ]] || family=6
	read -ra words < <(tool ip -o "-$family" route get "$2" ${4:+from "$4"} fibmatch 2>/dev/null) || return 1
	REPLY=${words[0]}
	[[ $REPLY != default || $family == 4 ]] || REPLY=::/0
	[[ $REPLY =~ ^(default|[0-9a-f.:]+(/[0-9]{1,3})?)$ && ${words[*]} != *[!A-Za-z0-9_.:/\ \\-]* ]] || return 1
	for ((i = 1; i < ${#words[@]}; i += 2)); do
		case ${words[i]} in
		via | dev | src | mtu | advmss | initcwnd | initrwnd) copied+=" ${words[i]} ${words[i + 1]-}" ;;
		proto) [[ ${words[i + 1]-} != @(dhcp|ra) ]] || plain='' ;;    # a copy would outlive it
		scope | metric | pref) ;;
		*) plain='' ;;
		esac
	done
	[[ " ${words[*]} " != *' table '* ]] || { table=${words[*]}; table=${table##* table }; table=" --table ${table%% *}"; }
	if [[ $REPLY == "$1" || ($REPLY != default && $REPLY != */*) || (${REPLY#*/} =~ ^[0-9]+$ && ${REPLY#*/} -gt ${1#*/}) ]]; then
		REPLY="sudo ndmctl route set $REPLY $3$table"
	elif [[ $plain ]]; then
		REPLY="sudo ip -$family route add $1$copied; sudo ndmctl route set $1 $3"
	else REPLY="sudo ndmctl route set $REPLY $3$table    (for all that takes this route)"; fi
}
