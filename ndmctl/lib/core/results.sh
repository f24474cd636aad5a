# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# results.sh: what checks have found.

RESULTS=()    # id, state, text, command, ...

report() { # STATE TEXT [COMMAND], for the check that runs
	RESULTS+=("$CHECK" "$1" "$2" "${3-}")
}
