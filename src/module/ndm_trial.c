// SPDX-License-Identifier: GPL-2.0
/* Trials with a smaller cwnd; see ndm_trial.h. */
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_params.h"
#include "ndm_rack.h"
#include "ndm_stats.h"
#include "ndm_trial.h"

/* Evidence is a logarithm: the bound times 2^(n / 16). */
#define NDM_TRIAL_UNIT 16
#define NDM_TRIAL_MOST (4 * NDM_TRIAL_UNIT)	/* 16 times: 100 Mbit/s and 50 ms at 1 % */
#define NDM_TRIAL_LEAST (-NDM_TRIAL_UNIT)	/* half: with less, v5 is slower than Reno */
#define NDM_TRIAL_CHANCE NDM_TRIAL_UNIT
/* One trial changes the bound by less than this. */
#define NDM_TRIAL_STEP 12
/* Below this a fifth is too few packets to tell, and trials only disturb others. */
#define NDM_TRIAL_LOW_PKTS 24
/* With losses more than so many rounds apart a trial finds none. */
#define NDM_TRIAL_ROUNDS 16
/* With more losses many senders could take for chance what they cause together. */
#define NDM_TRIAL_SHARE (1U << (NDM_LOSS_SHARE_SHIFT - 5))

/*
 * A loss as evidence for chance, by the round in which the packet was sent: about the
 * logarithm of its likelihood by chance over that by a full queue of two packets.
 */
static const s8 ndm_trial_weight[NDM_HIGH_AGAIN + 1] = {
	[NDM_FALL] = 0,
	[NDM_LOW] = 9,
	[NDM_LOW_AGAIN] = 9,
	[NDM_RISE] = -8,
	[NDM_HIGH] = -2,
};

/* 2^(n / 16), times 256 */
static const u16 ndm_trial_power[NDM_TRIAL_UNIT] = {
	256, 267, 279, 292, 304, 318, 332, 347, 362, 378, 395, 412, 431, 450, 470, 490,
};

bool ndm_trial_chance(const struct ndm_v5 *v)
{
	return v->evidence >= NDM_TRIAL_CHANCE;
}

/* @pkts times 2^(@n / 16), @n from NDM_TRIAL_LEAST to NDM_TRIAL_MOST. */
static u32 ndm_trial_scale(u32 pkts, s32 n)
{
	u32 up = n + NDM_TRIAL_UNIT;

	return (u64)pkts * ndm_trial_power[up % NDM_TRIAL_UNIT] >> 9 << up / NDM_TRIAL_UNIT;
}

u32 ndm_trial_bound(const struct ndm_v5 *v)
{
	u32 bound = ndm_losses_bound(&v->losses, v->rounds.base_us);
	struct ndm_losses each = v->losses;

	if (bound == ~0U || !v->evidence ||
	    (v->evidence > 0 && v->losses.share > NDM_TRIAL_SHARE))
		return bound;
	if (v->evidence < 0)
		return ndm_max(ndm_trial_scale(bound, v->evidence), NDM_TRIAL_LOW_PKTS / 2);
	/*
	 * A loss event is at most one a round, so the packets between them grow with cwnd, and
	 * the bound would grow with the square of the evidence: count each loss.
	 */
	if (each.share)
		each.interval_pkts = ndm_min(each.interval_pkts,
					     (1U << NDM_LOSS_SHARE_SHIFT) / each.share);
	return ndm_max(bound, ndm_trial_scale(ndm_losses_bound(&each, v->rounds.base_us),
					      v->evidence));
}

/* Reduce cwnd, in a recovery that keeps it what it will be afterwards. */
static void ndm_trial_reduce(struct sock *sk, struct ndm_v5 *v, u32 cwnd)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (v->noise) {
		tp->snd_ssthresh = cwnd;
		return;
	}
	tp->snd_ssthresh = min(tp->snd_ssthresh, cwnd);
	ndm_set_cwnd(tp, cwnd);
}

void ndm_trial_stop(struct ndm_v5 *v, u32 cwnd)
{
	v->phase = NDM_NO_TRIAL;
	v->trial_pkts = 0;
	while (v->evidence > 0 && ndm_trial_bound(v) / 2 > cwnd)
		v->evidence--;
}

/* Whether the path is one that a trial can ask. */
static bool ndm_trial_possible(const struct sock *sk, const struct ndm_v5 *v)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return READ_ONCE(ndm_tuning.trials) && v->limited && !v->queue && !v->reordered &&
	       !v->holding && !v->cut_from_pkts && ndm_rack_prompt(sk) &&
	       v->losses.share <= NDM_TRIAL_SHARE &&
	       (v->noise || inet_csk(sk)->icsk_ca_state <= TCP_CA_Disorder) &&
	       (v->noise || !tcp_in_slow_start(tp));
}

/* Least cwnd that a recovery may leave, as after one cut. */
static u32 ndm_trial_least(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd)
{
	return ndm_cubic_keep(v->noise ? max(cwnd, tcp_sk(sk)->prior_cwnd) : cwnd);
}

