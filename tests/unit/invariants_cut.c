// SPDX-License-Identifier: GPL-2.0
/* What holds of a loss event, from ssthresh() to its end or its undo; see invariants.h. */
#include "../../src/module/v5/queue_test.h"
#include "invariants_parts.h"

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
	if (w.confirms)
		w.cubic_before = v->cubic;
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

	/* Two ends of a round later the cut counts as confirmed. */
	if (!w.cut_known || !w.cut_at_once || w.rounds_after > 1)
		return;
	hold(UNDO_CUBIC, is->w_max_pkts == was->w_max_pkts || !was->w_est_pkts,
	     "W_max %u, before %u", is->w_max_pkts, was->w_max_pkts);
	if (!was->w_est_pkts || !is->w_est_pkts)
		return;
	hold(UNDO_CUBIC, is->past_k_ticks == was->past_k_ticks, "growth is %d ticks past W_max, %d before the cut", is->past_k_ticks,
	     was->past_k_ticks);
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
