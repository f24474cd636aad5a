// SPDX-License-Identifier: GPL-2.0
/* Whose is the queue? See ndm_yield.h. */
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_params.h"
#include "ndm_stats.h"
#include "ndm_yield.h"

#define NDM_YIELD_LEAST_PKTS 8	/* of cwnd; fewer hardly make a queue */
#define NDM_YIELD_FLIGHT_PKTS 4	/* a test keeps so many in flight: enough RTT samples */

/* RTT samples that decide: one small one may be jitter, or a gap of the others. */
#define NDM_YIELD_SMALL 3
#define NDM_YIELD_LARGE 7

/* A quarter of less is within the timing of hosts. */
#define NDM_YIELD_LIMIT_LEAST_MS 20

/* Rounds after a test before the next: RTTs of its slow start say nothing. */
#define NDM_YIELD_REST 2

/*
 * A test costs about six RTTs. So beside others 64 RTTs lie between the first two, twice
 * as many between the next two, and so on. Units of 1.05 s.
 */
#define NDM_YIELD_PAUSE_LEAST 10
#define NDM_YIELD_PAUSE_MOST 200	/* the time wraps after 256 */
#define NDM_YIELD_PAUSE_SHIFT 14	/* 64 RTTs, in units of 2^20 us */
#define NDM_YIELD_IN_A_ROW 6	/* 32 times is more than the most */

static u32 ndm_yield_limit_us(void)
{
	u32 queue_ms = READ_ONCE(ndm_tuning.queue_ms);

	return queue_ms ? ndm_max(queue_ms, NDM_YIELD_LIMIT_LEAST_MS) * 1000 : 0;
}

/* Units of NDM_BASE_SHIFT; 8 bits of them are kept. */
static u32 ndm_yield_now(const struct tcp_sock *tp)
{
	return tp->tcp_mstamp >> (NDM_TICK_SHIFT + NDM_BASE_SHIFT);
}

static u32 ndm_yield_min_us(const struct sock *sk)
{
	return min_t(u32, tcp_min_rtt(tcp_sk(sk)), NDM_SAMPLE_CAP_US);
}

/* The RTT that both latest rounds had: the mean of one may be that of a silent link. */
static u32 ndm_yield_least_us(const struct ndm_v5 *v)
{
	return ndm_min(v->rounds.mean_us, v->rounds.older_us);
}

/* The RTT of cwnd as it is now: while cwnd grows, that of a whole round is smaller. */
static u32 ndm_yield_most_us(const struct ndm_v5 *v)
{
	return ndm_max(ndm_max(v->rounds.mean_us, v->rounds.older_us), v->rounds.newest_us);
}

/* The part of @cwnd that gives an RTT of @rtt_us, at most 4 s. */
static u32 ndm_yield_part(const struct ndm_v5 *v, u32 cwnd, u32 rtt_us)
{
	u32 part = (ndm_min(rtt_us, NDM_SAMPLE_CAP_US) << 10) / ndm_yield_most_us(v);

	return (u64)cwnd * ndm_min(part, 1024) >> 10;
}

bool ndm_yield_matters(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 limit_us = ndm_yield_limit_us();

	return !limit_us || v->reordered ||
	       (!v->rounds.others &&
		v->rounds.mean_us > ndm_yield_min_us(sk) + limit_us / 2);
}

/* What a test has shown of others is valid for so long. */
static u32 ndm_yield_pause(const struct tcp_sock *tp, const struct ndm_v5 *v)
{
	u32 pause = clamp_t(u32, tp->srtt_us >> (3 + NDM_YIELD_PAUSE_SHIFT),
			    NDM_YIELD_PAUSE_LEAST, NDM_YIELD_PAUSE_MOST);

	return ndm_min(pause << v->rounds.in_a_row >> 1, NDM_YIELD_PAUSE_MOST);
}

static bool ndm_yield_wanted(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 limit_us = ndm_yield_limit_us();

	return limit_us && v->rounds.yield == NDM_YIELD_NO && !v->rounds.others &&
	       !v->rounds.looks && v->limited && !v->reordered && !v->noise &&
	       !v->cut_from_pkts && inet_csk(sk)->icsk_ca_state <= TCP_CA_Disorder &&
	       !tcp_in_slow_start(tp) && ndm_cwnd(tp) >= NDM_YIELD_LEAST_PKTS &&
	       ndm_yield_least_us(v) > ndm_yield_min_us(sk) + limit_us &&
	       ndm_yield_most_us(v) < NDM_SAMPLE_CAP_US;
}

static void ndm_yield_begin(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = ndm_cwnd(tp);
	u32 bdp = ndm_yield_part(v, cwnd, ndm_yield_min_us(sk));

	v->rounds.yield = NDM_YIELD_DRAIN;
	v->rounds.small = 0;
	tp->snd_ssthresh = cwnd;
	/* A tenth below the BDP, so that even a short queue empties. */
	ndm_set_cwnd(tp, max_t(u32, bdp - bdp / 10, NDM_YIELD_FLIGHT_PKTS));
}

