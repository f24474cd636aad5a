# SPDX-License-Identifier: GPL-2.0
# ndmctl bench without a network: the command line, statistics, results of others. What it does on a path: ../cli-root/bench-path.bats.
load helpers
load bench/result

setup() {
	PATH=/usr/bin:/usr/sbin:/bin:/sbin    # the python3 of the system
	RESULT=$BATS_TEST_TMPDIR/result.json
}

@test "bench: statistics agree with hand-worked answers" {
	run /usr/bin/python3 -B "$CLI/bench/test_stats.py"
	equals "$status" 0
}

@test "bench: without its package, or without python3, exit 5 and the line of apt" {
	mkdir "$BATS_TEST_TMPDIR/on"
	cp -rL "$CLI/../../ndmctl/ndmctl" "$CLI/../../ndmctl/lib" "$BATS_TEST_TMPDIR/on"
	NDMCTL=$BATS_TEST_TMPDIR/on/ndmctl bench iperf3://192.0.2.1
	[ "$status" = 5 ] && [[ $stderr == *'ndm-tcp-bench'*'hint: apt install ndm-tcp-bench' ]] || fail "$status $stderr"
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
	for target in example.net http://example.net iperf3:// iperf3://-V ssh://-G ssh://-l@host 'ssh://host;id' 'ssh://a b' \
		iperf3://host:0 iperf3://host:99999 iperf3://user@host iperf3://host/path 'https://host/a b' $'https://host/\r\nX:y' "iperf3://$(printf %03000d 1)" $'iperf3://\e[2J'; do
		bench -n "$target"
		refuses 2
		[[ $stderr != *$'\e'* ]] || fail 'raw'
	done
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

# bats test_tags=ci
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
