#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The reaction to a single event, on a stock kernel; see ndmlab/events/. What fails says which event it was.

load ../helpers

event() { ok "'$BATS_TEST_DIRNAME/lab' event $*"; }

@test "v5: loss with and without a queue, ECN, RTO, losses that were none, idle restart, reordering" {
	event v5
}

# bats test_tags=ci
@test "v1 and v4: loss on noise and on congestion, as Reno without data, RTO, losses that were none, ECN, idle restart, delayed ACKs" {
	event v1_v4
}

# bats test_tags=ci
@test "v5, a receiver that splits ACKs or forges DSACKs gains at most one undone cut, and no wait beyond the RTO" {
	event v5_split_acks v5_split_acks_in_recovery v5_split_acks_before_loss v5_forged_dsack v5_forged_dsack_of_resent v5_forged_dsack_waiting
}

# bats test_tags=all
@test "v5, a receiver that lies in any way, or closes its window, gains no more than an undone cut, and what it hides" {
	event receiver
}
