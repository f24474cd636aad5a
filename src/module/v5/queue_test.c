// SPDX-License-Identifier: GPL-2.0
/* Whose is the queue? See queue_test.h. */
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "../params.h"
#include "../stats.h"
#include "cubic.h"
#include "queue_test.h"
#include "rounds.h"

#define NDM_TEST_LEAST_PKTS 8	/* of cwnd; fewer hardly make a queue */
#define NDM_TEST_FLIGHT_PKTS 4	/* a test keeps so many in flight: enough RTT samples */

/* RTT samples that decide: one small one may be jitter, or a gap of the others. */
#define NDM_TEST_SMALL 3
#define NDM_TEST_LARGE 7

/* A quarter of less is within the timing of hosts. */
#define NDM_TEST_LIMIT_LEAST_US 20000

/* A test lasts six RTTs: beyond 4 s it would cost more than the queue. */
#define NDM_TEST_MOST_US 4000000

/* Rounds after a test before the next: RTTs of its slow start say nothing. */
#define NDM_TEST_REST 2

/*
 * A test costs about six RTTs. So beside others 64 RTTs lie between the first two, twice
 * as many between the next two, and so on. Units of 1.05 s.
 */
#define NDM_TEST_PAUSE_LEAST 10
#define NDM_TEST_PAUSE_MOST 200	/* the time wraps after 256 */
#define NDM_TEST_PAUSE_SHIFT 14	/* 64 RTTs, in units of 2^20 us */
#define NDM_TEST_IN_A_ROW 6	/* 32 times is more than the most */

/* The queue beyond which to ask, us: one RTT, at most `queue_ms`; 0: none. */
static u32 ndm_queue_test_limit_us(const struct sock *sk)
{
	u32 most_us = READ_ONCE(ndm_tuning.queue_ms) * 1000;

	return most_us ? ndm_max(ndm_min(most_us, tcp_min_rtt(tcp_sk(sk))),
				 NDM_TEST_LIMIT_LEAST_US) : 0;
}

/* Units of NDM_BASE_SHIFT; 8 bits of them are kept. */
static u32 ndm_queue_test_now(const struct tcp_sock *tp)
{
	return tp->tcp_mstamp >> (NDM_TICK_SHIFT + NDM_BASE_SHIFT);
}

static u32 ndm_queue_test_min_us(const struct sock *sk)
{
	return min_t(u32, tcp_min_rtt(tcp_sk(sk)), NDM_SAMPLE_CAP_US);
}

/* The RTT that both latest rounds had: the mean of one may be that of a silent link. */
static u32 ndm_queue_test_least_us(const struct ndm_v5 *v)
{
	return ndm_min(v->rounds.mean_us, v->rounds.older_us);
}

/* The RTT of cwnd as it is now: while cwnd grows, that of a whole round is smaller. */
static u32 ndm_queue_test_most_us(const struct ndm_v5 *v)
{
	return ndm_max(ndm_max(v->rounds.mean_us, v->rounds.older_us), v->rounds.newest_us);
}

/* The part of @cwnd that gives an RTT of @rtt_us. */
static u32 ndm_queue_test_part(const struct ndm_v5 *v, u32 cwnd, u32 rtt_us)
{
	u32 most_us = ndm_queue_test_most_us(v);

	return ndm_part_of(cwnd, ndm_min(rtt_us, most_us), most_us);
}

bool ndm_queue_test_matters(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 limit_us = ndm_queue_test_limit_us(sk);

	return !limit_us || v->reordering.rounds ||
	       (!v->test.others &&
		v->rounds.mean_us > ndm_queue_test_min_us(sk) + limit_us / 2);
}

/* What a test has shown of others is valid for so long. */
static u32 ndm_queue_test_pause(const struct tcp_sock *tp, const struct ndm_v5 *v)
{
	u32 pause = clamp_t(u32, tp->srtt_us >> (3 + NDM_TEST_PAUSE_SHIFT),
			    NDM_TEST_PAUSE_LEAST, NDM_TEST_PAUSE_MOST);

	return ndm_min(pause << v->test.in_a_row >> 1, NDM_TEST_PAUSE_MOST);
}

static bool ndm_queue_test_wanted(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 limit_us = ndm_queue_test_limit_us(sk);

	return limit_us && v->test.step == NDM_TEST_NO && !v->test.others &&
	       !v->test.looks && v->limited && !v->reordering.rounds && !v->noise &&
	       !v->cut_from_pkts && ndm_ca_state(sk) <= TCP_CA_Disorder &&
	       !tcp_in_slow_start(tp) && ndm_cwnd(tp) >= NDM_TEST_LEAST_PKTS &&
	       ndm_queue_test_least_us(v) > ndm_queue_test_min_us(sk) + limit_us &&
	       ndm_queue_test_most_us(v) < NDM_TEST_MOST_US;
}

