/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which algorithm a connection has: by the name that was selected, and for "ndm" by the variant
 * that the parameter named when the connection began.
 */
#ifndef NDM_ALGORITHM_H
#define NDM_ALGORITHM_H

#include <net/tcp.h>

struct tcp_dctcp_info;

/*
 * A connection begins with @algorithm, enum ndm_algorithm. May be called in any state before data
 * flows (also in SYN_SENT and SYN_RECV), and twice before Linux 5.14. It allocates nothing; no RTT
 * is known yet.
 */
void ndm_begin(struct sock *sk, u32 algorithm);
void ndm_release(struct sock *sk);

/* For ss(8): all of @info but the first field. Any context. */
void ndm_info(const struct sock *sk, struct tcp_dctcp_info *info);

/* Callbacks of "ndm". */
void ndm_chosen_pkts_acked(struct sock *sk, const struct ack_sample *sample);
void ndm_chosen_cong_avoid(struct sock *sk, u32 ack, u32 acked);
u32 ndm_chosen_ssthresh(struct sock *sk);
void ndm_chosen_set_state(struct sock *sk, u8 new_state);
u32 ndm_chosen_undo_cwnd(struct sock *sk);
void ndm_chosen_cwnd_event(struct sock *sk, enum tcp_ca_event event);
u32 ndm_chosen_sndbuf_expand(struct sock *sk);

#endif
