# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # SC2034: names set here are used by the other files
# core.sh: how ndmctl talks, prints JSON and changes files so that every change can be undone.

ROOT='' DRY_RUN='' QUIET='' VERBOSE='' FORMAT=text COLOR='' CHANGED=''
REPLY_LIST=()

# Talk may quote what somebody else wrote: no control character of it reaches the terminal.
talk() { printf '%s\n' "${1//[[:cntrl:]]/?}" >&2; }

die() { # RC CAUSE HINT
	talk "ndmctl: $2"
	talk "hint: $3"
	exit "$1"
}

warn() { talk "ndmctl: $1"; }

say() { [[ $QUIET ]] || talk "$1"; }

tell() { [[ ! $VERBOSE ]] || talk "$1"; }

tell_already() { tell "already so: $1"; }

would() { # data of a dry run; JSON keeps standard output for itself
	CHANGED=yes
	local text=${1//$'\t'/ }
	text=${text//[[:cntrl:]]/?}
	if [[ $FORMAT == json ]]; then printf 'would: %s\n' "$text" >&2; else printf 'would: %s\n' "$text"; fi
}

choose_color() { # auto|always|never
	case $1 in
	always) COLOR=yes ;;
	never) COLOR='' ;;
	auto) [[ ! -t 1 || ${NO_COLOR-} || ${TERM-dumb} == dumb ]] || COLOR=yes ;;
	*) die 2 "--color=$1: not auto, always or never" 'ndmctl help' ;;
	esac
}

paint() { # STYLE TEXT into REPLY; the words say everything, colour only helps the eye
	REPLY=$2
	[[ $COLOR ]] || return 0
	case $1 in
	good) REPLY=$'\e[32m'$2$'\e[0m' ;;
	bad) REPLY=$'\e[31m'$2$'\e[0m' ;;
	care) REPLY=$'\e[33m'$2$'\e[0m' ;;
	head) REPLY=$'\e[1m'$2$'\e[0m' ;;
	esac
}

