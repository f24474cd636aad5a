# SPDX-License-Identifier: GPL-2.0
# ndmctl service answer: one request of HTTP on standard input. With systemd and its socket: vm/stories/admin.bats.
load helpers

setup() {
	make_root
	load_now
}

answer_to() { # REQUEST, in the escapes of printf %b
	run --separate-stderr bash -c 'printf %b "$1" | "$0" --quiet service answer' "$ON_R" "$1"
	exits 0
	output=${output//$'\r'/}
	status_line=${output%%$'\n'*}
	body=${output#*$'\n\n'}
}

@test "http: GET /metrics has what ndmctl metrics prints, in the length that it says" {
	answer_to 'GET /metrics?x=1 HTTP/1.1\r\nHost: localhost\r\nAccept: */*\r\n\r\n'
	equals "$status_line" 'HTTP/1.1 200 OK'
	says 'Content-Type: text/plain; version=0.0.4; charset=utf-8'
	equals "$(sed -n 's/^Content-Length: //p' <<<"$output")" "$(wc -c <<<"$body")"
	ndmctl --quiet metrics
	equals "$body" "$output"
	says 'ndm_tcp_loaded 1'
}

@test "http: HEAD has no text, other paths, methods and what is no HTTP are refused" {
	answer_to 'HEAD /metrics HTTP/1.1\r\n\r\n'
	equals "$status_line" 'HTTP/1.1 200 OK'
	[[ $output != *ndm_tcp* ]] || fail 'it has a text'
	answer_to 'GET / HTTP/1.0\n\n'
	equals "$body" 'the metrics of ndm-tcp: /metrics'
	answer_to 'GET /metrics/../etc/passwd HTTP/1.1\r\n\r\n'
	equals "$status_line" 'HTTP/1.1 404 Not Found'
	answer_to 'POST /metrics HTTP/1.1\r\nContent-Length: 3\r\n\r\nx=1'
	equals "$status_line" 'HTTP/1.1 405 Method Not Allowed'
	local bad
	for bad in '' '\n' 'GET\n' 'GET /metrics\n' 'GET /metrics HTTP/2.0\r\n\r\n' '\x16\x03\x01\x02\n' '$(touch CANARY) `id` HTTP/9\n'; do
		answer_to "$bad"
		equals "$status_line" 'HTTP/1.1 400 Bad Request'
	done
	if [[ -e CANARY ]]; then fail 'it ran'; fi
}

@test "http: a request without an end is not read for ever" {
	answer_to "GET /metrics HTTP/1.1\r\n$(printf 'X: y\\r\\n%.0s' {1..200})\r\n"
	equals "$status_line" 'HTTP/1.1 431 Request Header Fields Too Large'
	answer_to "GET /$(printf 'a%.0s' {1..9000}) HTTP/1.1\r\n\r\n"
	equals "$status_line" 'HTTP/1.1 400 Bad Request'
	# Each line comes in time, but there is no end of them.
	run timeout 30 bash -c '{ printf "GET /metrics HTTP/1.1\r\n"; while sleep 1; do printf "X: y\r\n" || exit; done 2>/dev/null; } | "$0" --quiet service answer' "$ON_R"
	[[ $output == 'HTTP/1.1 '@(431|408)' '* ]] || fail "$output"
	answer_to 'GET /metrics HTTP/1.1\r\nHost: x\r\n'
	equals "$status_line" 'HTTP/1.1 408 Request Timeout'
}

@test "http: a value of somebody else adds no header, and JSON is refused" {
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" $'x\r\nevil: 1'
	answer_to 'GET /metrics HTTP/1.1\r\n\r\n'
	[[ ${output%%$'\n\n'*} != *evil* ]] || fail "$output"
	ndmctl service answer --json
	refuses 2 'service answer prints no JSON'
}
