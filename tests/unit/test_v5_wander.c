// SPDX-License-Identifier: GPL-2.0
/* Verdicts and trials where the path's own delay wanders, and where a queue moves it. */
#include "trial.h"

#include "../../src/module/ndm_judge.h"

#define IN_NO_ORDER (5 | 5 << 5 | 5 << 10 | 5 << 15 | 5 << 20 | 5 << 25)
#define IN_SOME_ORDER (1 | 5 << 5 | 9 << 10 | 5 << 15 | 5 << 20 | 5 << 25)

/* RTT of round @i: up to 10 ms more than 50 ms, by chance. */
static u32 by_chance(u32 i)
{
	return 50 * MS + tap_random(10 * MS);
}

/* A queue that fills by 3 ms a round, and is empty after four. */
static u32 by_a_queue(u32 i)
{
	return 50 * MS + i % 4 * 3 * MS;
}

/* 40 losses @apart rounds apart, with packets behind them as late as all others are. Returns how many of the last 30 are noise. */
static u32 noise_of_30(const char *trials, u32 (*rtt_us)(u32 i), u32 apart)
{
	struct conn c;
	u32 i, j, us = 50 * MS, round = 0, noise = 0;

	model_param_set("trials", trials);
	begin(&c, "ndm_v5", START_US, 50 * MS, 20);
	rounds(&c, 20, us, 0);
	for (i = 0; i < 40; i++) {
		for (j = 0; j < apart; j++) {
			us = rtt_us(round++);
			rounds(&c, 1, us, 0);
		}
		loss_event(&c, 1, us);
		noise += i >= 10 && verdict(&c) == NDM_NOISE;
	}
	end(&c, "losses amid delays that move");
	return noise;
}

static void losses_by_chance(void)
{
	u32 noise = noise_of_30("1", by_chance, 25);

	ok(noise >= 15, "delays that wander: half of 30 rare losses and more are noise (%u)", noise);
	noise = noise_of_30("1", by_a_queue, 24);
	ok(noise <= 3, "delays that a queue moves as far: hardly any is (%u)", noise);
	noise = noise_of_30("1", by_chance, 4);
	ok(noise <= 3, "delays that wander, losses that are not rare: hardly any is (%u)", noise);
	noise = noise_of_30("0", by_chance, 25);
	ok(noise <= 3, "delays that wander, no trials: hardly any is (%u)", noise);
}

/* Evidence of a path that has changed. */
static void forgets(void)
{
	struct conn c;
	u32 i;

	model_param_set("trials", "1");
	begin(&c, "ndm_v5", START_US, 50 * MS, 20);
	rounds(&c, 2, 50 * MS, 0);
	for (i = 0; i < 100; i++)
		rounds(&c, 1, by_chance(i), 0);
	v5(&c)->losses.interval_pkts = 1000;
	ok(ndm_judge_wander(v5(&c)), "100 rounds whose delays wander");
	rounds(&c, 9, 55 * MS, 0);
	ok(!ndm_judge_wander(v5(&c)), "nine rounds later the path stands still");
	loss_event(&c, 1, 55 * MS);
	is(verdict(&c), NDM_QUEUE, "and what is a tenth above the base is a queue again");
	end(&c, "a path that stands still");

	begin(&c, "ndm_v5", START_US, 50 * MS, 20);
	rounds(&c, 2, 50 * MS, 0);
	for (i = 0; i < 100; i++)
		rounds(&c, 1, by_chance(i), 0);
	fall_silent(&c, 50 * MS);
	model_wait(&c, 60 * SECOND);
	model_send(&c, 1 << 20);
	is(v5(&c)->rounds.moves, 0, "a minute of silence: nothing is known of the delays");
	end(&c, "silence");
}

/* The base is 50 ms. Most losses had one late packet behind them, less than half had late ones only. */
static struct conn *wandering(const char *trials)
{
	struct conn *c = open_at(trials, 30);
	struct ndm_v5 *v = v5(c);

	v->rounds.samples = 0;
	v->rounds.base_us = 50 * MS;
	v->rounds.mean_us = 50 * MS;
	v->rounds.jitter_us = 0;
	v->rounds.moves = 8;
	v->rounds.patterns = IN_NO_ORDER;
	v->losses.interval_pkts = 200;
	v->losses.share = 327;	/* of 65536, one of 200 */
	v->losses.late = 200;
	v->rounds.trial_late = 124;
	return c;
}

static u32 judged(struct conn *c)
{
	return ndm_judge(model_sk(c), v5(c), 30);
}

