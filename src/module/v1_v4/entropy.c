// SPDX-License-Identifier: GPL-2.0
/* Shannon entropy of recent round-trip times; see entropy.h. */
#include "entropy.h"

/*
 * 1000 / (4 bits * n samples), scale 1024, for n = 1..16: a table avoids a
 * division on the ACK path.
 */
static const u32 ndm_per_sample[NDM_HISTORY_LEN + 1] = {
	0, 256000, 128000, 85333, 64000, 51200, 42667, 36571, 32000,
	28444, 25600, 23273, 21333, 19692, 18286, 17067, 16000,
};

#define NDM_BIN_SHIFT 27	/* scale of the reciprocal of the bin width */

void ndm_history_add(struct ndm_history *h, u32 rtt_us)
{
	u32 i;

	/* No ring: BPF knows no place in the state that a number selects. */
	for (i = NDM_HISTORY_LEN - 1; i; i--)
		h->rtt[i] = h->rtt[i - 1];
	h->rtt[0] = ndm_min(rtt_us >> NDM_RTT_SHIFT, 65535);
	if (h->count < NDM_HISTORY_LEN)
		h->count++;
}

u32 ndm_history_rtt_us(const struct ndm_history *h, u32 age)
{
	return (u32)h->rtt[age] << NDM_RTT_SHIFT;
}

/* Width of a bin: 16 bins span the samples, but no bin is narrower than the floor. */
static u32 ndm_bin_width(u32 range, u32 min_rtt_us)
{
	u32 floor = ndm_min(min_rtt_us >> (NDM_RTT_SHIFT + NDM_BIN_MIN_RTT_SHIFT),
			    65535);

	floor = ndm_max(floor, NDM_BIN_MIN_UNITS);
	return ndm_max(range / NDM_BINS + 1, floor);
}

static u32 ndm_history_count(const struct ndm_history *h)
{
	return ndm_min(READ_ONCE(h->count), NDM_HISTORY_LEN);
}

u32 ndm_entropy(const struct ndm_history *h, u32 min_rtt_us)
{
	u8 bin[NDM_BINS] = { 0 };
	u32 lowest = 65535, highest = 0, ordered = 0;
	u32 count = ndm_history_count(h), width, per_unit, i;

	if (count < 2)
		return 0;
	/* BPF's verifier wants loops of a constant length. */
	for (i = 0; i < NDM_HISTORY_LEN; i++) {
		if (i >= count)
			break;
		lowest = ndm_min(lowest, h->rtt[i]);
		highest = ndm_max(highest, h->rtt[i]);
	}
	width = ndm_bin_width(highest - lowest, min_rtt_us);
	/*
	 * One division for all samples, rounded up so that edges are exact. A
	 * sample is less than 16 widths above the lowest one, so the products
	 * below are less than 2^32.
	 */
	per_unit = ((1U << NDM_BIN_SHIFT) + width - 1) / width;

	for (i = 0; i < NDM_HISTORY_LEN; i++) {
		u32 at = ((h->rtt[i] - lowest) * per_unit) >>
			 NDM_BIN_SHIFT;

		if (i >= count)
			break;
		bin[ndm_min(at, NDM_BINS - 1)]++;
	}
	for (i = 0; i < NDM_BINS; i++)
		ordered += ndm_nlogn[ndm_min(bin[i], NDM_HISTORY_LEN)];

	/* BPF's verifier also follows counts that no loop above leaves: so read it again. */
	count = ndm_history_count(h);
	/* H = log2 N - (1/N) sum n log2 n, as (N log2 N - sum) / N. */
	return ((ndm_nlogn[count] - ordered) * ndm_per_sample[count]) >> 20;
}
