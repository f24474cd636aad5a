# SPDX-License-Identifier: GPL-2.0
# backend.sh: the checks of what carries the algorithms, and who uses them.

needs probes/backend probes/cgroup probes/config probes/environment probes/holders probes/load-failure probes/module
needs probes/policies probes/state

check_backend() { # what carries them, or would
	local wanted
	read_config || :
	wanted=${CONF_VALUE[BACKEND]-auto}
	if is_container || is_chroot; then found skip backend-of-host 'the kernel that runs is that of the host'
	elif [[ $BACKEND == module && $wanted == bpf ]]; then
		found warn backend-other 'the configuration says BACKEND=bpf, and the module is loaded' replace_command
	elif [[ $BACKEND == module ]]; then found ok backend-module 'the module carries the algorithms'
	elif [[ $BACKEND == bpf ]]; then judge_bpf "$wanted"
	elif would_take_bpf; then found ok backend-bpf "BPF would carry the algorithms; $WITHOUT_RACK"
	elif [[ $wanted == bpf ]]; then found fail backend-impossible "BACKEND=bpf in ${CONF_ORIGIN[BACKEND]}: $CAUSE" \
		"${HINT[@]}"
	else found ok backend-module 'the module would carry the algorithms'; fi
}

judge_bpf() { # WANTED backend
	local text="BPF programs carry the algorithms; $WITHOUT_RACK"
	read_mounts
	if [[ $1 == module ]]; then found warn backend-other "the configuration says BACKEND=module, and $text" replace_command
	elif ((USER_ID == 0)) && ! is_bpf_complete; then
		found warn backend-incomplete "$text; not all of them are there, as after a load that was cut off" 'ndmctl load'
	elif is_bpf_outdated; then found warn backend-outdated "$text; they are of another version${VERSION:+, $VERSION}" \
		'ndmctl load'
	elif [[ $1 == auto ]] && ! is_module_refused; then found ok backend-bpf "$text; the next boot takes the module"
	else found ok backend-bpf "$text"; fi
}

check_registered() {
	if is_registered ndm && [[ $BACKEND == module && $ON_DISK && $VERSION && $VERSION != "$ON_DISK" ]]; then
		found warn version-other "version $VERSION is loaded, $ON_DISK is installed" replace_command
	elif is_registered ndm; then found ok registered 'the kernel lists ndm'
	elif is_loaded; then found fail not-registered 'tcp_ndm is loaded but does not register ndm' \
		'ndmctl unload && ndmctl load'
	elif is_chroot; then found skip not-loaded 'tcp_ndm is for the kernel of this chroot, which does not run'
	elif is_container; then found warn not-loaded 'the host has not loaded tcp_ndm' advise 'on the host: ndmctl load'
	elif would_take_bpf; then found warn not-loaded 'the algorithms are not loaded; BPF would carry them' 'ndmctl load'
	elif [[ ${CONF_VALUE[BACKEND]-} == bpf ]]; then found fail not-loaded "the algorithms are not loaded: $CAUSE" \
		"${HINT[@]}"
	elif find_obstacle tcp_ndm; then found fail not-loaded "tcp_ndm is not loaded: $CAUSE" "${HINT[@]}"
	elif [[ $ON_DISK ]]; then found warn not-loaded 'tcp_ndm is installed, not loaded' 'ndmctl load'
	else
		explain_unbuilt "$KERNEL"
		found fail not-available "no tcp_ndm for kernel $KERNEL: $CAUSE" "${HINT[@]}"
	fi
}

check_inuse() {
	if ! is_in_use; then
		found skip not-in-use 'not loaded'
		return
	fi
	list_holders
	((${#HOLDERS[@]})) || { found ok not-in-use 'nothing uses the algorithms'; return; }
	printf -v REPLY '%s; ' "${HOLDERS[@]}"
	found ok in-use "in use: ${REPLY%; }"
}
