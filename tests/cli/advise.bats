# SPDX-License-Identifier: GPL-2.0
# ndmctl advise: what open connections, and those that ended, say of the paths to a network. Against paths of known kind: ../cli-root/advise.bats.
load helpers

setup() {
	make_root
	add_sockets
	put "$R/proc/sys/net/ipv4/tcp_slow_start_after_idle" 1
	: >"$R/fixture/ss.txt"
	put "$R/proc/self/ns/net" ''
	copy_for_root "$NDMCTL"
}

# A connection with a cubic of 10,000 segments, RTT 50 ms, smallest 49 ms; later words of the same name count.
connection() { # PEER [KEY:VALUE...]
	local -A of=([cc]=cubic [rtt]=50/2 [minrtt]=49 [data_segs_out]=10000)
	local word line
	for word in "${@:2}"; do of[${word%%:*}]=${word#*:}; done
	line="ESTAB 0 0 192.0.2.1:443 $1:50000 ts sack ${of[cc]} wscale:7,7 rto:300 rtt:${of[rtt]} mss:1448 cwnd:10 data_segs_out:${of[data_segs_out]} send 1Mbps delivery_rate 2500000bps"
	for word in busy sndbuf_limited rwnd_limited retrans dsack_dups reord_seen minrtt; do if [[ ${of[$word]-} ]]; then line+=" $word:${of[$word]}"; fi; done
	if [[ ${of[waiting]-} ]]; then line+=' app_limited'; fi
	printf '%s\n' "$line" >>"$R/fixture/ss.txt"
}

verdicts() { # "NETWORK VERDICT ADVICE" of each
	ndmctl advise --plain
	exits 0
	cut -f 1-3 --output-delimiter=' ' <<<"$output"
}

@test "advise: loss, queue, reordering, calm and too little are told apart" {
	connection 198.51.100.1 data_segs_out:900 retrans:0/90
	connection 198.51.101.1 retrans:0/9
	connection 198.51.102.1 retrans:0/10 rtt:50/2 minrtt:49
	connection 198.51.103.1 retrans:0/100 rtt:90/9 minrtt:49
	connection 198.51.104.1 retrans:0/100 rtt:65/9 minrtt:49
	connection 198.51.105.1 retrans:0/100 reord_seen:10 rtt:90/20 minrtt:49
	connection 198.51.106.1 retrans:0/40 dsack_dups:5
	connection 198.51.107.1 retrans:0/40 dsack_dups:3
	connection 198.51.108.1 retrans:0/40 rtt:1.5/1 minrtt:0.2
	connection 198.51.109.1 retrans:0/2 rtt:90/9 minrtt:49
	connection 198.51.110.1 retrans:0/2 rtt:90/9 minrtt:49 waiting:yes
	equals "$(verdicts | sort)" '198.51.100.0/24 too-few -
198.51.101.0/24 calm -
198.51.102.0/24 random-loss ndm_v5
198.51.103.0/24 queue cubic
198.51.104.0/24 unclear -
198.51.105.0/24 reordering ndm_v5
198.51.106.0/24 reordering ndm_v5
198.51.107.0/24 random-loss ndm_v5
198.51.108.0/24 random-loss ndm_v5
198.51.109.0/24 queue cubic
198.51.110.0/24 calm -'
}

@test "advise: connections to one network count together, by their segments; this host and its link do not count" {
	connection 198.51.100.1 data_segs_out:900 retrans:0/9 rtt:50/4 minrtt:48
	connection 198.51.100.200 cc:bbr data_segs_out:8100 retrans:0/81 rtt:60/8 minrtt:50
	connection '[2001:db8:1:2::7]'
	connection '[2001:db8:1:ffff::7]' cc:reno
	connection '[2001:db8::7]'
	connection '[::ffff:203.0.113.9]'
	connection 127.0.0.1
	connection '[::1]'
	connection '[fe80::1]%eth0'
	connection 169.254.169.254
	connection 192.0.2.1    # this host, by its own address
	ndmctl advise --json
	exits 0
	equals "$(jq -c '.networks[] | select(.network == "198.51.100.0/24") | [.connections, .segments, .retransmitted_percent + 0, .rtt_ms + 0, .smallest_rtt_ms + 0, .rttvar_ms + 0, .mbit_per_s + 0, .used, .timestamps, .peer]' <<<"$output")" \
		'[2,9000,1,59,48,7.6,5,["cubic","bbr"],2,"198.51.100.200"]'
	equals "$(jq -r '.networks[] | "\(.network) \(.connections)"' <<<"$output" | sort)" '198.51.100.0/24 2
2001:db8:1::/48 2
2001:db8::/48 1
203.0.113.0/24 1'
	ndmctl advise 2001:db8:1:7::/64 --plain
	equals "$(cut -f 1,4 <<<"$output")" $'2001:db8:1::/48\t2'
	ndmctl advise 203.0.113.77 --plain
	equals "$(cut -f 1,4 <<<"$output")" $'203.0.113.0/24\t1'
}

ended() { # "BYTES OF THE NETWORK" ALGORITHM VALUE...: a row of the map, little endian, of SINCE ns after boot
	local byte key=() value=() number
	for byte in $1; do number_bytes "$byte" 1; key+=("$REPLY"); done
	while ((${#key[@]} < 8)); do key+=('"0x00"'); done
	name_bytes "$2"
	key+=("$REPLY")
	number_bytes "${NETNS:-$(stat -c %i "$R/proc/self/ns/net")}"
	key+=("$REPLY")
	for number in "${@:3}" "${SINCE-0}"; do number_bytes "$number"; value+=("$REPLY"); done
	local IFS=,
	printf '{"key":[%s],"value":[%s]}' "${key[*]}" "${value[*]}"
}

@test "advise: connections that ended count beside the open ones, where they are remembered" {
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || skip 'the rows of this test are little endian'
	add_cgroups
	put "$R/sys/kernel/btf/vmlinux" ''
	connection 198.51.100.1 data_segs_out:900 retrans:0/9
	ndmctl advise
	exits 0
	complains 'note: these are the open connections; ndmctl metrics --enable remembers those that end, too'
	ndmctl metrics --enable
	# Connections, segments, retransmitted, reorderings, DSACKs, segments with RTTs, and us by segments: srtt, rttvar, smallest; smallest.
	{
		printf '['
		ended '4 198 51 100' cubic 7 9100 91 0 0 9100 $((9100 * 50000)) $((9100 * 2000)) $((9100 * 49000)) 48500
		printf ,
		ended '4 198 51 103' ndm_v5 20 30000 600 0 0 30000 $((30000 * 90000)) $((30000 * 9000)) $((30000 * 45000)) 44000
		printf ,
		ended '6 32 1 13 184 0 7' cubic 1 5000 50 5 0 0 0 0 0 0
		printf ,
		NETNS=1 ended '4 198 51 104' cubic 1 5000 50 5 0 0 0 0 0 0    # of another network namespace
		printf ',{"key":["0x04"],"value":["0x01"]}]'
	} >"$R/fixture/ndm_count_paths"
	ndmctl advise
	exits 0
	equals "$stderr" ''
	says '198.51.100.0/24
  1 connections open, 7 ended, by cubic, 10000 segments; RTT 50.0 ms, smallest 48.5 ms, variation 2.0 ms
  1.00 % of the segments were sent again, and the RTT stays near its smallest'
	says '198.51.103.0/24
  0 connections open, 20 ended, by ndm_v5, 30000 segments; RTT 90.0 ms, smallest 44.0 ms, variation 9.0 ms'
	says '  measure: ndmctl bench iperf3://ADDRESS    (a host of 198.51.103.0/24)'
	says '2001:db8:7::/48'
	equals "$(verdicts | sort)" '198.51.100.0/24 random-loss ndm_v5
198.51.103.0/24 queue cubic
2001:db8:7::/48 reordering ndm_v5'
	ndmctl advise --json 198.51.103.9
	json_is '.networks | length' 1
	json_is '.networks[0].ended' 20
	copy_for_root "$NDMCTL"
	chmod 000 "$R/sys/fs/bpf/ndm"
	as_nobody "$ON_R" advise
	chmod 755 "$R/sys/fs/bpf/ndm"
	complains 'those that ended are for root: sudo ndmctl advise'
}

@test "advise: of short connections that ended, a queue that was always there is not called chance, nor a delayed ACK a queue" {
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || skip 'the rows of this test are little endian'
	add_cgroups
	put "$R/sys/kernel/btf/vmlinux" ''
	ndmctl metrics --enable
	{
		printf '['
		# 1023 uploads of 14 KB beside three long ones of another host, with 300 packets of room at 20 Mbit/s and a path of 20 ms
		ended '4 198 51 100' cubic 1023 10595 374 0 0 10595 $((10595 * 152800)) $((10595 * 22200)) $((10595 * 130000)) 87500
		printf ,
		ended '4 198 51 101' cubic 5000 50000 5 0 0 50000 $((50000 * 60000)) $((50000 * 2000)) $((50000 * 20000)) 20000
		printf ']'
	} >"$R/fixture/ndm_count_paths"
	connection 198.51.101.9 data_segs_out:3 rtt:20/1 minrtt:20
	equals "$(verdicts | sort)" '198.51.100.0/24 unclear -
198.51.101.0/24 calm -'
}

@test "advise: figures above 2^31 are whole numbers, in order; a row that bpftool prints twice counts once" {
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || skip 'the rows of this test are little endian'
	add_cgroups
	put "$R/sys/kernel/btf/vmlinux" ''
	ndmctl metrics --enable
	{
		printf '['
		ended '4 198 51 100' cubic 2500000000 3000000000 0 2200000000 0 0 0 0 0 0
		printf ,
		ended '4 198 51 101' cubic 7 5000 0 0 0 0 0 0 0 0
		printf ,
		ended '4 198 51 101' cubic 8 5001 0 0 0 0 0 0 0 0
		printf ']'
	} >"$R/fixture/ndm_count_paths"
	ndmctl advise --plain
	exits 0
	equals "$(cut -f 1,5,7,20 --output-delimiter=' ' <<<"$output")" '198.51.100.0/24 3000000000 2200000000 2500000000
198.51.101.0/24 5000 0 7'
	ndmctl advise --json
	json_is '.networks[0].segments' 3000000000
}

@test "advise: connections that ended long ago have faded, also when none came since" {
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || skip 'the rows of this test are little endian'
	add_cgroups
	put "$R/sys/kernel/btf/vmlinux" ''
	ndmctl metrics --enable
	SINCE=1000000000000
	{
		printf '['
		ended '4 198 51 100' cubic 5 40000 400 8 0 40000 $((40000 * 50000)) $((40000 * 2000)) $((40000 * 49000)) 48500
		printf ']'
	} >"$R/fixture/ndm_count_paths"
	local uptime expected
	while read -r uptime expected; do
		put "$R/proc/uptime" "$uptime 7.00"
		ndmctl advise --plain
		exits 0
		equals "$(cut -f 2,5,7,9,10,20 --output-delimiter=' ' <<<"$output")" "$expected"
	done <<-'END'
		900.00 random-loss 40000 8 50.0 48.5 5
		87399.99 random-loss 40000 8 50.0 48.5 5
		87400.00 random-loss 20000 4 50.0 - 2
		433000.00 random-loss 1250 0 50.0 - 1
		519400.00 too-few 625 0 50.0 - 1
	END
	put "$R/proc/uptime" '3000000.00 7.00'
	ndmctl advise
	complains 'there is no connection to another host'
}

@test "advise: sentences have the figures and end in the lines to type, for a network without a route of its own with that" {
	fake ip <<-'END'
		case $* in
		*'route get 198.51.100.7 from 192.0.2.1 fibmatch') echo 'default via 192.0.2.254 dev eth0 proto static' ;;
		*'route get 2001:db8:1::7 from 192.0.2.1 fibmatch') echo '2001:db8:1::/48 via fe80::1 dev eth0 metric 1024 pref medium' ;;
		*'route get 198.51.101.7 from 192.0.2.1 fibmatch') echo 'default via 192.0.2.254 dev a;reboot' ;;
		*'route get 198.51.110.7 from 192.0.2.1 fibmatch') echo '198.51.110.0/28 dev eth0 proto kernel scope link src 192.0.2.1' ;;
		*'route get 198.51.111.7 from 192.0.2.1 fibmatch') echo '198.51.111.7 via 192.0.2.254 dev eth0' ;;
		*'route get 198.51.112.7 from 192.0.2.1 fibmatch') echo '198.18.0.0/15 via 192.0.2.254 dev eth0 src 192.0.2.1 mtu lock 1280' ;;
		*'route get 198.51.113.7 from 192.0.2.1 fibmatch') echo 'default via 192.0.2.254 dev eth0 table 77' ;;
		*'route get 198.51.114.7 from 192.0.2.1 fibmatch') printf '%s\n' 'default proto static \' '	nexthop via 192.0.2.1 dev eth0 weight 1 \	nexthop via 192.0.2.2 dev eth0 weight 1' | tr -d '\n'; echo ;;
		*'route get 198.51.115.7 from 192.0.2.1 fibmatch') echo '198.18.0.0/15 via 192.0.2.254 dev eth0 src 192.0.2.1 mtu 1280 proto static metric 7' ;;
		*'route get 198.51.117.7 from 192.0.2.1 fibmatch') echo 'default via 192.0.2.254 dev eth0 proto dhcp src 192.0.2.1 metric 100' ;;
		*'route get 198.51.116.7 from 192.0.2.1 fibmatch') echo 'unreachable default dev lo metric 4294967295 error -113' ;;
		*'route get 2001:db8:7:5::7 from 192.0.2.1 fibmatch') echo '2001:db8:7:5::/64 dev eth0 proto kernel metric 256 pref medium' ;;
		*'route get 2001:db8:8::7 from 192.0.2.1 fibmatch') echo 'default nhid 7 via fe80::1 dev eth0 proto ra' ;;
		*) exit 2 ;;
		esac
	END
	connection 198.51.100.7 retrans:0/600 reord_seen:120 dsack_dups:150
	connection '[2001:db8:1::7]' retrans:0/50
	connection 198.51.101.7 retrans:0/50 data_segs_out:9999
	connection 198.51.102.7 data_segs_out:100
	connection 198.51.103.7 data_segs_out:100
	local line
	for line in 198.51.11{0..7}.7 '[2001:db8:7:5::7]' '[2001:db8:8::7]'; do connection "$line" retrans:0/50; done
	ndmctl advise
	exits 0
	says '198.51.100.0/24
  1 connections by cubic, 10000 segments; RTT 50.0 ms, smallest 49.0 ms, variation 2.0 ms
  packets overtake each other: 120 times, and 25.00 % of what was sent again had arrived; ndm_v5 waits for such packets
  timestamps are on: a receiver drops'
	says '  measure: ndmctl bench iperf3://198.51.100.7
  then:    sudo ip -4 route add 198.51.100.0/24 via 192.0.2.254 dev eth0; sudo ndmctl route set 198.51.100.0/24 ndm_v5'
	says '  0.50 % of the segments were sent again, and the RTT stays near its smallest: losses are chance, or a queue is too short to be seen; ndm_v5 keeps cwnd there, bbr'
	says '  measure: ndmctl bench iperf3://[2001:db8:1::7]
  then:    sudo ndmctl route set 2001:db8:1::/48 ndm_v5'
	for line in \
		'110.7|sudo ndmctl route set 198.51.110.0/28 ndm_v5' \
		'111.7|sudo ndmctl route set 198.51.111.7 ndm_v5' \
		'112.7|sudo ndmctl route set 198.18.0.0/15 ndm_v5    (for all that takes this route)' \
		'113.7|sudo ndmctl route set default ndm_v5 --table 77    (for all that takes this route)' \
		'114.7|sudo ndmctl route set default ndm_v5    (for all that takes this route)' \
		'115.7|sudo ip -4 route add 198.51.115.0/24 via 192.0.2.254 dev eth0 src 192.0.2.1 mtu 1280; sudo ndmctl route set 198.51.115.0/24 ndm_v5' \
		'117.7|sudo ndmctl route set default ndm_v5    (for all that takes this route)' \
		'7:5::7]|sudo ndmctl route set 2001:db8:7:5::/64 ndm_v5' \
		'8::7]|sudo ndmctl route set ::/0 ndm_v5    (for all that takes this route)'; do
		says "${line%%|*}
  then:    ${line#*|}"
	done
	for line in 101 116; do
		says "measure: ndmctl bench iperf3://198.51.$line.7"
		! grep -A 1 "iperf3://198.51.$line.7" <<<"$output" | grep then: || fail 'a route that cannot be'
	done
	says 'not enough data: 2 networks with 2 connections, fewer than 1000 segments to each'
	ndmctl advise 198.51.102.9
	says '  not enough data: 100 segments, 1000 needed'
	[[ $output != *measure* ]] || fail 'it advises something'
}

