// SPDX-License-Identifier: GPL-2.0
/* Trials of a larger cwnd: each decision at both sides of its edge, and what ends a trial. */
#include "trial.h"

#include "../../src/module/ndm_growth.h"
#include "../../src/module/ndm_hold.h"
#include "../../src/module/ndm_judge.h"

/* Counts of a connection, and what a round of @delivered packets, @lost more of them lost, makes of them. */
struct counts {
	u32 known_lost, known_units, trial_pkts, lost, units, settle, careful;
};

static struct conn *counting(u32 cwnd, struct counts of)
{
	struct conn *c = open_at("1", 60);
	struct ndm_v5 *v = v5(c);

	c->tp.snd_cwnd = cwnd;
	c->tp.snd_ssthresh = cwnd;
	c->tp.delivered -= (c->tp.delivered + c->tp.lost) % 32;	/* a unit begins */
	v->limited = true;
	v->verdict = NDM_NOISE;
	v->losses.interval_pkts = 100;	/* a bound of 36 */
	v->losses.late = 0;
	v->rounds.trial_late = 100;
	v->losses.known_lost = of.known_lost;
	v->known_units = of.known_units;
	v->trial_pkts = of.trial_pkts;
	v->trial_lost = of.lost;
	v->trial_units = of.units;
	v->settle = of.settle;
	v->rounds.careful = of.careful;
	v->reached = true;
	return c;
}

static void round_of(struct conn *c, u32 lost_pkts, u32 delivered)
{
	u32 n = lost_pkts + delivered;

	c->tp.delivered += delivered;
	c->tp.lost += lost_pkts;
	ndm_trial_round(model_sk(c), v5(c), c->tp.snd_cwnd, lost_pkts, n);
	c->tp.delivered -= delivered;
	c->tp.lost -= lost_pkts;
}

/* After a round of 320 packets with @lost_pkts lost: the counts are those. */
#define DECIDES(cwnd, before, lost_pkts, ...) do {							\
	struct conn *c = counting(cwnd, (struct counts)before);						\
	struct counts want = { __VA_ARGS__ };								\
	const struct ndm_v5 *v = v5(c);									\
													\
	round_of(c, lost_pkts, 320 - lost_pkts);							\
	ok(v->losses.known_lost == want.known_lost && v->known_units == want.known_units &&		\
	   v->trial_pkts == want.trial_pkts && v->trial_lost == want.lost &&				\
	   v->trial_units == want.units && v->settle == want.settle,					\
	   "cwnd " #cwnd ", " #before ", %u more lost: known %u/%u, allowed %u, trial %u/%u, settle %u", lost_pkts,	\
	   v->losses.known_lost, v->known_units, v->trial_pkts, v->trial_lost, v->trial_units, v->settle);	\
	end(c, "decides");										\
} while (0)
#define COUNTS(...) { __VA_ARGS__ }

