// SPDX-License-Identifier: GPL-2.0
/* The verdict on a loss; see judge.h. */
#include <net/tcp.h>

#include "judge.h"
#include "losses.h"
#include "rounds.h"

/*
 * With a base below it the timing of hosts hides what a FIFO of a switch adds to the RTT when
 * it is full, 0.1 to 1 ms.
 */
#define NDM_JUDGE_BASE_US 1000
#define NDM_JUDGE_MANY 16		/* of fewer packets all may be late by chance */

/*
 * How much later than the base is late: 1/64 of it. With 1/32 fewer losses by chance look late, 72
 * instead of 65 Mbit/s at 1 % of 100 Mbit/s; but at a policer, of which nothing else tells, ten
 * Renos keep 8.6 instead of 18.6 Mbit/s.
 */
#define NDM_JUDGE_LATE_SHIFT 6
/* On a long path a full FIFO of a switch may add little more: 25 packets at 100 Mbit/s, 3 ms. */
#define NDM_JUDGE_LATE_MOST_US 1000
/*
 * On a short path a connection's own packets make each other late, by half the time between two
 * ACKs; beyond 250 us that is a gap. A full FIFO of a fast switch adds less than that: 15 packets
 * at 900 Mbit/s 200 us.
 */
#define NDM_JUDGE_LATE_LEAST_US 62
#define NDM_JUDGE_LATE_GAP_US 250

bool ndm_judge_sees(const struct ndm_v5 *v)
{
	return v->rounds.base_us >= NDM_JUDGE_BASE_US;
}

static bool ndm_judge_wander(const struct ndm_v5 *v)
{
	return !v->reordering.rounds && ndm_rounds_wander(&v->rounds);
}

/*
 * What an RTT has without a full queue. With wander nearly all are above the base, and the next
 * one may be as far above the larger of the latest two means as they are apart.
 */
static u32 ndm_judge_usual_us(const struct ndm_v5 *v)
{
	const struct ndm_rounds *r = &v->rounds;

	if (!ndm_judge_wander(v))
		return r->base_us;
	return ndm_max(2 * ndm_max(r->mean_us, r->older_us) - ndm_min(r->mean_us, r->older_us),
		       r->base_us);
}

static bool ndm_judge_is_late(const struct ndm_v5 *v)
{
	const struct ndm_rounds *r = &v->rounds;
	u32 samples = r->root * r->root;
	u32 least_us = clamp_t(u32, r->base_us / ndm_max(2 * samples, 1), NDM_JUDGE_LATE_LEAST_US,
			       NDM_JUDGE_LATE_GAP_US);

	least_us = max3(least_us, r->jitter_us / 2,
			min_t(u32, r->base_us >> NDM_JUDGE_LATE_SHIFT, NDM_JUDGE_LATE_MOST_US));
	return r->base_us && r->newest_us > ndm_judge_usual_us(v) + least_us;
}

void ndm_judge_behind(struct ndm_v5 *v, u32 missing)
{
	if (!missing) {
		v->behind = 0;
		v->behind_late = false;
	} else if (v->behind < NDM_JUDGE_BEHIND) {
		v->behind++;
		if (ndm_judge_is_late(v))
			v->behind_late = true;
	}
}

u64 ndm_judge_silent_us(const struct sock *sk, const struct ndm_v5 *v)
{
	u64 sampled_us = (u64)v->sampled_wraps << 32 | v->sampled_us;

	return (tcp_sk(sk)->tcp_mstamp - sampled_us) & ((1ULL << 48) - 1);
}

bool ndm_judge_paused(const struct sock *sk, const struct ndm_v5 *v)
{
	return ndm_judge_silent_us(sk, v) >
	       (tcp_sk(sk)->srtt_us >> 2) + jiffies_to_usecs(inet_csk(sk)->icsk_rto);
}

bool ndm_judge_queue(const struct ndm_v5 *v, bool repairing)
{
	bool reordering = v->reordering.rounds, wander = ndm_judge_wander(v);

	/* Where the rate of a link dips for a moment, one round has a queue. */
	if (wander && !ndm_rounds_long_beyond(&v->rounds))
		return false;
	return ndm_rounds_queue(&v->rounds,
				reordering || wander || ndm_rounds_jittery(&v->rounds),
				reordering && repairing);
}

bool ndm_judge_all_late(const struct ndm_v5 *v, u32 delivered)
{
	u32 base_us = v->rounds.base_us, more_us = base_us >> 4;

	/* The more jitter, the further is the smallest RTT below the base without a queue. */
	more_us -= min(more_us, v->rounds.jitter_us);
	return v->reordering.rounds && delivered >= NDM_JUDGE_MANY && base_us &&
	       (u32)v->start.least << NDM_V5_UNIT_SHIFT > base_us + more_us;
}

enum ndm_verdict ndm_judge(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	bool reordering = v->reordering.rounds;

	if (!ndm_judge_sees(v) || !tcp_is_sack(tp) || ndm_judge_paused(sk, v))
		return NDM_NO_DATA;
	if (ndm_judge_queue(v, true) || (reordering && v->queue))
		return NDM_QUEUE;
	if (ndm_losses_many(&v->losses, reordering) ||
	    tp->lost - v->losses.before > max(cwnd / 3, 3U))
		return NDM_LOSS_SHARE;
	/* With reordering, a larger RTT proves less. */
	if (!reordering && ndm_losses_late(&v->losses))
		return NDM_LATE;
	return NDM_NOISE;
}
