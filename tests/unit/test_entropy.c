// SPDX-License-Identifier: GPL-2.0
/* Entropy: known answers worked out by hand, a floating-point model, properties. */
#include <math.h>
#include <stdlib.h>

#include "../../src/module/v1_v4/entropy.h"
#include "tap.h"

#define MS 1000u
#define ROUNDS 20000

static u32 entropy_of(const u32 *rtt_us, int n, u32 min_rtt_us)
{
	struct ndm_history h = { 0 };
	int i;

	for (i = 0; i < n; i++)
		ndm_history_add(&h, rtt_us[i]);
	return ndm_entropy(&h, min_rtt_us);
}

/* The definition, in floating point and by division instead of tables. */
static double model(const u32 *rtt_us, int n, u32 min_rtt_us)
{
	double width, floor_units, entropy = 0;
	u32 low = 65535, high = 0;
	int bins[16] = { 0 }, i;

	for (i = 0; i < n; i++) {
		u32 unit = fmin(rtt_us[i] / 64, 65535);

		low = fmin(low, unit);
		high = fmax(high, unit);
	}
	floor_units = fmax(fmin(min_rtt_us / 64 / 16, 65535), 4);
	width = fmax((high - low) / 16 + 1, floor_units);
	for (i = 0; i < n; i++)
		bins[(int)((fmin(rtt_us[i] / 64, 65535) - low) / width)]++;
	for (i = 0; i < 16; i++)
		if (bins[i])
			entropy -= (double)bins[i] / n * log2((double)bins[i] / n);
	return entropy / 4 * 1000;
}

static void known_answers(void)
{
	u32 spread[16], halves[16], queue[16], i;

	for (i = 0; i < 16; i++) {
		spread[i] = 50 * MS + i * 5 * MS;
		halves[i] = i % 2 ? 50 * MS : 90 * MS;
		/* a window of 83 packets, one packet of 1500 bytes at 20 Mbit/s more each round trip */
		queue[i] = 50 * MS + i * 600;
	}
	is(entropy_of(spread, 16, 50 * MS), 1000, "16 samples in 16 bins: 4 of 4 bits");
	is(entropy_of(halves, 16, 50 * MS), 250, "two equal values: 1 of 4 bits");
	ok(entropy_of(queue, 16, 50 * MS) < 500,
	   "a queue that grows by a packet per round trip is below the threshold: %u",
	   entropy_of(queue, 16, 50 * MS));
}

static int compare(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return (x > y) - (x < y);
}

static void properties(void)
{
	int within = 1, ordered = 1, like_model = 1, shifted = 1, round, i;
	double worst = 0;

	for (round = 0; round < ROUNDS; round++) {
		/* also beyond 4.19 s, where RTTs saturate, and where the smallest RTT is not known */
		u32 n = tap_random(17), base = 1 + tap_random(tap_random(8) ? 300 * MS : 6000 * MS);
		u32 least = tap_random(8) ? base : UINT32_MAX;
		u32 scatter = 1 + tap_random(1 + tap_random(400 * MS));
		u32 rtt[16], up[16], got;
		double wanted;

		for (i = 0; i < (int)n; i++)
			rtt[i] = base + tap_random(scatter);
		got = entropy_of(rtt, n, least);
		wanted = model(rtt, n, least);
		within &= got <= 1000;
		worst = fmax(worst, fabs(got - wanted));
		like_model &= fabs(got - wanted) <= 1.5;
		for (i = 0; i < (int)n; i++)
			up[i] = rtt[i] + 64 * 1000;
		shifted &= base > 3000 * MS || got == entropy_of(up, n, least);
		qsort(rtt, n, sizeof(rtt[0]), compare);
		ordered &= got == entropy_of(rtt, n, least);
	}
	ok(within, "never above 1000");
	ok(like_model, "agrees with the floating-point model (worst %.1f)", worst);
	ok(ordered, "invariant to the order of samples");
	ok(shifted, "invariant to a shift of all samples");
}

static void ring(void)
{
	struct ndm_history h = { 0 };
	u32 i;

	for (i = 1; i <= 20; i++)
		ndm_history_add(&h, i * 64);
	is(h.count, 16, "the ring holds 16 samples");
	is(ndm_history_rtt_us(&h, 0), 20 * 64, "age 0 is the newest");
	is(ndm_history_rtt_us(&h, 15), 5 * 64, "age 15 is the oldest");
}

int main(void)
{
	known_answers();
	ring();
	properties();
	return tap_done();
}
