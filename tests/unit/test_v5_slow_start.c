// SPDX-License-Identifier: GPL-2.0
/* v5 by its callbacks: slow start, what ends it, and what does not. */
#include "play.h"

static void before_the_first_cut(void)
{
	struct conn c;
	u32 cwnd, i;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, 50 * MS);
	model_send(&c, 1 << 20);
	burst_rounds(&c, 4, 50 * MS);
	is(c.tp.snd_cwnd, 160, "slow start: 160 packets after four round trips");
	ok(c.tp.snd_cwnd < c.tp.snd_ssthresh, "slow start: it goes on");
	for (i = 0; i < 20 && c.tp.snd_cwnd < c.tp.snd_ssthresh; i++)
		burst_rounds(&c, 1, 65 * MS);
	cwnd = c.tp.snd_cwnd;
	ok(c.tp.snd_cwnd >= c.tp.snd_ssthresh && i < 3, "slow start: a queue of 15 ms ends it (%u packets)", cwnd);
	rounds(&c, 10, 65 * MS, 0);
	ok(c.tp.snd_cwnd <= cwnd + 10, "growth: no 5 %% a round before the first cut with a queue (%u to %u)", cwnd,
	   c.tp.snd_cwnd);
	end(&c, "before the first cut");

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 20, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	ok(cwnd >= 240 && cwnd <= 270, "growth: without a queue it is (100 to %u in 20 rounds)", cwnd);
	ecn_event(&c, 50 * MS);
	rounds(&c, 3, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	rounds(&c, 10, 50 * MS, 0);
	ok(c.tp.snd_cwnd < cwnd * 5 / 4, "growth: nor after a cut (%u to %u in 10 rounds)", cwnd, c.tp.snd_cwnd);
	end(&c, "no slow start");

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	c.tp.reord_seen = 1;
	rounds(&c, 20, 50 * MS, 0);
	ok(c.tp.snd_cwnd <= 127, "growth: where packets overtook each other an eighth more than CUBIC's (100 to %u)", c.tp.snd_cwnd);
	end(&c, "seen reordering");
}

/* @n RTTs of @rtt_us in slow start on a path of @min_us end it. */
static bool ends(u32 min_us, u32 rtt_us, u32 n, u32 between)
{
	struct conn c;
	bool over;
	u32 i;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, min_us);
	model_send(&c, 1 << 20);
	burst_rounds(&c, 3, min_us);
	model_wait(&c, min_us - min_us / 16);
	for (i = 0; i < n; i++)
		ack(&c, 1, between && i == n / 2 ? between : rtt_us);
	over = c.tp.snd_cwnd >= c.tp.snd_ssthresh;
	end(&c, "samples of slow start");
	return over;
}

static void slow_start_samples(void)
{
	ok(ends(50 * MS, 63 * MS, 8, 0), "slow start: eight RTTs in a row of more than a quarter more end it");
	ok(!ends(50 * MS, 63 * MS, 7, 0), "slow start: seven do not");
	ok(!ends(50 * MS, 63 * MS, 15, 62 * MS), "slow start: nor fifteen with a small one amid them");
	ok(!ends(50 * MS, 62 * MS, 30, 0), "slow start: nor any of a quarter more");
	ok(!ends(2 * MS, 5900, 30, 0), "slow start: nor any of 4 ms more");
	ok(ends(2 * MS, 6100, 30, 0), "slow start: more than 4 ms on a short path do");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	before_the_first_cut();
	slow_start_samples();
	return tap_done();
}
