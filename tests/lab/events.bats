#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# What each variant does about one event, on a stock kernel; see ndmlab/events.py. Each test plays with ndm_v1 and with ndm_v4.

bats_require_minimum_version 1.5.0

event() { "$BATS_TEST_DIRNAME/lab" event "$@"; }

@test "one loss, constant RTT: congestion, keep_congestion of the window stays" {
	event loss_constant loss_constant_other_share
}

@test "one loss, scattered RTT: noise, keep_noise of the window stays" {
	event loss_scattered loss_scattered_other_share
}

@test "one loss without data: step for step as Reno" {
	event loss_no_data
}

@test "retransmission timeout: congestion whatever the verdict, also amid recovery" {
	event timeout_constant timeout_scattered timeout_in_recovery
}

@test "spurious loss: window and ssthresh are restored, by timestamps (Eifel) and by DSACK" {
	event undo_eifel undo_dsack
}

@test "ECN-Echo: congestion whatever the verdict, nothing is sent again" {
	event ecn_constant ecn_scattered
}

@test "idle restart: no data, plasticity as at the start, the kernel's restart window" {
	event idle_restart
}

@test "application-limited sender: the window stays, with ndm_v5 as well" {
	event application_limited
}

@test "delayed ACKs: the timer's wait is no sample" {
	event delayed_acks
}

@test "ACKs of two full packets are samples" {
	event delayed_acks_of_pairs
}

@test "slow start: all acknowledged packets without data, half on congestion; in v4 half while RTT jumps up" {
	event slow_start slow_start_gradient
}

@test "congestion avoidance: growth over its divisor, v4's while RTT is far above its minimum, one for each ACK at least" {
	event avoidance_on_noise avoidance_delay_on_noise avoidance_on_congestion
}
