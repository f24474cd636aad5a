# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# service-answer.sh: service answer, for ndm-tcp-metrics-http@.service: one request of HTTP/1 on standard input, one answer on standard output.

MOST_REQUEST_LINES=100 MOST_LINE_BYTES=8192 REQUEST_S=5    # of a whole request, which anybody on this machine can send

cmd_service_answer() {
	local method='' path line count=0 begin_s=$SECONDS
	refuse_json 'service answer' 'ndmctl metrics --json'
	IFS=' ' read -r -t "$REQUEST_S" -n "$MOST_LINE_BYTES" method path line || { answer '400 Bad Request' 'no request was read'; return 0; }
	[[ $line == HTTP/1.[01]?($'\r') ]] || { answer '400 Bad Request' 'that is no HTTP/1'; return 0; }
	# The rest of it says nothing that matters. To answer before it was read would reset the connection.
	while [[ $line && $line != $'\r' ]]; do
		((++count < MOST_REQUEST_LINES && SECONDS - begin_s < REQUEST_S)) || { answer '431 Request Header Fields Too Large' 'too many lines, or too slow'; return 0; }
		IFS= read -r -t "$((begin_s + REQUEST_S - SECONDS))" -n "$MOST_LINE_BYTES" line || { answer '408 Request Timeout' 'the request has no end'; return 0; }
	done
	case $method in
	GET | HEAD) ;;
	*) answer '405 Method Not Allowed' 'GET or HEAD' $'Allow: GET, HEAD\r\n'; return 0 ;;
	esac
	case ${path%%\?*} in
	/metrics)
		gather_metrics
		answer '200 OK' "$(print_metrics_text)"
		;;
	/) answer '200 OK' 'the metrics of ndm-tcp: /metrics' ;;
	*) answer '404 Not Found' 'there is only /metrics' ;;
	esac
}

answer() { # STATUS TEXT [HEADERS]
	local end=$'\r\n' body=$2$'\n'
	# shellcheck disable=SC2154  # the method of cmd_service_answer
	emit '%s' "HTTP/1.1 $1${end}Content-Type: text/plain; version=0.0.4; charset=utf-8${end}Content-Length: ${#body}${end}Connection: close$end${3-}$end"
	[[ $method == HEAD ]] || emit '%s' "$body"
}