/* Whether an answer would change anything. */
static bool ndm_trial_wanted(const struct sock *sk, const struct ndm_v5 *v, u32 cwnd)
{
	const struct tcp_sock *tp = tcp_sk(sk);
	const struct ndm_losses *l = &v->losses;

	/* Where trials have shown no chance, a loss above the bound has to cut first. */
	if (v->evidence <= 0 && cwnd > ndm_trial_bound(v))
		return false;
	return l->interval_pkts && cwnd >= NDM_TRIAL_LOW_PKTS && cwnd <= 65535 &&
	       l->interval_pkts / NDM_TRIAL_ROUNDS <= cwnd &&
	       cwnd - cwnd / 5 >= ndm_trial_least(sk, v, cwnd) &&
	       (tp->delivered - l->event_at_pkts) / 4 <= l->interval_pkts &&
	       (v->verdict == NDM_NOISE || v->verdict == NDM_BOUND || v->verdict == NDM_LATE) &&
	       ((v->verdict == NDM_LATE && !ndm_trial_chance(v)) ||
		ndm_trial_bound(v) / 3 * 2 <= cwnd);
}

static void ndm_trial_count(struct ndm_v5 *v, u32 lost)
{
	s32 score = v->score + ndm_trial_weight[v->phase - 1] * (s32)min(lost, 8U);

	v->score = clamp(score, -100, 100);
}

static void ndm_trial_conclude(struct ndm_v5 *v)
{
	s32 evidence = v->evidence + clamp_t(s32, v->score, -NDM_TRIAL_STEP, NDM_TRIAL_STEP);

	v->evidence = clamp(evidence, NDM_TRIAL_LEAST, NDM_TRIAL_MOST);
}

/* What trials have shown gets old: a round without one. */
static void ndm_trial_fade(struct ndm_v5 *v)
{
	if (v->evidence > 0 && v->losses.share > NDM_TRIAL_SHARE) {
		v->evidence = max(v->evidence - 2, 0);
		return;
	}
	v->score = v->score < 0 || v->score > 15 ? 0 : v->score + 1;
	if (v->score > 15)
		v->evidence -= (v->evidence + (v->evidence > 0 ? 15 : -15)) / 16;
}

/* The bound that trials have raised reduces cwnd with or without a loss; true if it does. */
static bool ndm_trial_limit(struct sock *sk, struct ndm_v5 *v, u32 cwnd)
{
	u32 bound;

	if (v->evidence <= 0 || v->holding || v->cut_from_pkts ||
	    (!v->noise && inet_csk(sk)->icsk_ca_state > TCP_CA_Disorder))
		return false;
	bound = max(ndm_trial_bound(v), ndm_trial_least(sk, v, cwnd));
	if (cwnd <= bound)
		return false;
	v->trial_pkts = 0;
	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	ndm_trial_reduce(sk, v, bound);
	return true;
}

void ndm_trial_round(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 lost)
{
	bool possible = ndm_trial_possible(sk, v);

	if (!READ_ONCE(ndm_tuning.trials))
		v->evidence = 0;
	if (v->phase && possible) {
		if (v->phase > NDM_FALL)
			ndm_trial_count(v, lost);
		if (v->phase++ < NDM_HIGH_AGAIN)
			return;
		ndm_trial_conclude(v);
	}
	v->phase = NDM_NO_TRIAL;
	if (ndm_trial_limit(sk, v, cwnd))
		return;
	if (possible && ndm_trial_wanted(sk, v, cwnd)) {
		v->phase = NDM_FALL;
		v->trial_pkts = cwnd;
		v->score = 0;
		ndm_trial_reduce(sk, v, cwnd - cwnd / 5);
		return;
	}
	ndm_trial_fade(v);
}

bool ndm_trial_acked(struct sock *sk, struct ndm_v5 *v, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	u32 every = v->phase == NDM_RISE ? 4 : 2;

	if (!v->trial_pkts)
		return false;
	if (ndm_trial_low(v))
		return true;
	if (tcp_in_slow_start(tp) || ndm_cwnd(tp) >= v->trial_pkts) {
		if (v->phase != NDM_RISE)
			v->trial_pkts = 0;
		return false;
	}
	tcp_cong_avoid_ai(tp, every, min(acked, every * (v->trial_pkts - ndm_cwnd(tp))));
	return true;
}

void ndm_trial_recovered(struct sock *sk, struct ndm_v5 *v)
{
	struct tcp_sock *tp = tcp_sk(sk);
	u32 target = v->trial_pkts;

	if (!target || !v->noise || v->holding || ndm_trial_low(v))
		return;
	/* At once it would be a burst: rate reduction sends what ssthresh allows. */
	target = min(target, target - target / 5 + (tp->delivered - v->round_start_pkts) / 4);
	target = min(target, tp->snd_cwnd_clamp);
	if (target > tp->snd_ssthresh)
		ndm_v5_raise_kept(tp, target);
	if (tp->snd_ssthresh >= v->trial_pkts && v->phase != NDM_RISE)
		v->trial_pkts = 0;
}
