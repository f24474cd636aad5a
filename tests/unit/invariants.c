// SPDX-License-Identifier: GPL-2.0
/* Invariants of the congestion control's calls; see invariants.h. */
#include <stdio.h>
#include <string.h>

#include "../../src/module/params.h"
#include "../../src/module/v5/state.h"
#include "../../src/module/v5/queue_test.h"
#include "claims.h"
#include "invariants.h"

/* What was seen of the present connection. */
static struct {
	struct conn *c;
	u64 digest;
	u64 sampled_us;		/* newest RTT sample, 0 is none */
	u64 reord_round_us;	/* end of the latest round with reordering */
	u32 reord_rounds;	/* rounds since then */
	u32 reord_seen;
	long rounds_start;	/* NDM_UPDATES at init */
	u64 grown, grown_of;	/* beyond slow start: packets, of so many acknowledged */
	bool reducing;		/* the following five hold */
	bool kept;		/* it began as noise */
	bool ended;		/* the reduction is over */
	u32 rounds_after;	/* rounds since then */
	u32 cwnd_before, delivered_before;
	u32 delivered_last, delivered_now;	/* by the ACK before, by this one */
	u32 cut_of;		/* cwnd_before; in a test of a queue cwnd before that */
	bool testing;		/* a test of a queue goes on, before the call */
	u64 cut_us;
	struct ndm_cubic cubic_before;
	u32 round_before_us;	/* age of the round at the cut */
	bool cut_known;		/* cwnd_before holds, for an undo */
	bool confirms;		/* ssthresh() ends the cut before */
	bool cut_at_once;	/* and so do the three of CUBIC */
	u64 held_since_us;
	u32 held_for_us;
	bool tail;		/* a tail loss probe repaired what ssthresh() is called for */
	bool network_said;	/* ECN or a full local queue since the latest ssthresh() */
} w;

bool watch_failed(void)
{
	return hold_broken && !watch_all;
}

u64 watch_digest(void)
{
	return w.digest;
}

static bool is_ours(const struct conn *c)
{
	return !strncmp(c->tp.inet_conn.icsk_ca_ops->name, "ndm", 3);
}

/* Only between init() and release(). */
static struct ndm_v5 *v5_of(struct conn *c)
{
	struct ndm_id *id = inet_csk_ca(model_sk(c));

	return is_ours(c) && id->counted && id->v5 ? inet_csk_ca(model_sk(c)) : NULL;
}

static u32 tick(const struct conn *c)
{
	return c->tp.tcp_mstamp >> NDM_TICK_SHIFT;
}

static u32 verdict_of(struct conn *c)
{
	union tcp_cc_info info;
	int attr;

	memset(&info, 0, sizeof(info));
	c->tp.inet_conn.icsk_ca_ops->get_info(model_sk(c), 1 << (INET_DIAG_VEGASINFO - 1),
					      &attr, &info);
	return info.dctcp.dctcp_ce_state;
}

/* Fields that a call may change. */
enum {
	MAY_CWND = 1, MAY_SSTHRESH = 2, MAY_RACK_STEPS = 4, MAY_RACK_RTT = 8, MAY_PACING = 16, MAY_PRR = 32,
	MAY_PRIOR_CWND = 64,
};

static void mix(u64 value)
{
	w.digest = (w.digest ^ value) * 0x100000001b3ULL;
}

static void check_epoch(struct conn *c)
{
	const struct ndm_v5 *v = v5_of(c);

	if (!v || !v->cubic.w_est_pkts)
		return;
	hold(EPOCH_PAST, (s32)(tick(c) - v->cubic.epoch_tick) >= 0,
	     "epoch at tick %u, now %u", v->cubic.epoch_tick, tick(c));
}

