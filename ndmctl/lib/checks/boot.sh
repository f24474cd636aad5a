# SPDX-License-Identifier: GPL-2.0
# boot.sh: the checks that look at the next boot: the default, the configuration, the unit.

needs probes/boot probes/boot-settings probes/config probes/environment probes/module probes/records probes/state

check_default() {
	local present=$PRESENT wanted='' boot at
	if read_config; then
		configured_default
		wanted=$REPLY
	fi
	sysctl_at_boot
	boot=$REPLY at=$PLACE
	if [[ $wanted ]] && ! is_available "$wanted" && ! is_ours "$wanted"; then
		found fail default-missing \
			"DEFAULT=$wanted in ${CONF_ORIGIN[DEFAULT]}: there is no such algorithm, so the next boot cannot set it" \
			override_command DEFAULT no
	elif is_chroot; then found ok default-at-boot "the next boot sets ${wanted:-${boot:-no default}}"
	elif [[ $wanted && $wanted != "$present" && ! $BACKEND ]] && is_ours "$wanted" && ! is_hidden; then
		found ok default-later "the configuration says $wanted, once it is loaded"
	elif [[ $wanted && $wanted != "$present" ]]; then
		HINT=('ndmctl load')
		if [[ $boot == "$present" && $at == /* ]]; then    # applied again, as by tuned, it would win again
			at=", by $at"
			HINT=(without_line "${at#, by }")
		else
			find_writers "$present"
			at=${REPLY:+, maybe by $REPLY}
		fi
		found warn default-other "the configuration says $wanted, the default is $present$at" "${HINT[@]}"
	elif [[ $wanted && $boot && $boot != "$wanted" && $at != 'the kernel line' && $at != */run/credentials/* ]]; then
		shown "$boot"
		found warn default-sysctl \
			"default $present; $at sets another one ($SHOWN); ndm-tcp.service overrides it, but sysctl --system applies it" \
			without_line "$at"
	elif [[ $wanted ]]; then found ok default "the default is $present"
	# by ndmctl, with --runtime; that was a choice, too
	elif [[ $boot && $boot != "$present" ]] && read_record && is_set_by_us "$present" "$SET_HERE"; then
		found ok default-for-now "the default is $present, until the next boot; that sets ${boot:0:60} ($at)"
	elif [[ $boot && $boot != "$present" ]]; then
		# Ours was chosen by hand; another one is what the system began with, before the file was written.
		if is_ours "$present"; then HINT=("ndmctl set-default $present")
		elif ! name_problem "$boot"; then HINT=("ndmctl set-default $boot --runtime")
		elif [[ $at == /* ]]; then HINT=(without_line "$at")
		else HINT=(); fi
		found warn default-at-boot "default $present; the next boot sets another one: $at (${boot:0:60})" "${HINT[@]}"
	elif [[ ! $boot ]] && is_ours "$present" && unread_place "$present"; then
		found warn default-unread "default $present; the next boot does not set it: $REPLY" "ndmctl set-default $present"
	elif [[ $boot && $BACKEND == bpf ]] && is_ours "$present"; then
		found warn default-unread \
			"default $present; the next boot does not set it: $at ($boot) is read before BPF programs can be there" \
			"ndmctl set-default $present"
	elif [[ ! $boot ]] && is_ours "$present"; then found ok default-for-now "the default is $present, until the next boot"
	else found ok default "the default is ${present:-unknown}${at:+, as $at says}"; fi
}

unread_place() { # NAME: where it is named in vain, and why, into REPLY; fails when it is nowhere
	local i
	for ((i = 0; i < ${#UNREAD[@]}; i += 3)); do
		if [[ ${UNREAD[i + 1]} == "$1" ]]; then REPLY="${UNREAD[i]} ($1) ${UNREAD[i + 2]}"; return 0; fi
	done
	return 1
}

check_config() {
	local i key value replaced=()
	if ! read_config; then
		value=''
		((${#CONF_ERRORS[@]} == 1)) || value=" (and $((${#CONF_ERRORS[@]} - 1)) more)"
		found fail config-invalid "configuration invalid, it will not be applied: ${CONF_ERRORS[0]}$value" \
			'ndmctl config validate'
		return
	fi
	list_replaced_options
	replaced=("${REPLY_LIST[@]}")
	for ((i = 0; i < ${#replaced[@]}; i += 3)); do
		key=${replaced[i + 1]} value=${replaced[i + 2]}
		# What a file of ndmctl says was chosen there; its default was not.
		if [[ ${CONF_ORIGIN[$key]-} ]] || value_problem "$key" "$value"; then
			HINT=(without_option "${replaced[i]}" tcp_ndm "${key,,}" "$value")
		else HINT=("ndmctl config set $key $value"); fi
		say_replaced "${replaced[@]:i:3}"
		found warn option-other "$REPLY" "${HINT[@]}"
	done
	((${#replaced[@]})) || found ok config "the configuration is valid; files: ${#CONF_FILES[@]}"
}

check_unit() {
	local wanted='' why
	if read_config; then
		configured_default
		wanted=$REPLY
	fi
	boot_word
	why=$REPLY
	if [[ $wanted ]] && lasts "$wanted"; then found ok boot "DEFAULT=${CONF_VALUE[DEFAULT]} is applied at boot"
	elif [[ $wanted ]]; then found warn not-at-boot "$why, so DEFAULT=${CONF_VALUE[DEFAULT]} is not applied at boot" \
		"${HINT[@]}"
	elif is_container; then found ok boot "$why, and nothing here needs it"
	elif is_enabled; then found ok boot 'the configuration is applied at boot'
	elif wanted_at_boot; then found warn not-at-boot "$why, so $REPLY is not applied at boot" enable_command
	else found ok boot "$why, and nothing is configured for boot"; fi
}
