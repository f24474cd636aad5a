# SPDX-License-Identifier: GPL-2.0
# build.sh: the checks of what DKMS needs to build the module, and whether the kernel would take it.

needs probes/environment probes/kernels probes/load-failure probes/module probes/packages probes/signature
needs probes/state

is_module_of_host() { # then these checks are for the host
	if is_container; then found skip "$CHECK-of-host" 'a container uses the modules of its host'
	elif [[ ! $KERNEL ]]; then found skip no-kernel 'this chroot has no kernel yet'
	else return 1; fi
}

check_headers() {
	if is_module_of_host; then return; fi
	if has_headers "$KERNEL"; then found ok headers "headers for $KERNEL are installed"
	else
		lack_of_headers "$KERNEL"
		if [[ $ON_DISK ]]; then
			found warn headers-missing "$REPLY; the module is installed, but cannot be built again" headers_command "$KERNEL"
		else found fail headers-missing "$REPLY, so DKMS cannot build the module" headers_command "$KERNEL"; fi
	fi
}

check_dkms() {
	if is_module_of_host; then return; fi
	if find_fault_of_file "$KERNEL"; then found fail file-bad "$CAUSE" "${HINT[@]}"
	elif ! has_tool dkms && [[ $ON_DISK ]]; then found skip dkms-missing \
		'dkms is not installed; the module came another way'
	elif ! has_tool dkms; then found fail dkms-missing 'neither dkms nor the module is installed' reinstall_command
	else
		dkms_state "$KERNEL"
		if [[ $REPLY == installed && $ON_DISK ]]; then found ok dkms "ndm-tcp $DKMS_VERSION is installed for $KERNEL"
		elif [[ $REPLY == absent ]]; then
			found fail dkms-absent "${DKMS_BROKEN:-DKMS does not know ndm-tcp}" reinstall_command
		else
			explain_unbuilt "$KERNEL"
			found fail dkms-unbuilt "DKMS has ndm-tcp $DKMS_VERSION, but not for $KERNEL: $CAUSE" "${HINT[@]}"
		fi
	fi
}

check_otherkernel() { # the next boot usually takes the newest kernel
	local newest
	newest_kernel
	newest=$REPLY
	if is_container; then found skip newest-of-host 'a container boots no kernel'
	elif is_chroot; then found skip newest-of-host 'the kernel that runs is not that of this chroot'
	elif [[ ! $newest || $newest == "$KERNEL" ]]; then found ok newest-runs 'the running kernel is the newest installed'
	elif has_module_for "$newest"; then found ok newest-built "the newest kernel $newest has the module too"
	else
		explain_unbuilt "$newest"
		found warn newest-unbuilt "the newest kernel $newest has no module: ndm will be missing after the next boot; $CAUSE" \
			"${HINT[@]}"
	fi
}

check_secureboot() {
	local state=fail
	if is_container || is_chroot; then found skip secureboot-of-host 'the kernel that runs is that of the host'; return; fi
	secure_boot_state
	case $REPLY in
	off) found ok secureboot-off 'Secure Boot is off'; return ;;
	'') found ok secureboot-off 'no Secure Boot here'; return ;;
	esac
	if [[ ! $ON_DISK ]]; then found skip secureboot 'Secure Boot is on; there is no module to check'; return; fi
	judge_signature
	case $REPLY in
	enrolled) state=ok ;; unknown) state=warn ;;
	esac
	found "$state" "key-$REPLY" "Secure Boot is on and $CAUSE" "${HINT[@]}"
}

check_lockdown() {
	local lockdown enforced=''
	read_lockdown
	lockdown=$REPLY
	read_value "$SYSTEM/sys/module/module/parameters/sig_enforce" && enforced=$REPLY
	if is_container || is_chroot; then found skip lockdown-of-host 'the kernel that runs is that of the host'
	elif ! only_signed_load; then found ok unsigned-load 'unsigned modules may load'
	else judge_enforcement "only signed modules load (lockdown ${lockdown:-none}, sig_enforce ${enforced:-N})"; fi
}

judge_enforcement() { # TEXT; with Secure Boot check_secureboot judges the key
	secure_boot_state
	if [[ $REPLY == on || ! $ON_DISK ]] || is_loaded; then found ok signed-load "$1"
	elif is_signed; then found warn key-untried \
		"$1; tcp_ndm is signed, and to load it shows whether the kernel knows the key" 'ndmctl load'
	else
		explain_key tcp_ndm
		found fail not-signed "$1; tcp_ndm is not signed" "${HINT[@]}"
	fi
}
