// SPDX-License-Identifier: GPL-2.0
/* Share of losses, and whether they come with a queue; see losses.h. */
#include "losses.h"

/*
 * RFC 9743 wants a reduction when much is lost, whatever the cause. Of a policer's drops no
 * RTT tells, so this alone limits them. With 1/24 one of 10 Mbit/s that drops 1 % besides drops
 * 1,260 instead of 1,950 packets in 12 s; but where 5 % are lost by chance v5 has less than twice
 * Cubic's goodput then. With 1/32 short bursts of losses leave 39 instead of 72 Mbit/s of 100.
 */
#define NDM_LOSSES_MANY ((1U << NDM_LOSS_SHARE_SHIFT) / 16)
#define NDM_LOSSES_MANY_REORDERED ((1U << NDM_LOSS_SHARE_SHIFT) / 6)

/*
 * A FIFO that many flows keep full drops 4 to 20 % of their packets. Nearly all paths that lose
 * by chance lose less than 2.5 %.
 */
#define NDM_LOSSES_SOME ((1U << NDM_LOSS_SHARE_SHIFT) / 40)

/*
 * Of 2^8. Three of four losses in a queue of two packets have a late packet among
 * the next three; by chance one of three has. The limit is between them, nearer to
 * chance: a wrong cut costs this flow some rate, a wrong verdict of noise costs the
 * others theirs. The average starts above the limit and reaches it after two loss events
 * without a late packet.
 */
#define NDM_LOSSES_LATE 112
#define NDM_LOSSES_LATE_UNKNOWN 147

void ndm_losses_forget(struct ndm_losses *l)
{
	l->share = 0;
	l->late = NDM_LOSSES_LATE_UNKNOWN;
	l->late_before = NDM_LOSSES_LATE_UNKNOWN;
}

void ndm_losses_round(struct ndm_losses *l, u32 lost, u32 delivered)
{
	u32 share;

	lost = ndm_min(lost, 65535);
	delivered = ndm_min(delivered, 1U << 20);
	share = lost ? (lost << 16) / (lost + delivered) : 0;
	share = ndm_min(share, 65535);
	if (share >= l->share)
		l->share += (share - l->share) >> 3;
	else
		l->share -= (l->share - share + 7) >> 3;
}

void ndm_losses_event(struct ndm_losses *l, bool late)
{
	l->late_before = l->late;
	if (late)
		l->late += (255 - l->late) >> 3;
	else
		l->late -= (l->late + 7) >> 3;
}

void ndm_losses_undo(struct ndm_losses *l, u32 lost)
{
	l->late = l->late_before;
	l->before = lost;
}

bool ndm_losses_many(const struct ndm_losses *l, bool reordering)
{
	return l->share > (reordering ? NDM_LOSSES_MANY_REORDERED : NDM_LOSSES_MANY);
}

bool ndm_losses_some(const struct ndm_losses *l)
{
	return l->share > NDM_LOSSES_SOME;
}

bool ndm_losses_late(const struct ndm_losses *l)
{
	return l->late > NDM_LOSSES_LATE;
}

bool ndm_losses_in_time(const struct ndm_losses *l)
{
	return l->late < NDM_LOSSES_LATE;
}
