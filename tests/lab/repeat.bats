#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The same inputs give the same bytes: a set of cells, on two machines that were booted and saved separately, the second on a busy host.

load ../helpers

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	export first=build/lab/published.jsonl second=$BATS_FILE_TMPDIR/published.jsonl
	set=(tests/lab/lab run published --seeds 1 --scenario extreme --scenario lte)
	"${set[@]}" > "$BATS_FILE_TMPDIR/table" 2>&3
	cp $first "$BATS_FILE_TMPDIR/first.jsonl"
	# The kernel is the same one anyway; its download would only take time.
	ln -s "$PWD"/build/lab/kernel-* "$BATS_FILE_TMPDIR"
	timeout 120 sh -c 'while :; do :; done' &
	NDM_LAB_BUILD=$BATS_FILE_TMPDIR "${set[@]}" > "$BATS_FILE_TMPDIR/again" 2>&3
	kill %1
}

@test "a set run on another saved machine has the same results to the byte" {
	[ "$(wc -l < "$second")" -eq 10 ]
	ok 'cmp "$BATS_FILE_TMPDIR/first.jsonl" "$second"'
}

@test "and prints the same table" {
	ok 'diff <(grep -v ^results: "$BATS_FILE_TMPDIR/table") <(grep -v ^results: "$BATS_FILE_TMPDIR/again")'
}

@test "the second run did happen: it has results of its own" {
	[ "$(wc -l < "$BATS_FILE_TMPDIR/results.jsonl")" -eq 10 ]
}
