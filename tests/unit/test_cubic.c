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

static void cubic_follows_the_formula(u32 w_max)
{
	struct ndm_cubic c = { 0 };
	u32 wrong = 0, cwnd = ndm_cubic_keep(w_max), rest = 0, i;
	double k = cbrt(0.3 * w_max / 0.4);

	ndm_cubic_cut(&c, w_max);
	for (i = 0; i < 1.65 * k / 0.1024; i++) {
		double t = (i + 1) * 0.1024;

		ndm_cubic_round(&c, 100, cwnd, cwnd);
		cwnd = grown(&c, cwnd, &rest);
		/* RFC 9438, figure 1, one round ahead. */
		wrong += fabs(cwnd - (0.4 * pow(t - k, 3) + w_max)) > w_max / 100;
	}
	ok(!wrong, "growth: within 1 %% of RFC 9438 for %.0f s from 0.7 * %u packets on", 1.65 * k, w_max);
}

static void cubic_keeps_its_bounds(void)
{
	struct ndm_cubic c = { 0 };
	u32 below = 0, fast = 0, i;

	ndm_cubic_cut(&c, 1000);
	ndm_cubic_cut(&c, 900);
	is(c.w_max_pkts, 900 * (1024 + 717) / 2048, "fast convergence: 0.85 of a smaller cwnd");
	is(ndm_cubic_keep(1000), 700, "cut: 0.7 of cwnd");
	is(ndm_cubic_keep(1), 2, "cut: two packets at least");
	is(ndm_cubic_keep(~0U), (long)(~0U * 717ULL >> 10), "cut: no overflow");
	for (i = 0; i < 20000; i++) {
		c.w_max_pkts = tap_random(1 << tap_random(31));
		c.w_est_256 = tap_random(4) ? tap_random(~0U) : 0;
		c.past_k_ticks = (s32)tap_random(1 << 19) - (1 << 18);
		ndm_cubic_round(&c, tap_random(~0U), tap_random(1 << tap_random(31)), tap_random(~0U));
		below += !c.w_est_256;
		fast += c.acked_pkts < NDM_CUBIC_LEAST_ACKED;
	}
	is(below, 0, "growth: from any state on, an epoch");
	is(fast, 0, "growth: from any state on, at most half a packet per packet");
}

int main(void)
{
	cubic_follows_the_formula(1000);
	cubic_follows_the_formula(400000);
	cubic_follows_the_formula(6000000);
	cubic_keeps_its_bounds();
	return tap_done();
}
