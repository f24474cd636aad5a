# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# ndmctl bench on paths of known answer, against real iperf3, sshd and a server of HTTPS, in network namespaces of its own. The path is
# bench/path.py, which needs no netem.
load helpers

setup() {
	[[ -w /dev/net/tun ]] || skip 'there is no /dev/net/tun'
	grep -qw bbr /proc/sys/net/ipv4/tcp_available_congestion_control || skip 'this kernel has no bbr'
}

# The script has path.bash, and bench WORD...: without notes, its result in /run/r.json
on_path() { # OPTIONS of path.py, SCRIPT
	in_own_system "source '$CLI/bench/path.bash'
		bench() { \"\$0\" bench --quiet --seconds 1 -o /run/r.json \"\$@\"; }
		result() { jq -r \"\$1\" /run/r.json; }
		path_up $1
		$2"
}

@test "bench path: random loss: BBR is faster than Cubic, and Cubic is not faster than itself" {
	on_path '--rate 20 --delay 40 --loss 2' 'iperf3_up
		bench --algorithms bbr --blocks 6 --seconds 2 --html /run/page.html iperf3://10.9.0.2
		result ".ended, (.flows | length), .paths[0].flags.unsteady" | paste -sd " "
		result ".paths[0].algorithms[1].comparison | .verdict, .blocks, .ratio > 2" | paste -sd " "
		result "[.flows[] | .sent_bytes, .retransmitted_bytes, .srtt_median_us, .idle_rtt_us] | min > 0"
		result "[.flows[].algorithm] | group_by(.) | map(length) | .[]" | paste -sd " "
		result ".target | .address, .kind" | paste -sd " "
		grep -cF 10.9.0.2 /run/page.html /run/r.json || :'
	exits 0
	says 'bbr: faster than Cubic'
	equals "$(tail -n 7 <<<"$output")" $'done 18 null\nfaster 6 true\ntrue\n6 12\nnull iperf3\n/run/page.html:0\n/run/r.json:0'
}

@test "bench path: flows leave nothing in the cache of metrics that the next one would start from" {
	on_path '--rate 20 --delay 10 --jitter 30' 'iperf3_up
		left() { ip tcp_metrics show | grep -q ^10.9.0.2; }
		iperf3 -c 10.9.0.2 -t 1 >/dev/null    # which leaves something
		patiently left
		ip tcp_metrics delete 10.9.0.2
		bench --algorithms reno --blocks 1 iperf3://10.9.0.2 >/dev/null
		result "[.flows[].reorderings] | max > 0"
		! left || say "it left something"'
	exits 0
	equals "$output" true
}

@test "bench path: --budget ends it in time, and keeps whole blocks" {
	on_path '--rate 20 --delay 10' 'iperf3_up
		bench --algorithms reno --blocks 9 --budget 20 --with-addresses iperf3://10.9.0.2
		result "\"\(.ended) \(.sent_bytes <= 20000000) \(.flows | length > 2) \(.flows | length < 27) \([.flows[].ok] | all) \(.target.address)\""
		fast() { [[ $(ss -Hltn "sport = :5203") ]]; }
		iperf3 -s -p 5203 >/dev/null 2>&1 & patiently fast
		bench --algorithms reno --blocks 9 --budget 40 iperf3://127.0.0.1:5203 >/dev/null || :
		result "\"\(.ended) \(.sent_bytes <= 40000000)\""
		"$0" bench --algorithms reno --budget 1 --seconds 4 iperf3://10.9.0.2 || echo "exit $?"'
	says $'budget true true true true iperf3://10.9.0.2\nbudget true\nexit 1'
	complains 'the budget is too small'
}

@test "bench path: the last word to an iperf3 server is waited for, so that it is never left busy" {
	on_path '--rate 20 --delay 10' 'far python3 "$BENCH_TESTS/bad_server.py" 10.9.0.2 6007 slow >/run/said 2>&1 &
		patiently listens 6007
		bench --algorithms reno --blocks 1 iperf3://10.9.0.2:6007 >/dev/null
		cat /run/said'
	exits 0
	equals "$output" $'it waits\nit waits\nit waits'
}

@test "bench path: Ctrl-C and SIGTERM keep what is done" {
	on_path '--rate 20 --delay 10' 'iperf3_up
		for signal in INT TERM; do
			set -m
			rm -f /run/r.json
			bench --algorithms reno --blocks 100 iperf3://10.9.0.2 >/run/said &
			pid=$!
			set +m
			three() { [[ -e /run/r.json && $(result ".flows | length") -ge 3 ]]; }
			patiently three
			kill -$signal -- -$pid
			wait $pid || echo "exit $?"
			result "\"\(.ended) \(.flows | length > 2) \(.paths[0].blocks > 0)\""
			grep -o "no verdict" /run/said
		done
		ls -A /run | grep new || echo nothing left'
	equals "$output" $'exit 130\ninterrupted true true\nno verdict\nexit 143\ninterrupted true true\nno verdict\nnothing left'
}

# Reno stands in for Cubic, which users of this kernel may not be allowed to choose.
@test "bench path: a user without rights needs no others" {
	grep -qw reno /proc/sys/net/ipv4/tcp_allowed_congestion_control && grep -qw bbr /proc/sys/net/ipv4/tcp_allowed_congestion_control ||
		skip 'users may not choose reno and bbr here'
	on_path '--rate 20 --delay 40 --loss 2' 'iperf3_up
		cp -rL "${0%/*}" /run/copy
		sed -i "s/^BASE, AGAIN = \"cubic\"/BASE, AGAIN = \"reno\"/" /run/copy/bench/plan.py
		install -d -o nobody /run/theirs
		cd /run/theirs
		setpriv --reuid=65534 --regid=65534 --clear-groups /run/copy/ndmctl bench --seconds 2 --blocks 1 --algorithms bbr -o r.json --html r.html iperf3://10.9.0.2 \
			>/dev/null
		jq ".ended, .paths[0].algorithms[1].comparison.ratio > 2" r.json
		ls'
	equals "$output" $'"done"\ntrue\nr.html\nr.json'
	[[ $stderr != *'needs no root'* ]] || fail 'it ran as root'
}

@test "bench path: a disk that fills up is said once, and does not end it" {
	on_path '--rate 20 --delay 10' 'iperf3_up
		mkdir /run/small
		mount -t tmpfs -o size=8k none /run/small
		"$0" bench --quiet --algorithms reno --blocks 3 --seconds 1 -o /run/small/r.json iperf3://10.9.0.2 || echo "exit $?"
		ls -A /run/small'
	says 'no verdict: 3 blocks'
	says $'exit 1\nr.json'
	equals "$(grep -c 'cannot write r.json: No space left' <<<"$stderr")" 1
}

@test "bench path: a window or a buffer that is the limit, and other traffic, are said" {
	on_path '--rate 20 --delay 40' 'iperf3_up
		flags() { bench --algorithms reno --blocks 1 iperf3://10.9.0.2 >/dev/null; result "[.flows[].flags[]] | unique | .[]" | grep -x "$1" || echo none; }
		echo "at first: $(flags "send-buffer\|other-traffic")"
		wmem=$(cat /proc/sys/net/ipv4/tcp_wmem)
		echo "4096 16384 16384" >/proc/sys/net/ipv4/tcp_wmem
		echo "here: $(flags send-buffer)"
		echo "$wmem" >/proc/sys/net/ipv4/tcp_wmem
		far iperf3 -s -p 5202 >/dev/null 2>&1 & patiently listens 5202
		iperf3 -c 10.9.0.2 -p 5202 -t 60 -C reno >/dev/null & other=$!
		echo "others: $(flags other-traffic)"
		kill $other
		far bash -c "echo 4096 8192 16384 >/proc/sys/net/ipv4/tcp_rmem"
		echo "there: $(flags receive-window)"'
	exits 0
	equals "$output" $'at first: none\nhere: send-buffer\nothers: other-traffic\nthere: receive-window'
}

@test "bench path: a far end that dies in the middle ends it, with what is done; one that comes back does not" {
	on_path '--rate 20 --delay 10' 'iperf3_up
		three() { [[ -e /run/r.json && $(result ".flows | length") -ge 3 ]]; }
		bench --algorithms reno --blocks 100 iperf3://10.9.0.2 >/run/said & pid=$!
		patiently three
		kill -KILL $IPERF3
		wait $pid || echo "exit $?"
		result "\"\(.ended) \([.flows[].ok] | [any, all] | join(\" \")) \(.flows[-1].failed) \(.paths[0].flags[\"failed-flows\"])\""
		rm /run/r.json
		iperf3_up
		bench --algorithms reno --blocks 3 iperf3://10.9.0.2 >/run/said & pid=$!
		patiently three
		kill -KILL $IPERF3
		iperf3_up
		wait $pid; echo "exit $?"
		result ".ended"'
	equals "$output" $'exit 1\nfar-end true false refused 2\nexit 0\ndone'
	complains 'hint: start the server there'
}

@test "bench path: what is no iperf3 server is an error with a hint, and nothing of it is raw" {
	on_path '--rate 50 --delay 2' 'port=6000
		for mode in web noise closes error huge deep junk odd number denies-later; do
			port=$((port + 1))
			far python3 "$BENCH_TESTS/bad_server.py" 10.9.0.2 $port $mode >/dev/null 2>&1 &
			patiently listens $port
			rm -f /run/r.json
			rc=0
			bench --algorithms reno --blocks 1 iperf3://10.9.0.2:$port >/run/said 2>/run/error || rc=$?
			echo "$mode $rc $(head -n 1 /run/error) $([[ ! -e /run/r.json ]] || result "\"\(.ended) \([.flows[].far_cpu_percent] | unique)\"")"
			! grep -lE "Traceback|"$'"'\\e'"' /run/said /run/error || say raw
		done
		"$0" bench --algorithms reno iperf3://10.9.0.2:5999 2>&1 || echo "exit $?"'
	exits 0
	equals "$(grep -c 'ndmctl: the far end ' <<<"$output")" 4
	says 'web 1 ndmctl: the far end says 72 in place of parameters'
	says 'noise 1 ndmctl: the far end says 27 in place of parameters'
	says 'closes 1 ndmctl: the far end has closed the connection'
	says 'error 1 ndmctl: the iperf3 server reports its error 106'
	says 'denies-later 1 ndmctl: the iperf3 server is busy'
	local mode
	for mode in huge deep junk odd number; do says "$mode 0  done [null]"; done    # what arrived is known from the ACKs
	says 'ndmctl: the far end refuses the connection'
}

# bats test_tags=all
@test "bench path: a server that is busy or says nothing is waited for, but not for ever" {
	on_path '--rate 50 --delay 2' 'for mode in busy silent; do
			far python3 "$BENCH_TESTS/bad_server.py" 10.9.0.2 600${#mode} $mode >/dev/null 2>&1 &
			patiently listens 600${#mode}
			bench --algorithms reno iperf3://10.9.0.2:600${#mode} 2>&1 | head -n 1
		done
		iperf3_up
		busy() { [[ $(far ss -Htn state established "( sport = :5201 )") ]]; }
		iperf3 -c 10.9.0.2 -t 4 -b 1M >/dev/null & patiently busy
		bench --algorithms reno --blocks 1 iperf3://10.9.0.2 >/dev/null
		result .ended'
	says $'ndmctl: the iperf3 server is busy with another test\nndmctl: the far end has stopped answering\ndone'
}

@test "bench path: by ssh: iperf3 is started there, and ended" {
	on_path '--rate 20 --delay 10' 'sshd_up
		printf "%s\\n" "echo welcome" "printf \"\\033[31mforged\\n\" >&2" >/root/.bashrc
		bench --algorithms reno --blocks 1 ssh://root@10.9.0.2:2222 >/dev/null
		result "\"\(.ended) \(.warning) \([.flows[].ok] | all) \(.flows[0].far_cpu_percent != null)\""
		gone() { ! pgrep -x iperf3 >/dev/null; }
		patiently gone
		"$0" bench --algorithms reno ssh://10.9.0.2:2223 2>&1 | tail -n 2'
	exits 0
	says 'done null true true'
	says 'the login by ssh failed'
	complains 'ssh: \u001b[31mforged'
}

@test "bench path: by ssh without iperf3, or behind a firewall: through the channel, whose algorithm is ours" {
	on_path '--rate 20 --delay 40 --loss 2' 'ip rule add dport 20000-32767 ipproto tcp prohibit    # a firewall, to this side
		sshd_up
		before=$(echo /tmp/ndmctl-*)
		bench --algorithms bbr --blocks 1 --seconds 2 ssh://root@10.9.0.2:2222 >/dev/null
		result "\"\(.ended) \(.warning) \(.paths[0].algorithms[1].comparison.ratio > 2)\""
		kill $(cat /run/sshd.pid)
		mount --bind /dev/null /usr/bin/iperf3
		sshd_up
		bench --algorithms bbr --blocks 1 ssh://root@10.9.0.2:2222 >/dev/null
		result "\"\(.ended) \(.warning) \([.flows[].acked_bytes] | min > 0)\""
		[[ $(echo /tmp/ndmctl-*) != "$before" ]] || echo nothing left'
	exits 0
	says 'done iperf3 cannot be reached there, as behind a firewall, so the data go through ssh, whose cipher and window may be the limit true'
	says 'done iperf3 is missing there, so the data go through ssh, whose cipher and window may be the limit true'
	says 'nothing left'
	complains 'the data go through ssh'
}

@test "bench path: by HTTPS: uploads; a certificate that is not valid, and a server that refuses, are errors" {
	on_path '--rate 20 --delay 40 --loss 2' 'https_up
		bench --algorithms bbr https://10.9.0.2:4433/upload || echo "exit $?"
		export SSL_CERT_FILE=/run/cert.pem
		bench --algorithms bbr --blocks 1 --seconds 2 https://10.9.0.2:4433/upload >/dev/null
		result "\"\(.ended) \([.flows[].ok] | all) \(.paths[0].algorithms[1].comparison.ratio > 2)\""
		bench --algorithms bbr https://10.9.0.2:4433/ || echo "exit $?"
		bench --algorithms bbr https://10.9.0.2:4433/full || echo "exit $?"'
	equals "$output" $'exit 1\ndone true true\nexit 1\nexit 1'
	complains 'the certificate of the far end is not valid'
	complains 'refuses the upload: status 413'
	complains 'client_max_body_size'
	complains 'its disk is full'
}
