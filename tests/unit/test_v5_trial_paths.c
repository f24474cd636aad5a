// SPDX-License-Identifier: GPL-2.0
/* Trials of a larger cwnd, on paths of known kind. */
#include "trial.h"

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

static u32 path_rtt_us = RTT_US;
static u32 lost; /* of the round before */
static u32 tried; /* rounds of trials */

/* A round. A loss is found in the round after that in which the packet was sent. Returns the flight, packets. */
static u32 play_round(struct conn *c, losing path, u32 argument)
{
	u32 flight = c->tp.packets_out;

	if (lost && flight > 4)
		loss_event(c, min(lost, flight / 4), path_rtt_us);
	else
		rounds(c, 1, path_rtt_us, 0);
	lost = path(flight, argument);
	tried += ndm_trial_runs(v5(c));
	return flight;
}

/* @n rounds. Returns the mean flight of the last half, packets. */
static u32 play(struct conn *c, u32 n, losing path, u32 argument)
{
	u32 sum = 0, i;

	lost = tried = 0;
	for (i = 0; i < n && !watch_failed(); i++) {
		u32 flight = play_round(c, path, argument);

		if (i >= n / 2)
			sum += flight;
	}
	return sum / (n - n / 2);
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

#define RENOS 9

static u32 reno_pkts[RENOS]; /* cwnd of each */
static u64 reno_sum, reno_losses; /* of all rounds: packets sent, loss events */

static bool is_lost(u32 over, u32 all)
{
	return tap_random(all) < over || !tap_random(1000);
}

/*
 * Nine Renos on a path that has @room for each of ten, and no queue: what is too much is lost by chance of all, and 0.1 % of
 * the rest.
 */
static u32 by_renos(u32 pkts, u32 room)
{
	u32 all = pkts, over, found = 0, i, n;

	for (i = 0; i < RENOS; i++)
		all += reno_pkts[i];
	over = all > 10 * room ? all - 10 * room : 0;
	for (i = 0; i < RENOS; i++) {
		reno_sum += reno_pkts[i];
		for (n = 0; n < reno_pkts[i] && !is_lost(over, all); n++)
			;
		reno_losses += n < reno_pkts[i];
		reno_pkts[i] = n < reno_pkts[i] ? max(reno_pkts[i] / 2, 2U) : reno_pkts[i] + 1;
	}
	while (pkts--)
		found += is_lost(over, all);
	return found;
}

static void of_chance(void)
{
	struct conn *c = open_at("0", 30);
	u32 without = play(c, 1500, by_chance, 100), with;

	ok(!tried, "trials=0: none is made (%u rounds)", tried);
	end(c, "chance, without trials");
	c = open_at("1", 30);
	with = play(c, 500, by_chance, 100);
	ok(with > 3 * without, "1 %% lost by chance: flight of %u packets, without trials %u", with, without);
	model_param_set("trials", "0");
	rounds(c, 1, RTT_US, 0);
	ok(!ndm_trial_runs(v5(c)) && !v5(c)->known_units && !v5(c)->losses.known_lost && !v5(c)->settle, "trials=0 ends it for open connections, and forgets");
	end(c, "chance");
}

#define CONNS 100

/*
 * From a cwnd of @cwnd on a path that loses 1 of @of packets by chance, with an average of @share of 2^16: what is known when
 * the first trial begins is at least @least percent of the truth. And cwnd reaches all that this trial allows.
 */
static void known_from(u32 cwnd, u32 of, u32 share, u32 least)
{
	u32 known_lost = 0, known_pkts = 0, begun = 0, whole = 0, percent, i, j;

	for (i = 0; i < CONNS; i++) {
		struct conn *c = open_at("1", cwnd);
		struct ndm_v5 *v = v5(c);
		u32 allowed;

		ndm_trial_restart(v);
		v->known_units = 0;
		v->losses.interval_pkts = of;
		v->losses.share = share;
		v->losses.late = 60;
		v->rounds.trial_late = 60;
		lost = 0;
		for (j = 0; j < 1500 && !ndm_trial_runs(v); j++)
			play_round(c, by_chance, of);
		begun += ndm_trial_runs(v);
		known_lost += v->losses.known_lost;
		known_pkts += v->known_units * 32;
		allowed = v->trial_pkts;
		rounds(c, 10, RTT_US, 0);
		whole += v->trial_pkts >= allowed && c->tp.snd_cwnd >= allowed;
		end(c, "what is known");
	}
	percent = (u64)known_lost * 100 * of / known_pkts;
	ok(begun == CONNS, "cwnd %u, 1 of %u lost by chance, share %u: %u of %u begin a trial", cwnd, of, share, begun, CONNS);
	ok(percent >= least && percent < 120, "cwnd %u, 1 of %u, share %u: %u %% of that is known", cwnd, of, share, percent);
	ok(whole > CONNS / 4 * 3, "cwnd %u, 1 of %u, share %u: %u reach what it allows", cwnd, of, share, whole);
}

/*
 * Losses by which the bound has cut cwnd count, too. And so do the many of a cwnd far above the bound, as a search amid
 * reordering leaves it.
 */
static void of_what_is_known(void)
{
	known_from(90, 1000, 65536 / 1000, 89);
	known_from(1000, 100, 65536 / 100, 85);
	known_from(300, 20, 65536 / 20, 70);
	/* After a pause the share is not known yet. */
	known_from(90, 1000, 0, 89);
	known_from(1000, 100, 0, 80);
	known_from(300, 20, 0, 70);
}

/* Where the sender causes the losses, trials bring nothing. */
static void of_load(void)
{
	static const struct { const char *about; losing path; } paths[] = {
		{ "lost by load", by_load }, { "lost by the load of ten", by_others },
	};
	u32 i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		struct conn *c = open_at("0", 30);
		u32 without = play(c, 3000, paths[i].path, 60), with;

		end(c, paths[i].about);
		c = open_at("1", 30);
		with = play(c, 3000, paths[i].path, 60);
		ok(tried, "%s: trials are made (%u rounds)", paths[i].about, tried);
		ok(with * 20 < without * 21, "%s: flight of %u packets, without trials %u", paths[i].about, with, without);
		end(c, paths[i].about);
	}
}

