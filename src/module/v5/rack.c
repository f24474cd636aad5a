// SPDX-License-Identifier: GPL-2.0
/* Makes RACK wait for reordered packets; see rack.h. */
#include <net/tcp.h>

#include "../fields.h"
#include "../params.h"
#include "rack.h"

/* Steps of a quarter of the minimum RTT; RACK itself stays below one RTT. */
#define NDM_RACK_STEPS 255
/* Recoveries for which RACK keeps its steps; with 0 it resets them at once. */
#define NDM_RACK_PERSIST 1

u32 ndm_rack_wait_us(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	/* srtt_us is 8 times the smoothed RTT, mdev_us 4 times the deviation. */
	return (tp->srtt_us >> 3) + tp->mdev_us;
}

#ifdef NDM_HAVE_RACK

bool ndm_rack_available(const struct sock *sk)
{
	return READ_ONCE(ndm_tuning.rack_assist) && tcp_is_sack(tcp_sk(sk)) &&
	       READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_recovery) & TCP_RACK_LOSS_DETECTION;
}

bool ndm_rack_wanted(const struct sock *sk, bool reordering, u32 wait_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return ndm_rack_available(sk) &&
	       (reordering || tp->rack.rtt_us < tp->srtt_us >> 4) &&
	       wait_us > (tp->srtt_us >> 3) + (tp->srtt_us >> 6);
}

u32 ndm_rack_limit_us(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tp->rack.rtt_us + (tp->srtt_us >> 3);
}

void ndm_rack_wait(struct sock *sk, struct ndm_v5 *v, u32 wait_us)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 added_us;

	/*
	 * Reordered ACKs reach RACK without a call of this function. For them
	 * RACK's own wait must be long enough: 255 steps of a quarter of the
	 * minimum RTT, at most the smoothed RTT.
	 */
	v->assisted = true;
	tp->rack.reo_wnd_steps = NDM_RACK_STEPS;
	/* More than that was learned from DSACKs, and stays. */
	tp->rack.reo_wnd_persist = max_t(u8, tp->rack.reo_wnd_persist, NDM_RACK_PERSIST);
	/*
	 * RACK adds its own wait to rack.rtt_us; the sum must be @wait_us. It adds
	 * nothing in recovery before it has seen any reordering.
	 */
	added_us = min((tcp_min_rtt(tp) >> 2) * NDM_RACK_STEPS, tp->srtt_us >> 3);
	if (!tp->reord_seen &&
	    (ndm_ca_state(sk) >= TCP_CA_Recovery ||
	     tp->sacked_out >= tp->reordering))
		added_us = 0;
	/*
	 * Never above the present RTO: @wait_us may be older. So is rack.rtt_us, which
	 * this function set earlier, when the ACK has no new packet for RACK.
	 */
	wait_us = min(max(wait_us, tp->rack.rtt_us),
		      jiffies_to_usecs(inet_csk(sk)->icsk_rto));
	tp->rack.rtt_us = wait_us > added_us ? wait_us - added_us : 0;
}

void ndm_rack_restore(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto);
	u32 step_us = min3(tcp_min_rtt(tp) >> 2, tp->srtt_us >> 3, rto_us);

	if (!v->assisted)
		return;
	v->assisted = false;
	/* A DSACK adds a step, for 16 recoveries. How many there were is not known any more. */
	if (tp->rack.reo_wnd_persist > NDM_RACK_PERSIST) {
		tp->rack.reo_wnd_steps = 2;
	} else {
		tp->rack.reo_wnd_steps = 1;
		tp->rack.reo_wnd_persist = 0;
	}
	/* Until the next RTT sample: at most the RTO, RACK's own wait included. */
	tp->rack.rtt_us = min(tp->rack.rtt_us, rto_us - step_us);
}

#else

bool ndm_rack_available(const struct sock *sk)
{
	return false;
}

bool ndm_rack_wanted(const struct sock *sk, bool reordering, u32 wait_us)
{
	return false;
}

u32 ndm_rack_limit_us(const struct sock *sk)
{
	return 0;
}

void ndm_rack_wait(struct sock *sk, struct ndm_v5 *v, u32 wait_us)
{
}

void ndm_rack_restore(struct sock *sk, struct ndm_v5 *v)
{
}

#endif
