// SPDX-License-Identifier: GPL-2.0
/* Pacing amid noise; see pace.h. */
#include "../fields.h"
#include "pace.h"

void ndm_pace(struct sock *sk, bool wanted)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 from = wanted ? SK_PACING_NONE : SK_PACING_NEEDED;

	if (READ_ONCE(sk->sk_pacing_status) != from)
		return;
	if (!wanted && (READ_ONCE(sk->sk_max_pacing_rate) != ~0UL ||
			tp->tcp_wstamp_ns > tp->tcp_clock_cache))
		return;
	/* fq writes the same field without the lock of the socket. */
	cmpxchg(&sk->sk_pacing_status, from, wanted ? SK_PACING_NEEDED : SK_PACING_NONE);
}

void ndm_pace_release(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);

	/* fq sends by this time, and so does the kernel at the application's rate. */
	if (READ_ONCE(sk->sk_pacing_status) == SK_PACING_NEEDED &&
	    READ_ONCE(sk->sk_max_pacing_rate) == ~0UL)
		ndm_set_wstamp(tp, min(tp->tcp_wstamp_ns, tp->tcp_clock_cache));
	ndm_pace(sk, false);
}