static void decisions(void)
{
	/* Before the first trial: eight losses, and cwnd near the bound of 36. */
	DECIDES(30, COUNTS(7, 50, 0, 0, 0, 0), 0, 7, 50, 0, 0, 10, 0);
	DECIDES(30, COUNTS(0, 0, 0, 7, 50, 0), 1, 8, 60, 40, 0, 0, 0);
	DECIDES(30, COUNTS(8, 50, 0, 0, 0, 0), 1, 9, 60, 40, 0, 0, 0);
	DECIDES(27, COUNTS(8, 50, 0, 0, 0, 0), 1, 8, 50, 0, 1, 10, 0);
	DECIDES(28, COUNTS(8, 50, 0, 0, 0, 0), 1, 9, 60, 37, 0, 0, 0);
	/* More than three of a round are a burst: the counts begin anew, what is known stays. */
	DECIDES(30, COUNTS(0, 0, 0, 5, 50, 0), 3, 8, 60, 40, 0, 0, 0);
	DECIDES(30, COUNTS(7, 50, 0, 5, 50, 0), 4, 7, 50, 0, 0, 0, 0);
	/* Far above it cwnd is reduced first. */
	DECIDES(48, COUNTS(8, 50, 0, 0, 0, 0), 1, 9, 60, 64, 0, 0, 0);
	DECIDES(49, COUNTS(8, 50, 0, 0, 0, 0), 1, 8, 50, 0, 1, 10, 0);
	DECIDES(30, COUNTS(8, 50, 0, 0, 0, 2), 1, 8, 50, 0, 1, 10, 2);
	DECIDES(30, COUNTS(16, 50, 0, 7, 50, 2), 1, 24, 110, 0, 0, 0, 1);
	DECIDES(30, COUNTS(16, 50, 0, 7, 50, 1), 1, 24, 110, 43 - 3, 0, 0, 0);
	/* The same share, 20 of 60 units: a trial of a third more, once it is likely enough. */
	DECIDES(60, COUNTS(19, 60, 60, 3, 0, 0), 0, 19, 60, 60, 3, 10, 0);
	DECIDES(60, COUNTS(20, 60, 60, 3, 0, 0), 0, 23, 70, 80, 0, 0, 0);
	DECIDES(60, COUNTS(20, 60, 60, 3, 1, 0), 0, 23, 71, 80, 0, 0, 0);
	DECIDES(65535, COUNTS(20, 60, 60, 2, 30, 0), 0, 22, 100, 65535, 0, 0, 0);
	/* The next round finds the rest. */
	{
		struct conn *c = counting(30, (struct counts){ 0 });

		round_of(c, 4, 316);
		ok(!v5(c)->trial_units && !v5(c)->trial_lost, "of a burst of 4 none counts");
		round_of(c, 3, 317);
		ok(!v5(c)->trial_units && !v5(c)->trial_lost, "nor of the next round");
		round_of(c, 3, 317);
		ok(v5(c)->trial_units == 10 && v5(c)->trial_lost == 3, "those of the round after that do");
		end(c, "a burst");
	}
	/* None begins where packets behind lost ones are late. */
	{
		struct conn *c = counting(30, (struct counts){ 16, 50, 0, 0, 0, 0 });

		v5(c)->losses.late = 112;
		v5(c)->rounds.trial_late = 20;
		round_of(c, 1, 319);
		is(v5(c)->trial_pkts, 0, "with late losses none begins");
		v5(c)->losses.late = 111;
		v5(c)->rounds.trial_late = 101;
		round_of(c, 1, 319);
		is(v5(c)->trial_pkts, 0, "nor with those that ended the one before");
		v5(c)->rounds.trial_late = 20;
		round_of(c, 1, 319);
		ok(v5(c)->trial_pkts && v5(c)->rounds.trial_late == 100, "without them one does, and three late ones will end it");
		end(c, "begins");
	}
	/* After one has failed: a third of the bound, seven times. */
	{
		struct conn *c = counting(60, (struct counts){ 2, 1500, 100, 0, 502, 0, 2 });

		round_of(c, 0, 320);
		is(v5(c)->rounds.careful, 2, "what is no proof is no success");
		end(c, "careful");
		c = counting(60, (struct counts){ 20, 60, 60, 3, 1, 0, 2 });
		round_of(c, 0, 320);
		is(v5(c)->rounds.careful, 1, "one that succeeds is one less");
		ok(!v5(c)->reached, "the next one has to be reached");
		end(c, "careful");
	}
	DECIDES(60, COUNTS(20, 60, 60, 3, 1, 0, 7), 0, 23, 71, 72, 0, 0, 0);
	DECIDES(30, COUNTS(20, 60, 30, 3, 1, 0, 2), 0, 23, 71, 40, 0, 0, 0);
	/* A share that has grown: 0.7, no trial before three counts, and what is known takes about half more than its share at most. */
	DECIDES(60, COUNTS(60, 200, 100, 7, 0, 0), 1, 60, 200, 100, 8, 10, 0);
	DECIDES(60, COUNTS(60, 200, 100, 8, 0, 0), 1, 65, 210, 70, 0, 0, 3);
	DECIDES(60, COUNTS(60, 200, 50, 10, 0, 0), 1, 32, 105, 0, 0, 0, 3);
	/* Within one unit nothing is known. */
	DECIDES(60, COUNTS(60, 400, 100, 0, 0, 0), 3, 60, 400, 100, 3, 10, 0);
	/* Undecided after 24 losses: rather grown, or rather the same. */
	DECIDES(60, COUNTS(60, 200, 100, 22, 40, 0), 1, 60, 200, 100, 23, 50, 0);
	DECIDES(60, COUNTS(60, 200, 100, 23, 41, 0), 1, 83, 251, 90, 0, 0, 1);
	DECIDES(60, COUNTS(60, 200, 100, 23, 42, 0), 1, 84, 252, 100, 0, 0, 0);
	/* With too few losses to decide, the number of packets ends a trial. */
	DECIDES(60, COUNTS(16, 2000, 100, 7, 501, 0), 0, 16, 2000, 100, 7, 511, 0);
	DECIDES(60, COUNTS(16, 2000, 100, 7, 502, 0), 0, 12, 1256, 100, 0, 0, 0);
	DECIDES(60, COUNTS(16, 2000, 100, 10, 502, 0), 0, 11, 1256, 90, 0, 0, 1);
	/* So many without sign of more are no proof, but the next trial begins. */
	DECIDES(60, COUNTS(16, 2000, 100, 6, 502, 0), 0, 11, 1256, 80, 0, 0, 0);
	DECIDES(60, COUNTS(2, 1500, 100, 0, 502, 0), 0, 2, 2012, 80, 0, 0, 0);
	DECIDES(60, COUNTS(2, 1500, 100, 0, 501, 0), 0, 2, 1500, 100, 0, 511, 0);
	/* While it settles, counts that do not show more only add to what is known. */
	DECIDES(60, COUNTS(60, 200, 100, 15, 55, 2), 1, 76, 265, 100, 0, 0, 1);
	DECIDES(60, COUNTS(60, 200, 100, 6, 2, 2), 1, 60, 200, 100, 7, 12, 2);
	/* What is known fades. */
	DECIDES(60, COUNTS(250, 800, 100, 15, 55, 2), 1, 133, 433, 100, 0, 0, 1);
	DECIDES(60, COUNTS(20, 2040, 60, 0, 502, 1), 0, 10, 1276, 60, 0, 0, 0);
	DECIDES(30, COUNTS(0, 0, 0, 3, 502, 0), 0, 3, 512, 0, 0, 0, 0);
	/* Many losses in one round keep their share: a quarter of the packets at most. */
	DECIDES(60, COUNTS(220, 30, 100, 0, 0, 1), 70, 255, 35, 100, 0, 0, 0);
	DECIDES(60, COUNTS(150, 30, 100, 0, 0, 1), 62, 212, 40, 100, 0, 0, 0);
	DECIDES(60, COUNTS(200, 30, 100, 0, 0, 1), 200, 240, 35, 100, 0, 0, 0);
	/* cwnd is not in flight: what is not used is given back. */
	DECIDES(430, COUNTS(20, 60, 426, 2, 30, 0), 0, 22, 100, 573, 0, 0, 0);
	DECIDES(430, COUNTS(20, 60, 428, 2, 30, 0), 0, 20, 60, 401, 2, 30, 0);
	DECIDES(428, COUNTS(20, 60, 640, 2, 30, 0), 0, 20, 60, 600, 2, 30, 0);
	DECIDES(427, COUNTS(20, 60, 640, 2, 30, 0), 0, 22, 100, 569, 0, 0, 0);
}

