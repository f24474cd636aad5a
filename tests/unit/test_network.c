// SPDX-License-Identifier: GPL-2.0
/* Network: against libm in floating point, and its monotony. */
#include <math.h>

#include "../../src/module/v1_v4/network.h"
#include "tap.h"

#define ROUNDS 20000

static void functions(void)
{
	double worst_tanh = 0, worst_sigmoid = 0;
	int rising = 1, odd = 1;
	s32 x;

	for (x = -20000; x <= 20000; x++) {
		worst_tanh = fmax(worst_tanh,
				  fabs(ndm_tanh(x) - 1000 * tanh(x / 1000.0)));
		worst_sigmoid = fmax(worst_sigmoid,
				     fabs(ndm_sigmoid(x) - 1000 / (1 + exp(-x / 1000.0))));
		rising &= ndm_tanh(x) <= ndm_tanh(x + 1);
		odd &= ndm_tanh(-x) == -ndm_tanh(x);
	}
	ok(worst_tanh <= 2, "tanh is off by at most 2 of 1000 (%.2f)", worst_tanh);
	ok(worst_sigmoid <= 2, "sigmoid is off by at most 2 of 1000 (%.2f)", worst_sigmoid);
	ok(rising, "tanh never falls");
	ok(odd, "tanh is odd");
	is(ndm_tanh(INT32_MIN), -1000, "tanh of the lowest number there is");
	is(ndm_tanh(INT32_MAX), 1000, "tanh of the highest number there is");
}

/* The documented formulas, in floating point. */
static double model_step(double hidden[8], const s32 input[8], bool noisy)
{
	double out = 0;
	int i, j;

	for (j = 0; j < 8; j++) {
		double sum = hidden[j] / 2;

		for (i = 0; i < 8; i++)
			sum += (((37 * i + 17 * j) % 2000) - 1000) / 1000.0 *
			       (input[i] / 1000.0);
		hidden[j] = tanh(sum);
		out += ((13 * j) % 2000 - 1000) / 1000.0 * hidden[j];
	}
	return 1000 / (1 + exp(noisy ? -out / 2 : -out));
}

static void random_input(s32 input[8])
{
	int i;

	for (i = 0; i < 8; i++)
		input[i] = (s32)tap_random(2001) - 1000;
}

static void against_model(void)
{
	s16 hidden[8] = { 0 };
	double model_hidden[8] = { 0 }, worst = 0;
	int round;

	for (round = 0; round < ROUNDS; round++) {
		bool noisy = tap_random(2);
		s32 input[8];
		double wanted;

		random_input(input);
		wanted = model_step(model_hidden, input, noisy);
		worst = fmax(worst, fabs(ndm_network_step(hidden, input, noisy) - wanted));
	}
	/* 8 neurons, each off by 2 of 1000, times a slope of at most 1/4 */
	ok(worst <= 12, "20000 steps stay with the floating-point model (worst %.2f)", worst);
}

static void monotone(void)
{
	int rising = 1, round;

	for (round = 0; round < ROUNDS; round++) {
		bool noisy = tap_random(2);
		s16 one[8], two[8];
		s32 input[8];
		u32 before;
		int i;

		for (i = 0; i < 8; i++)
			one[i] = two[i] = (s16)((s32)tap_random(2001) - 1000);
		random_input(input);
		before = ndm_network_step(one, input, noisy);
		input[tap_random(8)] += tap_random(500);
		rising &= ndm_network_step(two, input, noisy) >= before;
	}
	ok(rising, "raising an input never lowers growth");
}

int main(void)
{
	functions();
	against_model();
	monotone();
	return tap_done();
}
