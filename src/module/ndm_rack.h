/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's loss detection, helped to wait where packets overtake each other.
 *
 * RACK (RFC 8985) takes a packet for lost when one that was sent later has
 * arrived and as much time has passed as that one took, plus a fraction of the
 * smallest RTT ever seen. Where jitter is as wide as the RTT, the smallest RTT
 * is next to nothing and the packet that arrived was a fast one: every overtaken
 * packet counts as lost. Waiting must follow the jitter instead: smoothed RTT
 * plus four mean deviations, as the retransmission timer has it.
 *
 * This writes fields that belong to the kernel, so it is a parameter
 * (rack_assist), and it is left out where the kernel's headers lack the fields.
 */
#ifndef NDM_RACK_H
#define NDM_RACK_H

#include <net/tcp.h>

#include "ndm_compat.h"

/* How long a packet may be under way as the RTTs are now, us; may be above the RTO. */
u32 ndm_rack_wait_us(const struct sock *sk);

/*
 * RACK should wait for @wait_us: the parameter allows it, that is more than an
 * eighth above the smoothed RTT, and @reordering was proven lately or the latest
 * packet took less than half of the smoothed RTT, so that it tells nothing of
 * those sent before it.
 */
bool ndm_rack_wanted(const struct sock *sk, bool reordering, u32 wait_us);

/* How long RACK itself waits now in all, at most, us. */
u32 ndm_rack_waited_us(const struct sock *sk);

/* Let RACK wait for @wait_us in all. Before it marks losses, with each ACK. */
void ndm_rack_wait(struct sock *sk, u32 wait_us);

/* RACK waits as it does without us again. */
void ndm_rack_restore(struct sock *sk);

#endif
