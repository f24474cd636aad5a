/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The growth of cwnd in RFC 9438 (CUBIC), computed once per round and applied
 * per acknowledged packet, so that v5 shares a bottleneck fairly with CUBIC.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_CUBIC_H
#define NDM_V5_CUBIC_H

#include "../arith.h"

/*
 * Time is in ticks of 2^NDM_TICK_SHIFT us, taken from the 64 bits of tcp_mstamp,
 * so that 32 bits of it wrap after 51 days and differences stay right. CUBIC knows no clock: its
 * time is the sum of the rounds in which cwnd was the limit.
 */
#define NDM_TICK_SHIFT 10

/* The cwnd that a cut keeps, over 1024: 0.7 (RFC 9438, section 4.6). */
#define NDM_CUBIC_KEEP 717

/* Growth is at most half a packet per acknowledged packet, as in Linux's CUBIC. */
#define NDM_CUBIC_LEAST_ACKED 2

/**
 * struct ndm_cubic - growth since the latest cut
 * @w_max_pkts:  cwnd before the latest cut (RFC 9438: W_max); before the first, the one
 *               at which growth began, and 0 until then
 * @cut:         there was a cut
 * @past_k_ticks: how far growth is beyond the time of @w_max_pkts (t - K), ticks; negative
 *               before it; 18 bits
 * @w_est_pkts:  cwnd that Reno would have since growth began (W_est), times 256; 0 while it
 *               has not
 * @acked_pkts:  packets to be acknowledged for cwnd to grow by one,
 *               NDM_CUBIC_LEAST_ACKED..65535
 */
struct ndm_cubic {
	u32 w_max_pkts : 31;
	u32 cut : 1;
	s32 past_k_ticks;
	u32 w_est_pkts;
	u16 acked_pkts;
} __packed;

/* What is left of @cwnd packets after a cut, at least 2. */
u32 ndm_cubic_keep(u32 cwnd);

/* Growth begins anew in the next round; W_max stays. */
void ndm_cubic_restart(struct ndm_cubic *c);

/* A cut from @cwnd packets was confirmed: a new W_max, a new epoch. */
void ndm_cubic_cut(struct ndm_cubic *c, u32 cwnd);

/*
 * A round of @ticks ended with a cwnd of @cwnd packets; @acked packets were acknowledged in
 * it. Sets the growth of the next round. Returns the cwnd that CUBIC has then, packets.
 */
u32 ndm_cubic_round(struct ndm_cubic *c, u32 ticks, u32 cwnd, u32 acked);

/* At least a packet for @acked_pkts acknowledged ones until the next round. */
void ndm_cubic_hasten(struct ndm_cubic *c, u32 acked_pkts);

/* At most Reno's growth from @cwnd packets until the next round. */
void ndm_cubic_as_reno(struct ndm_cubic *c, u32 cwnd);

#endif
