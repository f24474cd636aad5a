// SPDX-License-Identifier: GPL-2.0
/*
 * The callbacks, and what changes cwnd.
 *
 *   each ACK:    an RTT sample; with reordering, RACK waits
 *   each round:  ndm_v5_end_round()
 *   loss event:  ndm_v5_judge(); noise keeps cwnd, other verdicts leave 0.7 of it
 *   recovery:    the kernel's, towards the ssthresh of the verdict
 *
 * README.md beside this file has the reasons, the deviations from standards, and what each costs.
 */
#include <linux/inet_diag.h>
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "v5.h"

/* After a recovery from a cut no growth: an undo comes within a round, and a queue has to empty. */
#define NDM_V5_REST_ROUNDS 2

void ndm_v5_count(const struct sock *sk, enum ndm_counter counter)
{
	const struct ndm_id *id = inet_csk_ca(sk);

	if (id->counted)
		ndm_count(sock_net(sk), counter, 1);
}

/* For how long there has been no RTT sample, ticks. */
static u32 ndm_v5_silent(const struct sock *sk, const struct ndm_v5 *v)
{
	return (u32)(tcp_sk(sk)->tcp_mstamp >> NDM_TICK_SHIFT) - v->sampled_tick;
}

/* The estimates are out of date: nothing was sent, or single packets, which give no sample. */
static bool ndm_v5_paused(const struct sock *sk, const struct ndm_v5 *v)
{
	u32 usual_us = (tcp_sk(sk)->srtt_us >> 2) + jiffies_to_usecs(inet_csk(sk)->icsk_rto);

	return ndm_v5_silent(sk, v) > usual_us >> NDM_TICK_SHIFT;
}

static void ndm_v5_begin_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	v->start_pkts = tp->delivered;
	v->start_us = (u32)tp->tcp_mstamp;
	v->reorder.seen = tp->reord_seen;
	v->limited = false;
}

/*
 * After a pause, also of a server that sends a chunk a second: forget the RTTs, but not what
 * losses were like. The first ACK tells of it: the kernel need not (the sysctl
 * tcp_slow_start_after_idle), and since Linux 7.1 CA_EVENT_TX_START is an op of its own.
 */
static void ndm_v5_forget(struct sock *sk, struct ndm_v5 *v)
{
	memset(&v->rounds, 0, sizeof(v->rounds));
	memset(&v->growth, 0, sizeof(v->growth));
	v->reorder.rounds = 0;
	v->reorder.wait_us = 0;
	v->queue = false;
	/* The kernel may have made cwnd smaller meanwhile. */
	if (v->question.asking == NDM_ASKING_QUEUE)
		ndm_question_ask(&v->question, NDM_ASKING_NOT);
	ndm_v5_begin_round(sk, v);
}

/* cwnd; in a recovery that keeps cwnd, cwnd as it will be afterwards. */
static u32 ndm_v5_cwnd(const struct tcp_sock *tp, const struct ndm_v5 *v)
{
	return v->noise ? tp->snd_ssthresh : ndm_cwnd(tp);
}

/*
 * cwnd is the limit. In a recovery it always seems to be, for the kernel keeps it near what is in
 * flight; but ssthresh, which is cwnd afterwards, must not grow where half of it was never used.
 */
static bool ndm_v5_is_limited(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tcp_is_cwnd_limited(sk) && ndm_v5_cwnd(tp, v) < 2 * tp->max_packets_out;
}

/* The verdict on a loss: the first indication of congestion, or noise when there is none. */
static enum ndm_verdict ndm_v5_judge(const struct sock *sk, const struct ndm_v5 *v)
{
	if (!ndm_queue_visible(v) || !tcp_is_sack(tcp_sk(sk)) || ndm_v5_paused(sk, v))
		return NDM_NO_DATA;
	if (ndm_queue_shows(v, NDM_ABOVE_HALF))
		return NDM_QUEUE;
	/* With reordering losses are spurious, too, and say less. */
	if (v->reorder.rounds)
		return ndm_question_lost(&v->question, NDM_LOST_MANY) ? NDM_LOSS_SHARE : NDM_NOISE;
	if (v->question.answer == NDM_ANSWER_OWN)
		return NDM_OWN;
	return ndm_question_due(&v->question) ? NDM_LOSS_SHARE : NDM_NOISE;
}

