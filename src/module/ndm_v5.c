// SPDX-License-Identifier: GPL-2.0
/*
 * Variant v5: longer loss detection with reordering, a verdict on each loss, and
 * CUBIC for all else. From top to bottom: the estimates of each round, the changes
 * of cwnd, the callbacks.
 *
 *   each ACK:    an RTT sample; with reordering, RACK waits
 *   each round:  mean, jitter, base and entropy of RTTs, share of losses,
 *                delivery rate; CUBIC's growth for the next round
 *   loss event:  ndm_judge(); noise keeps cwnd, any other verdict leaves 0.7
 *   recovery:    the kernel's, towards the ssthresh of the verdict
 *
 * src/README.md has the reasons, the constants, the deviations from standards,
 * and what was tried and rejected.
 */
#include <linux/inet_diag.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_events.h"
#include "ndm_growth.h"
#include "ndm_hold.h"
#include "ndm_judge.h"
#include "ndm_rack.h"
#include "ndm_start.h"
#include "ndm_stats.h"
#include "ndm_trial.h"
#include "ndm_v5.h"
#include "ndm_yield.h"

/* Reordering counts for so many rounds; a long round counts as several. */
#define NDM_V5_REORDERED_ROUNDS 16
#define NDM_V5_REORDERED_SHIFT 18	/* one more per 2^18 us, 0.26 s */
/* Reordered packets in a round that prove reordering: one in 32, at least two. */
#define NDM_V5_REORDERED_SHARE 32
#define NDM_V5_REORDERED_LEAST 2

static void ndm_v5_count(const struct sock *sk, enum ndm_counter counter)
{
	ndm_count(sock_net(sk), counter, 1);
}

/* Forget the path: for a new connection, or one that paused. */
static void ndm_v5_forget(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	/* The cut may still be undone. */
	bool returns = v->rounds.yield == NDM_YIELD_RETURN && v->cut_from_pkts;

	memset(&v->rounds, 0, sizeof(v->rounds));
	v->rounds.yield = returns ? NDM_YIELD_RETURN : NDM_YIELD_NO;
	ndm_trial_forget(v);	/* leaves a mark in losses */
	ndm_losses_forget(&v->losses, tp->delivered);
	ndm_cubic_restart(&v->cubic);
	v->reordered = 0;
	v->wait = 0;
	v->rate = 0;
	v->stalls = 0;
	v->queue = false;
	v->searched = false;
}

/*
 * A round lasts at least 7/8 of the smoothed RTT and begins with an ACK. So one
 * reordered packet does not end it, and in slow start it begins with the first of
 * a train of ACKs.
 */
static bool ndm_v5_round_over(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return !ndm_yield_holds(v) && (u32)tp->tcp_mstamp - v->round_start_us >=
	       (tp->srtt_us >> 3) - (tp->srtt_us >> 6);
}

static void ndm_v5_begin_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	v->round_start_pkts = tp->delivered;
	v->round_start_us = (u32)tp->tcp_mstamp;
	/* Losses that a hold may still undo count after the hold. */
	if (!v->holding)
		v->lost_before = tp->lost;
	v->reord_seen = tp->reord_seen;
	v->limited = false;
	if (v->rounds.paused && !v->holding)
		v->rounds.paused--;
	ndm_start_round(v);
}

void ndm_v5_init(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);
	struct ndm_id id = v->id;

	memset(v, 0, sizeof(*v));
	v->id = id;
	v->sampled_us = (u32)tcp_sk(sk)->tcp_mstamp;
	ndm_v5_forget(sk, v);
	ndm_v5_begin_round(sk, v);
}

/* Samples and rounds -------------------------------------------------------------------- */

/*
 * Reordering must recur to count. tp->reordering shows that a packet was once out
 * of order by more than the kernel expects. tp->reord_seen alone does not suffice: a
 * receiver that acknowledges a packet in pieces raises it with each piece.
 */
