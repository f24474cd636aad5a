#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The cost of the ACK path, measured in virtual time, so that a figure may be asserted.

load ../helpers

@test "loopback goodput of every algorithm of the module is at least 0.98 of Reno's" {
	tests/lab/lab cpu --megabytes 100 > "$BATS_TEST_TMPDIR/costs" 2>&3
	cat "$BATS_TEST_TMPDIR/costs"
	ok 'awk "/^ndm/ { seen++; if (\$4 < 0.98) low++ } END { print seen + 0, low + 0 }" "$BATS_TEST_TMPDIR/costs"'; is '4 0'
}
