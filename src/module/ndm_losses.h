/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates from the losses of a connection: the share of its packets that is
 * lost, the packets between two loss events, and whether the packets sent right
 * after lost ones met a queue.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_LOSSES_H
#define NDM_LOSSES_H

#include "ndm_types.h"

/**
 * struct ndm_losses - loss events of one connection
 * @event_at_pkts: tp->delivered at the latest loss event, wraps
 * @interval_pkts: packets delivered from one loss event to the next, average of
 *                 about four (RFC 5348, 5.4); 0 before the first event
 * @share:         share of packets lost, average of 8 rounds, of 2^16
 * @late:          share of loss events with a late packet right after the lost
 *                 one, average of about eight, of 2^8
 * @known_lost:    packets lost of known_units of struct ndm_v5, which has no byte left
 */
struct ndm_losses {
	u32 event_at_pkts;
	u32 interval_pkts;
	u16 share;
	u8 late;
	u8 known_lost;
};

#define NDM_LOSS_SHARE_SHIFT 16

/* Forget all losses. @delivered is tp->delivered. */
void ndm_losses_forget(struct ndm_losses *l, u32 delivered);

/* A round ended in which @lost packets were lost and @delivered arrived. */
void ndm_losses_round(struct ndm_losses *l, u32 lost, u32 delivered);

/*
 * A loss event at tp->delivered = @delivered with a cwnd of @cwnd packets; @late: a
 * packet sent right after the lost one was late. The interval counts as @cwnd^2 packets
 * at most, 1.5 times what Reno needs for @cwnd, so that ten events suffice to forget
 * hours without loss.
 */
void ndm_losses_event(struct ndm_losses *l, u32 delivered, u32 cwnd, bool late);

/* More than a sixth of the recent packets was lost. */
bool ndm_losses_many(const struct ndm_losses *l);

/* More than 1/40 was: a queue may be full all the time. */
bool ndm_losses_some(const struct ndm_losses *l);

/* Packets sent right after lost ones are late more often than by chance. */
bool ndm_losses_late(const struct ndm_losses *l);

/* They are not, and are not in doubt. */
bool ndm_losses_in_time(const struct ndm_losses *l);

/* Forget how often they were: the next loss event decides. */
void ndm_losses_doubt(struct ndm_losses *l);

/*
 * Three times the larger cwnd (packets) that Reno or CUBIC would have with these loss
 * events at an RTT of @rtt_us, but at least 10; no limit before the first event.
 */
u32 ndm_losses_bound(const struct ndm_losses *l, u32 rtt_us);

#endif
