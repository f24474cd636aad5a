# SPDX-License-Identifier: GPL-2.0
# hint.sh: what to do next. A hint is a command to type, or the name of a function that makes one, and its words: it is
# made when it is printed, for some ask slow programs. Such a function leaves the command in REPLY, or advice in prose
# by advise.

# Of the probe that has found why something does not work: the cause, what helps, and the exit code of what cannot go
# on.
CAUSE='' HINT=() CODE=''
REFUSED=''   # yes when CAUSE is none for BPF: the kernel refuses modules or their signature, or there is no module
ADVICE=''    # yes when the hint in REPLY is prose, which nobody can type
QUICK='' UNASKED=''    # yes in a command that asks no archive; yes when the last hint would have had to: doctor does

advise() { REPLY=$* ADVICE=yes; }    # TEXT..., joined by blanks

make_hint() { # HINT...: into REPLY and ADVICE
	ADVICE='' UNASKED=''
	if declare -F "${1-}" >/dev/null; then "$@"; else REPLY=${1-}; fi
	[[ ! $UNASKED ]] || REPLY='ndmctl doctor' ADVICE=''
}

# What checks have found: of each its id, the check, its state (ok, warn, fail or skip), a text, and its hint, quoted
# for eval.
FINDINGS=() FINDING_WORDS=5

found() { # STATE ID TEXT [HINT...], by the check that runs
	local words=("${@:4}")
	FINDINGS+=("$2" "$CHECK" "$1" "$3" "${words[*]@Q}")
}

hint_of() { # INDEX of FINDINGS: into REPLY and ADVICE
	local -a "words=(${FINDINGS[$1 + 4]})"
	make_hint "${words[@]}"
}
