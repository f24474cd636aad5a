// SPDX-License-Identifier: GPL-2.0
/* How fast cwnd grows in the next round; see ndm_growth.h. */
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_growth.h"
#include "ndm_stats.h"
#include "ndm_trial.h"
#include "ndm_yield.h"

/* Growth of a search: a fifth per round; a third up to the cwnd before the latest cut. */
#define NDM_GROWTH_SEARCH 5
#define NDM_GROWTH_RETURN 3
#define NDM_GROWTH_TRIAL 16	/* a sixteenth, towards the cwnd of a trial */
#define NDM_GROWTH_LEAD 20	/* a twentieth at most, where a trial has held back CUBIC */
#define NDM_GROWTH_UNCUT 20	/* a twentieth before the first cut, as in Linux's CUBIC */
#define NDM_GROWTH_CWND_CAP 65535U

/* Packets per 2^20 us, by a division of 32 bits that cannot overflow. */
static u32 ndm_growth_rate(u32 delivered, u32 elapsed_us)
{
	if (elapsed_us >> 14)
		return (min(delivered, (1U << 20) - 1) << 12) / (elapsed_us >> 8);
	return (min(delivered, (1U << 18) - 1) << 14) / max(elapsed_us, 1U) << 6;
}

void ndm_growth_watch(struct ndm_v5 *v, u32 cwnd, bool slow_start, u32 delivered,
		      u32 elapsed_us)
{
	u32 rate = ndm_growth_rate(delivered, elapsed_us);
	u32 part = slow_start ? 2 : 3, more = slow_start ? 2 : 4;

	cwnd = min(cwnd, NDM_GROWTH_CWND_CAP);
	if (!v->limited)
		return;
	if (!v->rate || rate > v->rate + (v->rate >> more)) {
		v->stalls = 0;
	} else if (cwnd > v->rate_cwnd + (u32)(v->rate_cwnd >> part)) {
		/* Compare with this rate from now on: the best one may have been chance. */
		v->stalls = min(v->stalls + 1, NDM_V5_STALLS);
	} else {
		return;
	}
	v->rate = rate;
	v->rate_cwnd = cwnd;
}

/*
 * With reordering, spurious losses have kept cwnd too small. There is room while no
 * queue shows and a larger cwnd still increases the rate. @rate_cwnd, of 16 bits,
 * limits the search.
 */
static bool ndm_growth_searching(const struct ndm_v5 *v)
{
	return v->reordered && v->rounds.base_us && !v->queue &&
	       v->stalls < NDM_V5_STALLS && v->rate_cwnd < NDM_GROWTH_CWND_CAP / 4 * 3 &&
	       !ndm_losses_many(&v->losses);
}

void ndm_growth_plan(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 delivered,
		     u32 elapsed_us)
{
	u64 now_us = tcp_sk(sk)->tcp_mstamp;
	u32 now_tick = now_us >> NDM_TICK_SHIFT;
	u32 ticks = now_tick - (u32)((now_us - elapsed_us) >> NDM_TICK_SHIFT);
	u32 usual = tcp_sk(sk)->srtt_us >> (3 + NDM_TICK_SHIFT), acked;

	/* CUBIC does not grow below ssthresh: in slow start, or after a cut. */
	if (v->cut_from_pkts || !v->limited ||
	    (!v->noise && tcp_in_slow_start(tcp_sk(sk)))) {
		ndm_cubic_pause(&v->cubic, ticks);
		return;
	}
	/* Leave a pause of the sender out of the epoch, and out of the next round. */
	if (ticks > 2 * usual + 1) {
		ndm_cubic_pause(&v->cubic, ticks - usual);
		ticks = usual;
	}
	ndm_cubic_round(&v->cubic, now_tick, ticks, cwnd, delivered);
	if (v->queue && ndm_rounds_jittery(&v->rounds) && ndm_yield_matters(sk, v)) {
		ndm_cubic_as_reno(&v->cubic, cwnd);
	} else if (ndm_growth_searching(v)) {
		acked = cwnd < v->cubic.w_max_pkts ? NDM_GROWTH_RETURN : NDM_GROWTH_SEARCH;
		v->cubic.acked_pkts = min_t(u32, v->cubic.acked_pkts, acked << v->stalls);
		v->searched = true;
	} else if (ndm_trial_runs(v) && (v->queue || cwnd >= ndm_trial_bound(v))) {
		/*
		 * CUBIC's epoch began with the latest cut, so its growth has no limit here. Amid
		 * queues, and at the largest trial, cwnd grows, but without CUBIC's lead.
		 */
		if (v->queue || v->trial_pkts >= NDM_TRIAL_MOST_PKTS)
			v->cubic.acked_pkts = max_t(u32, v->cubic.acked_pkts, NDM_GROWTH_LEAD);
		else
			ndm_cubic_stop(&v->cubic);
	} else if (cwnd < v->trial_pkts) {
		v->cubic.acked_pkts = NDM_GROWTH_TRIAL;
	} else if (!v->cubic.cut && !v->queue && !tcp_sk(sk)->reord_seen) {
		/* Delays that vary end slow start long before the link is full. */
		v->cubic.acked_pkts = min_t(u32, v->cubic.acked_pkts, NDM_GROWTH_UNCUT);
	}
}

void ndm_growth_drain(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 base_us = v->rounds.base_us, share;

	if (!v->searched || !v->queue)
		return;
	v->searched = false;
	share = ((base_us + (base_us >> 2)) << 9) / v->rounds.mean_us;
	share = clamp(share, 384U, 512U);
	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	ndm_set_cwnd(tp, (u64)ndm_cwnd(tp) * share >> 9);
	tp->snd_ssthresh = min(tp->snd_ssthresh, ndm_cwnd(tp));
}
