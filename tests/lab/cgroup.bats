#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# What the policy of a cgroup costs, counted in virtual time, so that a figure may be asserted.

@test "a policy makes a short connection, both its ends counted, at most 2 % longer" {
	cd "$BATS_TEST_DIRNAME/../.."
	run tests/lab/cgroup-cost
	echo "$output"
	awk '$1 == "policy" && $3 > 0 && $3 <= 2 { good = 1 } END { exit !good }' <<<"$output"
}
