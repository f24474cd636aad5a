// SPDX-License-Identifier: GPL-2.0
/*
 * Variant v5: longer loss detection with reordering, a verdict on each loss, and
 * CUBIC for all else. From top to bottom: the estimates of each ACK and each
 * round, the verdict, the changes of cwnd.
 *
 *   each ACK:    an RTT sample; with reordering, RACK waits
 *   each round:  mean, jitter, base and entropy of RTTs, share of losses,
 *                delivery rate; CUBIC's growth for the next round
 *   loss event:  ndm_v5_judge(); noise keeps cwnd, any other verdict leaves 0.7
 *   recovery:    the kernel's, towards the ssthresh of the verdict
 *
 * src/README.md has the reasons, the constants, the deviations from standards,
 * and what was tried and rejected.
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

/* Reordering counts for so many rounds; a long round counts as several. */
#define NDM_V5_REORDERED_ROUNDS 16
#define NDM_V5_REORDERED_SHIFT 18	/* one more per 2^18 us, 0.26 s */
/* Reordered packets in a round that prove reordering: one in 32, at least two. */
#define NDM_V5_REORDERED_SHARE 32
#define NDM_V5_REORDERED_LEAST 2

/* Growth of a search: a fifth per round; a third up to the cwnd before the latest cut. */
#define NDM_V5_SEARCH_ACKED 5
#define NDM_V5_RETURN_ACKED 3
#define NDM_V5_RATE_CWND_CAP 65535U

#define NDM_V5_BEHIND 3			/* packets right after a lost one, as DupThresh */
#define NDM_V5_LATE_US 250		/* less may be timing of hosts */

static void ndm_v5_count(const struct sock *sk, enum ndm_counter counter)
{
	ndm_count(sock_net(sk), counter, 1);
}

/* Forget the path: for a new connection, or one that paused. */
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
 * A round lasts at least 7/8 of the smoothed RTT and begins with an ACK. So one
 * reordered packet does not end it, and in slow start it begins with the first of
 * a train of ACKs.
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
	/* Losses that a hold may still undo count after the hold. */
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
 * The packets that arrive first after a loss were sent right after the lost one.
 * If one of them is late, it was at the end of a full queue, even of a short one.
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

/* Packets per 2^20 us, by a division of 32 bits that cannot overflow. */
static u32 ndm_v5_rate(u32 delivered, u32 elapsed_us)
{
	if (elapsed_us >> 14)
		return (min(delivered, (1U << 20) - 1) << 12) / (elapsed_us >> 8);
	return (min(delivered, (1U << 18) - 1) << 14) / max(elapsed_us, 1U) << 6;
}

/* A larger cwnd that does not increase the rate only fills queues. */
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
		/* Compare with this rate from now on: the best one may have been chance. */
		v->stalls = min(v->stalls + 1, NDM_V5_STALLS);
	} else {
		return;
	}
	v->rate = rate;
	v->rate_cwnd = cwnd;
}

/*
 * With reordering, spurious losses have kept cwnd too small. There is room while no
 * queue shows and a larger cwnd still increases the rate. @rate_cwnd, of 16 bits,
 * limits the search.
 */
static bool ndm_v5_searching(const struct ndm_v5 *v)
{
	return v->reordered && v->rounds.base_us && !v->queue &&
	       v->stalls < NDM_V5_STALLS && v->rate_cwnd < NDM_V5_RATE_CWND_CAP / 4 * 3 &&
	       !ndm_losses_many(&v->losses);
}

/* Set the growth of the next round, from @cwnd packets. */
static void ndm_v5_plan_growth(struct sock *sk, struct ndm_v5 *v, u32 cwnd,
			       u32 delivered, u32 elapsed_us)
{
	u64 now_us = tcp_sk(sk)->tcp_mstamp;
	u32 now_tick = now_us >> NDM_TICK_SHIFT;
	u32 ticks = now_tick - (u32)((now_us - elapsed_us) >> NDM_TICK_SHIFT);
	u32 usual = tcp_sk(sk)->srtt_us >> (3 + NDM_TICK_SHIFT), acked;

	/* CUBIC does not grow below ssthresh: in slow start, or after a cut. */
	if (v->cut_from_pkts || !v->limited ||
	    (!v->noise && tcp_in_slow_start(tcp_sk(sk)))) {
		ndm_cubic_pause(&v->cubic, ticks);
		return;
	}
	/* Leave a pause of the sender out of the epoch, and out of the next round. */
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
 * A search sees the queue one round late: return to the cwnd at which a queue just
 * shows, but reduce by a quarter at most.
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

/* How long the estimates are valid without a new RTT sample, us. */
static u32 ndm_v5_memory_us(const struct sock *sk)
{
	return (tcp_sk(sk)->srtt_us >> 2) + jiffies_to_usecs(inet_csk(sk)->icsk_rto);
}

/*
 * True when the estimates are out of date: the sender sent nothing for longer than
 * its RTO, or only single packets, which give no sample.
 */
static bool ndm_v5_paused(const struct sock *sk, const struct ndm_v5 *v)
{
	return (u32)tcp_sk(sk)->tcp_mstamp - v->sampled_us > ndm_v5_memory_us(sk);
}

/*
 * The verdict on a loss with a cwnd of @cwnd packets: the first indication of
 * congestion, or noise when there is none.
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
	/* With reordering, a larger RTT or a loss proves less. */
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

/* Changes of cwnd ---------------------------------------------------------------- */

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
	/* Until the cut is confirmed, the least growth of CUBIC: Reno's. */
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

/* A recovery that kept cwnd turned out to be congestion: cut cwnd now. */
static void ndm_v5_cut_after_all(struct sock *sk, struct ndm_v5 *v, u32 cwnd,
				 enum ndm_verdict verdict)
{
	ndm_v5_set_verdict(sk, v, verdict);
	tcp_sk(sk)->snd_ssthresh = ndm_v5_cut(sk, v, cwnd);
}

/*
 * In a recovery that keeps cwnd, the kernel moves cwnd towards ssthresh, so the
 * growth of a round is added to ssthresh. Two rounds that indicate congestion cut it.
 */
static void ndm_v5_recover_noise(struct sock *sk, struct ndm_v5 *v, u32 delivered)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 ssthresh = tp->snd_ssthresh;
	enum ndm_verdict verdict = ndm_v5_judge(sk, v, ssthresh);

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
						     ndm_losses_bound(&v->losses,
								      v->rounds.base_us)));
		tp->snd_ssthresh = min(ssthresh, tp->snd_cwnd_clamp);
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

