/* SPDX-License-Identifier: GPL-2.0 */
/* The functions of src/module/fields.h as src/bpf has them: BPF may not write prr_out and prior_cwnd. */
#ifndef NDM_TEST_BPF_H
#define NDM_TEST_BPF_H

#include <net/tcp.h>

static inline u8 ndm_ca_state(const struct sock *sk)
{
	return inet_csk(sk)->icsk_ca_state;
}

static inline bool ndm_has_timestamps(const struct tcp_sock *tp)
{
	return tp->rx_opt.tstamp_ok;
}

static inline bool ndm_tlp_retransmits(const struct tcp_sock *tp)
{
	return tp->tlp_retrans;
}

static inline void ndm_set_prr_out(struct tcp_sock *tp, u32 packets) { }

static inline void ndm_set_prior_cwnd(struct tcp_sock *tp, u32 packets) { }

static inline u32 ndm_skb_info_bytes(void)
{
	return SKB_DATA_ALIGN(sizeof(struct skb_shared_info));
}

#endif
