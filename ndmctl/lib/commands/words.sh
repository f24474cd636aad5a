# SPDX-License-Identifier: GPL-2.0
# words.sh: help --words, which the completions of bash, zsh and fish ask: what may come next on a command line.

needs probes/config

# The words of a command line, the last of them unfinished. Prints what that may become, a line each, with a tab and its
# help if it has one; a line that is a tab and FILE stands for the name of any file.
offer_words() { # WORD...
	local typed=() type='' word before='' name command
	while (($# > 1)); do
		word=$1
		shift
		if [[ $word != -* ]]; then
			typed+=("$word")
			continue
		fi
		expand_short "$word"
		name=${REPLY%%=*}
		option_argument "$name" || continue
		OPT[$name]=yes    # find_command looks there
		if [[ $REPLY == - || $word == *=* ]]; then continue; fi
		type=$REPLY
		(($# == 1)) || { type=''; shift; }
	done
	word=${1-}
	if [[ $word == --*=* ]] && option_argument "${word%%=*}"; then type=$REPLY before=${word%%=*}= word=${word#*=}; fi
	command=${typed[*]:0:2}
	find_command "$command" || command=${typed[0]-}
	if [[ $type ]]; then offer_type "$type"
	elif [[ $word == -* ]]; then offer_options "$command"
	elif find_command "$command"; then offer_argument "$command"
	elif [[ $command ]]; then offer_type WORD
	else offer_type TOPIC; fi
}

offer() { # WORD [HELP], if it begins as the unfinished one, and the shell takes it as it is: others choose names, too
	[[ $1 == "$word"* && $1 != *[^A-Za-z0-9@%+=:,./_\\-]* ]] || return 0
	printf '%s\n' "$before$1${2:+$'\t'$2}"
}

offer_options() { # COMMAND
	local i
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		! takes_option "$1" "$i" || offer "${OPTIONS[i + 1]}" "${OPTIONS[i + 3]}"
	done
}

offer_argument() { # COMMAND, found: what its row has at this place
	local types=() words at
	read -ra words <<<"$1"
	at=$((${#typed[@]} - ${#words[@]}))
	read -ra types <<<"${ARGUMENTS//[\[\].]/}"
	[[ $ARGUMENTS != *' ...' ]] || at=$((at % ${#types[@]}))
	offer_type "${types[at]-}"
}

offer_type() { # TYPE of an argument
	local name names=() i
	case $1 in
	NAME)
		read_value "$SYSTEM/proc/sys/net/ipv4/tcp_available_congestion_control" || :
		for name in "${OURS[@]}" $REPLY; do [[ " ${names[*]-} " == *" $name "* ]] || names+=("$name"); done ;;
	KEY) for ((i = 0; i < ${#KEYS[@]}; i += 4)); do offer "${KEYS[i]}" "${KEYS[i + 3]}"; done ;;
	VALUE)
		name=''
		! is_key "${typed[-1]}" || name=${KEY_RANGE[${typed[-1]}]}
		[[ $name != *'|'* ]] || IFS='|' read -ra names <<<"${name/|NAME/}"
		[[ $name != *NAME ]] || offer_type NAME ;;
	PATH) # one level of the tree at a time
		i=$SYSTEM/sys/fs/cgroup
		if [[ -d $i/unified ]]; then i=$i/unified; fi
		for name in "$i/${word#/}"*/; do
			name=${name%/}
			if [[ -d $name ]]; then names+=("${name#"$i"}"); fi
		done ;;
	UNIT)
		while read -r name _; do names+=("$name"); done < <(tool systemctl list-units --plain --no-legend \
			--type=service,socket,slice 2>/dev/null) ;;
	NS)
		names=("$SYSTEM"/run/netns/*)
		names=(all "${names[@]##*/}") ;;
	DEST) names=(default) ;;
	T) names=(main) ;;
	TOPIC)
		[[ ${typed[0]-} != help ]] || offer all 'the help of every command'
		list_first_words
		for name in "${REPLY_LIST[@]}"; do
			find_command "$name" || HELP_LINE=''
			offer "$name" "$HELP_LINE"
		done ;;
	WORD)
		list_second_words "${typed[-1]}"
		for name in "${REPLY_LIST[@]}"; do
			find_command "${typed[-1]} $name"
			offer "$name" "$HELP_LINE"
		done ;;
	FILE | TARGET) printf '\tFILE\n' ;;
	esac
	for name in "${names[@]}"; do offer "$name"; done
}