/*
 * Mean cwnd of each Reno, packets times 10, on a path that takes @pkts in flight: of @n rounds after the first third of them.
 * reno_losses counts their loss events meanwhile.
 */
static u32 renos_beside(const char *trials, u32 pkts, u32 n)
{
	struct conn *c = open_at(trials, 30);
	u32 i;

	for (i = 0; i < RENOS; i++)
		reno_pkts[i] = 30;
	play(c, n / 3, by_renos, pkts / 10);
	reno_sum = reno_losses = 0;
	printf("# own flight %u\n", play(c, n, by_renos, pkts / 10));
	end(c, "beside nine Renos");
	return 10 * reno_sum / n / RENOS;
}

/* A failed trial does not allow the next one to lose more, or they would lose ever more. */
static void of_renos(void)
{
	u32 without = renos_beside("0", 600, 20000), with = renos_beside("1", 600, 20000);

	ok(tried, "beside nine Renos: trials are made (%u rounds)", tried);
	ok(with * 3 > without * 2, "nine Renos: cwnd of %u tenths of a packet, without trials %u", with, without);
}

/* The table of src/README.md. */
static void print_renos(void)
{
	static const struct { u32 pkts, rtt_us; } paths[] = {
		{ 600, 50 * MS }, { 2000, 50 * MS }, { 6000, 50 * MS }, { 15000, 50 * MS }, { 600, SECOND * 2 }, { 6000, SECOND * 2 },
	};
	u32 i;

	for (i = 0; i < sizeof(paths) / sizeof(paths[0]); i++) {
		u32 without, with;

		path_rtt_us = paths[i].rtt_us;
		without = renos_beside("0", paths[i].pkts, 9000);
		with = renos_beside("1", paths[i].pkts, 9000);
		printf("| %u, %u ms | %u.%u | %u.%u | %.2f %% |\n", paths[i].pkts, path_rtt_us / MS, without / 10, without % 10, with / 10, with % 10,
		       100.0 * reno_losses / reno_sum);
	}
	path_rtt_us = RTT_US;
}

