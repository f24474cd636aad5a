# SPDX-License-Identifier: GPL-2.0
# module.sh: loading modules.

needs probes/backend probes/boot-settings probes/environment probes/load-failure probes/module

PLANNED=' '    # modules that a dry run would load, each said once

load_module() { # MODULE; dies with the reason in words
	try_module "$1" || die "$CODE" "$CAUSE" "${HINT[@]}"
}

try_module() { # MODULE; fails with the reason in CAUSE, HINT, CODE and REFUSED
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
		# an alias of another, which may have been there before; or nothing at all
		if [[ $noted && ! -d $SYSTEM/sys/module/${1//-/_} ]]; then
			LOADED_HERE=("${LOADED_HERE[@]:0:${#LOADED_HERE[@]}-1}")
			noted=''
			if [[ $1 == tcp_ndm ]] || find_diversion "$1"; then explain_modprobe "$1" ''; return 1; fi
		fi
		if [[ $noted ]]; then audit "module $1" 'not loaded' loaded; fi
		return 0
	fi
	if [[ $noted ]]; then LOADED_HERE=("${LOADED_HERE[@]:0:${#LOADED_HERE[@]}-1}"); fi
	explain_modprobe "$1" "$RUN_ERROR"
	return 1
}

# NAME: it is to be the default at boot, so it must exist by then. The kernels of a tree, or of a chroot, cannot be
# asked, and others may come: what their lists of modules lack is only said.
require_available() {
	local module
	if is_chroot; then
		if is_ours "$1" || [[ $1 == reno ]]; then return 0; fi
		compgen -G "$SYSTEM/lib/modules/*/modules.builtin" >/dev/null || return 0
		grep -Eqs "/tcp_${1//-/_}\.ko" "$SYSTEM"/lib/modules/*/modules.{builtin,dep} ||
			note "note: no kernel in $SYSTEM/lib/modules has an algorithm $1"
		return 0
	fi
	! is_available "$1" || return 0
	if is_ours "$1"; then
		backend_to_take
		[[ $REPLY != bpf ]] || return 0
	fi
	module_of "$1"
	module=$REPLY
	kernel_release
	explain_missing "$module" "$REPLY"
	die 1 "there is no algorithm '$1': $CAUSE" "${HINT[@]}"
}