/* @change is made to c and v; then a round counts or not, and the trial goes on from its counts or anew. */
#define ROUND(want_units, change) do {							\
	struct conn *c = counting(60, (struct counts){ 20, 60, 60, 6, 5, 0 });		\
	struct ndm_v5 *v = v5(c);							\
											\
	change;										\
	round_of(c, 0, 320);								\
	ok(v->trial_units == (want_units) && v->losses.known_lost == 20,		\
	   #change ": %u units", v->trial_units);					\
	v->holding = false;								\
	end(c, "rounds that count");							\
} while (0)

static void conditions(void)
{
	ROUND(15, v->queue = false);
	ROUND(0, v->queue = true);
	ROUND(0, v->cut_from_pkts = 70);
	ROUND(0, v->cut_from_pkts = 70; v->verdict = NDM_LATE);
	ROUND(0, v->cut_from_pkts = 70; v->verdict = NDM_BOUND);
	/* A cut by the bound, before a trial, is none by a queue. */
	ROUND(15, v->trial_pkts = 0; v->cut_from_pkts = 70; v->verdict = NDM_BOUND);
	ROUND(5, v->trial_pkts = 0; v->cut_from_pkts = 70; v->verdict = NDM_LATE);
	ROUND(5, v->trial_pkts = 0; v->cut_from_pkts = 70; v->verdict = NDM_BOUND; v->queue = true);
	ROUND(5, v->limited = false);
	ROUND(5, v->holding = true);
	ROUND(5, v->reordered = 1);
	ROUND(5, c->tp.snd_ssthresh = 61);
	ROUND(15, c->tp.snd_ssthresh = 61; v->noise = true; c->tp.prior_cwnd = 61);
	ROUND(15, inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Recovery);
	ROUND(5, inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Loss);
	/* Before a trial nothing is lost by a queue. */
	ROUND(5, v->trial_pkts = 0; v->queue = true);
	{
		struct conn *c = counting(60, (struct counts){ 20, 60, 60, 6, 5, 0 });

		v5(c)->queue = true;
		round_of(c, 0, 320);
		ok(!v5(c)->reached, "after a queue it has to be reached again");
		end(c, "queue");
		c = counting(60, (struct counts){ 20, 60, 60, 6, 5, 0 });
		c->tp.prior_cwnd = 60;
		ndm_v5_undo_cwnd(model_sk(c));
		ok(!v5(c)->trial_units && !v5(c)->trial_lost, "losses that were none do not count");
		end(c, "undo");
		c = counting(60, (struct counts){ 20, 60, 0, 15, 5, 0 });
		v5(c)->losses.interval_pkts = 200;	/* a bound of 51 */
		v5(c)->cut_from_pkts = 70;
		v5(c)->verdict = NDM_BOUND;
		round_of(c, 1, 319);
		ok(v5(c)->losses.known_lost == 20 && !v5(c)->trial_pkts, "nor are they known while an undo may follow");
		v5(c)->cut_from_pkts = 0;
		round_of(c, 0, 320);
		ok(v5(c)->losses.known_lost == 36 && v5(c)->trial_pkts == 80, "then they are (%u), and a trial begins", v5(c)->losses.known_lost);
		end(c, "cut that stands");
	}
}

