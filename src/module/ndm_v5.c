// SPDX-License-Identifier: GPL-2.0
/*
 * Variant v5: jitter as a matter of loss detection, random loss as a matter of
 * judgement, congestion as CUBIC has it. From top to bottom: what is learnt with
 * each ACK and each round, the verdict on a loss, what becomes of cwnd.
 *
 *   each ACK:    an RTT sample; where packets overtake each other RACK waits
 *   each round:  mean, jitter, base and entropy of RTTs, share of losses,
 *                delivery rate; CUBIC's growth for the round to come
 *   on a loss:   ndm_v5_judge(); noise keeps cwnd, all else leaves 0.7 of it
 *   recovery:    the kernel's, toward the ssthresh that the verdict gave
 *
 * Reasons, constants, deviations from standards, and what was tried and failed
 * stand in src/README.md.
 */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_events.h"
#include "ndm_params.h"
#include "ndm_rack.h"
#include "ndm_start.h"
#include "ndm_stats.h"
#include "ndm_v5.h"

/* Reordering counts for so many rounds, a round of long RTTs for several. */
#define NDM_V5_REORDERED_ROUNDS 16
#define NDM_V5_REORDERED_SHIFT 18	/* of us: one round each 0.26 s */
/* Reordered packets of a round that prove reordering: one in 32, and two. */
#define NDM_V5_REORDERED_SHARE 32
#define NDM_V5_REORDERED_LEAST 2

/* Growth while searching: a fifth a round trip; a third up to where cwnd has been. */
#define NDM_V5_SEARCH_ACKED 5
#define NDM_V5_RETURN_ACKED 3
#define NDM_V5_RATE_CWND_CAP 65535U

#define NDM_V5_BEHIND 3			/* what shows a loss without reordering */
#define NDM_V5_LATE_US 250		/* less is timing of hosts */

static void ndm_v5_count(const struct sock *sk, enum ndm_counter counter)
{
	ndm_count(sock_net(sk), counter, 1);
}