static void check(struct conn *c, const struct tcp_sock *was, u32 may, const char *call)
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
	if (may & MAY_RACK_STEPS) {
		same.rack.reo_wnd_steps = tp->rack.reo_wnd_steps;
		same.rack.reo_wnd_persist = tp->rack.reo_wnd_persist;
	}
	if (may & MAY_RACK_RTT) {
		same.rack.rtt_us = tp->rack.rtt_us;
		same.rtt_min.s[0].v = tp->rtt_min.s[0].v;
	}
	if (may & MAY_PRR)
		same.prr_out = tp->prr_out;
	if (may & MAY_PRIOR_CWND)
		same.prior_cwnd = tp->prior_cwnd;
	if (may & MAY_PACING)
		same.inet_conn.sk.sk_pacing_status = tp->inet_conn.sk.sk_pacing_status;
	hold(FIELDS, !memcmp(&same, tp, sizeof(same)), "%s writes a field it should not", call);
	check_epoch(c);
}

static void check_gauges(struct conn *c, bool counted)
{
	long sum = 0;
	u32 i;

	for (i = 0; i < NDM_ALGORITHMS; i++) {
		hold(GAUGES, model_counter[NDM_SOCKETS + i] >= 0, "gauge %u is negative", i);
		sum += model_counter[NDM_SOCKETS + i];
	}
	hold(GAUGES, sum == counted, "gauges count %ld of %d connections", sum, counted);
	(void)c;
}

void watch_open(struct conn *c)
{
	memset(&w, 0, sizeof(w));
	hold_broken = false;
	w.c = c;
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
	check(c, &was, MAY_PACING, "init");
	check_gauges(c, true);
}

static void check_rack_off(struct conn *c, const char *when)
{
	hold(RACK_OFF, c->tp.rack.reo_wnd_steps <= c->rack_steps &&
	     c->tp.rack.reo_wnd_persist <= c->rack_persist, "%s: %u steps for %u recoveries, %u without us",
	     when, c->tp.rack.reo_wnd_steps, c->tp.rack.reo_wnd_persist, c->rack_steps);
}

void watch_release(struct conn *c)
{
	struct tcp_sock was = c->tp;

	c->tp.inet_conn.icsk_ca_ops->release(model_sk(c));
	check(c, &was, MAY_RACK_STEPS | MAY_RACK_RTT | MAY_SSTHRESH | MAY_PRR, "release");
	check_gauges(c, false);
	check_rack_off(c, "release");
}

void watch_closed(void)
{
	check_gauges(w.c, false);
}

static void check_rack_wait(struct conn *c, const struct tcp_sock *was)
{
	const struct tcp_sock *tp = &c->tp;
	u32 rto_us = jiffies_to_usecs(tp->inet_conn.icsk_rto);
	u32 wait_us = tp->rack.rtt_us +
		      model_rack_window(c, tcp_min_rtt(tp), tp->rack.reo_wnd_steps);
	u32 plain_us = c->rack_rtt_us + model_rack_window(c, tcp_min_rtt(tp), c->rack_steps);

	if (!READ_ONCE(ndm_tuning.rack_assist))
		check_rack_off(c, "an ACK with rack_assist=0");
	hold(RACK_WAIT, tcp_min_rtt(tp) <= max(tcp_min_rtt(was), tp->srtt_us >> 9),
	     "the smallest RTT becomes %u us, srtt %u us", tcp_min_rtt(tp), tp->srtt_us >> 3);
	if (tcp_is_sack(tp) && tp->srtt_us)
		hold(RACK_WAIT, wait_us <= max(rto_us, plain_us),
		     "waits for %u us, RTO %u us, without us %u us, srtt %u us", wait_us, rto_us,
		     plain_us, tp->srtt_us >> 3);
}

