/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Window growth of RFC 9438 (CUBIC), computed once per round and granted per
 * acknowledged packet by one multiplication: v5's way of being a good neighbour
 * of the algorithm that most of the network runs.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_CUBIC_H
#define NDM_CUBIC_H

#include "ndm_types.h"

/* Time is in units of 2^10 us, so that it needs no division. */
#define NDM_CUBIC_TIME_SHIFT 10

/* The window that a cut keeps, over 1024: 0.7 (RFC 9438, section 4.6). */
#define NDM_CUBIC_KEEP 717

#define NDM_CUBIC_GAIN_SHIFT 16

/**
 * struct ndm_cubic - growth since the last cut
 * @last_max: window before the last cut, packets; 0 before the first
 * @epoch:    when growth began, units of 1.024 ms; 0 is not yet
 * @origin:   window of the plateau, packets
 * @reno:     window that Reno would have since then, packets times 256
 * @gain:     packets to grow by per acknowledged packet, scale
 *            2^NDM_CUBIC_GAIN_SHIFT, at most half a packet
 * @climb:    time from @epoch to the plateau (the RFC's K), units of 1.024 ms
 * @carry:    growth not yet granted, packets, scale 2^NDM_CUBIC_GAIN_SHIFT
 */
struct ndm_cubic {
	u32 last_max;
	u32 epoch;
	u32 origin;
	u32 reno;
	u32 gain;
	u16 climb;
	u16 carry;
};

/* What is left of @window packets after a cut, at least 2. */
u32 ndm_cubic_keep(u32 window);

/* A cut from @window packets proved right: a new plateau, a new epoch. */
void ndm_cubic_cut(struct ndm_cubic *c, u32 window);

/*
 * A round ended at @now and took @rtt (both units of 1.024 ms); @window packets
 * are allowed now, and @acked came back in the round. Not @limited by the
 * window, the round does not count as time to grow.
 */
void ndm_cubic_round(struct ndm_cubic *c, u32 now, u32 rtt, u32 window,
		     u32 acked, bool limited);

/*
 * There is a queue already: until the next round grow as Reno does. Where jitter
 * hides when packets were sent, each packet lost costs some more.
 */
void ndm_cubic_slow(struct ndm_cubic *c, u32 window);

/* Packets to grow by, for @acked packets. */
u32 ndm_cubic_credit(struct ndm_cubic *c, u32 acked);

#endif
