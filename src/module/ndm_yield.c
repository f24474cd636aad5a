// SPDX-License-Identifier: GPL-2.0
/* Whose is the queue? See ndm_yield.h. */
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_params.h"
#include "ndm_stats.h"
#include "ndm_yield.h"

#define NDM_YIELD_LEAST_PKTS 8		/* of cwnd; fewer hardly make a queue */
#define NDM_YIELD_FLIGHT_PKTS 4		/* a test keeps so many in flight: enough RTT samples */
#define NDM_YIELD_LOOKS 7		/* RTT samples that have to show a queue */

/* A test costs about six RTTs, so at most a tenth of the time. Units of 1.05 s. */
#define NDM_YIELD_PAUSE_LEAST 10
#define NDM_YIELD_PAUSE_MOST 200	/* the time wraps after 256 */
#define NDM_YIELD_PAUSE_SHIFT 14	/* 64 RTTs, in units of 2^20 us */

static u32 ndm_yield_limit_us(void)
{
	return READ_ONCE(ndm_tuning.queue_ms) * 1000;
}

/* Units of NDM_BASE_SHIFT; 8 bits of them are kept. */
static u32 ndm_yield_now(const struct tcp_sock *tp)
{
	return tp->tcp_mstamp >> (NDM_TICK_SHIFT + NDM_BASE_SHIFT);
}

/* The RTT that both latest rounds had: the mean of one may be that of a silent link. */
static u32 ndm_yield_rtt_us(const struct ndm_v5 *v)
{
	return ndm_min(v->rounds.mean_us, v->rounds.older_us);
}

/* The part of @cwnd that gives an RTT of @rtt_us. */
static u32 ndm_yield_part(const struct ndm_v5 *v, u32 cwnd, u32 rtt_us)
{
	u32 part = (ndm_min(rtt_us, NDM_SAMPLE_CAP_US) << 9) / ndm_yield_rtt_us(v);

	return (u64)cwnd * ndm_min(part, 512) >> 9;
}

bool ndm_yield_matters(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 limit_us = ndm_yield_limit_us();

	return !limit_us || v->reordered || (!v->rounds.others &&
			     v->rounds.mean_us > tcp_min_rtt(tcp_sk(sk)) + limit_us / 2);
}

static bool ndm_yield_wanted(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 limit_us = ndm_yield_limit_us();

	return limit_us && !v->rounds.others &&
	       v->limited && !v->reordered && !v->noise && !v->cut_from_pkts &&
	       inet_csk(sk)->icsk_ca_state <= TCP_CA_Disorder && !tcp_in_slow_start(tp) &&
	       ndm_cwnd(tp) >= NDM_YIELD_LEAST_PKTS &&
	       ndm_yield_rtt_us(v) > min_t(u32, tcp_min_rtt(tp), NDM_SAMPLE_CAP_US) + limit_us;
}

/* What others did to the queue is valid for so long. */
static void ndm_yield_forget(const struct tcp_sock *tp, struct ndm_v5 *v)
{
	u32 pause = clamp_t(u32, tp->srtt_us >> (3 + NDM_YIELD_PAUSE_SHIFT),
			    NDM_YIELD_PAUSE_LEAST, NDM_YIELD_PAUSE_MOST);

	if ((u8)(ndm_yield_now(tp) - v->rounds.others_since) >= pause)
		v->rounds.others = false;
}

void ndm_yield_round(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = ndm_cwnd(tp), bdp;

	ndm_yield_forget(tp, v);
	if (!ndm_yield_wanted(sk, v))
		return;
	/* A tenth below the BDP, so that even a short queue empties. */
	bdp = ndm_yield_part(v, cwnd, tcp_min_rtt(tp));
	v->rounds.yield = NDM_YIELD_DRAIN;
	v->rounds.looks = 0;
	tp->snd_ssthresh = cwnd;
	ndm_set_cwnd(tp, max_t(u32, bdp - bdp / 10, NDM_YIELD_FLIGHT_PKTS));
}

/* The queue is this connection's own: `queue_ms` of it stay, but a test takes a tenth at most. */
static void ndm_yield_alone(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = tp->snd_ssthresh;
	u32 part = ndm_yield_part(v, cwnd, tcp_min_rtt(tp) + ndm_yield_limit_us());

	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	ndm_cubic_cut(&v->cubic, cwnd);
	tp->snd_ssthresh = max3(part, cwnd - cwnd / 10, ndm_cwnd(tp));
}

static void ndm_yield_end(struct sock *sk, struct ndm_v5 *v, bool alone)
{
	v->rounds.yield = NDM_YIELD_NO;
	v->rounds.others = !alone;
	v->rounds.others_since = ndm_yield_now(tcp_sk(sk));
	ndm_count(sock_net(sk), alone ? NDM_QUEUE_OWN : NDM_QUEUE_OTHERS, 1);
	if (alone)
		ndm_yield_alone(sk, v);
}

bool ndm_yield_ack(struct sock *sk, struct ndm_v5 *v, u32 rtt_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;

	if (!ndm_yield_holds(v))
		return false;
	if (v->rounds.yield == NDM_YIELD_DRAIN) {
		if (tcp_packets_in_flight(tp) > ndm_cwnd(tp))
			return false;
		v->rounds.yield = NDM_YIELD_LOOK;
	} else if (rtt_us && rtt_us <= elapsed_us) { /* sent after the queue was drained */
		if (rtt_us <= tcp_min_rtt(tp) + (ndm_yield_limit_us() >> 2))
			ndm_yield_end(sk, v, true);
		else if (++v->rounds.looks == NDM_YIELD_LOOKS)
			ndm_yield_end(sk, v, false);
		else
			return false;
	} else if (elapsed_us > 2 * ndm_yield_rtt_us(v)) {
		ndm_yield_end(sk, v, false); /* no samples: the sender pauses */
	} else {
		return false;
	}
	ndm_cubic_pause(&v->cubic, elapsed_us >> NDM_TICK_SHIFT);
	ndm_rounds_restart(&v->rounds);
	return true;
}
