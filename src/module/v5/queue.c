// SPDX-License-Identifier: GPL-2.0
/*
 * Is there a queue, and whose is it? A base station has a queue for each of its users, often one
 * of seconds, and mostly nobody else is in it: all its delay is of the sender's own making. So v5
 * asks (question.h): it sends less than the BDP. If the queue is gone then, v5 is alone in it and
 * returns with 3/4 of an RTT of queue, or of `queue_ms`; if it stays, others fill it, and v5
 * competes as CUBIC does. Copa (NSDI 2018) looks for an empty queue to tell the same.
 */
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "../params.h"
#include "v5.h"

#define NDM_QUEUE_ASK_PKTS 2		/* a question has so many in flight, for RTT samples */
#define NDM_QUEUE_LIMIT_US 20000	/* a quarter of less is within the timing of hosts */

bool ndm_queue_visible(const struct ndm_v5 *v)
{
	/* The timing of hosts hides what a full FIFO of a switch adds, 0.1 to 1 ms. */
	return v->rounds.base_us >= NDM_TIMING_US;
}

bool ndm_queue_shows(const struct ndm_v5 *v, enum ndm_above reordered)
{
	/*
	 * With a packet missing each ACK gives a sample where packets overtake each other, also
	 * those of old ones: the mean is larger then, 24 instead of 17 ms with 12 +- 6 ms each way.
	 */
	if (v->reorder.rounds)
		return ndm_rounds_above(&v->rounds, reordered, true);
	/* Where the rate of a link dips for a moment, one round has a queue. */
	if (ndm_rounds_wander(&v->rounds))
		return ndm_rounds_before_above(&v->rounds) &&
		       ndm_rounds_above(&v->rounds, NDM_ABOVE_QUARTER, false);
	return ndm_rounds_above(&v->rounds, ndm_rounds_jittery(&v->rounds) ? NDM_ABOVE_QUARTER :
							 NDM_ABOVE_SIXTEENTH, false);
}

/* The queue beyond which to ask, us: one RTT, at most `queue_ms`, 20 ms at least; 0: none. */
static u32 ndm_queue_limit_us(u32 min_us)
{
	u32 most_us = READ_ONCE(ndm_tuning.queue_ms) * 1000;

	return most_us ? ndm_max(ndm_min(most_us, min_us), NDM_QUEUE_LIMIT_US) : 0;
}

static void ndm_queue_begin(struct sock *sk, struct ndm_v5 *v, u32 min_us, u32 limit_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	/* The RTT of cwnd as it is now. */
	u32 bdp = ndm_part_of(ndm_cwnd(tp), min_us, ndm_max(tp->srtt_us >> 3, min_us));

	if (!limit_us || bdp < NDM_QUEUE_ASK_PKTS || v->question.asking != NDM_ASKING_NOT ||
	    v->question.others_rounds || !v->limited || v->noise || v->reorder.rounds ||
	    ndm_ca_state(sk) > TCP_CA_Disorder || tcp_in_slow_start(tp) ||
	    /* The mean of one round may be that of a silent link. */
	    ndm_min(v->rounds.mean_us, v->rounds.older_us) <= min_us + limit_us)
		return;
	ndm_question_ask(&v->question, NDM_ASKING_QUEUE);
	/* Slow start leads back to it, whatever it meets on the way. */
	tp->snd_ssthresh = ndm_cwnd(tp);
	/* A tenth below the BDP, so that even a short queue empties. */
	ndm_set_cwnd(tp, bdp - bdp / 10);
}

static void ndm_queue_answer(struct sock *sk, struct ndm_v5 *v, u32 min_us, u32 limit_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 cwnd = ndm_cwnd(tp);
	/* On a slow link half may be what one ACK lets be sent; beside others more is left. */
	bool own = v->rounds.mean_us <= min_us + limit_us / 2;

	ndm_v5_count(sk, own ? NDM_QUEUE_OWN : NDM_QUEUE_OTHERS);
	ndm_question_answer_queue(&v->question, own);
	if (!own)
		return;
	ndm_v5_count(sk, NDM_REDUCTIONS);
	ndm_cubic_cut(&v->cubic, tp->snd_ssthresh);
	/* CUBIC fills the last quarter. */
	cwnd += ndm_part_of(cwnd, limit_us - limit_us / 4, min_us);
	tp->snd_ssthresh = min(tp->snd_ssthresh, cwnd);
}

void ndm_queue_ask(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now)
{
	u32 min_us = clamp_t(u32, tcp_min_rtt(tcp_sk(sk)), NDM_TIMING_US, NDM_SAMPLE_CAP_US);
	u32 limit_us = ndm_queue_limit_us(min_us);

	if (v->question.asking != NDM_ASKING_QUEUE)
		ndm_queue_begin(sk, v, min_us, limit_us);
	else if (--v->question.step_rounds)
		/* What is acknowledged now left before. */
		ndm_rounds_restart(&v->rounds);
	else if (now->sampled)
		ndm_queue_answer(sk, v, min_us, limit_us);
	else
		v->question.step_rounds = 1;
}