/* Where a round ended: how old is what counts as reordering? */
static void check_reordering(struct conn *c, const struct ndm_v5 *v)
{
	u64 age_us;

	if (c->tp.reord_seen != w.reord_seen) {
		w.reord_seen = c->tp.reord_seen;
		w.reord_rounds = 0;
		w.reord_round_us = c->tp.tcp_mstamp;
		return;
	}
	w.reord_rounds++;
	age_us = c->tp.tcp_mstamp - w.reord_round_us;
	if (v->reordering.rounds)
		hold(REORDERING_FRESH, w.reord_rounds <= 16 && age_us <= 16 << 18,
		     "it was seen %u rounds and %llu us ago", w.reord_rounds,
		     (unsigned long long)age_us);
}

/* Nothing is sent amid a recovery: only there, for a smoothed RTT at most, and then on as judged. */
static void check_holding(struct conn *c, const struct ndm_v5 *v, bool before)
{
	const struct tcp_sock *tp = &c->tp;

	if (v->hold.on && !before) {
		w.held_since_us = tp->tcp_mstamp;
		w.held_for_us = tp->srtt_us >> 3;
	}
	if (v->hold.on)
		hold(HOLDING, tp->snd_ssthresh == 1 && model_state(c) == TCP_CA_Recovery &&
		     tp->tcp_mstamp - w.held_since_us <= w.held_for_us,
		     "ssthresh %u, state %u, for %llu of %u us", tp->snd_ssthresh, model_state(c),
		     (unsigned long long)(tp->tcp_mstamp - w.held_since_us), w.held_for_us);
	else if (before)
		hold(HOLDING, tp->snd_ssthresh >= 2 &&
		     tp->snd_ssthresh <= max(tp->prior_cwnd, 2U) +
		     (tp->delivered - w.delivered_before) / 2 + 1,
		     "afterwards ssthresh is %u, cwnd was %u", tp->snd_ssthresh, tp->prior_cwnd);
}

void watch_pkts_acked(struct conn *c, const struct ack_sample *sample)
{
	struct tcp_sock *tp = &c->tp, was = *tp;
	long rounds = model_counter[NDM_UPDATES];
	struct ndm_v5 *v = v5_of(c);
	bool held = v && v->hold.on, tested = v && ndm_queue_test_holds(v);
	u32 ack_verdict;

	w.delivered_last = w.delivered_now;
	w.delivered_now = tp->delivered;
	tp->inet_conn.icsk_ca_ops->pkts_acked(model_sk(c), sample);
	check(c, &was, MAY_CWND | MAY_SSTHRESH | MAY_PRR | MAY_PRIOR_CWND | MAY_RACK_STEPS |
	      MAY_RACK_RTT, "pkts_acked");
	hold(GROWTH_NONE, tp->snd_cwnd <= was.snd_cwnd, "pkts_acked: cwnd %u, before %u",
	     tp->snd_cwnd, was.snd_cwnd);
	if (!v)
		return;
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1))
		w.sampled_us = tp->tcp_mstamp;
	ack_verdict = verdict_of(c);
	check_holding(c, v, held);
	/* The kernel sends ssthresh / prior_cwnd of all that has arrived while more is in flight. */
	if (v->noise && model_state(c) == TCP_CA_Recovery)
		hold(PRR_SHARE, tp->snd_ssthresh <= max(tp->prior_cwnd, 2U),
		     "ssthresh %u, cwnd was %u", tp->snd_ssthresh, tp->prior_cwnd);
	if (tp->snd_ssthresh > was.snd_ssthresh && !held)
		hold(SSTHRESH_RAISED, (model_state(c) >= TCP_CA_CWR && ack_verdict == NDM_NOISE) ||
		     (!tested && v->test.step == NDM_TEST_DRAIN && tp->snd_ssthresh <= was.snd_cwnd),
		     "ssthresh %u, before %u, state %u, verdict %u", tp->snd_ssthresh,
		     was.snd_ssthresh, model_state(c), ack_verdict);
	if (v->noise)
		hold(ECN_CUTS, tp->prior_ssthresh, "ECN-Echo was seen, cwnd is kept");
	if (ack_verdict == NDM_ECN)
		hold(ECN_TRUE, w.network_said, "after an ACK in state %u", model_state(c));
	check_rack_wait(c, &was);
	if (model_counter[NDM_UPDATES] == rounds)
		return;
	check_reordering(c, v);
	if (!v->reordering.rounds && v->losses.share > 65536 / 20 && v->rounds.base_us)
		hold(BASE_LOW, v->rounds.base_us <= tcp_min_rtt(tp) + v->rounds.jitter_us, "the base is %u us, the smallest RTT %u us, jitter %u us",
		     v->rounds.base_us, tcp_min_rtt(tp), v->rounds.jitter_us);
	w.rounds_after += w.ended && model_state(c) <= TCP_CA_Disorder;
}

