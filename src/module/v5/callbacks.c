// SPDX-License-Identifier: GPL-2.0
/*
 * Variant v5: longer loss detection with reordering, a verdict on each loss, and
 * CUBIC for all else. From top to bottom: rounds, the changes of cwnd, the callbacks.
 *
 *   each ACK:    an RTT sample; with reordering, RACK waits
 *   each round:  ndm_v5_end_round()
 *   loss event:  ndm_judge(); noise keeps cwnd, any other verdict leaves 0.7
 *   recovery:    the kernel's, towards the ssthresh of the verdict
 *
 * README.md beside this file has the reasons, the deviations from standards, and
 * what was tried and rejected.
 */
#include <linux/inet_diag.h>
#include <linux/log2.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "../stats.h"
#include "growth.h"
#include "hold.h"
#include "judge.h"
#include "pace.h"
#include "queue_test.h"
#include "rack.h"
#include "slow_start.h"
#include "state.h"

/* Reordering counts for so many rounds; a long round counts as several. */
#define NDM_V5_REORDERED_ROUNDS 16
#define NDM_V5_REORDERED_SHIFT 18	/* one more per 2^18 us, 0.26 s */
/* Reordered packets in a round that prove reordering: one in 32, at least two. */
#define NDM_V5_REORDERED_SHARE 32
#define NDM_V5_REORDERED_LEAST 2

/* As long as a base is valid. After a longer silence the path may be another. */
#define NDM_V5_PATH_LASTS_US 20000000

/* Nothing before init(): the RTO of a SYN is no event of the connection. */
static void ndm_v5_count(const struct sock *sk, enum ndm_counter counter)
{
	const struct ndm_id *id = inet_csk_ca(sk);

	if (id->counted)
		ndm_count(sock_net(sk), counter, 1);
}

/* Rounds -------------------------------------------------------------------------- */

/*
 * Forget the RTTs: for a new connection, or one that paused. What losses were like, and CUBIC's
 * epoch, stay: a server that sends a chunk a second would begin anew with each.
 */
static void ndm_v5_forget(struct ndm_v5 *v)
{
	/* The cut may still be undone. */
	bool returns = v->test.step == NDM_TEST_RETURN && v->cut_from_pkts;

	memset(&v->rounds, 0, sizeof(v->rounds));
	memset(&v->growth, 0, sizeof(v->growth));
	v->stalls = 0;
	v->searched = false;
	memset(&v->test, 0, sizeof(v->test));
	v->test.step = returns ? NDM_TEST_RETURN : NDM_TEST_NO;
	v->reordering.rounds = 0;
	v->hold.wait = 0;
	v->queue = false;
}

/* All that is known of the path. */
static void ndm_v5_forget_path(const struct sock *sk, struct ndm_v5 *v)
{
	ndm_v5_forget(v);
	ndm_question_forget(&v->question, tcp_sk(sk)->lost);
	ndm_cubic_restart(&v->cubic);
}

/*
 * A round lasts at least 7/8 of the smoothed RTT and begins with an ACK. So one
 * reordered packet does not end it, and in slow start it begins with the first of
 * a train of ACKs.
 */
static bool ndm_v5_round_over(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return !ndm_queue_test_holds(v) && (u32)tp->tcp_mstamp - v->round_start_us >=
	       (tp->srtt_us >> 3) - (tp->srtt_us >> 6);
}

static void ndm_v5_set_sampled(const struct sock *sk, struct ndm_v5 *v)
{
	v->sampled_us = (u32)tcp_sk(sk)->tcp_mstamp;
	v->sampled_wraps = (u16)(tcp_sk(sk)->tcp_mstamp >> 32);
}

static void ndm_v5_begin_round(struct sock *sk, struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	v->round_start_pkts = tp->delivered;
	v->round_start_us = (u32)tp->tcp_mstamp;
	v->reordering.seen_before = tp->reord_seen;
	v->limited = false;
	if (v->rounds.paused && !v->hold.on)
		v->rounds.paused--;
	ndm_start_round(v);
}