/* Units and their remainder: 100 rounds of 50 packets are 156 units. */
static void remainders(void)
{
	struct conn *c = counting(50, (struct counts){ .known_lost = 200, .known_units = 60000, .trial_pkts = 50 });
	u32 i;

	for (i = 0; i < 100; i++) {
		c->tp.delivered += 50;
		ndm_trial_round(model_sk(c), v5(c), 50, 0, 50);
	}
	is(v5(c)->trial_units, 156, "100 rounds of 50 packets: units of 32");
	c->tp.delivered -= 5000;
	end(c, "remainders");
}

/* Losses count from the round after that in which cwnd was reached. */
static void reaches(void)
{
	struct conn *c = counting(93, (struct counts){ 20, 60, 100, 6, 5, 0 });

	v5(c)->reached = false;
	round_of(c, 0, 320);
	ok(!v5(c)->reached && v5(c)->trial_units == 5, "cwnd 93 of 100: not reached");
	c->tp.snd_cwnd = 94;
	round_of(c, 0, 320);
	ok(v5(c)->reached && v5(c)->trial_units == 5, "cwnd 94 of 100: reached, and nothing counts yet");
	round_of(c, 0, 320);
	is(v5(c)->trial_units, 15, "the next round counts");
	end(c, "reaches");

	/* After a failure the step is 12 of a bound of 36: less than a sixteenth of 612. */
	c = counting(600, (struct counts){ 20, 60, 612, 0, 0, 0, 7 });
	v5(c)->reached = false;
	round_of(c, 0, 600);
	ok(!v5(c)->reached, "a small step: the cwnd of before has not reached it");
	c->tp.snd_cwnd = 609;
	round_of(c, 0, 600);
	ok(v5(c)->reached, "most of the step has");
	end(c, "reaches a small step");

	c = counting(60, (struct counts){ 60, 200, 50, 10, 0, 0 });
	round_of(c, 0, 320);
	ok(!v5(c)->trial_pkts && !v5(c)->reached, "a trial fails, and the bound allows as much");
	round_of(c, 3, 317);
	ok(!v5(c)->trial_units && !v5(c)->trial_lost, "what it has lost in its last round counts for nothing");
	round_of(c, 1, 319);
	is(v5(c)->trial_units, 10, "the round after that counts");
	end(c, "reaches after a failure");
}

