// SPDX-License-Identifier: GPL-2.0
/* Trials of a larger cwnd; see ndm_trial.h. */
#include <net/tcp.h>

#include "ndm_compat.h"
#include "ndm_judge.h"
#include "ndm_params.h"
#include "ndm_stats.h"
#include "ndm_trial.h"

/*
 * A sequential probability ratio test (Wald) of two counts: the second has 2.25 times the
 * share lost of the first, or the same. Logarithms are natural, times 256. The values are
 * the outcome of a search in a simulation; src/README.md has what others cost.
 */
#define NDM_TRIAL_LN_RATIO 208		/* 2.25 */
#define NDM_TRIAL_SAME (-320)		/* 3.5 to 1 that the share is the same */
#define NDM_TRIAL_MORE 768		/* 20 to 1 that it has grown */
#define NDM_TRIAL_DOUBT 128		/* undecided, but rather grown */

#define NDM_TRIAL_KNOWN 8		/* losses before the first trial, or of a count after one */
/*
 * More are a burst: with a cwnd of the bound chance takes 1.4 of a round. From a larger one it
 * takes more, but then no trial begins. And two rounds, which may find a burst, have fewer
 * than begin one.
 */
#define NDM_TRIAL_ROUND_LOST 3U
#define NDM_TRIAL_UNDECIDED 24		/* losses that have to decide */
/*
 * Of 2^8. Alone the average is 20 to 75, and 105 where cwnd fills the path; where twenty
 * flows fill a FIFO of 0.06 BDP it is 115 to 145. It begins near the limit.
 */
#define NDM_TRIAL_LATE 124
#define NDM_TRIAL_LATE_BEGIN 100
#define NDM_TRIAL_CAREFUL 7	/* trials that add less after a failure, 3 bits */
#define NDM_TRIAL_SETTLE 3	/* counts after a share that has grown, before the next trial */

/* Packets are counted in units of 32. */
#define NDM_TRIAL_UNIT_SHIFT 5
#define NDM_TRIAL_UNITS 1023		/* of a trial: 32,736 packets */
#define NDM_TRIAL_UNITS_LEAST 2		/* fewer are known too badly */
#define NDM_TRIAL_FULL 512		/* so many decide, whatever was lost */
#define NDM_TRIAL_LOST 63
#define NDM_TRIAL_KNOWN_UNITS 2047	/* 65,504 packets: a path that got better is soon known */
#define NDM_TRIAL_KNOWN_LOST 255

/* ln(1 + 1.25 n / 16), times 2^14 */
static const u16 ndm_trial_ln[] = {
	0, 1232, 2379, 3450, 4455, 5403, 6298, 7147, 7955,
	8724, 9459, 10162, 10836, 11484, 12107, 12707, 13286,
};

/*
 * Logarithm of how much likelier it is that the share of the trial has grown, times 2^8. An
 * error of the table counts for each loss, all in one direction.
 */
static s32 ndm_trial_ratio(const struct ndm_v5 *v)
{
	u32 lost = v->losses.known_lost + v->trial_lost;
	u32 part = ((u32)v->trial_units << 16) / max(v->known_units + v->trial_units, 1);
	u32 low = ndm_trial_ln[part >> 12], high = ndm_trial_ln[min((part >> 12) + 1, 16U)];

	low += (high - low) * (part & 0xfff) >> 12;
	return v->trial_lost * NDM_TRIAL_LN_RATIO - (s32)(lost * low >> 6);
}

u32 ndm_trial_bound(const struct ndm_v5 *v)
{
	return ndm_max(ndm_losses_bound(&v->losses, v->rounds.base_us), v->trial_pkts);
}

void ndm_trial_loss(struct ndm_v5 *v)
{
	u32 late = v->rounds.trial_late;

	/* Nothing is known of it. */
	if (!v->behind || v->reordered || !v->rounds.base_us)
		return;
	if (!v->behind_early)
		late += (255 - late) >> 4;
	else
		late -= (late + 7) >> 4;
	v->rounds.trial_late = late;
}

bool ndm_trial_late(const struct ndm_v5 *v)
{
	return v->rounds.trial_late > NDM_TRIAL_LATE;
}