/* There is reordering: some losses are spurious, so they answer no question. */
static void ndm_v5_reorders(struct ndm_v5 *v)
{
	v->reordering.rounds = NDM_V5_REORDERED_ROUNDS;
	ndm_question_stop(&v->question);
}

/*
 * Reordering must recur to count. tp->reordering shows that a packet was once out
 * of order by more than the kernel expects. tp->reord_seen alone does not suffice: a
 * receiver that acknowledges a packet in pieces raises it with each piece. Where RACK cannot
 * be made to wait, nothing is done about reordering, and no loss is spurious by v5's doing.
 */
static void ndm_v5_watch_reordering(struct sock *sk, struct ndm_v5 *v,
				    u32 delivered, u32 elapsed_us)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	u32 seen = (u16)(tp->reord_seen - v->reordering.seen_before);
	u32 rounds = 1 + (elapsed_us >> NDM_V5_REORDERED_SHIFT);

	if (!ndm_rack_available(sk))
		v->reordering.rounds = 0;
	else if (seen >= ndm_max(delivered / NDM_V5_REORDERED_SHARE,
				 NDM_V5_REORDERED_LEAST) &&
		 tp->reordering > READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_reordering))
		ndm_v5_reorders(v);
	else
		v->reordering.rounds -= min_t(u32, v->reordering.rounds, rounds);
}

/* cwnd; in a recovery that keeps it, cwnd as it will be afterwards. */
static u32 ndm_v5_cwnd(const struct tcp_sock *tp, const struct ndm_v5 *v)
{
	if (v->hold.on)
		return tp->prior_cwnd;
	return v->noise ? tp->snd_ssthresh : ndm_cwnd(tp);
}

/*
 * cwnd is the limit. In a recovery the kernel keeps cwnd near what is in flight, so that it
 * always seems to be; but ssthresh, which is cwnd afterwards, must not grow where half of it was
 * never used: then an application, pacing or a buffer is the limit.
 */
static bool ndm_v5_is_limited(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tcp_is_cwnd_limited(sk) && ndm_v5_cwnd(tp, v) < 2 * tp->max_packets_out;
}

/* Changes of cwnd ---------------------------------------------------------------- */

static void ndm_v5_set_verdict(struct ndm_v5 *v, enum ndm_verdict verdict)
{
	v->verdict = verdict;
	v->noise = verdict == NDM_NOISE;
	v->doubts = 0;
}

/* It counts at once. */
static void ndm_v5_judged(struct sock *sk, struct ndm_v5 *v, enum ndm_verdict verdict)
{
	ndm_v5_set_verdict(v, verdict);
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
	v->growth.rate = 0;
	v->stalls = 0;
}

/* DSACK may undo a cut until about a round after recovery. */
static void ndm_v5_settle_cut(struct sock *sk, struct ndm_v5 *v)
{
	if (!v->cut_from_pkts || ndm_ca_state(sk) > TCP_CA_Disorder)
		return;
	if (v->settling)
		ndm_v5_confirm_cut(v);
	else
		v->settling = true;
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
	/* With less in flight from now on, do losses go on? */
	if (v->verdict == NDM_LOSS_SHARE && !v->reordering.rounds &&
	    ndm_cubic_keep(cwnd) < tcp_sk(sk)->max_packets_out)
		ndm_question_ask(&v->question);
	return ndm_cubic_keep(cwnd);
}

/* A recovery that kept cwnd turned out to be congestion: cut cwnd now. */
static void ndm_v5_cut_after_all(struct sock *sk, struct ndm_v5 *v, enum ndm_verdict verdict)
{
	struct tcp_sock *tp = tcp_sk(sk);

	ndm_v5_judged(sk, v, verdict);
	tp->snd_ssthresh = min(tp->snd_ssthresh,
			       ndm_v5_cut(sk, v, max(tp->snd_ssthresh, tp->prior_cwnd)));
}

