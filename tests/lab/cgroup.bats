#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# The cost of a cgroup's policy, measured in virtual time, so that a figure may be asserted.

load ../helpers

@test "a policy makes a short connection, both ends counted, at most 2 % longer" {
	ok '"$BATS_TEST_DIRNAME/cgroup-cost"'
	awk '$1 == "policy" && $3 > 0 && $3 <= 2 { good = 1 } END { exit !good }' <<<"$output" || complain 'more than 2 %, or no figure'
}