/* What was learnt of the path is void: a new connection, or one back from a pause. */
static void ndm_v5_forget(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	memset(&v->rounds, 0, sizeof(v->rounds));
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
 * A round is 7/8 of the smoothed RTT or more and begins with an ACK: under jitter
 * one packet that overtook the others does not end it, and in slow start it
 * begins with the first of a train of ACKs.
 */
static bool ndm_v5_round_over(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return (u32)tp->tcp_mstamp - v->round_start_us >=
	       (tp->srtt_us >> 3) - (tp->srtt_us >> 6);
}

static void ndm_v5_begin_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	v->round_start_pkts = tp->delivered;
	v->round_start_us = (u32)tp->tcp_mstamp;
	/* What a hold may yet see undone counts when it is over. */
	if (!v->holding)
		v->lost_before = tp->lost;
	v->reord_seen = tp->reord_seen;
	v->limited = false;
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
 * The packets that arrive first after a lost one were sent just behind it. If one
 * of them is late it stood at the end of a full queue, however short.
 */
static void ndm_v5_watch_behind(struct ndm_v5 *v, u32 missing)
{
	const struct ndm_rounds *r = &v->rounds;

	if (!missing) {
		v->behind = 0;
		v->behind_late = false;
	} else if (v->behind < NDM_V5_BEHIND) {
		v->behind++;
		if (r->base_us && r->newest_us >
		    r->base_us + ndm_max(r->jitter_us >> 1,
					 ndm_min(r->base_us, NDM_V5_LATE_US)))
			v->behind_late = true;
	}
}

/*
 * Reordering counts while it goes on. The kernel's `reordering` tells that it
 * was ever by more packets than it expects; reord_seen alone also counts each
 * piece of a packet that a receiver acknowledges in pieces.
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

/* Packets per 2^20 us, by a division of 32 bits in which nothing overflows. */
static u32 ndm_v5_rate(u32 delivered, u32 elapsed_us)
{
	if (elapsed_us >> 14)
		return (min(delivered, (1U << 20) - 1) << 12) / (elapsed_us >> 8);
	return (min(delivered, (1U << 18) - 1) << 14) / max(elapsed_us, 1U) << 6;
}

/* More cwnd that brings no more rate only fills queues. */
static void ndm_v5_watch_rate(struct ndm_v5 *v, u32 cwnd, bool slow_start,
			      u32 delivered, u32 elapsed_us)
{
	u32 rate = ndm_v5_rate(delivered, elapsed_us);
	u32 part = slow_start ? 2 : 3, more = slow_start ? 2 : 4;

	cwnd = min(cwnd, NDM_V5_RATE_CWND_CAP);
	if (!v->limited)
		return;
	if (!v->rate || rate > v->rate + (v->rate >> more)) {
		v->stalls = 0;
	} else if (cwnd > v->rate_cwnd + (u32)(v->rate_cwnd >> part)) {
		/* Compare with this one from now on: the best may have been chance. */
		v->stalls = min(v->stalls + 1, NDM_V5_STALLS);
	} else {
		return;
	}
	v->rate = rate;
	v->rate_cwnd = cwnd;
}

/*
 * Where packets overtake each other losses have stopped growth that were none.
 * While the mean RTT stays and more cwnd still brings more rate, there is room:
 * as far as 16 bits of @rate_cwnd can tell.
 */
static bool ndm_v5_searching(const struct ndm_v5 *v)
{
	return v->reordered && v->rounds.base_us && !v->queue &&
	       v->stalls < NDM_V5_STALLS && v->rate_cwnd < NDM_V5_RATE_CWND_CAP / 4 * 3 &&
	       !ndm_losses_many(&v->losses);
}

/* The growth of the round to come, from @cwnd packets. */
static void ndm_v5_plan_growth(struct sock *sk, struct ndm_v5 *v, u32 cwnd,
			       u32 delivered, u32 elapsed_us)
{
	u64 now_us = tcp_sk(sk)->tcp_mstamp;
	u32 now_tick = now_us >> NDM_TICK_SHIFT;
	u32 ticks = now_tick - (u32)((now_us - elapsed_us) >> NDM_TICK_SHIFT);
	u32 usual = tcp_sk(sk)->srtt_us >> (3 + NDM_TICK_SHIFT), acked;

	/* Nor grows CUBIC while cwnd is below ssthresh: slow start, or after a cut. */
	if (v->cut_from_pkts || !v->limited ||
	    (!v->noise && tcp_in_slow_start(tcp_sk(sk)))) {
		ndm_cubic_pause(&v->cubic, ticks);
		return;
	}
	/* A pause of the sender is no time to grow, nor one to look ahead. */
	if (ticks > 2 * usual + 1) {
		ndm_cubic_pause(&v->cubic, ticks - usual);
		ticks = usual;
	}
	ndm_cubic_round(&v->cubic, now_tick, ticks, cwnd, delivered);
	if (v->queue && ndm_rounds_jittery(&v->rounds)) {
		ndm_cubic_as_reno(&v->cubic, cwnd);
	} else if (ndm_v5_searching(v)) {
		acked = cwnd < v->cubic.w_max_pkts ? NDM_V5_RETURN_ACKED : NDM_V5_SEARCH_ACKED;
		v->cubic.acked_pkts = min_t(u32, v->cubic.acked_pkts, acked << v->stalls);
		v->searched = true;
	}
}

/*
 * A search finds the queue a round late: back to where a queue could be seen,
 * by a quarter at most.
 */
static void ndm_v5_drain(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 base_us = v->rounds.base_us, share;

	if (!v->searched || !v->queue)
		return;
	v->searched = false;
	share = ((base_us + (base_us >> 2)) << 9) / v->rounds.mean_us;
	share = clamp(share, 384U, 512U);
	ndm_v5_count(sk, NDM_REDUCTIONS);
	ndm_set_cwnd(tp, (u64)ndm_cwnd(tp) * share >> 9);
	tp->snd_ssthresh = min(tp->snd_ssthresh, ndm_cwnd(tp));
}

/* The verdict ------------------------------------------------------------------ */

/* For so long, us, what was learnt of the path holds without a new RTT sample. */
static u32 ndm_v5_memory_us(const struct sock *sk)
{
	return (tcp_sk(sk)->srtt_us >> 2) + jiffies_to_usecs(inet_csk(sk)->icsk_rto);
}

/*
 * A sender that was silent for longer than its timeout knows the path no more, nor
 * does one that exchanges lone packets, of which none gives a sample.
 */
static bool ndm_v5_paused(const struct sock *sk, const struct ndm_v5 *v)
{
	return (u32)tcp_sk(sk)->tcp_mstamp - v->sampled_us > ndm_v5_memory_us(sk);
}

/*
 * Is a loss at @cwnd packets congestion, and what tells so? Noise is what is
 * left when nothing does.
 */
static enum ndm_verdict ndm_v5_judge(const struct sock *sk, const struct ndm_v5 *v,
				     u32 cwnd)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 lost_now = (u16)(tp->lost - v->lost_before);

	if (!v->rounds.base_us || !tcp_is_sack(tp) || ndm_v5_paused(sk, v))
		return NDM_NO_DATA;
	if (ndm_rounds_queue(&v->rounds, v->reordered || ndm_rounds_jittery(&v->rounds)))
		return NDM_QUEUE;
	if (ndm_losses_many(&v->losses) || lost_now > max(cwnd / 3, 3U))
		return NDM_LOSS_SHARE;
	/* Where packets overtake each other lateness and losses say less. */
	if (v->reordered)
		return NDM_NOISE;
	if (v->stalls >= NDM_V5_STALLS)
		return NDM_PLATEAU;
	if (ndm_losses_late(&v->losses))
		return NDM_LATE;
	if (cwnd > ndm_losses_bound(&v->losses, v->rounds.base_us))
		return NDM_BOUND;
	return NDM_NOISE;
}

