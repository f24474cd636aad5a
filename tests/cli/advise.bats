# SPDX-License-Identifier: GPL-2.0
# ndmctl advise: what open connections say of their paths. Against paths of known kind: ../cli-root/advise.bats.
load helpers

setup() {
	make_root
	add_sockets
	: >"$R/fixture/ss.txt"
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

verdict_is() { # VERDICT ADVICE, of the one connection; after it there is none
	ndmctl advise --plain
	exits 0
	equals "$(cut -f 1-2 --output-delimiter=' ' <<<"$output")" "$1 $2"
	: >"$R/fixture/ss.txt"
}

@test "advise: loss, queue, reordering, calm and too little are told apart" {
	connection 198.51.100.1 data_segs_out:900 retrans:0/90
	verdict_is too-few -
	connection 198.51.100.1 retrans:0/9
	verdict_is calm -
	connection 198.51.100.1 retrans:0/10 rtt:50/2 minrtt:49
	verdict_is random-loss ndm_v5
	connection 198.51.100.1 retrans:0/100 rtt:90/9 minrtt:49
	verdict_is queue cubic
	connection 198.51.100.1 retrans:0/100 rtt:65/9 minrtt:49
	verdict_is unclear -
	connection 198.51.100.1 retrans:0/100 reord_seen:10 rtt:90/20 minrtt:49
	verdict_is reordering ndm_v5
	connection 198.51.100.1 retrans:0/40 dsack_dups:5
	verdict_is reordering ndm_v5
	connection 198.51.100.1 retrans:0/40 dsack_dups:3
	verdict_is random-loss ndm_v5
	connection 198.51.100.1 retrans:0/40 rtt:1.5/1 minrtt:0.2
	verdict_is random-loss ndm_v5
	connection 198.51.100.1 retrans:0/2 rtt:90/9 minrtt:49
	verdict_is queue cubic
	connection 198.51.100.1 retrans:0/2 rtt:90/9 minrtt:49 waiting:yes
	verdict_is calm -
}

@test "advise: connections of one verdict count together, and the one with most segments is to be measured; this host does not count" {
	connection 198.51.100.1 retrans:0/100
	connection '[2001:db8::7]' data_segs_out:30000 retrans:0/300 rtt:60/4 minrtt:59
	connection 198.51.100.2 data_segs_out:10
	connection 127.0.0.1 retrans:0/100
	connection 192.0.2.1 retrans:0/100
	connection '[fe80::1]%eth0' retrans:0/100
	connection 169.254.1.2 retrans:0/100
	ndmctl advise
	exits 0
	equals "$output" 'random-loss lost, and the RTT stays near its smallest: chance, or a queue too short to be seen; ndm_v5 keeps cwnd there
            2 connections, 40000 segments, 1.00 % of them sent again
            measure: ndmctl bench iperf3://[2001:db8::7]
too-few     not enough data: fewer than 1000 segments each
            1 connections, 10 segments, 0.00 % of them sent again'
	ndmctl advise --json
	json_is '[.verdicts[].verdict] | join(" ")' 'random-loss too-few'
	# The sum, because jq of Debian sid prints 1.00 as it is written.
	json_is '.verdicts[0] | [.connections, .segments, .again_percent + 0, .rtt_ms, .smallest_rtt_ms, .peer] | join(" ")' '2 40000 1 60 59 2001:db8::7'
}

@test "advise: no connection, an ss that fails, a number too large for awk" {
	ndmctl advise
	exits 0
	equals "$output" ''
	complains 'there is no connection to another host'
	ndmctl advise 198.51.100.1
	refuses 2 'one word too many'
	connection 198.51.100.1 data_segs_out:4000000000 retrans:0/2000000000
	connection 198.51.100.1 data_segs_out:4000000000 retrans:0/2000000000
	ndmctl advise --plain
	equals "$(cut -f 4 <<<"$output")" 8000000000
	fake ss <<<'exit 1'
	ndmctl advise
	refuses 1 'ss failed'
}
