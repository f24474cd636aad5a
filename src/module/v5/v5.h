/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variant v5: CUBIC that does not reduce cwnd on random loss. README.md beside this file says
 * how it works and why. Here is what it keeps of a connection, and what its files offer.
 *
 *   v5.c        callbacks, the end of a round, the verdict on a loss, cuts
 *   rounds.c    RTTs by rounds: a queue, jitter, a delay that wanders
 *   question.c  are losses, or a queue, this connection's own? It sends less and looks
 *   queue.c     a queue: is there one, and whose is it?
 *   cubic.c     RFC 9438, once a round
 *   growth.c    how fast cwnd grows; the end of slow start
 *   reorder.c   RACK waits for reordered packets
 */
#ifndef NDM_V5_H
#define NDM_V5_H

#include <net/tcp.h>

#include "../ndm.h"
#include "../stats.h"
#include "cubic.h"
#include "question.h"
#include "rounds.h"

struct tcp_dctcp_info;

/* Of growth.c. */
struct ndm_growth {
	u32 rate;		/* best delivery rate since @rate_cwnd, packets per 2^20 us */
	u32 rate_cwnd;		/* cwnd when @rate was last set, packets */
	u8 stalls : 4;		/* larger cwnds in a row without a higher rate */
	u8 late_rtts : 4;	/* so many in a row met a queue, 0..NDM_START_SAMPLES */
} __packed;

/* Packets that overtook each other; of reorder.c. */
struct ndm_reorder {
	u32 wait_us;		/* what packets of earlier rounds needed, fading */
	u16 seen;		/* tp->reord_seen at the start of the round, low 16 bits */
	u8 rounds;		/* that the latest reordering still counts, 0..NDM_REORDER_ROUNDS */
} __packed;

/* State of one connection, within ICSK_CA_PRIV_SIZE; to @sampled_tick of v5.c. */
struct ndm_v5 {
	struct ndm_id id;
	u8 verdict : 4;		/* enum ndm_verdict of the latest loss event */
	u8 noise : 1;		/* the present recovery keeps cwnd */
	u8 limited : 1;		/* cwnd was the limit in this round */
	u8 tail : 1;		/* this ACK says that a tail loss probe repaired a loss */
	u8 doubted : 1;		/* and its latest round indicated congestion */
	u8 rest_rounds : 2;	/* after the latest cut, in which cwnd does not grow yet */
	u8 queue : 1;		/* the latest round indicates a queue, beyond its jitter */
	u32 start_pkts;		/* tp->delivered when this round began, wraps */
	u32 start_us;		/* when it began, low 32 bits of tcp_mstamp */
	u32 sampled_tick;	/* time of the newest RTT sample, ticks; wraps after 51 days */
	struct ndm_cubic cubic;
	struct ndm_rounds rounds;
	struct ndm_question question;
	struct ndm_growth growth;
	struct ndm_reorder reorder;
};

/* A round that has just ended. */
struct ndm_round {
	u32 elapsed_us;
	u32 delivered;		/* packets that arrived in it */
	u32 cwnd;		/* of a recovery that keeps it, as it will be then */
	bool slow_start;	/* @cwnd is below ssthresh */
	bool sampled;		/* it had RTT samples enough for a mean */
	u8 state;		/* TCP_CA_* */
};

/* False on kernels that give a congestion control less state than v5 needs. */
static inline bool ndm_v5_fits(void)
{
	return sizeof(struct ndm_v5) <= ICSK_CA_PRIV_SIZE;
}

/* Callbacks of struct tcp_congestion_ops, for "ndm_v5" and "ndm". */
void ndm_v5_init(struct sock *sk);
void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample);
void ndm_v5_cong_avoid(struct sock *sk, u32 ack, u32 acked);
u32 ndm_v5_ssthresh(struct sock *sk);
void ndm_v5_set_state(struct sock *sk, u8 new_state);
u32 ndm_v5_undo_cwnd(struct sock *sk);
u32 ndm_v5_sndbuf_expand(struct sock *sk);
void ndm_v5_info(const struct sock *sk, struct tcp_dctcp_info *info);

/* An event counts. Nothing does before init(): the RTO of a SYN is none of the connection. */
void ndm_v5_count(const struct sock *sk, enum ndm_counter counter);

/*
 * Steps of a round's end: do packets overtake each other? Has a larger cwnd increased the rate?
 * How fast does cwnd grow until the next? Whose is the queue, asked and answered?
 */
void ndm_reorder_round(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now);
void ndm_growth_rate(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now);
void ndm_growth_plan(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now);
void ndm_queue_ask(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now);

/* Whether RTTs can tell of a queue at all: there is a base, and it is not that of a LAN. */
bool ndm_queue_visible(const struct ndm_v5 *v);

/* Whether RTTs indicate a queue; amid reordering one of @reordered. */
bool ndm_queue_shows(const struct ndm_v5 *v, enum ndm_above reordered);

/* For each RTT of @rtt_us; then, once for each ACK: whether slow start should end before a loss. */
void ndm_start_sample(const struct sock *sk, struct ndm_v5 *v, u32 rtt_us);
bool ndm_start_over(const struct sock *sk, const struct ndm_v5 *v);

/* For each ACK, before RACK runs: RACK waits for as long as packets need. */
void ndm_reorder_wait(struct sock *sk, struct ndm_v5 *v);

/* For each ACK: in a recovery that keeps cwnd amid reordering, all of cwnd may be in flight. */
void ndm_reorder_fill(struct sock *sk, const struct ndm_v5 *v);

#endif
