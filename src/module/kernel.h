/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Differences between kernels 5.10 and 7.3; those of RACK are in v5/rack.c.
 * Kbuild probes the headers of the target and defines NDM_HAVE_*, because
 * version numbers say little about distribution kernels, which backport.
 */
#ifndef NDM_KERNEL_H
#define NDM_KERNEL_H

#include <net/tcp.h>

/* For BPF each of these is another; they are in src/bpf/include/net/tcp.h. */
#ifndef NDM_BPF

#define ndm_bits(from, field) ((from)->field)	/* a bit-field */

static inline void ndm_set_prr_out(struct tcp_sock *tp, u32 packets)
{
	tp->prr_out = packets;
}

static inline void ndm_set_prior_cwnd(struct tcp_sock *tp, u32 packets)
{
	tp->prior_cwnd = packets;
}

/* What a packet takes up beside its data and headers, bytes. */
static inline u32 ndm_skb_info_bytes(void)
{
	return SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
}

#endif

static inline u8 ndm_ca_state(const struct sock *sk)
{
	return ndm_bits(inet_csk(sk), icsk_ca_state);
}

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

/*
 * Called when the state becomes Loss: true when an RTO is the cause. A smaller
 * path MTU sets the same state, to retransmit what was too large, but clears
 * both of the fields that an RTO sets.
 */
static inline bool ndm_is_timeout(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u8 state = ndm_ca_state(sk);

	return state == TCP_CA_CWR || state == TCP_CA_Loss || tp->undo_marker ||
	       tp->prior_ssthresh;
}

#endif
