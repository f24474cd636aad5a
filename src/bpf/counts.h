/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The maps of ndm_count that ndmctl reads. It knows each field by its name: layout.c tells it where that is, so this is the
 * only place that does. All fields but those of the key are of 64 bits.
 */
#ifndef NDM_BPF_COUNTS_H
#define NDM_BPF_COUNTS_H

#include <linux/types.h>

#include "kernel.h"

/* The bounds of the buckets: FIRST, and each FACTOR times the one before; one more bucket has the rest. */
#define SRTT_FIRST 125		/* us; the last is 1.024 s */
#define SRTT_FACTOR 2
#define SRTT_BOUNDS 14
#define RATE_FIRST 12500	/* bytes/s, 100 kbit/s; the last is 26 Gbit/s */
#define RATE_FACTOR 4
#define RATE_BOUNDS 10

/* Of an algorithm. */
struct totals {
	__u64 connections;	/* that have ended */
	__u64 acked_bytes;
	__u64 sent_segments;	/* with data, retransmitted ones included */
	__u64 retransmitted_segments;
	__u64 dsacks;
	__u64 reorderings;
	__u64 srtt_us;
	__u64 srtt[SRTT_BOUNDS + 1];
	__u64 rate;		/* bytes/s */
	__u64 rates[RATE_BOUNDS + 1];
};

#endif