static void ndm_v5_watch_reordering(struct sock *sk, struct ndm_v5 *v,
				    u32 delivered, u32 elapsed_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 seen = (u8)(tp->reord_seen - v->reord_seen);
	u32 rounds = 1 + (elapsed_us >> NDM_V5_REORDERED_SHIFT);

	if (seen >= NDM_V5_REORDERED_LEAST &&
	    seen >= min(delivered / NDM_V5_REORDERED_SHARE, 128U) &&
	    tp->reordering > READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_reordering))
		v->reordered = NDM_V5_REORDERED_ROUNDS;
	else
		v->reordered -= min_t(u32, v->reordered, rounds);
}

/* Changes of cwnd ---------------------------------------------------------------- */

static void ndm_v5_set_verdict(struct sock *sk, struct ndm_v5 *v,
			       enum ndm_verdict verdict)
{
	v->verdict = verdict;
	v->noise = verdict == NDM_NOISE;
	v->doubts = 0;
	ndm_v5_count(sk, NDM_LOSSES + verdict);
}

/* The cut stands: it can no longer be undone. */
static void ndm_v5_confirm_cut(struct ndm_v5 *v)
{
	if (!v->cut_from_pkts)
		return;
	ndm_cubic_cut(&v->cubic, v->cut_from_pkts);
	v->cut_from_pkts = 0;
	v->settling = false;
	v->rate = 0;
	v->stalls = 0;
}

/* ssthresh after a cut from @cwnd packets. */
static u32 ndm_v5_cut(struct sock *sk, struct ndm_v5 *v, u32 cwnd)
{
	v->cut_from_pkts = cwnd;
	v->settling = false;
	ndm_trial_stop(v, cwnd, false);
	/* Until the cut is confirmed, the least growth of CUBIC: Reno's. */
	v->cubic.acked_pkts = 0;
	ndm_cubic_as_reno(&v->cubic, ndm_cubic_keep(cwnd));
	ndm_v5_count(sk, NDM_REDUCTIONS);
	return ndm_cubic_keep(cwnd);
}

u32 ndm_v5_ssthresh(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	bool slow_start = tcp_in_slow_start(tp) && v->rounds.yield == NDM_YIELD_NO;
	u32 cwnd = max(ndm_cwnd(tp), 2U), before = max(ndm_yield_lost(sk, v), 2U);
	enum ndm_verdict verdict = NDM_ECN;

	ndm_v5_confirm_cut(v);
	if (slow_start)
		ndm_v5_count(sk, NDM_SLOW_START_EXITS);
	/* tcp_enter_cwr() zeroes it: ECN-Echo, or a full queue of this host. */
	if (tp->prior_ssthresh) {
		ndm_losses_event(&v->losses, tp->delivered, before,
				 v->behind_late && !v->reordered);
		ndm_trial_loss(v);
		ndm_judge_behind(v, 0);
		verdict = ndm_judge(sk, v, before);
		/* A test of whose the queue is: there is one. */
		if (verdict == NDM_NOISE && before > cwnd)
			verdict = NDM_QUEUE;
	}
	ndm_v5_set_verdict(sk, v, verdict);
	if (v->noise)
		return cwnd;
	/*
	 * After a test, all that the cut leaves would be a burst. And what left before the
	 * test may still be in flight: the recovery reduces it as well.
	 */
	if (before > cwnd)
		tp->prior_cwnd = before;
	return min(cwnd, ndm_v5_cut(sk, v, before));
}

/* A recovery that kept cwnd turned out to be congestion: cut cwnd now. */
static void ndm_v5_cut_after_all(struct sock *sk, struct ndm_v5 *v, u32 cwnd,
				 enum ndm_verdict verdict)
{
	/* A trial may have reduced it meanwhile: one loss event leaves 0.7 of what there was. */
	u32 before = max(cwnd, tcp_sk(sk)->prior_cwnd);

	ndm_v5_set_verdict(sk, v, verdict);
	tcp_sk(sk)->snd_ssthresh = min(cwnd, ndm_v5_cut(sk, v, before));
}

