# SPDX-License-Identifier: GPL-2.0
# load-failure.sh: why the module is not loaded, or another one. One order for all who ask: what can be seen before
# modprobe is called, then modprobe's words, then those of the kernel. The answer is in CAUSE, the exit code in CODE,
# and in HINT what helps, see core/hint.sh.

needs probes/boot probes/boot-settings probes/build probes/config probes/environment probes/kernels probes/packages
needs probes/signature

# What will keep modprobe from loading the module; fails when nothing is seen.
find_obstacle() { # MODULE
	local word
	CODE=1 REFUSED=''
	if [[ ! -e $SYSTEM/proc/modules ]]; then
		CODE=5 REFUSED=yes CAUSE='this kernel cannot load modules' HINT=(image_command)
		newest_kernel
		[[ ! $REPLY ]] || HINT=('systemctl reboot')
	elif is_chroot; then
		HINT=(enable_command)
		[[ $COMMAND != set-default ]] || HINT=("ndmctl ${COMMAND_LINE/ --runtime/} --persist")
		CODE=5 CAUSE="this is a chroot: $1 is for its own kernel, which does not run"
	elif forbidding_word "$1"; then
		word=$REPLY
		CAUSE="$word on the kernel line forbids to load $1" HINT=(without_kernel_word "$word")
	elif read_value "$SYSTEM/proc/sys/kernel/modules_disabled" && [[ $REPLY == 1 ]]; then
		CAUSE='kernel.modules_disabled=1 forbids loading until the next boot'
		HINT=(load_early_command "$1")
	elif find_diversion "$1"; then blame_diversion "$1"
	else
		[[ $1 == tcp_ndm ]] && ! is_container || return 1
		kernel_release
		find_fault_of_file "$REPLY" || find_bad_option
	fi
}

blame_diversion() { # MODULE, after find_diversion
	shown "$REPLY"
	CAUSE="$1 is disabled by a line of modprobe.d: $PLACE ($SHOWN)" HINT=(without_line "$PLACE")
}

find_bad_option() { # that modprobe would give the module; fails when there is none
	local i given=()
	list_options tcp_ndm
	given=("${REPLY_LIST[@]}")
	for ((i = 0; i < ${#given[@]}; i += 3)); do
		if is_parameter "${given[i + 1]^^}" && value_problem "${given[i + 1]^^}" "${given[i + 2]}"; then
			refuse_option_of tcp_ndm "${given[@]:i:3}"; return 0; fi
	done
	return 1
}

refuse_option_of() { # MODULE PLACE NAME VALUE: into CAUSE and HINT
	shown "$3=$4"
	CAUSE="$1 refuses an option: $SHOWN, by $2" HINT=(without_option "$2" "$1" "$3" "$4")
}

find_fault_of_file() { # KERNEL: of the module's file; fails when it is good, or missing
	judge_file "$1"
	case $FILE_STATE in
	damaged) CAUSE="$MODULE_FILE is damaged: modinfo cannot read it" HINT=(rebuild_command "$1" "$MODULE_FILE") ;;
	unindexed) CAUSE="$MODULE_FILE is there, but modprobe does not find it: depmod has not listed it" \
		HINT=("depmod -a $1") ;;
	*) return 1 ;;
	esac
}

# A file of sysctl.d sets modules_disabled before ndm-tcp.service starts. What modules-load.d names is loaded before
# that, where nothing forbids it.
load_early_command() { # MODULE, into REPLY
	if kernel_word sysctl.kernel.modules_disabled=1; then without_kernel_word "$REPLY"; return; fi
	if [[ -e $SYSTEM/etc/modules-load.d/ndm-tcp.conf ]] && find_denial "$1"; then
		if [[ $PLACE == 'the kernel line' ]]; then without_kernel_word "$REPLY"; else without_line "$PLACE"
			REPLY+=' && reboot'; fi
		return
	fi
	REPLY="echo $1 >$SYSTEM/etc/modules-load.d/ndm-tcp.conf && reboot"
	is_enabled || prefix_command "$REPLY" enable_command
}

prefix_command() { # COMMAND HINT...: the hint, and then the command
	make_hint "${@:2}"
	if [[ $ADVICE ]]; then REPLY+="; then: $1"; else REPLY+=" && $1"; fi
}

# What the kernel has said of the module at last, into REPLY; empty where nobody but root may ask, as in the sandbox
# of the service.
ask_kernel() { # MODULE
	REPLY=$(LIMIT=5 tool dmesg 2>/dev/null | grep -E "(^|[^[:alnum:]_])$1([^[:alnum:]_]|\$)" | grep -v taint | tail -n \
		2) || REPLY=''
}

