# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# module.sh: load, unload, reload, and the parameters of the loaded module.

set_module_paths() { # --root is known only after the command line was read
	MODULE=$ROOT/sys/module/tcp_ndm
	PARAMETERS=$MODULE/parameters
}

is_loaded() { set_module_paths; [[ -d $MODULE ]]; }

is_ours() { [[ $1 == ndm || $1 == ndm_v1 || $1 == ndm_v4 || $1 == ndm_v5 ]]; }

is_registered() { # NAME
	read_value "$ROOT/proc/sys/net/ipv4/tcp_available_congestion_control" || :
	[[ " $REPLY " == *" $1 "* ]]
}

load_module() { # MODULE; dies with the reason in words
	local noted=''
	# For an undo, which must not remove what was there before. Noted before, for a signal that comes while modprobe works.
	if [[ ! $DRY_RUN && ! -d $ROOT/sys/module/${1//-/_} ]]; then
		LOADED_HERE+=("$1")
		noted=yes
	fi
	! run modprobe "$1" || return 0
	[[ ! $noted ]] || LOADED_HERE=("${LOADED_HERE[@]:0:${#LOADED_HERE[@]}-1}")
	explain_modprobe "$1" "$RUN_ERROR"
	die "$CODE" "$CAUSE" "$HINT"
}

load_ndm() { # with the configured parameters
	if is_loaded; then
		tell_already 'tcp_ndm is loaded'
		return 0
	fi
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
		die 1 "its module is loaded but the kernel does not list the algorithm '$1'" 'cat /proc/sys/net/ipv4/tcp_available_congestion_control'
}

write_parameters() { # KEY...: those whose live value is not the configured one
	local key path
	set_module_paths
	for key; do
		[[ $key != DEFAULT ]] || continue
		path=$PARAMETERS/${key,,}
		if ! read_value "$path"; then
			if [[ ! $DRY_RUN || -d $MODULE ]]; then
				warn "the loaded module has no parameter ${key,,}; ndmctl status shows whether it is an older one"
				continue
			fi
			REPLY=${KEY_DEFAULT[$key]}    # a dry run of loading: the module would start with these
		fi
		[[ $REPLY != "${CONF_VALUE[$key]}" ]] || continue
		write_value "$path" "${CONF_VALUE[$key]}" ||
			die 1 "cannot write $path: $WRITE_ERROR" "${CONF_ORIGIN[$key]:-its default} sets $key=${CONF_VALUE[$key]}; ndmctl doctor"
	done
}

cmd_load() {
	require_config
	lock_state
	load_ndm
	keep_changes
}

cmd_reload() {
	require_config
	lock_state
	apply_config
}

apply_config() { # module, parameters, DEFAULT, then the policies; connections are not touched
	if is_loaded; then write_parameters "${KEY_NAMES[@]}"; else load_ndm; fi
	apply_default
	keep_changes
	apply_policies
}

cmd_unload() {
	local other=${OPT[--force-default]-}
	if [[ -v OPT[--force-default] ]]; then
		require_name "$other"
		! is_ours "$other" || die 2 "--force-default $other needs the module that is to go" 'ndmctl unload --force-default cubic'
	fi
	is_loaded || { tell_already 'tcp_ndm is not loaded'; return 0; }
	lock_state
	current_default
	if [[ $other ]] && is_ours "$REPLY"; then
		ensure_registered "$other"
		set_running_default "$other"
		keep_changes    # stays, whoever else holds the module: only so can its connections run out
	fi
	try_unload || refuse_unload
}

try_unload() {
	list_holders quick
	((${#HOLDERS[@]} == 0)) || [[ $DRY_RUN && ${OPT[--force-default]-} ]] || return 1
	run modprobe -r tcp_ndm
}

refuse_unload() {
	local holder hint='wait until these are closed, then: ndmctl unload'
	list_holders
	((${#HOLDERS[@]})) || { printable "${RUN_ERROR##*: }"; die 1 "modprobe -r tcp_ndm failed: $SHOWN" 'dmesg | tail'; }
	for holder in "${HOLDERS[@]}"; do warn "in use: $holder"; done
	current_default
	! is_ours "$REPLY" || hint='ndmctl unload --force-default cubic'
	die 1 'tcp_ndm stays loaded' "$hint"
}
