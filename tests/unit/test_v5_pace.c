// SPDX-License-Identifier: GPL-2.0
/* v5: when the kernel paces, and what is a queue where the delay wanders. */
#include "play.h"

#include "judge.h"
#include "pace.h"

#define RTT (50 * MS)

static u32 paced(const struct conn *c)
{
	return c->tp.inet_conn.sk.sk_pacing_status;
}

/* A loss that is chance: v5 has asked, and losses went on. */
static void noise(struct conn *c)
{
	u32 events = 100;

	do {
		v5(c)->question.answer = NDM_ANSWER_CHANCE;
		v5(c)->question.rounds = 200;
		rounds(c, 40, RTT, 0);
		loss_event(c, 1, RTT);
	} while (verdict(c) != NDM_NOISE && --events);
}

static void pacing_amid_noise(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, RTT, 20);
	loss_event(&c, 1, RTT);
	is(paced(&c), SK_PACING_NONE, "pacing: none after a loss that is congestion");
	noise(&c);
	is(paced(&c), SK_PACING_NEEDED, "pacing: the kernel paces once a loss is noise");
	rounds(&c, 40, RTT, 0);
	rounds(&c, 2, RTT + 20 * MS, 0);
	loss_event(&c, 1, RTT + 20 * MS);
	is(verdict(&c), NDM_QUEUE, "pacing: a queue of 20 ms");
	is(paced(&c), SK_PACING_NONE, "ends it");
	noise(&c);
	is(paced(&c), SK_PACING_NEEDED, "pacing: and again");
	ecn_event(&c, RTT);
	is(paced(&c), SK_PACING_NONE, "pacing: ECN ends it");
	noise(&c);
	model_rto(&c);
	is(paced(&c), SK_PACING_NEEDED, "pacing: a timeout does not end it at once");
	rounds(&c, 1, RTT, 0);
	is(paced(&c), SK_PACING_NONE, "but the next ACK");
	end(&c, "pacing");
}

/* The kernel has stamped a packet with a time to come. */
static void pacing_ends_later(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, RTT, 20);
	noise(&c);
	ecn_event(&c, RTT);
	c.tp.inet_conn.sk.sk_pacing_status = SK_PACING_NEEDED;
	c.tp.tcp_wstamp_ns = c.tp.tcp_clock_cache + 1;
	ndm_pace(&c.tp.inet_conn.sk, false);
	is(paced(&c), SK_PACING_NEEDED, "pacing: a packet to come a nanosecond later keeps it");
	c.tp.tcp_wstamp_ns = c.tp.tcp_clock_cache;
	ndm_pace(&c.tp.inet_conn.sk, false);
	is(paced(&c), SK_PACING_NONE, "pacing: none to come ends it");
	end(&c, "pacing that ends later");
}

static void pacing_of_others(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, RTT, 20);
	c.tp.inet_conn.sk.sk_pacing_status = SK_PACING_FQ;
	noise(&c);
	is(paced(&c), SK_PACING_FQ, "pacing: where fq paces, nothing changes with noise");
	ecn_event(&c, RTT);
	is(paced(&c), SK_PACING_FQ, "nor with congestion");
	end(&c, "pacing of fq");

	begin(&c, "ndm_v5", START_US, RTT, 20);
	c.tp.inet_conn.sk.sk_pacing_status = SK_PACING_NEEDED;
	c.tp.inet_conn.sk.sk_max_pacing_rate = 1000000;
	ecn_event(&c, RTT);
	is(paced(&c), SK_PACING_NEEDED, "pacing: a rate that the application has set outlives congestion");
	end(&c, "pacing of the application");
}

/* The next algorithm finds the socket as v5 found it. */
static void pacing_and_a_switch(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, RTT, 20);
	noise(&c);
	model_wait(&c, 1);
	ok(c.tp.tcp_wstamp_ns > c.tp.tcp_clock_cache, "pacing: amid a transfer the next packet has to wait");
	model_switch(&c, "reno");
	is(paced(&c), SK_PACING_NONE, "pacing: ends when the algorithm changes");
	end(&c, "pacing, then another algorithm");
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
	for (i = 0; i < NDM_PATTERNS; i++)
		v->rounds.patterns |= 10u << 5 * i;
}

static void wander(void)
{
	struct ndm_v5 v;

	wanders(&v, 46 * MS, 42 * MS);
	ok(ndm_rounds_wander(&v.rounds), "wander: means that move in no order");

	wanders(&v, 52 * MS, 42 * MS);
	ok(!ndm_judge_queue(&v, false), "wander: one round far above the base is no queue");
	wanders(&v, 52 * MS, 51 * MS);
	ok(ndm_judge_queue(&v, false), "wander: two are one");
	v.rounds.samples = 10;
	v.rounds.sum_us = 10 * 52 * MS;
	ok(ndm_judge_queue(&v, false), "wander: the round at hand counts as the second");
	v.rounds.mean_us = 42 * MS;
	ok(!ndm_judge_queue(&v, false), "unless the one before it had none");
	wanders(&v, 52 * MS, 42 * MS);
	v.rounds.moves = 0;
	ok(ndm_judge_queue(&v, false), "without wander one round suffices");
}

int main(void)
{
	model_module_init();
	pacing_amid_noise();
	pacing_ends_later();
	pacing_of_others();
	pacing_and_a_switch();
	wander();
	return tap_done();
}
