// SPDX-License-Identifier: GPL-2.0
/* Share and spacing of losses; see ndm_losses.h. */
#include "ndm_losses.h"

/*
 * Above a sixth lost, nothing is chance: whoever loses that much sends too much.
 * With a fifth, random loss of 25 % passes too often: 2.4 times Cubic's packets
 * a second.
 */
#define NDM_LOSSES_MANY ((1U << NDM_LOSS_SHARE_SHIFT) / 6)

/*
 * Reno's mean cwnd with a loss event each n packets is sqrt(1.5 n) (RFC 5348,
 * 3.1, without timeouts). Three times that is sqrt(13.5 n).
 */
#define NDM_LOSSES_BOUND_SQUARED 27
#define NDM_LOSSES_BOUND_LEAST 10

/*
 * Of 2^8. In a queue of two packets three of four losses have a late packet among
 * the three behind them, by chance one of three: half is between, and a bit more
 * stands for nothing known, so that chance has to be shown first.
 */
#define NDM_LOSSES_LATE 128
#define NDM_LOSSES_LATE_UNKNOWN 153

void ndm_losses_forget(struct ndm_losses *l, u32 delivered)
{
	memset(l, 0, sizeof(*l));
	l->event_at_pkts = delivered;
	l->late = NDM_LOSSES_LATE_UNKNOWN;
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

void ndm_losses_event(struct ndm_losses *l, u32 delivered, bool late)
{
	u32 gap = ndm_max(ndm_min(delivered - l->event_at_pkts, 1U << 27), 1);

	l->event_at_pkts = delivered;
	if (!l->interval_pkts)
		l->interval_pkts = gap;
	else
		l->interval_pkts = l->interval_pkts - (l->interval_pkts >> 2) + (gap >> 2);
	l->interval_pkts = ndm_max(l->interval_pkts, 1);
	if (late)
		l->late += (255 - l->late) >> 3;
	else
		l->late -= (l->late + 7) >> 3;
}

bool ndm_losses_many(const struct ndm_losses *l)
{
	return l->share > NDM_LOSSES_MANY;
}

bool ndm_losses_late(const struct ndm_losses *l)
{
	return l->late > NDM_LOSSES_LATE;
}

u32 ndm_losses_bound(const struct ndm_losses *l)
{
	u32 bound;

	if (!l->interval_pkts)
		return ~0U;
	bound = ndm_sqrt(ndm_min(l->interval_pkts, 1U << 27) * NDM_LOSSES_BOUND_SQUARED / 2);
	return ndm_max(bound, NDM_LOSSES_BOUND_LEAST);
}