static u32 reno_growth(const struct conn *c, u32 acked)
{
	struct conn copy = *c;
	struct sock *sk = model_sk(&copy);

	model_ops("reno")->cong_avoid(sk, 0, acked);
	return copy.tp.snd_cwnd - c->tp.snd_cwnd;
}

void watch_cong_avoid(struct conn *c, u32 acked)
{
	struct tcp_sock *tp = &c->tp, was = *tp;
	bool start = tcp_in_slow_start(tp);
	u32 grown;

	tp->inet_conn.icsk_ca_ops->cong_avoid(model_sk(c), tp->snd_una, acked);
	tp->snd_cwnd_stamp = was.snd_cwnd_stamp;
	check(c, &was, MAY_CWND | MAY_SSTHRESH, "cong_avoid");
	tp->snd_cwnd_stamp = model_jiffies(c);
	if (!is_ours(c))
		return;
	hold(CWND_RANGE, tp->snd_cwnd >= was.snd_cwnd || was.snd_cwnd > was.snd_cwnd_clamp,
	     "cong_avoid: cwnd falls from %u to %u", was.snd_cwnd, tp->snd_cwnd);
	grown = tp->snd_cwnd - min(was.snd_cwnd, tp->snd_cwnd);
	if (!acked)
		hold(GROWTH_NONE, !grown, "cong_avoid: cwnd %u, before %u", tp->snd_cwnd,
		     was.snd_cwnd);
	if (start)
		hold(GROWTH_START, grown <= acked, "%u packets for %u", grown, acked);
	if (!v5_of(c)) {
		struct conn before = *c;

		before.tp = was;
		hold(GROWTH_RENO, grown <= reno_growth(&before, acked), "%u packets for %u", grown,
		     acked);
	} else if (!start) {
		hold(GROWTH_AVOIDANCE, grown <= acked / 2 + 1, "%u packets for %u", grown, acked);
		w.grown += grown;
		w.grown_of += acked;
		hold(GROWTH_SUM, w.grown <= w.grown_of / 2 + 1 + model_counter[NDM_UPDATES] -
		     w.rounds_start, "%llu packets for %llu in %ld rounds", (unsigned long long)w.grown,
		     (unsigned long long)w.grown_of, model_counter[NDM_UPDATES] - w.rounds_start);
	}
}

/* The present recovery: cwnd before it and half of what arrived since. */
static u32 with_growth(const struct conn *c)
{
	return w.cwnd_before + (c->tp.delivered - w.delivered_before) / 2 + 1;
}