void ndm_trial_restart(struct ndm_v5 *v)
{
	v->trial_units = 0;
	v->trial_lost = 0;
}

/*
 * Whether single packets are late did not count meanwhile, and in the bursts of a large cwnd
 * they often are: so one loss event decides; where late ones ended the trial, up to six. What
 * its last round has lost is found in the next one, and counts for nothing.
 */
static void ndm_trial_end(struct ndm_v5 *v)
{
	if (!v->trial_pkts)
		return;
	v->trial_pkts = 0;
	v->reached = false;
	ndm_cubic_restart(&v->cubic);	/* what a trial held back does not come at once */
	if (!v->holding)
		ndm_trial_restart(v);
	if (ndm_trial_late(v))
		v->losses.late = ndm_max(v->losses.late, v->rounds.trial_late);
	else
		ndm_losses_doubt(&v->losses);
}

/* Halve both until they fit; their ratio stays, nearly. */
static void ndm_trial_fade(u32 *units, u32 most_units, u32 *lost, u32 most_lost)
{
	while (*units > most_units || *lost > most_lost) {
		*units = (*units + 1) >> 1;
		*lost = (*lost + 1) >> 1;
	}
}

/* @n packets of this round; the remainder of a unit counts in the next one. */
static void ndm_trial_count(const struct tcp_sock *tp, struct ndm_v5 *v, u32 lost, u32 n)
{
	u32 begun = (tp->delivered + tp->lost - n) & ((1U << NDM_TRIAL_UNIT_SHIFT) - 1);
	u32 units = v->trial_units + ((begun + n) >> NDM_TRIAL_UNIT_SHIFT);

	lost += v->trial_lost;
	ndm_trial_fade(&units, NDM_TRIAL_UNITS, &lost, NDM_TRIAL_LOST);
	v->trial_units = units;
	v->trial_lost = lost;
}

/* Add the counts of the trial to what is known; old ones fade. */
static void ndm_trial_learn(struct ndm_v5 *v)
{
	u32 units = v->known_units + v->trial_units;
	u32 lost = v->losses.known_lost + v->trial_lost;

	ndm_trial_fade(&units, NDM_TRIAL_KNOWN_UNITS, &lost, NDM_TRIAL_KNOWN_LOST);
	v->known_units = units;
	v->losses.known_lost = lost;
	ndm_trial_restart(v);
}

/*
 * The share has grown, so part of it is this sender's doing: what is known takes about half
 * more than its own share at most. Else each failure would allow the next trial to lose more.
 */
static void ndm_trial_learn_failed(struct ndm_v5 *v)
{
	u32 known = max_t(u32, v->known_units, 1);
	u32 most = (3 * v->losses.known_lost * v->trial_units + known) / (2 * known);

	v->trial_lost = min_t(u32, v->trial_lost, most);
	ndm_trial_learn(v);
}

/* Reduce cwnd to @to, but at once, and in one recovery, by no more than one cut does. */
static void ndm_trial_reduce(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 to)
{
	struct tcp_sock *tp = tcp_sk(sk);

	to = max(to, ndm_cubic_keep(v->noise ? max(cwnd, tp->prior_cwnd) : cwnd));
	if (to >= cwnd)
		return;
	ndm_count(sock_net(sk), NDM_REDUCTIONS, 1);
	ndm_cubic_cut(&v->cubic, cwnd);
	if (v->noise) {
		tp->snd_ssthresh = to;
		return;
	}
	tp->snd_ssthresh = min(tp->snd_ssthresh, to);
	ndm_set_cwnd(tp, to);
}

/*
 * The share lost has grown: @pkts are allowed, and @settle counts come before the next trial.
 * Below the bound there is none then.
 */
static void ndm_trial_fail(struct ndm_v5 *v, u32 pkts, u32 settle)
{
	u32 bound = ndm_losses_bound(&v->losses, v->rounds.base_us);

	ndm_trial_restart(v);
	v->rounds.careful = NDM_TRIAL_CAREFUL;
	v->settle = settle;
	v->reached = false;
	if (pkts > bound) {
		v->trial_pkts = pkts;
		return;
	}
	ndm_trial_end(v);
	/* What is known may be wrong, or of another time. */
	if (settle > 1) {
		v->known_units >>= 1;
		v->losses.known_lost >>= 1;
	}
}

