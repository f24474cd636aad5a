#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The cost of the ACK path, measured in virtual time, so that a figure may be asserted.

load ../helpers

setup_file() {
	tests/lab/lab cpu --megabytes 100 > "$BATS_FILE_TMPDIR/first" 2>&3
}

@test "loopback goodput of every algorithm of the module is at least 0.98 of Reno's" {
	cat "$BATS_FILE_TMPDIR/first"
	ok 'awk "/^ndm/ { seen++; if (\$4 < 0.98) low++ } END { print seen + 0, low + 0 }" "$BATS_FILE_TMPDIR/first"'; is '4 0'
}

@test "virtual time is deterministic: a second run gives the same bytes" {
	tests/lab/lab cpu --megabytes 100 > "$BATS_TEST_TMPDIR/second"
	ok 'diff "$BATS_FILE_TMPDIR/first" "$BATS_TEST_TMPDIR/second"'
}
