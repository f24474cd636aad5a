/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Makes the kernel's loss detection wait longer on a path with reordering.
 *
 * RACK (RFC 8985) considers a packet lost when a packet sent later has arrived
 * and its own age exceeds the RTT of that one plus a fraction of the minimum RTT.
 * With jitter as large as the RTT, the minimum RTT is near zero and the packet
 * that arrived had a small RTT, so nearly every reordered packet is considered
 * lost. The wait must depend on the jitter: the smoothed RTT plus four mean
 * deviations, as in the RTO.
 *
 * This writes fields that belong to the kernel, so a parameter (rack_assist)
 * disables it. Where the kernel's headers lack the fields it is left out.
 */
#ifndef NDM_RACK_H
#define NDM_RACK_H

#include <net/tcp.h>

#include "ndm_compat.h"

/* How long a packet may be in flight at present, us; may be above the RTO. */
u32 ndm_rack_wait_us(const struct sock *sk);

/*
 * True when RACK should wait for @wait_us. The parameter must allow it, and @wait_us
 * must exceed the smoothed RTT by more than an eighth. Also, there must be @reordering,
 * or the latest packet took less than half of the smoothed RTT, and so proves nothing
 * about those sent before it.
 */
bool ndm_rack_wanted(const struct sock *sk, bool reordering, u32 wait_us);

/* RACK finds a loss within half an RTT of the next packet, so within the round after. */
bool ndm_rack_prompt(const struct sock *sk);

/* How long RACK waits at present, in all and at most, us. */
u32 ndm_rack_waited_us(const struct sock *sk);

/* Make RACK wait for @wait_us in all. Call it with each ACK, before RACK runs. */
void ndm_rack_wait(struct sock *sk, u32 wait_us);

/* Give RACK back its own wait. */
void ndm_rack_restore(struct sock *sk);

#endif