void ndm_trial_stop(struct ndm_v5 *v, u32 cwnd, bool after_queue)
{
	if (!v->trial_pkts && !(after_queue && v->rounds.careful == NDM_TRIAL_CAREFUL))
		return;
	if (v->verdict == NDM_QUEUE || v->verdict == NDM_BOUND) {
		ndm_trial_restart(v);
		v->reached = false;
		if (v->verdict == NDM_QUEUE) {
			v->rounds.careful = NDM_TRIAL_CAREFUL;
			v->trial_pkts = min_t(u32, v->trial_pkts, ndm_cubic_keep(cwnd));
			if (v->trial_pkts <= ndm_losses_bound(&v->losses, v->rounds.base_us))
				ndm_trial_end(v);
		}
	} else {
		ndm_trial_fail(v, 0, NDM_TRIAL_SETTLE);
	}
}

void ndm_trial_forget(struct ndm_v5 *v)
{
	ndm_trial_end(v);
	v->reached = false;
	v->known_units = 0;
	v->losses.known_lost = 0;
	v->settle = 0;
	v->rounds.careful = 0;
	v->rounds.trial_late = NDM_TRIAL_LATE;
	if (!v->holding)
		ndm_trial_restart(v);
}

/*
 * A third of cwnd; after a failure, until seven trials have succeeded, a third of the bound,
 * which differs less between the senders on a link, so that none runs away from the others.
 */
static u32 ndm_trial_step(const struct ndm_v5 *v, u32 cwnd)
{
	if (v->rounds.careful)
		cwnd = min(cwnd, ndm_losses_bound(&v->losses, v->rounds.base_us));
	return cwnd / 3;
}

static void ndm_trial_begin(struct ndm_v5 *v, u32 cwnd)
{
	ndm_trial_learn(v);
	v->reached = false;
	v->trial_pkts = min(cwnd + ndm_trial_step(v, cwnd), NDM_TRIAL_MOST_PKTS);
}

/* Packets behind lost ones were in time, and are not in doubt. */
static bool ndm_trial_in_time(const struct ndm_v5 *v)
{
	return v->rounds.trial_late <= NDM_TRIAL_LATE_BEGIN &&
	       (ndm_losses_in_time(&v->losses) || ndm_judge_wander(v));
}

/* No trial yet: count, and begin where the bound limits cwnd. */
static void ndm_trial_prepare(struct ndm_v5 *v, u32 cwnd)
{
	u32 bound = ndm_losses_bound(&v->losses, v->rounds.base_us);

	if (v->trial_lost >= NDM_TRIAL_KNOWN || v->trial_units >= NDM_TRIAL_FULL) {
		ndm_trial_learn(v);
		v->settle -= !!v->settle;
	}
	/* A cwnd far above the bound is reduced to it first, by the verdicts on losses. */
	if (!v->settle && v->losses.known_lost >= NDM_TRIAL_KNOWN && cwnd <= NDM_TRIAL_MOST_PKTS &&
	    ndm_trial_in_time(v) && cwnd + cwnd / 3 > bound && cwnd - cwnd / 4 <= bound) {
		v->rounds.trial_late = NDM_TRIAL_LATE_BEGIN;
		ndm_trial_begin(v, cwnd);
	}
}

/*
 * cwnd to return to if the share lost has grown, else 0. What is known takes the counts of
 * all trials: with those that succeed alone, which are the lucky ones, it would be too small
 * a share.
 */
