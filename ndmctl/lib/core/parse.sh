# SPDX-License-Identifier: GPL-2.0
# parse.sh: the command line, by the tables of grammar.sh.

COMMAND='' VERB=''       # such as "config set", and its first word
RIGHTS='' ARGUMENTS='' HELP_LINE=''   # of COMMAND, from its row
WORDS=() ARGS=()         # the words of the command line; those after COMMAND
declare -gA OPT=()        # option: value, or yes
COMMAND_LINE=''          # quoted, for hints and for the journal
DRY_RUN=''

find_command() { # COMMAND: sets RIGHTS and ARGUMENTS; HELP_LINE
	local i
	for ((i = 0; i < ${#COMMANDS[@]}; i += 4)); do
		[[ ${COMMANDS[i]} == "$1" ]] || continue
		RIGHTS=${COMMANDS[i + 1]} ARGUMENTS=${COMMANDS[i + 2]} HELP_LINE=${COMMANDS[i + 3]}
		if [[ -v OPT[--self] || -v OPT[--pid] ]]; then ARGUMENTS=${ARGUMENTS#PATH}; fi    # these stand for it
		return 0
	done
	return 1
}

list_first_words() { # into REPLY_LIST, each once
	local i last=''
	REPLY_LIST=()
	for ((i = 0; i < ${#COMMANDS[@]}; i += 4)); do
		[[ ${COMMANDS[i]%% *} == "$last" ]] || REPLY_LIST+=("${COMMANDS[i]%% *}")
		last=${COMMANDS[i]%% *}
	done
}

list_second_words() { # FIRST into REPLY_LIST
	local i
	REPLY_LIST=()
	for ((i = 0; i < ${#COMMANDS[@]}; i += 4)); do
		[[ ${COMMANDS[i]} != "$1 "* ]] || REPLY_LIST+=("${COMMANDS[i]#* }")
	done
}

choose_command() { # WORD...: sets COMMAND, VERB and ARGS
	VERB=$1
	COMMAND=$1
	ARGS=("${@:2}")
	! find_command "$COMMAND" || return 0
	list_second_words "$VERB"
	((${#REPLY_LIST[@]})) || refuse_word "$VERB"
	(($# > 1)) || die 2 "$VERB needs one more word: ${REPLY_LIST[*]}" "ndmctl help $VERB"
	COMMAND="$1 $2"
	ARGS=("${@:3}")
	find_command "$COMMAND" || refuse_word "$2" "$VERB "
}

refuse_word() { # WORD [WORDS-BEFORE]; the words that are known in REPLY_LIST, but for a first one
	[[ ${2-} ]] || list_first_words
	nearest "$1" "${REPLY_LIST[@]}"
	[[ ${2-} != 'service ' ]] || die 2 "unknown command 'service ${1:0:60}'" "/usr/lib/ndm-tcp/service ${REPLY:-start}"
	die 2 "unknown command '${2-}${1:0:60}'" \
		"${REPLY:+did you mean \"ndmctl ${2-}$REPLY\"? }ndmctl help${2:+ ${2% }} lists all"
}

option_argument() { # OPTION: the name of its argument into REPLY, - for none; fails when no command has it
	local i
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		[[ ${OPTIONS[i + 1]} == "$1" ]] || continue
		REPLY=${OPTIONS[i + 2]}
		return 0
	done
	return 1
}

takes_option() { # COMMAND INDEX of OPTIONS
	[[ ${OPTIONS[$2]} == '*' || ,${OPTIONS[$2]}, == *",$1,"* ]]
}

check_option() { # OPTION
	local i
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		[[ ${OPTIONS[i + 1]} != "$1" ]] || ! takes_option "$COMMAND" "$i" || return 0
	done
	die 2 "$COMMAND takes no option $1" "ndmctl help $COMMAND"
}

refuse_option() { # NAME
	local i names=()
	for ((i = 1; i < ${#OPTIONS[@]}; i += 4)); do names+=("${OPTIONS[i]}"); done
	nearest "$1" "${names[@]}"
	shown "$1"
	die 2 "unknown option $SHOWN" "${REPLY:+did you mean $REPLY? }ndmctl help lists all; words that begin with - follow --"
}

expand_short() { # -n into REPLY
	local i
	REPLY=$1
	for ((i = 0; i < ${#SHORT_OPTIONS[@]}; i += 2)); do
		[[ ${SHORT_OPTIONS[i]} != "$1" ]] || REPLY=${SHORT_OPTIONS[i + 1]}
	done
}

parse_words() { # the command line into WORDS and OPT
	local word name value
	while (($#)); do
		word=$1
		shift
		if [[ $word == -- ]]; then
			WORDS+=("$@")
			break
		elif [[ $word != -?* ]]; then
			WORDS+=("$word")
			continue
		elif [[ $word == -[nqvh][!=]* ]]; then
			set -- "-${word:2}" "$@"
			word=${word:0:2}
		fi
		expand_short "$word"
		name=${REPLY%%=*}
		option_argument "$name" || refuse_option "$name"
		value=yes
		if [[ $REPLY != - ]]; then
			if [[ $word == *=* ]]; then value=${word#*=}
			elif (($#)); then value=$1; shift
			else die 2 "$name needs a value, as in $name $REPLY" 'ndmctl help'; fi
		elif [[ $word == *=* ]]; then die 2 "$name takes no value" 'ndmctl help'; fi
		OPT[$name]=$value
	done
}

apply_options() {
	local opt row given
	for opt in "${!OPT[@]}"; do check_option "$opt"; done
	for row in "${EXCLUSIVE[@]}"; do
		given=()
		for opt in $row; do [[ ! -v OPT[$opt] ]] || given+=("$opt"); done
		((${#given[@]} < 2)) || die 2 "${given[0]} and ${given[1]} exclude each other" 'choose one of them'
	done
	if [[ -v OPT[--json] ]]; then FORMAT=json JSON_COMMAND=$COMMAND; fi
	if [[ -v OPT[--plain] ]]; then FORMAT=plain; fi
	DRY_RUN=${OPT[--dry-run]-} QUIET=${OPT[--quiet]-} VERBOSE=${OPT[--verbose]-}
}

check_arguments() { # as many words as the row of COMMAND says
	local words=() word least=0 most=0 repeated='' missing=''
	read -ra words <<<"$ARGUMENTS"
	for word in "${words[@]}"; do
		case $word in
		...) repeated=yes ;;
		\[*) most=$((most + 1)) ;;
		*)
			((${#ARGS[@]} > least)) || missing+="${missing:+ and }$word"
			least=$((least + 1)) most=$((most + 1)) ;;
		esac
	done
	if [[ $COMMAND == 'config set' && ${#ARGS[@]} == 1 && ${ARGS[0]} == ?*=* ]]; then
		die 2 "config set takes KEY and VALUE as two words" "ndmctl config set $(printf '%q %q' "${ARGS[0]%%=*}" \
		"${ARGS[0]#*=}")"; fi
	if [[ $missing ]]; then die 2 "$COMMAND lacks its $missing" "ndmctl $COMMAND $ARGUMENTS"; fi
	if [[ $repeated ]]; then
		((least == 0 || ${#ARGS[@]} % least == 0)) || { shown "${ARGS[-1]}"
			die 2 "$COMMAND: '$SHOWN' lacks its ${words[least - 1]}" "ndmctl $COMMAND $ARGUMENTS"; }
	elif ((${#ARGS[@]} > most)); then
		die 2 "$COMMAND: one word too many: '${ARGS[most]:0:60}'" "ndmctl $COMMAND${ARGUMENTS:+ $ARGUMENTS}"
	fi
}

check_rights() {
	local program=ndmctl
	[[ $VERB != service ]] || program=/usr/lib/ndm-tcp/service
	[[ $RIGHTS == read || $DRY_RUN || $USER_ID == 0 ]] ||
		die 4 "$COMMAND needs root" "sudo $program ${COMMAND_LINE#service }"
}

parse_command_line() { # ARG...: sets COMMAND, ARGS and the options, or dies
	local opt
	(($# == 0)) || { printf -v COMMAND_LINE '%q ' "$@"; COMMAND_LINE=${COMMAND_LINE% }; }
	parse_words "$@"
	if [[ ${0##*/} == service ]]; then
		COMMANDS=("${SERVICE_COMMANDS[@]}") WORDS=(service "${WORDS[@]}") COMMAND_LINE="service $COMMAND_LINE"
	elif [[ -v OPT[--version] ]]; then WORDS=(help)
	elif [[ -v OPT[--help] ]]; then WORDS=(help "${WORDS[@]:0:2}"); fi
	((${#WORDS[@]})) || WORDS=(status)
	choose_command "${WORDS[@]}"
	if [[ -v OPT[--help] ]]; then    # those of the command do not matter
		for opt in "${!OPT[@]}"; do [[ $opt == @(--help|--json|--plain) ]] || unset "OPT[$opt]"; done
	fi
	apply_options
	check_arguments
	check_rights
}
