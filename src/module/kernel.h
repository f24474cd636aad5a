/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels 5.10 and 7.3; those of RACK are in v5/reorder.c.
 * Kbuild probes the headers of the target and defines NDM_HAVE_*, because
 * version numbers say little about distribution kernels, which backport.
 */
#ifndef NDM_KERNEL_H
#define NDM_KERNEL_H

#include <net/tcp.h>

/* cwnd in packets. tcp_snd_cwnd() came with 5.19 and its backports. */
static inline u32 ndm_cwnd(const struct tcp_sock *tp)
{
#ifdef NDM_HAVE_TCP_SND_CWND
	return tcp_snd_cwnd(tp);
#else
	return tp->snd_cwnd;
#endif
}

/* Set cwnd to at least one packet: newer kernels warn about 0. */
static inline void ndm_set_cwnd(struct tcp_sock *tp, u32 packets)
{
	packets = min(max(packets, 1U), tp->snd_cwnd_clamp);
#ifdef NDM_HAVE_TCP_SND_CWND
	tcp_snd_cwnd_set(tp, packets);
#else
	tp->snd_cwnd = packets;
#endif
}

#endif
