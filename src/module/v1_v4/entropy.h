/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A short history of round-trip times and its Shannon entropy.
 *
 * Jitter, radio noise and reordering scatter the samples over many bins (high
 * entropy). A queue that fills slowly, or an idle path, leaves them in few bins
 * (low entropy). Entropy ignores the order of the samples: it measures how much
 * they vary, not whether they rise.
 */
#ifndef NDM_ENTROPY_H
#define NDM_ENTROPY_H

#include "../arith.h"

#define NDM_HISTORY_LEN 16	/* samples kept; log2(16) = 4 bits at most */
#define NDM_HISTORY_MIN 8	/* samples below which there is no verdict */
#define NDM_BINS 16		/* bins of the histogram */

/*
 * Samples have units of 64 us: two bytes then hold up to 4.19 s, more than any
 * usual RTT, and 16 samples fit the 104 bytes that the kernel gives a congestion
 * control.
 */
#define NDM_RTT_SHIFT 6

/*
 * A bin is at least 256 us wide, so that the timing of hosts on a LAN does not
 * look random, and at least 1/16 of the minimum RTT, because a smaller variation
 * says nothing about the path.
 */
#define NDM_BIN_MIN_UNITS 4
#define NDM_BIN_MIN_RTT_SHIFT 4

/**
 * struct ndm_history - the newest RTT samples of one connection
 * @rtt:   samples, the newest first, units of 2^NDM_RTT_SHIFT us, saturating at 65535
 * @count: samples held, 0..NDM_HISTORY_LEN
 */
struct ndm_history {
	u16 rtt[NDM_HISTORY_LEN];
	u8 count;
};

/* Add one raw (not smoothed) RTT sample, us. More than 4.19 s counts as 4.19 s. */
void ndm_history_add(struct ndm_history *h, u32 rtt_us);

/* The sample that is @age samples old (0 is the newest), in us; @age < @h->count. */
u32 ndm_history_rtt_us(const struct ndm_history *h, u32 age);

/*
 * Shannon entropy of the histogram of @h, divided by log2(16): 0..1000, where
 * 0 is "all samples in one bin" and 1000 "16 samples in 16 bins". @min_rtt_us
 * (us) is the minimum RTT of the path; it limits how narrow a bin is. With fewer
 * than two samples the entropy is 0.
 */
u32 ndm_entropy(const struct ndm_history *h, u32 min_rtt_us);

#endif
