# SPDX-License-Identifier: GPL-2.0
# set-default.sh: the command set-default.

needs probes/boot probes/config probes/module probes/netns steps/backend steps/config steps/default steps/module

cmd_set_default() { # [NAME]
	local name=${1-} now=yes boot=yes
	if [[ -v OPT[--runtime] ]]; then boot=''; fi
	if [[ -v OPT[--persist] ]]; then now=''; fi
	if [[ -v OPT[--revert] ]]; then
		(($# == 0)) || die 2 '--revert takes no name' 'ndmctl set-default --revert'
	else
		(($#)) || { chosen_name; die 2 'set-default needs a name' "ndmctl set-default $REPLY"; }
		require_name "$name"
	fi
	if [[ -v OPT[--netns] ]]; then change_netns_default "$name"
	else change_default "$name" "$now" "$boot"; fi
}

change_default() { # NAME NOW BOOT: an empty NAME reverts. Files are checked first and replaced last
	require_config
	if [[ $3 ]]; then plan_default "$1"; fi
	if [[ $1 && $2 ]]; then ensure_registered "$1"
	elif [[ $1 ]]; then require_available "$1"; fi
	if [[ ! $2 ]]; then :
	elif [[ $1 ]]; then
		set_running_default "$1"
		if [[ $3 ]]; then mark_applied "$1"; fi
	else revert_running_default; fi
	write_drop_in
	[[ $1 != ndm || ! $CHANGED ]] || say_variant
	if [[ $3 ]]; then note_persisted "$1"; fi
}

say_variant() { # what 'ndm' is here, for who expects the newest of them
	[[ ${CONF_VALUE[VARIANT]} != v5 ]] || return 0
	note "note: ndm is ${CONF_VALUE[VARIANT]} here, as published (VARIANT in ndm-tcp.conf); ndm_v5 also waits" \
		'for reordered packets and keeps cwnd where losses are random: ndmctl set-default ndm_v5'
}

plan_default() { # NAME
	configured_default
	if [[ $1 && $REPLY == "$1" ]]; then
		already "the configuration has DEFAULT=${CONF_VALUE[DEFAULT]}"
		return 0
	fi
	start_drop_in
	change_line DEFAULT "$1"
	require_config
	if [[ $1 ]]; then warn_overridden DEFAULT "$1"; fi
}

note_persisted() { # NAME, empty after a revert
	configured_default
	if [[ $1 ]]; then note_unit "$1"
	elif [[ $REPLY ]]; then
		override_command DEFAULT no
		note "note: DEFAULT=${CONF_VALUE[DEFAULT]} in ${CONF_ORIGIN[DEFAULT]} still applies at boot; against it: $REPLY"
	fi
}

change_netns_default() { # NAME, empty to revert: of the namespace that --netns names, or of all. Only until it ends
	local id chosen most
	require_config
	list_netns
	chosen=("${NETNS_LIST[@]}")
	if [[ ${OPT[--netns]} != all ]]; then
		find_netns "${OPT[--netns]}"
		chosen=("$REPLY")
	fi
	ulimit -Sn hard    # each stays open, to be put back if another one fails
	most=$(ulimit -n)
	[[ $most == unlimited ]] || ((${#chosen[@]} + 50 <= most)) ||
		die 1 "there are ${#chosen[@]} network namespaces, and ndmctl may open only $most files" \
			"ulimit -n $((${#chosen[@]} + 50)); then: ndmctl $COMMAND_LINE"
	forget_ended_netns
	if [[ $1 ]]; then ensure_registered "$1"; fi
	for id in "${chosen[@]}"; do
		if ! enter_netns "$id"; then
			[[ ${OPT[--netns]} == all ]] || die 1 "the network namespace ${OPT[--netns]} has just ended" \
				'ndmctl status --netns all'
		elif ! current_default; then
			die 1 "cannot enter $NETNS_SHOWN; it may not be a network namespace" "nsenter --net=${NETNS_PATH[$id]} true"
		elif [[ $1 ]]; then set_running_default "$1"
		else revert_running_default; fi
	done
	leave_netns
	if [[ $1 && $CHANGED ]]; then
		note "note: this lasts as long as the network namespace; new ones copy the system's default"; fi
}
