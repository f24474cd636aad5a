# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# unload.sh: the command unload.

cmd_unload() {
	local other=${OPT[--force-default]-}
	if [[ -v OPT[--force-default] ]]; then
		require_name "$other"
		! is_ours "$other" || die 2 "--force-default $other is an algorithm of this module" 'ndmctl unload --force-default cubic'
		require_available "$other"
	fi
	is_loaded || is_hidden || { already 'tcp_ndm is not loaded'; return 0; }
	{ ! is_container && ! is_hidden; } || die 5 'tcp_ndm is the module of the host, whose policies may need it' 'run ndmctl on the host, outside of this PID or cgroup namespace'
	current_default || :
	if [[ $other ]] && is_ours "$REPLY"; then
		ensure_registered "$other"
		set_running_default "$other"
		keep_changes    # keep the default even if the module stays in use: its connections can then end
	fi
	try_unload || refuse_unload
}

refuse_unload() {
	local holder hint='wait until these are closed, then: ndmctl unload'
	list_holders
	((${#HOLDERS[@]})) || { shown "${RUN_ERROR##*: }"; die 1 "modprobe -r tcp_ndm failed: $SHOWN" 'dmesg | tail'; }
	for holder in "${HOLDERS[@]}"; do warn "in use: $holder"; done
	current_default || :
	if is_ours "$REPLY"; then hint='ndmctl unload --force-default cubic'
	elif [[ ${HOLDERS[0]} == 'the policy of '* ]]; then hint='clear the policies, or: ndmctl service stop'
	elif [[ ${HOLDERS[*]} == *' listening socket(s) '* ]]; then hint='restart the programs that listen, wait until the other sockets are closed, then: ndmctl unload'
	elif [[ ${HOLDERS[0]} == 'the route '* ]]; then hint='for each of these, with the --table and --metric of ndmctl route list: ndmctl route clear DEST; then: ndmctl unload'
	elif [[ ${HOLDERS[0]} == 'network namespace '* ]]; then hint='for each of these: ndmctl set-default cubic --netns NAME, or the pid; then: ndmctl unload'; fi
	die 1 'tcp_ndm stays loaded' "$hint"
}
