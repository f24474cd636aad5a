// SPDX-License-Identifier: GPL-2.0
/* Entropy: known answers worked out by hand, a floating-point model, properties. */
#include <math.h>
#include <stdlib.h>

#include "../../src/module/v1_v4/entropy.h"
#include "tap.h"

#define MS 1000u
#define ROUNDS 20000

static struct ndm_history history_of(const u32 *rtt_us, int n)
{
	struct ndm_history h = { 0 };
	int i;

	for (i = 0; i < n; i++)
		ndm_history_add(&h, rtt_us[i]);
	return h;
}

static u32 entropy_of(const u32 *rtt_us, int n, u32 min_rtt_us)
{
	struct ndm_history h = history_of(rtt_us, n);

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
	u32 constant[16], spread[16], halves[16], eight[8], queue[16], i;

	for (i = 0; i < 16; i++) {
		constant[i] = 50 * MS;
		spread[i] = 50 * MS + i * 5 * MS;
		halves[i] = i % 2 ? 50 * MS : 90 * MS;
		/* a window of 83 packets, one packet of 1500 bytes at 20 Mbit/s more each round trip */
		queue[i] = 50 * MS + i * 600;
	}
	for (i = 0; i < 8; i++)
		eight[i] = 50 * MS + i * 10 * MS;

	is(entropy_of(constant, 16, 50 * MS), 0, "constant RTT: 0");
	is(entropy_of(spread, 16, 50 * MS), 1000, "16 samples in 16 bins: 4 of 4 bits");
	is(entropy_of(halves, 16, 50 * MS), 250, "two equal values: 1 of 4 bits");
	is(entropy_of(eight, 8, 50 * MS), 750, "8 samples in 8 bins: 3 of 4 bits");
	ok(entropy_of(queue, 16, 50 * MS) < 500,
	   "a queue that grows by a packet per round trip is below the threshold: %u",
	   entropy_of(queue, 16, 50 * MS));
	is(entropy_of(constant, 1, 50 * MS), 0, "one sample: 0");
	is(entropy_of(constant, 0, 50 * MS), 0, "no sample: 0");
}

static void scale(void)
{
	u32 noise[16], wide[16], i;

	for (i = 0; i < 16; i++) {
		noise[i] = 300 + 17 * i;	/* two bins of 256 us at most */
		wide[i] = 4000000 + i * 100000;	/* beyond 4.19 s */
	}
	ok(entropy_of(noise, 16, 300) <= 250,
	   "microseconds of scheduling noise are not scatter: %u",
	   entropy_of(noise, 16, 300));
	ok(entropy_of(wide, 16, 100) < 500, "RTTs beyond 4.19 s saturate, do not wrap");
	is(entropy_of(wide, 16, UINT32_MAX), 0, "an unknown minimum RTT gives no scatter");
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
		u32 n = 2 + tap_random(15), base = 1 + tap_random(300 * MS);
		u32 scatter = 1 + tap_random(1 + tap_random(400 * MS));
		u32 rtt[16], up[16], got;
		double wanted;

		for (i = 0; i < (int)n; i++)
			rtt[i] = base + tap_random(scatter);
		got = entropy_of(rtt, n, base);
		wanted = model(rtt, n, base);
		within &= got <= 1000;
		worst = fmax(worst, fabs(got - wanted));
		like_model &= fabs(got - wanted) <= 1.5;
		for (i = 0; i < (int)n; i++)
			up[i] = rtt[i] + 64 * 1000;
		shifted &= got == entropy_of(up, n, base);
		qsort(rtt, n, sizeof(rtt[0]), compare);
		ordered &= got == entropy_of(rtt, n, base);
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
	scale();
	ring();
	properties();
	return tap_done();
}
