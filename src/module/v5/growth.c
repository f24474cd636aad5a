// SPDX-License-Identifier: GPL-2.0
/* How fast cwnd grows, and when slow start should end before a loss. */
#include <net/tcp.h>

#include "../kernel.h"
#include "v5.h"

/* Without a queue: a twentieth a round, as Linux's CUBIC has at most. */
#define NDM_GROWTH_FOLLOW 20
/* While nothing is known of losses, up to 1 + 1/8 of CUBIC's cwnd: two rounds of following. */
#define NDM_GROWTH_LEAD 8

/* Of a search, a fifth a round; without one 5G has a third of its rate. */
#define NDM_GROWTH_SEARCH 5

/* A larger cwnd that has not increased the rate so many times in a row: no room is left. */
#define NDM_GROWTH_STALLS 3

/* HyStart's limit: below it, a burst of a few packets would decide. */
#define NDM_START_LOW_PKTS 16
/* RFC 9406 has as many samples, and 4 ms as the least; less may be timing of hosts. */
#define NDM_START_SAMPLES 8
#define NDM_START_LEAST_US 4000U

/* Packets per 2^20 us, by divisions of 32 bits. 4,096 packets a us, which no link has, overflow. */
static u32 ndm_growth_rate_of(u32 delivered, u32 elapsed_us)
{
	if (elapsed_us >> 14)
		return (min(delivered, (1U << 20) - 1) << 12) / (elapsed_us >> 8);
	return (min(delivered, (1U << 18) - 1) << 14) / max(elapsed_us, 1U) << 6;
}

void ndm_growth_rate(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now)
{
	struct ndm_growth *g = &v->growth;
	u32 rate = ndm_growth_rate_of(now->delivered, now->elapsed_us);
	u32 part = now->slow_start ? 2 : 3, more = now->slow_start ? 2 : 4;

	if (!v->limited)
		return;
	if (!g->rate || rate > g->rate + (g->rate >> more))
		g->stalls = 0;
	else if (now->cwnd > g->rate_cwnd + (g->rate_cwnd >> part))
		/* Compare with this rate from now on: the best one may have been chance. */
		g->stalls = ndm_min(g->stalls + 1, NDM_GROWTH_STALLS);
	else
		return;
	g->rate = rate;
	g->rate_cwnd = now->cwnd;
}

/* Amid reordering spurious losses have kept cwnd too small: while there is room, a search. */
static bool ndm_growth_searches(const struct ndm_v5 *v)
{
	return v->reorder.rounds && v->rounds.base_us && !v->queue &&
	       v->growth.stalls < NDM_GROWTH_STALLS &&
	       !ndm_question_lost(&v->question, NDM_LOST_MANY);
}

/*
 * Nothing shows a queue, and losses are not known to be this connection's own: it follows the
 * link. Unless they are known to be chance, only up to a bit more than CUBIC would have. Before
 * the first cut that is no measure, since delays that vary end slow start long before the link is
 * full; but there packets that overtook each other, ever, may have raised cwnd.
 */
static bool ndm_growth_follows(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd,
			       u32 cubic_pkts)
{
	if (!ndm_queue_visible(v) || v->queue || v->reorder.rounds ||
	    v->question.answer == NDM_ANSWER_OWN)
		return false;
	return cwnd < cubic_pkts + cubic_pkts / NDM_GROWTH_LEAD ||
	       v->question.answer == NDM_ANSWER_CHANCE ||
	       (!v->cubic.cut && !tcp_sk(sk)->reord_seen);
}

void ndm_growth_plan(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now)
{
	u64 now_us = tcp_sk(sk)->tcp_mstamp;
	u32 ticks = (now_us >> NDM_TICK_SHIFT) - ((now_us - now->elapsed_us) >> NDM_TICK_SHIFT);
	u32 usual = tcp_sk(sk)->srtt_us >> (3 + NDM_TICK_SHIFT), cubic_pkts;

	/* CUBIC does not grow below ssthresh: in slow start, or after a cut. */
	if (!v->limited || (!v->noise && tcp_in_slow_start(tcp_sk(sk))))
		return;
	if (v->rest_rounds) {
		v->rest_rounds -= v->noise || now->state <= TCP_CA_Disorder;
		return;
	}
	/* A question compares rounds of the same cwnd. */
	if (v->question.asking != NDM_ASKING_NOT) {
		ndm_cubic_pause(&v->cubic);
		return;
	}
	/* A pause of the sender is no time of growth. */
	if (ticks > 2 * usual + 1)
		ticks = usual;
	cubic_pkts = ndm_cubic_round(&v->cubic, ticks, now->cwnd, now->delivered);
	if (ndm_growth_searches(v))
		ndm_cubic_hasten(&v->cubic, NDM_GROWTH_SEARCH << v->growth.stalls);
	else if (ndm_growth_follows(sk, v, now->cwnd, cubic_pkts))
		ndm_cubic_hasten(&v->cubic, NDM_GROWTH_FOLLOW);
}

void ndm_start_sample(const struct sock *sk, struct ndm_v5 *v, u32 rtt_us)
{
	u32 min_us = tcp_min_rtt(tcp_sk(sk));

	if (rtt_us <= min_us + max(min_us >> 2, NDM_START_LEAST_US))
		v->growth.late_rtts = 0;
	else
		v->growth.late_rtts = ndm_min(v->growth.late_rtts + 1, NDM_START_SAMPLES);
}

/*
 * Eight RTTs in a row tell of a queue of a quarter RTT: with two packets sent for each that arrives
 * a flight of half the BDP has it at its end, and the next one fills the link. With reordering a
 * doubling is seen too late: search instead. Up to a known ssthresh the path has carried before.
 */
bool ndm_start_over(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return ndm_cwnd(tp) >= NDM_START_LOW_PKTS && tp->snd_ssthresh >= TCP_INFINITE_SSTHRESH &&
	       (v->growth.stalls >= NDM_GROWTH_STALLS || v->reorder.rounds ||
		v->growth.late_rtts >= NDM_START_SAMPLES);
}