static void check_ssthresh(struct conn *c, u32 ssthresh, u32 verdict)
{
	const struct tcp_sock *tp = &c->tp;
	const struct ndm_v5 *v = v5_of(c);
	u64 limit_us = (u64)(tp->srtt_us >> 2) + jiffies_to_usecs(tp->inet_conn.icsk_rto);
	u32 kept = min(max(tp->snd_cwnd, 2U), max((u32)((u64)w.cut_of * 717 >> 10), 2U));

	hold(SSTHRESH_FINITE, ssthresh && ssthresh <= max(tp->snd_cwnd, 2U), "%u of %u", ssthresh,
	     tp->snd_cwnd);
	if (!v)
		return;
	if (verdict == NDM_NOISE) {
		hold(SSTHRESH_NOISE, ssthresh == max(tp->snd_cwnd, 2U), "%u of %u", ssthresh, tp->snd_cwnd);
		hold(NOISE_FRESH, w.sampled_us && tp->tcp_mstamp - w.sampled_us <= limit_us,
		     "the newest sample is %llu us old, 2 srtt + RTO is %llu us",
		     (unsigned long long)(tp->tcp_mstamp - w.sampled_us), (unsigned long long)limit_us);
		hold(NOISE_RTT, v->rounds.base_us >= 1000, "the base is %u us", v->rounds.base_us);
	} else {
		hold(SSTHRESH_CUT, ssthresh == kept, "%u of %u, %u before a test", ssthresh, tp->snd_cwnd, w.cut_of);
	}
	if (!tp->prior_ssthresh && !w.tail)
		hold(ECN_CUTS, verdict == NDM_ECN, "the verdict is %u", verdict);
	w.cut_at_once = verdict != NDM_NOISE;
	w.cut_us = tp->tcp_mstamp;
	if (w.confirms)
		w.cubic_before = v->cubic;
	w.round_before_us = (u32)tp->tcp_mstamp - v->round_start_us;
}

u32 watch_ssthresh(struct conn *c)
{
	const struct ndm_v5 *v = v5_of(c);
	struct tcp_sock was = c->tp;
	u32 ssthresh, verdict;

	/* An earlier cut is confirmed first. */
	w.confirms = v && v->cut_from_pkts;
	if (v)
		w.cubic_before = v->cubic;
	w.cut_of = v && ndm_queue_test_holds(v) ? max(was.snd_cwnd, was.snd_ssthresh) : was.snd_cwnd;
	w.testing = v && ndm_queue_test_holds(v);
	w.tail = v && v->tail;
	ssthresh = c->tp.inet_conn.icsk_ca_ops->ssthresh(model_sk(c));
	w.reducing = false;
	if (!is_ours(c))
		return ssthresh;
	check(c, &was, w.testing ? MAY_PRIOR_CWND : 0, "ssthresh");
	mix(ssthresh);
	verdict = verdict_of(c);
	w.reducing = true;
	w.ended = false;
	w.rounds_after = 0;
	w.cwnd_before = c->tp.snd_cwnd;
	/* What the recovery counts as delivered begins with the ACK that began it. */
	w.delivered_before = w.delivered_last;
	w.kept = verdict == NDM_NOISE && v5_of(c);
	w.cut_known = true;
	w.cut_at_once = false;
	w.network_said = !c->tp.prior_ssthresh;
	check_ssthresh(c, ssthresh, verdict);
	if (w.testing)
		hold(TEST_ENDS, !ndm_queue_test_holds(v), "a loss event");
	return ssthresh;
}

void watch_void_reduction(void)
{
	w.reducing = false;
	w.ended = true;
}

void watch_network_said(void)
{
	w.network_said = true;
}

void watch_timeout(struct conn *c)
{
	const struct ndm_v5 *v = v5_of(c);
	u32 ssthresh = c->tp.snd_ssthresh;

	if (!v)
		return;
	hold(TIMEOUT_CUTS, !v->noise && verdict_of(c) == NDM_TIMEOUT, "the verdict is %u",
	     verdict_of(c));
	if (w.reducing)
		hold(TIMEOUT_CUTS, ssthresh <= max3((u32)((u64)with_growth(c) * 717 >> 10), 2U, (u32)((u64)w.cut_of * 717 >> 10)),
		     "ssthresh %u, cwnd before %u", ssthresh, w.cwnd_before);
}

