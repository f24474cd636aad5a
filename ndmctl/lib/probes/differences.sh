# SPDX-License-Identifier: GPL-2.0
# differences.sh: what the running system has, and the configuration does not say.

needs probes/backend probes/config probes/counting probes/module probes/records probes/unit

add_differences() { # a row each
	local key want live
	for key in "${KEY_NAMES[@]}"; do
		live_value "$key" || continue
		live=$REPLY want=${CONF_VALUE[$key]}
		if [[ $key == DEFAULT ]]; then
			configured_default
			want=$REPLY
		fi
		if [[ $want && $want != "$live" ]]; then add_row "$key" "$want" "$live"; fi
	done
	diff_policies
}

live_value() { # KEY of the running system, into REPLY; fails when the loaded module does not have it
	if [[ $1 == DEFAULT ]]; then current_default
	elif [[ $1 == METRICS ]]; then
		counting_state
		REPLY=${REPLY:-no}
	elif [[ $1 == BACKEND ]]; then return 1
	else read_state "parameters/${1,,}"; fi
}

diff_policies() { # missing policies, and those no longer configured
	local i index live
	read_policies
	read_states
	list_unit_files
	resolve_wanted_units
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_NAMES[i]} != no ]] || continue
		live=none
		if [[ ${WANTED_KINDS[i]} == CGROUP ]] && find_policy "${WANTED_TARGETS[i]}"; then
			index=$REPLY
			policy_state "$index"
			live=${POLICY_NAMES[index]}
			[[ $REPLY == active ]] || live=$REPLY
		elif [[ ${WANTED_KINDS[i]} == UNIT ]]; then live_unit_policy "${WANTED_TARGETS[i]}"; live=$REPLY; fi
		[[ $live == "${WANTED_NAMES[i]}" ]] || add_row "${WANTED_KINDS[i]}=${WANTED_TARGETS[i]}" "${WANTED_NAMES[i]}" "$live"
	done
	for index in "${!POLICY_PATHS[@]}"; do
		if [[ ${POLICY_ORIGINS[index]} != config ]] || find_wanted CGROUP "${POLICY_PATHS[index]}"; then continue; fi
		add_row "CGROUP=${POLICY_PATHS[index]}" no "${POLICY_NAMES[index]}"
	done
	for index in "${!UNIT_TARGETS[@]}"; do
		if [[ ${UNIT_ORIGINS[index]} != config ]] || is_wanted_unit "${UNIT_TARGETS[index]}"; then continue; fi
		add_row "UNIT=${UNIT_TARGETS[index]}" no "${UNIT_NAMES[index]}"
	done
}
