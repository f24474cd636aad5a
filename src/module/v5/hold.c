// SPDX-License-Identifier: GPL-2.0
/* Holds back a recovery that is probably spurious; see hold.h. */
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "cubic.h"
#include "hold.h"
#include "judge.h"
#include "rack.h"
#include "rounds.h"

/*
 * With timestamps, nothing is sent before a repair for so many mean differences of
 * successive RTTs. With delays of +-J each way the difference is about J, so that nearly
 * all packets sent before have arrived by then. On 5G three times it cost 4 % of the rate.
 */
#define NDM_HOLD_QUIET 2U

/* With so few packets in flight or fewer, no ACK may arrive to end a hold before the RTO. */
#define NDM_HOLD_FLIGHT_PKTS 3

/* The time of its end has 15 bits, half of them for the past. */
#define NDM_HOLD_TICKS 32767U
#define NDM_HOLD_MOST_US ((NDM_HOLD_TICKS / 2 - 1) << NDM_TICK_SHIFT)

u32 ndm_hold_wait_us(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 wait_us = max((u32)v->hold.wait << NDM_V5_WAIT_SHIFT, ndm_rack_wait_us(sk));

	return min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
}

u32 ndm_hold_next_us(const struct sock *sk, u32 wait_us)
{
	u32 rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto);
	u32 more_us = ndm_has_timestamps(tcp_sk(sk)) ? wait_us : wait_us / 4;

	return max(wait_us, min(wait_us + more_us, rto_us - rto_us / 4));
}

/* For a while RACK must wait at least @wait_us, but no longer than the RTO. */
static void ndm_hold_learn(const struct sock *sk, struct ndm_v5 *v, u32 wait_us)
{
	wait_us = min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
	v->hold.wait = max_t(u32, v->hold.wait, min((wait_us >> NDM_V5_WAIT_SHIFT) + 1, 65535U));
}

void ndm_hold_round(const struct sock *sk, struct ndm_v5 *v)
{
	v->hold.wait -= (v->hold.wait + 31) >> 5;
	ndm_hold_learn(sk, v, ndm_rack_wait_us(sk));
}

void ndm_hold_undone(const struct sock *sk, struct ndm_v5 *v)
{
	u32 more_us = ndm_hold_wait_us(sk, v) + (tcp_sk(sk)->srtt_us >> 5);

	ndm_hold_learn(sk, v, min(more_us, 2 * ndm_rack_wait_us(sk)));
}

void ndm_hold_begin(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 srtt_us = tp->srtt_us >> 3, wait_us = ndm_hold_wait_us(sk, v);
	u32 waited_us = ndm_rack_limit_us(sk), hold_us = 0;
	u32 rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto);
	bool quiet = false;

	if (waited_us < wait_us) {
		hold_us = wait_us - waited_us;
	} else if (v->reordering.rounds && ndm_has_timestamps(tp) && waited_us < rto_us) {
		hold_us = min(NDM_HOLD_QUIET * v->rounds.jitter_us, rto_us - waited_us);
		quiet = true;
	}
	if (!tp->prior_ssthresh || !hold_us ||
	    tcp_packets_in_flight(tp) <= NDM_HOLD_FLIGHT_PKTS ||
	    !ndm_rack_wanted(sk, v->reordering.rounds, wait_us))
		return;
	v->hold.on = true;
	hold_us = min3(hold_us, srtt_us, NDM_HOLD_MOST_US);
	v->hold.until_tick = (tp->tcp_mstamp + hold_us) >> NDM_TICK_SHIFT;
	/* Not again before rounds have had samples: else repairs in a row leave none. */
	if (quiet && !v->rounds.paused) {
		v->rounds.paused = NDM_ROUNDS_PAUSED;
		ndm_rounds_restart(&v->rounds);
	}
	tp->snd_ssthresh = 1;
	ndm_set_prr_out(tp, 1);
	ndm_set_cwnd(tp, min(ndm_cwnd(tp), tcp_packets_in_flight(tp)));
	/* RACK's timer may be set already: it must wait as well. */
	ndm_rack_wait(sk, v, wait_us);
}

void ndm_hold_end(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!v->hold.on)
		return;
	v->hold.on = false;
	tp->snd_ssthresh = v->noise ? max(tp->prior_cwnd, 2U) :
				      ndm_cubic_keep(tp->prior_cwnd);
	ndm_set_prr_out(tp, max(tp->prr_out, tp->prr_delivered));
}

void ndm_hold_watch(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 left = v->hold.until_tick - (u32)(tp->tcp_mstamp >> NDM_TICK_SHIFT);

	if (!tp->lost_out || !before(tp->snd_una, tp->high_seq) ||
	    !tp->prior_ssthresh || (left & NDM_HOLD_TICKS) - 1 >= NDM_HOLD_TICKS / 2)
		ndm_hold_end(sk, v);
}
