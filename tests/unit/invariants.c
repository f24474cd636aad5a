// SPDX-License-Identifier: GPL-2.0
/* What holds after any call, and from init to release; see invariants.h. */
#include <stdio.h>

#include "invariants_parts.h"

struct watched w;

bool watch_failed(void)
{
	return hold_broken && !watch_all;
}

u64 watch_digest(void)
{
	return w.digest;
}

u32 verdict_of(struct conn *c)
{
	union tcp_cc_info info;
	int attr;

	memset(&info, 0, sizeof(info));
	c->tp.inet_conn.icsk_ca_ops->get_info(model_sk(c), 1 << (INET_DIAG_VEGASINFO - 1),
					      &attr, &info);
	return info.dctcp.dctcp_ce_state;
}

void check(struct conn *c, const struct tcp_sock *was, u32 may, const char *call)
{
	struct tcp_sock *tp = &c->tp;
	struct tcp_sock same = *was;

	if (watch_trace)
		printf("# %14llu us %s: state %u cwnd %u ssthresh %u out %u sacked %u lost %u retrans %u rack %u x%u srtt %u rto %u verdict %u\n",
		       (unsigned long long)tp->tcp_mstamp, call, model_state(c), tp->snd_cwnd,
		       tp->snd_ssthresh, tp->packets_out, tp->sacked_out, tp->lost_out,
		       tp->retrans_out, tp->rack.rtt_us, tp->rack.reo_wnd_steps, tp->srtt_us >> 3,
		       jiffies_to_usecs(tp->inet_conn.icsk_rto), is_ours(c) ? verdict_of(c) : 0);
	if (!is_ours(c))
		return;
	mix(tp->snd_cwnd);
	mix(tp->snd_ssthresh);
	hold(CANARY, tp->inet_conn.canary_before == MODEL_CANARY &&
	     tp->inet_conn.canary_behind == MODEL_CANARY, "%s", call);
	hold(CWND_SANE, !model_bad_cwnd, "%s: cwnd %u", call, tp->snd_cwnd);
	if (tp->snd_cwnd != was->snd_cwnd)
		hold(CWND_RANGE, tp->snd_cwnd && tp->snd_cwnd <= tp->snd_cwnd_clamp,
		     "%s: cwnd %u, before %u, clamp %u", call, tp->snd_cwnd, was->snd_cwnd,
		     tp->snd_cwnd_clamp);
	memcpy(same.inet_conn.icsk_ca_priv, tp->inet_conn.icsk_ca_priv, ICSK_CA_PRIV_SIZE);
	if (may & MAY_CWND) {
		same.snd_cwnd = tp->snd_cwnd;
		same.snd_cwnd_cnt = tp->snd_cwnd_cnt;
	}
	if (may & MAY_SSTHRESH)
		same.snd_ssthresh = tp->snd_ssthresh;
	if (may & MAY_RACK_RTT)
		same.rack.rtt_us = tp->rack.rtt_us;
	if (may & MAY_PRR)
		same.prr_out = tp->prr_out;
	if (may & MAY_PRIOR_CWND)
		same.prior_cwnd = tp->prior_cwnd;
	hold(FIELDS, !memcmp(&same, tp, sizeof(same)), "%s writes a field it should not", call);
}

static void check_gauges(bool counted)
{
	long sum = 0;
	u32 i;

	for (i = 0; i < NDM_ALGORITHMS; i++) {
		hold(GAUGES, model_counter[NDM_SOCKETS + i] >= 0, "gauge %u is negative", i);
		sum += model_counter[NDM_SOCKETS + i];
	}
	hold(GAUGES, sum == counted, "gauges count %ld of %d connections", sum, counted);
}

void watch_open(void)
{
	memset(&w, 0, sizeof(w));
	hold_broken = false;
	w.digest = 0xcbf29ce484222325ULL;
	model_bad_cwnd = 0;
}

void watch_init(struct conn *c)
{
	struct tcp_sock was = c->tp;

	c->tp.inet_conn.icsk_ca_ops->init(model_sk(c));
	if (!is_ours(c))
		return;
	w.grown = 0;
	w.grown_of = 0;
	w.sampled_us = 0;
	w.cut_known = false;
	w.reord_seen = c->tp.reord_seen;
	w.reord_rounds = UINT32_MAX / 2;
	w.rounds_start = model_counter[NDM_UPDATES];
	check(c, &was, 0, "init");
	check_gauges(true);
}

void watch_release(struct conn *c)
{
	struct tcp_sock was = c->tp;

	c->tp.inet_conn.icsk_ca_ops->release(model_sk(c));
	check(c, &was, 0, "release");
	check_gauges(false);
}

u32 watch_info(struct conn *c)
{
	struct tcp_sock was = c->tp;
	union tcp_cc_info info;
	int attr = 0;

	if (!is_ours(c))
		return 0;
	memset(&info, 0xff, sizeof(info));
	hold(INFO, !was.inet_conn.icsk_ca_ops->get_info(model_sk(c), 0, &attr, &info) && !attr,
	     "it answers what was not asked for");
	c->tp.inet_conn.icsk_ca_ops->get_info(model_sk(c), 1 << (INET_DIAG_VEGASINFO - 1), &attr,
					      &info);
	hold(INFO, !memcmp(&was, &c->tp, sizeof(was)), "it changes the socket");
	hold(INFO, attr == INET_DIAG_DCTCPINFO && info.dctcp.dctcp_ce_state < NDM_VERDICTS &&
	     info.dctcp.dctcp_alpha <= 1000 && info.dctcp.dctcp_ab_ecn <= 1000 &&
	     info.dctcp.dctcp_ab_tot <= 1000 && info.dctcp.dctcp_enabled == 1,
	     "state %u, entropy %u, growth %u, share %u", info.dctcp.dctcp_ce_state,
	     info.dctcp.dctcp_alpha, info.dctcp.dctcp_ab_ecn, info.dctcp.dctcp_ab_tot);
	return info.dctcp.dctcp_ce_state;
}
