// SPDX-License-Identifier: GPL-2.0
/* Share and spacing of losses; see ndm_losses.h. */
#include "ndm_losses.h"

/*
 * Above a sixth lost, nothing is chance: whoever loses that much sends too much.
 * With a fifth, random loss of 25 % passes too often: 2.4 times Cubic's packets
 * a second.
 */
#define NDM_LOSSES_MANY ((1U << NDM_LOSS_SHARE_SHIFT) / 6)

#define NDM_LOSSES_BOUND_LEAST 10
#define NDM_LOSSES_CWND_CAP 11585U	/* its square is below 2^27, twice which fits the sums */

/*
 * Of 2^8. In a queue of two packets three of four losses have a late packet among
 * the three behind them, by chance one of three. The limit is between, nearer to
 * chance: a wrong cut costs us some rate, a wrong verdict of noise costs others
 * theirs. More than it stands for nothing known: after two losses that look like chance
 * the limit is reached.
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

bool ndm_losses_late(const struct ndm_losses *l)
{
	return l->late > NDM_LOSSES_LATE;
}

/*
 * With a loss event each n packets Reno's mean cwnd is sqrt(1.5 n) (RFC 5348, 3.1,
 * without timeouts): three times that is sqrt(13.5 n).
 */
static u32 ndm_three_renos(u32 interval_pkts)
{
	return ndm_sqrt(interval_pkts * 27 / 2);
}

/*
 * CUBIC's is 1.054 x^(3/4), with x = RTT in s times n (RFC 9438, 5.1). In binary:
 * with y = x 10^6 / 2^20 it is 2^4 sqrt(y) times 2^8 y^(1/4), and 3.25 of 2^12
 * of it are three times CUBIC's.
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
