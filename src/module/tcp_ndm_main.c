// SPDX-License-Identifier: GPL-2.0
/*
 * NDM-TCP: congestion control that puts stability first.
 *
 * Idea: loss alone does not say why a packet was lost. Round-trip times that
 * scatter (high Shannon entropy) tell of radio noise, jitter and reordering;
 * round-trip times that stay together (low entropy) tell of a queue. Toward
 * noise grow at the full share, toward congestion at half of it; a small fixed
 * recurrent network computes the share. How much of the window a loss leaves
 * depends on the verdict, too: see keep_noise in ndm_params.c.
 *
 *   on each ACK:      history <- raw RTT, at most 16 per smoothed RTT
 *   every 8 packets:  entropy <- H(history)
 *                     verdict <- no data | congestion | noise
 *                     growth  <- network(delay, entropy, verdict, losses, ...)
 *   slow start:       cwnd += acked, or acked/2 while congestion is detected
 *   avoidance:        cwnd += acked * growth / divisor / cwnd   (per variant)
 *   on loss:          ssthresh = cwnd * keep(verdict)
 *
 *           fewer than 8 samples             entropy <= threshold
 *   start ------------------------> NO DATA ----------------------> CONGESTION
 *                                  (as Reno)                          |    ^
 *                                      |       entropy > threshold    v    |
 *                                      +---------------------------> NOISE-+
 *   An idle restart leads back to NO DATA.
 *
 * Deviations from the published description, each with its reason:
 *   - An ECN-Echo always counts as congestion, since the network said so itself
 *     (RFC 3168), and an RTO never keeps more than congestion does, since
 *     nothing came back at all (RFC 5681).
 *   - Evidence of delay enters the network negated, since all weights are
 *     negative (ndm_network.h): otherwise a growing queue would speed up growth.
 *   - Fractions of a packet are carried over instead of being cut off.
 *   - Samples are raw RTTs spread over a round trip; smoothed ones, one per
 *     ACK, are nearly equal whatever the path does.
 *   - The window grows only while it is what limits the sender (RFC 7661).
 *
 * The arithmetic is in ndm_flow.c and what it calls, free of kernel headers.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_flow.h"
#include "ndm_params.h"
#include "ndm_stats.h"
#include "ndm_v5_ops.h"

/* A sample per 1/16 of the smoothed RTT; srtt_us is stored times 8. */
#define NDM_SPACING_SHIFT (3 + 4)

static struct tcp_congestion_ops ndm_ops[NDM_ALGORITHMS_FIRST];

static const struct ndm_variant *ndm_variant_of(const struct ndm_flow *flow)
{
	switch (flow->algorithm) {
	case NDM_ALGORITHM_V1:
		return &ndm_v1;
	case NDM_ALGORITHM_V4:
		return &ndm_v4;
	default:
		return READ_ONCE(ndm_chosen_variant);
	}
}

static void ndm_count_sk(const struct sock *sk, enum ndm_counter counter)
{
	ndm_count(sock_net(sk), counter, 1);
}

/*
 * May run in any state before data flows (also in SYN_SENT and SYN_RECV), and
 * twice on kernels before 5.14: nothing is allocated, no RTT is known.
 */
static void ndm_init(struct sock *sk)
{
	struct ndm_flow *flow = inet_csk_ca(sk);

	/* v5 has callbacks of its own: the connection keeps them for good. */
	if (inet_csk(sk)->icsk_ca_ops == &ndm_ops[NDM_ALGORITHM_CHOSEN] &&
	    READ_ONCE(ndm_chosen_variant) == &ndm_v5 && !flow->counted) {
		inet_csk(sk)->icsk_ca_ops = &ndm_v5_chosen_ops;
		ndm_v5_chosen_ops.init(sk);
		return;
	}
	ndm_flow_restart(flow);
	flow->acks = 0;
	flow->acked_seq = tcp_sk(sk)->snd_una;
	if (flow->counted)
		return;
	flow->algorithm = inet_csk(sk)->icsk_ca_ops - ndm_ops;
	flow->counted = true;
	ndm_count(sock_net(sk), ndm_sockets_counter(flow->algorithm), 1);
}