static void ndm_v5_set_verdict(struct ndm_v5 *v, enum ndm_verdict verdict)
{
	v->verdict = verdict;
	v->noise = verdict == NDM_NOISE;
	v->doubted = false;
}

/* ssthresh after a cut from @cwnd packets. An undo leaves CUBIC as it is then. */
static u32 ndm_v5_cut(struct sock *sk, struct ndm_v5 *v, u32 cwnd)
{
	ndm_cubic_cut(&v->cubic, cwnd);
	v->rest_rounds = NDM_V5_REST_ROUNDS;
	ndm_v5_count(sk, NDM_REDUCTIONS);
	/* With less in flight from now on, do losses go on? */
	if (v->verdict == NDM_LOSS_SHARE && !v->reorder.rounds &&
	    ndm_cubic_keep(cwnd) < tcp_sk(sk)->max_packets_out)
		ndm_question_ask(&v->question, NDM_ASKING_WAIT);
	return ndm_cubic_keep(cwnd);
}

/* A recovery that kept cwnd turned out to be congestion: cut cwnd now. */
static void ndm_v5_cut_after_all(struct sock *sk, struct ndm_v5 *v, enum ndm_verdict verdict)
{
	struct tcp_sock *tp = tcp_sk(sk);

	ndm_v5_set_verdict(v, verdict);
	ndm_v5_count(sk, NDM_LOSSES + verdict);
	tp->snd_ssthresh = min(tp->snd_ssthresh,
			       ndm_v5_cut(sk, v, max(tp->snd_ssthresh, tp->prior_cwnd)));
}

static void ndm_v5_rtts(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now)
{
	now->sampled = ndm_rounds_end(&v->rounds, tcp_sk(sk)->tcp_mstamp >> NDM_TICK_SHIFT);
	v->queue = ndm_queue_shows(v, NDM_ABOVE_QUARTER);
	ndm_v5_count(sk, NDM_ENTROPY + ndm_min(ndm_rounds_entropy(&v->rounds) / 100,
					       NDM_ENTROPY_BINS - 1));
}

/* In a recovery that keeps it the kernel moves cwnd towards ssthresh: growth is added to that. */
static void ndm_v5_recover(struct sock *sk, struct ndm_v5 *v, struct ndm_round *now)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 ssthresh = tp->snd_ssthresh;
	enum ndm_verdict verdict;

	if (!v->noise)
		return;
	verdict = ndm_v5_judge(sk, v);
	if (verdict != NDM_NOISE) {
		/* Two rounds in a row. */
		if (v->doubted)
			ndm_v5_cut_after_all(sk, v, verdict);
		v->doubted = true;
		return;
	}
	v->doubted = false;
	/* Packets that arrived before the loss have already increased cwnd. */
	if (v->limited)
		ssthresh += min3(now->delivered, tp->prr_delivered, ssthresh) /
			    v->cubic.acked_pkts;
	ssthresh = min(ssthresh, tp->snd_cwnd_clamp);
	/*
	 * After a late cut the kernel lets the share ssthresh / prior_cwnd of all that the recovery
	 * has delivered be sent: above 1 that would be a burst.
	 */
	ndm_set_prior_cwnd(tp, max(tp->prior_cwnd, ssthresh));
	tp->snd_ssthresh = min(ssthresh, tp->prior_cwnd);
}

/*
 * First what the round has shown: losses and reordering, on which the verdict on RTTs depends;
 * the rate; RTTs. What changes cwnd comes last: a recovery that keeps it uses the plan, and a
 * question about a queue wants nobody else to change it.
 */
