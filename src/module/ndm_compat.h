/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels 5.10 and 7.3 that more than one file may meet; those
 * of RACK are in ndm_rack.c, that of v5's callbacks is in ndm_v5_ops.c. Kbuild
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

/* Set it, to at least one packet: newer kernels warn of none. */
static inline void ndm_set_cwnd(struct tcp_sock *tp, u32 packets)
{
	packets = min(max(packets, 1U), tp->snd_cwnd_clamp);
#ifdef NDM_HAVE_TCP_SND_CWND
	tcp_snd_cwnd_set(tp, packets);
#else
	tp->snd_cwnd = packets;
#endif
}

/* cong_control() got the ACK's number and flags with 6.10 and its backports. */
#ifdef NDM_HAVE_CONG_CONTROL_ACK
#define NDM_CONG_CONTROL(name)							\
	void name(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs)
#else
#define NDM_CONG_CONTROL(name)							\
	void name(struct sock *sk, const struct rate_sample *rs)
#endif

#endif