/* How long a packet may be in flight before it counts as lost, us: at most the RTO. */
static u32 ndm_v5_wait_us(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 wait_us = max((u32)v->wait << NDM_V5_UNIT_SHIFT, ndm_rack_wait_us(sk));

	return min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
}

/* For a while RACK must wait at least @wait_us, but no longer than the RTO. */
static void ndm_v5_learn_wait(const struct sock *sk, struct ndm_v5 *v, u32 wait_us)
{
	wait_us = min(wait_us, jiffies_to_usecs(inet_csk(sk)->icsk_rto));
	v->wait = max_t(u32, v->wait, min((wait_us >> NDM_V5_UNIT_SHIFT) + 1, 65535U));
}

/*
 * RACK also evaluates ACKs that were reordered themselves, without a call of
 * ndm_rack_wait(). One packet with a small RTT may then mark half of cwnd as lost.
 * So hold back retransmissions until the packets had time to arrive, one smoothed
 * RTT at most. In most cases the originals arrive, and the kernel undoes the
 * recovery. The kernel's rate reduction moves cwnd towards ssthresh: with 1 it
 * sends one packet at once, and prr_out = 1 says that this has happened.
 */
static void ndm_v5_hold(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 srtt_us = tp->srtt_us >> 3, wait_us = ndm_v5_wait_us(sk, v);
	u32 waited_us = ndm_rack_waited_us(sk);

	/* With few packets in flight, no ACK may arrive to end the hold before the RTO. */
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
	/* RACK's timer may be set already: it must wait as well. */
	ndm_rack_wait(sk, wait_us);
	v->assisted = true;
}

/* Continue the recovery with the ssthresh of the verdict, at the pace of ACKs. */
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

/* A hold also ends when all packets have arrived, or with an ECN-Echo. */
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
	 * Packets with a large RTT are retransmitted first and then give no sample,
	 * so the kernel's estimates fall after a wait that was too short: follow slowly.
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

	/* The ACK of the handshake arrives before init(). */
	if (!v->id.counted)
		return;
	if (ndm_v5_paused(sk, v))
		ndm_v5_forget(sk, v);
	/* The ACK of a single packet may have waited for the delayed-ACK timer. */
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1)) {
		ndm_rounds_sample(&v->rounds, sample->rtt_us);
		ndm_start_sample(sk, v, sample->rtt_us);
		v->sampled_us = (u32)tp->tcp_mstamp;
		ndm_v5_watch_behind(v, tp->sacked_out);
	}
	if (tcp_is_cwnd_limited(sk))
		v->limited = true;
	ndm_v5_watch_hold(sk, v);
	/* ECN-Echo in a recovery that keeps cwnd: cut before this round can grow. */
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
		 * Send one packet. The kernel's rate reduction does so too, but is
		 * not called for a reordered ACK.
		 */
		ndm_set_cwnd(tcp_sk(sk), min(ndm_cwnd(tp), tcp_packets_in_flight(tp) + 1));
		ndm_v5_hold(sk, v);
		break;
	case TCP_CA_Loss:
		ndm_v5_end_hold(sk, v);
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
	v->lost_before = tp->lost;	/* none of them was lost */
	/* RACK's wait was too short: a quarter RTT more, as RFC 8985, 6.2 has. */
	if (inet_csk(sk)->icsk_ca_state != TCP_CA_Loss)
		ndm_v5_learn_wait(sk, v, ndm_v5_wait_us(sk, v) + (tp->srtt_us >> 5));
	return cwnd;
}

void ndm_v5_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	u32 idle = tcp_jiffies32 - tcp_sk(sk)->lsndtime;

	/*
	 * After an idle period the path may be different. CA_EVENT_TX_START also comes
	 * when the sysctl tcp_slow_start_after_idle is 0, but not from Linux 7.1 on.
	 * jiffies measure weeks; the low 32 bits of tcp_mstamp wrap after 71 minutes.
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

/* Two cwnd, as the kernel's default; with reordering one more, for held-back data. */
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
