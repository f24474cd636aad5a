// SPDX-License-Identifier: GPL-2.0
/*
 * Packets that overtake each other.
 *
 * RACK (RFC 8985) holds a packet for lost when one sent later has arrived and its own age exceeds
 * the RTT of that one plus a fraction of the minimum RTT. With jitter as large as the RTT that is
 * nearly every reordered packet. So RACK has to wait for the smoothed RTT and four mean
 * deviations, as in the RTO. This writes a field that belongs to the kernel, until its next RTT:
 * the parameter rack_assist disables it; it is left out where the kernel's headers lack the field.
 */
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "../params.h"
#include "v5.h"

#define NDM_REORDER_ROUNDS 16	/* for so many it counts */
#define NDM_REORDER_SHARE 32	/* of so many packets of a round one, and one more, prove it */

/* The smoothed RTT, which is kept times 8, and four mean deviations, us. */
static u32 ndm_rack_now_us(const struct tcp_sock *tp)
{
	return (tp->srtt_us >> 3) + tp->mdev_us;
}

/* RACK can be made to wait: it runs, with SACK and its bit in the sysctl tcp_recovery. */
static bool ndm_rack_available(const struct sock *sk)
{
#ifdef NDM_HAVE_RACK
	return READ_ONCE(ndm_tuning.rack_assist) && tcp_is_sack(tcp_sk(sk)) &&
	       READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_recovery) & TCP_RACK_LOSS_DETECTION;
#else
	return false;
#endif
}

/*
 * Reordering must recur to count. tp->reordering shows that a packet was once out of order by
 * more than the kernel expects; a receiver that acknowledges a packet in pieces raises
 * tp->reord_seen with each piece. Where RACK cannot be made to wait, nothing is done about it.
 */
void ndm_reorder_round(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 seen = (u16)(tp->reord_seen - v->reorder.seen);

	/* What waited for too little is sent again and gives no RTT: estimates fall too soon. */
	v->reorder.wait_us = max(v->reorder.wait_us - (v->reorder.wait_us >> 5),
				 ndm_rack_now_us(tp));
	if (!ndm_rack_available(sk)) {
		v->reorder.rounds = 0;
	} else if (seen > 1 + now->delivered / NDM_REORDER_SHARE &&
		   tp->reordering > READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_reordering)) {
		v->reorder.rounds = NDM_REORDER_ROUNDS;
		/* Some losses are spurious: they answer no question. */
		ndm_question_ask(&v->question, NDM_ASKING_NOT);
	} else {
		v->reorder.rounds -= !!v->reorder.rounds;
	}
}

void ndm_reorder_fill(struct sock *sk, const struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (v->reorder.rounds && v->noise && ndm_ca_state(sk) == TCP_CA_Recovery &&
	    tcp_packets_in_flight(tp) < tp->snd_ssthresh &&
	    /* What it was allowed before has been sent, so that nothing adds up to a burst. */
	    tp->prr_out && tp->prr_out >= tp->prr_delivered)
		ndm_set_prr_out(tp, tp->prr_out - 1);
}

/* For each ACK: RACK holds a packet for lost after srtt + 4 mdev, or what earlier rounds needed. */
void ndm_reorder_wait(struct sock *sk, struct ndm_v5 *v)
{
#ifdef NDM_HAVE_RACK
	struct tcp_sock *tp = tcp_sk(sk);
	u32 rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto), more_us;
	u32 wait_us = min(max(v->reorder.wait_us, ndm_rack_now_us(tp)), rto_us);

	/*
	 * Amid reordering, or where the latest packet took less than half of the smoothed RTT, and
	 * so proves nothing about those before; and by more than an eighth of that.
	 */
	if (!ndm_rack_available(sk) || wait_us <= (tp->srtt_us >> 3) + (tp->srtt_us >> 6) ||
	    (!v->reorder.rounds && tp->rack.rtt_us >= tp->srtt_us >> 4))
		return;
	/*
	 * In a recovery longer: it repairs what was lost before it, the next one the rest. With
	 * timestamps the receiver drops what a retransmission overtakes (RFC 7323, PAWS).
	 */
	if (v->reorder.rounds && ndm_ca_state(sk) == TCP_CA_Recovery) {
		more_us = ndm_has_timestamps(tp) ? wait_us : wait_us / 4;
		wait_us = max(wait_us, min(wait_us + more_us, rto_us - rto_us / 4));
	}
	/* RACK adds its own wait; rack.rtt_us is of earlier where the ACK has no new packet. */
	wait_us = min(max(wait_us, tp->rack.rtt_us), rto_us);
	tp->rack.rtt_us = wait_us - min3((tcp_min_rtt(tp) >> 2) * tp->rack.reo_wnd_steps,
					 tp->srtt_us >> 3, wait_us);
#endif
}