/* Own mean flight in the 300 rounds after a burst of @burst losses at the bound, beside nine Renos, packets. */
static u32 flight_after(u32 burst)
{
	u32 sum = 0, i, j;

	for (i = 0; i < CONNS; i++) {
		struct conn *c = open_at("1", 90);

		v5(c)->losses.interval_pkts = 400;	/* a bound of 73 */
		v5(c)->losses.late = 60;
		v5(c)->rounds.trial_late = 60;
		ndm_trial_restart(v5(c));
		if (burst)
			loss_event(c, burst, RTT_US);
		for (j = 0; j < RENOS; j++)
			reno_pkts[j] = 30;
		sum += play(c, 300, by_renos, 60);
		end(c, "burst");
	}
	return sum / CONNS;
}

/*
 * A burst at the bound with a cwnd of @cwnd, of which three rounds find @first, @second and @third losses; @before were lost
 * by chance before it, and another burst or an undone timeout has left an average share lost of @share of 2^16. None of the
 * burst counts, and no trial begins.
 */
static void known_of_a_burst(u32 cwnd, u32 before, u32 first, u32 second, u32 third, u32 share)
{
	const u32 losses[] = { first, second, third };
	struct conn *c = open_at("1", cwnd);
	struct ndm_v5 *v = v5(c);
	u32 i;

	v->losses.interval_pkts = cwnd * cwnd / 13;
	v->losses.late = 60;
	v->rounds.trial_late = 60;
	ndm_trial_restart(v);
	v->known_units = before * 500;
	v->losses.known_lost = before;
	v->losses.share = share;
	for (i = 0; i < 3 && losses[i]; i++) {
		if (i) {
			model_wait(c, RTT_US);
			ack(c, c->tp.packets_out / (i + 1), RTT_US);
			model_wait(c, RTT_US / 4);
		}
		sack(c, 3, RTT_US, losses[i]);
	}
	recover(c, RTT_US);
	rounds(c, 4, RTT_US, 0);
	ok(v->trial_units && !v->trial_lost && v->losses.known_lost == before && !ndm_trial_runs(v),
	   "cwnd %u, %u lost before, share %u, a burst of %u, %u, %u: %u losses of %u units count, %u are known", cwnd, before, share, first, second, third,
	   v->trial_lost, v->trial_units, v->losses.known_lost);
	end(c, "a burst at the bound");
}

/* One odd event is not what the path loses by chance. */
static void of_a_burst(void)
{
	u32 without = flight_after(0), with = flight_after(20);

	ok(with * 2 < without * 3, "a burst of 20 losses at the bound: flight of %u packets, without it %u", with, without);
	known_of_a_burst(90, 0, 20, 0, 0, 0);
	known_of_a_burst(1000, 6, 200, 0, 0, 0);
	known_of_a_burst(1000, 1, 150, 50, 0, 0);
	known_of_a_burst(1000, 7, 100, 100, 0, 0);
	known_of_a_burst(265, 0, 20, 20, 20, 0);
	known_of_a_burst(1000, 7, 68, 66, 66, 0);
	known_of_a_burst(600, 0, 15, 18, 0, 65536 / 80);
	known_of_a_burst(100, 5, 5, 5, 0, 65536 / 28);
	known_of_a_burst(1000, 0, 40, 30, 0, 65536 / 26);
}

/* cwnd at 240 packets, as much as the trial allows, with few losses; @known_lost of @known_units units were lost before. */
static struct conn *held(const char *trials, u32 known_lost, u32 known_units)
{
	struct conn *c = open_at(trials, 240);
	struct ndm_v5 *v = v5(c);

	v->losses.interval_pkts = 4000;
	v->losses.late = 60;
	v->rounds.trial_late = 60;
	v->losses.known_lost = known_lost;
	v->known_units = known_units;
	v->trial_pkts = *trials == '1' ? 240 : 0;
	v->cubic.w_max_pkts = 240;
	return c;
}

/* A round without a loss. Returns how much cwnd grew, percent. */
static u32 growth(struct conn *c, u32 rtt_us)
{
	u32 before = c->tp.snd_cwnd;

	rounds(c, 1, rtt_us, 0);
	return 100 * (c->tp.snd_cwnd - before) / before;
}