static void ndm_v5_set_verdict(struct sock *sk, struct ndm_v5 *v,
			       enum ndm_verdict verdict)
{
	v->verdict = verdict;
	v->noise = verdict == NDM_NOISE;
	v->doubts = 0;
	ndm_v5_count(sk, NDM_LOSSES + verdict);
}

/* What becomes of cwnd ----------------------------------------------------------- */

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
	/* Until the cut is sure, the growth that CUBIC has at least. */
	v->cubic.acked_pkts = 0;
	ndm_cubic_as_reno(&v->cubic, ndm_cubic_keep(cwnd));
	ndm_v5_count(sk, NDM_REDUCTIONS);
	return ndm_cubic_keep(cwnd);
}

u32 ndm_v5_ssthresh(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 cwnd = ndm_cwnd(tp);

	ndm_v5_confirm_cut(v);
	if (tcp_in_slow_start(tp))
		ndm_v5_count(sk, NDM_SLOW_START_EXITS);
	/* tcp_enter_cwr() zeroes it: ECN-Echo, or a full queue of this host. */
	if (!tp->prior_ssthresh) {
		ndm_v5_set_verdict(sk, v, NDM_ECN);
		return ndm_v5_cut(sk, v, cwnd);
	}
	ndm_losses_event(&v->losses, tp->delivered, cwnd, v->behind_late && !v->reordered);
	v->behind = 0;
	v->behind_late = false;
	ndm_v5_set_verdict(sk, v, ndm_v5_judge(sk, v, cwnd));
	return v->noise ? max(cwnd, 2U) : ndm_v5_cut(sk, v, cwnd);
}

