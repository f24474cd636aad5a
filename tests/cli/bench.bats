# SPDX-License-Identifier: GPL-2.0
# ndmctl bench without a network: the command line, statistics, results of others. What it does on a path: bench-path.bats.
load helpers

setup() {
	PATH=/usr/bin:/usr/sbin:/bin:/sbin    # the python3 of the system
	RESULT=$BATS_TEST_TMPDIR/result.json
}

bench() { run --separate-stderr "$NDMCTL" bench "$@"; }

# A result of seven blocks in which bbr has twice Cubic's goodput; each CHANGE is a line of Python on run, flow.
make_result() { # FILE [CHANGE...]
	/usr/bin/python3 - "$@" <<-'END'
		import json, sys
		flows = []
		for block in range(1, 8):
		    for slot, rate in (("cubic", 10.0), ("cubic-again", 10.5), ("bbr", 20.0)):
		        flows.append(dict(block=block, slot=slot, algorithm=slot[:5].rstrip("-"), began="2026-11-23T12:00:00Z", ok=True, seconds=15.0,
		            acked_bytes=int(rate * 1e6), goodput_bits_per_second=rate * 1e6 + block, sent_bytes=int(rate * 1e6), retransmitted_bytes=1000,
		            sent_segments=1000, retransmitted_segments=10, dsacks=1, reorderings=2, srtt_median_us=40000, rtt_min_us=39000,
		            idle_rtt_us=39000, cwnd_median_pkts=50, delivery_rate_median_bits_per_second=1e7, receive_window_limited_share=0.0,
		            send_buffer_limited_share=0.0, busiest_processor_percent=10.0, far_cpu_percent=None, flags=[],
		            series=dict(step_ms=100, acked_bytes=[1000] * 200, srtt_us=[40000] * 200)))
		run = dict(schema=1, command="bench", ndmctl="0.1.0", began="2026-11-23T12:00:00Z", ended="done", warning=None, sent_bytes=5000000,
		    target=dict(kind="iperf3", address=None, path_id="0123456789abcdef"),
		    machine=dict(kernel="6.12", architecture="x86_64", processors=2, module_version=None, ndm_variant=None, default_algorithm="cubic",
		        default_qdisc="fq"),
		    plan=dict(algorithms=["cubic", "bbr"], blocks=7, seconds=20, skipped_seconds=5.0, pause_seconds=2.0, seed=7, budget_bytes=None),
		    flows=flows)
		flow = flows[0]
		for change in sys.argv[2:]:
		    exec(change)
		json.dump(run, open(sys.argv[1], "w"))
	END
}

@test "bench: statistics agree with hand-worked answers" {
	run /usr/bin/python3 -B "$CLI/bench/test_stats.py"
	equals "$status" 0
}

