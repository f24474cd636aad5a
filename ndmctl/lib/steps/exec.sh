# SPDX-License-Identifier: GPL-2.0
# exec.sh: runs a command in a new cgroup below the present one, so that only the policy is new: limits and
# session stay. Afterwards nothing remains. The name of the cgroup has the PID of its ndmctl and the number of its PID
# namespace, so that the next exec can clean up after a killed one, and leaves those of other PID namespaces alone,
# which it cannot judge.

needs probes/backend probes/cgroup probes/holders probes/module probes/records steps/backend steps/cgroup steps/record

NDMCTL_OF_BASH=() TRIAL='' TRIAL_PID='' TRIAL_SIGNAL=''

start_trial() { # NAME
	local error
	take_lock
	end_dead_trials
	remove_empty_trials
	trap 'TRIAL_SIGNAL=INT' INT
	trap 'TRIAL_SIGNAL=QUIT' QUIT
	trap 'pass_signal TERM' TERM
	trap 'pass_signal HUP' HUP
	note_undo_call drop_dir "$CGROUP_ROOT$TRIAL"
	error=$(mkdir -- "$CGROUP_ROOT$TRIAL" 2>&1) ||
		die 5 "cannot create a cgroup here: ${error##*: }" \
			'run it on the host, or where cgroup2 is writable: findmnt -t cgroup2'
	if ! is_registered "$1"; then    # noted before it is loaded, so that a kill after that leaves nothing
		module_of "$1"
		write_record exec "$(cat "$RECORDS/exec" 2>/dev/null; printf '%s' "$REPLY")"
	fi
	ensure_registered "$1"
	set_policy "$TRIAL" "$1" runtime
	keep_changes
	release_lock
}

pass_signal() { # SIGNAL
	TRIAL_SIGNAL=$1
	if [[ $TRIAL_PID ]]; then kill -s "$1" "$TRIAL_PID" 2>/dev/null || :; fi
}

