// SPDX-License-Identifier: GPL-2.0
/* RFC 9438, computed once per round; see cubic.h. */
#include "cubic.h"

/*
 * C = 0.4 packets per s^3, for time in ticks of 2^10 us: 0.4 * 1.024e-3^3 is
 * 472 / 2^40.
 */
#define NDM_CUBIC_C 472
#define NDM_CUBIC_C_SHIFT 40

/* Increase as fast as Reno's on average when a cut keeps 0.7 (alpha): 0.53 * 256. */
#define NDM_CUBIC_ALPHA 135

#define NDM_CUBIC_NO_GROWTH 65535	/* as slow as 16 bits allow */

/* Of t - K, 18 bits: its cube, times C, fits 63. It is K for a W_max of 25 million packets. */
#define NDM_CUBIC_TICKS_MOST 262143

u32 ndm_cubic_keep(u32 cwnd)
{
	return ndm_max((u32)(((u64)cwnd * NDM_CUBIC_KEEP) >> 10), 2);
}

void ndm_cubic_pause(struct ndm_cubic *c)
{
	c->w_est_256 = 0;
	c->acked_pkts = NDM_CUBIC_NO_GROWTH;
}

void ndm_cubic_cut(struct ndm_cubic *c, u32 cwnd)
{
	c->cut = true;
	/* Fast convergence: below the last W_max, leave room to new flows. */
	if (cwnd < c->w_max_pkts)
		c->w_max_pkts = ((u64)cwnd * (1024 + NDM_CUBIC_KEEP)) >> 11;
	else
		c->w_max_pkts = cwnd;
	ndm_cubic_pause(c);
}

static void ndm_cubic_begin(struct ndm_cubic *c, u32 cwnd)
{
	/* Above W_max, or without one, the curve begins here (4.8). */
	u32 below = c->w_max_pkts > cwnd ? c->w_max_pkts - cwnd : 0;

	c->w_max_pkts = cwnd + below;
	c->past_k_ticks = -(s32)ndm_cube_root(below * ((1ULL << NDM_CUBIC_C_SHIFT) / NDM_CUBIC_C));
	c->w_est_256 = cwnd << 8;
}

/* @past_k_ticks, @ticks later. */
static s32 ndm_cubic_later(s32 past_k_ticks, u32 ticks)
{
	return ndm_clamp(past_k_ticks + (s32)ndm_min(ticks, 2 * NDM_CUBIC_TICKS_MOST),
			 -NDM_CUBIC_TICKS_MOST, NDM_CUBIC_TICKS_MOST);
}

/* The curve at @past_k_ticks, packets times 256, at most 2^32 - 1. */
static u32 ndm_cubic_curve(const struct ndm_cubic *c, s32 past_k_ticks)
{
	u64 away = past_k_ticks < 0 ? -past_k_ticks : past_k_ticks;
	u64 plateau = (u64)c->w_max_pkts << 8, change;

	change = (NDM_CUBIC_C * (away * away * away)) >> (NDM_CUBIC_C_SHIFT - 8);
	if (past_k_ticks <= 0)
		return plateau > change ? plateau - change : 0;
	return (plateau + change) >> 32 ? ~0U : plateau + change;
}

u32 ndm_cubic_round(struct ndm_cubic *c, u32 ticks, u32 cwnd, u32 acked)
{
	u32 wanted, lift;

	/* Below 2^23 packets no product here leaves 32 bits. */
	cwnd = ndm_min(ndm_max(cwnd, 1), 1U << 23);
	if (!c->w_est_256) {
		ndm_cubic_begin(c, cwnd);
	} else {
		c->past_k_ticks = ndm_cubic_later(c->past_k_ticks, ticks);
		c->w_est_256 = ndm_min(c->w_est_256, 1U << 31) +
				ndm_min(acked, cwnd) * NDM_CUBIC_ALPHA / cwnd;
	}

	wanted = ndm_max(ndm_cubic_curve(c, ndm_cubic_later(c->past_k_ticks, ticks)),
			 c->w_est_256);
	lift = wanted > cwnd << 8 ? wanted - (cwnd << 8) : 0;
	/* Always grow: at least one packet in a hundred RTTs, as Linux's CUBIC does. */
	c->acked_pkts = ndm_min(lift ? (cwnd << 8) / lift : NDM_CUBIC_NO_GROWTH,
				ndm_min(100 * cwnd, NDM_CUBIC_NO_GROWTH));
	c->acked_pkts = ndm_max(c->acked_pkts, NDM_CUBIC_LEAST_ACKED);
	return wanted >> 8;
}

void ndm_cubic_hasten(struct ndm_cubic *c, u32 acked_pkts)
{
	c->acked_pkts = ndm_min(c->acked_pkts, acked_pkts);
}
