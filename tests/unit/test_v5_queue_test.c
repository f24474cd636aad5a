// SPDX-License-Identifier: GPL-2.0
/* Tests of whose a queue is: alone, beside others, each decision at both sides of its edge, and what ends a test. */
#include "play.h"

#include "../../src/module/v5/queue_test.h"

#define BASE_US (50 * MS)
#define BDP_PKTS 50

/* The RTT with @flight packets of ours and @others of others in a link that carries BDP_PKTS in BASE_US. */
static u32 rtt_of(u32 flight, u32 others)
{
	u32 pkts = max_t(u32, flight + others, BDP_PKTS);

	return (u64)BASE_US * pkts / BDP_PKTS;
}

/* @n round trips beside @others packets of others; returns how many found a test going on at their end. */
static u32 play(struct conn *c, u32 n, u32 others)
{
	u32 tests = 0;

	while (n-- && !watch_failed()) {
		rounds(c, 1, rtt_of(c->tp.packets_out, others), 0);
		tests += ndm_queue_test_holds(v5(c));
	}
	return tests;
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

static long own(void)
{
	return model_counter[NDM_QUEUE_OWN];
}

static long others_found(void)
{
	return model_counter[NDM_QUEUE_OTHERS];
}

static void alone(void)
{
	struct conn *c = open_at("200", 600);
	long before = own();
	u32 flight = 0, i;

	play(c, 40, 0);
	for (i = 0; i < 50; i++) {
		flight += c->tp.packets_out;
		play(c, 1, 0);
	}
	ok(own() > before + 3 && others_found() == 0, "alone: each test finds no other (%ld)", own() - before);
	ok(flight / 50 > BDP_PKTS && flight / 50 < 5 * BDP_PKTS, "alone: the link is full, and 200 ms of queue at most (%u packets)",
	   flight / 50);
	end(c, "alone");

	c = open_at("0", 600);
	is(play(c, 60, 0), 0, "queue_ms 0: no test");
	ok(c->tp.snd_cwnd >= 600, "queue_ms 0: cwnd stays (%u)", c->tp.snd_cwnd);
	end(c, "queue_ms 0");

	c = open_at("1000", 75);
	is(play(c, 20, 0), 0, "queue_ms 1000: no test with 45 ms, less than an RTT");
	end(c, "queue_ms 1000");
}

static void beside_others(void)
{
	struct conn *c = open_at("200", 300);
	long before = others_found(), rounds_of_tests;
	u32 i;

	play(c, 2, 300);
	ok(ndm_queue_test_holds(v5(c)) && c->tp.snd_ssthresh >= 300, "others: a test begins (cwnd was %u)", c->tp.snd_ssthresh);
	ok(c->tp.snd_cwnd <= 45, "others: with less than the BDP (%u packets)", c->tp.snd_cwnd);
	play(c, 10, 300);
	is(others_found() - before, 1, "others: the test finds them");
	ok(v5(c)->test.others && c->tp.snd_cwnd >= 300, "others: cwnd is back (%u)", c->tp.snd_cwnd);
	for (i = 0, rounds_of_tests = 0; i < 50; i++)
		rounds_of_tests += play(c, 1, 300);
	is(rounds_of_tests, 0, "others: no test in the next 50 rounds");
	play(c, 60, 300);
	is(others_found() - before, 2, "others: the second one 64 round trips later");
	end(c, "others");
}

/* A round ended in which all asked for a test; @wanted: after @change it begins. */
static void begins(const char *what, bool wanted, void (*change)(struct conn *c))
{
	struct conn *c = open_at("200", 300);
	struct ndm_v5 *v = v5(c);
	u32 bdp;

	v->rounds.mean_us = v->rounds.older_us = 2 * BASE_US + 1;
	v->test.others = false;
	v->test.looks = 0;
	v->limited = true;
	change(c);
	bdp = (u64)300 * BASE_US / v->rounds.mean_us;
	ndm_queue_test_round(model_sk(c), v);
	ok(ndm_queue_test_holds(v) == wanted, "%s: %s", what, wanted ? "a test" : "no test");
	if (wanted)
		ok(c->tp.snd_ssthresh == 300 && c->tp.snd_cwnd == bdp - bdp / 10 && !v->test.small, "%s: with a tenth less than the BDP (%u, ssthresh %u)",
		   what, c->tp.snd_cwnd, c->tp.snd_ssthresh);
	model_close(c);
}

static void unchanged(struct conn *c) { (void)c; }
static void at_the_limit(struct conn *c) { v5(c)->rounds.mean_us--; }
static void at_the_limit_before(struct conn *c) { v5(c)->rounds.older_us--; }
static void not_limited(struct conn *c) { v5(c)->limited = false; }
static void reorders(struct conn *c) { v5(c)->reordering.rounds = 1; }
static void was_cut(struct conn *c) { v5(c)->cut_from_pkts = 400; }
static void keeps_cwnd(struct conn *c) { v5(c)->noise = true; }
static void slow_start(struct conn *c) { c->tp.snd_ssthresh = 301; }
static void few_packets(struct conn *c) { c->tp.snd_cwnd = c->tp.snd_ssthresh = 7; }
static void recovers(struct conn *c) { c->tp.inet_conn.icsk_ca_state = TCP_CA_CWR; }
static void found_others(struct conn *c, u32 units_ago)
{
	v5(c)->test.others = true;
	v5(c)->test.in_a_row = 1;
	v5(c)->test.others_since = (u32)(c->tp.tcp_mstamp >> 20) - units_ago;
}
static void knows_others(struct conn *c) { found_others(c, 9); }
static void knew_others(struct conn *c) { found_others(c, 10); }
static void found_twice(struct conn *c)
{
	found_others(c, 19);
	v5(c)->test.in_a_row = 2;
}
static void found_twice_long_ago(struct conn *c)
{
	found_others(c, 20);
	v5(c)->test.in_a_row = 2;
}
static void found_often(struct conn *c)
{
	found_others(c, 199);
	v5(c)->test.in_a_row = 6;
}
static void rests(struct conn *c) { v5(c)->test.looks = 2; }
static void has_rested(struct conn *c) { v5(c)->test.looks = 1; }
static void limit_of_1_ms(struct conn *c)
{
	model_param_set("queue_ms", "1");
	v5(c)->rounds.mean_us = v5(c)->rounds.older_us = BASE_US + 20 * MS;
}
static void beyond_20_ms(struct conn *c)
{
	limit_of_1_ms(c);
	v5(c)->rounds.mean_us = ++v5(c)->rounds.older_us;
}
static void knows_others_far_away(struct conn *c)
{
	c->tp.srtt_us = 8 << 20; /* 1.05 s */
	found_others(c, 63);
}
static void knew_others_far_away(struct conn *c)
{
	c->tp.srtt_us = 8 << 20;
	found_others(c, 64);
}

static void beginnings(void)
{
	begins("a queue of more than an RTT in two rounds", true, unchanged);
	begins("one of an RTT", false, at_the_limit);
	begins("one of an RTT in the round before", false, at_the_limit_before);
	begins("the application was the limit", false, not_limited);
	begins("reordering", false, reorders);
	begins("a cut that may be undone", false, was_cut);
	begins("a recovery that keeps cwnd", false, keeps_cwnd);
	begins("slow start", false, slow_start);
	begins("seven packets", false, few_packets);
	begins("CWR", false, recovers);
	begins("others found less than 10.5 s ago", false, knows_others);
	begins("others found 10.5 s ago", true, knew_others);
	begins("others found twice, less than 21 s ago", false, found_twice);
	begins("others found twice, 21 s ago", true, found_twice_long_ago);
	begins("others found six times, less than 200 s ago", false, found_often);
	begins("one round after a test", false, rests);
	begins("two rounds after a test", true, has_rested);
	begins("queue_ms 1: 20 ms", false, limit_of_1_ms);
	begins("queue_ms 1: more than 20 ms", true, beyond_20_ms);
	begins("others found less than 64 RTTs ago", false, knows_others_far_away);
	begins("others found 64 RTTs ago", true, knew_others_far_away);
}

/* A test that is going on, with an empty pipe to look at. */
static struct conn *looking(void)
{
	struct conn *c = open_at("200", 300);

	while (!ndm_queue_test_holds(v5(c)) || v5(c)->test.step == NDM_TEST_DRAIN) {
		model_wait(c, 6 * MS);
		ack(c, 1, 300 * MS);
		model_send(c, 1 << 20);
	}
	return c;
}

static void decisions(void)
{
	struct conn *c = looking();
	u32 cwnd = c->tp.snd_cwnd, i;

	is(v5(c)->test.step, NDM_TEST_LOOK, "drained: it looks");
	is(cwnd, 45, "drained: cwnd has not grown");
	ok(c->tp.packets_out <= cwnd, "drained: cwnd is in flight (%u of %u)", c->tp.packets_out, cwnd);
	for (i = 0; i < 3; i++) {
		model_wait(c, 10 * MS);
		ack(c, 1, 310 * MS);
		model_send(c, 1 << 20);
	}
	ok(v5(c)->test.looks == 0 && c->tp.snd_cwnd == cwnd, "a packet from before the drain says nothing, and cwnd does not grow");
	model_wait(c, 70 * MS);
	ack(c, 1, 62 * MS);
	ack(c, 1, 62 * MS);
	ok(ndm_queue_test_holds(v5(c)) && v5(c)->test.small == 2, "12 ms above the minimum, twice: not yet decided");
	ack(c, 1, 62 * MS);
	is(v5(c)->test.step, NDM_TEST_RETURN, "three times: alone");
	ok(c->tp.snd_ssthresh == 302 - 30, "alone: a tenth less (%u)", c->tp.snd_ssthresh);
	is(v5(c)->test.looks, 2, "alone: no test in the next two rounds");
	ok(c->tp.snd_cwnd == cwnd + 1, "alone: slow start leads there from %u (%u)", cwnd, c->tp.snd_cwnd);
	end(c, "alone");

	c = looking();
	model_wait(c, 101 * MS);
	for (i = 0; i < 6; i++)
		ack(c, 1, 63 * MS);
	ok(ndm_queue_test_holds(v5(c)) && v5(c)->test.looks == 6, "13 ms above the minimum, six times: not yet decided");
	ack(c, 1, 63 * MS);
	ok(!ndm_queue_test_holds(v5(c)) && v5(c)->test.others, "the seventh time: others");
	ok(c->tp.snd_ssthresh >= 300, "others: ssthresh is cwnd before the test (%u)", c->tp.snd_ssthresh);
	end(c, "others");

	c = looking();
	model_wait(c, 900 * MS);
	model_ack(c, (struct ack){ .acked = 1 });
	ok(!ndm_queue_test_holds(v5(c)) && c->tp.snd_ssthresh >= 300, "nothing to look at for two round trips: as before");
	ok(v5(c)->test.others, "and not again soon");
	end(c, "no samples");

	c = looking();
	model_wait(c, 500 * MS);
	ack(c, 1, 60 * MS);
	model_wait(c, 150 * MS);
	ack(c, 1, 60 * MS);
	ok(!ndm_queue_test_holds(v5(c)) && !v5(c)->test.others, "two small RTTs in two round trips, and no large one: alone");
	end(c, "few samples");

	c = looking();
	model_wait(c, 650 * MS);
	ack(c, 1, 60 * MS);
	ok(!ndm_queue_test_holds(v5(c)) && v5(c)->test.others, "one small RTT in two round trips: not alone");
	end(c, "one sample");

	c = looking();
	v5(c)->test.in_a_row = 2;
	model_wait(c, 100 * MS);
	for (i = 0; i < 3; i++)
		ack(c, 1, 60 * MS);
	ok(!ndm_queue_test_holds(v5(c)) && !v5(c)->test.others && c->tp.snd_ssthresh == 302, "alone, but others were found before: cwnd stays (%u)",
	   c->tp.snd_ssthresh);
	is(v5(c)->test.in_a_row, 1, "others were found before: once less");
	end(c, "a gap of the others");

	c = looking();
	v5(c)->rounds.mean_us = 3 * SECOND; /* 302 packets: the least flight of four takes 40 ms beside none */
	c->tp.snd_cwnd = 12;
	model_wait(c, 170 * MS);
	ack(c, 1, 131 * MS);
	is(v5(c)->test.small, 1, "a slow link: the packets of the test themselves take 119 ms");
	ack(c, 1, 133 * MS);
	is(v5(c)->test.looks, 1, "more than 12 ms beyond is a queue");
	end(c, "a slow link");

	/* The RTT rises while cwnd grows: what counts is its newest value. */
	c = open_at("200", 300);
	v5(c)->rounds.mean_us = v5(c)->rounds.older_us = BASE_US + 201 * MS;
	v5(c)->rounds.newest_us = 10 * BASE_US;
	v5(c)->test.looks = 0;
	v5(c)->limited = true;
	ndm_queue_test_round(model_sk(c), v5(c));
	ok(ndm_queue_test_holds(v5(c)) && c->tp.snd_cwnd == 27, "an RTT that has risen to 500 ms: a tenth of 300 packets, less a tenth (%u)",
	   c->tp.snd_cwnd);
	end(c, "rising");
}

static void ends_by(const char *what, void (*event)(struct conn *c))
{
	struct conn *c = looking();
	u32 cwnd = c->tp.snd_cwnd;

	event(c);
	ok(!ndm_queue_test_holds(v5(c)), "%s ends a test", what);
	ok(c->tp.snd_cwnd <= cwnd + 1, "%s: no burst (%u packets, %u before)", what, c->tp.snd_cwnd, cwnd);
	end(c, what);
}

/* One packet of the 302 before the test is lost. */
static void a_loss(bool undone)
{
	struct conn *c = looking();
	u32 i;

	v5(c)->rounds.base_us = 2 * SECOND; /* so that the RTTs say nothing of a queue */

	sack(c, 3, 60 * MS, 1);
	is(v5(c)->cut_from_pkts, 302, "a loss: it is of cwnd before the test");
	is(v5(c)->verdict, NDM_QUEUE, "a loss: there is a queue");
	ok(c->tp.snd_ssthresh <= 45, "a loss: no burst in the recovery (%u)", c->tp.snd_ssthresh);
	model_wait(c, 60 * MS);
	if (undone) {
		model_ack(c, (struct ack){ .acked = c->tp.packets_out, .rtt_us = 60 * MS, .rack_us = 60 * MS, .dsack = 1, .original = true });
		ok(c->tp.snd_cwnd <= 90, "an undo: no burst (%u)", c->tp.snd_cwnd);
		ok(c->tp.snd_ssthresh >= 302, "an undo: slow start leads to cwnd before the test (%u)", c->tp.snd_ssthresh);
		end(c, "a loss undone");
		return;
	}
	ack(c, c->tp.packets_out, 60 * MS);
	is(model_state(c), TCP_CA_Open, "a loss: repaired");
	ok(c->tp.snd_cwnd <= 90 && c->tp.snd_ssthresh == 211, "a loss: slow start leads to 0.7 of cwnd before the test (%u, ssthresh %u)",
	   c->tp.snd_cwnd, c->tp.snd_ssthresh);
	for (i = 0; i < 12 && c->tp.snd_cwnd < 211; i++)
		play(c, 1, 0);
	ok(c->tp.snd_cwnd >= 211, "a loss: cwnd is there (%u)", c->tp.snd_cwnd);
	end(c, "a loss");
}

static void loses(struct conn *c) { sack(c, 3, 60 * MS, 1); }
static void ecn(struct conn *c) { model_ack(c, (struct ack){ .acked = 1, .rtt_us = 60 * MS, .rack_us = 60 * MS, .ece = true }); }
static void pauses(struct conn *c)
{
	c->backlog_pkts = 0;
	ack(c, c->tp.packets_out, 60 * MS);
	model_wait(c, 60 * SECOND);
	model_send(c, 1 << 20);
}

/* 300 packets from before the test are in flight when one of them is lost. */
static void a_loss_while_draining(void)
{
	struct conn *c = open_at("200", 300);
	u32 sent = 0, i;

	while (!ndm_queue_test_holds(v5(c))) {
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
	ok(sent < 60, "a loss while it drains: what left before it is reduced (%u sent for 200)", sent);
	model_rto(c);
	is(c->tp.snd_ssthresh, 211, "an RTO: slow start leads to 0.7 of cwnd before the test");
	end(c, "a loss while draining");

	c = looking();
	sack(c, 3, 60 * MS, 1);
	model_wait(c, 5 * SECOND);
	ack(c, 1, 60 * MS);
	ok(!v5(c)->rounds.mean_us && v5(c)->test.step == NDM_TEST_RETURN, "a pause amid the recovery: that its cut is of a test is not forgotten");
	end(c, "a pause amid the recovery");
}

/* Undone after the verdict, where the kernel remembers a larger cwnd, or slow start without an end. */
static void undo_after_a_test(void)
{
	struct conn *c = looking();
	u32 cwnd, i;

	model_wait(c, 100 * MS);
	ack(c, 3, 60 * MS);
	ack(c, 3, 60 * MS);
	ack(c, 3, 60 * MS);
	is(v5(c)->test.step, NDM_TEST_RETURN, "a test is over");
	cwnd = c->tp.snd_cwnd;
	c->tp.prior_cwnd = 302;
	is(watch_undo_cwnd(c), cwnd, "an undo after a test: no burst");
	c->tp.snd_ssthresh = TCP_INFINITE_SSTHRESH;
	for (i = 0; i < 8 && c->tp.snd_ssthresh == TCP_INFINITE_SSTHRESH; i++)
		burst_rounds(c, 1, rtt_of(c->tp.packets_out, 0));
	ok(c->tp.snd_ssthresh < 10 * BDP_PKTS, "an undo that makes it infinite: an infinite ssthresh has its end (%u)", c->tp.snd_ssthresh);
	model_close(c);
}

static void endings(void)
{
	struct conn *c;

	a_loss_while_draining();
	undo_after_a_test();
	a_loss(false);
	a_loss(true);
	ends_by("a loss", loses);
	ends_by("ECN", ecn);
	ends_by("a timeout", model_rto);
	ends_by("a pause", pauses);

	c = looking();
	model_param_set("queue_ms", "0");
	play(c, 20, 0);
	ok(!ndm_queue_test_holds(v5(c)) && c->tp.snd_cwnd >= 270, "queue_ms 0 amid a test: it ends, and cwnd returns (%u)", c->tp.snd_cwnd);
	end(c, "queue_ms 0 amid a test");

	c = looking();
	model_switch(c, "reno");
	play(c, 10, 0);
	ok(c->tp.snd_cwnd >= 300, "another algorithm amid a test returns to cwnd (%u)", c->tp.snd_cwnd);
	end(c, "switched");
}

static void growth(void)
{
	struct conn *c = open_at("200", 60);

	v5(c)->rounds.mean_us = BASE_US + 24 * MS;
	is(ndm_queue_test_matters(model_sk(c), v5(c)), false, "24 ms of queue: no reason to grow slowly");
	v5(c)->rounds.mean_us = BASE_US + 26 * MS;
	is(ndm_queue_test_matters(model_sk(c), v5(c)), true, "26 ms: one");
	v5(c)->test.others = true;
	is(ndm_queue_test_matters(model_sk(c), v5(c)), false, "not if others fill it");
	v5(c)->reordering.rounds = 1;
	is(ndm_queue_test_matters(model_sk(c), v5(c)), true, "but with reordering");
	v5(c)->reordering.rounds = 0;
	model_param_set("queue_ms", "0");
	is(ndm_queue_test_matters(model_sk(c), v5(c)), true, "and without a limit");
	end(c, "growth");
}

int main(void)
{
	model_module_init();
	alone();
	beside_others();
	beginnings();
	decisions();
	endings();
	growth();
	return tap_done();
}
