/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Round trips as a statistician sees them: is the mean RTT of this round
 * shifted against its own scatter, and in which order do the means come?
 *
 * A queue shifts the mean of a round; jitter does not, however wide it is, once
 * the shift is compared with the standard error of that mean. Scatter is taken
 * from successive differences, which a slow ramp leaves small, so that a
 * filling queue does not hide itself by looking noisy.
 *
 * Permutation entropy tells the order: means that keep rising or stay equal
 * have few ordinal patterns (low entropy), means of noise have all six (high).
 * Unlike the entropy of a histogram it sees a ramp as what it is, and it has no
 * bins and no scale.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_ROUNDS_H
#define NDM_ROUNDS_H

#include "ndm_types.h"

#define NDM_SAMPLE_CAP_US 2000000	/* a longer RTT counts as this; satellites have 0.6 s */
#define NDM_SAMPLES_CAP 2000		/* per round; with the above, a sum fits 32 bits */
#define NDM_SAMPLES_MIN 8		/* below, a round has no mean of its own */
#define NDM_BASE_SHIFT 20		/* 1.05 s are a unit of time of the base */
#define NDM_BASE_UNITS 10
#define NDM_PATTERNS 6			/* ordinal patterns of three values */

/**
 * struct ndm_rounds - samples of the running round, estimates of those before
 * @sum:        RTT samples of this round, us
 * @wander:     absolute differences of successive samples of this round, us
 * @newest:     newest sample, us; 0 before the first
 * @mean:       of the latest complete round, us; 0 before the first
 * @older:      mean of the round before that one, us
 * @jitter:     mean absolute successive difference, us, averaged over 4 rounds
 * @base:       smallest mean plus its standard error of 10 to 20 s, us; 0 is none
 * @base_next:  the same since @base_since
 * @patterns:   how often each order of three successive means came, six times
 *              5 bits; all are halved when one is full
 * @samples:    taken in this round, 0..NDM_SAMPLES_CAP
 * @root:       square root of the samples behind @mean, 2..44
 * @base_since: when @base_next began, units of 2^NDM_BASE_SHIFT us, wraps
 */
struct ndm_rounds {
	u32 sum;
	u32 wander;
	u32 newest;
	u32 mean;
	u32 older;
	u32 jitter;
	u32 base;
	u32 base_next;
	u32 patterns;
	u16 samples;
	u8 root;
	u8 base_since;
};

/* Integer square root, rounded down. */
u32 ndm_sqrt(u32 x);

/* Add a raw RTT, us. */
void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us);

/* A round ended at @now_us (us, may wrap): renew the estimates. */
void ndm_rounds_end(struct ndm_rounds *r, u32 now_us);

/*
 * True when scatter is what the path does anyway: successive RTTs differ by
 * more than 2 ms and by more than 1/16 of the base.
 */
bool ndm_rounds_noisy(const struct ndm_rounds *r);

/*
 * True when the mean RTT stands above the base by more than its scatter
 * explains: there is a queue. @noisy asks for more, as there is more to explain.
 */
bool ndm_rounds_shifted(const struct ndm_rounds *r, bool noisy);

/*
 * Permutation entropy of the latest round means, order 3, divided by log2(6):
 * 0 (always the same order) to 1000 (all orders alike). 0 without data.
 */
u32 ndm_rounds_entropy(const struct ndm_rounds *r);

#endif
