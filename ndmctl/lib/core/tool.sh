# SPDX-License-Identifier: GPL-2.0
# tool.sh: runs other programs, from PATH.

LIMIT=''    # time limit of a program that may never end, s

tool() { # PROGRAM ARG...: one that reads
	${LIMIT:+timeout "$LIMIT"} "$@"
}

has_tool() { type -P "$1" >/dev/null; }