void ndm_v5_raise_kept(struct tcp_sock *tp, u32 ssthresh)
{
	tp->snd_ssthresh = ssthresh;
	tp->prior_cwnd = max(tp->prior_cwnd, ssthresh);
}

void ndm_v5_fill(struct sock *sk, const struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if ((v->trial_pkts || v->reordered) && v->noise && !v->holding &&
	    inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery &&
	    tcp_packets_in_flight(tp) < tp->snd_ssthresh &&
	    /* What it was allowed before has been sent, so that nothing adds up to a burst. */
	    tp->prr_out && tp->prr_out >= tp->prr_delivered)
		tp->prr_out--;
}

/*
 * In a recovery that keeps cwnd, the kernel moves cwnd towards ssthresh, so the
 * growth of a round is added to ssthresh. Two rounds that indicate congestion cut it.
 */
static void ndm_v5_recover_noise(struct sock *sk, struct ndm_v5 *v, u32 delivered)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 ssthresh = tp->snd_ssthresh;
	enum ndm_verdict verdict = ndm_judge(sk, v, ssthresh);

	if (verdict == NDM_BOUND) {
		/* cwnd was below the bound at the loss: no growth now, but no cut either. */
		v->doubts = 0;
	} else if (verdict == NDM_NOISE) {
		v->doubts = 0;
		/* Packets that arrived before the loss have already increased cwnd. */
		delivered = min(delivered, tp->delivered - v->losses.event_at_pkts);
		if (v->limited)
			ssthresh += min(delivered, ssthresh) / v->cubic.acked_pkts;
		if (!v->reordered)
			ssthresh = min(ssthresh, max(tp->snd_ssthresh,
						     ndm_trial_bound(v)));
		ndm_v5_raise_kept(tp, min(ssthresh, tp->snd_cwnd_clamp));
	} else if (++v->doubts >= 2) {
		ndm_v5_cut_after_all(sk, v, ssthresh, verdict);
	}
}

/* cwnd; in a recovery that keeps it, cwnd as it will be afterwards. */
static u32 ndm_v5_cwnd(const struct tcp_sock *tp, const struct ndm_v5 *v)
{
	if (v->holding)
		return tp->prior_cwnd;
	return v->noise ? tp->snd_ssthresh : ndm_cwnd(tp);
}

static void ndm_v5_end_round(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;
	u32 delivered = tp->delivered - v->round_start_pkts;
	u8 state = inet_csk(sk)->icsk_ca_state;
	u32 cwnd = ndm_v5_cwnd(tp, v), lost = (u16)(tp->lost - v->lost_before);
	bool slow_start = tcp_in_slow_start(tp);

	ndm_v5_count(sk, NDM_UPDATES);
	if (!v->holding)
		ndm_losses_round(&v->losses, lost, delivered);
	ndm_v5_watch_reordering(sk, v, delivered, elapsed_us);
	if (!v->rounds.paused)
		ndm_growth_watch(v, cwnd, slow_start, delivered, elapsed_us);
	ndm_rounds_end(&v->rounds, tp->tcp_mstamp >> NDM_TICK_SHIFT);
	/* Amid reordering the smallest RTT is one that jitter made, far below the usual. */
	if (!v->reordered && ndm_losses_some(&v->losses))
		ndm_rounds_cap_base(&v->rounds, tcp_min_rtt(tp));
	ndm_count(sock_net(sk), NDM_ENTROPY +
		  ndm_min(ndm_rounds_entropy(&v->rounds) / 100, NDM_ENTROPY_BINS - 1), 1);
	v->queue = ndm_judge_queue(v, state == TCP_CA_Recovery) ||
		   ndm_judge_all_late(sk, v, delivered);
	/*
	 * Packets with a large RTT are retransmitted first and then give no sample,
	 * so the kernel's estimates fall after a wait that was too short: follow slowly.
	 */
	v->wait -= (v->wait + 31) >> 5;
	ndm_hold_learn(sk, v, ndm_rack_wait_us(sk));

	/* DSACK may undo a cut until about a round after recovery. */
	if (state <= TCP_CA_Disorder && v->cut_from_pkts) {
		if (v->settling)
			ndm_v5_confirm_cut(v);
		else
			v->settling = true;
	}
	ndm_growth_plan(sk, v, cwnd, delivered, elapsed_us);
	if (v->noise && !v->holding)
		ndm_v5_recover_noise(sk, v, delivered);
	else if (state <= TCP_CA_Disorder && !slow_start)
		ndm_growth_drain(sk, v);
	ndm_trial_round(sk, v, ndm_v5_cwnd(tp, v), lost, lost + delivered);
	ndm_yield_round(sk, v);
	ndm_v5_begin_round(sk, v);
}

