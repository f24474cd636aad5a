/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A short history of round-trip times and its Shannon entropy.
 *
 * Jitter, radio noise and reordering scatter the samples over many bins (high
 * entropy); a queue that fills slowly, or an idle path, leaves them in a few
 * (low entropy). Entropy does not see the order of samples: it tells how much
 * they scatter, not whether they rise.
 */
#ifndef NDM_ENTROPY_H
#define NDM_ENTROPY_H

#include "ndm_types.h"

#define NDM_HISTORY_LEN 16	/* samples kept; log2(16) = 4 bits at most */
#define NDM_HISTORY_MIN 8	/* samples below which there is no verdict */
#define NDM_BINS 16		/* bins of the histogram */

/*
 * Samples are kept in units of 64 us: two bytes then reach 4.19 s, beyond any
 * path on which a window makes sense, and 16 of them fit the 104 bytes that
 * the kernel gives a congestion control.
 */
#define NDM_RTT_SHIFT 6

/*
 * A bin is never narrower than 256 us (scheduling noise of hosts on a LAN must
 * not look random) nor than 1/16 of the path's minimum RTT (a scatter that is
 * small against the path says nothing about it).
 */
#define NDM_BIN_MIN_UNITS 4
#define NDM_BIN_MIN_RTT_SHIFT 4

/**
 * struct ndm_history - ring of the newest RTT samples of one connection
 * @rtt:   samples, units of 2^NDM_RTT_SHIFT us, saturating at 65535
 * @head:  index that the next sample takes, 0..NDM_HISTORY_LEN-1
 * @count: samples held, 0..NDM_HISTORY_LEN
 */
struct ndm_history {
	u16 rtt[NDM_HISTORY_LEN];
	u8 head;
	u8 count;
};

/* Add one raw (not smoothed) RTT sample, in us. Longer than 4.19 s counts as 4.19 s. */
void ndm_history_add(struct ndm_history *h, u32 rtt_us);

/* The sample that is @age samples old (0 is the newest), in us; @age < @h->count. */
u32 ndm_history_rtt_us(const struct ndm_history *h, u32 age);

/*
 * Shannon entropy of the histogram of @h, divided by log2(16): 0..1000, where
 * 0 is "all samples in one bin" and 1000 "16 samples in 16 bins". @min_rtt_us
 * (us) is the path's minimum RTT and bounds the bin width from below. With
 * fewer than two samples the entropy is 0.
 */
u32 ndm_entropy(const struct ndm_history *h, u32 min_rtt_us);

#endif