void watch_reduction_end(struct conn *c)
{
	const struct ndm_v5 *v = v5_of(c);

	w.ended = true;
	if (!w.reducing || !is_ours(c))
		return;
	w.reducing = false;
	if (verdict_of(c) == NDM_NOISE && v)
		hold(AFTER_NOISE, c->tp.snd_cwnd <= with_growth(c), "%u, before %u, %u arrived",
		     c->tp.snd_cwnd, w.cwnd_before, c->tp.delivered - w.delivered_before);
	else
		/* Cut late it may have grown before, by as much as without a loss. */
		hold(AFTER_CUT, c->tp.snd_cwnd <= max3(2U, w.cwnd_before, w.kept ?
		     (u32)((u64)with_growth(c) * 717 >> 10) : 0), "%u, before %u", c->tp.snd_cwnd, w.cwnd_before);
	if (v)
		/* PRR itself may have exceeded the clamp; the module does not. */
		hold(CUT_ONCE, c->tp.snd_cwnd >= min(w.cwnd_before, (u32)((u64)min(w.cut_of, (u32)c->tp.snd_cwnd_clamp) * 717 >> 10)),
		     "%u, before %u", c->tp.snd_cwnd, w.cwnd_before);
}

void watch_set_state(struct conn *c, u8 state)
{
	static const char *const names[] = { "Open", "Disorder", "CWR", "Recovery", "Loss" };
	struct tcp_sock was = c->tp;
	struct ndm_v5 *v = v5_of(c);
	bool held = v && v->hold.on;

	c->tp.inet_conn.icsk_ca_ops->set_state(model_sk(c), state);
	check(c, &was, MAY_CWND | MAY_SSTHRESH | MAY_PRR | MAY_RACK_STEPS | MAY_RACK_RTT,
	      names[state]);
	hold(GROWTH_NONE, c->tp.snd_cwnd <= was.snd_cwnd, "%s: cwnd %u, before %u", names[state],
	     c->tp.snd_cwnd, was.snd_cwnd);
	hold(GROWTH_NONE, held || c->tp.snd_ssthresh <= was.snd_ssthresh ||
	     /* An RTO after a loss in a test of a queue: 0.7 of cwnd before the test. */
	     (state == TCP_CA_Loss && v && v->test.step == NDM_TEST_RETURN &&
	      c->tp.snd_ssthresh == (u32)((u64)v->cut_from_pkts * 717 >> 10)),
	     "%s: ssthresh %u, before %u", names[state], c->tp.snd_ssthresh, was.snd_ssthresh);
	if (v && state != TCP_CA_Recovery)
		hold(HOLDING, !v->hold.on && (!held || c->tp.snd_ssthresh >= 2),
		     "%s: ssthresh %u", names[state], c->tp.snd_ssthresh);
	else if (v && v->hold.on) {
		u32 rto_us = jiffies_to_usecs(c->tp.inet_conn.icsk_rto);
		u32 waited_us = was.rack.rtt_us + (was.srtt_us >> 3);
		u32 now_tick = c->tp.tcp_mstamp >> NDM_TICK_SHIFT;
		u32 left_us = (((v->hold.until_tick - now_tick) & 32767) << NDM_TICK_SHIFT) -
			      (c->tp.tcp_mstamp & ((1 << NDM_TICK_SHIFT) - 1));

		w.held_since_us = c->tp.tcp_mstamp;
		w.held_for_us = c->tp.srtt_us >> 3;
		hold(HOLDING_RTO, (s32)(waited_us + left_us - rto_us) <= 0,
		     "RACK has waited for %u us, %u us more are beyond the RTO of %u us",
		     waited_us, left_us, rto_us);
	}
}

void watch_mtu_fell(struct conn *c, u8 state_before, u32 verdict_before)
{
	/* In CWR nothing tells it from a timeout; that cut was due before. */
	if (v5_of(c) && state_before != TCP_CA_CWR)
		hold(MTU_IS_NO_LOSS, verdict_of(c) == verdict_before, "verdict %u, before %u",
		     verdict_of(c), verdict_before);
}

