// SPDX-License-Identifier: GPL-2.0
/*
 * Variant v5: jitter as a matter of loss detection, random loss as a matter of
 * classification, congestion as CUBIC has it.
 *
 * Idea. Under jitter as wide as the path nothing is lost, and yet a quarter to a
 * half of what others send are repetitions: RACK waits a fraction of the
 * smallest RTT, which is then next to nothing. No window policy mends that; RACK
 * must wait longer (ndm_rack.c). Random loss is the other problem: whether a
 * lost packet tells of a queue. A queue shifts the mean RTT, noise does not
 * (ndm_rounds.c). Neither cure helps with the other illness.
 *
 *   each ACK:    reordering proven? RACK waits for the bound: the largest
 *                srtt + 4 mdev of late, which loses 1/32 a round
 *   each round:  mean, jitter, base, entropy, loss share, delivery rate
 *                growth <- CUBIC for the round to come (ndm_cubic.c)
 *                the path scatters: slow start ends, and
 *                  no queue: search, 1/4 a round, half of that for each time
 *                            that more window brought no more rate, not after 3
 *                  a queue:  growth of Reno at most; ended it a search, back to
 *                            where a queue can be seen
 *   on a loss:   noise <- data, no shift, at most 1/6 lost, rate still grows,
 *                         and (the path scatters, or window <= 3 times Reno's
 *                         and the packets behind the lost one met no queue)
 *                noise: keep the window; else, ECN-Echo, timeout: 0.7 of it
 *   recovery:    the loss was shown by a lucky packet: send nothing until the
 *                bound has passed, which makes the undo of a wrong one free;
 *                noise: go on at the window; else reduce in proportion
 *
 *             noise                     no noise for two rounds, or ECN-Echo
 *     OPEN -----------> KEEP -------------------------------------> CUT
 *      ^ |               | all arrived, or undone                   | ^
 *      | |               v                                          v |
 *      +-|---------------+------------------------------------------+ |
 *        +------------------------------------------------------------+
 *          no data, queue, too much lost, rate stands still, ECN-Echo, timeout
 *
 * Constants. 0.7 and C = 0.4: RFC 9438. 1/16 of the base and three standard
 * errors: the first is less than any queue that hurts, the second one in 700 by
 * chance; among noise 1/4 and five (three when the entropy says that the means
 * keep an order), since many rounds are judged. Base of 10 to 20 s: longer than
 * a CUBIC epoch, so that a queue empties in between. A sixth lost: beyond,
 * RFC 9743 wants back-off, not tolerance. Three times Reno's window: the limit of
 * harm where the RTT says nothing, as in a full queue joined late; two times
 * falls short of the goodput that is the point of it. Behind a full queue of two
 * packets stands the packet that shows the loss: 250 us beyond the base are a
 * queue there, and more than the timing of hosts.
 *
 * Deviations. RFC 2914 and RFC 9438, 4.6, take each loss for congestion; a loss
 * that all of the above calls noise leaves the window as it is, because it tells
 * of no queue, and the bound says what a wrong verdict can cost. RFC 9438, 4.2:
 * growth is computed per round, not per ACK, and is at most half a packet per
 * packet. The search grows faster than CUBIC, where a path scatters only, since
 * the losses that stopped growth there were none. RFC 8985, 6.2: the reordering
 * window may pass one RTT, as in RFC 4653. RFC 6937: in recovery from noise the
 * window is the target, not a share of it. Slow start ends at a queue of 1/8 of
 * the RTT as with HyStart, and has no phase of doubt as in RFC 9406.
 *
 * Tried and failed, in the lab (jitter of 50+-100 ms, 50 Mbit/s, if not said):
 *   - Rounds that end with the first packet of the round answered: under jitter
 *     that is a lucky one, rounds last 8 ms and the base is luck: 14 Mbit/s.
 *   - A base from rounds of fewer than 8 samples: the same.
 *   - CUBIC's growth alone after an early false loss: 13 Mbit/s.
 *   - Waiting for the present srtt + 4 mdev: repeated packets give no sample, so
 *     that both fall when waiting was short: 15 Mbit/s, 20 repetitions per MB.
 *   - Taking a rate that stands still for congestion amid noise: a lucky round
 *     is never beaten again, and every loss is a cut. Ending the search at the
 *     first such round: 25 to 42 Mbit/s, the window grows by chance.
 *   - A search that keeps what it overshot: one queue overflows, and of each
 *     loss that is repeated PAWS makes several (old timestamps behind a new
 *     one): 38 Mbit/s, 3,030 repetitions. Giving back down to the base: a base
 *     of luck, 31 Mbit/s.
 *   - Waiting half the bound before real losses are repeated, too, so that PAWS
 *     finds nothing to drop: 114 repetitions for 79, 322 for 1 at 100+-200 ms.
 *   - RTTs cut off at 0.5 s: a satellite's queue is never seen.
 *   - Slow start judged by the mean of a round's first samples: one window's own
 *     burst is a queue then; by eight of them: too late on 10 ms.
 *   - The packet behind a lost one judged against the round's mean: where all
 *     met the queue of two packets none is late, and v5 did twice the harm that
 *     a second Cubic does (0.40, 0.21).
 *   - Holding back without telling RACK, and a maximum of RTTs instead of the
 *     bound: research for this variant, not repeated here.
 */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_flow.h"
