// SPDX-License-Identifier: GPL-2.0
/* What holds of an ACK: growth, rounds, how long RACK waits; see invariants.h. */
#include "../../src/module/params.h"
#include "invariants_parts.h"

static void check_rack_wait(struct conn *c)
{
	const struct tcp_sock *tp = &c->tp;
	u32 rto_us = jiffies_to_usecs(tp->inet_conn.icsk_rto);
	u32 wait_us = tp->rack.rtt_us +
		      model_rack_window(c, tcp_min_rtt(tp), tp->rack.reo_wnd_steps);
	u32 plain_us = c->rack_rtt_us + model_rack_window(c, tcp_min_rtt(tp), tp->rack.reo_wnd_steps);

	if (!READ_ONCE(ndm_tuning.rack_assist) || !tcp_is_sack(tp) || !c->net.ipv4.sysctl_tcp_recovery)
		hold(RACK_OFF, tp->rack.rtt_us == c->rack_rtt_us, "RACK has %u us, by itself %u us", tp->rack.rtt_us, c->rack_rtt_us);
	if (tcp_is_sack(tp) && tp->srtt_us)
		hold(RACK_WAIT, wait_us <= max(rto_us, plain_us),
		     "waits for %u us, RTO %u us, without us %u us, srtt %u us", wait_us, rto_us,
		     plain_us, tp->srtt_us >> 3);
}

/* Where a round ended: how old is what counts as reordering? */
static void check_reordering(struct conn *c, const struct ndm_v5 *v)
{
	if (c->tp.reord_seen != w.reord_seen) {
		w.reord_seen = c->tp.reord_seen;
		w.reord_rounds = 0;
		return;
	}
	w.reord_rounds++;
	if (v->reorder.rounds)
		hold(REORDERING_FRESH, w.reord_rounds <= 16, "it was seen %u rounds ago", w.reord_rounds);
}

/* Where a round ended: how far is growth? A new epoch begins with whole packets. */
static void check_epoch(struct conn *c, const struct ndm_v5 *v)
{
	u32 most = 2 * (c->tp.srtt_us >> (3 + NDM_TICK_SHIFT)) + 1;
	u32 ticks = v->cubic.past_k_ticks - w.epoch_ticks;

	if (w.epoch_known && v->cubic.w_est_256 & 255)
		hold(IDLE_EPOCH, ticks <= most, "a round added %u ticks, two RTTs are %u", ticks, most);
	w.epoch_known = v->cubic.w_est_256;
	w.epoch_ticks = v->cubic.past_k_ticks;
}

void watch_pkts_acked(struct conn *c, const struct ack_sample *sample)
{
	struct tcp_sock *tp = &c->tp, was = *tp;
	long rounds = model_counter[NDM_UPDATES];
	struct ndm_v5 *v = v5_of(c);
	bool asked = asks_of_queue(v);
	u32 ack_verdict;

	w.delivered_last = w.delivered_now;
	w.delivered_now = tp->delivered;
	tp->inet_conn.icsk_ca_ops->pkts_acked(model_sk(c), sample);
	check(c, &was, MAY_CWND | MAY_SSTHRESH | MAY_PRR | MAY_PRIOR_CWND |
	      MAY_RACK_RTT, "pkts_acked");
	hold(GROWTH_NONE, tp->snd_cwnd <= was.snd_cwnd, "pkts_acked: cwnd %u, before %u",
	     tp->snd_cwnd, was.snd_cwnd);
	if (!v)
		return;
	if (sample->rtt_us > 0 && (tp->packets_out || sample->pkts_acked > 1))
		w.sampled_us = tp->tcp_mstamp;
	ack_verdict = verdict_of(c);
	/* The kernel sends ssthresh / prior_cwnd of all that has arrived while more is in flight. */
	if (v->noise && model_state(c) == TCP_CA_Recovery)
		hold(PRR_SHARE, tp->snd_ssthresh <= max(tp->prior_cwnd, 2U),
		     "ssthresh %u, cwnd was %u", tp->snd_ssthresh, tp->prior_cwnd);
	if (tp->snd_ssthresh > was.snd_ssthresh)
		hold(SSTHRESH_RAISED, (model_state(c) >= TCP_CA_CWR && ack_verdict == NDM_NOISE &&
				       tp->snd_ssthresh <= tp->snd_cwnd_clamp) ||
		     (!asked && asks_of_queue(v) && tp->snd_ssthresh <= was.snd_cwnd),
		     "ssthresh %u, before %u, state %u, verdict %u", tp->snd_ssthresh,
		     was.snd_ssthresh, model_state(c), ack_verdict);
	if (v->noise)
		hold(ECN_CUTS, tp->prior_ssthresh, "ECN-Echo was seen, cwnd is kept");
	if (ack_verdict == NDM_ECN)
		hold(ECN_TRUE, w.network_said, "after an ACK in state %u", model_state(c));
	check_rack_wait(c);
	if (model_counter[NDM_UPDATES] == rounds)
		return;
	check_reordering(c, v);
	check_epoch(c, v);
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
