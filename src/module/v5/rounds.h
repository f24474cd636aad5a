/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RTTs by rounds. A queue raises the mean RTT of a round; jitter only makes the standard error of
 * the mean larger, with which the rise is compared. Jitter is the mean difference of successive
 * RTTs; a queue that fills slowly leaves that small.
 *
 * Permutation entropy describes the order of the means: those that keep rising or stay equal have
 * few ordinal patterns (low entropy), those with jitter have all six (high entropy). A delay that
 * wanders, as a satellite's, moves from round to round in no order; a queue fills over several.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_ROUNDS_H
#define NDM_V5_ROUNDS_H

#include "../arith.h"

#define NDM_RTT_BITS 26			/* of an RTT: 67 s, the RTO of a path of 20 s */
#define NDM_SAMPLE_CAP_US ((1U << NDM_RTT_BITS) - 1)	/* a larger RTT counts as this */
#define NDM_SAMPLES_MIN 8		/* with fewer, a round goes on */
#define NDM_TIMING_US 1000		/* less may be timing of hosts */
#define NDM_BASE_SHIFT 10		/* the base's age has units of 2^10 ticks, 1.05 s */
#define NDM_BASE_UNITS 10

/* Samples of this round, estimates from earlier ones */
struct ndm_rounds {
	u32 sum_us;		/* RTT samples of this round */
	u32 moved_us;		/* absolute differences of successive samples of this round */
	u32 newest_us;		/* newest sample; 0 before the first */
	u32 mean_us : NDM_RTT_BITS;	/* of the latest complete round; 0 before the first */
	u32 root : 6;		/* square root of the number of samples in @mean_us, 2..63 */
	u32 older_us : NDM_RTT_BITS;	/* mean of the round before that one */
	/* two for each round whose mean has moved a lot, less one for each other, 0..15 */
	u32 moves : 4;
	u32 jitter_us;		/* mean absolute successive difference, averaged over 4 rounds */
	/* smallest mean plus standard error of the last 10 to 20 s; 0: none */
	u32 base_us;
	u32 base_next_us;	/* the smallest since @base_since */
	/* of three successive means, six counts of 5 bits; all are halved when one is full */
	u32 patterns;
	u16 samples;		/* number in this round, 0..65535 */
	/* when @base_next_us began, units of 2^NDM_BASE_SHIFT ticks, wraps after 268 s */
	u8 base_since;
} __packed;

/* How far above the base is a queue: 1/2^this of it. */
enum ndm_above {
	NDM_ABOVE_HALF = 1,
	NDM_ABOVE_QUARTER = 2,
	NDM_ABOVE_SIXTEENTH = 4,
};

/* Add a raw RTT, us. */
void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us);

/* Begin the samples of a round anew. */
void ndm_rounds_restart(struct ndm_rounds *r);

/* A round ended at @now_tick (may wrap): update the estimates, and true; with few samples false. */
bool ndm_rounds_end(struct ndm_rounds *r, u32 now_tick);

/* Successive RTTs differ by more than 2 ms and by more than 1/16 of the base. */
bool ndm_rounds_jittery(const struct ndm_rounds *r);

/* The mean moves by more than 1/24 of the base, in no order, in more than a third of the rounds. */
bool ndm_rounds_wander(const struct ndm_rounds *r);

/*
 * The mean RTT exceeds the base by more than @part of it and by more than jitter explains;
 * @reordered: or by less of it, but more than packets overtake each other by, twice the jitter.
 */
bool ndm_rounds_above(const struct ndm_rounds *r, enum ndm_above part, bool reordered);

/* The complete round before that was above the base by a quarter. */
bool ndm_rounds_before_above(const struct ndm_rounds *r);

/*
 * Permutation entropy of the latest round means, order 3, divided by log2(6): 0 (always the same
 * pattern, or no data) to 1000 (all equally often).
 */
u32 ndm_rounds_entropy(const struct ndm_rounds *r);

#endif