void ndm_yield_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_rounds *r = &v->rounds;

	if ((u8)(ndm_yield_now(tp) - r->others_since) >= ndm_yield_pause(tp, v))
		r->others = false;
	if (!tcp_in_slow_start(tp)) {
		if (r->yield == NDM_YIELD_RETURN && !v->cut_from_pkts)
			r->yield = NDM_YIELD_NO;
		else
			r->looks -= !!r->looks;
	}
	if (ndm_yield_wanted(sk, v))
		ndm_yield_begin(sk, v);
}

/* The queue is this connection's own: some of it stays, but a test takes a tenth at most. */
static void ndm_yield_alone(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 limit_us = ndm_yield_limit_us(), cwnd = tp->snd_ssthresh;
	/* CUBIC fills the last quarter. */
	u32 part = ndm_yield_part(v, cwnd, ndm_yield_min_us(sk) + limit_us - limit_us / 4);

	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	ndm_cubic_cut(&v->cubic, cwnd);
	tp->snd_ssthresh = max3(part, cwnd - cwnd / 10, ndm_cwnd(tp));
}

static void ndm_yield_end(struct sock *sk, struct ndm_v5 *v, bool alone)
{
	struct ndm_rounds *r = &v->rounds;

	ndm_count(sock_net(sk), alone ? NDM_QUEUE_OWN : NDM_QUEUE_OTHERS, 1);
	r->yield = NDM_YIELD_RETURN;
	r->looks = NDM_YIELD_REST;
	r->others = !alone;
	r->others_since = ndm_yield_now(tcp_sk(sk));
	/* A rival may have left a gap: ask as often again as it was found. */
	if (alone && !r->in_a_row)
		ndm_yield_alone(sk, v);
	if (alone)
		r->in_a_row -= !!r->in_a_row;
	else
		r->in_a_row = ndm_min(r->in_a_row + 1, NDM_YIELD_IN_A_ROW);
}

/* True if an RTT of @rtt_us shows a queue beside the packets of the test. */
static bool ndm_yield_large(const struct sock *sk, const struct ndm_v5 *v, u32 rtt_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	/* With the least flight on a slow link, the packets of the test are a queue. */
	u32 own_us = ndm_yield_most_us(v) / max(tp->snd_ssthresh, 1U) * ndm_cwnd(tp);

	return rtt_us > ndm_max(ndm_yield_min_us(sk), own_us) + ndm_yield_limit_us() / 4;
}

bool ndm_yield_ack(struct sock *sk, struct ndm_v5 *v, u32 rtt_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_rounds *r = &v->rounds;
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;

	if (!ndm_yield_holds(v))
		return false;
	if (r->yield == NDM_YIELD_DRAIN) {
		if (tcp_packets_in_flight(tp) > ndm_cwnd(tp))
			return false;
		r->yield = NDM_YIELD_LOOK;
		r->looks = 0;
	} else {
		/* Sent after the queue was drained? */
		if (rtt_us && rtt_us <= elapsed_us) {
			if (ndm_yield_large(sk, v, rtt_us))
				r->looks++;
			else
				r->small++;
		}
		if (r->small == NDM_YIELD_SMALL)
			ndm_yield_end(sk, v, true);
		else if (r->looks == NDM_YIELD_LARGE)
			ndm_yield_end(sk, v, false);
		else if (elapsed_us > 2 * ndm_yield_most_us(v))
			ndm_yield_end(sk, v, r->small > 1 && r->small > r->looks);
		else
			return false;
	}
	ndm_cubic_pause(&v->cubic, elapsed_us >> NDM_TICK_SHIFT);
	ndm_rounds_restart(r);
	return true;
}

u32 ndm_yield_lost(const struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (!ndm_yield_holds(v)) {
		v->rounds.yield = NDM_YIELD_NO;
		return ndm_cwnd(tp);
	}
	v->rounds.yield = NDM_YIELD_RETURN;
	v->rounds.looks = NDM_YIELD_REST;
	return max(ndm_cwnd(tp), tp->snd_ssthresh);
}

void ndm_yield_recovered(struct sock *sk, const struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (v->rounds.yield == NDM_YIELD_RETURN && v->cut_from_pkts)
		tp->snd_ssthresh = max(tp->snd_ssthresh, ndm_cubic_keep(v->cut_from_pkts));
}

bool ndm_yield_undone(struct ndm_v5 *v)
{
	if (v->rounds.yield == NDM_YIELD_NO)
		return false;
	v->rounds.yield = NDM_YIELD_RETURN;
	v->rounds.looks = NDM_YIELD_REST;
	return true;
}
