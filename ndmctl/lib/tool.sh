# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# tool.sh: other programs. They are those of PATH; a program that is missing is said by its name.

LIMIT=''    # seconds that a program which may not come back gets

tool() { # PROGRAM ARG...: one that reads
	${LIMIT:+timeout "$LIMIT"} "$@"
}

has_tool() { type -P "$1" >/dev/null; }
