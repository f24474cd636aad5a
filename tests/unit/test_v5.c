// SPDX-License-Identifier: GPL-2.0
/* v5 by its callbacks: growth, slow start and what ends it, pauses. */
#include "play.h"

/* The plan of a round is for its own packets: what was saved while growth was slower is no packet more. */
static void credit_of_slower_growth(void)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 3, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	c.tp.snd_cwnd_cnt = 90;
	v5(&c)->cubic.acked_pkts = 50;
	watch_cong_avoid(&c, 49);
	is(c.tp.snd_cwnd, cwnd, "growth by one for each 50: none for 49, whatever was saved before");
	watch_cong_avoid(&c, 1);
	is(c.tp.snd_cwnd, cwnd + 1, "one for 50");
	c.tp.is_cwnd_limited = false;
	watch_cong_avoid(&c, 50);
	is(c.tp.snd_cwnd, cwnd + 1, "none where cwnd is not the limit");
	end(&c, "credit of slower growth");
}

static void idle_times(void)
{
	const u32 seconds[] = { 2, 60 };
	struct conn c;
	u32 i;

	for (i = 0; i < 2; i++) {
		begin(&c, "ndm_v5", START_US, 50 * MS, 40);
		random_losses(&c, 40, 50 * MS, NDM_NOISE);
		loss_event(&c, 20, 50 * MS);
		rounds(&c, 40, 50 * MS, 0);
		v5(&c)->question.answer = NDM_ANSWER_CHANCE;
		v5(&c)->question.valid_rounds = 200;
		fall_silent(&c, 50 * MS);
		model_wait(&c, seconds[i] * SECOND);
		model_send(&c, 1 << 20);
		model_wait(&c, 50 * MS);
		ack(&c, 1, 50 * MS);
		ok(!v5(&c)->rounds.base_us, "after %u s of silence the RTTs are forgotten", seconds[i]);
		ok((v5(&c)->question.answer == NDM_ANSWER_CHANCE) == !i, "what losses were like %s", i ? "too" : "is not");
		ok(!!v5(&c)->cubic.w_est_256 == !i, "CUBIC's epoch %s", i ? "begins anew" : "goes on");
		end(&c, "idle, after losses");
	}
}

/* 72 minutes of silence, after which the kernel leaves cwnd as it is; from Linux 7.1 on it does not tell of them. */
static void idle_without_restart(void)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 50 * MS, 6000);
	c.net.ipv4.sysctl_tcp_slow_start_after_idle = 0;
	c.tx_start_op = true;
	random_losses(&c, 2, 50 * MS, NDM_NOISE);
	ecn_event(&c, 50 * MS);
	rounds(&c, 20, 50 * MS, 0);
	v5(&c)->question.answer = NDM_ANSWER_CHANCE;
	v5(&c)->question.valid_rounds = 200;
	fall_silent(&c, 50 * MS);
	cwnd = c.tp.snd_cwnd;
	model_wait(&c, (1ULL << 32) + 5 * MS);
	model_send(&c, 1 << 20);
	is(c.tp.packets_out, cwnd, "without tcp_slow_start_after_idle cwnd stays, also for 72 minutes");
	model_wait(&c, 50 * MS);
	ack(&c, 1, 50 * MS);
	ok(!v5(&c)->rounds.base_us, "Linux 7.1: then the RTTs are forgotten");
	ok(v5(&c)->question.answer == NDM_ANSWER_NONE, "Linux 7.1: and what losses were like");
	rounds(&c, 6, 50 * MS, 0);
	ok(c.tp.snd_cwnd <= cwnd + cwnd / 2, "Linux 7.1: six rounds later cwnd is half more at most (%u, before %u)",
	   c.tp.snd_cwnd, cwnd);
	end(&c, "Linux 7.1");
}

static void long_round_trips(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, 5 * SECOND, 20);
	rounds(&c, 8, 5 * SECOND, 0);
	rounds(&c, 2, 8 * SECOND, 0);
	ok(v5(&c)->queue, "RTT 5 s: 3 s more are a queue");
	loss_event(&c, 1, 8 * SECOND);
	is(verdict(&c), NDM_QUEUE, "RTT 5 s: and a loss is judged so");
	end(&c, "RTT 5 s");
}

static void large_windows(void)
{
	struct conn c;
	u32 i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 100000);
	random_losses(&c, 2, 50 * MS, NDM_NOISE);
	rounds(&c, 2, 50 * MS, 0);
	for (i = 0; i < 2; i++)
		loss_event(&c, c.tp.snd_cwnd / 16 * 7, 50 * MS);
	is(verdict(&c), NDM_LOSS_SHARE, "verdict: 44 % of 100,000 packets, twice told of at once, are asked about");
	end(&c, "a large window");
}

/* Nothing shows a queue: how far cwnd gets in @n rounds after a cut from 100 packets; @answer: about losses. */
static u32 follow(u32 n, enum ndm_answer answer, u32 *cubic_pkts)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 20, 50 * MS, 0);
	v5(&c)->question.answer = answer;
	v5(&c)->question.valid_rounds = 200;
	c.tp.snd_cwnd = 100;
	c.tp.snd_ssthresh = 100;
	ecn_event(&c, 50 * MS);
	rounds(&c, n, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	*cubic_pkts = v5(&c)->cubic.w_max_pkts;
	end(&c, "following");
	return cwnd;
}

static void growth_without_a_queue(void)
{
	u32 w_max, cwnd = follow(60, NDM_ANSWER_NONE, &w_max);

	ok(cwnd > 100 && cwnd <= (w_max + w_max / 8) * 21 / 20, "growth: no queue shows: an eighth more than CUBIC, and a twentieth, at most (%u packets, W_max %u)", cwnd, w_max);
	cwnd = follow(60, NDM_ANSWER_OWN, &w_max);
	ok(cwnd > 80 && cwnd <= w_max * 21 / 20, "growth: where losses are its own it is CUBIC's (%u packets, W_max %u)", cwnd, w_max);
	cwnd = follow(60, NDM_ANSWER_CHANCE, &w_max);
	ok(cwnd > 2 * w_max, "growth: no queue shows, and losses are chance: a twentieth a round, on and on (%u packets, W_max %u)", cwnd, w_max);
}

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
	ok(!model_ops("ndm_v5")->cong_control,
	   "no cong_control: the kernel keeps the pacing rate, validates cwnd and ends recoveries");
	ok(sizeof(struct ndm_v5) <= ICSK_CA_PRIV_SIZE, "the state fits what the kernel gives");
	credit_of_slower_growth();
	idle_times();
	idle_without_restart();
	long_round_trips();
	large_windows();
	growth_without_a_queue();
	before_the_first_cut();
	slow_start_samples();
	return tap_done();
}
