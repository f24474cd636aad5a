// SPDX-License-Identifier: GPL-2.0
/* The kernel's TCP sender by packet counts; see model.h. */
#include <string.h>

#include "model_parts.h"

void model_wait(struct conn *c, u64 us)
{
	c->tp.tcp_mstamp += us;
}

/* RTT estimates --------------------------------------------------------------- */

static void set_rto(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;
	u32 us = (tp->srtt_us >> 3) + tp->rttvar_us;

	tp->inet_conn.icsk_rto = min_t(u64, usecs_to_jiffies(us), TCP_RTO_MAX);
}

/* RFC 6298 with the kernel's scales; its smoothing of the variance is left out. */
void take_rtt(struct conn *c, u32 rtt_us)
{
	struct tcp_sock *tp = &c->tp;
	u32 rto_min_us = jiffies_to_usecs(TCP_RTO_MIN);
	s64 error = (s64)rtt_us - (tp->srtt_us >> 3);

	rtt_us = max(rtt_us, 1U);
	c->min_rtt_us = min(c->min_rtt_us, rtt_us);
	tp->rtt_min.s[0].v = min(tp->rtt_min.s[0].v, rtt_us);
	if (!tp->srtt_us) {
		tp->srtt_us = rtt_us << 3;
		tp->mdev_us = rtt_us << 1;
	} else {
		s64 more = (error < 0 ? -error : error) - (tp->mdev_us >> 2);

		tp->srtt_us = max_t(s64, 1, tp->srtt_us + error);
		if (error < 0 && more > 0)
			more >>= 3;
		tp->mdev_us += more;
	}
	tp->rttvar_us = max(tp->mdev_us, rto_min_us);
	set_rto(c);
}

/* Opening, closing, switching ------------------------------------------------- */

static void start_algorithm(struct conn *c)
{
	c->tp.prior_ssthresh = 0;
	if (ops_of(c)->init)
		watch_init(c);
	c->tp.inet_conn.icsk_ca_initialized = 1;
}

static void stop_algorithm(struct conn *c)
{
	if (ops_of(c)->release)
		watch_release(c);
	memset(c->tp.inet_conn.icsk_ca_priv, 0, ICSK_CA_PRIV_SIZE);
	c->tp.inet_conn.icsk_ca_initialized = 0;
}

void model_open(struct conn *c, const char *algorithm, u64 start_us, u32 jiffies,
		u32 cwnd)
{
	struct tcp_sock *tp = &c->tp;

	memset(c, 0, sizeof(*c));
	c->net.ipv4.sysctl_tcp_reordering = 3;
	c->net.ipv4.sysctl_tcp_max_reordering = 300;
	c->net.ipv4.sysctl_tcp_slow_start_after_idle = 1;
	c->net.ipv4.sysctl_tcp_frto = 1;
	c->net.ipv4.sysctl_tcp_recovery = TCP_RACK_LOSS_DETECTION;
	tp->inet_conn.sk.sk_net = &c->net;
	tp->inet_conn.canary_before = MODEL_CANARY;
	tp->inet_conn.canary_behind = MODEL_CANARY;
	tp->inet_conn.icsk_ca_ops = model_ops(algorithm);
	tp->inet_conn.icsk_rto = HZ;
	tp->tcp_mstamp = start_us;
	c->jiffies_at_0 = jiffies - (u32)(start_us / (1000000 / HZ));
	tp->snd_una = jiffies * 2654435761U;
	tp->snd_nxt = tp->snd_una;
	tp->mss_cache = 1448;
	tp->mdev_us = 1000000;
	tp->rtt_min.s[0].v = ~0U;
	c->min_rtt_us = ~0U;
	tp->snd_cwnd = cwnd;
	tp->snd_cwnd_clamp = ~0U;
	tp->snd_ssthresh = TCP_INFINITE_SSTHRESH;
	tp->undo_retrans = -1;
	tp->reordering = 3;
	tp->rack.reo_wnd_steps = 1;
	tp->rx_opt.sack_ok = true;
	tp->rx_opt.tstamp_ok = true;
	tp->lsndtime = model_jiffies(c);
	tp->snd_cwnd_stamp = model_jiffies(c);
	watch_open();
}

void model_established(struct conn *c, u32 rtt_us)
{
	if (rtt_us)
		take_rtt(c, rtt_us);
	start_algorithm(c);
}

