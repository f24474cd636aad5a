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
 * Permutation entropy describes the order: means that keep rising or stay equal
 * have few ordinal patterns (low entropy), means with jitter have all six (high
 * entropy). Unlike the entropy of a histogram it detects a trend, and it needs no
 * bins and no scale.
 *
 * The delay of a satellite or mobile link also wanders: it differs from one round to the
 * next, by more than jitter. A queue that few bulk transfers fill moves the means less, or
 * in order, as it fills over several rounds; one that bursts of others fill may move them
 * likewise. So after means that moved a lot, with high entropy, an RTT above the base proves
 * little; ndm_judge.h says what does.
 *
 * Every verdict on a loss rests on one invariant: *the base is below the RTT of a full queue*.
 * The smallest mean of 10 to 20 s is, as long as the queue empties now and then. Where many
 * flows share a FIFO of few packets it never does: then the base becomes the RTT of the full
 * queue, no RTT is above it, and each loss passes for chance. So while more is lost than chance
 * often takes, ndm_rounds_cap_base() keeps the base near the smallest RTT of the path.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_ROUNDS_H
#define NDM_ROUNDS_H

#include "ndm_types.h"

#define NDM_SAMPLE_CAP_US 4000000	/* a larger RTT counts as this; satellites have 0.6 s */
#define NDM_SAMPLES_CAP 1000		/* per round; with the above, a sum fits 32 bits */
#define NDM_RTT_BITS 22			/* of an RTT; 10 more, of the samples, fill a word */
#define NDM_SAMPLES_MIN 8		/* with fewer, a round goes on */
#define NDM_ROUNDS_PAUSED 2		/* the one of the pause, and a whole one */
#define NDM_BASE_SHIFT 10		/* the base's age has units of 2^10 ticks, 1.05 s */
#define NDM_BASE_UNITS 10
#define NDM_PATTERNS 6			/* ordinal patterns of three values */

/**
 * struct ndm_rounds - samples of this round, estimates from earlier ones
 * @sum_us:      RTT samples of this round
 * @moved_us:    absolute differences of successive samples of this round
 * @newest_us:   newest sample; 0 before the first
 * @samples:     number in this round, 0..NDM_SAMPLES_CAP
 * @mean_us:     of the latest complete round; 0 before the first
 * @others_since: when a test showed that others fill the queue, units of
 *               2^NDM_BASE_SHIFT ticks, wraps
 * @small:       RTT samples of the present test that showed no queue, 0..3
 * @older_us:    mean of the round before that one
 * @root:        square root of the number of samples in @mean_us, 2..31
 * @paused:      v5 has sent nothing for a while, so the packets acknowledged next are those
 *               with small RTTs: so many rounds, with this one, take no samples,
 *               0..NDM_ROUNDS_PAUSED
 * @careful:     trials that must succeed, the first of them with what a failure has left,
 *               before one adds as much as at first, 0..7; of ndm_trial.h
 * @jitter_us:   mean absolute successive difference, averaged over 4 rounds
 * @trial_late:  share of the loss events, of which anything is known, behind which all
 *               packets were late, average of about 16, of 2^8; of ndm_trial.h
 * @others:      a test has shown that others fill the queue, and that is still valid
 * @base_us:     smallest mean plus standard error of the last 10 to 20 s; 0: none
 * @base_since:  when @base_next_us began, units of 2^NDM_BASE_SHIFT ticks, wraps
 * @yield:       enum ndm_yield, the present test whose the queue is
 * @base_next_us: the smallest since @base_since
 * @looks:       RTT samples of that test that showed a queue, 0..7; without a test
 *               rounds that must pass before the next
 * @in_a_row:    tests that found others, less those since then that found none, 0..6
 * @moves:       two for each round whose mean has moved a lot, less one for each other,
 *               0..15
 * @patterns:    counts of the six patterns of three successive means, 5 bits
 *               each; all are halved when one is full
 *
 * @others_since, @small, @others, @yield, @looks and @in_a_row are of ndm_yield.h; struct
 * ndm_v5 has no room left.
 *
 * A round has 8 samples or more, so that with few packets in flight it lasts
 * several RTTs. The caller must reset this after a pause: @base_since wraps after
 * 268 s.
 */
struct ndm_rounds {
	u32 sum_us;
	u32 moved_us;
	u32 newest_us : NDM_RTT_BITS;
	u32 samples : 32 - NDM_RTT_BITS;
	u32 mean_us : NDM_RTT_BITS;
	u32 others_since : 8;
	u32 small : 2;
	u32 older_us : NDM_RTT_BITS;
	u32 root : 5;
	u32 paused : 2;
	u32 careful : 3;
	u32 jitter_us : NDM_RTT_BITS;
	u32 trial_late : 8;
	u32 others : 1;
	u32 base_us : NDM_RTT_BITS;
	u32 base_since : 8;
	u32 yield : 2;
	u32 base_next_us : NDM_RTT_BITS;
	u32 looks : 3;
	u32 in_a_row : 3;
	u32 moves : 4;
	u32 patterns;
};

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

/*
 * Permutation entropy of the latest round means, order 3, divided by log2(6):
 * 0 (always the same pattern) to 1000 (all equally often). 0 without data.
 */
u32 ndm_rounds_entropy(const struct ndm_rounds *r);

#endif
