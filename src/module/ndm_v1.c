// SPDX-License-Identifier: GPL-2.0
/*
 * Variant v1: the verdict depends on the entropy alone.
 *
 *   slow start: all acknowledged packets; half of them on congestion
 *   avoidance:  acked * growth / 1000 on noise, / 2000 on congestion
 */
#include "ndm_flow.h"

static void ndm_v1_delay_inputs(const struct ndm_flow *flow,
				s32 input[NDM_INPUTS])
{
	/* v1 ignores delay: inputs 6 and 7 stay 0. */
}

static u32 ndm_v1_divisor(const struct ndm_flow *flow,
			  const struct ndm_tuning *tuning)
{
	return flow->verdict == NDM_NOISE ? READ_ONCE(tuning->noise_divisor) :
					    READ_ONCE(tuning->congestion_divisor);
}

static bool ndm_v1_start_slowly(const struct ndm_flow *flow,
				const struct ndm_tuning *tuning)
{
	return flow->verdict == NDM_CONGESTION;
}

const struct ndm_variant ndm_v1 = {
	.name = "v1",
	.delay_inputs = ndm_v1_delay_inputs,
	.divisor = ndm_v1_divisor,
	.start_slowly = ndm_v1_start_slowly,
};
