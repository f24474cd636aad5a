// SPDX-License-Identifier: GPL-2.0
/* Means, scatter and order of round-trip times; see ndm_rounds.h. */
#include "ndm_rounds.h"

#define NDM_PATTERN_BITS 5
#define NDM_PATTERN_FULL ((1U << NDM_PATTERN_BITS) - 1)

/* Below this the means keep one order: a shift needs less proof. */
#define NDM_ORDERED 600

u32 ndm_sqrt(u32 x)
{
	u32 root = 0, bit = 1U << 30;

	while (bit > x)
		bit >>= 2;
	while (bit) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
		bit >>= 2;
	}
	return root;
}

void ndm_rounds_sample(struct ndm_rounds *r, u32 rtt_us)
{
	rtt_us = ndm_max(ndm_min(rtt_us, NDM_SAMPLE_CAP_US), 1);
	if (r->samples >= NDM_SAMPLES_CAP)
		return;
	if (r->newest)
		r->wander += rtt_us > r->newest ? rtt_us - r->newest :
						  r->newest - rtt_us;
	r->newest = rtt_us;
	r->sum += rtt_us;
	r->samples++;
}

/* Which of the six orders three values come in; equal counts as falling. */
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
		/* Halve all six at once; what falls into the neighbour is masked. */
		r->patterns = (r->patterns >> 1) & 0x1ef7bdef;
	r->patterns += 1U << shift;
}

static void ndm_renew_base(struct ndm_rounds *r, u8 now, u32 error)
{
	u32 upper = r->mean + error;

	if (!r->base) {
		r->base = upper;
		r->base_next = upper;
		r->base_since = now;
		return;
	}
	r->base = ndm_min(r->base, upper);
	r->base_next = ndm_min(r->base_next, upper);
	if ((u8)(now - r->base_since) < NDM_BASE_UNITS)
		return;
	r->base = r->base_next;
	r->base_next = upper;
	r->base_since = now;
}

void ndm_rounds_end(struct ndm_rounds *r, u32 now_us)
{
	u32 mean, jitter;

	/* Few samples would say little and make a base of luck: go on. */
	if (r->samples < NDM_SAMPLES_MIN)
		return;
	mean = r->sum / r->samples;
	jitter = r->wander / r->samples;
	if (!r->mean)
		r->jitter = jitter;
	else
		r->jitter = r->jitter - (r->jitter >> 2) + (jitter >> 2);
	if (r->older)
		ndm_count_pattern(r, ndm_pattern(r->older, r->mean, mean));
	r->older = r->mean;
	r->mean = mean;
	r->root = ndm_sqrt(r->samples);
	ndm_renew_base(r, now_us >> NDM_BASE_SHIFT, r->jitter / r->root);
	r->sum = 0;
	r->wander = 0;
	r->samples = 0;
}

bool ndm_rounds_noisy(const struct ndm_rounds *r)
{
	return r->jitter > 2000 && r->jitter > r->base >> 4;
}

bool ndm_rounds_shifted(const struct ndm_rounds *r, bool noisy)
{
	/* ss(8) asks without the socket's lock: it may become 0 on the way. */
	u32 samples = READ_ONCE(r->samples);
	bool whole = samples < NDM_SAMPLES_MIN;
	u32 mean = whole ? r->mean : r->sum / samples;
	u32 root = whole ? READ_ONCE(r->root) : ndm_sqrt(samples);
	u32 error = r->jitter / ndm_max(root, 1);
	u32 beyond;

	if (noisy)
		beyond = ndm_max(r->base >> 2, error *
				 (ndm_rounds_entropy(r) < NDM_ORDERED ? 3 : 5));
	else
		beyond = ndm_max(r->base >> 4, error * 3);
	return mean > r->base + ndm_max(beyond, 1000);
}

/* n * log2(n), scale 1024, for n = 0..31 (0 log 0 is 0). */
static const u32 ndm_pattern_nlogn[NDM_PATTERN_FULL + 1] = {
	0, 0, 2048, 4869, 8192, 11888, 15882, 20123, 24576, 29214, 34017,
	38967, 44052, 49260, 54582, 60010, 65536, 71155, 76860, 82648, 88513,
	94452, 100462, 106539, 112680, 118883, 125145, 131463, 137836, 144263,
	150740, 157266,
};

/* log2(n), scale 1024, linear between powers of two: off by at most 0.09. */
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
	u32 patterns = READ_ONCE(r->patterns);
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
