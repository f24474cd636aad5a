# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# module.sh: loading, unloading, and the parameters of the loaded module.

PLANNED=' '    # modules that a dry run would load, each said once

load_module() { # MODULE; dies with the reason in words
	local noted=''
	if [[ $DRY_RUN ]]; then
		[[ $PLANNED == *" $1 "* ]] || run modprobe "$1"
		PLANNED+="$1 "
		return 0
	fi
	# For an undo, which must not remove what was there before. Noted before, for a signal that comes while modprobe works.
	if [[ ! -d $SYSTEM/sys/module/${1//-/_} ]]; then
		LOADED_HERE+=("$1")
		noted=yes
	fi
	if run modprobe "$1"; then
		if [[ $noted && ! -d $SYSTEM/sys/module/${1//-/_} ]]; then # an alias of another, which may have been there before; or nothing at all
			LOADED_HERE=("${LOADED_HERE[@]:0:${#LOADED_HERE[@]}-1}")
			noted=''
			if [[ $1 == tcp_ndm ]] || find_diversion "$1"; then refuse_load "$1" ''; fi
		fi
		if [[ $noted ]]; then audit "module $1" 'not loaded' loaded; fi
		return 0
	fi
	if [[ $noted ]]; then LOADED_HERE=("${LOADED_HERE[@]:0:${#LOADED_HERE[@]}-1}"); fi
	refuse_load "$1" "$RUN_ERROR"
}

refuse_load() { # MODULE TEXT of modprobe
	explain_modprobe "$1" "$2"
	die "$CODE" "$CAUSE" "$HINT"
}

load_ndm() { # with the configured parameters
	if is_loaded; then
		already 'tcp_ndm is loaded'
		return 0
	fi
	[[ $PLANNED != *' tcp_ndm '* ]] || return 0
	load_module tcp_ndm
	write_parameters "${KEY_NAMES[@]}"
}

ensure_registered() { # NAME
	is_registered "$1" && return 0
	# modprobe takes - for _, and would find a module of another algorithm's name.
	if [[ $1 == *-* ]] && { is_ours "${1//-/_}" || is_registered "${1//-/_}"; }; then
		die 2 "there is no algorithm '$1'" "did you mean ${1//-/_}?"
	fi
	if is_ours "$1"; then load_ndm; else load_module "tcp_$1"; fi
	[[ $DRY_RUN ]] || is_registered "$1" ||
		die 1 "the module is loaded, but the kernel does not list the algorithm '$1'" 'cat /proc/sys/net/ipv4/tcp_available_congestion_control'
}

write_parameters() { # KEY...: those whose live value is not the configured one
	local key path
	for key; do
		is_parameter "$key" || continue
		path=$PARAMETERS/${key,,}
		if ! read_value "$path"; then
			if [[ ! $DRY_RUN || -d $MODULE ]]; then
				warn "the loaded module has no parameter ${key,,}; ndmctl status shows whether it is an older one"
				continue
			fi
			REPLY=${KEY_DEFAULT[$key]}    # a dry run of loading: the module would start with these
		fi
		[[ $REPLY != "${CONF_VALUE[$key]}" ]] || continue
		audit "parameter ${key,,}" "$REPLY" "${CONF_VALUE[$key]}"
		write_file "$path" "${CONF_VALUE[$key]}" kernel ||
			die 1 "cannot write $path: $WRITE_ERROR" "${CONF_ORIGIN[$key]:-its default} sets $key=${CONF_VALUE[$key]}; ndmctl doctor"
	done
}

try_unload() {
	list_holders quick
	((${#HOLDERS[@]} == 0)) || [[ $DRY_RUN && ${OPT[--force-default]-} ]] || return 1
	# modprobe does not find a loaded module whose file is gone, as after an upgrade whose build failed.
	run modprobe -r tcp_ndm || { [[ $RUN_ERROR == *'not found'* ]] && run rmmod tcp_ndm; } || return 1
	# A line "remove" of modprobe.d, which runs something else.
	[[ $DRY_RUN ]] || ! is_loaded || run rmmod tcp_ndm || return 1
	audit 'module tcp_ndm' loaded 'not loaded'
}

require_available() { # NAME: it is to be the default at boot, so it must exist by then; the kernels of a tree, or of a chroot, cannot be asked
	local module
	if [[ $TREE ]] || is_chroot; then return 0; fi
	! is_available "$1" || return 0
	module_of "$1"
	module=$REPLY
	kernel_release
	explain_missing "$module" "$REPLY"
	die 1 "there is no algorithm '$1': $CAUSE" "$HINT"
}
