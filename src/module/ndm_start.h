/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When slow start should end before a loss ends it, as with HyStart: at a queue
 * that each packet of a round met, or at ACKs that fill half of the round trip.
 */
#ifndef NDM_START_H
#define NDM_START_H

#include "ndm_v5.h"

/* A round begins. */
void ndm_start_round(struct ndm_v5 *v);

/* An RTT sample of @rtt_us, 1 or more; @v->sampled_us still is the time of the one before. */
void ndm_start_sample(const struct sock *sk, struct ndm_v5 *v, u32 rtt_us);

/* Should slow start end now? Asked once for each ACK. */
bool ndm_start_over(const struct sock *sk, const struct ndm_v5 *v);

#endif
