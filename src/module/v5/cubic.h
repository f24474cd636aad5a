/* SPDX-License-Identifier: GPL-2.0 */
/*
 * RFC 9438 (CUBIC), computed once per round and applied per acknowledged packet. It knows no
 * clock: its time is the sum of the rounds in which cwnd was the limit.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_CUBIC_H
#define NDM_V5_CUBIC_H

#include "../arith.h"

/* Ticks of 2^NDM_TICK_SHIFT us, of all bits of tcp_mstamp: 32 of them wrap after 51 days. */
#define NDM_TICK_SHIFT 10

/* The cwnd that a cut keeps, over 1024: 0.7 (RFC 9438, section 4.6). */
#define NDM_CUBIC_KEEP 717

/* Growth is at most half a packet per acknowledged packet, as in Linux's CUBIC. */
#define NDM_CUBIC_LEAST_ACKED 2

/* Growth since the latest cut. */
struct ndm_cubic {
	u32 w_max_pkts : 31;	/* W_max; before a cut, cwnd when growth began; 0 until then */
	u32 cut : 1;		/* there was a cut */
	s32 past_k_ticks;	/* t - K: how far growth is beyond @w_max_pkts; 18 bits */
	u32 w_est_256;		/* W_est, packets times 256; 0 while growth has not begun */
	u16 acked_pkts;		/* so many acknowledged let cwnd grow by one, at least 2 */
} __packed;

/* What is left of @cwnd packets after a cut, at least 2. */
u32 ndm_cubic_keep(u32 cwnd);

/* Growth begins anew in the next round; W_max stays. */
void ndm_cubic_pause(struct ndm_cubic *c);

/* A cut from @cwnd packets: a new W_max, a new epoch. */
void ndm_cubic_cut(struct ndm_cubic *c, u32 cwnd);

/*
 * A round of @ticks ended with a cwnd of @cwnd packets; @acked packets were acknowledged in
 * it. Sets the growth of the next round. Returns the cwnd that CUBIC has then, packets.
 */
u32 ndm_cubic_round(struct ndm_cubic *c, u32 ticks, u32 cwnd, u32 acked);

/* At least a packet for @acked_pkts acknowledged ones until the next round. */
void ndm_cubic_hasten(struct ndm_cubic *c, u32 acked_pkts);

#endif
