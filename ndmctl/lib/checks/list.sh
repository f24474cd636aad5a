# SPDX-License-Identifier: GPL-2.0
# list.sh: the checks, in their order. doctor prints what all have found; status, and the numbers of metrics, leave
# out those that take long, and what is well.

needs probes/backend probes/config probes/kernels probes/module probes/state checks/backend checks/boot checks/build
needs checks/metrics checks/policies

CHECKS=(backend headers dkms otherkernel secureboot lockdown registered default inuse config unit policies metrics \
	conflicts)
SLOW_CHECKS=(dkms inuse conflicts)    # which ask DKMS, every process, other services

run_checks() { # [quick]; after gather_state
	local CHECK
	FINDINGS=() QUICK=${1:+yes}
	[[ $QUICK ]] || needs checks/conflicts
	for CHECK in "${CHECKS[@]}"; do
		[[ $QUICK && " ${SLOW_CHECKS[*]} " == *" $CHECK "* ]] || "check_$CHECK"
	done
	excuse_module
}

list_problems() { # indices of what is not well, into REPLY_LIST: failures first
	local i state
	REPLY_LIST=()
	for state in fail warn; do
		for ((i = 0; i < ${#FINDINGS[@]}; i += FINDING_WORDS)); do
			[[ ${FINDINGS[i + 2]} != "$state" ]] || REPLY_LIST+=("$i")
		done
	done
}

count_findings() { # ID, into REPLY
	local i
	REPLY=0
	for ((i = 0; i < ${#FINDINGS[@]}; i += FINDING_WORDS)); do
		[[ ${FINDINGS[i]} != "$1" ]] || REPLY=$((REPLY + 1))
	done
}

# INDEX: its check, state, text, command, advice and id, into REPLY_LIST. Of what is well nobody asks for a hint
finding_row() {
	REPLY='' ADVICE=''
	[[ ${FINDINGS[$1 + 2]} == @(ok|skip) ]] || hint_of "$1"
	REPLY_LIST=("${FINDINGS[@]:$1 + 1:3}" "$REPLY" '' "${FINDINGS[$1]}")
	[[ ! $ADVICE ]] || REPLY_LIST[3]='' REPLY_LIST[4]=$REPLY
}

# Where BPF carries the algorithms, what the module lacks is no failure; where nobody has installed it, it is nothing
# at all.
excuse_module() {
	local i wanted='' lacking=()
	for ((i = 0; i < ${#FINDINGS[@]}; i += FINDING_WORDS)); do
		[[ ${FINDINGS[i + 1]}/${FINDINGS[i + 2]} != @(headers|dkms|otherkernel|secureboot|lockdown)/@(warn|fail) ]] ||
			lacking+=("$i")
	done
	((${#lacking[@]})) || return 0
	[[ $BACKEND == bpf ]] || { ! is_loaded && would_take_bpf; } || return 0
	dkms_state "$KERNEL"
	[[ $REPLY == absent || ${CONF_VALUE[BACKEND]-auto} == bpf ]] || wanted=yes
	[[ $BACKEND == bpf || ! $wanted ]] || return 0
	for i in "${lacking[@]}"; do
		if [[ ! $wanted ]]; then FINDINGS[i + 2]=skip
		elif [[ ${FINDINGS[i + 2]} == fail ]]; then FINDINGS[i + 2]=warn; fi
	done
}