/* cwnd was kept and must not have been: cut it after all. */
static void ndm_v5_cut_after_all(struct sock *sk, struct ndm_v5 *v, u32 cwnd,
				 enum ndm_verdict verdict)
{
	ndm_v5_set_verdict(sk, v, verdict);
	tcp_sk(sk)->snd_ssthresh = ndm_v5_cut(sk, v, cwnd);
}

/*
 * Amid a recovery that keeps cwnd: ssthresh is what the kernel steers to, so the
 * growth of a round goes there. Two rounds that speak against noise end it.
 */
static void ndm_v5_recover_noise(struct sock *sk, struct ndm_v5 *v, u32 delivered)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 ssthresh = tp->snd_ssthresh;
	enum ndm_verdict verdict = ndm_v5_judge(sk, v, ssthresh);

	if (verdict == NDM_BOUND) {
		/* It was below at the loss; it may not grow, and need not fall. */
		v->doubts = 0;
	} else if (verdict == NDM_NOISE) {
		v->doubts = 0;
		/* What arrived before the loss has made cwnd grow already. */
		delivered = min(delivered, tp->delivered - v->losses.event_at_pkts);
		if (v->limited)
			ssthresh += min(delivered, ssthresh) / v->cubic.acked_pkts;
		if (!v->reordered)
			ssthresh = min(ssthresh, max(tp->snd_ssthresh,
						     ndm_losses_bound(&v->losses,
								      v->rounds.base_us)));
		tp->snd_ssthresh = min(ssthresh, tp->snd_cwnd_clamp);
	} else if (++v->doubts >= 2) {
		ndm_v5_cut_after_all(sk, v, ssthresh, verdict);
	}
}

/* cwnd as it will be when a recovery that keeps it is over. */
static u32 ndm_v5_cwnd(const struct tcp_sock *tp, const struct ndm_v5 *v)
{
	if (v->holding)
		return tp->prior_cwnd;
	return v->noise ? tp->snd_ssthresh : ndm_cwnd(tp);
}

/* How long a packet may be under way before it counts as lost, us: the RTO at most. */
static u32 ndm_v5_wait_us(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 wait_us = max((u32)v->wait << NDM_V5_UNIT_SHIFT, ndm_rack_wait_us(sk));

	return min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
}

/* RACK shall wait @wait_us at least for a while, or the RTO where that is less. */
static void ndm_v5_learn_wait(const struct sock *sk, struct ndm_v5 *v, u32 wait_us)
{
	wait_us = min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
	v->wait = max_t(u32, v->wait, min((wait_us >> NDM_V5_UNIT_SHIFT) + 1, 65535U));
}

/*
 * RACK also hears of ACKs that were overtaken themselves, and may then take half
 * of cwnd for lost because of one fast packet: ndm_rack_wait() does not see them.
 * Nothing is sent again until the packets had the time that they may take, one
 * smoothed RTT at most: the originals arrive, and the kernel finds nothing to
 * repair and undoes it all. ssthresh is what the kernel's rate reduction steers
 * to: with 1 it sends one packet at once, and prr_out says that this was done.
 */
static void ndm_v5_hold(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 srtt_us = tp->srtt_us >> 3, wait_us = ndm_v5_wait_us(sk, v);
	u32 waited_us = ndm_rack_waited_us(sk);

	/* With few in flight, no ACK may come to end it but the timeout. */
	if (!tp->prior_ssthresh || waited_us >= wait_us ||
	    tcp_packets_in_flight(tp) <= NDM_V5_BEHIND ||
	    !ndm_rack_wanted(sk, v->reordered, wait_us))
		return;
	v->holding = true;
	v->hold_until_tick = (tp->tcp_mstamp + min(wait_us - waited_us, srtt_us)) >>
			     NDM_TICK_SHIFT;
	tp->snd_ssthresh = 1;
	tp->prr_out = 1;
	ndm_set_cwnd(tp, min(ndm_cwnd(tp), tcp_packets_in_flight(tp)));
	/* RACK's timer, too, which may be set, shall wait. */
	ndm_rack_wait(sk, wait_us);
	v->assisted = true;
}