/*
 * Call it with each ACK. In a recovery that keeps cwnd, the kernel sends a packet for each
 * delivered one, and what was lost is missing in flight until the recovery ends. With much
 * random loss there is always a recovery. So amid reordering this lets it send one more for an
 * ACK until cwnd is in flight.
 */
static void ndm_v5_fill(struct sock *sk, const struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (v->reordering.rounds && v->noise && !v->hold.on &&
	    ndm_ca_state(sk) == TCP_CA_Recovery &&
	    tcp_packets_in_flight(tp) < tp->snd_ssthresh &&
	    /* What it was allowed before has been sent, so that nothing adds up to a burst. */
	    tp->prr_out && tp->prr_out >= tp->prr_delivered)
		ndm_set_prr_out(tp, tp->prr_out - 1);
}

/*
 * In a recovery that keeps cwnd, the kernel moves cwnd towards ssthresh, so the
 * growth of a round is added to ssthresh. Two rounds that indicate congestion cut it.
 */
static void ndm_v5_recover_noise(struct sock *sk, struct ndm_v5 *v, u32 delivered)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 ssthresh = tp->snd_ssthresh;
	enum ndm_verdict verdict = ndm_judge(sk, v);

	if (verdict != NDM_NOISE) {
		if (++v->doubts >= 2)
			ndm_v5_cut_after_all(sk, v, verdict);
		return;
	}
	v->doubts = 0;
	/* Packets that arrived before the loss have already increased cwnd. */
	delivered = min3(delivered, tp->prr_delivered, ssthresh);
	if (v->limited)
		ssthresh += delivered / v->cubic.acked_pkts;
	ssthresh = min(ssthresh, tp->snd_cwnd_clamp);
	/*
	 * With more than ssthresh in flight, as after a late cut, the kernel lets the share
	 * ssthresh / prior_cwnd of all that the recovery has delivered be sent. Above 1 that
	 * would be a burst, of a whole cwnd and more in a long recovery.
	 */
	ndm_set_prior_cwnd(tp, max(tp->prior_cwnd, ssthresh));
	tp->snd_ssthresh = min(ssthresh, tp->prior_cwnd);
}

/*
 * The order matters. First what the round has shown: losses and reordering, for the verdict on
 * RTTs depends on them; the rate, before the mean of this round may renew the base that it is
 * counted by; then RTTs. The verdict on a queue comes next, for growth asks for it. A cut is
 * settled before growth is planned, since CUBIC waits for that. What changes cwnd comes last:
 * the verdict on a recovery that keeps it uses the plan; the test of a queue wants nobody else
 * to change cwnd in this round.
 */
static void ndm_v5_end_round(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 elapsed_us = (u32)tp->tcp_mstamp - v->round_start_us;
	u32 delivered = tp->delivered - v->round_start_pkts;
	u8 state = ndm_ca_state(sk);
	u32 cwnd = ndm_v5_cwnd(tp, v);
	bool slow_start = cwnd < tp->snd_ssthresh;

	ndm_v5_count(sk, NDM_UPDATES);
	/* Losses that a hold may still undo count after the hold. */
	if (!v->hold.on)
		ndm_question_round(&v->question, delivered);
	ndm_v5_watch_reordering(sk, v, delivered, elapsed_us);
	if (!v->rounds.paused)
		ndm_growth_watch(v, cwnd, slow_start, delivered, elapsed_us);
	ndm_rounds_end(&v->rounds, tp->tcp_mstamp >> NDM_TICK_SHIFT);
	/* Amid reordering the smallest RTT is one that jitter made, far below the usual. */
	if (!v->reordering.rounds && ndm_question_some(&v->question))
		ndm_rounds_cap_base(&v->rounds, tcp_min_rtt(tp));
	ndm_count(sock_net(sk), NDM_ENTROPY +
		  ndm_min(ndm_rounds_entropy(&v->rounds) / 100, NDM_ENTROPY_BINS - 1), 1);
	v->queue = ndm_judge_queue(v, state == TCP_CA_Recovery) ||
		   ndm_judge_all_late(v, delivered);
	ndm_hold_round(sk, v);

	ndm_v5_settle_cut(sk, v);
	ndm_growth_plan(sk, v, cwnd, delivered, elapsed_us);
	if (v->noise && !v->hold.on)
		ndm_v5_recover_noise(sk, v, delivered);
	else if (state <= TCP_CA_Disorder && !slow_start)
		ndm_growth_drain(sk, v);
	ndm_queue_test_round(sk, v);
	ndm_v5_begin_round(sk, v);
}

