/* SPDX-License-Identifier: GPL-2.0 */
/* Events that the kernel reports in the same way and that differ for us. */
#ifndef NDM_EVENTS_H
#define NDM_EVENTS_H

#include <net/tcp.h>

/*
 * Asked when the state becomes Loss: is it because of a timeout? A path MTU that
 * became smaller sets the same state to send again what was too large, and
 * clears both of the marks that a timeout leaves.
 */
static inline bool ndm_is_timeout(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u8 state = inet_csk(sk)->icsk_ca_state;

	return state == TCP_CA_CWR || state == TCP_CA_Loss || tp->undo_marker ||
	       tp->prior_ssthresh;
}

#endif
