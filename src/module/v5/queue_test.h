/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Whose is the queue? The parameter `queue_ms` enables this; 0 disables it.
 *
 * A base station has a queue for each of its users, often one of seconds. Mostly nobody
 * else is in it, so all its delay is of the sender's own making. v5 asks: it yields, so
 * that its own packets leave the queue. If the queue is gone then, v5 is alone and returns
 * with a queue of `queue_ms` at most. If the queue stays, others fill it; v5 returns to its
 * cwnd, competes as CUBIC does, and asks again later. Copa (NSDI 2018) looks for an empty
 * queue to tell the same.
 */
#ifndef NDM_TEST_H
#define NDM_TEST_H

#include "state.h"

/* A round ended: test, if its RTTs call for it. */
void ndm_queue_test_round(struct sock *sk, struct ndm_v5 *v);

/*
 * Call it with each ACK; @rtt_us is 0 without an RTT sample. True if a step of the test
 * is over and a new round has to begin.
 */
bool ndm_queue_test_ack(struct sock *sk, struct ndm_v5 *v, u32 rtt_us);

/*
 * A loss event or ECN ends the test. Returns the cwnd whose packets were lost, packets: in
 * a test that before it.
 */
u32 ndm_queue_test_lost(const struct sock *sk, struct ndm_v5 *v);

/* The recovery from that is over, or an RTO: slow start leads to 0.7 of that cwnd. */
void ndm_queue_test_recovered(struct sock *sk, const struct ndm_v5 *v);

/*
 * An undo ends the test. True if slow start has to lead to the cwnd before it: all at once
 * would be a burst.
 */
bool ndm_queue_test_undone(struct ndm_v5 *v);

/*
 * Whether the latest round's queue is a reason to grow slowly: not one below half of
 * `queue_ms`, and not one that others fill.
 */
bool ndm_queue_test_matters(const struct sock *sk, const struct ndm_v5 *v);

/* The test keeps cwnd small: no growth, and no round ends. */
static inline bool ndm_queue_test_holds(const struct ndm_v5 *v)
{
	return v->test.step == NDM_TEST_DRAIN || v->test.step == NDM_TEST_LOOK;
}

/* After a test, slow start leads to ssthresh: whatever the RTTs, but not without an end. */
static inline bool ndm_queue_test_returns(const struct sock *sk, const struct ndm_v5 *v)
{
	return v->test.step == NDM_TEST_RETURN &&
	       tcp_sk(sk)->snd_ssthresh < TCP_INFINITE_SSTHRESH;
}

/* What is no loss event ends a test, and cwnd stays: a smaller path MTU. */
static inline void ndm_queue_test_abort(struct ndm_v5 *v)
{
	if (ndm_queue_test_holds(v))
		v->test.step = NDM_TEST_NO;
}

#endif
