# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# service.sh: what ndm-tcp.service runs.

service_start() { cmd_reload; }

service_reload() { cmd_reload; }

service_stop() { # never fails because of a connection that still uses the module
	lock_state
	QUIET=yes revert_running_default
	keep_changes
	remove_policies
	remove_config_units
	is_loaded || return 0
	try_unload && return 0
	list_holders
	((${#HOLDERS[@]})) || HOLDERS=("${RUN_ERROR##*: }")
	printf -v REPLY '%s; ' "${HOLDERS[@]}"
	say "tcp_ndm stays loaded, in use: ${REPLY%; }"
}