/* Callbacks ----------------------------------------------------------------------- */

void ndm_v5_init(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);
	struct ndm_id id = v->id;

	memset(v, 0, sizeof(*v));
	v->id = id;
	ndm_v5_set_sampled(sk, v);
	ndm_v5_forget_path(sk, v);
	ndm_v5_begin_round(sk, v);
}

u32 ndm_v5_ssthresh(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	bool slow_start = tcp_in_slow_start(tp) && v->test.step == NDM_TEST_NO;
	u32 cwnd = max(ndm_cwnd(tp), 2U), before = max(ndm_queue_test_lost(sk, v), 2U);
	enum ndm_verdict verdict = NDM_ECN;

	ndm_v5_confirm_cut(v);
	if (slow_start)
		ndm_v5_count(sk, NDM_SLOW_START_EXITS);
	/*
	 * tcp_enter_cwr() zeroes it: ECN-Echo, or a full queue of this host. Where a tail loss
	 * probe repaired a loss, it may be 0 as well.
	 */
	if (tp->prior_ssthresh || v->tail) {
		v->tail = false;	/* an ECN-Echo of the same ACK comes next */
		verdict = ndm_judge(sk, v);
		/* A test of whose the queue is: there is one. */
		if (verdict == NDM_NOISE && before > cwnd)
			verdict = NDM_QUEUE;
	}
	ndm_v5_set_verdict(v, verdict);
	if (v->noise)
		return cwnd;
	/*
	 * After a test, all that the cut leaves would be a burst. And what left before the
	 * test may still be in flight: the recovery reduces it as well.
	 */
	if (before > cwnd)
		ndm_set_prior_cwnd(tp, before);
	return min(cwnd, ndm_v5_cut(sk, v, before));
}

void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 wait_us, rtt_us = 0;

	/* The ACK of the handshake arrives before init(). */
	if (!v->id.counted)
		return;
	ndm_pace(sk, v->verdict == NDM_NOISE && v->question.answer == NDM_ANSWER_CHANCE);
	ndm_question_ack(&v->question, tp->lost);
	v->tail = tp->tlp_high_seq && ndm_tlp_repairs(tp) &&
		  before(tp->tlp_high_seq, tp->snd_una);
	if (ndm_judge_silent_us(sk, v) > NDM_V5_PATH_LASTS_US)
		ndm_v5_forget_path(sk, v);
	else if (ndm_judge_paused(sk, v))
		ndm_v5_forget(v);
	/* The ACK of a single packet may have waited for the delayed-ACK timer. */
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1)) {
		rtt_us = sample->rtt_us;
		ndm_rounds_sample(&v->rounds, rtt_us);
		ndm_start_sample(sk, v, rtt_us);
		ndm_v5_set_sampled(sk, v);
	}
	if (ndm_v5_is_limited(sk, v))
		v->limited = true;
	ndm_hold_watch(sk, v);
	/* ECN-Echo in a recovery that keeps cwnd: cut before this round can grow. */
	if (v->noise && ndm_ca_state(sk) == TCP_CA_Recovery && !tp->prior_ssthresh)
		ndm_v5_cut_after_all(sk, v, NDM_ECN);
	ndm_v5_fill(sk, v);
	if (ndm_queue_test_ack(sk, v, rtt_us))
		ndm_v5_begin_round(sk, v);
	if (ndm_v5_round_over(sk, v))
		ndm_v5_end_round(sk, v);

	wait_us = ndm_hold_wait_us(sk, v);
	if (v->reordering.rounds && !v->hold.on && ndm_ca_state(sk) == TCP_CA_Recovery)
		wait_us = ndm_hold_next_us(sk, wait_us);
	if (ndm_rack_wanted(sk, v->reordering.rounds, wait_us))
		ndm_rack_wait(sk, v, wait_us);
	else
		ndm_rack_restore(sk, v);
}

