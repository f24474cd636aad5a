/* SPDX-License-Identifier: GPL-2.0 */
/* The verdict on a loss, and how long the estimates that it rests on are valid. */
#ifndef NDM_JUDGE_H
#define NDM_JUDGE_H

#include "ndm_stats.h"
#include "ndm_v5.h"

#define NDM_JUDGE_BEHIND 3	/* packets right after a lost one, as DupThresh */

/*
 * The packets that arrive first after a loss were sent right after the lost one. If one
 * of them is late, it was at the end of a full queue, even of a short one. Call it with
 * each RTT sample; @missing: packets are missing (tp->sacked_out).
 */
void ndm_judge_behind(struct ndm_v5 *v, u32 missing);

/* How long the estimates are valid without a new RTT sample, us. */
u32 ndm_judge_memory_us(const struct sock *sk);

/*
 * True when the estimates are out of date: the sender sent nothing for longer than
 * its RTO, or only single packets, which give no sample.
 */
bool ndm_judge_paused(const struct sock *sk, const struct ndm_v5 *v);

/*
 * The verdict on a loss with a cwnd of @cwnd packets: the first indication of
 * congestion, or noise when there is none.
 */
enum ndm_verdict ndm_judge(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd);

#endif
