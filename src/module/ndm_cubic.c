// SPDX-License-Identifier: GPL-2.0
/* RFC 9438, once per round; see ndm_cubic.h. */
#include "ndm_cubic.h"

/*
 * C = 0.4 packets per s^3, for time in units of 2^10 us: 0.4 * 1.024e-3^3 is
 * 472 / 2^40.
 */
#define NDM_CUBIC_C 472
#define NDM_CUBIC_C_SHIFT 40
#define NDM_CUBIC_PER_C 2329473787U	/* 2^40 / 472 */

/* Additive increase that makes Reno with a cut to 0.7 as fast as Reno: 0.53 * 256. */
#define NDM_CUBIC_ALPHA 135

/* Before the first cut there is no plateau: grow by at least 1/20 a round. */
#define NDM_CUBIC_FIRST_GAIN ((1U << NDM_CUBIC_GAIN_SHIFT) / 20)
#define NDM_CUBIC_MOST_GAIN ((1U << NDM_CUBIC_GAIN_SHIFT) / 2)

u32 ndm_cubic_keep(u32 window)
{
	return ndm_max((u32)(((u64)window * NDM_CUBIC_KEEP) >> 10), 2);
}

/* Integer cube root of what fits 48 bits, rounded down. */
static u32 ndm_cube_root(u64 x)
{
	u32 root = 0, bit;

	for (bit = 1U << 15; bit; bit >>= 1) {
		u64 next = root + bit;

		if (next * next * next <= x)
			root = next;
	}
	return root;
}

void ndm_cubic_cut(struct ndm_cubic *c, u32 window)
{
	/* Fast convergence: below the last plateau, leave room to newcomers. */
	if (window < c->last_max)
		c->last_max = ((u64)window * (1024 + NDM_CUBIC_KEEP)) >> 11;
	else
		c->last_max = window;
	c->epoch = 0;
	c->gain = 0;
	c->carry = 0;
}

static void ndm_cubic_begin(struct ndm_cubic *c, u32 now, u32 window)
{
	u32 below = c->last_max > window ? c->last_max - window : 0;

	c->epoch = now ? now : 1;
	c->origin = window + below;
	c->climb = ndm_cube_root((u64)ndm_min(below, 65535) * NDM_CUBIC_PER_C);
	c->reno = window << 8;
}

/* The curve at @at units after the epoch, packets. */
static u32 ndm_cubic_curve(const struct ndm_cubic *c, u32 at)
{
	u32 away = ndm_min(at > c->climb ? at - c->climb : c->climb - at, 65535);
	u32 change = (NDM_CUBIC_C * ((u64)away * away * away)) >> NDM_CUBIC_C_SHIFT;

	if (at > c->climb)
		return c->origin + change;
	return c->origin > change ? c->origin - change : 0;
}

void ndm_cubic_round(struct ndm_cubic *c, u32 now, u32 rtt, u32 window,
		     u32 acked, bool limited)
{
	u32 wanted, lift;

	window = ndm_min(ndm_max(window, 1), 1U << 23);
	if (!c->epoch)
		ndm_cubic_begin(c, now, window);
	else if (!limited)
		c->epoch += rtt;
	else
		c->reno += ndm_min(acked, window) * NDM_CUBIC_ALPHA / window;

	wanted = ndm_max(ndm_cubic_curve(c, now - c->epoch + rtt), c->reno >> 8);
	lift = wanted > window ? ndm_min(wanted - window, window) : 0;
	/* Below 2^16 packets the quotient keeps all its bits. */
	if (lift >> 16)
		c->gain = NDM_CUBIC_MOST_GAIN;
	else
		c->gain = ndm_min((lift << 16) / window, NDM_CUBIC_MOST_GAIN);
	if (!c->last_max)
		c->gain = ndm_max(c->gain, NDM_CUBIC_FIRST_GAIN);
	/* Never stand still: one packet in a hundred windows, as others do. */
	c->gain = ndm_max(c->gain, (1U << NDM_CUBIC_GAIN_SHIFT) / 100 / window);
}

void ndm_cubic_slow(struct ndm_cubic *c, u32 window)
{
	c->gain = ndm_min(c->gain, (NDM_CUBIC_ALPHA << 8) / ndm_max(window, 1));
}

u32 ndm_cubic_credit(struct ndm_cubic *c, u32 acked)
{
	u32 total = ndm_min(acked, 65535) * c->gain + c->carry;

	c->carry = total & ((1U << NDM_CUBIC_GAIN_SHIFT) - 1);
	return total >> NDM_CUBIC_GAIN_SHIFT;
}