/* Rounds until cwnd is ten times what the trial allows, if every @every-th one has a queue of others; no loss. 0: never. */
static u32 rounds_to_grow(const char *trials, u32 known_lost, u32 known_units, u32 every)
{
	struct conn *c = held(trials, known_lost, known_units);
	u32 i;

	for (i = 1; i < 3000 && c->tp.snd_cwnd < 2400; i++)
		growth(c, every && !(i % every) ? RTT_US + RTT_US / 5 : RTT_US);
	end(c, "grows");
	return c->tp.snd_cwnd < 2400 ? 0 : i;
}

/* Where nothing is lost any more, a trial holds nobody back. */
static void of_nothing(void)
{
	u32 without = rounds_to_grow("0", 0, 0, 0), with, every;

	with = rounds_to_grow("1", 16, 2000, 0);
	ok(with && with < 4 * without, "few known losses: %u rounds, without trials %u", with, without);
	with = rounds_to_grow("1", 1, 1100, 0);
	ok(with && with < 4 * without, "one known loss: %u rounds", with);
	for (every = 2; every <= 10; every += every < 5 ? 1 : 5) {
		without = rounds_to_grow("0", 0, 0, every);
		with = rounds_to_grow("1", 20, 600, every);
		ok(with && with < 2 * without, "a queue in every round of %u: %u rounds, without trials %u", every, with, without);
	}
}

/* No trial allows more than 16 bits hold, but it does not hold cwnd there. */
static void of_the_largest(void)
{
	struct conn *c = open_at("1", 65536);

	v5(c)->losses.interval_pkts = 4000;
	v5(c)->trial_pkts = 65535;
	rounds(c, 400, RTT_US, 0);
	ok(ndm_trial_runs(v5(c)) && c->tp.snd_cwnd > 67000, "the largest trial: cwnd of %u after 400 rounds", c->tp.snd_cwnd);
	end(c, "the largest trial");
}

/* How much cwnd grows in a round at most, percent, after nothing was lost for @quiet rounds and others fill a queue since. */
static u32 lead_after(u32 quiet)
{
	struct conn *c = held("1", 1, 1100);
	u32 i, most = 0;

	for (i = 0; i < quiet + 10; i++) {
		u32 grown;

		if (i < quiet)
			v5(c)->trial_units = 0; /* undecided */
		grown = growth(c, i < quiet ? RTT_US : RTT_US + RTT_US / 10);
		if (v5(c)->queue)
			most = max(most, grown);
	}
	if (!v5(c)->queue || !ndm_trial_runs(v5(c)))
		most = 0;
	end(c, "a queue of others");
	return most;
}

/* CUBIC alone would have grown long before. */
static void of_a_queue(void)
{
	u32 quiet, most = 0, least = 100;

	for (quiet = 130; quiet < 230; quiet += 3) {
		u32 lead = lead_after(quiet);

		most = max(most, lead);
		least = min(least, lead);
	}
	ok(least && most <= 6, "a queue of others: cwnd grows by %u to %u %% per round", least, most);
}

/* An application that sends less ends a trial that has held cwnd for long. */
static void of_an_end(void)
{
	struct conn *c = held("1", 0, 0);
	u32 i, most = 0;

	for (i = 0; i < 1000; i++) {
		v5(c)->trial_units = 0; /* undecided */
		rounds(c, 1, RTT_US, 0);
	}
	lazy_rounds(c, 60, RTT_US, 20);
	ok(!ndm_trial_runs(v5(c)), "an application that sends little ends a trial");
	for (i = 0; i < 20; i++)
		most = max(most, growth(c, RTT_US));
	ok(most <= 6, "then cwnd grows by %u %% per round at most", most);
	end(c, "end");
}

int main(int argc, char **argv)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	if (argc > 1 && !strcmp(argv[1], "--renos")) {
		print_renos();
		return 0;
	}
	of_chance();
	of_what_is_known();
	of_load();
	of_renos();
	of_a_burst();
	of_nothing();
	of_the_largest();
	of_a_queue();
	of_an_end();
	model_param_set("trials", "0");
	return tap_done();
}
