// SPDX-License-Identifier: GPL-2.0
/* Loss detection that waits for overtaken packets; see ndm_rack.h. */
#include "ndm_params.h"
#include "ndm_rack.h"

#define NDM_RACK_PROOF 1	/* reordering events that prove reordering */

/* Steps of a quarter of the smallest RTT; RACK itself keeps below one RTT. */
#define NDM_RACK_STEPS 255
/* Recoveries for which it keeps its steps; the field has five bits. */
#define NDM_RACK_PERSIST 16

u32 ndm_rack_bound(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	/* The kernel keeps srtt_us times 8 and mdev_us times 4. */
	return min((tp->srtt_us >> 3) + tp->mdev_us,
		   jiffies_to_usecs(inet_csk(sk)->icsk_rto));
}

#ifdef NDM_HAVE_RACK

bool ndm_rack_wanted(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return READ_ONCE(ndm_tuning.rack_assist) &&
	       tp->reord_seen >= NDM_RACK_PROOF &&
	       tp->mdev_us > tp->srtt_us >> 6;
}

void ndm_rack_wait(struct sock *sk, u32 bound)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (tp->rack.rtt_us < bound)
		tp->rack.rtt_us = bound;
	tp->rack.reo_wnd_steps = NDM_RACK_STEPS;
	tp->rack.reo_wnd_persist = NDM_RACK_PERSIST;
	/*
	 * ACKs that were overtaken themselves reach RACK without passing here.
	 * For them its own window must be of use, which is 255 steps of a
	 * quarter of this.
	 */
	if (tp->rtt_min.s[0].v < tp->srtt_us >> 9)
		tp->rtt_min.s[0].v = tp->srtt_us >> 9;
}

u32 ndm_rack_hold(const struct sock *sk, u32 bound)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (!READ_ONCE(ndm_tuning.rack_assist) || tp->rack.rtt_us >= bound)
		return 0;
	if (!ndm_rack_wanted(sk) && tp->rack.rtt_us >= tp->srtt_us >> 4)
		return 0;
	return bound - tp->rack.rtt_us;
}

#else

bool ndm_rack_wanted(const struct sock *sk)
{
	return false;
}

void ndm_rack_wait(struct sock *sk, u32 bound)
{
}

u32 ndm_rack_hold(const struct sock *sk, u32 bound)
{
	return 0;
}

#endif
