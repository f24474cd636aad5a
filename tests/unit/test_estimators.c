// SPDX-License-Identifier: GPL-2.0
/* Estimators of v5: RTTs of rounds, CUBIC's growth, losses, against formulas and hand-worked answers. */
#include <math.h>
#include <stdlib.h>

#include "ndm_cubic.h"
#include "ndm_losses.h"
#include "ndm_rounds.h"
#include "tap.h"

#define MS 1000

/* A round of @n samples of @mean_us, evenly scattered by @spread_us to each side. */
static void play_round(struct ndm_rounds *r, u32 mean_us, u32 spread_us, u32 n, u64 now_us)
{
	u32 i;

	for (i = 0; i < n; i++)
		ndm_rounds_sample(r, mean_us - spread_us + tap_random(2 * spread_us + 1));
	ndm_rounds_end(r, now_us >> NDM_TICK_SHIFT);
}

static void square_roots(void)
{
	u32 x, wrong = 0;

	for (x = 0; x < 100000; x++)
		wrong += ndm_sqrt(x) != (u32)sqrt(x);
	wrong += ndm_sqrt(0xffffffff) != 65535;
	is(wrong, 0, "square root: as the library's, rounded down");
}

static void means_and_queues(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	ndm_rounds_sample(&r, 50 * MS);
	ndm_rounds_end(&r, 0);
	is(r.mean_us, 0, "round: one sample makes no mean");
	is(r.samples, 1, "round: it waits for more");

	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 10; i++)
		play_round(&r, 50 * MS, 100, 50, i * 50 * MS);
	ok(!ndm_rounds_jittery(&r), "a quiet path has no jitter");
	ok(!ndm_rounds_queue(&r, false), "and no queue");
	play_round(&r, 54 * MS, 100, 50, 500 * MS);
	ok(ndm_rounds_queue(&r, false), "4 ms more are a queue there");
	ok(!ndm_rounds_queue(&r, true), "but would not be under jitter");

	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 40; i++)
		play_round(&r, 110 * MS, 100 * MS, 100, i * 110 * MS);
	ok(ndm_rounds_jittery(&r), "RTTs that scatter as wide as the RTT are jitter");
	ok(!ndm_rounds_queue(&r, true), "and no queue");
	ok(ndm_rounds_entropy(&r) > 850, "their means come in all orders");
	play_round(&r, 190 * MS, 100 * MS, 100, 5000 * MS);
	ok(ndm_rounds_queue(&r, true), "80 ms more are a queue there");
}

static void long_paths(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	for (i = 0; i < 10; i++)
		play_round(&r, 600 * MS, 100, 50, i * 600 * MS);
	play_round(&r, 700 * MS, 100, 50, 6000 * MS);
	ok(ndm_rounds_queue(&r, false), "100 ms more are a queue on a path of 600 ms, too");
	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 3000; i++)
		ndm_rounds_sample(&r, i & 1 ? 60000 * MS : 1);
	ndm_rounds_end(&r, 0);
	ok(r.mean_us >= 1999 * MS && r.mean_us <= 2001 * MS, "a round of the longest RTTs does not overflow");
}

static void order(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	is(ndm_rounds_entropy(&r), 0, "entropy: none without data");
	for (i = 0; i < 100; i++)
		play_round(&r, 50 * MS + i * 500, 0, 8, i * 50 * MS);
	ok(ndm_rounds_entropy(&r) < 50, "entropy: a queue that grows has one order");
	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 100; i++)
		play_round(&r, 50 * MS, 0, 8, i * 50 * MS);
	ok(ndm_rounds_entropy(&r) < 50, "entropy: a constant has one order");
	/* All six, the same number of times. */
	r.patterns = 4 | 4 << 5 | 4 << 10 | 4 << 15 | 4 << 20 | 4 << 25;
	ok(abs((int)ndm_rounds_entropy(&r) - NDM_SCALE) < 35, "entropy: six equal counts are 1000");
}

