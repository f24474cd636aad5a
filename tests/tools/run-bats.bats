#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# tests/run-bats: which tests a set has.

setup() {
	bats_require_minimum_version 1.5.0
	mkdir "$BATS_TEST_TMPDIR/layer"
	printf '%s\n' '@test "plain" { true; }' '# bats test_tags=ci' '@test "longer" { true; }' '# bats test_tags=all' '@test "longest" { true; }' \
		>"$BATS_TEST_TMPDIR/layer/one.bats"
}

set_is() { # SET TEXT
	run env SET="$1" "$BATS_TEST_DIRNAME/../run-bats" "$BATS_TEST_TMPDIR/layer/one.bats"
	echo "$output"
	[ "$(sed -nE 's/^ok [0-9]+ (.*) in [0-9]+ms$/\1/p' <<<"$output" | paste -sd' ')" = "$2" ]
}

@test "each set has the tests that its tags select, with times" {
	set_is check plain
	set_is ci 'plain longer'
	set_is all 'plain longer longest'
	set_is '' 'plain longer longest'
}

@test "a set that does not exist is refused; every tag in use belongs to a set" {
	run env SET=quick "$BATS_TEST_DIRNAME/../run-bats" "$BATS_TEST_TMPDIR/layer"
	[ "$status" -eq 2 ]
	[[ $output == *'no set quick'* ]]
	run bash -c "grep -rhoE '^# bats (test|file)_tags=.*' '$BATS_TEST_DIRNAME'/../*/*.bats | sort | uniq -c"
	echo "$output"
	[ -n "$output" ]
	run ! grep -vE '_tags=(ci|all)$' <<<"$output"
}

@test "where the name of TMPDIR has a blank, which parts of bats and some tests take for its end, another folder is used" {
	mkdir "$BATS_TEST_TMPDIR/a b"
	# shellcheck disable=SC2016  # for the test in that file
	printf '%s\n' '@test "mine" { [[ $BATS_TEST_TMPDIR != *" "* ]]; }' >"$BATS_TEST_TMPDIR/layer/one.bats"
	TMPDIR="$BATS_TEST_TMPDIR/a b" set_is all mine
}
