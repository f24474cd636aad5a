// SPDX-License-Identifier: GPL-2.0
/*
 * Variants v1 and v4: callbacks that use the arithmetic of flow.c.
 *
 * A loss does not say why the packet was lost. Scattered RTTs (high Shannon
 * entropy) indicate radio noise, jitter or reordering; RTTs close together (low
 * entropy) indicate a queue. On noise cwnd grows by the full share, on
 * congestion by half of it; a small fixed recurrent network computes the share.
 * How much of cwnd a loss event leaves depends on the verdict as well.
 *
 *   each ACK:         history <- raw RTT, at most 16 per smoothed RTT
 *   each 8 packets:   entropy <- H(history)
 *                     verdict <- no data | congestion | noise
 *                     growth  <- network(delay, entropy, verdict, losses, ...)
 *   slow start:       cwnd += acked, or acked/2 on congestion
 *   avoidance:        cwnd += acked * growth / divisor / cwnd   (per variant)
 *   loss event:       ssthresh = cwnd * keep(verdict)
 *
 *           fewer than 8 samples             entropy <= threshold
 *   start ------------------------> NO DATA ----------------------> CONGESTION
 *                                  (as Reno)                          |    ^
 *                                      |       entropy > threshold    v    |
 *                                      +---------------------------> NOISE-+
 *   An idle period leads back to NO DATA.
 *
 * Deviations from the published description, each with its reason:
 *   - An ECN-Echo always counts as congestion (RFC 3168), and an RTO never keeps
 *     more than congestion does (RFC 5681).
 *   - Inputs that indicate delay are negated, because all weights are negative
 *     (network.h): otherwise a growing queue would increase the growth.
 *   - Fractions of a packet are carried over instead of being dropped.
 *   - Samples are raw RTTs spread over one RTT; smoothed ones, one per ACK, are
 *     nearly equal on any path.
 *   - cwnd grows only while it limits the sender (RFC 7661).
 */
#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "../fields.h"
#include "../kernel.h"
#include "../params.h"
#include "../stats.h"
#include "callbacks.h"
#include "flow.h"

/* One sample per 1/16 of the smoothed RTT; srtt_us is 8 times that RTT. */
#define NDM_SPACING_SHIFT (3 + 4)

static bool ndm_flow_v4(const struct ndm_flow *flow)
{
	u32 algorithm = flow->id.algorithm;

	if (algorithm == NDM_ALGORITHM_CHOSEN)
		algorithm = READ_ONCE(ndm_chosen);
	/* The parameter changed to v5 later: the connection continues as v1. */
	return algorithm == NDM_ALGORITHM_V4;
}

/* Nothing before init(): the RTO of a SYN is no event of the connection. */
static void ndm_count_sk(const struct sock *sk, enum ndm_counter counter)
{
	const struct ndm_id *id = inet_csk_ca(sk);

	if (id->counted)
		ndm_count(sock_net(sk), counter, 1);
}

void ndm_flow_init(struct sock *sk)
{
	struct ndm_flow *flow = inet_csk_ca(sk);

	ndm_flow_restart(flow);
	flow->acks = 0;
	flow->acked_seq = tcp_sk(sk)->snd_una;
}

void ndm_flow_release(struct sock *sk)
{
	struct ndm_flow *flow = inet_csk_ca(sk);

	ndm_count(sock_net(sk), NDM_ACKS, flow->acks);
	flow->acks = 0;
}

static void ndm_update(struct sock *sk, struct ndm_flow *flow)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct net *net = sock_net(sk);

	/* Counting ACKs here, not one by one, keeps the ACK path short. */
	ndm_count(net, NDM_ACKS, flow->acks);
	ndm_flow_update(flow, ndm_flow_v4(flow), &ndm_tuning, tcp_min_rtt(tp),
			tcp_in_slow_start(tp));
	ndm_count(net, NDM_UPDATES, 1);
	ndm_count(net, NDM_ENTROPY + ndm_min(flow->entropy / 100,
					     NDM_ENTROPY_BINS - 1), 1);
}

/*
 * An ACK of less than one full segment may have waited for the receiver's
 * delayed-ACK timer, so its RTT is no sample of the path. Bytes are counted
 * here because ack_sample.in_flight differs between kernels.
 */