/* Begun at @start_us, which may be where a clock wraps. */
static void base_is_forgotten(u64 start_us, const char *when)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	for (i = 0; i < 20; i++)
		play_round(&r, 20 * MS, 100, 20, start_us + i * 100 * MS);
	for (; i < 90; i++)
		play_round(&r, 120 * MS, 100, 20, start_us + i * 100 * MS);
	ok(r.base_us < 21 * MS, "base: it holds for 10 s%s", when);
	for (; i < 300; i++)
		play_round(&r, 120 * MS, 100, 20, start_us + i * 100 * MS);
	ok(r.base_us > 119 * MS, "base: a longer path is believed after 20 s%s", when);
	play_round(&r, 20 * MS, 100, 20, start_us + i * 100 * MS);
	ok(r.base_us < 51 * MS, "base: a shorter one at once%s", when);
}

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

static void losses(void)
{
	struct ndm_losses l;
	u32 i, delivered = ~0U - 500;

	ndm_losses_forget(&l, delivered);
	is(ndm_losses_bound(&l, 20000), ~0U, "losses: none, no bound");
	ok(ndm_losses_late(&l), "losses: that packets behind them are in time has to be shown first");
	for (i = 0; i < 20; i++) {
		delivered += 100;
		ndm_losses_event(&l, delivered, false);
	}
	is(l.interval_pkts, 100, "losses: 100 packets apart, where the count wraps, too");
	is(ndm_losses_bound(&l, 20000), 36, "losses: 100 apart, Reno has 12.2 packets, the bound is 36");
	ok(!ndm_losses_late(&l), "losses: packets behind them in time");
	for (i = 0; i < 3; i++)
		ndm_losses_event(&l, ++delivered, true);
	is(ndm_losses_bound(&l, 20000) >= 10, 1, "losses: close together, the bound is 10 at least");
	for (i = 0; i < 40; i++)
		ndm_losses_event(&l, delivered += 100, i & 3);
	ok(ndm_losses_late(&l), "losses: three of four followed by late packets");
	ndm_losses_event(&l, delivered + (1U << 31), false);
	ok(ndm_losses_bound(&l, 1) < 65536, "losses: no event for 2^31 packets does not overflow");
	ok(ndm_losses_bound(&l, NDM_SAMPLE_CAP_US) > 1 << 19, "losses: nor with the longest RTT");

	l.interval_pkts = 500;
	is(ndm_losses_bound(&l, 50000), 82, "losses: 500 apart and 50 ms, it is three times Reno's 27.4");
	ok(ndm_losses_bound(&l, 600000) / 4 == 56, "losses: 500 apart and 600 ms, three times CUBIC's 76 (%u)",
	   ndm_losses_bound(&l, 600000));

	ndm_losses_forget(&l, 0);
	for (i = 0; i < 40; i++)
		ndm_losses_round(&l, 20, 100);
	ok(!ndm_losses_many(&l), "losses: a sixth is not many");
	for (i = 0; i < 40; i++)
		ndm_losses_round(&l, 25, 100);
	ok(ndm_losses_many(&l), "losses: a fifth is many");
	for (i = 0; i < 200; i++)
		ndm_losses_round(&l, 0, 100);
	is(l.share, 0, "losses: the share decays to nothing");
	ndm_losses_round(&l, ~0U, 0);
	ndm_losses_round(&l, ~0U, ~0U);
	ok(l.share < 65536 / 4, "losses: rounds of any size do not overflow");
}

int main(void)
{
	square_roots();
	means_and_queues();
	long_paths();
	order();
	base_is_forgotten(0, "");
	base_is_forgotten((1ULL << 32) - 5000 * MS, ", where 32 bits of us wrap");
	base_is_forgotten((1ULL << 42) - 5000 * MS, ", where 32 bits of ticks wrap");
	cubic_follows_the_formula(1);
	cubic_follows_the_formula(~0U - 1000);
	cubic_keeps_its_bounds();
	cubic_waits_for_the_sender();
	epoch_in_tick_0();
	no_faster_than_reno();
	losses();
	return tap_done();
}
