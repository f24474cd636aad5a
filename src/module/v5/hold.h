/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Holds back a recovery, for one of two reasons.
 *
 * It is probably spurious. RACK also evaluates ACKs that were reordered themselves,
 * without a call of ndm_rack_wait(). One packet with a small RTT may then mark half of
 * cwnd as lost. So hold back retransmissions until the packets had time to arrive. In most
 * cases the originals arrive, and the kernel undoes the recovery.
 *
 * Or the path reorders, and the packets have timestamps. A retransmission has a newer one
 * than all that was sent before, and the receiver drops what it overtakes as old (RFC 7323,
 * PAWS). So nothing is sent until what was sent before has probably arrived.
 *
 * A hold lasts one smoothed RTT at most. The kernel's rate reduction moves cwnd towards
 * ssthresh: with 1 it sends one packet at once, and prr_out = 1 says that this has happened.
 */
#ifndef NDM_V5_HOLD_H
#define NDM_V5_HOLD_H

#include "state.h"

/* How long a packet may be in flight before it counts as lost, us: at most the RTO. */
u32 ndm_hold_wait_us(const struct sock *sk, const struct ndm_v5 *v);

/*
 * How long it may be amid reordering in a recovery, us: a quarter longer than @wait_us, the
 * time outside of one; with timestamps twice as long; at most 3/4 of the RTO, unless
 * @wait_us is more. So a recovery repairs what was lost before it, and the next one the
 * rest, for with timestamps each repair costs packets that it overtakes.
 */
u32 ndm_hold_next_us(const struct sock *sk, u32 wait_us);

/*
 * Call it with each round: the wait of earlier ones fades, and is at least the present one.
 * Packets with a large RTT are retransmitted first and then give no sample, so the kernel's
 * estimates fall after a wait that was too short: follow slowly.
 */
void ndm_hold_round(const struct sock *sk, struct ndm_v5 *v);

/*
 * A recovery was undone, so the wait was too short: a quarter RTT more (RFC 8985, 6.2), up to
 * twice what the kernel's estimates say, so that undos in a row do not add up without end.
 */
void ndm_hold_undone(const struct sock *sk, struct ndm_v5 *v);

/* A recovery begins: hold it back if the lost packets may still arrive. */
void ndm_hold_begin(struct sock *sk, struct ndm_v5 *v);

/*
 * Call it with each ACK: the hold ends after its time, when all packets have arrived, or
 * with an ECN-Echo.
 */
void ndm_hold_watch(struct sock *sk, struct ndm_v5 *v);

/* Continue the recovery with the ssthresh of the verdict, at the pace of ACKs. */
void ndm_hold_end(struct sock *sk, struct ndm_v5 *v);

#endif
