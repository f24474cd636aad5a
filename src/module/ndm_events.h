/* SPDX-License-Identifier: GPL-2.0 */
/* Different events that the kernel reports in the same way. */
#ifndef NDM_EVENTS_H
#define NDM_EVENTS_H

#include <net/tcp.h>

/*
 * Called when the state becomes Loss: true when an RTO is the cause. A smaller
 * path MTU sets the same state, to retransmit what was too large, but clears
 * both of the fields that an RTO sets.
 */
static inline bool ndm_is_timeout(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u8 state = inet_csk(sk)->icsk_ca_state;

	return state == TCP_CA_CWR || state == TCP_CA_Loss || tp->undo_marker ||
	       tp->prior_ssthresh;
}

#endif
