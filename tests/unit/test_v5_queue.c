// SPDX-License-Identifier: GPL-2.0
/* Whether there is a queue, and the question whose it is: alone, beside others, what begins it, what ends it. */
#include "play.h"

#define BASE_US (50 * MS)
#define BDP_PKTS 50
#define PATTERNS 6

/* The RTT with @flight packets of ours and @others of others in a link that carries BDP_PKTS in BASE_US. */
static u32 rtt_of(u32 flight, u32 others)
{
	return (u64)BASE_US * max_t(u32, flight + others, BDP_PKTS) / BDP_PKTS;
}

/* @n round trips beside @others packets of others; returns at the end of how many a question went on. */
static u32 play(struct conn *c, u32 n, u32 others)
{
	u32 asking = 0;

	while (n-- && !watch_failed()) {
		rounds(c, 1, rtt_of(c->tp.packets_out, others), 0);
		asking += asks_of_queue(c);
	}
	return asking;
}

static struct conn *open_at(const char *queue_ms, u32 cwnd)
{
	static struct conn c;

	model_param_set("queue_ms", queue_ms);
	begin(&c, "ndm_v5", START_US, BASE_US, 40);
	play(&c, 5, 0);
	c.tp.snd_cwnd = cwnd;
	c.tp.snd_ssthresh = cwnd;
	c.tp.snd_cwnd_clamp = cwnd + 20; /* no loss will end CUBIC's growth */
	v5(&c)->cubic.cut = true;
	model_send(&c, 1 << 20);
	return &c;
}

static void alone(void)
{
	struct conn *c = open_at("200", 600);
	long before = model_counter[NDM_QUEUE_OWN];
	u32 flight = 0, i;

	play(c, 40, 0);
	for (i = 0; i < 50; i++) {
		flight += c->tp.packets_out;
		play(c, 1, 0);
	}
	ok(model_counter[NDM_QUEUE_OWN] > before && !model_counter[NDM_QUEUE_OTHERS], "alone: no question finds others");
	ok(flight / 50 > BDP_PKTS && flight / 50 <= 2 * BDP_PKTS, "alone: the link is full, and an RTT of queue at most (%u packets)", flight / 50);
	end(c, "alone");

	c = open_at("0", 600);
	is(play(c, 60, 0), 0, "queue_ms 0: no question");
	ok(c->tp.snd_cwnd >= 600, "queue_ms 0: cwnd stays (%u)", c->tp.snd_cwnd);
	end(c, "queue_ms 0");
}

static void beside_others(void)
{
	struct conn *c = open_at("200", 300);
	long before = model_counter[NDM_QUEUE_OTHERS];

	play(c, 2, 300);
	ok(asks_of_queue(c) && c->tp.snd_ssthresh >= 300, "others: a question begins (cwnd was %u)", c->tp.snd_ssthresh);
	ok(c->tp.snd_cwnd <= 45, "others: with less than the BDP (%u packets)", c->tp.snd_cwnd);
	play(c, 10, 300);
	is(model_counter[NDM_QUEUE_OTHERS] - before, 1, "others: it finds them");
	ok(c->tp.snd_cwnd >= 300, "others: cwnd is back (%u)", c->tp.snd_cwnd);
	is(play(c, 200, 300), 0, "others: no question in the next 200 rounds");
	ok(play(c, 70, 300) > 0, "others: but in the 70 after these");
	end(c, "others");
}

/* A round ended in which all asked for a question; @wanted: after @change it begins. */
static void begins(const char *what, bool wanted, void (*change)(struct conn *c))
{
	struct ndm_round now = { .sampled = true };
	struct conn *c = open_at("200", 300);
	struct ndm_v5 *v = v5(c);
	u32 bdp;

	v->rounds.mean_us = v->rounds.older_us = 2 * BASE_US + 1;
	c->tp.srtt_us = 8 * v->rounds.mean_us;
	v->question.others_rounds = 0;
	v->limited = true;
	change(c);
	bdp = (u64)300 * BASE_US / v->rounds.mean_us;
	ndm_queue_ask(model_sk(c), v, &now);
	ok(asks_of_queue(c) == wanted, "%s: %s", what, wanted ? "a question" : "no question");
	if (wanted)
		ok(c->tp.snd_ssthresh == 300 && c->tp.snd_cwnd <= bdp - bdp / 10 + 1 && c->tp.snd_cwnd >= bdp - bdp / 10 - 1, "%s: with a tenth less than the BDP (%u, ssthresh %u)",
		   what, c->tp.snd_cwnd, c->tp.snd_ssthresh);
	model_close(c);
}

