# SPDX-License-Identifier: GPL-2.0
# change.sh: changes the system under a lock. Each step notes the previous state. A command that fails or is killed
# undoes all steps; a command that succeeds writes them to the journal.
#
# main() takes the lock before a changing command reads anything, and calls keep_changes when the command has succeeded.

CHANGED=''                # something was changed: for --json
# of each step: its file or a description; the previous state: absent, text:KIND:TEXT or call:WORDS
UNDO_PATH=() UNDO_TEXT=()
STAGED=''                 # a new file that is not yet in its place
AUDIT=()                  # lines for the journal
LOADED_HERE=()            # modules that this command loaded
WRITE_ERROR=''            # why the last step failed
RUN_ERROR=''
GONE=$'\n'                # what a dry run would have removed by now: files and policies of cgroups, a line each

would() { # WHAT a dry run does not do
	CHANGED=yes
	print_would "${1//[$'\t\n']/ }"
}

take_error() { # MESSAGE of a program or of bash: its reason
	WRITE_ERROR=${1##*: }
	WRITE_ERROR=${WRITE_ERROR:-it was ended without a word, as by a limit (ulimit -a)}
	return 1
}

run() { # PROGRAM ARG...: one that changes the system; its error message into RUN_ERROR
	RUN_ERROR=''
	if [[ $DRY_RUN ]]; then
		would "run $*"
		return 0
	fi
	verbose "run $*"
	RUN_ERROR=$(tool "$@" 2>&1 >/dev/null) || return 1
	CHANGED=yes
}

is_gone() { [[ $GONE == *$'\n'"$1"$'\n'* ]]; }

audit() { # WHAT FROM TO: a line of the journal, once the command has succeeded
	[[ $DRY_RUN ]] || AUDIT+=("$1: from '$2' to '$3'")
}

# Who: the user that sudo names, and the user that logged in, which nothing since can have changed. Of a long command
# the beginning must do, so that the change itself is never cut off; and logger, which begins a new line after 1 KiB,
# must not: a name could be made to look like a line of its own there.
send_audit() {
	local line login='' lines='' command
	((${#AUDIT[@]})) && has_tool logger || return 0
	read_value "$SYSTEM/proc/self/loginuid" && [[ $REPLY != 4294967295 ]] && login=" loginuid=$REPLY"
	shown "${COMMAND_LINE:-}" 1000
	command=$SHOWN
	for line in "${AUDIT[@]}"; do
		shown "$line" 12000
		line=$SHOWN
		shown "${SUDO_USER:-uid $UID}"
		lines+="user=$SHOWN$login command='$command': $line"$'\n'
	done
	printf %s "$lines" | logger -t ndmctl -p auth.notice --size 65536 2>/dev/null || :
}

note_undo() { # PATH KIND: its present content, or its absence
	local text=
	if [[ -e $1 ]]; then
		{ IFS= read -r -d '' text <"$1" || :; } 2>/dev/null
		UNDO_TEXT+=("text:$2:$text")
	else UNDO_TEXT+=(absent); fi
	UNDO_PATH+=("$1")
}

note_undo_call() { # FUNCTION WORD...: undoes a change that is not in a file
	local words
	if [[ $DRY_RUN ]]; then return 0; fi
	printf -v words '%s\n' "$@"
	UNDO_PATH+=("$*") UNDO_TEXT+=("call:$words")
}

drop_undo() { unset 'UNDO_PATH[-1]' 'UNDO_TEXT[-1]'; } # the last note, of a change that was not made

# write_file PATH TEXT KIND [SHOWN], undoable; the reason of a failure into WRITE_ERROR.
#   kernel   /proc and /sys: written in place
#   state    /run: replaced atomically
#   durable  /etc: the same, and synced, so that it survives a power failure
write_file() {
	if [[ $DRY_RUN ]]; then
		would "write ${4-${2//$'\n'/ }} > $1"
		return 0
	fi
	[[ $3 == kernel ]] || make_dir "${1%/*}" || return 1
	note_undo "$1" "$3"
	verbose "write ${4-${2//[$'\t\n']/ }} > $1"
	put_text "$1" "$2"$'\n' "$3" || return 1
	CHANGED=yes
}

put_text() { # PATH TEXT KIND
	local error target=$1
	if [[ $3 == kernel ]]; then
		error=$({ printf '%s' "$2" >"$1"; } 2>&1) && return 0
		take_error "$error"
		return 1    # explicit: in a trap, a bare return has the status from before the trap
	fi
	[[ $3 != durable ]] || refuse_dirs_of_others "$1"
	if [[ -L $1 ]]; then target=$(readlink -m -- "$1"); fi    # the link stays, what it points to is replaced
	STAGED=${target%/*}/.${target##*/}.$RANDOM$RANDOM.new
	if error=$(write_new "$STAGED" "$target" "$2" "$3" 2>&1) && error=$(mv -fT -- "$STAGED" "$target" 2>&1); then
		STAGED=''
		[[ $3 != durable ]] || sync_dir "${target%/*}" || return 1
		return 0
	fi
	drop_staged
	take_error "$error" || WRITE_ERROR+='; the old file is unchanged'
	return 1
}

# Until then a power failure could take a rename or a removal back. A file system that cannot sync directories says
# "Invalid argument".
sync_dir() { # DIR
	local error
	error=$(sync -- "$1" 2>&1) || [[ $error == *'Invalid argument'* ]] || take_error "$error"
}

drop_staged() {
	if [[ $STAGED ]]; then rm -f -- "$STAGED" 2>/dev/null || :; fi
	STAGED=''
}

# A new file with the mode of the old one. noclobber opens it with O_EXCL, so that no link to a file is followed; the
# mode is set on the open file, not on its name.
write_new() { # NEW TARGET TEXT KIND
	local fd
	set -o noclobber
	rm -f -- "${1%/*}/.${2##*/}".*.new # left by a killed ndmctl
	umask 077
	exec {fd}>"$1" || return 1
	printf '%s' "$3" >&"$fd" || return 1
	if [[ -f $2 ]]; then cp --attributes-only --preserve=mode,ownership -- "$2" "/proc/self/fd/$fd"
		else chmod 644 -- "/proc/self/fd/$fd"; fi || return 1
	[[ $4 != durable ]] || sync -- "$1"
}

make_dir() { # PATH with its parents, undoable
	local error
	if [[ -d $1 ]]; then return 0; fi
	if [[ -L $1 ]]; then WRITE_ERROR="$1 is a dangling link"; return 1; fi
	make_dir "${1%/*}" || return 1
	refuse_dirs_of_others "$1"
	note_undo_call drop_dir "$1"
	error=$(umask 022 && mkdir -- "$1" 2>&1) && return 0
	take_error "$error"
	return 1
}

drop_dir() { if [[ -d $1 ]]; then rmdir -- "$1"; fi; }

remove_file() { # PATH KIND, undoable
	local error
	[[ -e $1 || -L $1 ]] || return 0
	if [[ $DRY_RUN ]]; then
		would "remove $1"
		GONE+=$1$'\n'
		return 0
	fi
	[[ $2 != durable ]] || refuse_dirs_of_others "$1"
	if [[ -L $1 ]]; then note_undo_call ln -sfT -- "$(readlink -- "$1")" "$1"; else note_undo "$1" "$2"; fi
	verbose "remove $1"
	error=$(rm -f -- "$1" 2>&1) || take_error "$error" || { WRITE_ERROR+='; the file is unchanged'; return 1; }
	[[ $2 != durable ]] || sync_dir "${1%/*}" || return 1
	CHANGED=yes
}

# One of several changes that cannot be made undoes itself and leaves the others alone; so each has a shell of its own.
in_own_shell() { # FUNCTION WORD...: fails when that does
	local rc=0
	(
		undo_at_signals    # a subshell has no traps of its own
		UNDO_PATH=() UNDO_TEXT=() LOADED_HERE=() AUDIT=() CHANGED=''    # the steps of others stay
		"$@" || exit 1    # errexit is off here
		keep_changes
		if [[ $CHANGED ]]; then exit 10; fi
	) || rc=$?
	((rc != 10)) || CHANGED=yes rc=0
	return "$rc"
}

keep_changes() { # what was done until here stays, whatever comes next
	UNDO_PATH=() UNDO_TEXT=() LOADED_HERE=()
	send_audit
	AUDIT=()
}

undo_at_signals() {
	trap undo_on_exit EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
	trap 'exit 129' HUP
	trap 'exit 131' QUIT
}

undo_on_exit() {
	local rc=$? i restored=yes
	trap '' INT TERM HUP QUIT
	drop_staged
	for ((i = ${#UNDO_PATH[@]} - 1; i >= 0; i--)); do
		put_back "${UNDO_PATH[i]}" "${UNDO_TEXT[i]}" && continue
		warn "could not put back ${UNDO_PATH[i]}"
		restored=''
	done
	for ((i = ${#LOADED_HERE[@]} - 1; i >= 0; i--)); do
		[[ -d $SYSTEM/sys/module/${LOADED_HERE[i]//-/_} ]] || continue
		run modprobe -r "${LOADED_HERE[i]}" || warn "${LOADED_HERE[i]} stays loaded"
	done
	if ((${#UNDO_PATH[@]})) && [[ $restored ]]; then warn 'everything was put back as it was'; fi
	trap - EXIT
	exit "$rc"
}

put_back() { # PATH absent|text:KIND:TEXT|call:WORDS; no write when the state has not changed
	local now='' text=${2#*:*:} kind=${2#text:} words
	kind=${kind%%:*}
	if [[ $2 == call:* ]]; then
		mapfile -t words <<<"${2#call:}"
		"${words[@]:0:${#words[@]}-1}"
	elif [[ $2 == absent ]]; then rm -f -- "$1"
	else
		if [[ -e $1 ]]; then IFS= read -r -d '' now <"$1" || :; fi
		[[ -e $1 && $now == "$text" ]] || put_text "$1" "$text" "$kind"
	fi 2>/dev/null
}

take_lock() { # one changing command at a time; the file is root's, so that no user can hold the lock
	local file=$SYSTEM/run/ndm-tcp/lock wait=${NDMCTL_LOCK_WAIT:-10} error lock
	if [[ $DRY_RUN ]]; then return 0; fi
	[[ $wait =~ ^[0-9]{1,6}(\.[0-9]{1,6})?$ ]] || { shown "$wait"
	die 2 "NDMCTL_LOCK_WAIT='$SHOWN': not a number of seconds" 'unset NDMCTL_LOCK_WAIT'; }
	[[ -d ${file%/*} ]] || mkdir -p -- "${file%/*}" 2>/dev/null ||
		die 1 "cannot create ${file%/*}" "check that $SYSTEM/run is writable"
	[[ -e $file ]] || (umask 077 && : >"$file") 2>/dev/null || :
	{ exec {lock}<"$file"; } 2>/dev/null || die 1 "cannot open $file" "ls -ld ${file@Q}"
	error=$(flock -w "$wait" "$lock" 2>&1) && return 0
	[[ $error ]] || die 1 'another ndmctl is running' "wait for it and try again; fuser ${file@Q} shows it"
	die 1 "cannot lock $file: ${error##*: }" 'dmesg says whether a profile of AppArmor or SELinux denies it'
}
