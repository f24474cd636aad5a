# SPDX-License-Identifier: GPL-2.0
# service.sh: what the systemd units and the packages run.

needs probes/backend probes/cgroup probes/config probes/environment probes/holders probes/module probes/records
needs probes/unit steps/apply steps/backend steps/cgroup steps/counting steps/default steps/record
needs steps/route steps/struct_ops steps/unit

# What an administrator and the configuration have chosen, except for network namespaces and routes.
WAY_BACK=(revert_default disable_counting remove_policies remove_config_units)

cmd_service_start() { apply_config; }

cmd_service_units() { # loads the modules and programs that the drop-ins of units name
	local name failed=0
	! is_being_removed || return 0
	list_unit_files
	((${#UNIT_NAMES[@]})) || return 0
	require_config
	require_bpf
	for name in "${UNIT_NAMES[@]}"; do
		if name_problem "$name"; then warn "'$name': $REPLY"; failed=$((failed + 1)); continue; fi
		in_own_shell provide_for_unit "$name" || failed=$((failed + 1))
	done
	((failed == 0)) || die 1 "$failed units start without their policy, because its program could not be loaded" \
		'ndmctl doctor'
}

cmd_service_attach() { # UNIT, which systemd has just started, or is about to start
	local name alias
	await_start "$1" || return 0
	take_lock
	! is_being_removed || return 0
	list_unit_files
	REPLY_LIST=("$1")
	! has_unit_files || ! read_unit "$1" || names_of_unit "$1"
	for alias in "${REPLY_LIST[@]}"; do
		live_unit_policy "$alias"
		[[ $REPLY == none ]] || break
	done
	name=$REPLY
	[[ $name != none ]] || return 0
	require_name "$name"
	require_config
	require_bpf
	in_own_shell apply_unit "$1" "$name" && return 0
	if read_unit "$1" anew && [[ ! ${UNIT_PROPERTY[ControlGroup]-} ]]; then return 0; fi    # it has ended meanwhile
	die 1 "$1 runs without a program of ndmctl" 'ndmctl doctor'
}

await_start() { # UNIT: until it has its cgroup; fails when it will not start. Others may change things meanwhile
	while read_unit "$1" anew; do
		[[ ${UNIT_PROPERTY[ActiveState]-} != activating || ! ${UNIT_PROPERTY[ControlGroup]-} ]] || return 0
		if [[ ! ${UNIT_PROPERTY[Job]-} ]]; then
			[[ ${UNIT_PROPERTY[ActiveState]-} != inactive && ${UNIT_PROPERTY[ActiveState]-} != failed ]]
			return
		fi
		sleep 0.5
	done
}

cmd_service_upgrade() { # the BPF programs of the version before, which are loaded, become this one's
	in_own_shell renew_counting ||
		warn 'connections are counted by a program of another version; ndmctl load takes this one'
	in_own_shell renew_bpf ||
		warn 'the algorithms stay those of the BPF programs of the version before; ndmctl load takes the new ones'
}

cmd_service_stop() { # never fails because of a connection that still uses the module
	restore_all "${WAY_BACK[@]}" || die 1 'not everything was put back' '/usr/lib/ndm-tcp/service stop'
}

cmd_service_remove() { # the tools and the records go, so nothing that ndmctl chose may stay
	if is_chroot; then
		note 'note: nothing is put back from within a chroot: what is in use was chosen outside of it'
		return 0
	fi
	[[ $DRY_RUN ]] || in_own_shell write_record removing yes ||
		warn 'units that start before the packages are gone may load the module again'
	restore_all "${WAY_BACK[@]}" revert_each_netns revert_each_route ||
		die 1 'not everything was put back; what is left ends with the next boot' advise \
			'/usr/lib/ndm-tcp/service remove, or reboot'
}

restore_all() { # STEP...: what one cannot do does not keep the others from theirs
	local step failed=''
	for step in "$@"; do in_own_shell "$step" || failed=yes; done
	unload_when_free
	[[ ! $failed ]]
}

is_being_removed() { [[ -e $RECORDS/removing ]]; }

revert_default() { QUIET=yes revert_running_default; }

revert_each_netns() { QUIET=yes revert_all_netns; }

revert_each_route() { QUIET=yes revert_all_routes; }

unload_when_free() {
	is_in_use || return 0
	if is_container; then note 'note: tcp_ndm stays loaded: it is the module of the host'; return 0; fi
	if [[ $DRY_RUN ]] && is_bpf; then would 'unregister the algorithms by BPF, unless they are in use'; return 0; fi
	if [[ $DRY_RUN ]]; then would 'run modprobe -r tcp_ndm, unless it is in use'; return 0; fi
	try_unload && return 0
	list_holders
	((${#HOLDERS[@]})) || HOLDERS=("${RUN_ERROR##*: }")
	backend_name
	note "$REPLY stays loaded, in use: $(printf '%s; ' "${HOLDERS[@]}")"
}
