# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # SC2034: names set here are used by the other files
# dropin.sh: the command config. ndmctl writes one file, conf.d/50-ndmctl.conf, and never the package's own.

DROP_IN_HEADER='# Written by ndmctl config set and ndmctl set-default; see ndm-tcp.conf(5).'

config_get() { # [KEY]
	local key
	(($# == 0)) || require_key "$1"
	require_config
	if [[ $FORMAT == json && $# == 0 ]]; then print_keys_json "${KEY_NAMES[@]}"
	elif [[ $FORMAT == json ]]; then print_keys_json "$1"
	elif (($#)); then printf '%s\n' "${CONF_VALUE[$1]}"
	else
		for key in "${KEY_NAMES[@]}"; do
			if [[ $FORMAT == plain ]]; then printf '%s\t%s\t%s\n' "$key" "${CONF_VALUE[$key]}" "${CONF_ORIGIN[$key]:-default}"
			else printf '%-20s %-15s %s\n' "$key" "${CONF_VALUE[$key]}" "${CONF_ORIGIN[$key]:-default}"; fi
		done
	fi
}

print_keys_json() { # KEY...
	local key out=''
	for key; do
		json_value "${CONF_VALUE[$key]}"
		out+="${out:+,}\"$key\":{\"value\":$REPLY"
		json_value "${CONF_ORIGIN[$key]-}"
		out+=",\"origin\":$REPLY}"
	done
	printf '{"schema":1,"command":"config get","keys":{%s}}\n' "$out"
}

config_path() {
	local file out=''
	CONF_ERRORS=()
	list_config_files
	for file in ${CONF_FILES[@]+"${CONF_FILES[@]}"}; do
		json_str "$file"
		out+="${out:+,}$REPLY"
		[[ $FORMAT == json ]] || printf '%s\n' "$file"
	done
	[[ $FORMAT != json ]] || printf '{"schema":1,"command":"config path","files":[%s]}\n' "$out"
}

config_validate() { # [FILE]
	if (($#)); then
		CONF_ERRORS=() CONF_FILES=("$1")
		! read_lines "$1" || parse_lines "$1" ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}
	else
		read_config || :
	fi
	[[ $FORMAT != json ]] || print_validity_json
	((${#CONF_ERRORS[@]} == 0)) || refuse_config
	say "configuration valid (${#CONF_FILES[@]} files)"
}

print_validity_json() {
	local error out='' valid=yes
	for error in ${CONF_ERRORS[@]+"${CONF_ERRORS[@]}"}; do
		json_str "$error"
		out+="${out:+,}$REPLY" valid=''
	done
	json_bool "$valid"
	printf '{"schema":1,"command":"config validate","valid":%s,"errors":[%s]}\n' "$REPLY" "$out"
}

config_diff() {
	local key want out='' count=0
	is_loaded || die 1 'tcp_ndm is not loaded, so there is nothing to compare with' 'ndmctl load'
	require_config
	for key in "${KEY_NAMES[@]}"; do
		live_value "$key" || continue
		want=${CONF_VALUE[$key]}
		if [[ $key == DEFAULT ]]; then
			local live=$REPLY
			configured_default
			want=$REPLY REPLY=$live
		fi
		[[ ! $want || $want == "$REPLY" ]] || print_difference "$key" "$want" "$REPLY"
	done
	diff_policies
	[[ $FORMAT != json ]] || printf '{"schema":1,"command":"config diff","differences":[%s]}\n' "$out"
	((count == 0)) || die 1 "$count value(s) differ from the configuration" 'ndmctl reload applies the configuration'
}

print_difference() { # KEY CONFIGURED LIVE; counts in the caller's count
	count=$((count + 1))
	case $FORMAT in
	json) add_difference_json "$@" ;;
	plain) printf '%s\t%s\t%s\n' "$@" ;;
	*) printf '%-20s configured %-15s live %s\n' "$@" ;;
	esac
}

add_difference_json() { # KEY CONFIGURED LIVE, to the caller's out
	json_str "$1"
	out+="${out:+,}{\"key\":$REPLY"
	json_value "$2"
	out+=",\"configured\":$REPLY"
	json_value "$3"
	out+=",\"live\":$REPLY}"
}

live_value() { # KEY of the running system, into REPLY; fails when the loaded module does not have it
	if [[ $1 == DEFAULT ]]; then current_default
	else read_value "$PARAMETERS/${1,,}"; fi
}

config_set() { # KEY VALUE
	require_key "$1"
	printable "$1=$2"
	! value_problem "$1" "$2" || die 2 "$SHOWN: $REPLY" "allowed: ${KEY_RANGE[$1]}; its default would be: ndmctl config set $1 ${KEY_DEFAULT[$1]}"
	change_drop_in "$1" "$2"
}

config_unset() { # KEY
	require_key "$1"
	change_drop_in "$1" ''
}

change_drop_in() { # KEY VALUE: an empty VALUE removes the key
	lock_state
	plan_drop_in "$1" "$2"
	require_config
	warn_overridden "$1" "$2"
	if [[ $PLANNED ]]; then :
	elif [[ $2 ]]; then tell_already "the drop-in has $1=$2"
	else tell_already "the drop-in has no $1"; fi
	stage_drop_in
	if is_loaded && [[ $1 != DEFAULT ]]; then write_parameters "$1"; fi
	publish_drop_in
	if [[ $1 == DEFAULT && $PLANNED ]]; then
		say 'note: DEFAULT is applied at boot and by ndmctl reload'
		note_unit
	fi
}

plan_drop_in() { # KEY VALUE [TARGET]: what the file is to become, into CANDIDATE; sets PLANNED to write, remove or nothing
	local line key target had='' others='' drop_in
	drop_in_path
	drop_in=$REPLY
	CANDIDATE=() CANDIDATE_SET=yes CONF_ERRORS=() REPLY_LIST=("$DROP_IN_HEADER")
	if [[ -e $drop_in || -L $drop_in ]]; then read_lines "$drop_in" || refuse_config; fi
	for line in ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}; do
		trim "${line%%=*}"
		key=$REPLY target=''
		if is_list_key "$key"; then
			trim "${line#*=}"
			unquote "$REPLY"
			target=${REPLY%:*}
		fi
		if [[ $key == "$1" && $target == "${3-}" ]]; then
			had+="$line"
			continue
		fi
		CANDIDATE+=("$line")
		[[ ! $line || $line == "$DROP_IN_HEADER" ]] || others=yes
	done
	PLANNED=''
	[[ ! $2 ]] || CANDIDATE+=("$1=$2")
	if [[ $had == "${2:+$1=$2}" ]]; then return; fi
	PLANNED='write'
	[[ $2 || $others ]] || PLANNED=remove CANDIDATE=()
}

stage_drop_in() {
	local text
	[[ $PLANNED == write ]] || return 0
	drop_in_path
	printf -v text '%s\n' "${CANDIDATE[@]}"
	stage_file "$REPLY" "${text%$'\n'}" && return 0
	drop_in_path
	die 1 "cannot write $REPLY: $WRITE_ERROR; the old file stands" "df ${REPLY%/*}; findmnt -T ${REPLY%/*}; then try again"
}

publish_drop_in() { # the last step of a change: after it, nothing is undone
	local done_well=yes
	drop_in_path
	case $PLANNED in
	write)
		[[ ! $DRY_RUN ]] || would "write ${CANDIDATE[*]: -1} > $REPLY"
		publish_file || done_well='' ;;
	remove) remove_file "$REPLY" || done_well='' ;;
	esac
	drop_in_path
	[[ $done_well ]] || die 1 "cannot replace $REPLY: $WRITE_ERROR; the old file stands" "findmnt -T ${REPLY%/*}; lsattr $REPLY"
	keep_changes
}

warn_overridden() { # KEY VALUE: said when another file decides about the key
	local origin=${CONF_ORIGIN[$1]-}
	drop_in_path
	[[ ! $origin || ${origin%:*} == "$REPLY" ]] || say "note: $1=${CONF_VALUE[$1]} in $origin decides${2:+, it is read later}"
}
