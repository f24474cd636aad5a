# SPDX-License-Identifier: GPL-2.0
# backend.sh: makes the kernel know the algorithms, by the module or by BPF, and takes them away; and their parameters.

needs probes/backend probes/boot probes/cgroup probes/config probes/environment probes/holders probes/module
needs probes/policies
needs steps/module steps/struct_ops

load_ndm() { # with the configured parameters
	local wanted=${CONF_VALUE[BACKEND]}
	if is_loaded; then
		if [[ $wanted == bpf ]]; then
			replace_command
			note "note: the module is loaded, which BACKEND=bpf does not change; $REPLY"
		fi
		already 'tcp_ndm is loaded'
	elif is_bpf && [[ $wanted == module ]]; then
		die 1 'the algorithms are registered by BPF, and the kernel takes each name only once' replace_command
	elif is_bpf; then    # all of them, also after a kill, or where somebody has removed a name or a pin
		read_mounts
		if is_container || is_bpf_complete; then already 'the algorithms are registered, by BPF'; else load_bpf; fi
	elif [[ $PLANNED == *' tcp_ndm '* ]]; then return 0
	else
		case $wanted in
		bpf) load_bpf ;;
		module)
			load_module tcp_ndm
			write_parameters "${KEY_NAMES[@]}" ;;
		auto) load_either ;;
		esac
	fi
}

load_either() { # the module, and BPF only where the kernel refuses the module, or there is none
	local cause cure=() code
	backend_to_take
	if [[ $REPLY != bpf ]]; then
		if try_module tcp_ndm; then write_parameters "${KEY_NAMES[@]}"; return 0; fi
		cause=$CAUSE cure=("${HINT[@]}") code=$CODE
		if [[ ! $REFUSED ]] || find_bpf_obstacle; then die "$code" "$cause" "${cure[@]}"; fi
		CAUSE=$cause
	fi
	note "note: $CAUSE; so the algorithms are BPF programs, and $WITHOUT_RACK"
	load_bpf
}

ensure_registered() { # NAME
	is_registered "$1" && return 0
	# modprobe takes - for _, and would find a module of another algorithm's name.
	if [[ $1 == *-* ]] && { is_ours "${1//-/_}" || is_registered "${1//-/_}"; }; then
		die 2 "there is no algorithm '$1'" "did you mean ${1//-/_}?"
	fi
	if is_ours "$1"; then load_ndm; else load_module "tcp_$1"; fi
	! is_refused_by_bpf "$1" || die 1 "the kernel does not take $1 by BPF" \
		"choose one that is registered: ndmctl doctor; the module has it: ndmctl config set BACKEND module"
	[[ $DRY_RUN ]] || is_registered "$1" ||
		die 1 "the module is loaded, but the kernel does not list the algorithm '$1'" \
			'cat /proc/sys/net/ipv4/tcp_available_congestion_control'
}

write_parameters() { # KEY...: those whose live value is not the configured one
	local i key path replaced=() option=()
	if is_bpf; then write_bpf_parameters "$@"; return; fi
	list_replaced_options
	replaced=("${REPLY_LIST[@]}")
	for key; do
		is_parameter "$key" || continue
		option=()
		for ((i = 0; i < ${#replaced[@]}; i += 3)); do
			[[ ${replaced[i + 1]} != "$key" ]] || option=("${replaced[@]:i:3}")
		done
		path=$MODULE/parameters/${key,,}
		if ! read_value "$path"; then
			if [[ ! $DRY_RUN || -d $MODULE ]]; then
				warn "the loaded module has no parameter ${key,,}; ndmctl status shows whether it is an older one"
				continue
			fi
			REPLY=${option[2]-${KEY_DEFAULT[$key]}}    # a dry run of loading: the module would start with these
		fi
		[[ $REPLY != "${CONF_VALUE[$key]}" ]] || continue
		audit "parameter ${key,,}" "$REPLY" "${CONF_VALUE[$key]}"
		if [[ ${option[2]+given} && $REPLY == "${option[2]}" ]]; then
			say_replaced "${option[@]}"
			warn "$REPLY: ndmctl doctor"
		fi
		write_file "$path" "${CONF_VALUE[$key]}" kernel || refuse_parameter "$key" "$path"
	done
}

try_unload() { # fails where something holds the algorithms
	list_holders quick
	((${#HOLDERS[@]} == 0)) || return 1
	if is_bpf; then unload_bpf; return; fi
	# modprobe does not find a loaded module whose file is gone, as after an upgrade whose build failed.
	run modprobe -r tcp_ndm || { [[ $RUN_ERROR == *'not found'* ]] && run rmmod tcp_ndm; } || return 1
	# A line "remove" of modprobe.d, which runs something else.
	[[ $DRY_RUN ]] || ! is_loaded || run rmmod tcp_ndm || return 1
	audit 'module tcp_ndm' loaded 'not loaded'
}
