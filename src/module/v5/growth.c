// SPDX-License-Identifier: GPL-2.0
/* How fast cwnd grows in the next round; see growth.h. */
#include <net/tcp.h>

#include "../kernel.h"
#include "../stats.h"
#include "cubic.h"
#include "growth.h"
#include "judge.h"
#include "question.h"
#include "queue_test.h"
#include "rounds.h"

/* Without a queue: a twentieth a round, as Linux's CUBIC has at most. */
#define NDM_GROWTH_FOLLOW 20
/* While nothing is known of losses, up to 1 + 1/8 of CUBIC's cwnd. */
#define NDM_GROWTH_LEAD 8

/* Growth of a search: a fifth per round; a third up to the cwnd before the latest cut. */
#define NDM_GROWTH_SEARCH 5
#define NDM_GROWTH_RETURN 3
#define NDM_GROWTH_SEARCH_MOST 49152	/* a quarter more still fits 16 bits */

/* Packets per 2^20 us, by divisions of 32 bits. 4,096 packets a us, which no link has, overflow. */
static u32 ndm_growth_rate(u32 delivered, u32 elapsed_us)
{
	if (elapsed_us >> 14)
		return (min(delivered, (1U << 20) - 1) << 12) / (elapsed_us >> 8);
	return (min(delivered, (1U << 18) - 1) << 14) / max(elapsed_us, 1U) << 6;
}

void ndm_growth_watch(struct ndm_v5 *v, u32 cwnd, bool slow_start, u32 delivered,
		      u32 elapsed_us)
{
	struct ndm_growth *g = &v->growth;
	u32 rate = ndm_growth_rate(delivered, elapsed_us);
	u32 part = slow_start ? 2 : 3, more = slow_start ? 2 : 4;

	if (!v->limited)
		return;
	cwnd = min(cwnd, 65535U);
	if (!g->rate || rate > g->rate + (g->rate >> more)) {
		v->stalls = 0;
	} else if (cwnd > g->rate_cwnd + (u32)(g->rate_cwnd >> part)) {
		/* Compare with this rate from now on: the best one may have been chance. */
		v->stalls = ndm_min(v->stalls + 1, NDM_V5_STALLS);
	} else {
		return;
	}
	g->rate = rate;
	g->rate_cwnd = cwnd;
}

/*
 * With reordering, spurious losses have kept cwnd too small. There is room while no
 * queue shows and a larger cwnd still increases the rate.
 */
static bool ndm_growth_searching(const struct ndm_v5 *v)
{
	return v->reordering.rounds && v->rounds.base_us && !v->queue &&
	       v->stalls < NDM_V5_STALLS && v->growth.rate_cwnd < NDM_GROWTH_SEARCH_MOST &&
	       !ndm_question_many(&v->question);
}

/*
 * There is room: nothing shows a queue, and losses are not known to be this connection's own. As
 * long as they are not known to be chance, only up to a bit more than CUBIC would have. Before the
 * first cut CUBIC's cwnd is no measure, since delays that vary end slow start long before the
 * link is full; there packets that overtook each other, ever, may have raised cwnd.
 */
static bool ndm_growth_follows(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd,
			       u32 cubic_pkts)
{
	if (!ndm_judge_sees(v) || v->queue || v->reordering.rounds ||
	    v->question.answer == NDM_ANSWER_OWN)
		return false;
	return cwnd < cubic_pkts + cubic_pkts / NDM_GROWTH_LEAD ||
	       v->question.answer == NDM_ANSWER_CHANCE ||
	       (!v->cubic.cut && !tcp_sk(sk)->reord_seen);
}

void ndm_growth_plan(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 delivered,
		     u32 elapsed_us)
{
	u64 now_us = tcp_sk(sk)->tcp_mstamp;
	u32 ticks = (now_us >> NDM_TICK_SHIFT) - ((now_us - elapsed_us) >> NDM_TICK_SHIFT);
	u32 usual = tcp_sk(sk)->srtt_us >> (3 + NDM_TICK_SHIFT), cubic_pkts;

	/* CUBIC does not grow below ssthresh: in slow start, or after a cut. */
	if (v->cut_from_pkts || !v->limited ||
	    (!v->noise && tcp_in_slow_start(tcp_sk(sk))))
		return;
	/* A question compares rounds of the same cwnd. */
	if (v->question.asking != NDM_ASKING_NOT) {
		ndm_cubic_restart(&v->cubic);
		return;
	}
	/* A pause of the sender is no time of growth. */
	if (ticks > 2 * usual + 1)
		ticks = usual;
	cubic_pkts = ndm_cubic_round(&v->cubic, ticks, cwnd, delivered);
	if (v->queue && ndm_rounds_jittery(&v->rounds) && ndm_queue_test_matters(sk, v)) {
		ndm_cubic_as_reno(&v->cubic, cwnd);
	} else if (ndm_growth_searching(v)) {
		ndm_cubic_hasten(&v->cubic, (cwnd < v->cubic.w_max_pkts ? NDM_GROWTH_RETURN :
					     NDM_GROWTH_SEARCH) << v->stalls);
		v->searched = true;
	} else if (ndm_growth_follows(sk, v, cwnd, cubic_pkts)) {
		ndm_cubic_hasten(&v->cubic, NDM_GROWTH_FOLLOW);
	}
}

void ndm_growth_drain(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 enough_us = v->rounds.base_us + v->rounds.base_us / 4;
	u32 cwnd = ndm_cwnd(tp);

	if (!v->searched || !v->queue || !v->rounds.mean_us)
		return;
	v->searched = false;
	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	if (enough_us < v->rounds.mean_us)
		ndm_set_cwnd(tp, max(ndm_part_of(cwnd, enough_us, v->rounds.mean_us),
				     cwnd - cwnd / 4));
	tp->snd_ssthresh = min(tp->snd_ssthresh, ndm_cwnd(tp));
}