run_trial() { # COMMAND...: its exit code
	local rc=0 code type=$CGROUP_ROOT${TRIAL%/*}/cgroup.type
	if [[ $TRIAL_SIGNAL ]]; then return $((128 + $(kill -l "$TRIAL_SIGNAL"))); fi
	trap '' INT QUIT    # a terminal also sends them to the command, which decides
	(
		trap - INT QUIT TERM HUP
		{ printf '%s\n' "$BASHPID" >"$CGROUP_ROOT$TRIAL/cgroup.procs"; } 2>/dev/null ||
			die 1 "cannot enter the cgroup $TRIAL" "cat ${type@Q}"
		umask "$CALLER_UMASK"
		restore_environment
		# nice changes nothing; it stands there because env takes a command with a = in its name for a variable
		exec env "${NDMCTL_OF_BASH[@]}" "$(type -P nice)" -n 0 -- "$@"
	) <&0 &
	TRIAL_PID=$!
	while :; do # a signal ends wait, not the command
		TRIAL_SIGNAL='' code=0
		wait "$TRIAL_PID" 2>/dev/null || code=$?    # without what bash says of its own line when the command was killed
		(((code == 127 || code < 0) && rc > 128)) || rc=$code    # it ended at once, and wait has told its code already
		[[ $TRIAL_SIGNAL ]] || break
	done
	return "$rc"
}

# The environment that ndmctl was called with, for it has changed its own. Every user may read the arguments of a
# program, so only what bash would not keep as it is goes to env, into NDMCTL_OF_BASH: that is no secret. Call it
# last, in a subshell.
restore_environment() {
	local -A NDMCTL_CAME=()
	local NDMCTL_ENTRY
	NDMCTL_OF_BASH=(-u _)
	while IFS= read -r -d '' NDMCTL_ENTRY; do
		[[ $NDMCTL_ENTRY =~ ^[a-zA-Z_][a-zA-Z_0-9]*= ]] || continue    # bash hands on what is no variable of its own
		NDMCTL_CAME[${NDMCTL_ENTRY%%=*}]=$NDMCTL_ENTRY
	done <"/proc/$$/environ"
	for NDMCTL_ENTRY in $(compgen -e); do [[ -v NDMCTL_CAME[$NDMCTL_ENTRY] ]] || NDMCTL_OF_BASH+=(-u "$NDMCTL_ENTRY"); done
	for NDMCTL_ENTRY in "${NDMCTL_CAME[@]}"; do
		case ${NDMCTL_ENTRY%%=*} in
		NDMCTL_ENTRY | NDMCTL_CAME | NDMCTL_OF_BASH) ;;
		BASH* | CDPATH | COLUMNS | COMP* | DIRSTACK | EPOCH* | EUID | EXECIGNORE | FUNC* | GLOBIGNORE | GROUPS | HIST* | \
			IFS | LANG | LC_* | LINENO | LINES | \
			OLDPWD | OPT* | PATH | PIPESTATUS | POSIXLY_CORRECT | PPID | PS[0-9] | PWD | RANDOM | SECONDS | SHELLOPTS | SHLVL | \
				SRANDOM | TMOUT | UID | _)
			NDMCTL_OF_BASH+=("$NDMCTL_ENTRY") ;;
		*)
			unset -v "${NDMCTL_ENTRY%%=*}"    # it may be an array here
			# shellcheck disable=SC2163  # the entry has name and value
			export -- "$NDMCTL_ENTRY" ;;
		esac
	done
}

end_trial() { # who is still running goes back to where the command was started
	trap '' INT QUIT TERM HUP
	if ! NDMCTL_LOCK_WAIT=${NDMCTL_LOCK_WAIT:-60} wait_for_lock; then
		warn "another ndmctl is changing things, so the cgroup $TRIAL stays;" \
			'the next exec, load or stop of the service removes it'
		return 0
	fi
	read_policies
	find_policy "$TRIAL" || warn 'somebody removed the policy while the command ran, as systemctl restart ndm-tcp does:' \
		'its connections after that had another algorithm'
	clear_trial "$TRIAL"
	drop_unused_programs
	unload_after_trials
	keep_changes
}

# what exec has loaded, unless it is needed: by another exec, which then unloads it, or for more than that
unload_after_trials() {
	local module rest=''
	while read -r module; do
		HOLDERS=()
		list_policy_holders "$module"
		if [[ ${HOLDERS[*]-} == *'/ndm-exec.'* ]]; then rest+=$module$'\n'
		elif ((${#HOLDERS[@]} == 0)) && [[ -d $SYSTEM/sys/module/${module//-/_} ]]; then
			run modprobe -r "$module" || note "note: $module stays loaded, in use"
		elif ((${#HOLDERS[@]} == 0)) && [[ $module == tcp_ndm ]] && is_bpf; then
			try_unload || note 'note: the algorithms stay registered, in use'
		fi
	done < <(cat "$RECORDS/exec" 2>/dev/null)
	write_record exec "${rest%$'\n'}"
}

clear_trial() { # PATH
	local dir=$CGROUP_ROOT$1 pid tries
	clear_policy "$1"
	for ((tries = 0; tries < 100; tries++)); do # more may be born while these are moved
		[[ -d $dir ]] || return 0
		[[ -w $dir ]] || break    # in the sandbox of the service
		while read -r pid; do
			{ printf '%s\n' "$pid" >"${dir%/*}/cgroup.procs"; } 2>/dev/null || :
		done < <(find "$dir" -name cgroup.procs -exec cat {} + 2>/dev/null)
		find "$dir" -depth -type d -exec rmdir {} + 2>/dev/null || sleep 0.1
	done
	warn "the cgroup $dir could not be removed; its policy was removed"
}

remove_empty_trials() { # beside the present one: left by an ndmctl that was killed before it had a record of its cgroup
	local dir
	for dir in "$CGROUP_ROOT${TRIAL%/*}"/ndm-exec.*; do
		! is_dead_trial "$dir" || rmdir -- "$dir" 2>/dev/null || :
	done
}

# its number into REPLY
own_pid_namespace() {
	REPLY=$(stat -Lc %i "$SYSTEM/proc/self/ns/pid" 2>/dev/null) || REPLY=0
}

is_dead_trial() { # PATH
	[[ $1 =~ /ndm-exec\.([0-9]+)\.([0-9]+)\.[0-9]+$ && ! -e $SYSTEM/proc/${BASH_REMATCH[1]} ]] || return 1
	own_pid_namespace
	# kill also knows those that the sandbox of the service hides
	[[ ${BASH_REMATCH[2]} == "$REPLY" ]] && ! kill -0 "${BASH_REMATCH[1]}" 2>/dev/null
}

end_dead_trials() { # left by a killed ndmctl; where nothing can be detached they wait for the next
	local path
	read_policies
	for path in "${POLICY_PATHS[@]}"; do
		is_dead_trial "$path" || continue
		read_mounts
		if [[ ! $CGROUP_ROOT ]] || ! find_bpftool; then return 0; fi
		note "note: an exec in $path was killed; ndmctl cleans up after it"
		clear_trial "$path"
	done
	keep_changes
}
