// SPDX-License-Identifier: GPL-2.0
/* RTTs of rounds: mean, jitter, base and order, against hand-worked answers. */
#include <math.h>
#include <stdlib.h>

#include "cubic.h"	/* NDM_TICK_SHIFT */
#include "rounds.h"
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
	ok(!ndm_rounds_above(&r, NDM_ABOVE_SIXTEENTH, false), "and no queue");
	play_round(&r, 54 * MS, 100, 50, 500 * MS);
	ok(ndm_rounds_above(&r, NDM_ABOVE_SIXTEENTH, false), "4 ms more are a queue there");
	ok(!ndm_rounds_above(&r, NDM_ABOVE_QUARTER, false), "but would not be under jitter");

	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 40; i++)
		play_round(&r, 110 * MS, 100 * MS, 100, i * 110 * MS);
	ok(ndm_rounds_jittery(&r), "RTTs that scatter as wide as the RTT are jitter");
	ok(!ndm_rounds_above(&r, NDM_ABOVE_QUARTER, false), "and no queue");
	ok(ndm_rounds_entropy(&r) > 850, "their means come in all orders");
	play_round(&r, 190 * MS, 100 * MS, 100, 5000 * MS);
	ok(ndm_rounds_above(&r, NDM_ABOVE_QUARTER, false), "80 ms more are a queue there");

	r = (struct ndm_rounds){ .base_us = 16 * MS, .mean_us = 23 * MS, .root = 20, .jitter_us = 5 * MS };
	ok(ndm_rounds_above(&r, NDM_ABOVE_QUARTER, false), "7 ms more than 16, with jitter: a queue");
	ok(!ndm_rounds_above(&r, NDM_ABOVE_HALF, true), "but none where each ACK gives a sample, and before only the fastest did");
	r.mean_us = 25 * MS;
	ok(ndm_rounds_above(&r, NDM_ABOVE_HALF, true), "9 ms more are one there, too");
	r = (struct ndm_rounds){ .base_us = 52 * MS, .mean_us = 58 * MS, .root = 20, .jitter_us = 2700 };
	ok(ndm_rounds_above(&r, NDM_ABOVE_HALF, true), "6 ms more than 52, where packets overtake by 4 ms: a queue");
	r.mean_us = 57 * MS;
	ok(!ndm_rounds_above(&r, NDM_ABOVE_HALF, true), "5 ms, less than twice the jitter, are none");
}

static void long_paths(void)
{
	struct ndm_rounds r = { 0 };
	u32 i;

	for (i = 0; i < 10; i++)
		play_round(&r, 600 * MS, 100, 50, i * 600 * MS);
	play_round(&r, 700 * MS, 100, 50, 6000 * MS);
	ok(ndm_rounds_above(&r, NDM_ABOVE_SIXTEENTH, false), "100 ms more are a queue on a path of 600 ms, too");
	r = (struct ndm_rounds){ 0 };
	for (i = 0; i < 3000; i++)
		ndm_rounds_sample(&r, i & 1 ? 60000 * MS : 1);
	ndm_rounds_end(&r, 0);
	ok(r.mean_us >= 29000 * MS && r.mean_us <= 31000 * MS, "a round of the longest RTTs does not overflow");
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

/* @n rounds of @base_us and more: every other one, or with @chance one of two by chance, by @more_us. */
static void move(struct ndm_rounds *r, u32 n, u32 base_us, u32 more_us, bool chance)
{
	u32 i;

	for (i = 0; i < n; i++)
		play_round(r, base_us + (chance ? tap_random(2) : i & 1) * more_us + tap_random((base_us >> 8) + 8), 0, 8, i * base_us);
}

static void wander(void)
{
	static const struct {
		u32 base_us, more_us;
		bool chance, wander;
		const char *is;
	} paths[] = {
		{ 50 * MS, 2300, true, true, "50 ms, by a twentieth, by chance" },
		{ 50 * MS, 1800, true, false, "by less than 1/24" },
		{ 50 * MS, 2300, false, false, "by a twentieth, up and down by turns" },
		{ 2000 * MS, 100 * MS, true, true, "2 s, by a twentieth" },
		{ 2000 * MS, 70 * MS, true, false, "2 s, by less than 1/24" },
		{ 100, 900, true, false, "100 us, by what may be timing of hosts" },
		{ 100, 1200, true, true, "100 us, by more" },
	};
	struct ndm_rounds r;
	u32 i;

	for (i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
		r = (struct ndm_rounds){ 0 };
		move(&r, 100, paths[i].base_us, paths[i].more_us, paths[i].chance);
		ok(ndm_rounds_wander(&r) == paths[i].wander, "means that move, %s: wander %u (moves %u, entropy %u)", paths[i].is,
		   paths[i].wander, r.moves, ndm_rounds_entropy(&r));
	}

	r = (struct ndm_rounds){ 0 };
	move(&r, 100, 50 * MS, 0, true);
	play_round(&r, 90 * MS, 0, 8, 0);
	play_round(&r, 50 * MS, 0, 8, 0);
	is(r.moves, 4, "one round of another delay is two moves, not wander");
	move(&r, 4, 50 * MS, 0, true);
	is(r.moves, 0, "which four rounds forget");
	move(&r, 100, 50 * MS, 20 * MS, true);
	move(&r, 16, 50 * MS, 0, true);
	is(r.moves, 0, "and any number in 16");
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

int main(void)
{
	square_roots();
	means_and_queues();
	long_paths();
	order();
	wander();
	base_is_forgotten(0, "");
	base_is_forgotten((1ULL << 32) - 5000 * MS, ", where 32 bits of us wrap");
	base_is_forgotten((1ULL << 42) - 5000 * MS, ", where 32 bits of ticks wrap");
	return tap_done();
}
