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

static void long_paths(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	for (i = 0; i < 10; i++)
		play_round(&r, 600 * MS, 100, 50, i * 600 * MS);
	play_round(&r, 700 * MS, 100, 50, 6000 * MS);
	ok(ndm_rounds_shifted(&r, false), "100 ms more are a queue on a path of 600 ms, too");
	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 3000; i++)
		ndm_rounds_sample(&r, i & 1 ? 60000 * MS : 1);
	ndm_rounds_end(&r, 0);
	ok(r.mean >= 999 * MS && r.mean <= 1001 * MS, "a round of the longest RTTs does not overflow");
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
		ndm_v5_sample(v, mean - spread + tap_random(2 * spread + 1));
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
		round_of(&v, now, 6, 25, 50 * MS, 50);
	ok(!ndm_v5_is_noise(&v, 5, 3), "more than a sixth lost: congestion");
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
		ndm_v5_sample(&v, 57 * MS);
	ok(ndm_v5_start_over(&v, now + 40 * MS, 50 * MS), "slow start: ends when a queue of 1/8 builds");
}

static void shortest_of_a_round(void)
{
	struct ndm_v5 v = { 0 };
	u32 i, now = 1000 * MS;

	round_of(&v, now, 0, 20, 50 * MS, 20);
	ndm_v5_sample(&v, 51 * MS);
	for (i = 0; i < 20; i++)
		ndm_v5_sample(&v, 90 * MS);
	ok(!ndm_v5_start_over(&v, now + 40 * MS, 50 * MS), "slow start: one packet without a queue says that the queue is our own burst");
	v.least = 0;
	ndm_v5_sample(&v, 60 * 1000 * MS);
	ok((u32)v.least << NDM_V5_LEAST_SHIFT > 4000 * MS, "the shortest RTT: a minute counts as 4 s, not as nothing");
	v = (struct ndm_v5){ 0 };
	for (i = 0; i < 3; i++)
		ndm_v5_sample(&v, 11 * MS);
	ok(!ndm_v5_start_over(&v, now, 8 * MS), "slow start: three samples say nothing");
	ndm_v5_sample(&v, 11 * MS);
	ok(ndm_v5_start_over(&v, now, 8 * MS), "slow start: four say that there is a queue");
}

static void behind_a_queue(void)
{
	struct ndm_v5 v = { 0 };
	u32 i;

	for (i = 0; i < 10; i++)
		round_of(&v, (1000 + i * 50) * MS, 0, 20, 50 * MS, 20);
	ndm_v5_sample(&v, 50 * MS);
	ok(!ndm_v5_behind_queue(&v), "the next packet came in time: no queue");
	ndm_v5_sample(&v, 51 * MS);
	ok(ndm_v5_behind_queue(&v), "it came a millisecond late: a queue, however short");
	for (i = 0; i < 5; i++)
		round_of(&v, (1500 + i * 50) * MS, 0, 20, 52 * MS, 20);
	ndm_v5_sample(&v, 51 * MS);
	ok(ndm_v5_behind_queue(&v), "also where all packets of the round met one");
}

static void plateau(void)
{
	struct ndm_v5 v = { 0 };
	struct ndm_v5_round round = { .now_us = 1000 * MS, .delivered = 20, .window = 20 };
	u32 i;

	for (i = 0; i < 5; i++, round.now_us += 50 * MS, round.window += round.window / 2) {
		v.limited = true;
		ndm_v5_round(&v, &round);
	}
	is(v.stalls, 3, "plateau: three times half a window more, and no more rate");
	round.delivered = 40;
	v.limited = true;
	ndm_v5_round(&v, &round);
	is(v.stalls, 0, "plateau: the rate grows, so there is room");
}

/* @n rounds with RTTs around @mean, scattered by half of it. */
static u32 noisy_rounds(struct ndm_v5 *v, u32 now, u32 n, u32 mean)
{
	while (n--) {
		round_of(v, now, 0, 100, mean, mean / 2);
		now += mean;
	}
	return now;
}

static void search(void)
{
	struct ndm_v5 v = { 0 };
	u32 now = noisy_rounds(&v, 1000 * MS, 10, 100 * MS), quarter = (1 << NDM_CUBIC_GAIN_SHIFT) / 4;

	v.stalls = 0;
	now = noisy_rounds(&v, now, 1, 100 * MS);
	ok(v.cubic.gain >= quarter >> v.stalls, "search: a quarter a round");
	is(ndm_v5_drained(&v, 1000), 1000, "search: nothing to give back without a queue");
	noisy_rounds(&v, now, 2, 180 * MS);
	ok(v.shifted, "search: the queue is seen for all the scatter");
	ok(v.cubic.gain < quarter / 10, "search: growth ends there");
	is(ndm_v5_drained(&v, 1000), 750, "search: what is beyond the queue goes, a quarter at most");
	is(ndm_v5_drained(&v, 1000), 1000, "search: once");
}

int main(void)
{
	square_roots();
	means_and_shift();
	long_paths();
	order();
	base_is_forgotten();
	cubic_follows_the_formula();
	cubic_waits_for_the_sender();
	verdict();
	slow_start_ends();
	shortest_of_a_round();
	behind_a_queue();
	search();
	plateau();
	return tap_done();
}
