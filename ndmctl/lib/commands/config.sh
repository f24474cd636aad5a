# SPDX-License-Identifier: GPL-2.0
# config.sh: the command config.

needs probes/backend probes/boot probes/config probes/differences probes/environment steps/backend steps/config
needs steps/counting steps/module

cmd_config_get() { # [KEY]
	local key keys=("${KEY_NAMES[@]}")
	(($# == 0)) || { require_key "$1"; keys=("$1"); }
	require_config
	if [[ -v OPT[--diff] ]]; then
		(($# == 0)) || die 2 '--diff takes no key: it compares all' 'ndmctl config get --diff'
		print_differences
		return
	fi
	in_format print_keys "$#" "${keys[@]}"
}

print_keys_json() { # ONE KEY...
	local key pairs=()
	shift
	for key; do
		json_pairs value "${CONF_VALUE[$key]}" origin "${CONF_ORIGIN[$key]-}"
		pairs+=("$key:json" "{$REPLY}")
	done
	json_pairs "${pairs[@]}"
	print_json 'config get' keys:json "{$REPLY}"
}

print_keys_plain() { # ONE KEY...
	local key
	if (($1)); then print_line "${CONF_VALUE[$2]}"; return; fi
	for key in "${@:2}"; do print_cells "$key" "${CONF_VALUE[$key]}" "${CONF_ORIGIN[$key]:-default}"; done
}

print_keys_text() { # ONE KEY...
	local key
	if (($1)); then print_line "${CONF_VALUE[$2]}"; return; fi
	for key in "${@:2}"; do print_columns '%-20s %-15s %s' "$key" "${CONF_VALUE[$key]}" "${CONF_ORIGIN[$key]:-default}"
		done
}

cmd_config_validate() { # [FILE]
	local name=${1-} valid='' errors=''
	if (($#)); then
		CONF_ERRORS=() CONF_FILES=("$1")
		if [[ $1 == - ]]; then
			name='standard input'
			[[ -e /dev/stdin && ! -d /dev/stdin ]] || die 1 'standard input is closed, or a directory' \
				'ndmctl config validate - <FILE'
			read_text "$name" || :    # not by name: a socket cannot be opened again
		else
			[[ -f $1 && -r $1 ]] || { file_problem "$1" || :; shown "$1"
			die 1 "'$SHOWN' ${REPLY:-cannot be read}" 'name a file, - for standard input, or none, to check all'; }
			read_lines "$1" || :
		fi
		((${#CONF_ERRORS[@]})) || parse_lines "$name" "${REPLY_LIST[@]}"
	else
		read_config || :
	fi
	((${#CONF_ERRORS[@]})) || valid=yes
	for name in "${CONF_ERRORS[@]}"; do
		json_str "$name"
		errors+="${errors:+,}$REPLY"
	done
	print_if_json 'config validate' valid:bool "$valid" errors:json "[$errors]"
	((${#CONF_ERRORS[@]} == 0)) || refuse_config
	note "configuration valid; files: ${#CONF_FILES[@]}"
}

print_differences() {
	begin_table 'config get' differences 'key:str configured:auto live:auto' '%-20s configured %-15s live %s' \
		'=key =configured =live'
	local live=''
	! is_in_use || live=yes
	add_differences
	end_table parameters_compared:bool "$live"
	[[ $live ]] || die 1 'tcp_ndm is not loaded, so its parameters were not compared' 'ndmctl load'
	if [[ $ROWS ]]; then die 1 "$(count_rows) value(s) differ from the configuration" \
		'ndmctl load applies the configuration'; fi
}

cmd_config_set() { # KEY VALUE ...
	local i seen=' '
	for ((i = 1; i <= $#; i += 2)); do
		require_value "${@:i:2}"
		[[ $seen != *" ${!i} "* ]] || die 2 "config set: ${!i} stands there twice" "ndmctl config set ${*:i:2}"
		seen+="${!i} "
	done
	start_drop_in
	for ((i = 1; i <= $#; i += 2)); do change_line "${@:i:2}"; done
	apply_drop_in "$@"
}

require_value() { # KEY VALUE
	require_key "$1"
	shown "$1=$2"
	! value_problem "$1" "$2" ||
		die 2 "$SHOWN: $REPLY" "allowed: ${KEY_RANGE[$1]}; to set the default: ndmctl config set $1 ${KEY_DEFAULT[$1]}"
}

cmd_config_unset() { # KEY ...
	local key pairs=()
	for key; do require_key "$key"; done
	start_drop_in
	for key; do
		change_line "$key" ''
		pairs+=("$key" '')
	done
	apply_drop_in "${pairs[@]}"
}

apply_drop_in() { # KEY VALUE ...: first to the loaded module, then to the file; what counts follows that
	local key keys=()
	require_config
	while (($#)); do
		key=$1
		warn_overridden "$1" "$2"
		keys+=("$key")
		shift 2
	done
	require_available_default
	if is_in_use; then write_parameters "${keys[@]}"; fi
	if [[ " ${keys[*]} " == *' '@(DEFAULT|METRICS|BACKEND)' '* ]] && is_drop_in_changed; then
		[[ " ${keys[*]} " != *' '@(DEFAULT|BACKEND)' '* ]] ||
			note 'note: DEFAULT is applied at boot and by ndmctl load; BACKEND when the algorithms are loaded next'
		! wanted_at_boot || note_unit
	fi
	write_drop_in
	if [[ " ${keys[*]} " == *' METRICS '* ]] && ! is_chroot; then apply_counting; fi
}

require_available_default() { # a DEFAULT that does not exist would only fail at boot
	is_drop_in_changed || return 0
	configured_default
	if [[ $REPLY ]]; then require_available "$REPLY"; fi
}
