# SPDX-License-Identifier: GPL-2.0
# exec.sh: the command exec.

needs probes/boot probes/cgroup probes/config probes/module steps/backend steps/exec

cmd_exec() { # COMMAND...
	local rc=0
	[[ -v OPT[--cc] ]] || { chosen_name; die 2 'exec needs the name of an algorithm, before the command' \
		"ndmctl exec --cc $REPLY --$(printf ' %q' "$@")"; }
	require_name "${OPT[--cc]}"
	require_command "$1"
	require_config
	require_bpf
	# For the journal without what follows the command, which may hold a password.
	printf -v COMMAND_LINE 'exec --cc %q -- %q%s' "${OPT[--cc]}" "$1" "$( (($# == 1)) || printf ' ...')"
	TRIAL=$(sed -n 's/^0:://p' "$SYSTEM/proc/self/cgroup" 2>/dev/null) || TRIAL=''
	TRIAL=${TRIAL%/}/ndm-exec.$$
	own_pid_namespace
	TRIAL+=.$REPLY.$RANDOM
	[[ $TRIAL != *[[:cntrl:]]* ]] || die 1 'the name of the present cgroup has control characters' \
		'run ndmctl in another cgroup; cat /proc/self/cgroup'
	if [[ $DRY_RUN ]]; then plan_trial "$@"
	else
		start_trial "${OPT[--cc]}"
		run_trial "$@" || rc=$?
		end_trial
	fi
	print_if_json exec changed:bool '' exit "$rc"
	exit "$rc"
}

plan_trial() { # COMMAND...
	ensure_registered "${OPT[--cc]}"
	would "make the cgroup $CGROUP_ROOT$TRIAL with the policy ${OPT[--cc]}"
	would "run $* in it"
	would 'take both back'
}

require_command() { # with the exit codes of a shell
	type -P -- "$1" >/dev/null && return 0
	shown "$1"
	[[ $1 != */* || ! -e $1 ]] || die 126 "'$SHOWN' cannot be run" "ls -ld ${1%%[[:cntrl:]]*}"
	die 127 "there is no command '$SHOWN'" "ndmctl exec --cc ${OPT[--cc]} -- COMMAND"
}
