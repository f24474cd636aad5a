/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One connection of v1 or v4: its state and its decisions.
 *
 *   each ACK:        ndm_flow_sample(), then ndm_flow_acked()
 *   each 8 packets:  ndm_flow_update(): entropy -> verdict -> network -> gain
 *   each growth:     ndm_flow_credit() or ndm_flow_half()
 *   each loss:       ndm_flow_loss() and ndm_flow_keep()
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_FLOW_H
#define NDM_FLOW_H

#include "../ndm.h"
#include "entropy.h"
#include "network.h"

#define NDM_UPDATE_PACKETS 8	/* acknowledged packets between two updates */

/* Plasticity, scale 1000: rises after losses, decays with every update. */
#define NDM_PLASTICITY_START 300
#define NDM_PLASTICITY_FLOOR 100
#define NDM_PLASTICITY_CAP 1000
#define NDM_PLASTICITY_DECAY 995	/* per update, over 1000 */
#define NDM_PLASTICITY_LOSS 100		/* added by a loss event */
#define NDM_PLASTICITY_RTO 150		/* added by a retransmission timeout */

/**
 * struct ndm_flow - state of one connection, within ICSK_CA_PRIV_SIZE
 * @id:          identity of the connection
 * @history:     newest RTT samples
 * @hidden:      activations of the hidden layer, -1000..1000
 * @sampled_us:  time of the newest sample, us, low 32 bits of tcp_mstamp
 * @acked_seq:   highest sequence number acknowledged, as tp->snd_una
 * @cut_from:    cwnd (packets) before a cut that kept the share of noise, until
 *               recovery ends; 0 otherwise
 * @entropy:     of @history at the latest update, 0..1000
 * @growth:      output of the network at the latest update, 0..1000
 * @gain:        @growth over the variant's divisor, scale 2^NDM_GAIN_SHIFT
 * @carry:       packets of growth not yet granted, scale 2^NDM_GAIN_SHIFT
 * @plasticity:  100..1000
 * @queue_delay: (RTT / minimum RTT - 1), scale 1000, 0..1000
 * @gradient:    newest RTT sample minus the one before, 100 per ms, -1000..1000
 * @acks:        ACKs since the latest update
 * @acked:       packets acknowledged since the latest update
 * @rise:        what the latest loss added to @plasticity
 * @verdict:     enum ndm_verdict of the latest update
 * @loss_seen:   a loss came since the latest update
 */
struct ndm_flow {
	struct ndm_id id;
	u8 rise;
	u8 acked;
	u8 verdict : 4;
	u8 loss_seen : 1;
	struct ndm_history history;
	s16 hidden[NDM_HIDDEN];
	u32 sampled_us;
	u32 acked_seq;
	u32 cut_from;
	u16 entropy;
	u16 growth;
	u16 gain;
	u16 carry;
	u16 plasticity;
	s16 queue_delay;
	s16 gradient;
	u16 acks;
};

#define NDM_GAIN_SHIFT 15

/*
 * What differs between variants; @v4: v4, else v1. BPF calls nothing by a pointer, so there is no
 * table of functions.
 */

/* Inputs 6 and 7 of the network. */
void ndm_variant_inputs(bool v4, const struct ndm_flow *flow, s32 input[NDM_INPUTS]);

/* Divisor of growth in congestion avoidance, at least 1000; call it only with data. */
u32 ndm_variant_divisor(bool v4, const struct ndm_flow *flow, const struct ndm_tuning *tuning);

/* True while slow start grows by half of the acked packets. */
bool ndm_variant_starts_slowly(bool v4, const struct ndm_flow *flow,
			       const struct ndm_tuning *tuning);

/* Forget the path, keep @id: for a new connection, or one that was idle. */
void ndm_flow_restart(struct ndm_flow *flow);

/*
 * Offer the raw RTT @rtt_us (us) of an ACK that arrived at @now_us (us, may
 * wrap). Samples closer together than @spacing_us are left out, so that the
 * history always spans about one RTT.
 */
void ndm_flow_sample(struct ndm_flow *flow, u32 rtt_us, u32 now_us,
		     u32 spacing_us);

/* Count an ACK of @packets packets; true when an update is due. */
bool ndm_flow_acked(struct ndm_flow *flow, u32 packets);

/*
 * Compute entropy, verdict, growth and gain. @min_rtt_us (us) is the minimum
 * RTT of the path.
 */
void ndm_flow_update(struct ndm_flow *flow, bool v4, const struct ndm_tuning *tuning,
		     u32 min_rtt_us, bool slow_start);

/*
 * What @acked packets count in congestion avoidance: without data all of them,
 * else their share, at least 1. Fractions are carried over.
 */
u32 ndm_flow_credit(struct ndm_flow *flow, u32 acked);

/* Half of @acked packets, for slow start at half speed; may be 0. */
u32 ndm_flow_half(struct ndm_flow *flow, u32 acked);

/* A loss event or (@rto) a retransmission timeout: raise plasticity. */
void ndm_flow_loss(struct ndm_flow *flow, bool rto);

/* All retransmissions were spurious: undo what the loss event changed. */
void ndm_flow_undo(struct ndm_flow *flow);

/*
 * How much of @cwnd packets a loss event leaves with @verdict, packets, at least
 * 2. RFC 5681 keeps half; see keep_noise in params.c for the other share.
 */
u32 ndm_flow_keep(u32 cwnd, u32 verdict, const struct ndm_tuning *tuning);

#endif
