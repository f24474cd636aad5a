/* SPDX-License-Identifier: GPL-2.0 */
/*
 * One connection: what NDM-TCP remembers of it and decides for it.
 *
 *   each ACK:        ndm_flow_sample(), then ndm_flow_acked()
 *   each 8 packets:  ndm_flow_update(): entropy -> verdict -> network -> gain
 *   each growth:     ndm_flow_credit() or ndm_flow_half(), both cheap
 *   each loss:       ndm_flow_loss() and ndm_flow_keep()
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_FLOW_H
#define NDM_FLOW_H

#include "ndm_entropy.h"
#include "ndm_network.h"

#define NDM_UPDATE_PACKETS 8	/* acked packets from one update to the next */

/* Plasticity, scale 1000: rises after losses, decays with every update. */
#define NDM_PLASTICITY_START 300
#define NDM_PLASTICITY_FLOOR 100
#define NDM_PLASTICITY_CAP 1000
#define NDM_PLASTICITY_DECAY 995	/* per update, over 1000 */
#define NDM_PLASTICITY_LOSS 100		/* added by a loss event */
#define NDM_PLASTICITY_RTO 150		/* added by a retransmission timeout */

/* What a loss is taken for. The numbers are shown by ss(8): append only. */
enum ndm_verdict {
	NDM_NO_DATA,	/* too few RTTs to tell, or none of late */
	NDM_CONGESTION,	/* v1, v4: entropy at or below the threshold */
	NDM_NOISE,	/* v1, v4: entropy above the threshold; v5: none of all else */
	NDM_QUEUE,	/* v5: the mean RTT is above the base */
	NDM_LATE,	/* v5: packets behind lost ones are late */
	NDM_LOSS_SHARE,	/* v5: more than a sixth is lost, or a third of cwnd at once */
	NDM_PLATEAU,	/* v5: more cwnd brought no more rate */
	NDM_BOUND,	/* v5: cwnd is above three times Reno's and CUBIC's */
	NDM_ECN,	/* ECN-Echo, or a full queue of this host */
	NDM_TIMEOUT,	/* nothing came back */
	NDM_VERDICTS
};

/* Names that the module registers. */
enum ndm_algorithm {
	NDM_ALGORITHM_CHOSEN,	/* "ndm": the variant of the parameter */
	NDM_ALGORITHM_V1,
	NDM_ALGORITHM_V4,
	NDM_ALGORITHM_V5,
	NDM_ALGORITHMS
};

/**
 * struct ndm_id - who a connection is; begins the state of every variant
 * @algorithm: enum ndm_algorithm, the name that was chosen
 * @v5:        struct ndm_v5 follows, else struct ndm_flow
 * @counted:   the connection stands in the sockets gauge of @algorithm
 */
struct ndm_id {
	u8 algorithm : 2;
	u8 v5 : 1;
	u8 counted : 1;
};

/**
 * struct ndm_tuning - the parameters; ranges and defaults are in ndm_params.c
 * @entropy_threshold:   entropy above which scatter counts as noise, 0..1000
 * @keep_congestion:     share of the window kept on congestion, of 1000
 * @keep_noise:          share of the window kept on noise, of 1000
 * @congestion_divisor:  growth is divided by it toward congestion; 1000 is full
 * @noise_divisor:       growth is divided by it toward noise; 1000 is full
 * @v4_start_gradient:   RTT gradient above which slow start halves, 100 per ms
 * @v4_delay_high:       queuing delay above which growth is cautious, 1000 is
 *                       one minimum RTT
 * @v4_gradient_high:    RTT gradient above which @v4_gradient_divisor holds,
 *                       100 per ms
 * @v4_delay_divisor:    divisor while @v4_delay_high is exceeded
 * @v4_gradient_divisor: divisor while @v4_gradient_high is exceeded
 * @rack_assist:         v5: 1 lets RACK wait for overtaken packets, 0 does not
 *
 * Written by parameter setters while connections read it, hence READ_ONCE().
 */
struct ndm_tuning {
	u32 entropy_threshold;
	u32 keep_congestion;
	u32 keep_noise;
	u32 congestion_divisor;
	u32 noise_divisor;
	u32 v4_start_gradient;
	u32 v4_delay_high;
	u32 v4_gradient_high;
	u32 v4_delay_divisor;
	u32 v4_gradient_divisor;
	u32 rack_assist;
};

/**
 * struct ndm_flow - state of one connection, within ICSK_CA_PRIV_SIZE
 * @id:          who the connection is
 * @history:     newest RTT samples
 * @hidden:      activations of the hidden layer, -1000..1000
 * @sampled_us:  time of the newest sample, us, low 32 bits of tcp_mstamp
 * @acked_seq:   highest sequence number acknowledged, as tp->snd_una
 * @cut_from:    window (packets) before a cut that kept the noise share, until
 *               the connection leaves recovery; 0 otherwise
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

/**
 * struct ndm_variant - what one variant does in its own way
 * @name:         as in the parameter `variant`
 * @delay_inputs: fill inputs 6 and 7 of the network (0 on entry)
 * @divisor:      of growth in congestion avoidance, at least 1000; not asked
 *                while there is no data
 * @start_slowly: true while slow start takes half of the acked packets
 */
struct ndm_variant {
	const char *name;
	void (*delay_inputs)(const struct ndm_flow *flow, s32 input[NDM_INPUTS]);
	u32 (*divisor)(const struct ndm_flow *flow, const struct ndm_tuning *tuning);
	bool (*start_slowly)(const struct ndm_flow *flow,
			     const struct ndm_tuning *tuning);
};

extern const struct ndm_variant ndm_v1;
extern const struct ndm_variant ndm_v4;

/* Forget the path, keep who the flow is: a new connection, or one back from idle. */
void ndm_flow_restart(struct ndm_flow *flow);

/*
 * Offer the raw RTT @rtt_us (us) of an ACK that came at @now_us (us, may wrap).
 * Samples closer together than @spacing_us are left out, so that the history
 * spans about a round trip however many ACKs arrive in it.
 */
void ndm_flow_sample(struct ndm_flow *flow, u32 rtt_us, u32 now_us,
		     u32 spacing_us);

/* Count an ACK of @packets packets; true when an update is due. */
bool ndm_flow_acked(struct ndm_flow *flow, u32 packets);

/*
 * Compute entropy, verdict, growth and gain afresh. @min_rtt_us (us) is the
 * path's minimum RTT.
 */
void ndm_flow_update(struct ndm_flow *flow, const struct ndm_variant *variant,
		     const struct ndm_tuning *tuning, u32 min_rtt_us,
		     bool slow_start);

/*
 * What @acked packets count in congestion avoidance: all of them without data,
 * else their share, at least 1 of any. Fractions are carried over, not lost.
 */
u32 ndm_flow_credit(struct ndm_flow *flow, u32 acked);

/* Half of @acked packets, for a slow start that is cautious; may be 0. */
u32 ndm_flow_half(struct ndm_flow *flow, u32 acked);

/* A loss event or (@rto) a retransmission timeout: raise plasticity. */
void ndm_flow_loss(struct ndm_flow *flow, bool rto);

/* The loss was none (reordering, a late ACK): take its evidence back. */
void ndm_flow_undo(struct ndm_flow *flow);

/*
 * The window (packets, at least 2) to keep of @cwnd packets under @verdict.
 * RFC 5681 keeps half; see keep_noise in ndm_params.c for the other share.
 */
u32 ndm_flow_keep(u32 cwnd, u32 verdict, const struct ndm_tuning *tuning);

#endif
