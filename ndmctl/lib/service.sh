# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# service.sh: what ndm-tcp.service runs.

cmd_service() {
	case $1 in
	start | reload) cmd_reload ;;
	stop) stop_service ;;
	*)
		printable "$1"
		nearest "$1" start reload stop
		die 2 "unknown command 'service $SHOWN'" "${REPLY:+did you mean \"ndmctl service $REPLY\"? }ndmctl help service" ;;
	esac
}

stop_service() { # never fails because of a connection that still uses the module
	lock_state
	QUIET=yes revert_running_default
	keep_changes
	is_loaded || return 0
	try_unload && return 0
	list_holders
	((${#HOLDERS[@]})) || HOLDERS=("${RUN_ERROR##*: }")
	printf -v REPLY '%s; ' "${HOLDERS[@]}"
	say "tcp_ndm stays loaded, in use: ${REPLY%; }"
}