#include "ndm_params.h"
#include "ndm_rack.h"
#include "ndm_stats.h"
#include "ndm_v5.h"
#include "ndm_v5_ops.h"

#define NDM_V5_START_LOW 16	/* as HyStart: below, slow start goes on */

static void ndm_v5_count(const struct sock *sk, enum ndm_counter counter)
{
	ndm_count(sock_net(sk), counter, 1);
}

/* May run before data flows, and twice on kernels before 5.14. */
static void ndm_v5_init(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);
	struct tcp_sock *tp = tcp_sk(sk);

	BUILD_BUG_ON(sizeof(struct ndm_v5) > ICSK_CA_PRIV_SIZE);
	ndm_v5_restart(v);
	v->round_end = tp->delivered;
	v->round_start = (u32)tp->tcp_mstamp;
	v->lost_before = tp->lost;
	if (v->counted)
		return;
	v->algorithm = inet_csk(sk)->icsk_ca_ops == &ndm_v5_ops ?
		NDM_ALGORITHM_V5 : NDM_ALGORITHM_CHOSEN;
	v->counted = true;
	ndm_count(sock_net(sk), ndm_sockets_counter(v->algorithm), 1);
}

static void ndm_v5_release(struct sock *sk)
{
	struct ndm_v5 *v = inet_csk_ca(sk);

	if (!v->counted)
		return;
	v->counted = false;
	ndm_count(sock_net(sk), ndm_sockets_counter(v->algorithm), -1);
}

static void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	struct ndm_v5 *v = inet_csk_ca(sk);

	if (ndm_rack_wanted(sk))
		ndm_rack_wait(sk, max(v->bound, ndm_rack_bound(sk)));
}

/*
 * How often packets came out of order, if ever by more than the kernel expects.
 * Of a receiver that acknowledges packets in pieces each piece counts as
 * reordering, by one packet: that proves nothing.
 */
static u32 ndm_v5_reordered(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (tp->reordering <= READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_reordering))
		return 0;
	return tp->reord_seen;
}

static u32 ndm_v5_ssthresh(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 window = ndm_cwnd(tp);

	/* tcp_enter_cwr() zeroes it: ECN-Echo, or a full queue of this host. */
	v->noise = tp->prior_ssthresh &&
		   ndm_v5_is_noise(v, window, ndm_v5_reordered(sk)) &&
		   (ndm_v5_noisy(v, ndm_v5_reordered(sk)) || !ndm_v5_behind_queue(v));
	v->target = v->noise ? window : 0;
	v->shifts = 0;
	if (v->noise) {
		ndm_v5_count(sk, NDM_LOSS_NOISE);
		return tp->snd_ssthresh;
	}
	if (!tp->prior_ssthresh)
		ndm_v5_count(sk, NDM_ECN_REDUCTIONS);
	else
		ndm_v5_count(sk, v->rounds.base ? NDM_LOSS_CONGESTION : NDM_LOSS_NODATA);
	ndm_v5_count(sk, NDM_REDUCTIONS);
	if (tcp_in_slow_start(tp))
		ndm_v5_count(sk, NDM_SLOW_START_EXITS);
	return ndm_cubic_keep(window);
}

/* The window was kept and must not have been: cut it after all. */
static void ndm_v5_cut_target(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);

	ndm_v5_count(sk, NDM_REDUCTIONS);
	ndm_v5_cut(v, v->target);
	v->target = ndm_cubic_keep(v->target);
	tp->snd_ssthresh = v->target;
}

