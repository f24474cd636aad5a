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

#include "ndm_entropy.h"
#include "ndm_network.h"

#define NDM_UPDATE_PACKETS 8	/* acknowledged packets between two updates */

/* Plasticity, scale 1000: rises after losses, decays with every update. */
#define NDM_PLASTICITY_START 300
#define NDM_PLASTICITY_FLOOR 100
#define NDM_PLASTICITY_CAP 1000
#define NDM_PLASTICITY_DECAY 995	/* per update, over 1000 */
#define NDM_PLASTICITY_LOSS 100		/* added by a loss event */
#define NDM_PLASTICITY_RTO 150		/* added by a retransmission timeout */

/* The verdict on a loss event. ss(8) shows the numbers: append only. */
enum ndm_verdict {
	NDM_NO_DATA,	/* too few RTTs, or no recent one */
	NDM_CONGESTION,	/* v1, v4: entropy at or below the threshold */
	NDM_NOISE,	/* v1, v4: entropy above the threshold; v5: none of the others */
	NDM_QUEUE,	/* v5: the mean RTT is above the base */
	NDM_LATE,	/* v5: packets sent right after lost ones have larger RTTs */
	NDM_LOSS_SHARE,	/* v5: more than a sixteenth was lost, or a third of cwnd at once */
	NDM_PLATEAU,	/* a verdict of earlier versions, like the next: the numbers stay */
	NDM_BOUND,
	NDM_ECN,	/* ECN-Echo, or a full queue of this host */
	NDM_TIMEOUT,	/* RTO */
	NDM_VERDICTS
};

/* Names that the module registers. */
enum ndm_algorithm {
	NDM_ALGORITHM_CHOSEN,	/* "ndm": the variant that the parameter names */
	NDM_ALGORITHM_V1,
	NDM_ALGORITHM_V4,
	NDM_ALGORITHM_V5,
	NDM_ALGORITHMS
};

/**
 * struct ndm_id - identity of a connection; first member of every state
 * @algorithm: enum ndm_algorithm, the name that was selected
 * @v5:        the state is struct ndm_v5, else struct ndm_flow
 * @counted:   the gauge of open connections of @algorithm includes this one
 */
struct ndm_id {
	u8 algorithm : 2;
	u8 v5 : 1;
	u8 counted : 1;
};

/**
 * struct ndm_tuning - the parameters; ranges and defaults are in ndm_params.c
 * @entropy_threshold:   entropy above which the verdict is noise, 0..1000
 * @keep_congestion:     share of cwnd kept on congestion, of 1000
 * @keep_noise:          share of cwnd kept on noise, of 1000
 * @congestion_divisor:  divisor of growth on congestion; 1000 is full growth
 * @noise_divisor:       divisor of growth on noise; 1000 is full growth
 * @v4_start_gradient:   RTT gradient above which slow start grows at half
 *                       speed, 100 per ms
 * @v4_delay_high:       queuing delay above which @v4_delay_divisor applies,
 *                       1000 is one minimum RTT
 * @v4_gradient_high:    RTT gradient above which @v4_gradient_divisor applies,
 *                       100 per ms
 * @v4_delay_divisor:    divisor while @v4_delay_high is exceeded
 * @v4_gradient_divisor: divisor while @v4_gradient_high is exceeded
 * @rack_assist:         v5: 1 makes RACK wait for reordered packets, 0 does not
 * @queue_ms:            v5: queue that a connection alone in it keeps, ms; 0: any
 *
 * Setters write it while connections read it, hence READ_ONCE().
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
	u32 queue_ms;
};

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

/**
 * struct ndm_variant - what differs between variants
 * @name:         as in the parameter `variant`
 * @delay_inputs: fill inputs 6 and 7 of the network (0 on entry)
 * @divisor:      of growth in congestion avoidance, at least 1000; not called
 *                while there is no data
 * @start_slowly: true while slow start grows by half of the acked packets
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
void ndm_flow_update(struct ndm_flow *flow, const struct ndm_variant *variant,
		     const struct ndm_tuning *tuning, u32 min_rtt_us,
		     bool slow_start);

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
 * 2. RFC 5681 keeps half; see keep_noise in ndm_params.c for the other share.
 */
u32 ndm_flow_keep(u32 cwnd, u32 verdict, const struct ndm_tuning *tuning);

#endif
