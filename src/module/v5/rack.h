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
#ifndef NDM_V5_RACK_H
#define NDM_V5_RACK_H

#include "state.h"

/*
 * Whether RACK can be made to wait: the kernel has the fields, the parameter allows it, and RACK
 * runs: with SACK, and with its bit in the sysctl tcp_recovery.
 */
bool ndm_rack_available(const struct sock *sk);

/* How long a packet may be in flight at present, us; may be above the RTO. */
u32 ndm_rack_wait_us(const struct sock *sk);

/*
 * True when RACK should wait for @wait_us: it must exceed the smoothed RTT by more than an
 * eighth. Also, there must be @reordering, or the latest packet took less than half of the
 * smoothed RTT, and so proves nothing about those sent before it.
 */
bool ndm_rack_wanted(const struct sock *sk, bool reordering, u32 wait_us);

/* When RACK will hold the oldest packet for lost, us after it was sent, at most. */
u32 ndm_rack_limit_us(const struct sock *sk);

/* Make RACK wait for @wait_us in all. Call it with each ACK, before RACK runs. */
void ndm_rack_wait(struct sock *sk, struct ndm_v5 *v, u32 wait_us);

/* Give RACK back its own wait, if it has ours. */
void ndm_rack_restore(struct sock *sk, struct ndm_v5 *v);

#endif