@test "bench: pyflakes finds nothing, and no file is too long" {
	local file
	((EUID)) || "$CLI/../../.ci/need" pyflakes3
	/usr/bin/python3 -m pyflakes /dev/null 2>/dev/null || skip 'pyflakes3 is not installed'
	run /usr/bin/python3 -m pyflakes "$CLI"/../../ndmctl/bench/*.py "$CLI"/bench/*.py
	equals "$output" ''
	for file in "$CLI"/../../ndmctl/bench/*.py; do (($(wc -l <"$file") < 600)) || fail "$file"; done
}

@test "bench: without its package, exit 5 and the line of apt" {
	mkdir "$BATS_TEST_TMPDIR/on"
	cp -r "$CLI/../../ndmctl/ndmctl" "$CLI/../../ndmctl/lib" "$BATS_TEST_TMPDIR/on"
	NDMCTL=$BATS_TEST_TMPDIR/on/ndmctl bench iperf3://192.0.2.1
	[ "$status" = 5 ] && [[ $stderr == *'ndm-tcp-bench'*'hint: apt install ndm-tcp-bench' ]] || fail "$status $stderr"
}

@test "bench: without python3, exit 5 and the line of apt" {
	make_root
	ndmctl bench iperf3://127.0.0.1
	refuses 5 python3 'apt install python3'
}

@test "bench: wrong usage" {
	bench; refuses 2 TARGET
	bench iperf3://a iperf3://b; refuses 2 iperf3://b
	bench --show; refuses 2 FILE
	bench --show --blocks 3 x; refuses 2 --blocks
	bench --blocks 0 iperf3://a; refuses 2 "--blocks: '0'"
	bench --seconds 1e3 iperf3://a; refuses 2 --seconds
	bench --budget -1 iperf3://a; refuses 2 --budget
	bench --seed 99999999999999999999 iperf3://a; refuses 2 --seed
	bench --algorithms 'reno,$(x)' iperf3://a; refuses 2 '$(x)'
	bench --algorithms '' iperf3://a; refuses 2 --algorithms
	bench --enable iperf3://a; refuses 2 --enable
}

@test "bench: what is no target is refused, and reaches no program as an option" {
	local target
	for target in example.net http://example.net iperf3:// iperf3://-oProxyCommand=x ssh://-oProxyCommand=x ssh://-l@host 'ssh://host;id' 'ssh://a b' \
		iperf3://host:0 iperf3://host:99999 iperf3://user@host iperf3://host/path $'https://host/\r\nX: y' "iperf3://$(printf %03000d 1)" $'iperf3://\e[2J'; do
		bench -n "$target"
		refuses 2
		[[ $stderr != *$'\e'* ]] || fail 'raw'
	done
}

@test "bench: a dry run says what would be sent, and sends nothing" {
	((EUID == 0)) || skip 'Cubic may not be allowed to users here'
	bench -n --algorithms reno --blocks 2 --seconds 10 --budget 50 --seed 7 iperf3://192.0.2.1
	exits 0
	says 'would: iperf3://192.0.2.1: 2 blocks of cubic, cubic-again, reno; 6 flows of 10 s'
	says 'seed 7'
	says 'at most 50.0 MB'
}

@test "bench: an algorithm that is not there, or not allowed, is named with its cure" {
	((EUID == 0)) || skip 'Cubic, beside which all are measured, may not be allowed to users here'
	bench -n --algorithms ndm_v5x iperf3://192.0.2.1
	refuses 1 "'ndm_v5x' is not registered" 'ndmctl load'
	copy_ndmctl
	local restricted
	restricted=$(comm -23 <(tr ' ' '\n' </proc/sys/net/ipv4/tcp_available_congestion_control | sort) \
		<(tr ' ' '\n' </proc/sys/net/ipv4/tcp_allowed_congestion_control | sort) | head -n 1)
	[[ $restricted ]] || skip 'this kernel restricts none'
	as_nobody "$NDMCTL" bench -n --algorithms "$restricted" iperf3://192.0.2.1
	refuses 1 "users may not choose the algorithm '$restricted'" 'tcp_allowed_congestion_control'
}

@test "bench: --show says what follows from a result" {
	make_result "$RESULT"
	bench --show "$RESULT"
	exits 0
	says 'bbr: faster than Cubic; goodput +95 %'
	says 'Cubic twice in each block: +5.0 %'
	says 'iperf3://... (path 0123456789abcdef)'
	bench --show --plain "$RESULT"
	equals "$(cut -f 1-5,7,11 <<<"$output")" $'0123456789abcdef\tcubic\t14\t10250004.0\t9.8e-05\t-\t-\n0123456789abcdef\tbbr\t7\t20000004.0\t5e-05\t1.9518\tfaster'
	bench --show --json "$RESULT"
	json_is '"\(.schema) \(.command) \(.paths[0].algorithms[1].comparison.verdict) \(.paths[0].algorithms[1].comparison.blocks)"' '1 bench faster 7'
}

@test "bench: --show joins the results of one path, and keeps others apart" {
	make_result "$RESULT" 'run["flows"] = flows[:9]'
	bench --show "$RESULT"
	says 'bbr: no verdict: 3 blocks, 6 needed'
	bench --show "$RESULT" "$RESULT"
	says 'bbr: faster than Cubic'
	says '6 blocks, 18 flows'
	make_result "$RESULT.2" 'run["flows"] = flows[:9]; run["target"]["path_id"] = "fedcba9876543210"'
	bench --show "$RESULT" "$RESULT.2"
	equals "$(grep -c 'no verdict: 3 blocks' <<<"$output")" 2
}

@test "bench: what spoils a measurement is said" {
	make_result "$RESULT" 'flow["flags"] = ["cpu", "receive-window", "other-traffic"]' 'flows[3].update(flags=["send-buffer", "far-cpu"])' \
		'flows[4].update(ok=False, failed="closed")' 'for i, f in enumerate(flows): f["idle_rtt_us"] = 10000 + 2000 * i'
	bench --show "$RESULT"
	says 'caution (1 of 21 flows): a processor of this machine'
	says 'receive window'
	says 'others used the network device'
	says 'send buffer'
	says "the far end's processor"
	says 'caution (1 of 21 flows): flows failed'
	says 'caution: the RTT without load changed'
	make_result "$RESULT"
	bench --show "$RESULT"
	equals "$(grep caution <<<"$output")" 'caution: Cubic differs from itself; the blocks are no fair comparison'
}

@test "bench: a page has pictures, fetches nothing and runs nothing" {
	make_result "$RESULT"
	bench --show --html "$BATS_TEST_TMPDIR/page.html" "$RESULT"
	exits 0
	equals "$(grep -o '<svg' "$BATS_TEST_TMPDIR/page.html" | wc -l)" 3
	grep -q 'bbr: faster than Cubic' "$BATS_TEST_TMPDIR/page.html"
	run grep -oE '(src=|href|url|@import|<script|<link|https?:)[^ ]*' "$BATS_TEST_TMPDIR/page.html"
	equals "$output" ''
	/usr/bin/python3 -c 'import sys, xml.etree.ElementTree as tree, re
for picture in re.findall("<svg.*?</svg>", open(sys.argv[1]).read(), re.S): tree.fromstring(picture)' "$BATS_TEST_TMPDIR/page.html"
}

@test "bench: names in a result of others are neither HTML nor raw on a terminal" {
	local evil='"<script>alert(1)</script>\x1b[2J\x1b]0;x\x07&"'
	make_result "$RESULT" "run['target']['address'] = $evil" "run['machine']['kernel'] = $evil" "run['machine']['module_version'] = $evil" \
		"run['machine']['ndm_variant'] = $evil" "run['machine']['default_qdisc'] = $evil" "run['warning'] = $evil" "run['began'] = $evil"
	bench --show --html "$BATS_TEST_TMPDIR/page.html" "$RESULT"
	exits 0
	[[ $output$stderr != *$'\e'* && $output$stderr != *$'\a'* ]] || fail raw
	says '\u001b[2J'
	! grep -q '<script' "$BATS_TEST_TMPDIR/page.html" || fail 'it has a script'
	! grep -q $'\e' "$BATS_TEST_TMPDIR/page.html" || fail 'it has an escape'
	make_result "$RESULT" 'run["plan"]["algorithms"] = ["cubic", "<b>"]'
	bench --show "$RESULT"
	refuses 1 'no result of ndmctl bench' algorithms
}

@test "bench: a file that is no result is an error with a hint, whatever is in it" {
	local change text
	for change in 'run["flows"][0]["goodput_bits_per_second"] = 0' 'flow["goodput_bits_per_second"] = -5' 'flow["goodput_bits_per_second"] = True' \
		'flow["goodput_bits_per_second"] = 1e400' 'flow["acked_bytes"] = -1' 'flow["seconds"] = 1e30' 'flow["block"] = [1]' 'flow["series"] = None' 'flow["series"]["acked_bytes"] = [None]' \
		'flow["series"]["acked_bytes"] = [0] * 30000' 'flow["flags"] = {}; flow["flags"] = 3' 'run["schema"] = 2' 'run["schema"] = None' 'run["command"] = "status"' \
		'run["flows"] = [1]' 'run["flows"] = [flow] * 6000' 'run["plan"] = []' 'run["plan"]["algorithms"] = []' 'run["target"]["path_id"] = "../../x"' \
		'run["sent_bytes"] = "1"' 'flow["slot"] = 1' 'run["ended"] = None' 'flow["ok"] = 1' 'flow["idle_rtt_us"] = "x"' 'del run["machine"]'; do
		make_result "$RESULT" "$change"
		bench --show "$RESULT"
		refuses 1 'no result of ndmctl bench'
		[[ $stderr != *Traceback* ]] || fail "$change"
	done
	for text in '' '[]' 'null' '{' '{"schema":1,"command":"bench"}' "$(printf '[%.0s' {1..100000})" "$(printf '{"schema":%s}' "$(printf %05000d 1)")"; do
		printf %s "$text" >"$RESULT"
		bench --show "$RESULT"
		refuses 1 'no result of ndmctl bench'
		[[ $stderr != *Traceback* ]] || fail "${text:0:50}"
	done
	head -c 40000000 /dev/zero >"$RESULT"
	bench --show "$RESULT"
	refuses 1 'too large'
	bench --show "$BATS_TEST_TMPDIR"
	refuses 1 'cannot read'
	bench --show "$BATS_TEST_TMPDIR/none"
	refuses 1 'cannot read'
}

@test "bench: a file that cannot be written is an error before anything is sent" {
	((EUID == 0)) || skip 'Cubic may not be allowed to users here'
	bench --algorithms reno -o "$BATS_TEST_TMPDIR/none/x" iperf3://192.0.2.1; refuses 1 'does not exist'
	bench --algorithms reno -o "$BATS_TEST_TMPDIR" iperf3://192.0.2.1; refuses 2 --output
	bench --algorithms reno -o /dev/full iperf3://192.0.2.1; refuses 2 --output
	bench --algorithms reno -o /proc/x iperf3://192.0.2.1; refuses 1 'cannot write'
	bench --algorithms reno -o "$BATS_TEST_TMPDIR/x" --html "$BATS_TEST_TMPDIR/../${BATS_TEST_TMPDIR##*/}/x" iperf3://192.0.2.1
	refuses 2 'name the same file'
	mkdir -m 0300 "$BATS_TEST_TMPDIR/unread"
	chown 65534 "$BATS_TEST_TMPDIR/unread"
	copy_ndmctl
	as_nobody "$NDMCTL" bench -n --algorithms reno -o "$BATS_TEST_TMPDIR/unread/x" iperf3://192.0.2.1
	refuses 1 'its directory cannot be read'
	bench --algorithms reno --html /proc/x iperf3://192.0.2.1; refuses 1 'cannot write'
	make_result "$RESULT"
	bench --show --html /proc/x "$RESULT"; refuses 1 'cannot write'
	run --separate-stderr bash -c '"$0" bench --show "$1" >/dev/full' "$NDMCTL" "$RESULT"
	refuses 1 'cannot be written'
}

