// SPDX-License-Identifier: GPL-2.0
/* One connection: samples in, decisions out; see flow.h. */
#include "flow.h"

void ndm_flow_restart(struct ndm_flow *flow)
{
	memset(&flow->history, 0, sizeof(flow->history));
	memset(flow->hidden, 0, sizeof(flow->hidden));
	flow->cut_from = 0;
	flow->entropy = 0;
	flow->growth = 0;
	flow->gain = 0;
	flow->carry = 0;
	flow->plasticity = NDM_PLASTICITY_START;
	flow->queue_delay = 0;
	flow->gradient = 0;
	flow->acked = 0;
	flow->rise = 0;
	flow->verdict = NDM_NO_DATA;
	flow->loss_seen = false;
}

void ndm_flow_sample(struct ndm_flow *flow, u32 rtt_us, u32 now_us,
		     u32 spacing_us)
{
	if (flow->history.count && now_us - flow->sampled_us < spacing_us)
		return;
	flow->sampled_us = now_us;
	ndm_history_add(&flow->history, rtt_us);
}

bool ndm_flow_acked(struct ndm_flow *flow, u32 packets)
{
	flow->acks++;
	flow->acked = ndm_min(flow->acked + ndm_min(packets, 255), 255);
	return flow->acked >= NDM_UPDATE_PACKETS;
}

/* Newest RTT over the minimum, minus one: scale 1000, limited to 0..1000. */
static s16 ndm_flow_queue_delay(u32 rtt_us, u32 min_rtt_us)
{
	u32 above;

	if (!min_rtt_us || rtt_us <= min_rtt_us)
		return 0;
	above = rtt_us - min_rtt_us;
	if (above >= min_rtt_us)
		return NDM_SCALE;
	/* Below 2^22 us the product fits 32 bits; longer RTTs lose low bits first. */
	while (above >> 22) {
		above >>= 1;
		min_rtt_us >>= 1;
	}
	return above * NDM_SCALE / min_rtt_us;
}

static void ndm_flow_measure_delay(struct ndm_flow *flow, u32 min_rtt_us)
{
	s32 rtt_us, older_us;

	if (!flow->history.count)
		return;
	rtt_us = ndm_history_rtt_us(&flow->history, 0);
	flow->queue_delay = ndm_flow_queue_delay(rtt_us, min_rtt_us);
	if (flow->history.count < 2)
		return;
	older_us = ndm_history_rtt_us(&flow->history, 1);
	/* 100 per ms is 1 per 10 us */
	flow->gradient = ndm_clamp(ndm_div(rtt_us - older_us, 10), -NDM_SCALE, NDM_SCALE);
}

static u32 ndm_flow_judge(const struct ndm_flow *flow,
			  const struct ndm_tuning *tuning)
{
	if (flow->history.count < NDM_HISTORY_MIN)
		return NDM_NO_DATA;
	return flow->entropy > READ_ONCE(tuning->entropy_threshold) ?
		NDM_NOISE : NDM_CONGESTION;
}

/*
 * The inputs as published, but with one rule for signs: what indicates
 * congestion is negative (see network.h).
 */
static void ndm_flow_inputs(const struct ndm_flow *flow, bool v4, bool slow_start,
			    s32 input[NDM_INPUTS])
{
	input[0] = -flow->queue_delay;
	input[1] = flow->entropy;
	input[2] = slow_start ? NDM_SCALE : -NDM_SCALE;
	input[3] = flow->verdict == NDM_CONGESTION ? -NDM_SCALE : NDM_SCALE;
	input[4] = flow->plasticity - 500;
	input[5] = flow->loss_seen ? -NDM_SCALE : NDM_SCALE;
	ndm_variant_inputs(v4, flow, input);
}

void ndm_flow_update(struct ndm_flow *flow, bool v4, const struct ndm_tuning *tuning,
		     u32 min_rtt_us, bool slow_start)
{
	s32 input[NDM_INPUTS];

	flow->entropy = ndm_entropy(&flow->history, min_rtt_us);
	flow->verdict = ndm_flow_judge(flow, tuning);
	ndm_flow_measure_delay(flow, min_rtt_us);

	ndm_flow_inputs(flow, v4, slow_start, input);
	flow->growth = ndm_network_step(flow->hidden, input,
					flow->verdict == NDM_NOISE);
	if (flow->verdict != NDM_NO_DATA)
		flow->gain = ((u32)flow->growth << NDM_GAIN_SHIFT) /
			     ndm_variant_divisor(v4, flow, tuning);

	flow->plasticity = ndm_max(flow->plasticity * NDM_PLASTICITY_DECAY / NDM_SCALE,
				   NDM_PLASTICITY_FLOOR);
	flow->loss_seen = false;
	flow->acked = 0;
	flow->acks = 0;
}

/* @packets times @gain, whole packets; the fraction is kept in @carry. */
static u32 ndm_flow_share(struct ndm_flow *flow, u32 packets, u32 gain)
{
	/* No real cwnd is so large that one ACK covers 65535 packets. */
	u32 total = ndm_min(packets, 65535) * gain + flow->carry;

	flow->carry = total & ((1U << NDM_GAIN_SHIFT) - 1);
	return total >> NDM_GAIN_SHIFT;
}

u32 ndm_flow_credit(struct ndm_flow *flow, u32 acked)
{
	u32 credit;

	/* No packet, no growth: SACK had already acknowledged the data. */
	if (!acked || flow->verdict == NDM_NO_DATA)
		return acked;
	credit = ndm_flow_share(flow, acked, flow->gain);
	if (credit)
		return credit;
	flow->carry = 0;	/* granted early */
	return 1;
}

u32 ndm_flow_half(struct ndm_flow *flow, u32 acked)
{
	return ndm_flow_share(flow, acked, 1U << (NDM_GAIN_SHIFT - 1));
}

void ndm_flow_loss(struct ndm_flow *flow, bool rto)
{
	flow->rise = rto ? NDM_PLASTICITY_RTO : NDM_PLASTICITY_LOSS;
	flow->plasticity = ndm_min(flow->plasticity + flow->rise,
				   NDM_PLASTICITY_CAP);
	flow->loss_seen = true;
}

void ndm_flow_undo(struct ndm_flow *flow)
{
	flow->plasticity = ndm_max(flow->plasticity,
				   NDM_PLASTICITY_FLOOR + flow->rise) - flow->rise;
	flow->rise = 0;
	flow->loss_seen = false;
	flow->cut_from = 0;
}

u32 ndm_flow_keep(u32 cwnd, u32 verdict, const struct ndm_tuning *tuning)
{
	u32 share = verdict == NDM_NOISE ? READ_ONCE(tuning->keep_noise) :
					   READ_ONCE(tuning->keep_congestion);

	/* In two parts, so that no cwnd overflows 32 bits. */
	return ndm_max(cwnd / NDM_SCALE * share +
		       cwnd % NDM_SCALE * share / NDM_SCALE, 2);
}
