#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The cost of programs on a cgroup, measured in virtual time, so that a figure may be asserted.

load ../helpers

@test "a policy makes a short connection, both ends counted, at most 2 % longer" {
	ok '"$BATS_TEST_DIRNAME/cgroup-cost"'
	awk '$1 == "policy" && $3 > 0 && $3 <= 2 { good = 1 } END { exit !good }' <<<"$output" || complain 'more than 2 %, or no figure'
}

@test "counting makes a short connection at most 5 % longer, and a kilobyte over loopback at most 3 %" {
	ok '"$BATS_TEST_DIRNAME/cgroup-cost" metrics 500'
	awk '$1 == "connection" && $3 > 0 && $3 <= 5 { good++ } $1 == "kilobyte" && $3 > 0 && $3 <= 3 { good++ } END { exit good != 2 }' <<<"$output" ||
		complain 'more than that, or no figures'
}