void model_switch(struct conn *c, const char *algorithm)
{
	const struct tcp_congestion_ops *next = model_ops(algorithm);

	if (next == ops_of(c))
		return;
	stop_algorithm(c);
	watch_void_reduction();
	c->tp.inet_conn.icsk_ca_ops = next;
	start_algorithm(c);
}

void model_close(struct conn *c)
{
	stop_algorithm(c);
}

/* Sending --------------------------------------------------------------------- */

/* RFC 2861: cwnd that an idle sender did not use is not its own any more. */
static void after_idle(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;
	s32 idle = model_jiffies(c) - tp->lsndtime, rto = tp->inet_conn.icsk_rto;
	u32 cwnd = tp->snd_cwnd, restart = min(cwnd, 10U);

	if (!c->net.ipv4.sysctl_tcp_slow_start_after_idle || tp->packets_out ||
	    ops_of(c)->cong_control || idle <= rto)
		return;
	if (ops_of(c)->cwnd_event)
		watch_event(c, CA_EVENT_CWND_RESTART);
	tp->snd_ssthresh = ssthresh_to_keep(c);
	for (idle -= rto; idle > 0 && cwnd > restart; idle -= rto)
		cwnd >>= 1;
	tcp_snd_cwnd_set(tp, max(cwnd, restart));
	tp->snd_cwnd_stamp = model_jiffies(c);
	tp->snd_cwnd_used = 0;
	watch_void_reduction();
}

static void validate_cwnd(struct conn *c, bool limited)
{
	struct tcp_sock *tp = &c->tp;
	u32 used;

	if (!before(tp->snd_una, tp->cwnd_usage_seq) || limited ||
	    (!tp->is_cwnd_limited && tp->packets_out > tp->max_packets_out)) {
		tp->is_cwnd_limited = limited;
		tp->max_packets_out = tp->packets_out;
		tp->cwnd_usage_seq = tp->snd_nxt;
	}
	if (tcp_is_cwnd_limited(model_sk(c))) {
		tp->snd_cwnd_used = 0;
		tp->snd_cwnd_stamp = model_jiffies(c);
		return;
	}
	tp->snd_cwnd_used = max(tp->snd_cwnd_used, tp->packets_out);
	if (!c->net.ipv4.sysctl_tcp_slow_start_after_idle || ops_of(c)->cong_control ||
	    (s32)(model_jiffies(c) - tp->snd_cwnd_stamp) < (s32)tp->inet_conn.icsk_rto)
		return;
	if (model_state(c) == TCP_CA_Open && !c->sndbuf_full) {
		used = max(tp->snd_cwnd_used, 10U);
		if (used < tp->snd_cwnd) {
			tp->snd_ssthresh = ssthresh_to_keep(c);
			tcp_snd_cwnd_set(tp, (tp->snd_cwnd + used) >> 1);
		}
		tp->snd_cwnd_used = 0;
	}
	tp->snd_cwnd_stamp = model_jiffies(c);
}

void transmit(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;
	u32 pkts = min(c->backlog_pkts, room(c));

	/* A peer's largest receive window. */
	pkts = min(pkts, (1U << 20) - min(tp->packets_out, 1U << 20));
	if (!pkts)
		return;
	/* Where it is an op of its own: none of the algorithms has that. */
	if (!tcp_packets_in_flight(tp) && ops_of(c)->cwnd_event && !c->tx_start_op)
		watch_event(c, CA_EVENT_TX_START);
	c->backlog_pkts -= pkts;
	tp->packets_out += pkts;
	tp->snd_nxt += pkts * tp->mss_cache;
	tp->lsndtime = model_jiffies(c);
	if (reducing(c))
		tp->prr_out += pkts;
	validate_cwnd(c, !room(c) && c->backlog_pkts);
}

void model_send(struct conn *c, u32 pkts)
{
	if (pkts)
		after_idle(c);
	c->backlog_pkts += min(pkts, (1U << 21) - min(c->backlog_pkts, 1U << 21));
	transmit(c);
}

void retransmitted(struct conn *c, u32 pkts)
{
	struct tcp_sock *tp = &c->tp;

	if (!pkts)
		return;
	tp->retrans_out += pkts;
	tp->undo_retrans = (tp->undo_retrans < 0 ? 0 : tp->undo_retrans) + pkts;
	tp->retrans_stamp = true;
	if (reducing(c))
		tp->prr_out += pkts;
}

void retransmit(struct conn *c)
{
	retransmitted(c, min(room(c), c->tp.lost_out - min(c->tp.lost_out, c->tp.retrans_out)));
}
