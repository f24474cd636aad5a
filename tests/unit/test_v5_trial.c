// SPDX-License-Identifier: GPL-2.0
/* v5 asks the path whether losses are chance: paths of known kind, and what ends a trial. */
#include "play.h"

#include "../../src/module/ndm_trial.h"

#define RTT_US (50 * MS)

/* Of @pkts packets of a round, how many the path loses. */
typedef u32 (*losing)(u32 pkts, u32 of);

/* Each with a chance of 1 in @of. */
static u32 by_chance(u32 pkts, u32 of)
{
	u32 lost = 0;

	while (pkts--)
		lost += !tap_random(of);
	return lost;
}

/* What is above @room: the others send as before, the queue has no room worth mentioning. */
static u32 by_load(u32 pkts, u32 room)
{
	return pkts > room ? (pkts - room + 1) / 2 : 0;
}

/* Nine others with @room each have as much as the path has: what is too much is lost by chance of all, ours being one in ten. */
static u32 by_others(u32 pkts, u32 room)
{
	u32 over = pkts > room ? pkts - room : 0, found = 0, n = pkts;

	while (n--)
		found += tap_random(pkts + 9 * room) < over;
	return found;
}

static u32 lost; /* of the round before */
static u32 tried; /* rounds of trials */

/*
 * @n rounds. A loss is found in the round after that in which the packet was sent.
 * Returns the mean flight of the last half, packets.
 */
static u32 play(struct conn *c, u32 n, losing path, u32 argument)
{
	u32 sum = 0, i;

	for (i = 0; i < n && !watch_failed(); i++) {
		u32 flight = c->tp.packets_out;

		if (i >= n / 2)
			sum += flight;
		if (lost && flight > 4)
			loss_event(c, min(lost, flight / 4), RTT_US);
		else
			rounds(c, 1, RTT_US, 0);
		lost = path(flight, argument);
		tried += !!v5(c)->phase;
	}
	return sum / (n - n / 2);
}

static struct conn *open_at(const char *trials, u32 cwnd)
{
	static struct conn c;

	model_param_set("trials", trials);
	lost = tried = 0;
	begin(&c, "ndm_v5", START_US, RTT_US, cwnd);
	rounds(&c, 30, RTT_US, 0);
	return &c;
}

static void of_chance(void)
{
	struct conn *c = open_at("0", 30);
	u32 without = play(c, 1500, by_chance, 100), with;

	ok(!tried && !v5(c)->evidence, "trials=0: none is made (%u rounds)", tried);
	end(c, "chance, without trials");
	c = open_at("1", 30);
	with = play(c, 1500, by_chance, 100);
	ok(with > 3 * without && with < 1300, "1 %% lost by chance: flight of %u packets, without trials %u", with, without);
	ok(v5(c)->evidence > 32, "1 %% lost by chance: evidence for it (%d)", v5(c)->evidence);
	ok(ndm_trial_bound(v5(c)) < 1300, "1 %% lost by chance: the bound is not the square of the evidence (%u)",
	   ndm_trial_bound(v5(c)));
	end(c, "chance");
}

static void of_load(void)
{
	struct conn *c = open_at("1", 30);
	u32 flight = play(c, 1500, by_load, 60);

	ok(v5(c)->evidence <= 0, "lost by load: no evidence for chance (%d)", v5(c)->evidence);
	ok(flight < 70, "lost by load: flight of %u where 60 have room", flight);
	end(c, "load");
}

static void bounded(void)
{
	struct conn *c = open_at("1", 100);
	u32 above = 0, i;

	play(c, 2000, by_others, 60);
	for (i = 0; i < 1000; i++) {
		play(c, 1, by_others, 60);
		above += v5(c)->evidence <= 0 && c->tp.snd_cwnd > ndm_trial_bound(v5(c)) * 3 / 2;
	}
	ok(above < 50, "no evidence for chance: cwnd is far above the bound in %u of 1000 rounds", above);
	end(c, "bounded");
}

static void stays_low(void)
{
	struct conn *c = open_at("1", 300);
	u32 i;

	loss_event(c, 1, RTT_US);
	rounds(c, 3, RTT_US, 0);
	for (i = 0; i < 40 && v5(c)->phase != NDM_FALL; i++) {
		v5(c)->verdict = NDM_NOISE;
		v5(c)->losses.late = 50;
		v5(c)->losses.interval_pkts = 2000;
		v5(c)->losses.event_at_pkts = c->tp.delivered;
		v5(c)->losses.share = 30;
		v5(c)->evidence = 20;
		rounds(c, 1, RTT_US, 0);
	}
	while (v5(c)->phase >= NDM_FALL && v5(c)->phase < NDM_LOW_AGAIN)
		rounds(c, 1, RTT_US, 0);
	ok(v5(c)->phase == NDM_LOW_AGAIN && c->tp.snd_cwnd <= v5(c)->trial_pkts - v5(c)->trial_pkts / 5 + 1,
	   "cwnd stays low without a loss, too (%u of %u)", c->tp.snd_cwnd, v5(c)->trial_pkts);
	model_param_set("trials", "0");
	rounds(c, 1, RTT_US, 0);
	ok(!v5(c)->evidence && !v5(c)->phase, "trials=0 ends it for open connections");
	end(c, "stays low");
}