@test "bench: no other user's link misleads root" {
	((EUID == 0)) || skip 'only root can be misled'
	local dir=$BATS_TEST_TMPDIR/theirs
	make_result "$RESULT"
	mkdir "$dir" "$BATS_TEST_TMPDIR/victim"
	ln -s "$BATS_TEST_TMPDIR/victim" "$dir/there"
	echo precious >"$BATS_TEST_TMPDIR/victim/file"
	ln -s "$BATS_TEST_TMPDIR/victim/file" "$dir/link"
	chown -Rh nobody "$dir"
	bench --show --html "$dir/there/page.html" "$RESULT"
	refuses 1 'cannot write'
	equals "$(ls "$BATS_TEST_TMPDIR/victim")" file
	bench --show --html "$dir/link" "$RESULT"
	exits 0
	equals "$(cat "$BATS_TEST_TMPDIR/victim/file")" precious
	if [[ -L $dir/link ]]; then fail 'the link is still there'; fi
}

@test "bench: nothing of the environment or of the present directory is run" {
	make_result "$RESULT"
	mkdir "$BATS_TEST_TMPDIR/here"
	cd "$BATS_TEST_TMPDIR/here"
	local name
	for name in json stats sitecustomize signal; do echo 'open("ran", "w")' >"$name.py"; done
	PYTHONPATH=$PWD PYTHONSTARTUP=$PWD/json.py bench --show "$RESULT"
	exits 0
	if [[ -e ran ]]; then fail 'it was run'; fi
	if [[ -e $CLI/../../ndmctl/bench/__pycache__ ]]; then fail 'it left compiled files'; fi
}

@test "bench: why a login by ssh failed is always said" {
	((EUID == 0)) || skip 'Cubic may not be allowed to users here'
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/ssh" <<-'END'
		#!/bin/sh
		for word; do [ "$word" != -G ] || { echo 'hostname 127.0.0.1'; echo 'port 22'; exit 0; }; done
		printf 'alice: \033[31mPermission denied.\n' >&2
		exit 255
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/ssh"
	local tries
	for tries in {1..15}; do    # of the thread that passes it on, some were too late
		PATH=$BATS_TEST_TMPDIR/bin:$PATH bench --algorithms reno --blocks 1 ssh://127.0.0.1
		refuses 1 'ssh: alice: \u001b[31mPermission denied.' 'the login by ssh failed'
	done
}
