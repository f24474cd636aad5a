# SPDX-License-Identifier: GPL-2.0
# help.sh: the command help. Every text comes from the tables of grammar.sh.

cmd_help() { # [TOPIC [WORD]], or all
	local topic=${*-}
	if [[ -v OPT[--version] ]]; then
		needs probes/kernels
		own_version
		in_format print_version "$REPLY"
		return
	fi
	if [[ -v OPT[--json] ]]; then die 2 'help prints no JSON' 'ndmctl help --plain'; fi
	if [[ -v OPT[--words] ]]; then
		needs commands/words
		offer_words "$@"
		return
	fi
	if [[ $topic == all ]]; then
		list_first_words
		for topic in "${REPLY_LIST[@]}"; do cmd_help "$topic"; done
	elif (($#)); then
		find_topic "$@"
		in_format print_topic "$topic"
	else in_format print_help; fi
}

find_topic() { # TOPIC [WORD]: must be a command, or the first word of some
	local most=1
	list_second_words "$1"
	if ((${#REPLY_LIST[@]})); then
		most=2
		(($# == 1)) || find_command "$1 $2" || refuse_word "$2" "$1 "
	else find_command "$1" || refuse_word "$1"; fi
	(($# <= most)) || { shown "${!#}"; die 2 "help: one word too many: '$SHOWN'" "ndmctl help ${*:1:most}"; }
}

usage_of() { # COMMAND, found, into REPLY
	local i
	REPLY="ndmctl $1"
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		if [[ ${OPTIONS[i]} != '*' ]] && takes_option "$1" "$i"; then REPLY+=' [OPTION...]'; break; fi
	done
	REPLY+=${ARGUMENTS:+ $ARGUMENTS}
}

print_entry() { # WIDTH NAME TEXT: the text beside the name, in 80 columns
	local words word line=''
	read -ra words <<<"$3"
	printf -v line "%-$1s" "${2:+  $2}"
	for word in "${words[@]}"; do
		if ((${#line} + 1 + ${#word} > 80)); then
			print_line "$line"
			printf -v line "%-$1s" ''
		fi
		line+=" $word"
	done
	print_line "$line"
}

print_version() { print_line "ndmctl $1"; }

print_version_json() { print_json version ndmctl:str "$1"; }

print_options() { # COMMAND or *
	local i k name
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		if [[ $1 == '*' || ${OPTIONS[i]} == '*' ]]; then
			[[ ${OPTIONS[i]} == "$1" ]] || continue
		elif ! takes_option "$1" "$i"; then continue; fi
		name=${OPTIONS[i + 1]}
		for ((k = 1; k < ${#SHORT_OPTIONS[@]}; k += 2)); do
			[[ ${SHORT_OPTIONS[k]} != "${OPTIONS[i + 1]}" ]] || name="${SHORT_OPTIONS[k - 1]}, $name"
		done
		[[ ${OPTIONS[i + 2]} == - ]] || name+=" ${OPTIONS[i + 2]}"
		print_entry 24 "$name" "${OPTIONS[i + 3]}"
	done
}

print_help_text() {
	local i word
	print_line 'ndmctl: administer the ndm congestion control'
	print_line ''
	print_line 'usage: ndmctl [OPTION...] [COMMAND [OPTION...] [WORD...]]'
	print_line ''
	print_line 'begin with:'
	print_entry 30 'ndmctl set-default ndm_v5' 'new connections use it, now and at boot'
	print_entry 30 'ndmctl status' 'what is in use, and what is wrong'
	print_entry 30 'ndmctl set-default --revert' 'the previous default is back'
	for ((i = 0; i < ${#OVERVIEW[@]}; i += 2)); do
		print_line ''
		print_line "${OVERVIEW[i]}:"
		for word in ${OVERVIEW[i + 1]}; do print_first_word "$word"; done
	done
	print_line ''
	print_line 'options, before or after the command:'
	print_options '*'
	print_line ''
	print_line 'ndmctl help COMMAND explains one command; ndmctl(8), ndm-tcp.conf(5)'
}

print_first_word() { # WORD: a command, or the first word of some
	local i
	if find_command "$1"; then
		print_entry 15 "$1" "$HELP_LINE"
		return
	fi
	list_second_words "$1"
	for ((i = 0; i < ${#GROUPS_OF_COMMANDS[@]}; i += 2)); do
		[[ ${GROUPS_OF_COMMANDS[i]} != "$1" ]] || print_entry 15 "$1" "${GROUPS_OF_COMMANDS[i + 1]}: ${REPLY_LIST[*]}"
	done
}

print_topic_text() { # TOPIC: of one command, or of all that begin with this word
	local i
	for ((i = 0; i < ${#COMMANDS[@]}; i += 4)); do
		[[ ${COMMANDS[i]} == "$1" || ${COMMANDS[i]} == "$1 "* ]] || continue
		find_command "${COMMANDS[i]}"
		usage_of "${COMMANDS[i]}"
		print_line "usage: $REPLY"
		[[ $RIGHTS == read ]] || HELP_LINE+=' (needs root)'
		print_entry 1 '' "$HELP_LINE"
		print_options "${COMMANDS[i]}"
		print_line ''
	done
	[[ $1 != config* ]] || print_keys_help
	print_line 'options of every command: ndmctl help'
}

print_keys_help() {
	local i
	print_line 'keys:'
	for ((i = 0; i < ${#KEYS[@]}; i += 4)); do print_entry 24 "${KEYS[i]}" \
		"${KEYS[i + 3]}; ${KEYS[i + 1]} (default ${KEYS[i + 2]})"; done
	print_line ''
}

print_help_plain() { # the tables themselves, for completions and other programs
	local i
	print_cells ours "${OURS[@]}"
	print_topic_plain ''
	for ((i = 0; i < ${#LIST_KEYS[@]}; i += 3)); do print_cells list "${LIST_KEYS[@]:i:3}"; done
	for ((i = 0; i < ${#KEYS[@]}; i += 4)); do print_cells key "${KEYS[@]:i:4}"; done
}

print_topic_plain() { # TOPIC, empty for all
	local i
	for ((i = 0; i < ${#COMMANDS[@]}; i += 4)); do
		[[ $1 && ${COMMANDS[i]} != "$1" && ${COMMANDS[i]} != "$1 "* ]] || print_cells command "${COMMANDS[@]:i:4}"
	done
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		[[ $1 && ${OPTIONS[i]} != '*' && ,${OPTIONS[i]} != *",$1"* ]] || print_cells option "${OPTIONS[@]:i:4}"
	done
}
