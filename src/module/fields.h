/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of the socket that BPF reads or writes in another way: bit-fields, and those that it may
 * not write. Its own functions of these names are in src/bpf/include/net/tcp.h.
 */
#ifndef NDM_FIELDS_H
#define NDM_FIELDS_H

#include <net/tcp.h>

#ifndef NDM_BPF

static inline u8 ndm_ca_state(const struct sock *sk)
{
	return inet_csk(sk)->icsk_ca_state;
}

static inline bool ndm_has_timestamps(const struct tcp_sock *tp)
{
	return tp->rx_opt.tstamp_ok;
}

/*
 * The tail loss probe that is out is a retransmission, and the ACK at hand does not tell that the
 * original arrived as well.
 */
static inline bool ndm_tlp_repairs(const struct tcp_sock *tp)
{
#ifdef NDM_HAVE_RACK
	return tp->tlp_retrans && !tp->rack.dsack_seen;
#else
	return tp->tlp_retrans;
#endif
}

static inline void ndm_set_prr_out(struct tcp_sock *tp, u32 packets)
{
	tp->prr_out = packets;
}

static inline void ndm_set_prior_cwnd(struct tcp_sock *tp, u32 packets)
{
	tp->prior_cwnd = packets;
}

#endif

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
