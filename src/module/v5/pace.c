// SPDX-License-Identifier: GPL-2.0
/* Pacing amid noise; see pace.h. */
#include "pace.h"

void ndm_pace(struct sock *sk, bool wanted)
{
	/* fq writes the same field without the lock of the socket. */
	if (wanted)
		cmpxchg(&sk->sk_pacing_status, SK_PACING_NONE, SK_PACING_NEEDED);
	else if (READ_ONCE(sk->sk_max_pacing_rate) == ~0UL)
		cmpxchg(&sk->sk_pacing_status, SK_PACING_NEEDED, SK_PACING_NONE);
}
