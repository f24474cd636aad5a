/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the model share; model.h is what tests use. */
#ifndef MODEL_PARTS_H
#define MODEL_PARTS_H

#include "invariants.h"
#include "model.h"

static inline const struct tcp_congestion_ops *ops_of(const struct conn *c)
{
	return c->tp.inet_conn.icsk_ca_ops;
}

static inline void set_state(struct conn *c, u8 state)
{
	if (ops_of(c)->set_state)
		watch_set_state(c, state);
	c->tp.inet_conn.icsk_ca_state = state;
}

static inline bool reducing(const struct conn *c)
{
	return model_state(c) == TCP_CA_CWR || model_state(c) == TCP_CA_Recovery;
}

/* ssthresh that a later undo or idle time may restore. */
static inline u32 ssthresh_to_keep(const struct conn *c)
{
	const struct tcp_sock *tp = &c->tp;

	if (reducing(c))
		return tp->snd_ssthresh;
	return max(tp->snd_ssthresh, (tp->snd_cwnd >> 1) + (tp->snd_cwnd >> 2));
}

static inline u32 room(const struct conn *c)
{
	u32 flight = tcp_packets_in_flight(&c->tp);

	return c->tp.snd_cwnd > flight ? c->tp.snd_cwnd - flight : 0;
}

/* An RTT of @rtt_us: all estimates. */
void take_rtt(struct conn *c, u32 rtt_us);
/* Send what the application has and cwnd allows. */
void transmit(struct conn *c);
/* Send lost packets again, as many as cwnd allows. */
void retransmit(struct conn *c);
void retransmitted(struct conn *c, u32 pkts);

/* Recovery: reductions of cwnd, their undoing, the states. */
void reduce(struct conn *c, u32 delivered, u32 newly_lost, bool advanced);
/* The state machine for an ACK; true when lost packets are to be sent again. */
bool alert(struct conn *c, struct ack *ack);
void take_probe_ack(struct conn *c, const struct ack *ack);

#endif