/* At what the trial allows cwnd stays, unless others fill a queue: then it grows by a twentieth at most. */
static void stays(void)
{
	struct conn *c = counting(100, (struct counts){ 60, 200, 100, 6, 5, 0 });
	struct ndm_v5 *v = v5(c);
	u32 below, amid_queue;

	ndm_growth_plan(model_sk(c), v, 99, 99, RTT_US);
	below = v->cubic.acked_pkts;
	v->queue = true;
	ndm_growth_plan(model_sk(c), v, 100, 100, RTT_US);
	amid_queue = v->cubic.acked_pkts;
	ndm_growth_plan(model_sk(c), v, 99, 99, RTT_US);
	ok(v->cubic.acked_pkts >= 20, "below it, amid a queue: a packet more for %u", v->cubic.acked_pkts);
	v->queue = false;
	ndm_growth_plan(model_sk(c), v, 100, 100, RTT_US);
	ok(below == 16 && amid_queue >= 20 && amid_queue < 65535 && v->cubic.acked_pkts == 65535,
	   "a packet more for %u packets below, %u amid a queue, %u at what the trial allows", below, amid_queue, v->cubic.acked_pkts);
	end(c, "stays");
}

/* An application that sends less, while nothing counts, ends a trial. */
static void unused(void)
{
	struct conn *c = counting(300, (struct counts){ 60, 200, 300, 6, 5, 0 });

	lazy_rounds(c, 50, RTT_US, 20);
	is(v5(c)->trial_pkts, 0, "an application that sends little: no trial after 50 rounds");
	ok(!v5(c)->reached && !v5(c)->trial_lost, "and its counts are no others' (%u)", v5(c)->trial_lost);
	is(v5(c)->known_units, 200, "what is known stays");
	end(c, "unused");
}

static void judges(void)
{
	struct conn *c = counting(60, (struct counts){ 20, 60, 60, 2, 15, 0 });
	const struct sock *sk = model_sk(c);

	v5(c)->losses.late = 200;
	v5(c)->rounds.trial_late = 124;
	ok(ndm_judge(sk, v5(c), 60) == NDM_NOISE && ndm_judge(sk, v5(c), 68) == NDM_BOUND, "a trial: the bound counts (%u, %u)",
	   ndm_judge(sk, v5(c), 60), ndm_judge(sk, v5(c), 68));
	ok(ndm_judge(sk, v5(c), 67) == NDM_NOISE, "an eighth above it is growth of the round");
	v5(c)->rounds.trial_late = 125;
	is(ndm_judge(sk, v5(c), 60), NDM_LATE, "a trial: late counts from nearly half on");
	v5(c)->trial_pkts = 0;
	v5(c)->losses.late = 113;
	is(ndm_judge(sk, v5(c), 60), NDM_LATE, "no trial: late counts from seven sixteenths on");
	end(c, "judges");
}

/* Packets behind a lost one take @us more than the base; whether any was late, and all by more than a burst. */
#define BEHIND(jitter, any, all, ...) do {							\
	struct conn *c = counting(60, (struct counts){ 20, 60, 60, 2, 15, 0 });			\
	struct ndm_v5 *v = v5(c);								\
	const u32 us[] = { __VA_ARGS__ };							\
	u32 i;											\
												\
	v->rounds.jitter_us = jitter;								\
	v->rounds.trial_late = 64;								\
	ndm_judge_behind(v, 0);									\
	for (i = 0; i < sizeof(us) / sizeof(us[0]); i++) {					\
		v->rounds.newest_us = v->rounds.base_us + us[i];				\
		ndm_judge_behind(v, 1);								\
	}											\
	ndm_trial_loss(v);									\
	ok(v->behind_late == (any) && v->rounds.trial_late == (all ? 64 + 191 / 16 : 64 - 71 / 16),	\
	   "jitter " #jitter ": behind a loss " #__VA_ARGS__ " us late (%u)", v->rounds.trial_late);	\
	end(c, "behind");									\
} while (0)

static void behind(void)
{
	struct conn *c = counting(60, (struct counts){ 20, 60, 60, 2, 15, 0 });

	is(v5(c)->rounds.base_us >> 6, 781, "a burst takes 781 us at most");
	v5(c)->rounds.trial_late = 64;
	ndm_judge_behind(v5(c), 0);
	ndm_trial_loss(v5(c));
	is(v5(c)->rounds.trial_late, 64, "with nothing behind it a loss says nothing");
	ndm_judge_behind(v5(c), 1);
	v5(c)->reordered = 1;
	ndm_trial_loss(v5(c));
	is(v5(c)->rounds.trial_late, 64, "nor does one with reordering");
	v5(c)->reordered = 0;
	v5(c)->rounds.base_us = 0;
	ndm_trial_loss(v5(c));
	is(v5(c)->rounds.trial_late, 64, "nor does one before the first base");
	end(c, "base");
	BEHIND(0, true, false, 0, 251, 0);
	BEHIND(0, false, false, 250, 250, 250, 5000);
	BEHIND(600, false, false, 300, 300, 300);
	BEHIND(600, true, false, 300, 301, 300);
	BEHIND(0, true, false, 781, 781, 781);
	BEHIND(2000, false, false, 1000, 1000, 1000);
	BEHIND(0, true, true, 782, 782, 782);
	BEHIND(0, true, false, 781, 782, 782);
	BEHIND(0, true, false, 782, 781, 782);
	BEHIND(0, true, false, 782, 782, 781);
	BEHIND(0, true, true, 782);
}

