# SPDX-License-Identifier: GPL-2.0
# policies.sh: the check of what policies need, and whether those that were set are in force.

needs probes/boot probes/cgroup probes/config probes/environment probes/module probes/policies probes/programs
needs probes/records probes/unit

check_policies() {
	local before=${#FINDINGS[@]} more=''
	[[ -e $SYSTEM/sys/kernel/btf/vmlinux ]] || is_chroot ||
		more='; this kernel has no type information (BTF): the outermost policy wins, also over applications'
	gather_policies
	read_mounts
	((${#POLICY_PATHS[@]} + ${#UNIT_TARGETS[@]} + ${#WANTED_TARGETS[@]} == 0)) || check_needs 'policies need' || :
	check_each_policy
	check_units
	((before == ${#FINDINGS[@]})) || return 0
	if [[ " ${FOUND_KIND[*]} " != *' '@(cgroup|unit)' '* && ${#WANTED_TARGETS[@]} == 0 ]]; then
		found ok no-policies 'no cgroup and no unit has a policy'
	else found ok policies "cgroups with a policy: ${#POLICY_PATHS[@]}, units: ${#UNIT_TARGETS[@]}$more"; fi
}

# Of what the programs need that carry policies and count: fails when something is missing, of which no more can be
# said.
check_needs() { # WHO need, or needs
	if [[ ! $CGROUP_ROOT ]] && ! is_chroot; then
		found fail no-cgroups "$1 a cgroup2 hierarchy, and none is mounted" \
			'mount -t cgroup2 none /sys/fs/cgroup/unified'
	elif ! find_bpftool; then found fail no-bpftool "$1 bpftool, which is not installed" bpftool_command
	elif [[ ! $BPF_MOUNTED ]] && ! is_chroot; then
		found fail no-bpffs "$1 /sys/fs/bpf, which is not mounted" 'mount -t bpf -o mode=0700 bpf /sys/fs/bpf'
	else return 0; fi
	return 1
}

check_each_policy() {
	local i name forget=' route clear forgets that'
	for i in "${!FOUND_KIND[@]}"; do
		name=${FOUND_NAME[i]}
		shown "${FOUND_TARGET[i]}"
		if [[ $name != '?' ]] && ! is_registered "$name"; then
			module_of "$name"
			found warn policy-without-effect "the policy of ${FOUND_KIND[i]} $SHOWN has no effect: $name is not registered" \
				"modprobe $REPLY"
		fi
		case ${FOUND_KIND[i]}/${FOUND_STATE[i]} in
		cgroup/lost)
			found warn policy-lost \
				"the cgroup $SHOWN lost its policy: it was created again, or somebody has detached the program" "${FOUND_CURE[i]}" \
				;;
		cgroup/gone) found warn policy-lost "the cgroup $SHOWN, which has a policy, is gone" "${FOUND_CURE[i]}" ;;
		route/lost)
			found warn policy-lost \
				"the route $SHOWN (${FOUND_REMARK[i]%, lost}) lost its algorithm: created again, changed or removed;$forget" \
				"${FOUND_CURE[i]}" ;;
		esac
	done
}

check_units() {
	local i bare masked=()
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ ${UNIT_ORIGINS[i]} != damaged ]] || found fail policy-damaged \
			"${UNIT_PATHS[i]} is empty or damaged, so ${UNIT_TARGETS[i]} has no policy" "ndmctl unit set ${UNIT_TARGETS[i]} NAME"
	done
	list_masked
	masked=("${REPLY_LIST[@]}")
	if ((${#masked[@]} && ${#UNIT_TARGETS[@]})); then
		found warn units-masked 'units with a policy have none after their next start: what they need then is masked' \
			unmask_command "${masked[@]}"
	fi
	if has_systemd; then
		list_bare_sockets
		for bare in "${REPLY_LIST[@]}"; do
			read -ra bare <<<"$bare"
			found warn socket-bare "${bare[0]}, which activates ${bare[1]}, has no policy" \
				"ndmctl unit set ${bare[1]} ${bare[2]}"
		done
	fi
	list_detached
	[[ ! $REPLY ]] ||
		found warn units-detached "units that run without the program of their policy, which somebody has detached: $REPLY" \
			'ndmctl load'
	list_outdated_programs
	[[ ! $REPLY ]] || found warn programs-outdated \
		"policies of $REPLY use programs of another version, until they are cleared and set again, or the next boot" \
		'systemctl reboot'
}

list_detached() { # running units with a drop-in and without a program, into REPLY; only root may ask
	local unit detached=''
	REPLY=''
	if ((USER_ID != 0)) || [[ ! $CGROUP_ROOT ]] || ! can_ask || ! find_bpftool; then return 0; fi
	for unit in "${UNIT_TARGETS[@]}"; do
		if [[ $unit == *.socket ]] || unit_has_program "$unit"; then continue; fi
		if [[ $REPLY && -d $CGROUP_ROOT$REPLY ]]; then detached+="${detached:+, }$unit"; fi
	done
	REPLY=$detached
}