static void ndm_v5_end_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_round now = {
		.elapsed_us = (u32)tp->tcp_mstamp - v->start_us,
		.delivered = tp->delivered - v->start_pkts,
		.cwnd = ndm_v5_cwnd(tp, v),
		.slow_start = ndm_v5_cwnd(tp, v) < tp->snd_ssthresh,
		.state = ndm_ca_state(sk),
	};

	ndm_v5_count(sk, NDM_UPDATES);
	ndm_question_round(&v->question, now.delivered);
	ndm_reorder_round(sk, v, &now);
	ndm_growth_rate(sk, v, &now);
	ndm_v5_rtts(sk, v, &now);
	ndm_growth_plan(sk, v, &now);
	ndm_v5_recover(sk, v, &now);
	ndm_queue_ask(sk, v, &now);
	ndm_v5_begin_round(sk, v);
}

/* Callbacks ------------------------------------------------------------------------ */

void ndm_v5_init(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);
	struct ndm_id id = v->id;

	memset(v, 0, sizeof(*v));
	v->id = id;
	v->sampled_tick = tcp_sk(sk)->tcp_mstamp >> NDM_TICK_SHIFT;
	ndm_question_forget(&v->question, tcp_sk(sk)->lost);
	ndm_cubic_pause(&v->cubic);
	ndm_v5_begin_round(sk, v);
}

u32 ndm_v5_ssthresh(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	bool yields = v->question.asking == NDM_ASKING_QUEUE;
	u32 cwnd = max(ndm_cwnd(tp), 2U);
	enum ndm_verdict verdict = NDM_ECN;

	if (yields) {
		/*
		 * It sends less already; the recovery reduces what was in flight before. CUBIC
		 * leads back; after an undo slow start does.
		 */
		ndm_question_answer_queue(&v->question, false);
		ndm_cubic_cut(&v->cubic, tp->snd_ssthresh);
		ndm_set_prior_cwnd(tp, max(tp->prior_cwnd, tcp_packets_in_flight(tp)));
	} else if (tcp_in_slow_start(tp)) {
		ndm_v5_count(sk, NDM_SLOW_START_EXITS);
	}
	/* ECN-Echo or a full queue of this host zero it; it may be 0 where a tail was repaired. */
	if (tp->prior_ssthresh || v->tail) {
		v->tail = false;	/* an ECN-Echo of the same ACK comes next */
		verdict = ndm_v5_judge(sk, v);
	}
	ndm_v5_set_verdict(v, verdict);
	return v->noise || yields ? cwnd : min(cwnd, ndm_v5_cut(sk, v, cwnd));
}

void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);

	/* The ACK of the handshake arrives before init(). */
	if (!v->id.counted)
		return;
	ndm_question_ack(&v->question, tp->lost);
	v->tail = tp->tlp_high_seq && ndm_tlp_repairs(tp) &&
		  before(tp->tlp_high_seq, tp->snd_una);
	if (ndm_v5_paused(sk, v))
		ndm_v5_forget(sk, v);
	/* As long as a base is valid; after a longer silence the path may be another. */
	if (ndm_v5_silent(sk, v) > 2 * NDM_BASE_UNITS << NDM_BASE_SHIFT &&
	    ndm_ca_state(sk) == TCP_CA_Open)
		ndm_v5_init(sk);
	/* The ACK of a single packet may have waited for the delayed-ACK timer. */
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1)) {
		ndm_rounds_sample(&v->rounds, sample->rtt_us);
		ndm_start_sample(sk, v, sample->rtt_us);
		v->sampled_tick = tp->tcp_mstamp >> NDM_TICK_SHIFT;
	}
	if (ndm_v5_is_limited(sk, v))
		v->limited = true;
	/* ECN-Echo in a recovery that keeps cwnd: cut before this round can grow. */
	if (v->noise && ndm_ca_state(sk) == TCP_CA_Recovery && !tp->prior_ssthresh)
		ndm_v5_cut_after_all(sk, v, NDM_ECN);
	ndm_reorder_fill(sk, v);
	/* A round is 7/8 of the smoothed RTT or more, and begins with an ACK. */
	if ((u32)tp->tcp_mstamp - v->start_us >= (tp->srtt_us >> 3) - (tp->srtt_us >> 6))
		ndm_v5_end_round(sk, v);
	ndm_reorder_wait(sk, v);
}

