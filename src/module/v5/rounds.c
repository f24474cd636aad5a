// SPDX-License-Identifier: GPL-2.0
/* Means, jitter and order of RTTs; see rounds.h. */
#include "rounds.h"

#define NDM_PATTERN_BITS 5
#define NDM_PATTERN_FULL ((1U << NDM_PATTERN_BITS) - 1)

/*
 * On a Starlink link the means move by a twentieth of the base and more in half of the
 * rounds, with an entropy of 960 and more at nine of ten losses. One Cubic in a FIFO of
 * 0.1 BDP moves them in a fifth of the rounds, in one of 0.25 BDP in a third, with an
 * entropy of 760 to 920. The order is that of the last hundred rounds, nearly.
 */
#define NDM_WANDER_PART 24
#define NDM_WANDER_LEAST_US 250		/* less may be timing of hosts */
#define NDM_WANDER_ENTROPY 940
#define NDM_WANDER_MOVES 8
#define NDM_WANDER_MOVES_CAP 15

void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us)
{
	u32 before = r->newest_us;

	rtt_us = ndm_max(ndm_min(rtt_us, NDM_SAMPLE_CAP_US), 1);
	r->newest_us = rtt_us;
	if (r->paused || r->sum_us >= NDM_SUM_CAP_US || r->samples == 65535)
		return;
	if (before)
		r->moved_us += rtt_us > before ? rtt_us - before : before - rtt_us;
	r->sum_us += rtt_us;
	r->samples++;
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
		/* Halve all six at once; the mask clears the bits that cross a border. */
		r->patterns = (r->patterns >> 1) & 0x1ef7bdef;
	r->patterns += 1U << shift;
}

static void ndm_renew_base(struct ndm_rounds *r, u8 now, u32 error)
{
	u32 upper = ndm_min(r->mean_us + error, NDM_SAMPLE_CAP_US);

	if (!r->base_us) {
		r->base_us = upper;
		r->base_next_us = upper;
		r->base_since = now;
		return;
	}
	r->base_us = ndm_min(r->base_us, upper);
	r->base_next_us = ndm_min(r->base_next_us, upper);
	if ((u8)(now - r->base_since) < NDM_BASE_UNITS)
		return;
	r->base_us = r->base_next_us;
	r->base_next_us = upper;
	r->base_since = now;
}

void ndm_rounds_cap_base(struct ndm_rounds *r, u32 min_rtt_us)
{
	u32 cap_us = ndm_min(min_rtt_us, NDM_SAMPLE_CAP_US) + r->jitter_us;

	r->base_us = ndm_min(r->base_us, cap_us);
	r->base_next_us = ndm_min(r->base_next_us, cap_us);
}

void ndm_rounds_restart(struct ndm_rounds *r)
{
	r->sum_us = 0;
	r->moved_us = 0;
	r->samples = 0;
}

/* @moved_us: how far the mean is from that of the round before. */
static void ndm_count_move(struct ndm_rounds *r, u32 moved_us)
{
	if (moved_us > ndm_max(r->base_us / NDM_WANDER_PART, NDM_WANDER_LEAST_US))
		r->moves = ndm_min(r->moves + 2, NDM_WANDER_MOVES_CAP);
	else
		r->moves -= !!r->moves;
}

void ndm_rounds_end(struct ndm_rounds *r, u32 now_tick)
{
	u32 mean, jitter;

	/* The mean of few samples could be a base by chance: go on. */
	if (r->samples < NDM_SAMPLES_MIN)
		return;
	mean = r->sum_us / r->samples;
	jitter = r->moved_us / r->samples;
	if (!r->mean_us)
		r->jitter_us = jitter;
	else
		r->jitter_us = r->jitter_us - (r->jitter_us >> 2) + (jitter >> 2);
	if (r->older_us)
		ndm_count_pattern(r, ndm_pattern(r->older_us, r->mean_us, mean));
	if (r->mean_us)
		ndm_count_move(r, mean > r->mean_us ? mean - r->mean_us : r->mean_us - mean);
	r->older_us = r->mean_us;
	r->mean_us = mean;
	r->root = ndm_min(ndm_sqrt(r->samples), 63);
	ndm_renew_base(r, now_tick >> NDM_BASE_SHIFT, r->jitter_us / r->root);
	ndm_rounds_restart(r);
}

bool ndm_rounds_jittery(const struct ndm_rounds *r)
{
	return r->jitter_us > 2000 && r->jitter_us > r->base_us >> 4;
}

bool ndm_rounds_wander(const struct ndm_rounds *r)
{
	return r->moves >= NDM_WANDER_MOVES && ndm_rounds_entropy(r) >= NDM_WANDER_ENTROPY;
}

bool ndm_rounds_queue(const struct ndm_rounds *r, bool jittery, bool half)
{
	u32 samples = r->samples;
	bool whole = samples < NDM_SAMPLES_MIN;
	u32 mean = whole ? r->mean_us : r->sum_us / samples;
	u32 root = whole ? r->root : ndm_sqrt(samples);
	u32 error = r->jitter_us / ndm_max(root, 1);
	u32 beyond;

	if (jittery)
		beyond = ndm_max(r->base_us >> (half ? 1 : 2), error * 5);
	else
		beyond = ndm_max(r->base_us >> 4, error * 3);
	/* Less may be timing of hosts, on a LAN as large as the RTT itself. */
	return mean > r->base_us + ndm_max(beyond, ndm_min(r->base_us, 1000));
}

bool ndm_rounds_long_beyond(const struct ndm_rounds *r)
{
	u32 before_us = r->samples < NDM_SAMPLES_MIN ? r->older_us : r->mean_us;

	return before_us > r->base_us + (r->base_us >> 2);
}

/* n * log2(n), scale 1024, for n = 0..31 (0 log 0 is 0). */
static const u32 ndm_pattern_nlogn[NDM_PATTERN_FULL + 1] = {
	0, 0, 2048, 4869, 8192, 11888, 15882, 20123, 24576, 29214, 34017,
	38967, 44052, 49260, 54582, 60010, 65536, 71155, 76860, 82648, 88513,
	94452, 100462, 106539, 112680, 118883, 125145, 131463, 137836, 144263,
	150740, 157266,
};

/* log2(n), scale 1024, linear between powers of two: error at most 0.09. */
static u32 ndm_log2(u32 n)
{
	u32 whole = 0, rest = n;

	while (rest > 1) {
		rest >>= 1;
		whole++;
	}
	return (whole << 10) + (((n << 10) >> whole) - 1024);
}

u32 ndm_rounds_entropy(const struct ndm_rounds *r)
{
	u32 patterns = r->patterns;
	u32 total = 0, ordered = 0, bits, i;

	for (i = 0; i < NDM_PATTERNS; i++) {
		u32 count = (patterns >> (i * NDM_PATTERN_BITS)) &
			    NDM_PATTERN_FULL;

		total += count;
		ordered += ndm_pattern_nlogn[count];
	}
	if (total < NDM_PATTERNS)
		return 0;
	/* H = log2 N - (1/N) sum n log2 n; log2(6) is 2647/1024. */
	bits = ndm_log2(total) - ndm_min(ordered / total, ndm_log2(total));
	return ndm_min(bits * NDM_SCALE / 2647, NDM_SCALE);
}
