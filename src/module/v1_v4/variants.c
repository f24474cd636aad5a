// SPDX-License-Identifier: GPL-2.0
/* What differs between v1 and v4; flow.h says what each function is for. */
#include "flow.h"

/*
 * v1: the verdict depends on the entropy alone.
 *
 *   slow start: all acknowledged packets; half of them on congestion
 *   avoidance:  acked * growth / 1000 on noise, / 2000 on congestion
 */
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
	.delay_inputs = ndm_v1_delay_inputs,
	.divisor = ndm_v1_divisor,
	.start_slowly = ndm_v1_start_slowly,
};

/*
 * v4: v1 plus delay. Fewer retransmissions and less goodput than v1 with jitter.
 *
 *   input 6: queuing delay, input 7: RTT gradient
 *   slow start: half of the acknowledged packets, also when the RTT rises fast
 *   avoidance:  on noise divisor 1000, or 3000 while the queuing delay is high;
 *               on congestion 2000, or 4000 while the RTT rises fast
 */
static void ndm_v4_delay_inputs(const struct ndm_flow *flow,
				s32 input[NDM_INPUTS])
{
	input[6] = -flow->queue_delay;
	input[7] = -flow->gradient;
}

static u32 ndm_v4_divisor(const struct ndm_flow *flow,
			  const struct ndm_tuning *tuning)
{
	if (flow->verdict == NDM_NOISE)
		return flow->queue_delay > (s32)READ_ONCE(tuning->v4_delay_high) ?
			READ_ONCE(tuning->v4_delay_divisor) :
			READ_ONCE(tuning->noise_divisor);
	return flow->gradient > (s32)READ_ONCE(tuning->v4_gradient_high) ?
		READ_ONCE(tuning->v4_gradient_divisor) :
		READ_ONCE(tuning->congestion_divisor);
}

static bool ndm_v4_start_slowly(const struct ndm_flow *flow,
				const struct ndm_tuning *tuning)
{
	return flow->verdict == NDM_CONGESTION ||
	       flow->gradient > (s32)READ_ONCE(tuning->v4_start_gradient);
}

const struct ndm_variant ndm_v4 = {
	.delay_inputs = ndm_v4_delay_inputs,
	.divisor = ndm_v4_divisor,
	.start_slowly = ndm_v4_start_slowly,
};