void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 wait_us, rtt_us = 0;

	/* The ACK of the handshake arrives before init(). */
	if (!v->id.counted)
		return;
	if (ndm_judge_paused(sk, v))
		ndm_v5_forget(sk, v);
	/* The ACK of a single packet may have waited for the delayed-ACK timer. */
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1)) {
		rtt_us = sample->rtt_us;
		ndm_rounds_sample(&v->rounds, rtt_us);
		ndm_start_sample(sk, v, rtt_us);
		v->sampled_us = (u32)tp->tcp_mstamp;
		ndm_judge_behind(v, tp->sacked_out);
	}
	if (tcp_is_cwnd_limited(sk))
		v->limited = true;
	ndm_hold_watch(sk, v);
	/* ECN-Echo in a recovery that keeps cwnd: cut before this round can grow. */
	if (v->noise && !tp->prior_ssthresh)
		ndm_v5_cut_after_all(sk, v, tp->snd_ssthresh, NDM_ECN);
	ndm_v5_fill(sk, v);
	if (ndm_yield_ack(sk, v, rtt_us))
		ndm_v5_begin_round(sk, v);
	if (ndm_v5_round_over(sk, v))
		ndm_v5_end_round(sk, v);

	wait_us = ndm_hold_wait_us(sk, v);
	if (v->reordered && !v->holding && inet_csk(sk)->icsk_ca_state == TCP_CA_Recovery)
		wait_us = ndm_hold_next_us(sk, wait_us);
	if (ndm_rack_wanted(sk, v->reordered, wait_us)) {
		v->assisted = true;
		ndm_rack_wait(sk, wait_us);
	} else if (v->assisted) {
		v->assisted = false;
		ndm_rack_restore(sk);
	}
}

void ndm_v5_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);

	if (!acked || !tcp_is_cwnd_limited(sk) || ndm_yield_holds(v))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (inet_csk(sk)->icsk_ca_state != TCP_CA_Loss && tcp_in_slow_start(tp) &&
		    !ndm_yield_returns(sk, v) && ndm_start_over(sk, v))
			tp->snd_ssthresh = ndm_cwnd(tp);
		if (!tcp_in_slow_start(tp) && !ndm_yield_returns(sk, v))
			ndm_v5_count(sk, NDM_SLOW_START_EXITS);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, v->cubic.acked_pkts, acked);
}

void ndm_v5_set_state(struct sock *sk, u8 new_state)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	bool after_queue = v->verdict == NDM_QUEUE;

	switch (new_state) {
	case TCP_CA_Recovery:
		/*
		 * Send one packet. The kernel's rate reduction does so too, but is
		 * not called for a reordered ACK.
		 */
		ndm_set_cwnd(tcp_sk(sk), min(ndm_cwnd(tp), tcp_packets_in_flight(tp) + 1));
		if (v->rounds.yield == NDM_YIELD_NO)
			ndm_hold_begin(sk, v);
		break;
	case TCP_CA_Loss:
		ndm_yield_abort(v);
		ndm_hold_end(sk, v);
		if (!ndm_is_timeout(sk)) {
			/* A smaller path MTU: ssthresh stays, the verdict ends. */
			v->noise = false;
			break;
		}
		/* An RTO is never noise. */
		if (v->noise)
			ndm_v5_cut_after_all(sk, v, tp->snd_ssthresh, NDM_TIMEOUT);
		else
			ndm_v5_set_verdict(sk, v, NDM_TIMEOUT);
		ndm_yield_recovered(sk, v);
		ndm_trial_stop(v, 0, after_queue);
		break;
	case TCP_CA_Open:
	case TCP_CA_Disorder:
		ndm_hold_end(sk, v);
		v->noise = false;
		break;
	}
}

