// SPDX-License-Identifier: GPL-2.0
/* Fixed-point recurrent network; see network.h. */
#include "network.h"

/*
 * tanh at multiples of 1/8, scale 1000. Linear interpolation between them is
 * monotone, and its error is at most 1.5 (h^2/8 times the largest second
 * derivative). A truncated Taylor series is not monotone above 1, nor accurate.
 */
#define NDM_TANH_STEP 125
#define NDM_TANH_END 32		/* tanh(4) is 999.3: constant from there on */
static const s16 ndm_tanh_table[NDM_TANH_END + 1] = {
	0, 124, 245, 358, 462, 555, 635, 704, 762, 809, 848,
	880, 905, 925, 941, 954, 964, 972, 978, 983, 987, 990,
	992, 994, 995, 996, 997, 998, 998, 999, 999, 999, 999,
};

s32 ndm_tanh(s32 x)
{
	u32 size = x < 0 ? 0 - (u32)x : (u32)x;
	u32 at = size / NDM_TANH_STEP;
	s32 y;

	/* Else clang compares size, and BPF's verifier does not know that at is in the table. */
	OPTIMIZER_HIDE_VAR(at);
	if (at >= NDM_TANH_END) {
		y = NDM_SCALE;
	} else {
		u32 rise = ndm_tanh_table[at + 1] - ndm_tanh_table[at];

		y = ndm_tanh_table[at] +
		    (rise * (size % NDM_TANH_STEP) + NDM_TANH_STEP / 2) /
		    NDM_TANH_STEP;
	}
	return x < 0 ? -y : y;
}

u32 ndm_sigmoid(s32 x)
{
	/* 1/(1+exp(-x)) is (1 + tanh(x/2)) / 2: one table serves both. */
	return (u32)(NDM_SCALE + ndm_tanh(ndm_div(x, 2))) / 2;
}

static s32 ndm_weight_in(u32 i, u32 j)
{
	return (s32)((37 * i + 17 * j) % 2000) - NDM_SCALE;
}

static s32 ndm_weight_out(u32 j)
{
	return (s32)((13 * j) % 2000) - NDM_SCALE;
}

u32 ndm_network_step(s16 hidden[NDM_HIDDEN], const s32 input[NDM_INPUTS],
		     bool noisy)
{
	s32 out = 0;
	u32 i, j;

	for (j = 0; j < NDM_HIDDEN; j++) {
		s32 sum = 0;

		for (i = 0; i < NDM_INPUTS; i++)
			sum += ndm_weight_in(i, j) * input[i];
		hidden[j] = ndm_tanh(ndm_div(sum, NDM_SCALE) + ndm_div(hidden[j], 2));
		out += ndm_weight_out(j) * hidden[j];
	}
	out = ndm_div(out, NDM_SCALE);
	return ndm_sigmoid(noisy ? ndm_div(out, 2) : out);
}
