#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# What a test must not be written with, since it then cannot fail, or fails by chance.

load ../helpers

# Two kinds of lines. A `!` whose status is not the last of its block: the shell's -e exempts it, so say `if ...; then return 1; fi`. A sleep
# that is neither a step of a loop nor a process in the background: it proves nothing and costs its time, so wait for what must come; a
# comment behind it says why this cannot be.
complaints() { # FILE...
	awk '
		FNR == 1 { negated = "" }
		negated && NF { if ($1 !~ /^}/) print negated; negated = "" }
		/^[[:space:]]*! / && !/\|\|/ { negated = FILENAME ":" FNR ": a bare !: " $0 }
		{ line = $0; gsub(/sleep [^;&]*&([^&]|$)/, "", line) }
		line ~ /(^|[;&|{(]|do|then)[[:space:]]*sleep [0-9$]/ && line !~ /;[[:space:]]*done/ && line !~ /sleep.* # / { print FILENAME ":" FNR ": a sleep: " $0 }' "$@"
}

@test "no test has a line that cannot fail, nor waits by the clock" {
	ok "complaints '$BATS_TEST_DIRNAME'/../*/*.bats '$BATS_TEST_DIRNAME'/../*/*/*.bats"; is ''
}

@test "each of these lines is seen, and what is like them is not" {
	bad=$'@test "x" {\n\t! false\n\tsleep 1\n\tok "x; sleep 0.5; y"\n\tserve & sleep 10\n\tfor x in 1; do\n\t\tsleep $x\n\tdone\n}' # each of its lines
	good=$'@test "x" {\n\t! true || fail x\n\tuntil x; do sleep 0.1; done\n\tsleep 1 # seconds are counted\n\texec sleep 9\n\tsleep 60 <x & y' # neither
	printf '%s\n' "$bad" >"$BATS_TEST_TMPDIR/bad"
	printf '%s\n' "$good" '	gone() {' '		! x' '	}' '	run ! x' '	! x' '}' >"$BATS_TEST_TMPDIR/good"
	ok 'complaints "$BATS_TEST_TMPDIR/bad" | cut -d : -f 2,3 | paste -sd ,'; is '2: a bare !,3: a sleep,4: a sleep,5: a sleep,7: a sleep'
	ok 'complaints "$BATS_TEST_TMPDIR/good"'; is ''
}