static void ndm_v5_enter_recovery(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 hold = ndm_rack_hold(sk, max(v->bound, ndm_rack_bound(sk)));
	u32 in_flight = tcp_packets_in_flight(tp);

	v->holding = ndm_v5_has(NDM_V5_HOLD) && hold && in_flight;
	if (!v->holding)
		return;
	v->hold_until = (u32)tp->tcp_mstamp + hold;
	ndm_set_cwnd(tp, in_flight);
}

static void ndm_v5_leave(struct sock *sk, struct ndm_v5 *v, u8 old_state)
{
	struct tcp_sock *tp = tcp_sk(sk);

	/* Without a marker the cut was undone: nothing happened. */
	if (old_state == TCP_CA_CWR || tp->undo_marker) {
		if (v->noise) {
			ndm_set_cwnd(tp, v->target);
		} else {
			if (old_state != TCP_CA_Loss)
				ndm_set_cwnd(tp, tp->snd_ssthresh);
			ndm_v5_cut(v, tp->prior_cwnd);
		}
	}
	v->noise = false;
	v->holding = false;
	v->target = 0;
}

static void ndm_v5_set_state(struct sock *sk, u8 new_state)
{
	struct ndm_v5 *v = inet_csk_ca(sk);
	u8 old_state = inet_csk(sk)->icsk_ca_state;

	switch (new_state) {
	case TCP_CA_Recovery:
		ndm_v5_enter_recovery(sk, v);
		break;
	case TCP_CA_Loss:
		ndm_v5_count(sk, NDM_RTOS);
		v->holding = false;
		/* Nothing came back: that is never noise. */
		if (v->noise)
			ndm_v5_cut_target(sk, v);
		v->noise = false;
		v->target = 0;
		break;
	case TCP_CA_Open:
	case TCP_CA_Disorder:
		if (old_state >= TCP_CA_CWR)
			ndm_v5_leave(sk, v, old_state);
		break;
	}
}

static u32 ndm_v5_undo_cwnd(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 window = max3(ndm_cwnd(tp), tp->prior_cwnd, v->target);

	ndm_v5_count(sk, NDM_UNDOS);
	v->noise = false;
	v->holding = false;
	v->target = 0;
	v->lost_before = tp->lost;	/* they were not */
	return window;
}

/*
 * Window after @idle jiffies without sending: RFC 5681, 4.1. The kernel does it
 * itself only where growth is the kernel's, too (no cong_control).
 */
static void ndm_v5_shrink_idle(struct sock *sk, s32 idle)
{
	const struct dst_entry *dst = __sk_dst_get(sk);
	struct tcp_sock *tp = tcp_sk(sk);
	u32 first = dst ? dst_metric(dst, RTAX_INITCWND) : 0;
	u32 window = ndm_cwnd(tp);
	u32 least = min_t(u32, window, first ? first : TCP_INIT_CWND);

	if (!READ_ONCE(sock_net(sk)->ipv4.sysctl_tcp_slow_start_after_idle))
		return;
	tp->snd_ssthresh = max(tp->snd_ssthresh, (window >> 1) + (window >> 2));
	while ((idle -= inet_csk(sk)->icsk_rto) > 0 && window > least)
		window >>= 1;
	ndm_set_cwnd(tp, max(window, least));
}

/* The first packet after a time without any in flight was sent. */
static void ndm_v5_tx_start(struct sock *sk)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	s32 idle = tcp_jiffies32 - tp->lsndtime;

	if (tp->packets_out || idle <= (s32)inet_csk(sk)->icsk_rto)
		return;
	/* After an idle time the path may be another one. */
	memset(&v->rounds, 0, sizeof(v->rounds));
	v->cubic.epoch = 0;
	v->rate = 0;
	v->stalls = 0;
	v->least = 0;
	v->round_end = tp->delivered;
	v->round_start = (u32)tp->tcp_mstamp;
	v->train = v->round_start;
	ndm_v5_shrink_idle(sk, idle);
}

/* Where it has a callback of its own, it is no event of the other any more. */
#ifdef NDM_HAVE_TX_START
#define NDM_V5_TX_START .cwnd_event_tx_start = ndm_v5_tx_start
#else
#define NDM_V5_TX_START .cwnd_event = ndm_v5_cwnd_event