/* On with the recovery, at the ssthresh that the verdict gave, ACK by ACK. */
static void ndm_v5_end_hold(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!v->holding)
		return;
	v->holding = false;
	tp->snd_ssthresh = v->noise ? max(tp->prior_cwnd, 2U) :
				      ndm_cubic_keep(tp->prior_cwnd);
	tp->prr_out = max(tp->prr_out, tp->prr_delivered);
}

/* It also ends when nothing is missing any more, or the network says congestion. */
static void ndm_v5_watch_hold(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u16 now_tick = tp->tcp_mstamp >> NDM_TICK_SHIFT;

	if (!tp->lost_out || !before(tp->snd_una, tp->high_seq) ||
	    !tp->prior_ssthresh || (s16)(now_tick - v->hold_until_tick) >= 0)
		ndm_v5_end_hold(sk, v);
}

static void ndm_v5_end_round(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;
	u32 delivered = tp->delivered - v->round_start_pkts;
	u8 state = inet_csk(sk)->icsk_ca_state;
	u32 cwnd = ndm_v5_cwnd(tp, v);
	bool slow_start = tcp_in_slow_start(tp);

	ndm_v5_count(sk, NDM_UPDATES);
	if (!v->holding)
		ndm_losses_round(&v->losses, (u16)(tp->lost - v->lost_before), delivered);
	ndm_v5_watch_reordering(sk, v, delivered, elapsed_us);
	ndm_v5_watch_rate(v, cwnd, slow_start, delivered, elapsed_us);
	ndm_rounds_end(&v->rounds, tp->tcp_mstamp >> NDM_TICK_SHIFT);
	ndm_count(sock_net(sk), NDM_ENTROPY +
		  ndm_min(ndm_rounds_entropy(&v->rounds) / 100, NDM_ENTROPY_BINS - 1), 1);
	v->queue = ndm_rounds_queue(&v->rounds, v->reordered ||
				    ndm_rounds_jittery(&v->rounds));
	/*
	 * Slow packets are repeated first and then give no sample, so that the
	 * kernel's estimates fall when waiting was too short: follow slowly.
	 */
	v->wait -= (v->wait + 31) >> 5;
	ndm_v5_learn_wait(sk, v, ndm_rack_wait_us(sk));

	/* DSACK may undo a cut until about a round after recovery. */
	if (state <= TCP_CA_Disorder && v->cut_from_pkts) {
		if (v->settling)
			ndm_v5_confirm_cut(v);
		else
			v->settling = true;
	}
	ndm_v5_plan_growth(sk, v, cwnd, delivered, elapsed_us);
	if (v->noise && !v->holding)
		ndm_v5_recover_noise(sk, v, delivered);
	else if (state <= TCP_CA_Disorder && !slow_start)
		ndm_v5_drain(sk, v);
	ndm_v5_begin_round(sk, v);
}

