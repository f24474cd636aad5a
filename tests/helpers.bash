# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# The words that the tests of all layers share. Each prints what it judges, and bats shows that of a failing test.
#
#   ok CMD                   runs the shell command line CMD, which must end with 0; its output, errors included, is then in $output
#   fails STATUS CMD         the same; it must end with STATUS
#   is TEXT                  $output is TEXT
#   has TEXT... / lacks TEXT...   $output contains each TEXT / none of them; $'\nTEXT\n' is a whole line, also the first or the last
#   complain TEXT            fails the test, and says why
#
# A layer may redefine execute: in vm the commands run in the guest. CMD is one word, with functions and variables of the test:
#     ok 'make -s deb | tail -n 1'; has build/deb
# Write them on lines of their own, or with ";", never with "&&": the shell ignores a failure on the left of "&&".

# Tests run in the top of the tree.

bats_require_minimum_version 1.5.0
cd "${BASH_SOURCE[0]%/*}/.." || return

execute() { (eval "$1") 2>&1; }

run_command() { # CMD: into output and status
	status=0
	output=$(execute "$1") || status=$?
	printf '$ %s\n%s\n' "$1" "$output"
}

complain() {
	printf -- '--- %s\n' "$1"
	return 1
}

ok() {
	run_command "$1"
	[ "$status" -eq 0 ] || complain "ended with $status"
}

fails() {
	run_command "$2"
	[ "$status" -eq "$1" ] || complain "ended with $status, not with $1"
}

is() { [ "$output" = "$1" ] || complain "is not: $1"; }

has() {
	local text
	for text; do
		[[ $'\n'$output$'\n' == *"$text"* ]] || complain "lacks: $text" || return 1
	done
}

lacks() {
	local text
	for text; do
		[[ $'\n'$output$'\n' != *"$text"* ]] || complain "has: $text" || return 1
	done
}
