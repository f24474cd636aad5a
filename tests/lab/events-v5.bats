#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# What v5 does about one event, and what a misbehaving receiver gains, on a stock kernel; see ndmlab/events_v5.py.

bats_require_minimum_version 1.5.0

event() { "$BATS_TEST_DIRNAME/lab" event "$@"; }

@test "v5, one loss without a queue: noise, cwnd stays" {
	event v5_loss_quiet
}

@test "v5, one loss, and the RTT is shifted or the next packets are late: congestion, 717/1024 stay" {
	event v5_loss_in_queue v5_loss_at_full_queue
}

@test "v5, one loss where packets overtake: noise, though the next ones are late; not a while after that" {
	event v5_loss_reordered v5_reordering_forgotten
}

@test "v5, ECN-Echo: cut at that very ACK, amid a recovery that keeps cwnd at the next" {
	event v5_ecn v5_ecn_amid_noise
}

@test "v5, retransmission timeout: cut whatever the verdict, also amid a recovery that keeps cwnd" {
	event v5_timeout v5_timeout_amid_noise
}

@test "v5, spurious loss: cwnd and ssthresh are restored, by timestamps (Eifel) and by DSACK" {
	event v5_undo_eifel v5_undo_dsack
}

@test "v5, idle restart: no data, the kernel's restart window" {
	event v5_idle_restart v5_idle_without_restart
}

@test "v5, pause: no time to grow" {
	event v5_pause
}

@test "v5, a receiver that splits its ACKs gains nothing" {
	event v5_split_acks v5_split_acks_in_recovery
}

@test "v5, ACKs that were split do not make noise of a loss" {
	event v5_split_acks_before_loss
}

@test "v5, a receiver that forges DSACK gains an undone cut at most, and detection still comes before the timeout" {
	event v5_forged_dsack v5_forged_dsack_of_resent v5_forged_dsack_waiting
}

@test "v5, a wait that undone recoveries made long: a recovery that is held back does not run into the timeout" {
	event v5_hold_before_timeout
}