/* hold_until_tick and the counts share their place. */
static void holds(void)
{
	struct conn *c = counting(60, (struct counts){ 20, 60, 60, 2, 15, 0 });

	v5(c)->holding = true;
	v5(c)->hold_until_tick = 0x7654;
	ndm_trial_forget(v5(c));
	is(v5(c)->hold_until_tick, 0x7654, "to forget trials does not end a hold");
	v5(c)->trial_pkts = 0;
	round_of(c, 30, 290);
	is(v5(c)->hold_until_tick, 0x7654, "nor does a burst");
	c->tp.prior_cwnd = 60;
	ndm_hold_end(model_sk(c), v5(c));
	ok(!v5(c)->trial_units && !v5(c)->trial_lost, "after a hold the counts begin anew");
	end(c, "holds");
}

static void clamped(void)
{
	struct conn *c = counting(60, (struct counts){ 20, 60, 60, 3, 1, 0 });

	c->tp.snd_cwnd_clamp = 70;
	round_of(c, 0, 320);
	is(v5(c)->trial_pkts, 70, "no trial above the clamp of cwnd");
	c->tp.snd_cwnd_clamp = 65;
	round_of(c, 0, 320);
	is(v5(c)->trial_pkts, 65, "nor one that has not been reached");
	end(c, "clamped");
}

/* The way back after a share that has grown. */
static void comes_back(void)
{
	struct conn *c = counting(100, (struct counts){ 60, 200, 100, 10, 0, 0 });

	round_of(c, 1, 319);
	ok(c->tp.snd_cwnd == 70 && c->tp.snd_ssthresh <= 70, "cwnd returns to 0.7 (%u)", c->tp.snd_cwnd);
	ok(!v5(c)->reached, "and the losses of the round before are not counted again");
	end(c, "comes back");

	/* A trial raises the bound as well, where few loss events tell of many losses. */
	c = counting(100, (struct counts){ 60, 200, 100, 10, 0, 0 });
	v5(c)->losses.interval_pkts = 1000;
	round_of(c, 1, 319);
	ok(c->tp.snd_cwnd == 70 && !v5(c)->trial_pkts, "also where the bound allows more (%u)", c->tp.snd_cwnd);
	end(c, "comes back below the bound");
	c = counting(115, (struct counts){ 60, 200, 100, 10, 0, 0 });
	v5(c)->losses.interval_pkts = 1000;
	round_of(c, 1, 319);
	ok(c->tp.snd_cwnd == 115 && !v5(c)->trial_pkts, "not what the trial has not raised (%u)", c->tp.snd_cwnd);
	end(c, "comes back from above");

	c = counting(100, (struct counts){ 60, 200, 100, 10, 0, 0 });
	v5(c)->noise = true;
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Recovery;
	c->tp.prior_cwnd = 120;
	round_of(c, 1, 319);
	ok(c->tp.snd_cwnd == 100 && c->tp.snd_ssthresh == 84, "a recovery that keeps cwnd: ssthresh, not below what one cut leaves (%u)",
	   c->tp.snd_ssthresh);
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Open;
	v5(c)->noise = false;
	c->tp.snd_cwnd = 84;
	round_of(c, 0, 320);
	ok(c->tp.snd_cwnd == 84 && ndm_judge(model_sk(c), v5(c), 84) == NDM_BOUND, "the rest is for the next loss (%u)", c->tp.snd_cwnd);
	end(c, "comes back in a recovery");

	c = counting(100, (struct counts){ 60, 200, 100, 10, 0, 0 });
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Recovery;
	round_of(c, 1, 319);
	ok(c->tp.snd_cwnd == 100 && c->tp.snd_ssthresh == 100, "a recovery after a cut: nothing more");
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Open;
	end(c, "comes back after a recovery");
}