static void unchanged(struct conn *c) { (void)c; }
static void at_the_limit(struct conn *c) { v5(c)->rounds.mean_us--; }
static void at_the_limit_before(struct conn *c) { v5(c)->rounds.older_us--; }
static void not_limited(struct conn *c) { v5(c)->limited = false; }
static void reorders(struct conn *c) { v5(c)->reorder.rounds = 1; }
static void keeps_cwnd(struct conn *c) { v5(c)->noise = true; }
static void slow_start(struct conn *c) { c->tp.snd_ssthresh = 301; }
static void few_packets(struct conn *c) { c->tp.snd_cwnd = c->tp.snd_ssthresh = 3; }
static void recovers(struct conn *c) { c->tp.inet_conn.icsk_ca_state = TCP_CA_CWR; }
static void knows_others(struct conn *c) { v5(c)->question.others_rounds = 1; }
static void asks_of_losses(struct conn *c) { ndm_question_ask(&v5(c)->question, NDM_ASKING_WAIT); }
static void limit_of_1_ms(struct conn *c)
{
	model_param_set("queue_ms", "1");
	v5(c)->rounds.mean_us = v5(c)->rounds.older_us = BASE_US + 20 * MS;
	c->tp.srtt_us = 8 * v5(c)->rounds.mean_us;
}
static void beyond_20_ms(struct conn *c)
{
	limit_of_1_ms(c);
	v5(c)->rounds.mean_us = ++v5(c)->rounds.older_us;
}

static void beginnings(void)
{
	begins("a queue of more than an RTT in two rounds", true, unchanged);
	begins("one of an RTT", false, at_the_limit);
	begins("one of an RTT in the round before", false, at_the_limit_before);
	begins("the application was the limit", false, not_limited);
	begins("reordering", false, reorders);
	begins("a recovery that keeps cwnd", false, keeps_cwnd);
	begins("slow start", false, slow_start);
	begins("a BDP of one packet", false, few_packets);
	begins("CWR", false, recovers);
	begins("others are known", false, knows_others);
	begins("a question about losses", false, asks_of_losses);
	begins("queue_ms 1: 20 ms", false, limit_of_1_ms);
	begins("queue_ms 1: more than 20 ms", true, beyond_20_ms);
}

static u32 cwnd_before;	/* a question */

/* A question that goes on, in the round that looks, with an empty queue. */
static struct conn *looking(void)
{
	struct conn *c = open_at("200", 300);

	while (!asks_of_queue(c) || v5(c)->question.step_rounds > 1)
		play(c, 1, 0);
	cwnd_before = c->tp.snd_ssthresh;
	return c;
}

/* The round that looks has a mean of @rtt_us. */
static struct conn *looked(u32 rtt_us)
{
	struct conn *c = looking();

	while (asks_of_queue(c) && !watch_failed())
		rounds(c, 1, rtt_us, 0);
	return c;
}

static void decisions(void)
{
	struct conn *c = looking();
	u32 cwnd = c->tp.snd_cwnd, i;

	ok(cwnd <= 46, "a question: cwnd does not grow in it (%u)", cwnd);
	v5(c)->rounds.samples = 0;
	model_wait(c, 60 * MS);
	for (i = 0; i < 7; i++)
		ack(c, 1, 50 * MS);
	ok(asks_of_queue(c), "seven RTTs do not answer it");
	model_wait(c, 60 * MS);
	for (i = 0; i < 2; i++)
		ack(c, 1, 50 * MS);
	ok(!asks_of_queue(c), "eight do");
	end(c, "few samples");

	c = looked(BASE_US + 24 * MS);
	is(v5(c)->question.others_rounds, 0, "24 ms above the smallest RTT, less than half of it: alone");
	ok(c->tp.snd_ssthresh >= 78 && c->tp.snd_ssthresh <= 81, "alone: 3/4 of an RTT beyond that (%u)", c->tp.snd_ssthresh);
	end(c, "alone, decided");

	c = looked(BASE_US + 26 * MS);
	ok(v5(c)->question.others_rounds > 200, "26 ms above it: others");
	is(c->tp.snd_ssthresh, cwnd_before, "others: ssthresh is cwnd before");
	end(c, "others, decided");
}