/* Kernels before 6.17 also release sockets that were never initialised. */
static void ndm_release(struct sock *sk)
{
	struct ndm_flow *flow = inet_csk_ca(sk);

	if (!flow->counted)
		return;
	flow->counted = false;
	ndm_count(sock_net(sk), NDM_ACKS, flow->acks);
	flow->acks = 0;
	ndm_count(sock_net(sk), ndm_sockets_counter(flow->algorithm), -1);
}

static void ndm_update(struct sock *sk, struct ndm_flow *flow)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct net *net = sock_net(sk);

	/* Counting ACKs here and not one by one keeps the ACK path short. */
	ndm_count(net, NDM_ACKS, flow->acks);
	ndm_flow_update(flow, ndm_variant_of(flow), &ndm_tuning,
			tcp_min_rtt(tp), tcp_in_slow_start(tp));
	ndm_count(net, NDM_UPDATES, 1);
	ndm_count(net, NDM_ENTROPY + ndm_min(flow->entropy / 100,
					     NDM_ENTROPY_BINS - 1), 1);
}

/*
 * An ACK of less than one full segment may have waited for the receiver's
 * delayed-ACK timer, and that wait is not the path's. The bytes are counted
 * here: ack_sample.in_flight means something else from kernel to kernel.
 */
static bool ndm_maybe_delayed(const struct tcp_sock *tp, struct ndm_flow *flow,
			      u32 packets)
{
	u32 bytes = tp->snd_una - flow->acked_seq;

	flow->acked_seq = tp->snd_una;
	return packets == 1 && bytes < tp->mss_cache;
}

static void ndm_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_flow *flow = inet_csk_ca(sk);
	bool delayed = ndm_maybe_delayed(tp, flow, sample->pkts_acked);

	/* Retransmitted packets yield no sample (Karn), seen as a negative RTT. */
	if (sample->rtt_us >= 0 && !delayed)
		ndm_flow_sample(flow, sample->rtt_us, (u32)tp->tcp_mstamp,
				tp->srtt_us >> NDM_SPACING_SHIFT);
	if (ndm_flow_acked(flow, sample->pkts_acked))
		ndm_update(sk, flow);
}

static void ndm_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_flow *flow = inet_csk_ca(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp)) {
		if (ndm_variant_of(flow)->start_slowly(flow, &ndm_tuning))
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

static void ndm_count_loss(const struct sock *sk, u32 verdict)
{
	static const enum ndm_counter by_verdict[NDM_VERDICTS] = {
		[NDM_NO_DATA] = NDM_LOSS_NODATA,
		[NDM_CONGESTION] = NDM_LOSS_CONGESTION,
		[NDM_NOISE] = NDM_LOSS_NOISE,
	};

	ndm_count_sk(sk, by_verdict[verdict]);
}

static u32 ndm_ssthresh(struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	struct ndm_flow *flow = inet_csk_ca(sk);
	u32 verdict = flow->verdict;

	ndm_count_sk(sk, NDM_REDUCTIONS);
	if (tcp_in_slow_start(tp))
		ndm_count_sk(sk, NDM_SLOW_START_EXITS);
	/* tcp_enter_cwr() zeroes it: ECN-Echo, or a full queue of this host. */
	if (!tp->prior_ssthresh) {
		ndm_count_sk(sk, NDM_ECN_REDUCTIONS);
		verdict = NDM_CONGESTION;
	} else {
		ndm_count_loss(sk, verdict);
	}
	flow->cut_from = verdict == NDM_NOISE ? ndm_cwnd(tp) : 0;
	return ndm_flow_keep(ndm_cwnd(tp), verdict, &ndm_tuning);
}

/*
 * A timeout means that nothing came back: whatever the entropy said when the
 * window was cut, keep no more than the share of congestion.
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

static void ndm_set_state(struct sock *sk, u8 new_state)
{
	struct ndm_flow *flow = inet_csk_ca(sk);

	switch (new_state) {
	case TCP_CA_CWR:
	case TCP_CA_Recovery:
		ndm_flow_loss(flow, false);
		break;
	case TCP_CA_Loss:
		ndm_enter_loss(sk, flow);
		break;
	case TCP_CA_Open:
		flow->cut_from = 0;
		break;
	}
}

static u32 ndm_undo_cwnd(struct sock *sk)
{
	ndm_flow_undo(inet_csk_ca(sk));
	ndm_count_sk(sk, NDM_UNDOS);
	return tcp_reno_undo_cwnd(sk);
}

static void ndm_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	/* After an idle time the path may be another one. */
	if (event == CA_EVENT_CWND_RESTART)
		ndm_flow_restart(inet_csk_ca(sk));
}