static void ndm_queue_test_begin(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = ndm_cwnd(tp);
	u32 bdp = ndm_queue_test_part(v, cwnd, ndm_queue_test_min_us(sk));

	v->test.step = NDM_TEST_DRAIN;
	v->test.small = 0;
	tp->snd_ssthresh = cwnd;
	/* A tenth below the BDP, so that even a short queue empties. */
	ndm_set_cwnd(tp, max_t(u32, bdp - bdp / 10, NDM_TEST_FLIGHT_PKTS));
}

void ndm_queue_test_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_queue_test *t = &v->test;

	if ((u8)(ndm_queue_test_now(tp) - t->others_since) >= ndm_queue_test_pause(tp, v))
		t->others = false;
	if (!tcp_in_slow_start(tp)) {
		if (t->step == NDM_TEST_RETURN && !v->cut_from_pkts)
			t->step = NDM_TEST_NO;
		else
			t->looks -= !!t->looks;
	}
	if (ndm_queue_test_wanted(sk, v))
		ndm_queue_test_begin(sk, v);
}

/* The queue is this connection's own: some of it stays, but a test takes a tenth at most. */
static void ndm_queue_test_alone(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 limit_us = ndm_queue_test_limit_us(sk), cwnd = tp->snd_ssthresh;
	/* CUBIC fills the last quarter. */
	u32 rtt_us = ndm_queue_test_min_us(sk) + limit_us - limit_us / 4;
	u32 part = ndm_queue_test_part(v, cwnd, rtt_us);

	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	ndm_cubic_cut(&v->cubic, cwnd);
	tp->snd_ssthresh = max3(part, cwnd - cwnd / 10, ndm_cwnd(tp));
}

static void ndm_queue_test_end(struct sock *sk, struct ndm_v5 *v, bool alone)
{
	struct ndm_queue_test *t = &v->test;

	ndm_count(sock_net(sk), alone ? NDM_QUEUE_OWN : NDM_QUEUE_OTHERS, 1);
	t->step = NDM_TEST_RETURN;
	t->looks = NDM_TEST_REST;
	t->others = !alone;
	t->others_since = ndm_queue_test_now(tcp_sk(sk));
	/* A rival may have left a gap: ask as often again as it was found. */
	if (alone && !t->in_a_row)
		ndm_queue_test_alone(sk, v);
	if (alone)
		t->in_a_row -= !!t->in_a_row;
	else
		t->in_a_row = ndm_min(t->in_a_row + 1, NDM_TEST_IN_A_ROW);
}

/* True if an RTT of @rtt_us shows a queue beside the packets of the test. */
static bool ndm_queue_test_large(const struct sock *sk, const struct ndm_v5 *v, u32 rtt_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	/* With the least flight on a slow link, the packets of the test are a queue. */
	u32 cwnd = ndm_min(ndm_cwnd(tp), tp->snd_ssthresh);
	u32 own_us = ndm_part_of(ndm_queue_test_most_us(v), cwnd, tp->snd_ssthresh);

	return rtt_us > ndm_max(ndm_queue_test_min_us(sk), own_us) +
	       ndm_queue_test_limit_us(sk) / 4;
}

bool ndm_queue_test_ack(struct sock *sk, struct ndm_v5 *v, u32 rtt_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_queue_test *t = &v->test;
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;

	if (!ndm_queue_test_holds(v))
		return false;
	if (t->step == NDM_TEST_DRAIN) {
		if (tcp_packets_in_flight(tp) > ndm_cwnd(tp))
			return false;
		t->step = NDM_TEST_LOOK;
		t->looks = 0;
	} else {
		/* Sent after the queue was drained? */
		if (rtt_us && rtt_us <= elapsed_us) {
			if (ndm_queue_test_large(sk, v, rtt_us))
				t->looks++;
			else
				t->small++;
		}
		if (t->small == NDM_TEST_SMALL)
			ndm_queue_test_end(sk, v, true);
		else if (t->looks == NDM_TEST_LARGE)
			ndm_queue_test_end(sk, v, false);
		else if (elapsed_us > 2 * ndm_queue_test_most_us(v))
			ndm_queue_test_end(sk, v, t->small > 1 && t->small > t->looks);
		else
			return false;
	}
	ndm_rounds_restart(&v->rounds);
	return true;
}

u32 ndm_queue_test_lost(const struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (!ndm_queue_test_holds(v)) {
		v->test.step = NDM_TEST_NO;
		return ndm_cwnd(tp);
	}
	v->test.step = NDM_TEST_RETURN;
	v->test.looks = NDM_TEST_REST;
	return max(ndm_cwnd(tp), tp->snd_ssthresh);
}

void ndm_queue_test_recovered(struct sock *sk, const struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (v->test.step == NDM_TEST_RETURN && v->cut_from_pkts)
		tp->snd_ssthresh = max(tp->snd_ssthresh, ndm_cubic_keep(v->cut_from_pkts));
}

bool ndm_queue_test_undone(struct ndm_v5 *v)
{
	if (v->test.step == NDM_TEST_NO)
		return false;
	v->test.step = NDM_TEST_RETURN;
	v->test.looks = NDM_TEST_REST;
	return true;
}
