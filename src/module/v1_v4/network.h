/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The small recurrent network that computes the growth of v1 and v4: 8 inputs,
 * 8 hidden tanh neurons that each add half of their own previous activation, and
 * one sigmoid output. Fixed point, scale 1000, no division by a variable.
 *
 * The weights are fixed (input i to hidden j: (37 i + 17 j) mod 2000 - 1000;
 * hidden j to output: 13 j mod 2000 - 1000). With 8 by 8 neurons all of them
 * are negative, so the network is monotone: a larger input gives a larger growth.
 * An input that indicates congestion must therefore be negative; flow.c sets
 * the signs.
 */
#ifndef NDM_NETWORK_H
#define NDM_NETWORK_H

#include "../arith.h"

#define NDM_INPUTS 8
#define NDM_HIDDEN 8

/* Hyperbolic tangent; argument and result scale 1000, error at most 2. */
s32 ndm_tanh(s32 x);

/* Logistic function 1/(1+exp(-x)); argument and result scale 1000, error at most 2. */
u32 ndm_sigmoid(s32 x);

/*
 * One step. @hidden (activations, scale 1000, -1000..1000) is read and
 * replaced; @input is scale 1000, about -1000..1000. @noisy halves the argument
 * of the output, so that growth is not extreme when the verdict is noise.
 * Returns growth, 0..1000: the share of the full increase of cwnd.
 */
u32 ndm_network_step(s16 hidden[NDM_HIDDEN], const s32 input[NDM_INPUTS],
		     bool noisy);

#endif