static void ndm_v5_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	if (event == CA_EVENT_TX_START)
		ndm_v5_tx_start(sk);
}
#endif

/* @window after @acked packets came back, if it is what limits the sender. */
static u32 ndm_v5_grow(struct sock *sk, struct ndm_v5 *v, u32 window, u32 acked)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return window;
	v->limited = true;
	if (window >= tp->snd_ssthresh)
		return window + ndm_cubic_credit(&v->cubic, acked);
	if (window + acked < tp->snd_ssthresh)
		return window + acked;
	ndm_v5_count(sk, NDM_SLOW_START_EXITS);
	return tp->snd_ssthresh;
}

/* The window stays at the target, as long as the verdict stays. */
static void ndm_v5_recover_noise(struct sock *sk, struct ndm_v5 *v,
				 const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 acked = rs->acked_sacked;
	u32 grown = ndm_v5_grow(sk, v, v->target, acked);
	s32 owed = tp->prr_delivered - tp->prr_out;

	if (ndm_v5_noisy(v, ndm_v5_reordered(sk)))
		v->target = grown;
	else if (rs->losses > 0 && ndm_v5_behind_queue(v) && ++v->shifts >= 2)
		ndm_v5_cut_target(sk, v);
	else if (grown <= v->limit || !ndm_v5_has(NDM_V5_BOUND))
		v->target = grown;
	ndm_set_cwnd(tp, min_t(u32, v->target, tcp_packets_in_flight(tp) +
			       max_t(s32, owed, acked) + 1));
}

/* Proportional rate reduction (RFC 6937); the share kept is a constant. */
static void ndm_v5_reduce(struct sock *sk, const struct rate_sample *rs)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 in_flight = tcp_packets_in_flight(tp);
	s32 room = tp->snd_ssthresh - in_flight;
	s32 owed;

	if (!rs->acked_sacked)
		return;
	if (room < 0) {
		owed = (s32)(((u64)tp->prr_delivered * NDM_CUBIC_KEEP + 1023) >> 10) -
		       (s32)tp->prr_out;
	} else {
		owed = max_t(s32, tp->prr_delivered - tp->prr_out, rs->acked_sacked);
		if (!rs->losses)
			owed++;
		owed = min(owed, room);
	}
	owed = max(owed, tp->prr_out ? 0 : 1);
	ndm_set_cwnd(tp, in_flight + owed);
}

static void ndm_v5_drain(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 drained = ndm_v5_drained(v, ndm_cwnd(tp));

	if (drained >= ndm_cwnd(tp))
		return;
	ndm_v5_count(sk, NDM_REDUCTIONS);
	ndm_set_cwnd(tp, drained);
	tp->snd_ssthresh = min(tp->snd_ssthresh, drained);
}

static void ndm_v5_end_round(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5_round round = {
		.now_us = (u32)tp->tcp_mstamp,
		.delivered = tp->delivered - v->round_end,
		.lost = tp->lost - v->lost_before,
		.window = v->noise ? v->target : ndm_cwnd(tp),
	};

	round.slow_start = round.window < tp->snd_ssthresh;
	ndm_v5_round(v, &round);
	v->round_end = tp->delivered;
	v->lost_before = tp->lost;
	/*
	 * Slow packets are repeated first and then give no sample, so that the
	 * kernel's estimates fall when waiting was too short: follow slowly.
	 */
	v->bound = ndm_v5_has(NDM_V5_MEMORY) ?
		   max(v->bound - (v->bound >> 5), ndm_rack_bound(sk)) : 0;
	ndm_v5_count(sk, NDM_UPDATES);
	ndm_count(sock_net(sk), NDM_ENTROPY +
		  ndm_min(ndm_rounds_entropy(&v->rounds) / 100, NDM_ENTROPY_BINS - 1), 1);

	if (inet_csk(sk)->icsk_ca_state <= TCP_CA_Disorder && !round.slow_start)
		ndm_v5_drain(sk, v);
	if (!v->noise)
		return;
	if (ndm_v5_is_noise(v, ndm_min(v->target, v->limit), ndm_v5_reordered(sk)))
		v->shifts = 0;
	else if (++v->shifts >= 2)
		ndm_v5_cut_target(sk, v);
}

