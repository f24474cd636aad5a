/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks of variants v1 and v4. */
#ifndef NDM_FLOW_CALLBACKS_H
#define NDM_FLOW_CALLBACKS_H

#include <net/tcp.h>

/* Callbacks of struct tcp_congestion_ops, for "ndm_v1", "ndm_v4" and "ndm". */
void ndm_flow_init(struct sock *sk);
void ndm_flow_release(struct sock *sk);
void ndm_flow_pkts_acked(struct sock *sk, const struct ack_sample *sample);
void ndm_flow_cong_avoid(struct sock *sk, u32 ack, u32 acked);
u32 ndm_flow_ssthresh(struct sock *sk);
void ndm_flow_set_state(struct sock *sk, u8 new_state);
u32 ndm_flow_undo_cwnd(struct sock *sk);
void ndm_flow_cwnd_event(struct sock *sk, enum tcp_ca_event event);
void ndm_flow_info(const struct sock *sk, struct tcp_dctcp_info *info);

#endif
