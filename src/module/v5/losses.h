/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Estimates from the losses of a connection: the share of its packets that is
 * lost, and whether the packets sent right after lost ones met a queue.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_LOSSES_H
#define NDM_V5_LOSSES_H

#include "../arith.h"

#define NDM_LOSS_SHARE_SHIFT 16

/**
 * struct ndm_losses - losses of one connection
 * @before:      tp->lost at the start of the round, wraps
 * @share:       share of packets lost, average of 8 rounds, of 2^16
 * @late:        share of loss events with a late packet right after the lost
 *               one, average of about eight, of 2^8
 * @late_before: that before the latest loss event, for an undo
 */
struct ndm_losses {
	u32 before;
	u16 share;
	u8 late;
	u8 late_before;
} __packed;

/* Forget all losses. */
void ndm_losses_forget(struct ndm_losses *l);

/* A round ended in which @lost packets were lost and @delivered arrived. */
void ndm_losses_round(struct ndm_losses *l, u32 lost, u32 delivered);

/* A loss event; @late: a packet sent right after the lost one was late. */
void ndm_losses_event(struct ndm_losses *l, bool late);

/* The latest loss event was none. @lost is tp->lost: none of it counts any more. */
void ndm_losses_undo(struct ndm_losses *l, u32 lost);

/*
 * So many of the recent packets were lost that it is congestion, whatever the cause: more
 * than a sixteenth, or with @reordering, when some of the losses are spurious, a sixth.
 */
bool ndm_losses_many(const struct ndm_losses *l, bool reordering);

/* More than 1/40 was: a queue may be full all the time. */
bool ndm_losses_some(const struct ndm_losses *l);

/* Packets sent right after lost ones are late more often than by chance. */
bool ndm_losses_late(const struct ndm_losses *l);

/* They are not, as the latest loss events have shown. */
bool ndm_losses_in_time(const struct ndm_losses *l);

#endif