/* A loss counts for the round in which its packet was sent, the one before it is found. */
static void weighed(void)
{
	static const struct { u32 sent_in; s32 evidence; } weight[] = {
		{ NDM_FALL, 0 }, { NDM_LOW, 12 }, { NDM_LOW_AGAIN, 12 }, { NDM_RISE, -12 }, { NDM_HIGH, -4 },
	};
	u32 i;

	for (i = 0; i < sizeof(weight) / sizeof(weight[0]); i++) {
		struct conn *c = open_at("1", 60);
		u32 phase;

		v5(c)->phase = NDM_FALL;
		v5(c)->score = 0;
		for (phase = NDM_FALL; phase <= NDM_HIGH_AGAIN; phase++) {
			v5(c)->limited = true;
			ndm_trial_round(model_sk(c), v5(c), c->tp.snd_cwnd, phase == weight[i].sent_in + 1 ? 2 : 0);
		}
		ok(v5(c)->evidence == weight[i].evidence, "two losses of round %u of a trial: %d",
		   weight[i].sent_in, v5(c)->evidence);
		end(c, "weighed");
	}
}

/* Until a trial of @c is in @phase. */
static bool until(struct conn *c, u32 phase)
{
	u32 i;

	for (i = 0; i < 400 && v5(c)->phase != phase; i++)
		play(c, 1, by_chance, 60);
	return v5(c)->phase == phase;
}

static void given_up(void)
{
	struct conn *c = open_at("1", 40);
	u32 before, evidence;

	ok(until(c, NDM_LOW), "a trial begins");
	before = v5(c)->trial_pkts;
	ok(c->tp.snd_cwnd <= before - before / 5, "with a fifth less (%u of %u)", c->tp.snd_cwnd, before);
	lazy_rounds(c, 2, RTT_US, 4);
	is(v5(c)->phase, NDM_NO_TRIAL, "the application is the limit: it ends");
	model_param_set("trials", "0");	/* no other one begins */
	rounds(c, 1, RTT_US, 0);
	ok(c->tp.snd_cwnd >= before - 1, "and the fifth is given back (%u of %u)", c->tp.snd_cwnd, before);
	end(c, "given up");

	c = open_at("1", 40);
	ok(until(c, NDM_LOW_AGAIN), "another one");
	v5(c)->evidence = 64;
	evidence = v5(c)->evidence;
	ecn_event(c, RTT_US);
	ok(v5(c)->phase == NDM_NO_TRIAL && v5(c)->evidence < (s32)evidence, "ECN ends it, and lowers what is known (%d)", v5(c)->evidence);
	ok(ndm_trial_bound(v5(c)) <= 3 * c->tp.snd_cwnd, "to a bound of about twice cwnd (%u of %u)", ndm_trial_bound(v5(c)), c->tp.snd_cwnd);
	end(c, "ECN");
}

/* What was shown once gets old, whatever it was. */
static void forgotten(void)
{
	struct conn *c = open_at("1", 40);

	play(c, 200, by_chance, 100);
	v5(c)->phase = NDM_NO_TRIAL;
	v5(c)->evidence = 64;
	rounds(c, 1200, RTT_US, 0);
	ok(v5(c)->evidence < 16 && v5(c)->evidence >= 0, "without losses: for chance, forgotten within a minute (%d)", v5(c)->evidence);
	v5(c)->evidence = -16;
	rounds(c, 1200, RTT_US, 0);
	ok(v5(c)->evidence > -8 && v5(c)->evidence <= 0, "against it, too (%d)", v5(c)->evidence);
	end(c, "forgotten without losses");

	c = open_at("1", 40);
	play(c, 200, by_chance, 100);
	v5(c)->evidence = 64;
	play(c, 100, by_chance, 12);
	ok(v5(c)->evidence < 32, "8 %% lost: within five seconds (%d)", v5(c)->evidence);
	end(c, "forgotten");
}

/* A connection of @cwnd packets that would begin a trial with the next round. */
static struct conn *ready(u32 cwnd)
{
	struct conn *c = open_at("1", 60);
	struct ndm_v5 *v = v5(c);

	c->tp.snd_cwnd = cwnd;
	c->tp.snd_ssthresh = cwnd;
	v->phase = NDM_NO_TRIAL;
	v->trial_pkts = 0;
	v->score = 0;
	v->evidence = 20;
	v->limited = true;
	v->verdict = NDM_NOISE;
	v->losses.interval_pkts = 2000;
	v->losses.event_at_pkts = c->tp.delivered;
	v->losses.share = 10;
	return c;
}

/* Whether one does begin; closes @c. */
static bool begins(struct conn *c)
{
	bool yes;

	ndm_trial_round(model_sk(c), v5(c), c->tp.snd_cwnd, 0);
	yes = v5(c)->phase == NDM_FALL;
	end(c, "conditions");
	return yes;
}

