#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# The reaction of v1 and v4 to a single event, on a stock kernel; see ndmlab/events/v1_v4.py. Each test runs with ndm_v1 and ndm_v4.

load ../helpers

event() { ok "'$BATS_TEST_DIRNAME/lab' event $*"; }

@test "one loss, constant RTT: congestion, keep_congestion of cwnd stays" {
	event loss_constant loss_constant_other_share
}

@test "one loss, scattered RTT: noise, keep_noise of cwnd stays" {
	event loss_scattered loss_scattered_other_share
}

@test "one loss without data: as Reno, step by step" {
	event loss_no_data
}

@test "RTO: congestion whatever the verdict, also during recovery" {
	event timeout_constant timeout_scattered timeout_in_recovery
}

@test "spurious loss: cwnd and ssthresh are restored, by timestamps (Eifel) and by DSACK" {
	event undo_eifel undo_dsack
}

@test "ECN-Echo: congestion whatever the verdict, no retransmission" {
	event ecn_constant ecn_scattered
}

@test "idle restart: no data, the plasticity of a new connection, the kernel's restart window" {
	event idle_restart
}

@test "application-limited sender: cwnd stays, also with ndm_v5" {
	event application_limited
}

@test "delayed ACKs: an ACK that waited for the timer gives no RTT sample" {
	event delayed_acks
}

@test "ACKs of two full packets give RTT samples" {
	event delayed_acks_of_pairs
}

@test "slow start: all acknowledged packets without data, half of them on congestion; v4 also half while the RTT rises fast" {
	event slow_start slow_start_gradient
}

@test "congestion avoidance: growth over its divisor, that of v4 while the RTT is large; at least one packet per ACK" {
	event avoidance_on_noise avoidance_delay_on_noise avoidance_on_congestion
}
