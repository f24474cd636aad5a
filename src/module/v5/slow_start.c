// SPDX-License-Identifier: GPL-2.0
/* The end of slow start; see slow_start.h. */
#include <net/tcp.h>

#include "../kernel.h"
#include "slow_start.h"

/* HyStart's limit: below it, a burst of a few packets would decide. */
#define NDM_START_LOW_PKTS 16

/* RFC 9406: a queue of 1/8 RTT ends slow start, of 4 to 16 ms, seen in eight samples. */
#define NDM_START_QUEUE_LEAST_US 4000U
#define NDM_START_QUEUE_MOST_US 16000U
#define NDM_START_QUEUE_SAMPLES 8

/*
 * Up to an ssthresh that is known the path has carried before, so delays that vary are no
 * reason to stop: only a queue of an RTT is, of 16 ms at least and 100 ms at most.
 */
#define NDM_START_KNOWN_LEAST_US 16000U
#define NDM_START_KNOWN_MOST_US 100000U

/* ACKs of one train follow each other within 2 ms, or a quarter RTT. */
#define NDM_START_GAP_US 2000U

/* Stragglers are an eighth of cwnd at most, within a quarter RTT; a fiftieth was seen. */
#define NDM_START_AHEAD 8

/* A burst of a host: 256 KB (four of 64 KB), 1 ms at most, as in Linux's CUBIC. */
#define NDM_START_BURST_KB 256U
#define NDM_START_BURST_US 1000U

void ndm_start_round(struct ndm_v5 *v)
{
	v->start.least = 0;
	v->start.samples = 0;
	v->start.train = true;
}

/*
 * A few packets ahead of a gap are the end of the train before: a receiver delays the ACK of
 * an odd packet, up to 40 ms, and in each later round trip come those of what that ACK let
 * be sent. The round, and its train, begin with the ACK behind the gap, which counts, too.
 * With pacing only a train of more than an RTT would count, and the longer round hides its
 * queue; with an RTT below 8 ms the gap may be between any two packets.
 */
static bool ndm_start_stragglers(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;

	return tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH && tcp_is_cwnd_limited(sk) &&
	       READ_ONCE(sk->sk_pacing_status) == SK_PACING_NONE &&
	       tcp_min_rtt(tp) >> 2 >= NDM_START_GAP_US && elapsed_us < tp->srtt_us >> 5 &&
	       tp->delivered - v->round_start_pkts <= ndm_cwnd(tp) / NDM_START_AHEAD;
}

void ndm_start_sample(const struct sock *sk, struct ndm_v5 *v, u32 rtt_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 least = min((rtt_us >> NDM_V5_UNIT_SHIFT) + 1, 65535U);

	if (!v->start.least || least < v->start.least)
		v->start.least = least;
	if (v->start.samples < NDM_START_QUEUE_SAMPLES)
		v->start.samples++;
	if ((u32)tp->tcp_mstamp - v->sampled_us <=
	    min(NDM_START_GAP_US, tcp_min_rtt(tp) >> 2))
		return;
	if (ndm_start_stragglers(sk, v))
		v->round_start_us = (u32)tp->tcp_mstamp;
	else
		v->start.train = false;
}

/* Even the smallest RTT of the round has grown: every packet met a queue. */
static bool ndm_start_queue(const struct ndm_v5 *v, u32 min_rtt_us, bool known)
{
	u32 beyond = known ? clamp(min_rtt_us, NDM_START_KNOWN_LEAST_US,
				   NDM_START_KNOWN_MOST_US) :
			     clamp(min_rtt_us >> 3, NDM_START_QUEUE_LEAST_US,
				   NDM_START_QUEUE_MOST_US);

	return v->start.samples >= NDM_START_QUEUE_SAMPLES &&
	       (u32)v->start.least << NDM_V5_UNIT_SHIFT > min_rtt_us + beyond;
}

/* How long a burst of a host takes at the pacing rate. */
static u32 ndm_start_burst_us(const struct sock *sk)
{
	u32 rate_kb = min_t(unsigned long, READ_ONCE(sk->sk_pacing_rate) >> 10, ~0U);
	u32 burst = NDM_START_BURST_KB * 1000000U;

	return rate_kb > burst / NDM_START_BURST_US ? burst / rate_kb : NDM_START_BURST_US;
}

bool ndm_start_over(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 min_rtt_us = tcp_min_rtt(tp), train_us;
	bool known = tp->snd_ssthresh < TCP_INFINITE_SSTHRESH;

	if (ndm_cwnd(tp) < NDM_START_LOW_PKTS)
		return false;
	/* With reordering a doubling is seen too late: search instead. */
	if (v->stalls >= NDM_V5_STALLS || v->reordering.rounds ||
	    ndm_start_queue(v, min_rtt_us, known))
		return true;
	if (known || !v->start.train)
		return false;
	train_us = min_rtt_us + ndm_start_burst_us(sk);
	/* Paced packets are a train of a whole RTT. */
	if (READ_ONCE(sk->sk_pacing_status) == SK_PACING_NONE)
		train_us >>= 1;
	return (u32)tp->tcp_mstamp - v->round_start_us > train_us;
}
