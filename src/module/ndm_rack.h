/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel's loss detection, helped to wait where packets overtake each other.
 *
 * RACK (RFC 8985) takes a packet for lost when one that was sent later has
 * arrived and as much time has passed as that one took, plus a fraction of the
 * smallest RTT ever seen. Where jitter is as wide as the RTT, the smallest RTT
 * is next to nothing and the packet that arrived was a lucky one: every
 * overtaken packet counts as lost. Waiting must follow the scatter instead:
 * smoothed RTT plus four mean deviations, as the retransmission timer has it.
 *
 * This writes fields that belong to the kernel, so it is a parameter
 * (rack_assist), it starts only after reordering was proven on the connection,
 * and it is left out where the kernel's headers lack the fields.
 */
#ifndef NDM_RACK_H
#define NDM_RACK_H

#include <net/tcp.h>

#include "ndm_compat.h"

/* How long a packet may be under way before it counts as lost, us. */
u32 ndm_rack_bound(const struct sock *sk);

/* Reordering is proven, the path scatters, and the parameter allows to help. */
bool ndm_rack_wanted(const struct sock *sk);

/* Let RACK wait for @bound (us). Before it marks losses, with each ACK. */
void ndm_rack_wait(struct sock *sk, u32 bound);

/*
 * How much longer than RACK to wait before repeating anything when packets may
 * be under way for @bound (us); 0 is not. Also before reordering is proven, when
 * the packet that showed the loss came in less than half of the usual time.
 */
u32 ndm_rack_hold(const struct sock *sk, u32 bound);

#endif
