// SPDX-License-Identifier: GPL-2.0
/* Pacing amid noise; see pace.h. */
#include "pace.h"

void ndm_pace(struct sock *sk, bool wanted)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 status;

	/* fq writes the same field without the lock of the socket. */
	if (wanted) {
		cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
		return;
	}
	if (READ_ONCE(sk->sk_max_pacing_rate) != ~0UL)
		return;
	status = cmpxchg(&sk->sk_pacing_status, SK_PACING_NEEDED, SK_PACING_NONE);
	/*
	 * The kernel stamps a packet with the time at which pacing would send it. Without pacing
	 * it leaves now, and a time in the future would make its RTT too small.
	 */
	if (status == SK_PACING_NEEDED)
		tp->tcp_wstamp_ns = min(tp->tcp_wstamp_ns, tp->tcp_clock_cache);
}
