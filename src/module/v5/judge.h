/* SPDX-License-Identifier: GPL-2.0 */
/* The verdict on a loss, and how long the estimates that it rests on are valid. */
#ifndef NDM_V5_JUDGE_H
#define NDM_V5_JUDGE_H

#include "../stats.h"
#include "state.h"

/* For how long there has been no RTT sample, us. */
u64 ndm_judge_silent_us(const struct sock *sk, const struct ndm_v5 *v);

/*
 * True when the estimates are out of date: the sender sent nothing for longer than
 * its RTO, or only single packets, which give no sample.
 */
bool ndm_judge_paused(const struct sock *sk, const struct ndm_v5 *v);

/* Whether RTTs can tell of a queue at all: there is a base, and it is not that of a LAN. */
bool ndm_judge_sees(const struct ndm_v5 *v);

/*
 * Whether RTTs indicate a queue. @repairing: a lost packet has been missing in this round.
 * With reordering each ACK then gives a sample; else only those that no later one has
 * overtaken, for the others are old. Thus the mean is larger then, without any queue:
 * 24 instead of 17 ms on a path of 12 +- 6 ms each way.
 */
bool ndm_judge_queue(const struct ndm_v5 *v, bool repairing);

/*
 * Whether the round of @delivered packets, just over, met a queue amid reordering: even its
 * smallest RTT exceeds the base, which is a mean, or where there is little jitter by a sixteenth
 * of it. That does not depend on which ACKs give
 * samples, so it finds queues that the mean does not tell from a repair. The base follows a
 * path that became longer within 20 s; tcp_min_rtt() would take 300.
 */
bool ndm_judge_all_late(const struct ndm_v5 *v, u32 delivered);

/* The verdict on a loss: the first indication of congestion, or noise when there is none. */
enum ndm_verdict ndm_judge(const struct sock *sk, const struct ndm_v5 *v);

#endif
