// SPDX-License-Identifier: GPL-2.0
/* The parameters' values, as long as nobody sets them. */
#include "params.h"

u32 ndm_chosen = NDM_ALGORITHM_V1;

struct ndm_tuning ndm_tuning = {
	/*
	 * With 16 samples in 16 bins the entropy of uniform jitter is about 800,
	 * that of a queue that grows by a packet per RTT is below 500.
	 */
	.entropy_threshold = 700,
	/* RFC 5681, section 3.1 */
	.keep_congestion = 500,
	/*
	 * The author's prototype documents two thirds, and its code keeps one.
	 * In the lab (tests/lab/NOTES.md) the published results hold
	 * from 250 to 400, within chance, and not from 500 on. The published
	 * goodput under extreme delay holds with no value.
	 */
	.keep_noise = 333,
	/* On congestion, half of the growth that the network computes. */
	.congestion_divisor = 2000,
	.noise_divisor = 1000,
	/* v4, as published: 4 ms and 5 ms per sample, 1.8 times the minimum RTT */
	.v4_start_gradient = 400,
	.v4_delay_high = 800,
	.v4_gradient_high = 500,
	.v4_delay_divisor = 3000,
	.v4_gradient_divisor = 4000,
	/* tests/lab/NOTES.md has what other values cost. */
	.queue_ms = 200,
	/* Without it v5 does nothing about reordering; see v5/reorder.c */
	.rack_assist = 1,
};