void ndm_v5_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);

	if (!acked || !ndm_v5_is_limited(sk, v) || v->question.asking == NDM_ASKING_QUEUE)
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (ndm_ca_state(sk) != TCP_CA_Loss && tcp_in_slow_start(tp) &&
		    ndm_start_over(sk, v))
			tp->snd_ssthresh = ndm_cwnd(tp);
		if (!tcp_in_slow_start(tp))
			ndm_v5_count(sk, NDM_SLOW_START_EXITS);
		if (!acked)
			return;
	}
	/* What was saved while growth was slower would be a packet at once, beyond the plan. */
	if (tp->snd_cwnd_cnt >= v->cubic.acked_pkts)
		tp->snd_cwnd_cnt = 0;
	tcp_cong_avoid_ai(tp, v->cubic.acked_pkts, acked);
}

void ndm_v5_set_state(struct sock *sk, u8 new_state)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u8 state = ndm_ca_state(sk);

	/* A loss event counts here and not in ssthresh(), which an RTO calls as well. */
	if ((new_state == TCP_CA_CWR || new_state == TCP_CA_Recovery) &&
	    state != TCP_CA_CWR && state != TCP_CA_Recovery)
		ndm_v5_count(sk, NDM_LOSSES + v->verdict);
	switch (new_state) {
	case TCP_CA_Recovery:
		/* Send one packet, as the kernel does, but not for a reordered ACK. */
		ndm_set_cwnd(tp, min(ndm_cwnd(tp), tcp_packets_in_flight(tp) + 1));
		break;
	case TCP_CA_Loss:
		/* All that is in flight counts as lost now, which tells nothing. */
		ndm_question_undo(&v->question, tp->lost);
		/* With a smaller path MTU ssthresh stays, the verdict ends. */
		if (!ndm_is_timeout(sk)) {
			v->noise = false;
		} else if (v->noise) {
			ndm_v5_cut_after_all(sk, v, NDM_TIMEOUT);
		} else {
			ndm_v5_set_verdict(v, NDM_TIMEOUT);
			ndm_v5_count(sk, NDM_LOSSES + NDM_TIMEOUT);
		}
		break;
	case TCP_CA_Open:
	case TCP_CA_Disorder:
		v->noise = false;
		break;
	}
}

u32 ndm_v5_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 cwnd = ndm_cwnd(tp);

	/* Amid a question about a queue slow start leads back. */
	if (v->question.asking != NDM_ASKING_QUEUE)
		cwnd = max(cwnd, tp->prior_cwnd);
	if (v->noise)
		cwnd = max(cwnd, tp->snd_ssthresh);
	ndm_v5_count(sk, NDM_UNDOS);
	v->noise = false;
	ndm_question_undo(&v->question, tp->lost);
	return cwnd;
}

/* In cwnd: one in flight, one behind lost packets, one for data held back, as BBR has it. */
u32 ndm_v5_sndbuf_expand(struct sock *sk)
{
	return 3;
}

void ndm_v5_info(const struct sock *sk, struct tcp_dctcp_info *info)
{
	const struct ndm_v5 *v = inet_csk_ca(sk);

	info->dctcp_ce_state = v->verdict;
	info->dctcp_alpha = ndm_rounds_entropy(&v->rounds);
	info->dctcp_ab_ecn = NDM_SCALE / ndm_max(READ_ONCE(v->cubic.acked_pkts), 1);
	info->dctcp_ab_tot = v->question.share * NDM_SCALE >> NDM_SHARE_SHIFT;
}