static void edges(void)
{
	struct conn *c = wandering("1");
	struct ndm_v5 *v = v5(c);

	is(judged(c), NDM_NOISE, "delays that wander: one late packet of three says nothing");
	v->rounds.trial_late = 125;
	is(judged(c), NDM_LATE, "three do, behind nearly half of the losses");
	v->rounds.trial_late = 124;
	v->rounds.moves = 7;
	is(judged(c), NDM_LATE, "with fewer moves one does");
	v->rounds.moves = 8;
	v->rounds.patterns = IN_SOME_ORDER;
	is(judged(c), NDM_LATE, "and where the means move in some order");
	v->rounds.patterns = IN_NO_ORDER;
	v->losses.interval_pkts = 199;
	is(judged(c), NDM_LATE, "and where a loss event comes each 199 packets");
	v->losses.interval_pkts = 200;
	v->losses.share = 328;
	is(judged(c), NDM_LATE, "and where more than one of 200 packets is lost");
	v->losses.share = 327;
	v->reordered = 5;
	ok(!ndm_judge_wander(v), "reordering has its own rules");
	v->reordered = 0;
	is(ndm_judge(model_sk(c), v, bound_of(c) + 1), NDM_BOUND, "the bound counts as ever");

	v->rounds.mean_us = 62 * MS;
	is(judged(c), NDM_NOISE, "delays that wander: a quarter above the base is no queue");
	v->rounds.mean_us = 63 * MS;
	is(judged(c), NDM_QUEUE, "more than a quarter is one");
	v->trial_pkts = 80;
	v->rounds.mean_us = 74 * MS;
	is(judged(c), NDM_NOISE, "in a trial half is none");
	v->rounds.mean_us = 76 * MS;
	is(judged(c), NDM_QUEUE, "more is one there, too");
	v->trial_pkts = 0;
	end(c, "edges");
}

/* Three packets behind a lost one, each of @us; the means of the latest rounds are those. Returns what trial_late becomes. */
static u32 behind(u32 older_us, u32 mean_us, u32 base_us, u32 us)
{
	struct conn *c = wandering("1");
	struct ndm_v5 *v = v5(c);
	u32 late, i;

	v->rounds.older_us = older_us;
	v->rounds.mean_us = mean_us;
	v->rounds.base_us = base_us;
	v->rounds.newest_us = us;
	ndm_judge_behind(v, 0);
	for (i = 0; i < 3; i++)
		ndm_judge_behind(v, 1);
	ok(v->behind_late, "%u us are above the base", us);
	ndm_trial_loss(v);
	rounds(c, 1, 50 * MS, 0);
	late = v->rounds.trial_late;
	end(c, "behind");
	return late;
}

/* As many us as a burst takes above the largest of the three are in time. */
static void late_packets(void)
{
	is(behind(50 * MS, 52 * MS, 50 * MS, 52781), 116, "delays that wander: a packet as late as the round before was in time");
	is(behind(50 * MS, 52 * MS, 50 * MS, 52782), 132, "one that exceeds it was late");
	is(behind(52 * MS, 50 * MS, 50 * MS, 52781), 116, "nor does the one before that make one late");
	is(behind(52 * MS, 50 * MS, 50 * MS, 52782), 132, "but more does");
	is(behind(48 * MS, 49 * MS, 50 * MS, 50781), 116, "nor does the base");
	is(behind(48 * MS, 49 * MS, 50 * MS, 50782), 132, "but more does there, too");
}

static void trials(void)
{
	struct conn *c = wandering("1");
	struct ndm_v5 *v = v5(c);

	c->tp.snd_cwnd = 45;
	c->tp.snd_ssthresh = 45;
	v->limited = true;
	v->verdict = NDM_NOISE;
	v->known_units = 300;
	v->losses.known_lost = 48;
	v->reached = true;
	v->rounds.trial_late = 101;
	ndm_trial_round(model_sk(c), v, 45, 0, 320);
	is(v->trial_pkts, 0, "late packets only: no trial");
	v->rounds.trial_late = 90;
	v->rounds.moves = 7;
	ndm_trial_round(model_sk(c), v, 45, 0, 320);
	is(v->trial_pkts, 0, "one late packet of three: none without wander");
	v->rounds.moves = 8;
	ndm_trial_round(model_sk(c), v, 45, 0, 320);
	is(v->trial_pkts, 60, "but with it");
	is(v->rounds.trial_late, 100, "and three late ones will end it");
	end(c, "trials");
}

int main(void)
{
	model_module_init();
	losses_by_chance();
	forgets();
	edges();
	late_packets();
	trials();
	model_param_set("trials", "0");
	return tap_done();
}