/* One packet of those that it sends then is lost. */
static void a_loss(bool undone)
{
	struct conn *c = looking();
	u32 cwnd = c->tp.snd_cwnd;

	sack(c, 3, 60 * MS, 1);
	is(c->tp.snd_ssthresh, cwnd, "a loss: it sends less already");
	ok(v5(c)->cubic.w_max_pkts > 3 * cwnd_before / 4, "a loss: CUBIC leads back to cwnd before (%u of %u)", v5(c)->cubic.w_max_pkts, cwnd_before);
	model_wait(c, 60 * MS);
	if (undone) {
		model_ack(c, (struct ack){ .acked = c->tp.packets_out, .rtt_us = 60 * MS, .rack_us = 60 * MS, .dsack = 1, .original = true });
		ok(c->tp.snd_cwnd <= 2 * cwnd, "an undo: no burst (%u)", c->tp.snd_cwnd);
		ok(c->tp.snd_ssthresh >= cwnd_before, "an undo: slow start leads to cwnd before (%u)", c->tp.snd_ssthresh);
	} else {
		ack(c, c->tp.packets_out, 60 * MS);
		is(model_state(c), TCP_CA_Open, "a loss: repaired");
		ok(c->tp.snd_cwnd <= cwnd + 4, "a loss: no burst (%u)", c->tp.snd_cwnd);
		play(c, 200, 0);
		ok(c->tp.snd_cwnd >= BDP_PKTS, "a loss: the link is full again (%u)", c->tp.snd_cwnd);
	}
	end(c, "a loss amid a question");
}

/* In the first round of a question what was in flight before is lost, too: the recovery reduces it. */
static void a_loss_while_draining(void)
{
	struct conn *c = open_at("200", 300);
	u32 sent = 0, i;

	while (!asks_of_queue(c)) {
		model_wait(c, 6 * MS);
		ack(c, 1, 300 * MS);
		model_send(c, 1 << 20);
	}
	sack(c, 3, 300 * MS, 1);
	is(model_state(c), TCP_CA_Recovery, "a loss while it drains");
	for (i = 0; i < 20; i++) {
		u32 before = c->tp.packets_out + c->tp.retrans_out;

		model_wait(c, 3 * MS);
		sack(c, 10, 300 * MS, 0);
		model_send(c, 1 << 20);
		sent += c->tp.packets_out + c->tp.retrans_out - before;
	}
	ok(sent < 100, "a loss while it drains: what left before it is reduced (%u sent for 200)", sent);
	ok(v5(c)->question.others_rounds > 200, "a loss while it drains: no question soon");
	end(c, "a loss while draining");
}

/* The chunks of a video: the kernel makes cwnd smaller in a pause. */
static void a_short_pause(void)
{
	struct conn *c = looking();

	c->backlog_pkts = 0;
	ack(c, c->tp.packets_out, 60 * MS);
	model_wait(c, 3 * SECOND);
	model_send(c, 1 << 20);
	model_wait(c, 50 * MS);
	ack(c, 1, 50 * MS);
	ok(!asks_of_queue(c) && c->tp.snd_ssthresh >= cwnd_before * 3 / 4, "a pause of 3 s: slow start leads to cwnd before (%u of %u)", c->tp.snd_ssthresh, cwnd_before);
	end(c, "a short pause");
}

static void endings(void)
{
	struct conn *c;

	a_loss(false);
	a_loss(true);
	a_loss_while_draining();
	a_short_pause();

	c = looking();
	model_switch(c, "reno");
	play(c, 10, 0);
	ok(c->tp.snd_cwnd >= cwnd_before, "another algorithm amid a question returns to cwnd (%u)", c->tp.snd_cwnd);
	end(c, "switched");
}

/* 40 ms, and means that moved in no order, in each round; the latest two are these. */
static void wanders(struct ndm_v5 *v, u32 mean_us, u32 older_us)
{
	u32 i;

	memset(v, 0, sizeof(*v));
	v->rounds.base_us = 40 * MS;
	v->rounds.mean_us = mean_us;
	v->rounds.older_us = older_us;
	v->rounds.root = 8;
	v->rounds.moves = 15;
	for (i = 0; i < PATTERNS; i++)
		v->rounds.patterns |= 10u << 5 * i;
}

static void wander(void)
{
	struct ndm_v5 v;

	wanders(&v, 46 * MS, 42 * MS);
	ok(ndm_rounds_wander(&v.rounds), "wander: means that move in no order");
	wanders(&v, 52 * MS, 42 * MS);
	ok(!ndm_queue_shows(&v, NDM_ABOVE_HALF), "wander: one round far above the base is no queue");
	wanders(&v, 52 * MS, 51 * MS);
	ok(ndm_queue_shows(&v, NDM_ABOVE_HALF), "wander: two are one");
	v.rounds.samples = 10;
	v.rounds.sum_us = 10 * 52 * MS;
	ok(ndm_queue_shows(&v, NDM_ABOVE_HALF), "wander: the round at hand counts as the second");
	v.rounds.mean_us = 42 * MS;
	ok(!ndm_queue_shows(&v, NDM_ABOVE_HALF), "unless the one before it had none");
	wanders(&v, 52 * MS, 42 * MS);
	v.rounds.moves = 0;
	ok(ndm_queue_shows(&v, NDM_ABOVE_HALF), "without wander one round suffices");
}

int main(void)
{
	model_module_init();
	alone();
	beside_others();
	beginnings();
	decisions();
	endings();
	wander();
	return tap_done();
}