static void check_undo_cubic(struct conn *c, const struct ndm_v5 *v)
{
	const struct ndm_cubic *was = &w.cubic_before, *is = &v->cubic;
	s32 done, left, slack = 3;

	/* Two ends of a round later the cut counts as confirmed. */
	if (!w.cut_known || !w.cut_at_once || w.rounds_after > 1)
		return;
	hold(UNDO_CUBIC, is->w_max_pkts == was->w_max_pkts || !was->w_est_pkts,
	     "W_max %u, before %u", is->w_max_pkts, was->w_max_pkts);
	if (!was->w_est_pkts || !is->w_est_pkts)
		return;
	done = (u32)(w.cut_us >> NDM_TICK_SHIFT) - was->epoch_tick;
	left = tick(c) - is->epoch_tick;
	slack += ((u32)c->tp.tcp_mstamp - v->round_start_us) >> NDM_TICK_SHIFT;
	hold(UNDO_CUBIC, left <= done + slack,
	     "%d ticks of growth, %d before the cut, the round is %d old", left, done, slack);
	hold(UNDO_CUBIC, left >= done - (s32)(w.round_before_us >> NDM_TICK_SHIFT) - 3,
	     "%d ticks of growth, %d before the cut, in a round of then %u us", left, done,
	     w.round_before_us);
}

u32 watch_undo_cwnd(struct conn *c)
{
	struct tcp_sock *tp = &c->tp, was = *tp;
	struct ndm_v5 *v = v5_of(c);
	bool testing = v && v->test.step != NDM_TEST_NO;
	u32 cwnd = tp->inet_conn.icsk_ca_ops->undo_cwnd(model_sk(c));

	if (!is_ours(c))
		return cwnd;
	check(c, &was, MAY_SSTHRESH | MAY_PRR, "undo_cwnd");
	mix(cwnd);
	if (testing)
		hold(TEST_ENDS, !ndm_queue_test_holds(v) && cwnd == tp->snd_cwnd, "an undo: cwnd %u, then %u", tp->snd_cwnd, cwnd);
	hold(UNDO_CWND, (testing || cwnd >= tp->prior_cwnd) && cwnd >= tp->snd_cwnd,
	     "%u of %u, now %u", cwnd, tp->prior_cwnd, tp->snd_cwnd);
	/* PRR itself may exceed the clamp by what is in flight. */
	hold(CWND_RANGE, cwnd <= max3(tp->snd_cwnd_clamp, tp->snd_cwnd, tp->prior_cwnd),
	     "undo_cwnd: %u, clamp %u, before %u", cwnd, tp->snd_cwnd_clamp, tp->prior_cwnd);
	if (w.cut_known)
		hold(UNDO_CWND, cwnd <= max3(tp->prior_cwnd, tp->snd_cwnd, with_growth(c)),
		     "%u, before %u, now %u", cwnd, w.cwnd_before, tp->snd_cwnd);
	if (v)
		check_undo_cubic(c, v);
	w.reducing = false;
	w.ended = true;
	w.cut_known = false;
	return cwnd;
}

void watch_event(struct conn *c, enum tcp_ca_event event)
{
	const struct ndm_v5 *v = v5_of(c);
	struct tcp_sock was = c->tp;
	/* After a loss in a test of a queue slow start leads to 0.7 of cwnd before the test. */
	bool returns = event == CA_EVENT_COMPLETE_CWR && v && v->test.step == NDM_TEST_RETURN && v->cut_from_pkts;

	c->tp.inet_conn.icsk_ca_ops->cwnd_event(model_sk(c), event);
	check(c, &was, returns ? MAY_SSTHRESH : 0, event == CA_EVENT_CWND_RESTART ? "restart" : "event");
	if (returns)
		hold(SSTHRESH_RETURN, c->tp.snd_ssthresh == max(was.snd_ssthresh, (u32)((u64)v->cut_from_pkts * 717 >> 10)),
		     "%u, before the test %u", c->tp.snd_ssthresh, v->cut_from_pkts);
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
