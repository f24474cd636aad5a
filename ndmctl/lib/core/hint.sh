# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# hint.sh: what to do next. A hint is a command to type, or the name of a function that makes one, and its words: it is made when it
# is printed, for some ask apt or other slow programs. Such a function leaves the command in REPLY, or advice in prose by advise.

HINT=()      # of the probe that has found a CAUSE
ADVICE=''    # yes when the hint in REPLY is prose, which nobody can type

advise() { REPLY=$1 ADVICE=yes; }    # TEXT

make_hint() { # HINT...: into REPLY and ADVICE
	ADVICE=''
	if declare -F "${1-}" >/dev/null; then "$@"; else REPLY=${1-}; fi
}

# What checks have found: of each its id, the check, its state (ok, warn, fail or skip), a text, and its hint, quoted for eval.
FINDINGS=() FINDING_WORDS=5

found() { # STATE ID TEXT [HINT...], by the check that runs
	local hint=("${@:4}")
	FINDINGS+=("$2" "$CHECK" "$1" "$3" "${hint[*]@Q}")
}

hint_of() { # INDEX of FINDINGS: into REPLY and ADVICE
	local -a "hint=(${FINDINGS[$1 + 4]})"
	make_hint "${hint[@]}"
}