void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 wait_us;

	/* The handshake's own ACK comes before init(). */
	if (!v->id.counted)
		return;
	if (ndm_v5_paused(sk, v))
		ndm_v5_forget(sk, v);
	/* A lone packet's ACK may have waited for the receiver's timer. */
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1)) {
		ndm_rounds_sample(&v->rounds, sample->rtt_us);
		ndm_start_sample(sk, v, sample->rtt_us);
		v->sampled_us = (u32)tp->tcp_mstamp;
		ndm_v5_watch_behind(v, tp->sacked_out);
	}
	if (tcp_is_cwnd_limited(sk))
		v->limited = true;
	ndm_v5_watch_hold(sk, v);
	/* ECN-Echo amid losses: the network said so itself. Before this round grows. */
	if (v->noise && !tp->prior_ssthresh)
		ndm_v5_cut_after_all(sk, v, tp->snd_ssthresh, NDM_ECN);
	if (ndm_v5_round_over(sk, v))
		ndm_v5_end_round(sk, v);

	wait_us = ndm_v5_wait_us(sk, v);
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

	if (!acked || !tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (inet_csk(sk)->icsk_ca_state != TCP_CA_Loss && tcp_in_slow_start(tp) &&
		    ndm_start_over(sk, v))
			tp->snd_ssthresh = ndm_cwnd(tp);
		if (!tcp_in_slow_start(tp))
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

	switch (new_state) {
	case TCP_CA_Recovery:
		/*
		 * One packet is sent, as by the kernel's rate reduction: an ACK that
		 * was overtaken gets here without that.
		 */
		ndm_set_cwnd(tcp_sk(sk), min(ndm_cwnd(tp), tcp_packets_in_flight(tp) + 1));
		ndm_v5_hold(sk, v);
		break;
	case TCP_CA_Loss:
		ndm_v5_end_hold(sk, v);
		if (!ndm_is_timeout(sk)) {
			/* A smaller path MTU: ssthresh stays, for no cause of ours. */
			v->noise = false;
			break;
		}
		/* Nothing came back: that is never noise. */
		if (v->noise)
			ndm_v5_cut_after_all(sk, v, tp->snd_ssthresh, NDM_TIMEOUT);
		else
			ndm_v5_set_verdict(sk, v, NDM_TIMEOUT);
		break;
	case TCP_CA_Open:
	case TCP_CA_Disorder:
		ndm_v5_end_hold(sk, v);
		v->noise = false;
		break;
	}
}

u32 ndm_v5_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 cwnd = max3(ndm_cwnd(tp), tp->prior_cwnd, v->cut_from_pkts);

	if (v->noise)
		cwnd = max(cwnd, tp->snd_ssthresh);
	ndm_v5_count(sk, NDM_UNDOS);
	ndm_v5_end_hold(sk, v);
	v->noise = false;
	v->cut_from_pkts = 0;
	v->lost_before = tp->lost;	/* they were not */
	/* RACK waited too short: a quarter RTT more, as it does itself (RFC 8985, 6.2). */
	if (inet_csk(sk)->icsk_ca_state != TCP_CA_Loss)
		ndm_v5_learn_wait(sk, v, ndm_v5_wait_us(sk, v) + (tp->srtt_us >> 5));
	return cwnd;
}

void ndm_v5_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	u32 idle = tcp_jiffies32 - tcp_sk(sk)->lsndtime;

	/*
	 * After an idle time the path may be another one. The second of these comes
	 * also where the sysctl tcp_slow_start_after_idle is 0, but not on kernels
	 * from 7.1 on; the kernel's jiffies tell of weeks, the low 32 bits of
	 * tcp_mstamp of 71 minutes.
	 */
	if (event == CA_EVENT_CWND_RESTART ||
	    (event == CA_EVENT_TX_START && idle > usecs_to_jiffies(ndm_v5_memory_us(sk))))
		ndm_v5_forget(sk, inet_csk_ca(sk));
}

void ndm_v5_release(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);

	ndm_v5_end_hold(sk, v);
	if (v->assisted)
		ndm_rack_restore(sk);
	v->assisted = false;
}

/* The kernel's usual two windows; where packets overtake, one more for those that wait. */
u32 ndm_v5_sndbuf_expand(struct sock *sk)
{
	const struct ndm_v5 *v = inet_csk_ca(sk);

	return v->reordered ? 3 : 2;
}

void ndm_v5_info(const struct sock *sk, struct tcp_dctcp_info *info)
{
	const struct ndm_v5 *v = inet_csk_ca(sk);

	info->dctcp_ce_state = v->verdict;
	info->dctcp_alpha = ndm_rounds_entropy(&v->rounds);
	info->dctcp_ab_ecn = NDM_SCALE / ndm_max(READ_ONCE(v->cubic.acked_pkts), 1);
	info->dctcp_ab_tot = v->losses.share * NDM_SCALE >> NDM_LOSS_SHARE_SHIFT;
}
