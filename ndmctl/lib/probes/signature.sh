# SPDX-License-Identifier: GPL-2.0
# signature.sh: whether the kernel and the firmware accept the signature of the module.

needs probes/build probes/environment probes/packages

secure_boot_state() { # on, off or empty into REPLY; the fifth byte of the variable
	local variable=$SYSTEM/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
	REPLY=''
	[[ -r $variable ]] || return 0
	REPLY=$(od -An -tu1 -j4 -N1 "$variable" 2>/dev/null) || REPLY=''
	case ${REPLY// /} in
	1) REPLY=on ;; 0) REPLY=off ;; *) REPLY='' ;;
	esac
}

read_lockdown() { # none, integrity or confidentiality into REPLY; empty when the kernel does not say
	read_value "$SYSTEM/sys/kernel/security/lockdown" || return 0
	REPLY=${REPLY#*\[}
	REPLY=${REPLY%%\]*}
}

only_signed_load() { # without Secure Boot, too
	read_lockdown
	if [[ $REPLY && $REPLY != none ]]; then return 0; fi
	read_value "$SYSTEM/sys/module/module/parameters/sig_enforce" && [[ $REPLY == Y ]]
}

is_signed() { [[ $(tool modinfo -F signer tcp_ndm 2>/dev/null) ]]; }

# The public half of what DKMS signs with, into REPLY: its own, unless its configuration names another (Ubuntu's does).
signing_key() {
	local file line
	REPLY=/var/lib/dkms/mok.pub
	for file in "$SYSTEM"/etc/dkms/framework.conf "$SYSTEM"/etc/dkms/framework.conf.d/*.conf; do
		[[ -r $file ]] || continue
		while read -r line; do
			[[ $line == mok_certificate=* ]] || continue
			line=${line#*=}
			line=${line//[\"\']/}
			[[ $line == *'$'* ]] || REPLY=$line # not a name that depends on the kernel
		done <"$file"
	done
}

# With Secure Boot on, the state of the module's key into REPLY: unsigned, unknown (without mokutil), foreign
# (not enrolled), pending (until the next boot) or enrolled; its text in CAUSE, the command that comes next in HINT.
judge_signature() {
	local key release
	kernel_release
	release=$REPLY
	signing_key
	key=$REPLY
	if ! is_signed; then
		REPLY=unsigned CAUSE='the module is not signed' HINT=(rebuild_command "$release")
		return
	fi
	if ! has_tool mokutil; then
		REPLY=unknown CAUSE='mokutil is needed to see whether its key is enrolled' HINT=(install_command mokutil)
		return
	fi
	# mokutil 0.6 never ends without permission to read its list, such as in ndm-tcp.service without CAP_SYS_ADMIN.
	case $(LIMIT=3 tool mokutil --test-key "$key" 2>&1 || :) in
	*'already enrolled'*)
		REPLY=enrolled CAUSE='the key of DKMS is enrolled' HINT=(rebuild_command "$release") ;;
	*'enrollment request'*)
		REPLY=pending CAUSE="the key $key is not enrolled yet: at the next boot, choose \"Enroll MOK\"" \
			HINT=('systemctl reboot') ;;
	*'not enrolled'*) REPLY=foreign CAUSE="the key $key is not enrolled (after the import: reboot, \"Enroll MOK\")" \
		HINT=("mokutil --import $key") ;;
	*) REPLY=unknown CAUSE='mokutil does not say whether its key is enrolled' HINT=("mokutil --test-key $key") ;;
	esac
}

explain_key() { # MODULE; enrolling a key helps only where the firmware hands keys to the kernel
	REFUSED=yes
	secure_boot_state
	if [[ $REPLY != on ]]; then
		CAUSE="this kernel accepts only modules signed with a key that it knows (module.sig_enforce or lockdown),"
		CAUSE+=" not the key of $1"
		HINT=(advise 'boot without module.sig_enforce=1 and lockdown= on the kernel line (cat /proc/cmdline);'
			'with Secure Boot you can enrol the key')
		return
	fi
	judge_signature
	case $REPLY in
	enrolled) CAUSE='its key is not the enrolled key of DKMS' ;;
	unknown)
		signing_key
		CAUSE='its key is not enrolled (after the import: reboot, "Enroll MOK")' HINT=("mokutil --import $REPLY")
		has_tool mokutil || HINT=(install_and "${HINT[0]}" mokutil) ;;
	esac
	CAUSE="Secure Boot refuses $1: $CAUSE"
}
