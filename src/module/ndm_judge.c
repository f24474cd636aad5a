// SPDX-License-Identifier: GPL-2.0
/* The verdict on a loss; see ndm_judge.h. */
#include <net/tcp.h>

#include "ndm_judge.h"
#include "ndm_params.h"
#include "ndm_trial.h"

#define NDM_JUDGE_MANY 16		/* of fewer packets all may be late by chance */
#define NDM_JUDGE_LATE_US 250		/* less may be timing of hosts */
/*
 * With a base below it the timing of hosts hides what a FIFO of a switch adds to the RTT when
 * it is full, 0.1 to 1 ms.
 */
#define NDM_JUDGE_BASE_US 1000
#define NDM_JUDGE_BURST_SHIFT 6		/* of an RTT: less may be a burst of a large cwnd */
/*
 * Packets for a loss event, and for a lost one. Where jitter in order overflows a FIFO of
 * 0.06 BDP at 20 Mbit/s, or twenty flows one at 40 Mbit/s, it is 40 to 125, and nothing but
 * *late* limits harm there. At higher rates it is more, as of Starlink.
 */
#define NDM_JUDGE_RARE_PKTS 200

bool ndm_judge_wander(const struct ndm_v5 *v)
{
	return READ_ONCE(ndm_tuning.trials) && !v->reordered &&
	       v->losses.interval_pkts >= NDM_JUDGE_RARE_PKTS &&
	       v->losses.share <= (1U << NDM_LOSS_SHARE_SHIFT) / NDM_JUDGE_RARE_PKTS &&
	       ndm_rounds_wander(&v->rounds);
}

/* The newest sample is above @usual_us by more than jitter, and by @least_us. */
static bool ndm_judge_above(const struct ndm_rounds *r, u32 usual_us, u32 least_us)
{
	least_us = ndm_max(least_us, ndm_min(r->base_us, NDM_JUDGE_LATE_US));
	return r->base_us && r->newest_us > usual_us + ndm_max(r->jitter_us >> 1, least_us);
}

/* What an RTT has without a full queue; with wander nearly all are above the base. */
static u32 ndm_judge_usual_us(const struct ndm_v5 *v)
{
	const struct ndm_rounds *r = &v->rounds;

	if (!ndm_judge_wander(v))
		return r->base_us;
	return ndm_max(ndm_max(r->mean_us, r->older_us), r->base_us);
}

void ndm_judge_behind(struct ndm_v5 *v, u32 missing)
{
	const struct ndm_rounds *r = &v->rounds;

	if (!missing) {
		v->behind = 0;
		v->behind_late = false;
		v->behind_early = false;
	} else if (v->behind < NDM_JUDGE_BEHIND) {
		v->behind++;
		if (ndm_judge_above(r, r->base_us, 0))
			v->behind_late = true;
		if (!ndm_judge_above(r, ndm_judge_usual_us(v),
				     r->base_us >> NDM_JUDGE_BURST_SHIFT))
			v->behind_early = true;
	}
}

u32 ndm_judge_memory_us(const struct sock *sk)
{
	return (tcp_sk(sk)->srtt_us >> 2) + jiffies_to_usecs(inet_csk(sk)->icsk_rto);
}

bool ndm_judge_paused(const struct sock *sk, const struct ndm_v5 *v)
{
	return (u32)tcp_sk(sk)->tcp_mstamp - v->sampled_us > ndm_judge_memory_us(sk);
}

bool ndm_judge_queue(const struct ndm_v5 *v, bool repairing)
{
	bool wander = ndm_judge_wander(v);

	return ndm_rounds_queue(&v->rounds,
				v->reordered || wander || ndm_rounds_jittery(&v->rounds),
				v->reordered ? repairing : wander && ndm_trial_runs(v));
}

static bool ndm_judge_late(const struct ndm_v5 *v)
{
	return ndm_trial_runs(v) || ndm_judge_wander(v) ? ndm_trial_late(v) :
							   ndm_losses_late(&v->losses);
}

bool ndm_judge_all_late(const struct sock *sk, const struct ndm_v5 *v, u32 delivered)
{
	return v->reordered && delivered >= NDM_JUDGE_MANY &&
	       (u32)v->least << NDM_V5_UNIT_SHIFT > tcp_min_rtt(tcp_sk(sk)) +
	       ndm_max(v->rounds.jitter_us, v->rounds.base_us >> 4);
}

enum ndm_verdict ndm_judge(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 lost_now = (u16)(tp->lost - v->lost_before);

	if (v->rounds.base_us < NDM_JUDGE_BASE_US || !tcp_is_sack(tp) || ndm_judge_paused(sk, v))
		return NDM_NO_DATA;
	if (ndm_judge_queue(v, true) || (v->reordered && v->queue))
		return NDM_QUEUE;
	if (ndm_losses_many(&v->losses) || lost_now > max(cwnd / 3, 3U))
		return NDM_LOSS_SHARE;
	/* With reordering, a larger RTT or a loss proves less. */
	if (v->reordered)
		return NDM_NOISE;
	if (v->stalls >= NDM_V5_STALLS)
		return NDM_PLATEAU;
	if (ndm_judge_late(v))
		return NDM_LATE;
	/* What grows in a round too much for a trial is given back at its end. */
	if (ndm_trial_runs(v))
		cwnd -= cwnd / 9;
	if (cwnd > ndm_trial_bound(v))
		return NDM_BOUND;
	return NDM_NOISE;
}
