// SPDX-License-Identifier: GPL-2.0
/* CUBIC's growth and reduction, against the formulas of RFC 9438. */
#include <math.h>

#include "cubic.h"
#include "tap.h"

/* cwnd after a round in which all of it came back, packet by packet as the kernel counts. */
static u32 grown(const struct ndm_cubic *c, u32 cwnd, u32 *rest)
{
	u32 more = *rest >= c->acked_pkts;

	*rest = (more ? 0 : *rest) + cwnd;
	more += *rest / c->acked_pkts;
	*rest %= c->acked_pkts;
	return cwnd + more;
}

static void cubic_follows_the_formula(u32 now_tick)
{
	struct ndm_cubic c = { 0 };
	u32 wrong = 0, cwnd = ndm_cubic_keep(1000), rest = 0, i;

	ndm_cubic_cut(&c, 1000);
	for (i = 0; i < 146; i++, now_tick += 100) {
		double t = (i + 1) * 0.1024;

		ndm_cubic_round(&c, now_tick, 100, cwnd, cwnd);
		cwnd = grown(&c, cwnd, &rest);
		/* RFC 9438, figure 1, one round ahead. */
		wrong += fabs(cwnd - (0.4 * pow(t - cbrt(300 / 0.4), 3) + 1000)) > 10;
	}
	is(wrong, 0, "growth: within 1 % of RFC 9438 for 15 s");
	ndm_cubic_cut(&c, 900);
	is(c.w_max_pkts, 900 * (1024 + 717) / 2048, "fast convergence: 0.85 of a smaller cwnd");
}

static void cubic_keeps_its_bounds(void)
{
	struct ndm_cubic c = { 0 };
	u32 below = 0, fast = 0, i;

	is(ndm_cubic_keep(1000), 700, "cut: 0.7 of cwnd");
	is(ndm_cubic_keep(1), 2, "cut: two packets at least");
	is(ndm_cubic_keep(~0U), (long)(~0U * 717ULL >> 10), "cut: no overflow");
	for (i = 0; i < 20000; i++) {
		c.w_max_pkts = tap_random(1 << tap_random(31));
		c.epoch_tick = tap_random(~0U);
		c.w_est_pkts = tap_random(4) ? tap_random(~0U) : 0;
		c.k_ticks = tap_random(65536);
		ndm_cubic_round(&c, tap_random(~0U), tap_random(1 << 22), tap_random(1 << tap_random(31)),
				tap_random(~0U));
		below += !c.w_est_pkts;
		fast += c.acked_pkts < NDM_CUBIC_LEAST_ACKED;
	}
	is(below, 0, "growth: from any state on, an epoch");
	is(fast, 0, "growth: from any state on, at most half a packet per packet");
}

static void cubic_waits_for_the_sender(void)
{
	struct ndm_cubic c = { 0 };
	u32 now_tick = 1000, i, before;

	ndm_cubic_cut(&c, 100);
	ndm_cubic_round(&c, now_tick, 50, 70, 70);
	before = c.acked_pkts;
	for (i = 0; i < 1000; i++) {
		now_tick += 50;
		ndm_cubic_pause(&c, 50);
	}
	ndm_cubic_round(&c, now_tick, 50, 70, 5);
	is(c.acked_pkts, before, "growth: time in which cwnd was not the limit does not count");
}

static void epoch_in_tick_0(void)
{
	struct ndm_cubic c = { 0 };

	ndm_cubic_cut(&c, 1000);
	ndm_cubic_round(&c, 0, 0, 700, 700);
	ok((s32)(0 - c.epoch_tick) >= 0, "epoch: where the clock wraps it does not begin after now");
	ok(c.acked_pkts > 2, "epoch: nor is it 2^32 ticks old");
	c.epoch_tick = ~0U;
	ndm_cubic_pause(&c, 1);
	ndm_cubic_pause(&c, 1);
	is(c.epoch_tick, 1, "epoch: pauses of a tick take it across the wrap");
}

static void no_faster_than_reno(void)
{
	struct ndm_cubic c = { .acked_pkts = 2 };

	ndm_cubic_as_reno(&c, 1000);
	ok(c.acked_pkts >= 1000 * 100 / 53 - 10 && c.acked_pkts <= 1000 * 100 / 53 + 10,
	   "growth as Reno's with a cut to 0.7: 0.53 packets a round");
	ndm_cubic_as_reno(&c, 10);
	ok(c.acked_pkts > 1000, "growth as Reno's: never faster than it was");
}

int main(void)
{
	cubic_follows_the_formula(1);
	cubic_follows_the_formula(~0U - 1000);
	cubic_keeps_its_bounds();
	cubic_waits_for_the_sender();
	epoch_in_tick_0();
	no_faster_than_reno();
	return tap_done();
}