static NDM_CONG_CONTROL(ndm_v5_cong_control)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_v5 *v = inet_csk_ca(sk);
	u32 acked = rs->acked_sacked;
	u8 state = inet_csk(sk)->icsk_ca_state;

	if (rs->rtt_us > 0 && !rs->is_ack_delayed)
		ndm_v5_sample(v, min_t(long, rs->rtt_us, INT_MAX));
	/* A lucky packet that overtook the others does not end a round. */
	if (rs->delivered > 0 && (s32)(rs->prior_delivered - v->round_end) >= 0 &&
	    (u32)tp->tcp_mstamp - v->round_start >= (tp->srtt_us >> 3) - (tp->srtt_us >> 6))
		ndm_v5_end_round(sk, v);

	if (state == TCP_CA_CWR || state == TCP_CA_Recovery) {
		tp->prr_delivered += acked;
		if (v->holding && tp->lost_out && tcp_packets_in_flight(tp) &&
		    (s32)((u32)tp->tcp_mstamp - v->hold_until) < 0) {
			ndm_set_cwnd(tp, tcp_packets_in_flight(tp));
			return;
		}
		v->holding = false;
		/* ECN-Echo amid losses: the network said so itself. */
		if (v->noise && !tp->prior_ssthresh) {
			ndm_v5_count(sk, NDM_ECN_REDUCTIONS);
			ndm_v5_cut_target(sk, v);
			v->noise = false;
			v->target = 0;
		}
		if (v->noise)
			ndm_v5_recover_noise(sk, v, rs);
		else
			ndm_v5_reduce(sk, rs);
		return;
	}
	if (state == TCP_CA_Loss && !tcp_in_slow_start(tp))
		return;
	ndm_set_cwnd(tp, ndm_v5_grow(sk, v, ndm_cwnd(tp), acked));
	if (state != TCP_CA_Loss && tcp_in_slow_start(tp) &&
	    ndm_cwnd(tp) >= NDM_V5_START_LOW && rs->rtt_us > 0 &&
	    ndm_v5_start_over(v, (u32)tp->tcp_mstamp, tcp_min_rtt(tp))) {
		ndm_v5_count(sk, NDM_SLOW_START_EXITS);
		tp->snd_ssthresh = ndm_cwnd(tp);
	}
}

/* Room for what was overtaken and waits, too; the usual factor is 2. */
static u32 ndm_v5_sndbuf_expand(struct sock *sk)
{
	return 3;
}

static size_t ndm_v5_get_info(struct sock *sk, u32 ext, int *attr,
			      union tcp_cc_info *info)
{
	const struct ndm_v5 *v = inet_csk_ca(sk);

	if (!(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	memset(&info->dctcp, 0, sizeof(info->dctcp));
	info->dctcp.dctcp_enabled = 1;
	info->dctcp.dctcp_ce_state = !v->rounds.base ? NDM_NO_DATA :
		ndm_v5_is_noise(v, ndm_cwnd(tcp_sk(sk)), ndm_v5_reordered(sk)) ?
		NDM_NOISE : NDM_CONGESTION;
	info->dctcp.dctcp_alpha = ndm_rounds_entropy(&v->rounds);
	info->dctcp.dctcp_ab_ecn = v->cubic.gain * NDM_SCALE >> NDM_CUBIC_GAIN_SHIFT;
	info->dctcp.dctcp_ab_tot = v->loss * NDM_SCALE >> NDM_V5_LOSS_SHIFT;
	*attr = INET_DIAG_DCTCPINFO;
	return sizeof(info->dctcp);
}

#define NDM_V5_OPS(text) {			\
	.name = (text),				\
	.owner = THIS_MODULE,			\
	.flags = TCP_CONG_NON_RESTRICTED,	\
	.init = ndm_v5_init,			\
	.release = ndm_v5_release,		\
	.pkts_acked = ndm_v5_pkts_acked,	\
	.cong_control = ndm_v5_cong_control,	\
	.ssthresh = ndm_v5_ssthresh,		\
	.set_state = ndm_v5_set_state,		\
	.undo_cwnd = ndm_v5_undo_cwnd,		\
	.sndbuf_expand = ndm_v5_sndbuf_expand,	\
	NDM_V5_TX_START,			\
	.get_info = ndm_v5_get_info,		\
}

struct tcp_congestion_ops ndm_v5_ops __read_mostly = NDM_V5_OPS("ndm_v5");
struct tcp_congestion_ops ndm_v5_chosen_ops __read_mostly = NDM_V5_OPS("ndm");