/*
 * An application that sends in pieces ends its trials by not using them. Two of three loss events are late, by all of
 * their packets: a new trial must not forget that each time.
 */
static void pieces(void)
{
	struct conn *c = counting(30, (struct counts){ 20, 60, 40, 2, 15, 0 });
	struct ndm_v5 *v = v5(c);
	u32 begun = 0, judged_late = 0, i, j;

	for (i = 0; i < 150; i++) {
		bool late = i % 3 < 2;

		v->limited = false;
		for (j = 0; !late && j < 3; j++)
			round_of(c, 0, 30);
		for (j = 0; j < 3; j++) {
			v->rounds.newest_us = v->rounds.base_us + (late ? 5000 : 0);
			ndm_judge_behind(v, 1);
		}
		ndm_losses_event(&v->losses, v->losses.event_at_pkts + 100, 60, v->behind_late);
		ndm_trial_loss(v);
		ndm_judge_behind(v, 0);
		judged_late += ndm_judge(model_sk(c), v, 30) == NDM_LATE;
		if (!late) {
			bool before = ndm_trial_runs(v);

			v->limited = true;
			v->trial_lost = 0;
			round_of(c, 0, 32);
			round_of(c, 0, 32);
			begun += !before && ndm_trial_runs(v);
		}
	}
	ok(begun <= 1 && judged_late >= 140, "sends in pieces, losses mostly late: %u trials, %u of 150 verdicts late", begun, judged_late);
	end(c, "pieces");
}

static void ends(void)
{
	static const struct { enum ndm_verdict verdict; u32 left; } cut[] = {
		{ NDM_QUEUE, 42 }, { NDM_BOUND, 100 }, { NDM_LATE, 0 }, { NDM_LOSS_SHARE, 0 }, { NDM_PLATEAU, 0 }, { NDM_TIMEOUT, 0 },
		{ NDM_ECN, 0 },
	};
	struct conn *c;
	u32 i;

	for (i = 0; i < sizeof(cut) / sizeof(cut[0]); i++) {
		c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 0 });
		v5(c)->verdict = cut[i].verdict;
		ndm_trial_stop(v5(c), 60, false);
		ok(v5(c)->trial_pkts == cut[i].left && !v5(c)->trial_units && !v5(c)->trial_lost &&
		   v5(c)->known_units == (cut[i].left ? 60 : 30) && v5(c)->settle == (cut[i].left ? 0 : 3),
		   "a cut with verdict %u leaves %u packets and no counts; known %u, settle %u", cut[i].verdict, v5(c)->trial_pkts,
		   v5(c)->known_units, v5(c)->settle);
		ok(!v5(c)->reached, "after verdict %u what is allowed has to be reached again", cut[i].verdict);
		ok(v5(c)->rounds.careful == (cut[i].verdict != NDM_BOUND ? 7 : 0), "after verdict %u trials add less (%u)", cut[i].verdict,
		   v5(c)->rounds.careful);
		ok(v5(c)->losses.late == (cut[i].left ? 0 : 112), "after verdict %u late has to be disproved (%u)", cut[i].verdict,
		   v5(c)->losses.late);
		end(c, "ends");
	}
	c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 0 });
	v5(c)->verdict = NDM_LATE;
	v5(c)->rounds.trial_late = 130;
	ndm_trial_stop(v5(c), 60, false);
	is(v5(c)->losses.late, 130, "late packets that ended it: it has to be shown to be chance again");
	end(c, "ends by late packets");
	c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 0 });
	v5(c)->verdict = NDM_LATE;
	v5(c)->rounds.trial_late = 130;
	v5(c)->losses.late = 217;
	ndm_trial_stop(v5(c), 60, false);
	is(v5(c)->losses.late, 217, "and what was known of them stays");
	end(c, "ends by late packets, many");

	c = counting(51, (struct counts){ 20, 60, 100, 2, 15, 0 });
	v5(c)->verdict = NDM_QUEUE;
	ndm_trial_stop(v5(c), 51, false);
	is(v5(c)->trial_pkts, 0, "a queue that leaves no more than the bound (35 of 36) ends it");
	end(c, "ends below the bound");

	c = counting(60, (struct counts){ 20, 60, 0, 2, 15, 0 });
	v5(c)->verdict = NDM_TIMEOUT;
	ndm_trial_stop(v5(c), 0, false);
	ok(v5(c)->known_units == 60 && !v5(c)->settle && !v5(c)->rounds.careful, "without a trial a timeout is not its failure");
	ndm_trial_stop(v5(c), 0, true);
	is(v5(c)->known_units, 60, "nor after a queue, where none has failed");
	v5(c)->rounds.careful = 7;
	ndm_trial_stop(v5(c), 0, true);
	ok(v5(c)->known_units == 30 && v5(c)->settle == 3, "but after one that has ended a trial");
	v5(c)->known_units = 60;
	v5(c)->verdict = NDM_QUEUE;
	c->tp.prior_ssthresh = 60;
	ndm_v5_set_state(model_sk(c), TCP_CA_Loss);
	is(v5(c)->known_units, 30, "set_state() says so");
	ndm_v5_set_state(model_sk(c), TCP_CA_Loss);
	is(v5(c)->known_units, 30, "once");
	end(c, "ends by a timeout");

	c = counting(60, (struct counts){ 20, 60, 0, 2, 15, 0 });
	ndm_trial_stop(v5(c), 60, false);
	is(v5(c)->trial_units, 15, "before a trial a cut keeps the counts");
	end(c, "ends before");

	c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 1 });
	ecn_event(c, RTT_US);
	is(v5(c)->trial_pkts, 0, "ECN ends it");
	is(v5(c)->settle, 3, "ECN: three counts come before the next");
	end(c, "ECN");

	c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 1, 3 });
	model_wait(c, 5 * SECOND);
	rounds(c, 1, RTT_US, 0);
	ok(!v5(c)->trial_pkts && !v5(c)->known_units && !v5(c)->losses.known_lost && !v5(c)->settle, "a pause forgets what is known");
	ok(!v5(c)->rounds.careful, "a pause forgets failures");
	is(v5(c)->losses.late, 147, "a pause forgets how often packets were late, also amid a trial");
	ok(v5(c)->rounds.trial_late == 124, "and no trial begins before losses in time (%u)", v5(c)->rounds.trial_late);
	end(c, "pause");
}

