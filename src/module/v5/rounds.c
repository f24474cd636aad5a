// SPDX-License-Identifier: GPL-2.0
/* Means, jitter and order of RTTs; see rounds.h. */
#include "rounds.h"

/* A round stops sampling there: twice that, and three samples more, fit 32 bits. */
#define NDM_SUM_CAP_US 1000000000U

#define NDM_PATTERNS 6			/* of three values */
#define NDM_PATTERN_BITS 5
#define NDM_PATTERN_FULL ((1U << NDM_PATTERN_BITS) - 1)
#define NDM_PATTERN_HALF 0x1ef7bdef	/* of six, shifted by one: not what crossed */
#define NDM_LOG2_PATTERNS 2647		/* log2(6), scale 1024 */

/*
 * On a Starlink link the means move by a twentieth of the base and more in half of the
 * rounds, with an entropy of 960 and more at nine of ten losses. One Cubic in a FIFO of
 * 0.1 BDP moves them in a fifth of the rounds, in one of 0.25 BDP in a third, with an
 * entropy of 760 to 920. The order is that of the last hundred rounds, nearly.
 */
#define NDM_WANDER_PART 24
#define NDM_WANDER_ENTROPY 940
#define NDM_WANDER_MOVES 8

void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us)
{
	u32 before = r->newest_us;

	rtt_us = ndm_max(ndm_min(rtt_us, NDM_SAMPLE_CAP_US), 1);
	r->newest_us = rtt_us;
	if (r->sum_us >= NDM_SUM_CAP_US || r->samples == 65535)
		return;
	if (before)
		r->moved_us += rtt_us > before ? rtt_us - before : before - rtt_us;
	r->sum_us += rtt_us;
	r->samples++;
}

void ndm_rounds_restart(struct ndm_rounds *r)
{
	r->sum_us = 0;
	r->moved_us = 0;
	r->samples = 0;
}

/* Which of six patterns three values form; equal values count as falling. */
static u32 ndm_pattern(u32 a, u32 b, u32 c)
{
	if (b > a)
		return c > b ? 0 : c > a ? 1 : 2;
	return c > a ? 3 : c > b ? 4 : 5;
}

static void ndm_count_pattern(struct ndm_rounds *r, u32 pattern)
{
	u32 shift = pattern * NDM_PATTERN_BITS;

	if (((r->patterns >> shift) & NDM_PATTERN_FULL) == NDM_PATTERN_FULL)
		r->patterns = (r->patterns >> 1) & NDM_PATTERN_HALF;
	r->patterns += 1U << shift;
}

/* The mean of a round was @now_us, that of the one before @before_us. */
static void ndm_count_move(struct ndm_rounds *r, u32 now_us, u32 before_us)
{
	u32 moved_us = now_us > before_us ? now_us - before_us : before_us - now_us;

	if (moved_us > ndm_max(r->base_us / NDM_WANDER_PART, NDM_TIMING_US))
		r->moves = ndm_min(r->moves + 2, 15);
	else
		r->moves -= !!r->moves;
}

static void ndm_renew_base(struct ndm_rounds *r, u8 now)
{
	u32 upper = ndm_min(r->mean_us + r->jitter_us / r->root, NDM_SAMPLE_CAP_US);
	bool first = !r->base_us;

	r->base_next_us = first ? upper : ndm_min(r->base_next_us, upper);
	r->base_us = first ? upper : ndm_min(r->base_us, upper);
	if (!first && (u8)(now - r->base_since) < NDM_BASE_UNITS)
		return;
	r->base_us = r->base_next_us;
	r->base_next_us = upper;
	r->base_since = now;
}

bool ndm_rounds_end(struct ndm_rounds *r, u32 now_tick)
{
	u32 mean, jitter;

	/* The mean of few samples could be a base by chance: go on. */
	if (r->samples < NDM_SAMPLES_MIN)
		return false;
	mean = r->sum_us / r->samples;
	jitter = r->moved_us / r->samples;
	r->jitter_us = r->mean_us ? r->jitter_us - (r->jitter_us >> 2) + (jitter >> 2) : jitter;
	if (r->older_us)
		ndm_count_pattern(r, ndm_pattern(r->older_us, r->mean_us, mean));
	if (r->mean_us)
		ndm_count_move(r, mean, r->mean_us);
	r->older_us = r->mean_us;
	r->mean_us = mean;
	r->root = ndm_min(ndm_sqrt(r->samples), 63);
	ndm_renew_base(r, now_tick >> NDM_BASE_SHIFT);
	ndm_rounds_restart(r);
	return true;
}

bool ndm_rounds_jittery(const struct ndm_rounds *r)
{
	return r->jitter_us > ndm_max(NDM_TIMING_US, r->base_us >> 4);
}

bool ndm_rounds_wander(const struct ndm_rounds *r)
{
	return r->moves >= NDM_WANDER_MOVES && ndm_rounds_entropy(r) >= NDM_WANDER_ENTROPY;
}

bool ndm_rounds_above(const struct ndm_rounds *r, enum ndm_above part, bool reordered)
{
	bool whole = r->samples < NDM_SAMPLES_MIN;
	u32 mean = whole ? r->mean_us : r->sum_us / r->samples;
	u32 root = whole ? r->root : ndm_sqrt(r->samples);
	/* Where RTTs vary more rounds are judged: five standard errors instead of three. */
	u32 error = r->jitter_us / ndm_max(root, 1) * (part < NDM_ABOVE_SIXTEENTH ? 5 : 3);
	u32 overtaken = ndm_max(2 * r->jitter_us, r->base_us >> NDM_ABOVE_SIXTEENTH);
	u32 least = r->base_us >> part;

	/* A longer queue than packets overtake each other by is seen, however long the path. */
	if (reordered)
		least = ndm_min(least, overtaken);
	/* On a LAN the least is as large as the RTT itself. */
	least = ndm_max(least, ndm_min(r->base_us, NDM_TIMING_US));
	return mean > r->base_us + ndm_max(least, error);
}

bool ndm_rounds_before_above(const struct ndm_rounds *r)
{
	u32 before_us = r->samples < NDM_SAMPLES_MIN ? r->older_us : r->mean_us;

	return before_us > r->base_us + (r->base_us >> NDM_ABOVE_QUARTER);
}

u32 ndm_rounds_entropy(const struct ndm_rounds *r)
{
	u32 total = 0, ordered = 0, bits, i;

	for (i = 0; i < NDM_PATTERNS; i++) {
		u32 count = (r->patterns >> (i * NDM_PATTERN_BITS)) & NDM_PATTERN_FULL;

		total += count;
		ordered += ndm_nlogn[count];
	}
	if (total < NDM_PATTERNS)
		return 0;
	/* H = log2 N - (1/N) sum n log2 n. */
	bits = ndm_log2(total) - ndm_min(ordered / total, ndm_log2(total));
	return ndm_min(bits * NDM_SCALE / NDM_LOG2_PATTERNS, NDM_SCALE);
}
