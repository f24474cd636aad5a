// SPDX-License-Identifier: GPL-2.0
/* Holds back a recovery that is probably spurious; see ndm_hold.h. */
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_hold.h"
#include "ndm_judge.h"
#include "ndm_rack.h"
#include "ndm_trial.h"

/*
 * With timestamps, nothing is sent before a repair for so many mean differences of
 * successive RTTs. With delays of +-J each way the difference is about J, so that nearly
 * all packets sent before have arrived by then. On 5G three times it cost 4 % of the rate.
 */
#define NDM_HOLD_QUIET 2U

u32 ndm_hold_wait_us(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 wait_us = max((u32)v->wait << NDM_V5_UNIT_SHIFT, ndm_rack_wait_us(sk));

	return min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
}

u32 ndm_hold_next_us(const struct sock *sk, u32 wait_us)
{
	u32 rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto);
	u32 more_us = tcp_sk(sk)->rx_opt.tstamp_ok ? wait_us : wait_us / 4;

	return max(wait_us, min(wait_us + more_us, rto_us - rto_us / 4));
}

void ndm_hold_learn(const struct sock *sk, struct ndm_v5 *v, u32 wait_us)
{
	wait_us = min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
	v->wait = max_t(u32, v->wait, min((wait_us >> NDM_V5_UNIT_SHIFT) + 1, 65535U));
}

void ndm_hold_begin(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 srtt_us = tp->srtt_us >> 3, wait_us = ndm_hold_wait_us(sk, v);
	u32 waited_us = ndm_rack_waited_us(sk), hold_us = 0;
	u32 rto_us = jiffies_to_usecs(inet_csk(sk)->icsk_rto);
	bool quiet = false;

	if (waited_us < wait_us) {
		hold_us = wait_us - waited_us;
	} else if (v->reordered && tp->rx_opt.tstamp_ok && waited_us < rto_us) {
		hold_us = min(NDM_HOLD_QUIET * v->rounds.jitter_us, rto_us - waited_us);
		quiet = true;
	}
	/* With few packets in flight, no ACK may arrive to end the hold before the RTO. */
	if (!tp->prior_ssthresh || !hold_us ||
	    tcp_packets_in_flight(tp) <= NDM_JUDGE_BEHIND ||
	    !ndm_rack_wanted(sk, v->reordered, wait_us))
		return;
	v->holding = true;
	v->hold_until_tick = (tp->tcp_mstamp + min(hold_us, srtt_us)) >> NDM_TICK_SHIFT;
	/* Not again before rounds have had samples: else repairs in a row leave none. */
	if (quiet && !v->rounds.paused) {
		v->rounds.paused = NDM_ROUNDS_PAUSED;
		ndm_rounds_restart(&v->rounds);
	}
	tp->snd_ssthresh = 1;
	tp->prr_out = 1;
	ndm_set_cwnd(tp, min(ndm_cwnd(tp), tcp_packets_in_flight(tp)));
	/* RACK's timer may be set already: it must wait as well. */
	ndm_rack_wait(sk, wait_us);
	v->assisted = true;
}

void ndm_hold_end(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!v->holding)
		return;
	v->holding = false;
	ndm_trial_restart(v);	/* its counts were where @hold_until_tick is */
	tp->snd_ssthresh = v->noise ? max(tp->prior_cwnd, 2U) :
				      ndm_cubic_keep(tp->prior_cwnd);
	tp->prr_out = max(tp->prr_out, tp->prr_delivered);
}

void ndm_hold_watch(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u16 now_tick = tp->tcp_mstamp >> NDM_TICK_SHIFT;

	if (!tp->lost_out || !before(tp->snd_una, tp->high_seq) ||
	    !tp->prior_ssthresh || (s16)(now_tick - v->hold_until_tick) >= 0)
		ndm_hold_end(sk, v);
}