static bool ndm_maybe_delayed(const struct tcp_sock *tp, struct ndm_flow *flow,
			      u32 packets)
{
	u32 bytes = tp->snd_una - flow->acked_seq;

	flow->acked_seq = tp->snd_una;
	return packets == 1 && bytes < tp->mss_cache;
}

void ndm_flow_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_flow *flow = inet_csk_ca(sk);
	bool delayed = ndm_maybe_delayed(tp, flow, sample->pkts_acked);

	/*
	 * Negative: no sample. Retransmitted packets give one only with
	 * timestamps, which show which copy arrived.
	 */
	if (sample->rtt_us >= 0 && !delayed)
		ndm_flow_sample(flow, sample->rtt_us, (u32)tp->tcp_mstamp,
				tp->srtt_us >> NDM_SPACING_SHIFT);
	if (ndm_flow_acked(flow, sample->pkts_acked))
		ndm_update(sk, flow);
}

void ndm_flow_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_flow *flow = inet_csk_ca(sk);

	if (!acked || !tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		if (ndm_variant_starts_slowly(ndm_flow_v4(flow), flow, &ndm_tuning))
			acked = ndm_flow_half(flow, acked);
		if (acked)
			acked = tcp_slow_start(tp, acked);
		if (!tcp_in_slow_start(tp))
			ndm_count_sk(sk, NDM_SLOW_START_EXITS);
		if (!acked)
			return;
	}
	tcp_cong_avoid_ai(tp, ndm_cwnd(tp), ndm_flow_credit(flow, acked));
}

u32 ndm_flow_ssthresh(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_flow *flow = inet_csk_ca(sk);
	u32 verdict = flow->verdict;

	ndm_count_sk(sk, NDM_REDUCTIONS);
	if (tcp_in_slow_start(tp))
		ndm_count_sk(sk, NDM_SLOW_START_EXITS);
	/* tcp_enter_cwr() zeroes it: ECN-Echo, or a full queue of this host. */
	ndm_count_sk(sk, NDM_LOSSES + (tp->prior_ssthresh ? verdict : NDM_ECN));
	if (!tp->prior_ssthresh)
		verdict = NDM_CONGESTION;
	flow->cut_from = verdict == NDM_NOISE ? ndm_cwnd(tp) : 0;
	return ndm_flow_keep(ndm_cwnd(tp), verdict, &ndm_tuning);
}

/*
 * After an RTO keep no more than the share of congestion, whatever the verdict
 * was when cwnd was cut.
 */
static void ndm_enter_loss(struct sock *sk, struct ndm_flow *flow)
{
	struct tcp_sock *tp = tcp_sk(sk);

	ndm_count_sk(sk, NDM_RTOS);
	ndm_flow_loss(flow, true);
	if (!flow->cut_from)
		return;
	tp->snd_ssthresh = ndm_min(tp->snd_ssthresh,
				   ndm_flow_keep(flow->cut_from, NDM_CONGESTION,
						 &ndm_tuning));
	flow->cut_from = 0;
}

void ndm_flow_set_state(struct sock *sk, u8 new_state)
{
	struct ndm_flow *flow = inet_csk_ca(sk);

	switch (new_state) {
	case TCP_CA_CWR:
	case TCP_CA_Recovery:
		ndm_flow_loss(flow, false);
		break;
	case TCP_CA_Loss:
		if (ndm_is_timeout(sk))
			ndm_enter_loss(sk, flow);
		break;
	case TCP_CA_Open:
		flow->cut_from = 0;
		break;
	}
}

u32 ndm_flow_undo_cwnd(struct sock *sk)
{
	ndm_flow_undo(inet_csk_ca(sk));
	ndm_count_sk(sk, NDM_UNDOS);
	return tcp_reno_undo_cwnd(sk);
}

void ndm_flow_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	/* After an idle period the path may be different. */
	if (event == CA_EVENT_CWND_RESTART)
		ndm_flow_restart(inet_csk_ca(sk));
}

void ndm_flow_info(const struct sock *sk, struct tcp_dctcp_info *info)
{
	const struct ndm_flow *flow = inet_csk_ca(sk);

	info->dctcp_ce_state = flow->verdict;
	info->dctcp_alpha = flow->entropy;
	info->dctcp_ab_ecn = flow->growth;
	info->dctcp_ab_tot = flow->plasticity;
}