# Why a module did not load, after modprobe.
explain_modprobe() { # MODULE TEXT of modprobe, empty when it succeeded without loading it
	local release said
	kernel_release
	release=$REPLY
	CODE=1 HINT=('dmesg | tail -n 20') REFUSED=''
	case $2 in
	*'command not found'*)
		CODE=5 CAUSE='the program modprobe is not installed' HINT=(install_command kmod)
		return ;;
	*'running install command'*) find_diversion "$1" called ||
		{ CAUSE="$1 is disabled by an install line in modprobe.d" HINT=("modprobe --showconfig | grep $1"); return; } ;;
	esac
	! find_obstacle "$1" || return 0
	if [[ ! $2 || $2 == *'running install command'* ]] && find_diversion "$1" called; then blame_diversion "$1"; return; fi
	[[ $2 != *'not found'* ]] || { explain_missing "$1" "$release"; return; }
	[[ $2 != *'Key was rejected'* && $2 != *'Required key not available'* ]] || { explain_key "$1"; return; }
	ask_kernel "$1"
	said=$REPLY
	case "$2 $said" in
	*'disagrees about version'* | *'no symbol version'* | *'(err -22)'*) blame_file "$1" "$release" \
		"was built with other symbol versions than those of kernel $release" ;;
	*'failed to validate module'*BTF*) blame_file "$1" "$release" \
		"was built with the type information (BTF) of another kernel than $release, from a vmlinux beside its headers" ;;
	*'version magic'* | *'(err -'*) blame_file "$1" "$release" "was built for another kernel than $release" ;;
	*'invalid for parameter'* | *'nknown parameter'* | *'Invalid argument'*) explain_option "$1" "$said" "$release" ;;
	*'Exec format error'* | *'nknown symbol'*) blame_file "$1" "$release" \
		"was built for another kernel than $release, or its file is damaged" ;;
	*'Cannot allocate memory'*) CAUSE="the kernel has no memory for $1" HINT=('free -m; dmesg | tail -n 20') ;;
	*'File exists'*) CAUSE="the kernel has an algorithm of another module, or of BPF, by a name of $1" \
		HINT=('bpftool struct_ops list; lsmod | grep ^tcp_') ;;
	*'not permitted'* | *'ermission denied'*) explain_permission "$1" ;;
	*)
		shown "${said##*$'\n'}" 200
		CAUSE="modprobe $1 failed: ${SHOWN:-${2##*: }}"
		if [[ ! $2 ]]; then CAUSE="modprobe $1 succeeded, but the module is not loaded" HINT=("modprobe --show-depends $1")
			fi
		shown "$CAUSE" 300
		CAUSE=$SHOWN ;;
	esac
}

blame_file() { # MODULE KERNEL TEXT: into CAUSE and HINT; only tcp_ndm can be built anew here
	CAUSE="$1 $3" HINT=("dmesg | grep $1")
	[[ $1 != tcp_ndm ]] || HINT=(rebuild_command "$2" "$MODULE_FILE")
}

# MODULE TEXT-OF-KERNEL KERNEL: one of its options is refused; where none is given, its file is damaged
explain_option() {
	local i place='' name='' value='' given=()
	list_options "$1"
	given=("${REPLY_LIST[@]}")
	for ((i = 0; i < ${#given[@]}; i += 3)); do    # the one that the kernel names, else the last
		place=${given[i]} name=${given[i + 1]} value=${given[i + 2]}
		[[ ${2##*invalid for parameter} != *"$name'"* ]] || break
	done
	if [[ ! $place ]]; then
		blame_file "$1" "$3" "was built for another kernel than $3, or its file is damaged"
		return
	fi
	refuse_option_of "$1" "$place" "$name" "$value"
}

explain_permission() { # MODULE
	read_lockdown
	if is_container; then CODE=5 CAUSE="loading $1 is not permitted in this container" \
		HINT=(advise 'run ndmctl load on the host; the container can then choose ndm')
	elif [[ $REPLY && $REPLY != none ]]; then explain_key "$1"
	elif [[ $(sed -n 's/^CapEff:[[:space:]]*//p' "$SYSTEM/proc/self/status" 2>/dev/null) =~ ^[0-9a-f]+$ ]] &&
		((16#${BASH_REMATCH[0]} >> 16 & 1)); then    # it has the right
		ask_kernel "$1"
		shown "${REPLY##*$'\n'}" 200
		CAUSE="the kernel does not permit to load $1, by a security module or a word of the kernel line${SHOWN:+: $SHOWN}" \
			HINT=('cat /sys/kernel/security/lsm /proc/cmdline; dmesg | tail')
	else CAUSE="loading $1 is not permitted (no CAP_SYS_MODULE)" \
		HINT=(advise 'run ndmctl load as root outside of any container or sandbox'); fi
}

explain_missing() { # MODULE KERNEL
	if [[ $1 != tcp_ndm ]]; then
		CAUSE="kernel $2 has no module $1"
		read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
		HINT=(advise "choose one that is registered: $REPLY")
		# shellcheck disable=SC2086  # several names
		nearest "${1#tcp_}" "${OURS[@]}" $REPLY
		HINT[1]="${REPLY:+did you mean $REPLY? }${HINT[1]}"
	elif is_container; then CODE=5 CAUSE="$1 is not on this system; a container uses the modules of its host" \
		HINT=(advise 'install ndm-tcp-dkms and run ndmctl load on the host')
	else explain_unbuilt "$2"; fi
}

explain_unbuilt() { # KERNEL: why it has no module
	local state command
	REFUSED=yes
	dkms_state "$1"
	state=$REPLY
	# as amid an installation
	if [[ $state != installed ]] && grep -qsx dkms "$SYSTEM"/proc/[0-9]*/comm; then
		CAUSE="DKMS is at work, and has not installed tcp_ndm for kernel $1 yet" \
			HINT=('while pgrep -x dkms >/dev/null; do sleep 1; done; ndmctl doctor')
	elif [[ $state == absent ]]; then
		CAUSE="tcp_ndm is not installed for kernel $1${DKMS_BROKEN:+: $DKMS_BROKEN}" HINT=(reinstall_command)
	elif ! has_headers "$1"; then
		lack_of_headers "$1"
		CAUSE="$REPLY, so DKMS could not build tcp_ndm" HINT=(headers_command "$1")
	elif [[ $state == installed ]]; then
		CAUSE="DKMS has installed tcp_ndm for kernel $1, but its file is gone" HINT=(rebuild_command "$1")
	else
		build_command "$1"
		command=$REPLY HINT=("$REPLY") CAUSE="DKMS has not installed tcp_ndm for kernel $1"
		! build_log "$1" || explain_log "$REPLY" "$command" "$1"
	fi
}
