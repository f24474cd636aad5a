# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# doctor-boot.sh: the checks of doctor that look at the next boot: the default, the configuration, the unit.

check_default() {
	local present wanted boot at
	current_default || :
	present=$REPLY
	read_config || :
	configured_default
	wanted=$REPLY
	sysctl_at_boot
	boot=$REPLY at=$PLACE
	if [[ $wanted ]] && ! is_available "$wanted" && ! is_ours "$wanted"; then
		report fail "DEFAULT=$wanted in ${CONF_ORIGIN[DEFAULT]}: there is no such algorithm, so the next boot cannot set it" 'ndmctl config set DEFAULT no'
	elif is_chroot; then report ok "the next boot sets ${wanted:-${boot:-no default}}"
	elif [[ $wanted && $wanted != "$present" ]]; then report warn "the configuration says $wanted, the default is $present" 'ndmctl reload'
	elif [[ $wanted && $boot && $boot != "$wanted" && $at != 'the kernel line' && $at != */run/credentials/* ]]; then
		without_line "$at"
		report warn "default $present; $at sets another one ($(word_of "$boot")); ndm-tcp.service overrides it at boot, but sysctl --system applies it" "$REPLY"
	elif [[ $wanted ]]; then report ok "the default is $present"
	elif [[ $boot && $boot != "$present" ]] && is_set_for_now "$present"; then report ok "the default is $present, until the next boot; that sets $(word_of "$boot") ($at)"
	elif [[ $boot && $boot != "$present" ]]; then
		report warn "default $present; the next boot sets another one: $at ($(word_of "$boot"))" "ndmctl set-default $present"
	elif [[ ! $boot ]] && is_ours "$present" && unread_place "$present"; then
		report warn "default $present; the next boot does not set it: $REPLY" "ndmctl set-default $present"
	elif [[ ! $boot ]] && is_ours "$present"; then report ok "the default is $present, until the next boot"
	else report ok "the default is ${present:-unknown}"; fi
}

is_set_for_now() { # NAME: by ndmctl, with --runtime; that was a choice, too
	read_record || return 1
	is_set_by_us "$1" "$SET_HERE"
}

unread_place() { # NAME: where it is named in vain, and why, into REPLY; fails when it is nowhere
	local i
	for ((i = 0; i < ${#UNREAD[@]}; i += 3)); do
		if [[ ${UNREAD[i + 1]} == "$1" ]]; then REPLY="${UNREAD[i]} ($1) ${UNREAD[i + 2]}"; return 0; fi
	done
	return 1
}

word_of() { # TEXT that somebody wrote, to print
	shown "$1"
	printf '%s' "$SHOWN"
}

check_config() {
	local i name key value given=() seen=' '
	if ! read_config; then
		report fail "${CONF_ERRORS[0]}$( ((${#CONF_ERRORS[@]} == 1)) || printf ' (and %d more)' $((${#CONF_ERRORS[@]} - 1)))" 'ndmctl config validate'
		return
	fi
	list_options tcp_ndm
	given=("${REPLY_LIST[@]}")
	for ((i = ${#given[@]} - 3; i >= 0; i -= 3)); do    # the last of a name counts
		name=${given[i + 1]} value=${given[i + 2]}
		key=${name^^}
		if ! is_parameter "$key" || [[ $seen == *" $key "* || ${CONF_VALUE[$key]} == "$value" ]]; then continue; fi
		seen+="$key "
		shown "$name=$value"
		# What a file of ndmctl says was chosen there; its default was not.
		if [[ ${CONF_ORIGIN[$key]-} ]] || value_problem "$key" "$value"; then without_option "${given[i]}" tcp_ndm "$name" "$value"
		else REPLY="ndmctl config set $key $value"; fi
		report warn "${given[i]} gives tcp_ndm the option $SHOWN; ndmctl replaces it by $key=${CONF_VALUE[$key]} (${CONF_ORIGIN[$key]:-its default})" "$REPLY"
		return
	done
	report ok "${#CONF_FILES[@]} file(s), all valid"
}

check_unit() {
	local wanted
	configured_default
	wanted=$REPLY
	if [[ $wanted ]]; then
		if lasts "$wanted"; then report ok "DEFAULT=${CONF_VALUE[DEFAULT]} is applied at boot"
		elif [[ $REPLY == 'on the host'* ]]; then report warn "$(boot_word), so DEFAULT=${CONF_VALUE[DEFAULT]} is not applied at boot; $REPLY"
		else report warn "$(boot_word), so DEFAULT=${CONF_VALUE[DEFAULT]} is not applied at boot" "$REPLY"; fi
	elif is_container; then report ok "$(boot_word), and nothing here needs it"
	elif is_enabled; then report ok 'the configuration is applied at boot'
	elif [[ ${CONF_VALUE[METRICS]-} == yes ]]; then report warn "$(boot_word), so METRICS=yes is not applied at boot" "$(enable_command)"
	else report ok "$(boot_word), and nothing is configured for boot"; fi
}
