# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# help.sh: help and version. Every text comes from the tables in ndmctl.

cmd_help() { # [VERB]
	if (($#)); then
		find_verb "$1" || { VERB=$1; refuse_verb; }
		print_verb_help "$1"
	elif [[ $FORMAT == plain ]]; then print_help_plain
	else print_help; fi
}

print_options() { # VERB or *
	local i name
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do
		[[ ${OPTIONS[i]} == "$1" ]] || continue
		name=${OPTIONS[i + 1]}
		[[ ${OPTIONS[i + 2]} == - ]] || name+=" ${OPTIONS[i + 2]}"
		printf '  %-22s %s\n' "$name" "${OPTIONS[i + 3]}"
	done
}

print_help() {
	local i
	printf 'ndmctl: administer the ndm congestion control\n\nusage: ndmctl [OPTION...] [COMMAND [OPTION...] [WORD...]]\n\ncommands:\n'
	for ((i = 0; i < ${#VERBS[@]}; i += 5)); do printf '  %-13s %s\n' "${VERBS[i]}" "${VERBS[i + 4]}"; done
	printf '\noptions, before or after the command:\n'
	print_options '*'
	printf '\nndmctl help COMMAND explains one command; ndmctl(8) has examples, ndm-tcp.conf(5) the keys.\n'
}

verb_usage() { # VERB into REPLY
	local usage="ndmctl $1"
	case $1 in
	set-default) usage+=' NAME [--runtime|--persist|--netns NS] | --revert [--runtime|--persist|--netns NS]' ;;
	default) usage+=' [--netns NS]' ;;
	config | service | netns) usage+=' WORD ...' ;;
	route) usage+=' set DEST NAME [--lock] [--table T] [--metric N] | clear DEST [--table T] [--metric N] | list' ;;
	exec) usage+=' --cc NAME -- COMMAND [ARGUMENT...]' ;;
	cgroup) usage+=' set PATH|--self|--pid PID NAME [--persist] [--existing] | clear PATH|... [--persist] [--existing] | list | show PATH|...' ;;
	unit) usage+=' set UNIT NAME [--runtime] | clear UNIT | list' ;;
	help) usage+=' [COMMAND]' ;;
	status) usage+=' [--short|--check]' ;;
	unload) usage+=' [--force-default NAME]' ;;
	sockets) usage+=' [--cc NAME]' ;;
	esac
	REPLY=$usage
}

print_verb_help() { # VERB
	local i usage
	verb_usage "$1"
	printf 'usage: %s\n\n' "$REPLY"
	for ((i = 0; i < ${#VERBS[@]}; i += 5)); do
		[[ ${VERBS[i]} != "$1" ]] || printf '%s%s\n' "${VERBS[i + 4]}" "$([[ ${VERBS[i + 2]} != root ]] || printf ' (needs root)')"
	done
	for ((i = 0; i < ${#WORDS[@]}; i += 5)); do
		[[ ${WORDS[i]} == "$1" ]] || continue
		usage="${WORDS[i + 1]} ${WORDS[i + 3]}"
		printf '  %-22s %s%s\n' "$usage" "${WORDS[i + 4]}" "$([[ ${WORDS[i + 2]} != root ]] || printf ' (needs root)')"
	done
	print_options "$1"
	printf '\noptions of every command:\n'
	print_options '*'
}

print_help_plain() { # the tables themselves, for completion tests and other programs
	local i
	for ((i = 0; i < ${#VERBS[@]}; i += 5)); do printf 'command\t%s\t%s\t%s\n' "${VERBS[i]}" "${VERBS[i + 2]}" "${VERBS[i + 4]}"; done
	for ((i = 0; i < ${#WORDS[@]}; i += 5)); do printf 'word\t%s\t%s\t%s\t%s\n' "${WORDS[@]:i:3}" "${WORDS[i + 4]}"; done
	for ((i = 0; i < ${#OPTIONS[@]}; i += 4)); do printf 'option\t%s\t%s\t%s\t%s\n' "${OPTIONS[@]:i:4}"; done
	for ((i = 0; i < ${#LIST_KEYS[@]}; i += 3)); do printf 'list\t%s\t%s\t%s\n' "${LIST_KEYS[@]:i:3}"; done
	for ((i = 0; i < ${#KEYS[@]}; i += 4)); do printf 'key\t%s\t%s\t%s\t%s\n' "${KEYS[@]:i:4}"; done
}

own_version() { # into REPLY: the built-in one, or in a checkout that of the changelog
	local line=''
	REPLY=$NDM_VERSION
	[[ $REPLY == @* ]] || return 0
	REPLY=unknown
	read_value "$HERE/../debian/changelog" && line=$REPLY
	[[ ! $line =~ \(([^\)]+)\) ]] || REPLY=${BASH_REMATCH[1]}
}

cmd_version() {
	local own loaded='' disk
	own_version
	own=$REPLY
	if [[ ${OPT[--version]-} && $FORMAT == text ]]; then
		printf 'ndmctl %s\n' "$own"
		return
	fi
	! is_loaded || { read_value "$MODULE/version" || :; loaded=$REPLY; }
	module_version_on_disk
	disk=$REPLY
	case $FORMAT in
	json)
		json_pairs schema 1 command version ndmctl "$own" module_loaded "$loaded" module_on_disk "$disk"
		printf '{%s}\n' "$REPLY" ;;
	plain) printf '%s\t%s\n' ndmctl "$own" module_loaded "$loaded" module_on_disk "$disk" ;;
	*) printf '%-16s %s\n' ndmctl "$own" 'tcp_ndm loaded' "${loaded:-no}" 'tcp_ndm on disk' "${disk:-no}" ;;
	esac
}