/* @change is made to c and v, and then @yes is whether a trial begins. */
#define CASE(yes, cwnd, change) do {							\
	struct conn *c = ready(cwnd);							\
	struct ndm_v5 *v = v5(c);							\
											\
	change;										\
	(void)v;									\
	ok(begins(c) == (yes), "a trial %s with cwnd %u and " #change,			\
	   (yes) ? "begins" : "does not begin", cwnd);					\
} while (0)

/* Each condition alone, at both sides of its edge. */
static void conditions(void)
{
	CASE(true, 300, v->queue = false);
	CASE(false, 300, v->queue = true);
	CASE(false, 300, v->holding = true);
	CASE(false, 300, v->cut_from_pkts = 1);
	CASE(false, 300, v->reordered = 1);
	CASE(false, 300, v->limited = false);
	CASE(true, 150, v->losses.share = 2048);
	CASE(false, 150, v->losses.share = 2049);
	CASE(true, 300, v->verdict = NDM_BOUND);
	CASE(true, 300, v->verdict = NDM_LATE);
	CASE(false, 300, v->verdict = NDM_QUEUE);
	CASE(false, 300, v->losses.interval_pkts = 0);
	CASE(true, 300, v->losses.interval_pkts = 4815; v->evidence = 8);
	CASE(false, 300, v->losses.interval_pkts = 4816; v->evidence = 8);
	CASE(true, 300, v->losses.event_at_pkts -= 4 * 2000 + 3);
	CASE(false, 300, v->losses.event_at_pkts -= 4 * 2000 + 4);
	CASE(true, 24, v->losses.interval_pkts = 80; v->evidence = 1);
	CASE(false, 23, v->losses.interval_pkts = 80; v->evidence = 1);
	CASE(true, 65535, v->losses.interval_pkts = 1000000; v->losses.share = 0; v->evidence = 9; v->rounds.base_us = 500 * MS);
	CASE(false, 65536, v->losses.interval_pkts = 1000000; v->losses.share = 0; v->evidence = 9; v->rounds.base_us = 500 * MS);
	CASE(false, 300, c->tp.snd_ssthresh = 301);
	CASE(false, 300, inet_csk(model_sk(c))->icsk_ca_state = TCP_CA_Recovery);
	/* A recovery that keeps cwnd: a fifth less is not below what one cut would leave. */
	CASE(true, 300, v->noise = true; c->tp.prior_cwnd = 300);
	CASE(false, 300, v->noise = true; c->tp.prior_cwnd = 360);
	/* Far below the bound an answer changes nothing, but for what is late. */
	CASE(false, 300, v->losses.interval_pkts = 4800; v->evidence = 15);
	CASE(true, 300, v->losses.interval_pkts = 4800; v->evidence = 15; v->verdict = NDM_LATE);
	CASE(false, 300, v->losses.interval_pkts = 4800; v->evidence = 16; v->verdict = NDM_LATE);
}

/* cwnd comes back slowly while the trial asks, faster after one that was given up. */
static void comes_back(void)
{
	static const struct { u32 phase, gained; } growth[] = { { NDM_RISE, 10 }, { NDM_NO_TRIAL, 20 } };
	struct conn *c;
	u32 i;

	for (i = 0; i < sizeof(growth) / sizeof(growth[0]); i++) {
		c = ready(240);
		v5(c)->phase = growth[i].phase;
		v5(c)->trial_pkts = 300;
		c->tp.snd_cwnd_cnt = 0;
		ok(ndm_trial_acked(model_sk(c), v5(c), 40) && c->tp.snd_cwnd == 240 + growth[i].gained,
		   "phase %u: 40 packets acknowledged, %u more", growth[i].phase, c->tp.snd_cwnd - 240);
		end(c, "comes back");

		c = ready(240);
		v5(c)->phase = growth[i].phase;
		v5(c)->trial_pkts = 300;
		v5(c)->noise = true;
		c->tp.prior_cwnd = 300;
		v5(c)->round_start_pkts = c->tp.delivered - 80;
		ndm_trial_recovered(model_sk(c), v5(c));
		ok(c->tp.snd_ssthresh == 260, "phase %u: a recovery goes on with a quarter of what was delivered more (%u)",
		   growth[i].phase, c->tp.snd_ssthresh);
		end(c, "comes back in a recovery");
	}
	c = ready(240);
	v5(c)->phase = NDM_LOW;
	v5(c)->trial_pkts = 300;
	v5(c)->noise = true;
	v5(c)->round_start_pkts = c->tp.delivered - 80;
	ndm_trial_recovered(model_sk(c), v5(c));
	is(c->tp.snd_ssthresh, 240, "in the low rounds a recovery stays low");
	v5(c)->phase = NDM_RISE;
	v5(c)->holding = true;
	ndm_trial_recovered(model_sk(c), v5(c));
	is(c->tp.snd_ssthresh, 240, "and while cwnd is held");
	end(c, "stays low in a recovery");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	of_chance();
	of_load();
	bounded();
	stays_low();
	weighed();
	given_up();
	forgotten();
	conditions();
	comes_back();
	model_param_set("trials", "0");
	return tap_done();
}
