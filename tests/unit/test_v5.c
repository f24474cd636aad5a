// SPDX-License-Identifier: GPL-2.0
/* Variant v5: statistics of rounds, growth and the verdict, against formulas and hand-worked answers. */
#include <math.h>
#include <stdlib.h>

#include "../../src/module/ndm_v5.h"
#include "tap.h"

#define MS 1000

/* A round of @n samples of @mean us, evenly scattered by @spread us to each side. */
static void play_round(struct ndm_rounds *r, u32 mean, u32 spread, u32 n, u32 now_us)
{
	u32 i;

	for (i = 0; i < n; i++)
		ndm_rounds_sample(r, mean - spread + tap_random(2 * spread + 1));
	ndm_rounds_end(r, now_us);
}

static void square_roots(void)
{
	u32 x, wrong = 0;

	for (x = 0; x < 100000; x++)
		wrong += ndm_sqrt(x) != (u32)sqrt(x);
	wrong += ndm_sqrt(0xffffffff) != 65535;
	is(wrong, 0, "square root: as the library's, rounded down");
}

static void means_and_shift(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	ndm_rounds_sample(&r, 50 * MS);
	ndm_rounds_end(&r, 0);
	is(r.mean, 0, "round: one sample makes no mean");
	is(r.samples, 1, "round: it waits for more");

	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 10; i++)
		play_round(&r, 50 * MS, 100, 50, i * 50 * MS);
	ok(!ndm_rounds_noisy(&r), "a quiet path is not noisy");
	ok(!ndm_rounds_shifted(&r, false), "and shows no queue");
	play_round(&r, 54 * MS, 100, 50, 500 * MS);
	ok(ndm_rounds_shifted(&r, false), "4 ms more are a queue there");
	ok(!ndm_rounds_shifted(&r, true), "but would not be among noise");

	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 40; i++)
		play_round(&r, 110 * MS, 100 * MS, 100, i * 110 * MS);
	ok(ndm_rounds_noisy(&r), "jitter as wide as the RTT is noisy");
	ok(!ndm_rounds_shifted(&r, true), "and shows no queue");
	ok(ndm_rounds_entropy(&r) > 850, "its means come in all orders");
	play_round(&r, 190 * MS, 100 * MS, 100, 5000 * MS);
	ok(ndm_rounds_shifted(&r, true), "80 ms more are a queue there");
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

static void base_is_forgotten(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	for (i = 0; i < 20; i++)
		play_round(&r, 20 * MS, 100, 20, i * 100 * MS);
	for (; i < 300; i++)
		play_round(&r, 120 * MS, 100, 20, i * 100 * MS);
	ok(r.base > 119 * MS, "base: a longer path is believed after 20 s");
	play_round(&r, 20 * MS, 100, 20, i * 100 * MS);
	ok(r.base < 51 * MS, "base: a shorter one at once");
}

static void cubic_follows_the_formula(void)
{
	struct ndm_cubic c = { 0 };
	double window = ndm_cubic_keep(1000), t;
	u32 now = 1, wrong = 0, w = ndm_cubic_keep(1000);

	is(w, 700, "cut: 0.7 of the window");
	is(ndm_cubic_keep(1), 2, "cut: two packets at least");
	ndm_cubic_cut(&c, 1000);
	for (t = 0; t < 15; t += 0.1024, now += 100) {
		ndm_cubic_round(&c, now, 100, w, w, true);
		w += ndm_cubic_credit(&c, w);
		/* RFC 9438, figure 1, one round ahead. */
		window = 0.4 * pow(t + 0.1024 - cbrt(300 / 0.4), 3) + 1000;
		wrong += fabs(w - window) > 0.01 * window + 2;
	}
	is(wrong, 0, "growth: within 1 % of RFC 9438 for 15 s");
	ndm_cubic_cut(&c, 900);
	is(c.last_max, 900 * (1024 + 717) / 2048, "fast convergence: 0.85 of a smaller window");
}

static void cubic_waits_for_the_sender(void)
{
	struct ndm_cubic c = { 0 };
	u32 now = 1, i;

	ndm_cubic_cut(&c, 100);
	ndm_cubic_round(&c, now, 50, 70, 70, true);
	for (i = 0; i < 1000; i++) {
		now += 50;
		ndm_cubic_round(&c, now, 50, 70, 5, false);
	}
	ok(c.gain < (1 << NDM_CUBIC_GAIN_SHIFT) / 20, "growth: rounds without need do not add up");
}

static void round_of(struct ndm_v5 *v, u32 now_us, u32 lost, u32 window, u32 mean, u32 spread)
{
	struct ndm_v5_round round = { .now_us = now_us, .delivered = window, .lost = lost, .window = window };
	u32 i;

	for (i = 0; i < 20; i++)
		ndm_rounds_sample(&v->rounds, mean - spread + tap_random(2 * spread + 1));
	v->limited = true;
	ndm_v5_round(v, &round);
}

static void verdict(void)
{
	struct ndm_v5 v = { 0 };
	u32 i, now = 1000 * MS;

	ok(sizeof(v) <= 104, "state fits what the kernel gives");
	ok(!ndm_v5_is_noise(&v, 5, 0), "without data a loss is congestion");
	for (i = 0; i < 40; i++, now += 50 * MS)
		round_of(&v, now, i % 4 == 0, 25, 50 * MS, 50);
	is(ndm_v5_bound(&v) > 25, 1, "1 % lost: three times Reno's window is more than 25");
	ok(ndm_v5_is_noise(&v, 25, 0), "few losses, no queue: noise");
	ok(!ndm_v5_is_noise(&v, 200, 0), "not with a window far above Reno's");
	ok(ndm_v5_is_noise(&v, 200, 3), "unless packets overtake each other");
	v.stalls = 3;
	ok(!ndm_v5_is_noise(&v, 25, 0), "more window brought no more rate: congestion");
	ndm_v5_cut(&v, 25);
	is(v.stalls, 0, "a cut begins anew");
	round_of(&v, now, 0, 25, 70 * MS, 50);
	ok(!ndm_v5_is_noise(&v, 25, 3), "a queue: congestion, whatever else");
	for (i = 0; i < 40; i++, now += 50 * MS)
		round_of(&v, now, 10, 25, 50 * MS, 50);
	ok(!ndm_v5_is_noise(&v, 5, 3), "more than a fifth lost: congestion");
}

static void slow_start_ends(void)
{
	struct ndm_v5 v = { 0 };
	u32 i, now = 1000 * MS;

	round_of(&v, now, 0, 20, 50 * MS, 20);
	ok(!ndm_v5_start_over(&v, now + 10 * MS, 50 * MS), "slow start: goes on");
	for (i = 1; i < 30; i++)
		if (ndm_v5_start_over(&v, now + i * MS, 50 * MS))
			break;
	is(i, 26, "slow start: ends when ACKs fill half of the round trip");
	for (i = 0; i < 8; i++)
		ndm_rounds_sample(&v.rounds, 57 * MS);
	ok(ndm_v5_start_over(&v, now + 40 * MS, 50 * MS), "slow start: ends when a queue of 1/8 builds");
}

int main(void)
{
	square_roots();
	means_and_shift();
	order();
	base_is_forgotten();
	cubic_follows_the_formula();
	cubic_waits_for_the_sender();
	verdict();
	slow_start_ends();
	return tap_done();
}