void ndm_v5_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);

	if (!acked || !ndm_v5_is_limited(sk, v) || ndm_queue_test_holds(v))
		return;
	if (tcp_in_slow_start(tp)) {
		acked = tcp_slow_start(tp, acked);
		if (ndm_ca_state(sk) != TCP_CA_Loss && tcp_in_slow_start(tp) &&
		    !ndm_queue_test_returns(sk, v) && ndm_start_over(sk, v))
			tp->snd_ssthresh = ndm_cwnd(tp);
		if (!tcp_in_slow_start(tp) && !ndm_queue_test_returns(sk, v))
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
		/*
		 * Send one packet. The kernel's rate reduction does so too, but is
		 * not called for a reordered ACK.
		 */
		ndm_set_cwnd(tp, min(ndm_cwnd(tp), tcp_packets_in_flight(tp) + 1));
		if (v->test.step == NDM_TEST_NO)
			ndm_hold_begin(sk, v);
		break;
	case TCP_CA_Loss:
		/* All that is in flight counts as lost now, which tells nothing. */
		ndm_question_undo(&v->question, tp->lost);
		ndm_queue_test_abort(v);
		ndm_hold_end(sk, v);
		if (!ndm_is_timeout(sk)) {
			/* A smaller path MTU: ssthresh stays, the verdict ends. */
			v->noise = false;
			break;
		}
		/* An RTO is never noise. */
		if (v->noise)
			ndm_v5_cut_after_all(sk, v, NDM_TIMEOUT);
		else
			ndm_v5_judged(sk, v, NDM_TIMEOUT);
		ndm_queue_test_recovered(sk, v);
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

	if (!ndm_queue_test_undone(v))
		cwnd = max3(cwnd, tp->prior_cwnd, v->cut_from_pkts);
	if (v->noise)
		cwnd = max(cwnd, tp->snd_ssthresh);
	ndm_v5_count(sk, NDM_UNDOS);
	ndm_hold_end(sk, v);
	v->noise = false;
	v->cut_from_pkts = 0;
	ndm_question_undo(&v->question, tp->lost);
	if (ndm_ca_state(sk) != TCP_CA_Loss)
		ndm_hold_undone(sk, v);
	return cwnd;
}

/*
 * The first ACK after a pause tells how long that was. The kernel need not: CA_EVENT_TX_START is an
 * op of its own since Linux 7.1, and CA_EVENT_CWND_RESTART does not come where the sysctl
 * tcp_slow_start_after_idle is 0.
 */
void ndm_v5_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_COMPLETE_CWR)
		ndm_queue_test_recovered(sk, inet_csk_ca(sk));
	else if (event == CA_EVENT_CWND_RESTART)
		ndm_v5_forget(inet_csk_ca(sk));
}

void ndm_v5_release(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);

	ndm_hold_end(sk, v);
	ndm_rack_restore(sk, v);
	ndm_pace_release(sk);
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
		    ndm_skb_info_bytes();

	return v->reordering.rounds || roundup_pow_of_two(bytes) < bytes + bytes / 2 ? 3 : 2;
}

void ndm_v5_info(const struct sock *sk, struct tcp_dctcp_info *info)
{
	const struct ndm_v5 *v = inet_csk_ca(sk);

	info->dctcp_ce_state = v->verdict;
	info->dctcp_alpha = ndm_rounds_entropy(&v->rounds);
	info->dctcp_ab_ecn = NDM_SCALE / ndm_max(READ_ONCE(v->cubic.acked_pkts), 1);
	info->dctcp_ab_tot = v->question.share * NDM_SCALE >> NDM_SHARE_SHIFT;
}
