/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RTTs by rounds: does the mean RTT of a round exceed the base by more than
 * jitter explains, and in which order do the means follow each other?
 *
 * A queue raises the mean RTT of a round. Jitter does not: it only makes the
 * standard error of the mean larger, with which the rise is compared. Jitter is
 * the mean difference of successive RTTs. A queue that fills slowly leaves that
 * small, and so does not count as jitter.
 *
 * Every verdict on a loss rests on one invariant: *the base is below the RTT of a full queue*.
 * The smallest mean of 10 to 20 s is, as long as the queue empties now and then. Where many
 * flows share a FIFO of few packets it never does: then the base becomes the RTT of the full
 * queue, no RTT is above it, and each loss passes for chance. So while more is lost than chance
 * often takes, ndm_rounds_cap_base() keeps the base near the smallest RTT of the path.
 *
 * Permutation entropy describes the order: means that keep rising or stay equal
 * have few ordinal patterns (low entropy), means with jitter have all six (high
 * entropy). Unlike the entropy of a histogram it detects a trend, and it needs no
 * bins and no scale. With it a delay that wanders is told from a queue: that of a satellite or
 * mobile link differs from one round to the next in no order, a queue fills over several rounds.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_ROUNDS_H
#define NDM_V5_ROUNDS_H

#include "../arith.h"

#define NDM_RTT_BITS 26			/* of an RTT: 67 s, the RTO of a path of 20 s */
#define NDM_SAMPLE_CAP_US ((1U << NDM_RTT_BITS) - 1)	/* a larger RTT counts as this */
/* A round stops sampling there: twice that, and three samples more, fit 32 bits. */
#define NDM_SUM_CAP_US 1000000000U
#define NDM_SAMPLES_MIN 8		/* with fewer, a round goes on */
#define NDM_ROUNDS_PAUSED 2		/* the one of the pause, and a whole one */
#define NDM_BASE_SHIFT 10		/* the base's age has units of 2^10 ticks, 1.05 s */
#define NDM_BASE_UNITS 10
#define NDM_PATTERNS 6			/* ordinal patterns of three values */

/**
 * struct ndm_rounds - samples of this round, estimates from earlier ones
 * @sum_us:       RTT samples of this round
 * @moved_us:     absolute differences of successive samples of this round
 * @newest_us:    newest sample; 0 before the first
 * @mean_us:      of the latest complete round; 0 before the first
 * @older_us:     mean of the round before that one
 * @jitter_us:    mean absolute successive difference, averaged over 4 rounds
 * @base_us:      smallest mean plus standard error of the last 10 to 20 s; 0: none
 * @base_next_us: the smallest since @base_since
 * @root:         square root of the number of samples in @mean_us, 2..63
 * @moves:        two for each round whose mean has moved a lot, less one for each other, 0..15
 * @patterns:     counts of the six patterns of three successive means, 5 bits
 *                each; all are halved when one is full
 * @paused:       v5 has sent nothing for a while, so the packets acknowledged next are those
 *                with small RTTs: so many rounds, with this one, take no samples,
 *                0..NDM_ROUNDS_PAUSED
 * @samples:      number in this round, 0..65535
 * @base_since:   when @base_next_us began, units of 2^NDM_BASE_SHIFT ticks, wraps
 *
 * A round has 8 samples or more, so that with few packets in flight it lasts
 * several RTTs. The caller must reset this after a pause: @base_since wraps after
 * 268 s.
 */
struct ndm_rounds {
	u32 sum_us;
	u32 moved_us;
	u32 newest_us;
	u32 mean_us : NDM_RTT_BITS;
	u32 root : 6;
	u32 older_us : NDM_RTT_BITS;
	u32 moves : 4;
	u32 jitter_us;
	u32 base_us;
	u32 base_next_us;
	u32 patterns : 30;
	u32 paused : 2;
	u16 samples;
	u8 base_since;
} __packed;

/* Add a raw RTT, us. */
void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us);

/* Begin the samples of a round anew. */
void ndm_rounds_restart(struct ndm_rounds *r);

/* A round ended at @now_tick (may wrap): update the estimates. */
void ndm_rounds_end(struct ndm_rounds *r, u32 now_tick);

/*
 * The base is at most @min_rtt_us, the smallest RTT of minutes, and the jitter; the jitter
 * because the mean of a round has it as well. For when many packets are lost. A path that
 * became longer then looks like one with a queue: v5 is CUBIC on it.
 */
void ndm_rounds_cap_base(struct ndm_rounds *r, u32 min_rtt_us);

/* Successive RTTs differ by more than 2 ms and by more than 1/16 of the base. */
bool ndm_rounds_jittery(const struct ndm_rounds *r);

/*
 * The delay wanders: the mean has moved by more than 1/24 of the base, in no order, and in
 * more than a third of the rounds. With a third of them this is true in half of the rounds.
 */
bool ndm_rounds_wander(const struct ndm_rounds *r);

/*
 * True when the mean RTT exceeds the base by more than jitter explains: there is
 * a queue. @jittery requires a rise of a quarter of the base instead of a sixteenth, because
 * more rounds are judged then; @half one of half of it, see ndm_judge_queue().
 */
bool ndm_rounds_queue(const struct ndm_rounds *r, bool jittery, bool half);

/* The complete round before the one of ndm_rounds_queue() was a quarter of the base above it. */
bool ndm_rounds_long_beyond(const struct ndm_rounds *r);

/*
 * Permutation entropy of the latest round means, order 3, divided by log2(6):
 * 0 (always the same pattern) to 1000 (all equally often). 0 without data.
 */
u32 ndm_rounds_entropy(const struct ndm_rounds *r);

#endif
