/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When slow start should end before a loss, as in HyStart: when every packet of
 * a round met a queue, or when the ACKs of a round arrive over half of the RTT.
 */
#ifndef NDM_V5_SLOW_START_H
#define NDM_V5_SLOW_START_H

#include "state.h"

/* A round begins. */
void ndm_start_round(struct ndm_v5 *v);

/*
 * An RTT sample of @rtt_us, at least 1; @v->sampled_us is still that of the one before. Before
 * the first end of slow start it may begin the round anew, at this time.
 */
void ndm_start_sample(const struct sock *sk, struct ndm_v5 *v, u32 rtt_us);

/* True when slow start should end now. Call it once for each ACK. */
bool ndm_start_over(const struct sock *sk, const struct ndm_v5 *v);

#endif
