#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The reaction of v5 to a single event on a stock kernel; see ndmlab/events/v5.py.

load ../helpers

event() { ok "'$BATS_TEST_DIRNAME/lab' event $*"; }

@test "v5, one loss without a queue: noise, cwnd stays" {
	event v5_loss_quiet
}

@test "v5, one loss, and the RTT has grown: congestion, 0.7 of cwnd stays" {
	event v5_loss_in_queue
}

@test "v5, one loss with reordering: noise" {
	event v5_loss_reordered
}

@test "v5, ECN-Echo: cwnd is cut at that ACK; during a recovery that keeps cwnd, at the next ACK" {
	event v5_ecn v5_ecn_amid_noise
}

@test "v5, RTO: cwnd is cut whatever the verdict, also during a recovery that keeps cwnd" {
	event v5_timeout v5_timeout_amid_noise
}

@test "v5, spurious loss: cwnd and ssthresh are restored, by timestamps (Eifel) and by DSACK" {
	event v5_undo_eifel v5_undo_dsack
}

@test "v5, idle restart: no data, the kernel's restart window" {
	event v5_idle_restart v5_idle_without_restart
}

@test "v5, pause: cwnd does not grow for it" {
	event v5_pause
}

@test "v5, no queue: cwnd grows faster than Cubic's, up to a sixth more; eight late packets of one round end slow start" {
	event v5_growth_without_queue v5_slow_start_queue
}

@test "v5, reordering: RACK waits longer than without, but not for the RTO" {
	event v5_wait_amid_reordering
}
