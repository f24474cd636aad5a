# SPDX-License-Identifier: GPL-2.0
# sockets --every: figures of the time between two answers of ss.
load helpers
setup() {
	make_root
	add_sockets
	put "$R/proc/uptime" "5.00 1.00"
	put "$R/fixture/ss.txt" 'State Recv-Q
ESTAB 0 0 192.0.2.1:22 192.0.2.9:1 cubic wscale:7,7 rto:204 rtt:10.5/1 mss:1448 cwnd:10 bytes_acked:1000000 data_segs_out:700 retrans:0/7 send 1Mbps
ESTAB 0 0 192.0.2.1:22 192.0.2.9:2 cubic wscale:7,7 rto:204 rtt:30/1 mss:1448 cwnd:10 bytes_acked:5000 data_segs_out:5 send 1Mbps
ESTAB 0 0 192.0.2.1:22 192.0.2.9:3 ts sack ndm wscale:7,7 rto:204 rtt:20/1 mss:1448 cwnd:10 bytes_acked:9000000 data_segs_out:9000 retrans:1/90 send 1Mbps
ESTAB 0 0 192.0.2.1:22 192.0.2.9:4 ts sack bbr wscale:7,7 rto:204 rtt:20/1 mss:1448 cwnd:10 bytes_acked:9000000 send 1Mbps
FIN-WAIT-2 0 0 192.0.2.1:80 192.0.2.9:5'
	# Two seconds later: the first cubic has sent a megabyte, the second has ended, a third is new; of ndm the port was used again.
	put "$R/fixture/later.txt" 'ESTAB 0 0 192.0.2.1:22 192.0.2.9:1 cubic wscale:7,7 rto:204 rtt:12/1 mss:1448 cwnd:10 bytes_acked:2000000 data_segs_out:1400 retrans:2/21 send 1Mbps
ESTAB 0 0 192.0.2.1:22 192.0.2.9:6 cubic wscale:7,7 rto:204 rtt:50.5/1 mss:1448 cwnd:10 bytes_acked:500000 data_segs_out:350 send 1Mbps
ESTAB 0 0 192.0.2.1:22 192.0.2.9:3 ts sack ndm wscale:7,7 rto:204 mss:1448 cwnd:10 bytes_acked:250000 data_segs_out:200 retrans:0/1 send 1Mbps'
	fake sleep <<-END
		printf '%s\n' "\$1" >>"$R/fixture/slept"
		cp "$R/fixture/later.txt" "$R/fixture/ss.txt"
		echo 7.00 1.00 >"$R/proc/uptime"
	END
	copy_for_root "$NDMCTL"
}

@test "sockets --every: goodput, retransmissions and RTTs of the time between, by algorithm, a line each where there is no terminal" {
	ndmctl sockets --every 2 --count 1
	exits 0
	equals "$(cut -f 2- <<<"$output")" $'cubic\t2\t6.00\t1.33\t50.5\t50.5\nndm\t1\t1.00\t0.50\t-\t-'
	[[ $output =~ ^20[0-9-]+T[0-9:]+[+-][0-9]{4}$'\t' ]] || fail "$output"
	equals "$(<"$R/fixture/slept")" 2
	ndmctl sockets --every 0.5 --count 3
	exits 0
	equals "$(wc -l <<<"$output")" 6
	equals "$(cut -f 2,4 <<<"$output" | sort -u)" $'cubic\t0.00\nndm\t0.00'
	equals "$(tail -n 1 "$R/fixture/slept")" 0.5
}

@test "sockets --every: on a terminal it is drawn again, with the default and the losses that were judged since" {
	load_now
	local before
	before=$(cat "$R/proc/net/tcp_ndm")
	put "$R/fixture/stats" "$(sed 's/^loss_noise .*/loss_noise 1234567/' <<<"$before")"
	fake sleep <<-END
		cp "$R/fixture/later.txt" "$R/fixture/ss.txt"
		cp "$R/fixture/stats" "$R/proc/net/tcp_ndm"
		echo 7.00 1.00 >"$R/proc/uptime"
	END
	on_terminal "$ON_R" sockets --every 2 --count 1 --color=never
	output=${output//$'\r'/}
	[[ $output == *$'\e[H\e[J'* ]] || fail 'not drawn from the top'
	says 'default cubic    ends with Ctrl-C'
	says 'algorithm    connections     Mbit/s  retransmitted   RTT p50       p95'
	says 'cubic                  2       6.00          1.33%   50.5 ms   50.5 ms'
	says "losses      noise $((1234567 - $(awk '$1 == "loss_noise" { print $2 }' <<<"$before")))"
}

@test "sockets --every: bad numbers, JSON, an ss that fails" {
	local bad
	for bad in x 0 00 0.0 -1 1e3 '1 2' 99999 0.001; do
		ndmctl sockets "--every=$bad"
		refuses 2 'is not a number of seconds'
	done
	for bad in 0 x 1.5; do
		ndmctl sockets --every 2 --count "$bad"
		refuses 2 'is not a number of times'
	done
	ndmctl sockets --every 2 --json
	refuses 2 'sockets --every prints no JSON'
	copy_for_root "$NDMCTL"
	fake ss <<<'exit 1'
	ndmctl sockets --every 2 --count 1
	refuses 1 'ss failed'
	fake ss <<<''
	rm "$R/proc/uptime"
	ndmctl sockets --every 2 --count 1
	refuses 1 'cannot read'
}

@test "sockets --every: Ctrl-C ends it with 0" {
	fake sleep <<<'kill -INT "$PPID"'
	run --separate-stderr timeout 20 env --default-signal=INT "$ON_R" sockets --every 2
	exits 0
}

@test "sockets --every: it takes no other choice of sockets" {
	ndmctl sockets --every x
	refuses 2 "'x' is not a number of seconds" 'hint: ndmctl sockets --every 2'
	ndmctl sockets --every 2 --cc ndm
	refuses 2 '--every excludes --cc and --netns'
	ndmctl sockets --count 2
	refuses 2 '--count needs --every'
}
