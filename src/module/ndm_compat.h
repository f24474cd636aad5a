/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every difference between kernels 5.10 and 7.3 that this module meets. Kbuild
 * probes the target's own headers and defines NDM_HAVE_*: version numbers say
 * little about distribution kernels, which backport.
 */
#ifndef NDM_COMPAT_H
#define NDM_COMPAT_H

#include <net/tcp.h>

/* Congestion window, packets. tcp_snd_cwnd() came with 5.19 and its backports. */
static inline u32 ndm_cwnd(const struct tcp_sock *tp)
{
#ifdef NDM_HAVE_TCP_SND_CWND
	return tcp_snd_cwnd(tp);
#else
	return tp->snd_cwnd;
#endif
}

#endif
