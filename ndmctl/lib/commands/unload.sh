# SPDX-License-Identifier: GPL-2.0
# unload.sh: the command unload.

needs probes/backend probes/cgroup probes/environment probes/holders probes/module steps/backend steps/struct_ops

cmd_unload() {
	if ! is_in_use && ! is_hidden && [[ ! $DRY_RUN && -e $BPF_STATE ]]; then    # of an unload that was cut off at its end
		read_mounts
		forget_bpf
	fi
	is_in_use || is_hidden || { already 'tcp_ndm is not loaded'; return 0; }
	{ ! is_container && ! is_hidden; } || die 5 'tcp_ndm is the module of the host, whose policies may need it' \
		'run ndmctl on the host, outside of this PID or cgroup namespace'
	try_unload || refuse_unload
}

refuse_unload() {
	local holder error=$RUN_ERROR hint='wait until these are closed, then: ndmctl unload'
	list_holders
	if ((${#HOLDERS[@]} == 0)); then
		RUN_ERROR=$error
		! is_bpf || explain_bpf 'unregistering the algorithms by BPF'
		shown "${RUN_ERROR##*: }"
		die 1 "modprobe -r tcp_ndm failed: $SHOWN" 'dmesg | tail'
	fi
	for holder in "${HOLDERS[@]}"; do warn "in use: $holder"; done
	current_default || :
	if is_ours "$REPLY"; then hint='ndmctl set-default cubic --runtime && ndmctl unload'
	elif [[ ${HOLDERS[0]} == 'the policy of '* ]]; then
		hint='ndmctl unload'
		for holder in "${HOLDERS[@]}"; do
			[[ ! $holder =~ ^the\ policy\ of\ the\ (cgroup|unit)\ (.*)\ is\  ]] ||
				printf -v hint 'ndmctl %s clear %q && %s' "${BASH_REMATCH[@]:1:2}" "$hint"
		done
	elif [[ ${HOLDERS[*]} == *' listening socket(s) '* ]]; then
		hint='restart the programs that listen, wait until the other sockets are closed, then: ndmctl unload'
	elif [[ ${HOLDERS[0]} == 'the route '* ]]; then 
		hint='for each of these, by ndmctl route list: ndmctl route clear DEST --table T --metric N; then: ndmctl unload'
	elif [[ ${HOLDERS[0]} == 'network namespace '* ]]; then
		hint='for each of these: ndmctl set-default cubic --netns NAME, or the pid; then: ndmctl unload'; fi
	backend_name
	die 1 "${REPLY%,} stays loaded" "$hint"
}
