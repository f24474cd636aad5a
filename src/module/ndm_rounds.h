/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RTTs by round trips: is the mean RTT of this round higher than its jitter
 * explains, and in which order do the means come?
 *
 * A queue raises the mean RTT of a round; jitter does not, however wide it is,
 * once the rise is compared with the standard error of that mean. Jitter is the
 * mean difference of successive RTTs, which a slow ramp leaves small, so that a
 * queue that fills does not count as jitter.
 *
 * Permutation entropy tells the order: means that keep rising or stay equal
 * have few ordinal patterns (low entropy), means under jitter have all six
 * (high). Unlike the entropy of a histogram it sees a ramp as one, and it needs
 * no bins and no scale.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_ROUNDS_H
#define NDM_ROUNDS_H

#include "ndm_types.h"

#define NDM_SAMPLE_CAP_US 4000000	/* a longer RTT counts as this; satellites have 0.6 s */
#define NDM_SAMPLES_CAP 1000		/* per round; with the above, a sum fits 32 bits */
#define NDM_SAMPLES_MIN 8		/* below, a round has no mean of its own */
#define NDM_BASE_SHIFT 10		/* 2^10 ticks, 1.05 s, are a unit of the base's age */
#define NDM_BASE_UNITS 10
#define NDM_PATTERNS 6			/* ordinal patterns of three values */

/**
 * struct ndm_rounds - samples of the running round, estimates of those before
 * @sum_us:      RTT samples of this round
 * @moved_us:    absolute differences of successive samples of this round
 * @newest_us:   newest sample; 0 before the first
 * @mean_us:     of the latest complete round; 0 before the first
 * @older_us:    mean of the round before that one
 * @jitter_us:   mean absolute successive difference, averaged over 4 rounds
 * @base_us:     smallest mean plus its standard error of 10 to 20 s; 0 is none
 * @base_next_us: the same since @base_since
 * @patterns:    how often each order of three successive means came, six times
 *               5 bits; all are halved when one is full
 * @samples:     taken in this round, 0..NDM_SAMPLES_CAP
 * @root:        square root of the samples behind @mean_us, 2..31
 * @base_since:  when @base_next_us began, units of 2^NDM_BASE_SHIFT ticks, wraps
 *
 * A round is 8 samples or more, so that one of few packets lasts several round
 * trips. Whoever fills this forgets it all when samples stop coming: @base_since
 * wraps after 268 s.
 */
struct ndm_rounds {
	u32 sum_us;
	u32 moved_us;
	u32 newest_us;
	u32 mean_us;
	u32 older_us;
	u32 jitter_us;
	u32 base_us;
	u32 base_next_us;
	u32 patterns;
	u16 samples;
	u8 root;
	u8 base_since;
};

/* Add a raw RTT, us. */
void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us);

/* A round ended at @now_tick (may wrap): renew the estimates. */
void ndm_rounds_end(struct ndm_rounds *r, u32 now_tick);

/* Successive RTTs differ by more than 2 ms and by more than 1/16 of the base. */
bool ndm_rounds_jittery(const struct ndm_rounds *r);

/*
 * True when the mean RTT is above the base by more than jitter explains: there
 * is a queue. @jittery asks for a larger rise, as more rounds are judged.
 */
bool ndm_rounds_queue(const struct ndm_rounds *r, bool jittery);

/*
 * Permutation entropy of the latest round means, order 3, divided by log2(6):
 * 0 (always the same order) to 1000 (all orders alike). 0 without data.
 */
u32 ndm_rounds_entropy(const struct ndm_rounds *r);

#endif
