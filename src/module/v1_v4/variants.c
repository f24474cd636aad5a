// SPDX-License-Identifier: GPL-2.0
/*
 * What differs between v1 and v4; flow.h says what each function is for.
 *
 * v1: the verdict depends on the entropy alone.
 *
 *   inputs 6, 7: 0
 *   slow start:  all acknowledged packets; half of them on congestion
 *   avoidance:   acked * growth / 1000 on noise, / 2000 on congestion
 *
 * v4: v1 plus delay. Fewer retransmissions and less goodput than v1 with jitter.
 *
 *   inputs 6, 7: queuing delay, RTT gradient
 *   slow start:  half of the acknowledged packets, also when the RTT rises fast
 *   avoidance:   on noise divisor 1000, or 3000 while the queuing delay is high;
 *                on congestion 2000, or 4000 while the RTT rises fast
 */
#include "flow.h"

void ndm_variant_inputs(bool v4, const struct ndm_flow *flow, s32 input[NDM_INPUTS])
{
	input[6] = v4 ? -flow->queue_delay : 0;
	input[7] = v4 ? -flow->gradient : 0;
}

u32 ndm_variant_divisor(bool v4, const struct ndm_flow *flow, const struct ndm_tuning *tuning)
{
	if (flow->verdict == NDM_NOISE)
		return v4 && flow->queue_delay > (s32)READ_ONCE(tuning->v4_delay_high) ?
			READ_ONCE(tuning->v4_delay_divisor) :
			READ_ONCE(tuning->noise_divisor);
	return v4 && flow->gradient > (s32)READ_ONCE(tuning->v4_gradient_high) ?
		READ_ONCE(tuning->v4_gradient_divisor) :
		READ_ONCE(tuning->congestion_divisor);
}

bool ndm_variant_starts_slowly(bool v4, const struct ndm_flow *flow,
			       const struct ndm_tuning *tuning)
{
	return flow->verdict == NDM_CONGESTION ||
	       (v4 && flow->gradient > (s32)READ_ONCE(tuning->v4_start_gradient));
}