u32 ndm_v5_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 cwnd = ndm_cwnd(tp);

	if (!ndm_yield_undone(v))
		cwnd = max3(cwnd, tp->prior_cwnd, v->cut_from_pkts);
	if (v->noise)
		cwnd = max(cwnd, tp->snd_ssthresh);
	ndm_v5_count(sk, NDM_UNDOS);
	ndm_hold_end(sk, v);
	ndm_trial_restart(v);
	v->noise = false;
	v->cut_from_pkts = 0;
	v->lost_before = tp->lost;	/* none of them was lost */
	/* RACK's wait was too short: a quarter RTT more, as RFC 8985, 6.2 has. */
	if (inet_csk(sk)->icsk_ca_state != TCP_CA_Loss)
		ndm_hold_learn(sk, v, ndm_hold_wait_us(sk, v) + (tp->srtt_us >> 5));
	return cwnd;
}

void ndm_v5_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	u32 idle = tcp_jiffies32 - tcp_sk(sk)->lsndtime;

	if (event == CA_EVENT_COMPLETE_CWR)
		ndm_yield_recovered(sk, inet_csk_ca(sk));
	/*
	 * After an idle period the path may be different. CA_EVENT_TX_START also comes
	 * when the sysctl tcp_slow_start_after_idle is 0, but not from Linux 7.1 on.
	 * jiffies measure weeks; the low 32 bits of tcp_mstamp wrap after 71 minutes.
	 */
	if (event == CA_EVENT_CWND_RESTART ||
	    (event == CA_EVENT_TX_START && idle > usecs_to_jiffies(ndm_judge_memory_us(sk))))
		ndm_v5_forget(sk, inet_csk_ca(sk));
}

void ndm_v5_release(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);

	ndm_hold_end(sk, v);
	if (v->assisted)
		ndm_rack_restore(sk);
	v->assisted = false;
}

/*
 * In cwnd. The kernel's default, two, is for one in flight and one behind lost packets; with
 * reordering one more, for held-back data. For each packet the kernel counts the peer's MSS
 * and headers, rounded up to a power of two, not what the packet takes up. For an MSS of 1460
 * on 64 bits two are more than three where wireless LANs and tunnels are configured, as in
 * most kernels, and less than two elsewhere, as in Debian's cloud kernel; for one of 1220 they
 * are less than two everywhere. There v5, which keeps cwnd amid noise, would wait for room.
 */
u32 ndm_v5_sndbuf_expand(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct ndm_v5 *v = inet_csk_ca(sk);
	u32 bytes = max_t(u32, tp->rx_opt.mss_clamp, tp->mss_cache) + MAX_TCP_HEADER +
		    SKB_DATA_ALIGN(sizeof(struct skb_shared_info));

	return v->reordered || roundup_pow_of_two(bytes) < bytes + bytes / 2 ? 3 : 2;
}

void ndm_v5_info(const struct sock *sk, struct tcp_dctcp_info *info)
{
	const struct ndm_v5 *v = inet_csk_ca(sk);

	info->dctcp_ce_state = v->verdict;
	info->dctcp_alpha = ndm_rounds_entropy(&v->rounds);
	info->dctcp_ab_ecn = NDM_SCALE / ndm_max(READ_ONCE(v->cubic.acked_pkts), 1);
	info->dctcp_ab_tot = v->losses.share * NDM_SCALE >> NDM_LOSS_SHARE_SHIFT;
}
