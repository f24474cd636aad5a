# SPDX-License-Identifier: GPL-2.0
# config.sh: the one configuration file that ndmctl writes, conf.d/50-ndmctl.conf; never the package's own. Changes go
# to CANDIDATE, which probes/config.sh reads in place of the file, so that they are checked before they are written.

needs probes/boot probes/config

DROP_IN_HEADER='# Written by ndmctl config set and ndmctl set-default; see ndm-tcp.conf(5).'
DROP_IN_BEFORE=''    # the text that the file has

start_drop_in() { # its present lines into CANDIDATE
	drop_in_path
	local drop_in=$REPLY
	refuse_dirs_of_others "$drop_in"
	CANDIDATE=() CANDIDATE_SET=yes CONF_ERRORS=() CONF_READ='' DROP_IN_BEFORE='' REPLY_LIST=()
	if [[ -e $drop_in || -L $drop_in ]]; then read_lines "$drop_in" || refuse_config; fi
	CANDIDATE=("${REPLY_LIST[@]}")
	join_candidate
	DROP_IN_BEFORE=$REPLY
}

join_candidate() { # into REPLY
	REPLY=''
	((${#CANDIDATE[@]} == 0)) || printf -v REPLY '%s\n' "${CANDIDATE[@]}"
}

# KEY VALUE [TARGET]: the one line of KEY, or of KEY=TARGET:..., becomes KEY=VALUE; an empty VALUE removes it
change_line() {
	local line key target had='' lines=()
	for line in "${CANDIDATE[@]}"; do
		trim "${line%%=*}"
		key=$REPLY target=''
		if is_list_key "$key"; then
			trim "${line#*=}"
			unquote "$REPLY"
			target=${REPLY%:*}
		fi
		if [[ $key == "$1" && $target == "${3-}" ]]; then had+=$line; else lines+=("$line"); fi
	done
	[[ $had != "${2:+$1=$2}" ]] || { already "the drop-in has ${2:+$1=$2}${2:-no $1}"; return 0; }
	if [[ $2 && ${#CANDIDATE[@]} -eq 0 ]]; then lines=("$DROP_IN_HEADER"); fi
	if [[ $2 ]]; then lines+=("$1=$2"); fi
	audit "$SYSTEM/etc/ndm-tcp: $1${3:+ of $3}" "${had#*=}" "${2#"${3+$3:}"}"
	CANDIDATE=("${lines[@]}")
}

write_drop_in() { # the last step of a change, when all else has succeeded
	local file text line new=''
	[[ $CANDIDATE_SET ]] || return 0
	drop_in_path
	file=$REPLY
	join_candidate
	text=$REPLY
	[[ $text != "$DROP_IN_BEFORE" ]] || return 0
	for line in "${CANDIDATE[@]}"; do
		[[ $line == "$DROP_IN_HEADER" || $'\n'$DROP_IN_BEFORE == *$'\n'"$line"$'\n'* ]] || new+="${new:+ }$line"
	done
	for line in "${CANDIDATE[@]}"; do
		[[ $line && $line != "$DROP_IN_HEADER" ]] || continue
		write_file "$file" "${text%$'\n'}" durable "${new:-${CANDIDATE[*]: -1}}" && return 0
		die 1 "cannot write $file: $WRITE_ERROR" "df ${file%/*}; findmnt -T ${file%/*}; lsattr $file"
	done
	remove_file "$file" durable || die 1 "cannot remove $file: $WRITE_ERROR" "findmnt -T ${file%/*}; lsattr $file"
}

is_drop_in_changed() {
	join_candidate
	[[ $REPLY != "$DROP_IN_BEFORE" ]]
}

warn_overridden() { # KEY VALUE: when another file overrides the key
	local origin=${CONF_ORIGIN[$1]-}
	drop_in_path
	if [[ $origin && ${origin%:*} != "$REPLY" ]]; then note \
		"note: $1=${CONF_VALUE[$1]} in $origin overrides it${2:+, because it is read later}"; fi
}

note_unit() { # [NAME of a default]
	local why
	if lasts "${1-}"; then return 0; fi
	boot_word
	why=$REPLY
	make_hint "${HINT[@]}"
	note "note: $why, so nothing is applied at boot${REPLY:+; $REPLY}"
}