/*
 * ss(8) prints no field of the Vegas attribute, so the DCTCP one carries the
 * state: ce_state is the verdict, alpha the entropy, ab_ecn the growth and
 * ab_tot the plasticity. Both are asked for with the Vegas bit.
 */
static size_t ndm_get_info(struct sock *sk, u32 ext, int *attr,
			   union tcp_cc_info *info)
{
	const struct ndm_flow *flow = inet_csk_ca(sk);

	if (!(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	memset(&info->dctcp, 0, sizeof(info->dctcp));
	info->dctcp.dctcp_enabled = 1;
	info->dctcp.dctcp_ce_state = flow->verdict;
	info->dctcp.dctcp_alpha = flow->entropy;
	info->dctcp.dctcp_ab_ecn = flow->growth;
	info->dctcp.dctcp_ab_tot = flow->plasticity;
	*attr = INET_DIAG_DCTCPINFO;
	return sizeof(info->dctcp);
}

/* Not restricted, else containers and unprivileged programs cannot choose it. */
#define NDM_OPS(text) {				\
	.name = (text),				\
	.owner = THIS_MODULE,			\
	.flags = TCP_CONG_NON_RESTRICTED,	\
	.init = ndm_init,			\
	.release = ndm_release,			\
	.pkts_acked = ndm_pkts_acked,		\
	.cong_avoid = ndm_cong_avoid,		\
	.ssthresh = ndm_ssthresh,		\
	.set_state = ndm_set_state,		\
	.undo_cwnd = ndm_undo_cwnd,		\
	.cwnd_event = ndm_cwnd_event,		\
	.get_info = ndm_get_info,		\
}

static struct tcp_congestion_ops ndm_ops[NDM_ALGORITHMS_FIRST] __read_mostly = {
	[NDM_ALGORITHM_CHOSEN] = NDM_OPS("ndm"),
	[NDM_ALGORITHM_V1] = NDM_OPS("ndm_v1"),
	[NDM_ALGORITHM_V4] = NDM_OPS("ndm_v4"),
};

static struct tcp_congestion_ops *const ndm_registered[NDM_ALGORITHMS] = {
	[NDM_ALGORITHM_CHOSEN] = &ndm_ops[NDM_ALGORITHM_CHOSEN],
	[NDM_ALGORITHM_V1] = &ndm_ops[NDM_ALGORITHM_V1],
	[NDM_ALGORITHM_V4] = &ndm_ops[NDM_ALGORITHM_V4],
	[NDM_ALGORITHM_V5] = &ndm_v5_ops,
};

static int __init ndm_register(void)
{
	int i, err;

	BUILD_BUG_ON(sizeof(struct ndm_flow) > ICSK_CA_PRIV_SIZE);

	err = ndm_stats_init();
	if (err)
		return err;
	for (i = 0; i < NDM_ALGORITHMS; i++) {
		err = tcp_register_congestion_control(ndm_registered[i]);
		if (err)
			goto err_unregister;
	}
	pr_info("version %s, ndm is %s\n", NDM_VERSION, ndm_chosen_variant->name);
	return 0;

err_unregister:
	while (i-- > 0)
		tcp_unregister_congestion_control(ndm_registered[i]);
	ndm_stats_exit();
	return err;
}

static void __exit ndm_unregister(void)
{
	int i = NDM_ALGORITHMS;

	while (i-- > 0)
		tcp_unregister_congestion_control(ndm_registered[i]);
	ndm_stats_exit();
}

module_init(ndm_register);
module_exit(ndm_unregister);

MODULE_AUTHOR("The ndm-tcp developers");
MODULE_LICENSE("GPL v2");
MODULE_DESCRIPTION("NDM-TCP congestion control: stability first");
MODULE_VERSION(NDM_VERSION);
/* The kernel asks for tcp_NAME when NAME is chosen and unknown. */
MODULE_ALIAS("tcp_ndm_v1");
MODULE_ALIAS("tcp_ndm_v4");
MODULE_ALIAS("tcp_ndm_v5");
