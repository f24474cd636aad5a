// SPDX-License-Identifier: GPL-2.0
/* The verdict on a loss; see judge.h. */
#include <net/tcp.h>

#include "judge.h"
#include "question.h"
#include "rounds.h"

/*
 * With a base below it the timing of hosts hides what a FIFO of a switch adds to the RTT when
 * it is full, 0.1 to 1 ms.
 */
#define NDM_JUDGE_BASE_US 1000
#define NDM_JUDGE_MANY 16		/* of fewer packets all may be late by chance */

bool ndm_judge_sees(const struct ndm_v5 *v)
{
	return v->rounds.base_us >= NDM_JUDGE_BASE_US;
}

static bool ndm_judge_wander(const struct ndm_v5 *v)
{
	return !v->reordering.rounds && ndm_rounds_wander(&v->rounds);
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

enum ndm_verdict ndm_judge(const struct sock *sk, const struct ndm_v5 *v)
{
	bool reordering = v->reordering.rounds;

	if (!ndm_judge_sees(v) || !tcp_is_sack(tcp_sk(sk)) || ndm_judge_paused(sk, v))
		return NDM_NO_DATA;
	if (ndm_judge_queue(v, true) || (reordering && v->queue))
		return NDM_QUEUE;
	/* With reordering losses are spurious, too, and say less. */
	if (reordering)
		return ndm_question_many(&v->question) ? NDM_LOSS_SHARE : NDM_NOISE;
	if (v->question.answer == NDM_ANSWER_OWN)
		return NDM_OWN;
	if (ndm_question_due(&v->question))
		return NDM_LOSS_SHARE;
	return NDM_NOISE;
}