/* In a recovery, one packet more for an ACK until cwnd is in flight. */
#define FILL(want, change) do {								\
	struct conn *c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 0 });	\
	struct ndm_v5 *v = v5(c);							\
	struct tcp_sock was;								\
											\
	v->noise = true;								\
	c->tp.snd_ssthresh = tcp_packets_in_flight(&c->tp) + 1;				\
	c->tp.prr_out = c->tp.prr_delivered = 10;					\
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Recovery;				\
	change;										\
	was = c->tp;									\
	ndm_v5_fill(model_sk(c), v);								\
	ok(c->tp.prr_out == was.prr_out - (want), #change ": %u more", was.prr_out - c->tp.prr_out);	\
	v->holding = false;								\
	v->noise = false;								\
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Open;				\
	end(c, "fill");									\
} while (0)

static void fills(void)
{
	struct conn *c = counting(60, (struct counts){ 20, 60, 100, 2, 15, 0 });
	const struct ack_sample none = { .rtt_us = -1 };

	v5(c)->noise = true;
	c->tp.snd_ssthresh = tcp_packets_in_flight(&c->tp) + 1;
	c->tp.prior_ssthresh = c->tp.prior_cwnd = 60;
	c->tp.prr_out = c->tp.prr_delivered = 10;
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Recovery;
	ndm_v5_pkts_acked(model_sk(c), &none);
	is(c->tp.prr_out, 9, "an ACK lets a packet more be sent");
	v5(c)->noise = false;
	inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Open;
	end(c, "fill with an ACK");

	FILL(1, c->tp.prr_out = 11);
	FILL(1, c->tp.prr_out = 10);
	FILL(0, c->tp.prr_out = 9);
	FILL(0, c->tp.prr_out = c->tp.prr_delivered = 0);
	FILL(0, c->tp.snd_ssthresh--);
	FILL(0, v->holding = true);
	FILL(0, v->noise = false);
	FILL(0, v->trial_pkts = 0);
	FILL(1, v->trial_pkts = 0; v->reordered = 1);
	model_param_set("trials", "0");
	FILL(1, v->trial_pkts = 0; v->reordered = 1);
	FILL(0, inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Disorder);
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	decisions();
	conditions();
	remainders();
	reaches();
	stays();
	unused();
	judges();
	behind();
	clamped();
	holds();
	comes_back();
	pieces();
	ends();
	fills();
	model_param_set("trials", "0");
	return tap_done();
}