@test "advise: what already has it, and what no algorithm mends" {
	connection 198.51.100.7 cc:ndm_v5 retrans:0/50
	connection 198.51.101.7 busy:10000ms 'sndbuf_limited:2500ms(25.0%)' data_segs_out:20000
	connection 198.51.102.7 busy:10000ms 'rwnd_limited:9000ms(90.0%)' waiting:yes
	ndmctl advise
	exits 0
	says '  they all use ndm_v5 already'
	says '  the send buffer was the limit for 25.00 % of the time: sysctl net.ipv4.tcp_wmem'
	says "  the receiver's window was the limit for 90.00 % of the time: no algorithm here changes that"
	says '  1 of them wait for their application, and begin anew after each pause: sysctl net.ipv4.tcp_slow_start_after_idle'
	put "$R/proc/sys/net/ipv4/tcp_slow_start_after_idle" 0
	ndmctl advise
	[[ $output != *slow_start_after_idle* ]] || fail 'said although it is off'
	[[ $output != *measure* ]] || fail 'it advises something'
}

@test "advise: what is no destination, no connection, an ss that fails" {
	local bad
	for bad in x 127.0.0.1 ::1 fe80::1 '1.2.3.4;reboot' '$(id)' 1.2.3 192.0.2.1/x 10.0.0.0/8 2001:db8::/32; do
		ndmctl advise -- "$bad"
		refuses 2 'is not the address of another host'
	done
	ndmctl advise
	exits 0
	complains 'there is no connection to another host'
	ndmctl advise --json
	equals "$output" '{"schema":1,"command":"advise","networks":[]}'
	fake ss <<<'exit 1'
	ndmctl advise
	refuses 1 'ss failed'
}

@test "advise: where next to nothing was lost, the setting with which Cubic waits is named, on kernels that have it" {
	connection 198.51.100.7 retrans:0/200 reord_seen:120 dsack_dups:195
	ndmctl advise
	exits 0
	[[ $output != *tcp_recovery* ]]
	put "$R/proc/sys/net/ipv4/tcp_recovery" 1
	ndmctl advise
	says 'nearly nothing was lost: Cubic with sysctl net.ipv4.tcp_recovery=0'
	connection 198.51.100.7 retrans:0/200 reord_seen:120 dsack_dups:50
	ndmctl advise
	[[ $output != *tcp_recovery* ]]
}
