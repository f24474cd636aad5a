#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The reaction to a single event, on a stock kernel; see ndmlab/events/. What fails says which event it was.

load ../helpers

event() { ok "'$BATS_TEST_DIRNAME/lab' event $*"; }

@test "v5: loss with and without a queue, ECN, RTO, losses that were none, idle restart, reordering" {
	event v5
}

# bats test_tags=ci
@test "v1 and v4: loss on noise and on congestion, as Reno without data, an application that is the limit" {
	event v1_v4
}
