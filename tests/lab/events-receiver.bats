#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# What a misbehaving receiver gains from v5, on a stock kernel; see ndmlab/events/receiver.py.

load ../helpers

event() { ok "'$BATS_TEST_DIRNAME/lab' event $*"; }

@test "v5, a receiver that splits its ACKs gains nothing" {
	event v5_split_acks v5_split_acks_in_recovery
}

@test "v5, split ACKs do not turn congestion into noise" {
	event v5_split_acks_before_loss
}

@test "v5, a receiver that forges DSACKs gains at most one undone cut, and losses are still detected before the RTO" {
	event v5_forged_dsack v5_forged_dsack_of_resent v5_forged_dsack_waiting
}

@test "v5, a long wait after undone recoveries: a held-back recovery ends before the RTO" {
	event v5_hold_before_timeout
}

# bats test_tags=all
@test "v5, a receiver that acknowledges too early, or more than was sent, gains no more than the losses that it hides" {
	event v5_optimistic_acks v5_acks_beyond
}

# bats test_tags=all
@test "v5, a receiver that forges SACK or timestamps gains at most one undone cut" {
	event v5_forged_sack v5_forged_timestamps
}

# bats test_tags=all
@test "v5, a receiver that forges reordering gains faster growth until a queue shows; queues and timeouts are congestion as ever" {
	event v5_forged_reordering
}

# bats test_tags=all
@test "v5, a receiver that closes its window gains nothing and stops nothing" {
	event v5_closing_window
}

# bats test_tags=all
@test "v5, a receiver that does all of this by chance gains no more than from Reno" {
	event v5_any_receiver
}
