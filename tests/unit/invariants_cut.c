// SPDX-License-Identifier: GPL-2.0
/* What holds of a loss event, from ssthresh() to its end or its undo; see invariants.h. */
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
	u32 kept = w.asking ? max(tp->snd_cwnd, 2U) : max((u32)((u64)tp->snd_cwnd * 717 >> 10), 2U);

	hold(SSTHRESH_FINITE, ssthresh && ssthresh <= max(tp->snd_cwnd, 2U), "%u of %u", ssthresh,
	     tp->snd_cwnd);
	if (!v)
		return;
	if (verdict == NDM_NOISE) {
		hold(SSTHRESH_NOISE, ssthresh == max(tp->snd_cwnd, 2U), "%u of %u", ssthresh, tp->snd_cwnd);
		hold(SSTHRESH_NOISE, !ndm_question_lost(&v->question, NDM_LOST_MANY), "a share of %u is lost", v->question.share);
		hold(NOISE_FRESH, w.sampled_us && tp->tcp_mstamp - w.sampled_us <= limit_us,
		     "the newest sample is %llu us old, 2 srtt + RTO is %llu us",
		     (unsigned long long)(tp->tcp_mstamp - w.sampled_us), (unsigned long long)limit_us);
		hold(NOISE_RTT, tcp_is_sack(tp) && v->rounds.base_us >= 1000, "the base is %u us", v->rounds.base_us);
	} else {
		hold(SSTHRESH_CUT, ssthresh == kept, "%u of %u, asking %u", ssthresh, tp->snd_cwnd, w.asking);
	}
	if (!tp->prior_ssthresh && !w.tail)
		hold(ECN_CUTS, verdict == NDM_ECN, "the verdict is %u", verdict);
}

u32 watch_ssthresh(struct conn *c)
{
	const struct ndm_v5 *v = v5_of(c);
	struct tcp_sock was = c->tp;
	u32 ssthresh, verdict;

	w.asking = asks_of_queue(v);
	w.tail = v && v->tail;
	ssthresh = c->tp.inet_conn.icsk_ca_ops->ssthresh(model_sk(c));
	w.reducing = false;
	if (!is_ours(c))
		return ssthresh;
	check(c, &was, w.asking ? MAY_PRIOR_CWND : 0, "ssthresh");
	mix(ssthresh);
	verdict = verdict_of(c);
	w.reducing = true;
	w.ended = false;
	w.cwnd_before = c->tp.snd_cwnd;
	/* What the recovery counts as delivered begins with the ACK that began it. */
	w.delivered_before = w.delivered_last;
	w.kept = verdict == NDM_NOISE && v5_of(c);
	w.cut_known = true;
	w.network_said = !c->tp.prior_ssthresh;
	check_ssthresh(c, ssthresh, verdict);
	if (w.asking)
		hold(ASKING_ENDS, !asks_of_queue(v), "a loss event");
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
		hold(TIMEOUT_CUTS, ssthresh <= max(w.asking ? with_growth(c) : (u32)((u64)with_growth(c) * 717 >> 10), 2U),
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
		hold(CUT_ONCE, c->tp.snd_cwnd >= min(w.cwnd_before, (u32)((u64)min(w.cwnd_before, (u32)c->tp.snd_cwnd_clamp) * 717 >> 10)),
		     "%u, before %u", c->tp.snd_cwnd, w.cwnd_before);
}

void watch_set_state(struct conn *c, u8 state)
{
	static const char *const names[] = { "Open", "Disorder", "CWR", "Recovery", "Loss" };
	struct tcp_sock was = c->tp;

	c->tp.inet_conn.icsk_ca_ops->set_state(model_sk(c), state);
	check(c, &was, MAY_CWND | MAY_SSTHRESH, names[state]);
	hold(GROWTH_NONE, c->tp.snd_cwnd <= was.snd_cwnd, "%s: cwnd %u, before %u", names[state],
	     c->tp.snd_cwnd, was.snd_cwnd);
	hold(GROWTH_NONE, c->tp.snd_ssthresh <= was.snd_ssthresh,
	     "%s: ssthresh %u, before %u", names[state], c->tp.snd_ssthresh, was.snd_ssthresh);
}

void watch_mtu_fell(struct conn *c, u8 state_before, u32 verdict_before)
{
	/* In CWR nothing tells it from a timeout; that cut was due before. */
	if (v5_of(c) && state_before != TCP_CA_CWR)
		hold(MTU_IS_NO_LOSS, verdict_of(c) == verdict_before, "verdict %u, before %u",
		     verdict_of(c), verdict_before);
}

u32 watch_undo_cwnd(struct conn *c)
{
	struct tcp_sock *tp = &c->tp, was = *tp;
	bool asked = asks_of_queue(v5_of(c));
	u32 cwnd = tp->inet_conn.icsk_ca_ops->undo_cwnd(model_sk(c));

	if (!is_ours(c))
		return cwnd;
	check(c, &was, MAY_SSTHRESH | MAY_PRR, "undo_cwnd");
	mix(cwnd);
	if (asked)
		hold(ASKING_ENDS, !asks_of_queue(v5_of(c)) && cwnd == tp->snd_cwnd, "an undo: cwnd %u, then %u", tp->snd_cwnd, cwnd);
	hold(UNDO_CWND, (asked || cwnd >= tp->prior_cwnd) && cwnd >= tp->snd_cwnd,
	     "%u of %u, now %u", cwnd, tp->prior_cwnd, tp->snd_cwnd);
	/* PRR itself may exceed the clamp by what is in flight. */
	hold(CWND_RANGE, cwnd <= max3(tp->snd_cwnd_clamp, tp->snd_cwnd, tp->prior_cwnd),
	     "undo_cwnd: %u, clamp %u, before %u", cwnd, tp->snd_cwnd_clamp, tp->prior_cwnd);
	if (w.cut_known)
		hold(UNDO_CWND, cwnd <= max3(tp->prior_cwnd, tp->snd_cwnd, with_growth(c)),
		     "%u, before %u, now %u", cwnd, w.cwnd_before, tp->snd_cwnd);
	w.reducing = false;
	w.ended = true;
	w.cut_known = false;
	return cwnd;
}

void watch_event(struct conn *c, enum tcp_ca_event event)
{
	struct tcp_sock was = c->tp;

	c->tp.inet_conn.icsk_ca_ops->cwnd_event(model_sk(c), event);
	check(c, &was, 0, event == CA_EVENT_CWND_RESTART ? "restart" : "event");
}
