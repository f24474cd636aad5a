// SPDX-License-Identifier: GPL-2.0
/* Share and spacing of losses; see ndm_losses.h. */
#include "ndm_losses.h"

/*
 * More than a sixth lost is congestion, whatever the cause (RFC 9743). With a
 * limit of a fifth, random loss of 25 % is often judged as noise, and v5 sends
 * 2.4 times as fast as Cubic.
 */
#define NDM_LOSSES_MANY ((1U << NDM_LOSS_SHARE_SHIFT) / 6)

/*
 * A FIFO that many flows keep full drops 4 to 20 % of their packets. Nearly all paths that lose
 * by chance lose less than 2.5 %.
 */
#define NDM_LOSSES_SOME ((1U << NDM_LOSS_SHARE_SHIFT) / 40)

#define NDM_LOSSES_BOUND_LEAST 10
#define NDM_LOSSES_CWND_CAP 11585U	/* its square is below 2^27, twice which fits the sums */

/*
 * Of 2^8. Three of four losses in a queue of two packets have a late packet among
 * the next three; by chance one of three has. The limit is between them, nearer to
 * chance: a wrong cut costs this flow some rate, a wrong verdict of noise costs the
 * others theirs. The average starts above the limit and reaches it after two loss events
 * without a late packet.
 */
#define NDM_LOSSES_LATE 112
#define NDM_LOSSES_LATE_UNKNOWN 147

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

void ndm_losses_event(struct ndm_losses *l, u32 delivered, u32 cwnd, bool late)
{
	u32 most = ndm_max(ndm_min(cwnd, NDM_LOSSES_CWND_CAP), 1);
	u32 gap = ndm_max(ndm_min(delivered - l->event_at_pkts, most * most), 1);

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

void ndm_losses_doubt(struct ndm_losses *l)
{
	l->late = NDM_LOSSES_LATE;
}

/*
 * With one loss event per n packets Reno's mean cwnd is sqrt(1.5 n) (RFC 5348, 3.1,
 * without RTOs); three times that is sqrt(13.5 n).
 */
static u32 ndm_three_renos(u32 interval_pkts)
{
	return ndm_sqrt(interval_pkts * 27 / 2);
}

/*
 * CUBIC's is 1.054 x^(3/4), x being the RTT in seconds times n (RFC 9438, 5.1).
 * With y = x 10^6 / 2^20, the code computes 2^4 sqrt(y) times 2^8 y^(1/4); three
 * times CUBIC's cwnd is that times 3.25 / 2^12.
 */
static u32 ndm_three_cubics(u32 interval_pkts, u32 rtt_us)
{
	u64 scaled = (u64)interval_pkts * rtt_us >> 12;
	u32 root = ndm_sqrt(scaled >> 32 ? ~0U : scaled);

	return (root * ndm_sqrt(root << 12) >> 10) * 13 >> 4;
}

u32 ndm_losses_bound(const struct ndm_losses *l, u32 rtt_us)
{
	u32 interval_pkts = l->interval_pkts;
	u32 bound;

	if (!interval_pkts)
		return ~0U;
	bound = ndm_max(ndm_three_renos(interval_pkts),
			ndm_three_cubics(interval_pkts, rtt_us));
	return ndm_max(bound, NDM_LOSSES_BOUND_LEAST);
}