printable() { # TEXT [MOST] into SHOWN: safe on a terminal, at most 60 characters
	local most=${2:-60}
	SHOWN=${1:0:most}
	[[ ${#1} -le $most ]] || SHOWN+=...
	[[ $SHOWN != *[!\ -~]* ]] || printf -v SHOWN '%q' "$SHOWN"
}

json_str() { # TEXT into REPLY, quoted; bytes outside ASCII become \u00XX, so the result is always valid
	local text=${1//\\/\\\\} out='' char code i
	text=${text//\"/\\\"}
	if [[ $text == *[!\ -~]* ]]; then
		for ((i = 0; i < ${#text}; i++)); do
			char=${text:i:1}
			if [[ $char == [!\ -~] ]]; then
				printf -v code %d "'$char"
				printf -v char '\\u%04x' $((code & 255))
			fi
			out+=$char
		done
		text=$out
	fi
	REPLY="\"$text\""
}

json_value() { # number as number, empty as null, else string; into REPLY
	if [[ $1 =~ ^(0|-?[1-9][0-9]*)$ ]]; then REPLY=$1
	elif [[ -z $1 ]]; then REPLY=null
	else json_str "$1"; fi
}

json_bool() { if [[ $1 ]]; then REPLY=true; else REPLY=false; fi; }

report_change() { # what a changing command has to say to a script
	[[ $FORMAT == json && ($RIGHTS == root) ]] || return 0
	if find_word "$VERB" "${ARGS[0]-}"; then json_str "$VERB ${ARGS[0]}"; else json_str "$VERB"; fi
	local command=$REPLY
	json_bool "$CHANGED"
	printf '{"schema":1,"command":%s,"changed":%s}\n' "$command" "$REPLY"
}

require_word() { # COMMAND WORD: as find_word; its second word must be one of the table's
	local command=$1 word=$2
	[[ $word ]] || die 2 "$command needs one more word" "ndmctl help $command"
	! find_word "$command" "$word" || return 0
	printable "$word"
	nearest "$word" "${REPLY_LIST[@]}"
	die 2 "unknown command '$command $SHOWN'" "${REPLY:+did you mean \"ndmctl $command $REPLY\"? }ndmctl help $command"
}

edit_distance() { # A B into REPLY (Levenshtein, one row at a time)
	local a=$1 b=$2 i j row=() diagonal next cost
	for ((j = 0; j <= ${#b}; j++)); do row[j]=$j; done
	for ((i = 1; i <= ${#a}; i++)); do
		diagonal=${row[0]} row[0]=$i
		for ((j = 1; j <= ${#b}; j++)); do
			cost=1
			[[ ${a:i-1:1} != "${b:j-1:1}" ]] || cost=0
			next=$((diagonal + cost)) diagonal=${row[j]}
			((next <= row[j] + 1)) || next=$((row[j] + 1))
			((next <= row[j - 1] + 1)) || next=$((row[j - 1] + 1))
			row[j]=$next
		done
	done
	REPLY=${row[${#b}]}
}

nearest() { # WORD CANDIDATE...: the closest within a third of its length, into REPLY; else empty
	local word=${1:0:40} best='' least candidate
	least=$((${#word} / 3 + 2))
	shift
	for candidate; do
		edit_distance "${word,,}" "${candidate,,}"
		((REPLY >= least)) || least=$REPLY best=$candidate
	done
	REPLY=$best
}

read_value() { # PATH: its first line into REPLY; fails when it cannot be read
	REPLY=''
	[[ -f $1 && -r $1 ]] || return 1
	{ IFS= read -r REPLY <"$1" || [[ $REPLY ]]; } 2>/dev/null
}

# Changes: each one notes first how to undo it. A command that ends before keep_changes, by an error or a signal, undoes
# them in reverse order.
UNDO_PATH=() UNDO_TEXT=() STAGED='' STAGED_FOR='' LOADED_HERE=()

note_undo() { # PATH: its present content, or its absence
	local text=
	if [[ -e $1 ]]; then
		{ IFS= read -r -d '' text <"$1" || :; } 2>/dev/null
		UNDO_TEXT+=("text:$text")
	else
		UNDO_TEXT+=(absent)
	fi
	UNDO_PATH+=("$1")
}

write_text() { # PATH TEXT: one plain write; the reason of a failure into WRITE_ERROR
	WRITE_ERROR=$({ printf '%s\n' "$2" >"$1"; } 2>&1) && return 0
	WRITE_ERROR=${WRITE_ERROR##*: }
	return 1
}

write_value() { # PATH TEXT: a /proc, /sys or /run file, undoable
	if [[ $DRY_RUN ]]; then
		would "write ${2//$'\n'/ } > $1"
		return 0
	fi
	note_undo "$1"
	tell "write ${2//$'\n'/ } > $1"
	write_text "$1" "$2" || return 1
	CHANGED=yes
}

replace_value() { # PATH TEXT: as write_value, but who reads meanwhile sees all of the old text or all of the new
	local beside=${1%/*}/.${1##*/}.new
	if [[ $DRY_RUN ]]; then
		write_value "$1" "$2"
		return 0
	fi
	note_undo "$1"
	write_text "$beside" "$2" || { rm -f -- "$beside"; return 1; }
	WRITE_ERROR=$(mv -f -- "$beside" "$1" 2>&1) || { WRITE_ERROR=${WRITE_ERROR##*: }; return 1; }
	CHANGED=yes
}

note_undo_call() { # FUNCTION WORD...: what takes a change back that is not in a file
	local words
	printf -v words '%s\n' "$@"
	UNDO_PATH+=("$*") UNDO_TEXT+=("call:$words")
}

remove_file() { # PATH, undoable
	[[ -e $1 ]] || return 0
	if [[ $DRY_RUN ]]; then
		would "remove $1"
		return 0
	fi
	note_undo "$1"
	tell "remove $1"
	WRITE_ERROR=$(rm -f -- "$1" 2>&1) || { WRITE_ERROR=${WRITE_ERROR##*: }; return 1; }
	CHANGED=yes
}

stage_file() { # PATH TEXT: complete and on disk beside PATH, under a name that is never read as configuration
	[[ ! $DRY_RUN ]] || return 0
	STAGED=${1%/*}/.${1##*/}.new STAGED_FOR=$1
	WRITE_ERROR=$(mkdir -p -- "${1%/*}" 2>&1) || { WRITE_ERROR=${WRITE_ERROR##*: }; return 1; }
	write_text "$STAGED" "$2" || return 1
	WRITE_ERROR=$(sync -- "$STAGED" 2>&1) || { WRITE_ERROR=${WRITE_ERROR##*: }; return 1; }
}

publish_file() { # the staged file takes its place; from here on the change is kept, so signals wait
	if [[ $DRY_RUN || ! $STAGED ]]; then
		keep_changes
		return 0
	fi
	tell "write $STAGED_FOR"
	trap '' INT TERM HUP
	WRITE_ERROR=$(mv -f -- "$STAGED" "$STAGED_FOR" 2>&1) || { WRITE_ERROR=${WRITE_ERROR##*: }; return 1; }
	CHANGED=yes
	keep_changes
	sync -- "${STAGED_FOR%/*}" 2>/dev/null || : # the rename stands; only a power cut in this second could lose it
}

keep_changes() {
	UNDO_PATH=() UNDO_TEXT=() STAGED='' LOADED_HERE=()
}

undo_on_exit() {
	local rc=$? i restored=yes
	trap '' INT TERM HUP
	[[ ! $STAGED ]] || rm -f -- "$STAGED" 2>/dev/null || :
	for ((i = ${#UNDO_PATH[@]} - 1; i >= 0; i--)); do
		put_back "${UNDO_PATH[i]}" "${UNDO_TEXT[i]}" && continue
		warn "could not put back ${UNDO_PATH[i]}"
		restored=''
	done
	for ((i = ${#LOADED_HERE[@]} - 1; i >= 0; i--)); do
		run modprobe -r "${LOADED_HERE[i]}" || warn "${LOADED_HERE[i]} stays loaded"
	done
	((${#UNDO_PATH[@]} == 0)) || [[ ! $restored ]] || warn 'everything was put back as it was'
	trap - EXIT
	exit "$rc"
}

put_back() { # PATH absent|text:TEXT|call:WORDS; what still is as it was needs no write, which might be refused again
	local now='' text=${2#text:} words
	if [[ $2 == call:* ]]; then
		mapfile -t words <<<"${2#call:}"
		"${words[@]:0:${#words[@]}-1}"
	elif [[ $2 == absent ]]; then
		rm -f -- "$1"
	else
		[[ ! -e $1 ]] || IFS= read -r -d '' now <"$1" || :
		[[ -e $1 && $now == "$text" ]] || printf '%s' "$text" >"$1"
	fi 2>/dev/null
}

lock_state() { # one changing command at a time; the file is root's, so that no user can hold the lock
	[[ ! $DRY_RUN ]] || return 0
	local dir=$ROOT/run/ndm-tcp
	[[ -d $dir ]] || mkdir -p -- "$dir" 2>/dev/null || die 1 "cannot create $dir" "check that $ROOT/run is writable"
	[[ -e $dir/lock ]] || (umask 077 && : >"$dir/lock") 2>/dev/null || :
	{ exec {LOCK_FD}<"$dir/lock"; } 2>/dev/null || die 1 "cannot open $dir/lock" "ls -l $dir"
	flock -w "${NDMCTL_LOCK_WAIT:-10}" "$LOCK_FD" ||
		die 1 'another ndmctl is changing things' "try again when it is done; fuser $dir/lock shows it"
}

release_lock() { [[ $DRY_RUN ]] || exec {LOCK_FD}<&-; }