static u32 ndm_trial_judge(struct ndm_v5 *v, u32 cwnd)
{
	s32 ratio = ndm_trial_ratio(v);
	bool full = v->trial_units >= NDM_TRIAL_FULL;
	u32 to = 0;

	if (ratio > NDM_TRIAL_MORE && v->trial_units >= NDM_TRIAL_UNITS_LEAST) {
		to = ndm_cubic_keep(v->trial_pkts);
		ndm_trial_learn_failed(v);
		ndm_trial_fail(v, to, NDM_TRIAL_SETTLE);
	} else if (v->settle) {
		if (ratio >= NDM_TRIAL_SAME && v->trial_lost < NDM_TRIAL_KNOWN && !full)
			return 0;
		ndm_trial_learn(v);
		v->settle--;
	} else if (ratio < NDM_TRIAL_SAME) {
		v->rounds.careful -= !!v->rounds.careful;
		ndm_trial_begin(v, cwnd);
	} else if (full && ratio < 0) {
		/* With few losses, or none any more, no number of packets is proof. */
		ndm_trial_begin(v, cwnd);
	} else if (v->trial_lost >= NDM_TRIAL_UNDECIDED || full) {
		if (ratio <= NDM_TRIAL_DOUBT) {
			ndm_trial_learn(v);
			return 0;
		}
		to = v->trial_pkts - v->trial_pkts / 10;
		ndm_trial_learn_failed(v);
		ndm_trial_fail(v, to, 1);
	}
	return to;
}

/* Whether this round says anything about chance. */
static bool ndm_trial_counts(const struct sock *sk, const struct ndm_v5 *v)
{
	return v->limited && !v->holding && !v->reordered &&
	       (v->noise || (inet_csk(sk)->icsk_ca_state <= TCP_CA_Recovery &&
			     !tcp_in_slow_start(tcp_sk(sk))));
}

/* A round that did not use what the trial allows: give some back. */
static void ndm_trial_unused(struct ndm_v5 *v)
{
	v->trial_pkts -= (v->trial_pkts + 15U) / 16;
	if (v->trial_pkts <= ndm_losses_bound(&v->losses, v->rounds.base_us))
		ndm_trial_end(v);
}

void ndm_trial_round(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 lost, u32 n)
{
	u32 allowed = v->trial_pkts, to = 0;

	if (!READ_ONCE(ndm_tuning.trials)) {
		ndm_trial_forget(v);
		return;
	}
	/* The next round may find the rest of it. In a hold its end is where the counts are. */
	if (!v->trial_pkts && !v->holding && lost > NDM_TRIAL_ROUND_LOST) {
		ndm_trial_restart(v);
		v->reached = false;
		return;
	}
	if (!v->limited)
		ndm_trial_unused(v);
	if (!ndm_trial_counts(sk, v))
		return;
	/*
	 * A cut by the bound is none by a queue. Without its losses, the packets sent before
	 * them would make the known share too small, and trials fail by chance. A trial
	 * counts anew after each cut.
	 */
	if (v->queue || (v->cut_from_pkts && (v->trial_pkts || v->verdict != NDM_BOUND))) {
		if (v->trial_pkts) {
			ndm_trial_restart(v);
			v->reached = false;
		}
		return;
	}
	/* On the way to the cwnd of a trial a round has what cwnd has. */
	if (n < min_t(u32, v->trial_pkts, cwnd) / 4 * 3) {
		ndm_trial_unused(v);
		return;
	}
	if (v->reached) {
		ndm_trial_count(tcp_sk(sk), v, min(lost, n / 4), n);
		if (v->trial_pkts)
			to = ndm_trial_judge(v, cwnd);
		else if (!v->cut_from_pkts)	/* an undo of it makes its losses none */
			ndm_trial_prepare(v, cwnd);
	} else {
		/*
		 * What this round found lost was sent in the one before it, also by a trial that
		 * has just ended. With small steps a sixteenth would be more than the step, and
		 * the trial one of the same cwnd.
		 */
		v->reached = cwnd >= v->trial_pkts - min_t(u32, v->trial_pkts / 16,
							   ndm_trial_step(v, cwnd) / 4);
	}
	v->trial_pkts = min_t(u32, v->trial_pkts, tcp_sk(sk)->snd_cwnd_clamp);
	/* The trial did not raise a larger cwnd; the verdict on the next loss knows its bound. */
	if (to && cwnd <= allowed + allowed / 8 &&
	    (v->noise || inet_csk(sk)->icsk_ca_state <= TCP_CA_Disorder))
		ndm_trial_reduce(sk, v, cwnd, to);
}
