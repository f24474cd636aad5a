// SPDX-License-Identifier: GPL-2.0
/* v5 by its callbacks: verdicts, and how long their evidence holds. */
#include "play.h"

static void a_question(void)
{
	struct conn c;
	u32 cwnd, i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	random_losses(&c, 40, 50 * MS, NDM_NOISE);
	c.tp.snd_cwnd_clamp = 100;
	for (i = 0; i < 100 && verdict(&c) == NDM_NOISE; i++) {
		rounds(&c, 1, 50 * MS, 0);
		loss_event(&c, 1, 50 * MS);
	}
	is(verdict(&c), NDM_LOSS_SHARE, "verdict: a loss each second round is asked about");
	is(v5(&c)->question.asking, NDM_ASKING_WAIT, "which begins with this cut");
	rounds(&c, 1, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	rounds(&c, 10, 50 * MS, 0);
	ok(c.tp.snd_cwnd == cwnd && cwnd < 80, "while v5 asks, cwnd does not grow (%u, %u)", cwnd, c.tp.snd_cwnd);
	rounds(&c, 200, 50 * MS, 0);
	is(v5(&c)->question.answer, NDM_ANSWER_OWN, "no further loss: they were its own");
	loss_event(&c, 1, 50 * MS);
	is(verdict(&c), NDM_OWN, "verdict: and so is the next");
	end(&c, "a question");
}

/*
 * 20 ms, and 50 ms of a FIFO that others keep full: it drops one packet of twelve. The same as a path
 * that became longer: no RTT tells, so the base follows, and the losses decide.
 */
static void base_below_a_full_queue(void)
{
	struct conn c;
	u64 end_us;

	begin(&c, "ndm_v5", START_US, 20 * MS, 40);
	rounds(&c, 3, 20 * MS, 0);
	for (end_us = c.tp.tcp_mstamp + 60 * SECOND; c.tp.tcp_mstamp < end_us;) {
		rounds(&c, 1, 70 * MS, 0);
		loss_event(&c, (2 * c.tp.snd_cwnd + 11) / 12, 70 * MS);
	}
	ok(v5(&c)->rounds.base_us > 69 * MS, "base: a longer path is believed, whatever is lost (%u us)", v5(&c)->rounds.base_us);
	is(verdict(&c), NDM_LOSS_SHARE, "base: and a twelfth is more than chance");
	end(&c, "a queue that is always full");
}

/* In a round of @pkts packets @reordered are reordered, by @distance packets. */
static bool is_reordering(u32 pkts, u32 reordered, u32 distance, const char *assist)
{
	struct conn c;
	bool found;

	model_param_set("rack_assist", assist);
	begin(&c, "ndm_v5", START_US, 50 * MS, pkts);
	rounds(&c, 2, 50 * MS, 0);
	sack(&c, 3, 50 * MS, 0);
	model_ack(&c, (struct ack){ .acked = 4, .rtt_us = 50 * MS, .rack_us = 50 * MS, .reordered = reordered,
				     .distance = distance });
	rounds(&c, 1, 50 * MS, 0);
	found = v5(&c)->reorder.rounds;
	end(&c, "reordering in a window");
	model_param_set("rack_assist", "1");
	return found;
}

static void shares_of_reordering(void)
{
	ok(!is_reordering(600000, 130, 20, "1"), "reordering: 130 of 600,000 packets, as of any two links, are none");
	ok(is_reordering(12800, 2560, 20, "1"), "reordering: a fifth of 12,800 is");
	ok(is_reordering(300, 30, 20, "1"), "reordering: a tenth of 300 is");
	ok(!is_reordering(300, 30, 1, "1"), "reordering: ACKs in pieces are none");
	ok(!is_reordering(300, 30, 20, "0"), "reordering: where RACK cannot wait for it, nothing is done about it");
}

static long losses_counted(void)
{
	long sum = 0;
	u32 i;

	for (i = 0; i < NDM_VERDICTS; i++)
		sum += model_counter[NDM_LOSSES + i];
	return sum;
}

static void counts(void)
{
	static const char *const algorithms[] = { "ndm", "ndm_v1", "ndm_v5" };
	long before, rtos = model_counter[NDM_RTOS];
	struct conn c;
	u32 i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 40);
	before = losses_counted();
	rounds(&c, 20, 50 * MS, 0);
	loss_event(&c, 1, 50 * MS);
	is(losses_counted(), before + 1, "a loss event counts once");
	rounds(&c, 3, 50 * MS, 0);
	ecn_event(&c, 50 * MS);
	is(losses_counted(), before + 2, "so does an ECN-Echo");
	rounds(&c, 20, 50 * MS, 0);
	model_wait(&c, SECOND);
	model_rto(&c);
	is(losses_counted(), before + 3, "and a timeout");
	is(model_counter[NDM_RTOS], rtos + 1, "as a timeout");
	end(&c, "counts");

	for (i = 0; i < 3; i++) {
		model_open(&c, algorithms[i], START_US, 100000, 10);
		before = losses_counted();
		model_ops(algorithms[i])->ssthresh(model_sk(&c));
		c.tp.prior_ssthresh = 10;
		model_ops(algorithms[i])->set_state(model_sk(&c), TCP_CA_Loss);
		is(losses_counted(), before, "the timeout of a SYN does not count");
	}
}

/* Losses are noise, and a probe goes out for the last two packets: its answer comes next. */
static void probe(struct conn *c)
{
	begin(c, "ndm_v5", START_US, 50 * MS, 40);
	random_losses(c, 40, 50 * MS, NDM_NOISE);
	loss_event(c, 1, 50 * MS);
	rounds(c, 3, 50 * MS, 0);
	c->tp.prior_ssthresh = 0;
	c->backlog_pkts = 0;
	ack(c, c->tp.packets_out - 2, 50 * MS);
	c->backlog_pkts = 0;
	model_tail_loss_probe(c);
	model_wait(c, 100 * MS);
	model_send(c, 3);
}

static void tail_losses(void)
{
	long before = model_counter[NDM_ECN_REDUCTIONS];
	struct conn c;
	u32 cwnd;

	probe(&c);
	ack(&c, c.tp.packets_out, 50 * MS);
	ok(verdict(&c) != NDM_ECN, "a loss that a probe repaired is judged as a loss, not counted as ECN (%u)", verdict(&c));
	is(model_counter[NDM_ECN_REDUCTIONS], before, "and /proc says so");
	end(&c, "tail losses");

	/* A DSACK tells that nothing was lost: what comes next is no repaired tail. */
	probe(&c);
	cwnd = c.tp.snd_cwnd;
	model_ack(&c, (struct ack){ .acked = c.tp.packets_out, .rtt_us = 50 * MS, .rack_us = 50 * MS, .dsack = 1 });
	is(model_state(&c), TCP_CA_Open, "a DSACK of a probe: nothing was lost");
	model_local_congestion(&c);
	is(verdict(&c), NDM_ECN, "a full queue of this host right after it counts as that");
	ok(c.tp.snd_ssthresh < cwnd, "and cuts cwnd");
	end(&c, "no tail loss");

	/* The ACK that tells of the repaired tail has an ECN-Echo as well. */
	probe(&c);
	cwnd = c.tp.snd_cwnd;
	v5(&c)->tail = true;
	ok(watch_ssthresh(&c) >= cwnd, "a tail loss by chance keeps cwnd");
	ok(watch_ssthresh(&c) < cwnd, "an ECN-Echo of the same ACK cuts it");
	is(verdict(&c), NDM_ECN, "and counts as ECN");
	model_close(&c);
}

/* A connection of @cwnd packets of which 1 % is lost, and one that has just asked about it. */
static void asks(struct conn *c, u32 cwnd)
{
	begin(c, "ndm_v5", START_US, 50 * MS, 20);
	rounds(c, 3, 50 * MS, 0);
	c->tp.snd_cwnd = cwnd;
	c->tp.snd_ssthresh = cwnd;
	c->tp.snd_cwnd_clamp = cwnd;
	rounds(c, 2, 50 * MS, 0);
	v5(c)->question.share = 655;
	loss_event(c, 1, 50 * MS);
	is(verdict(c), NDM_LOSS_SHARE, "a question: 1 % is lost");
}

static void ends_of_questions(void)
{
	struct conn c;

	asks(&c, 100);
	rounds(&c, 3, 50 * MS, 0);
	is(v5(&c)->question.asking, NDM_ASKING_COUNT, "a question: it counts");
	model_rto(&c);
	ack(&c, 1, 50 * MS);
	ok(v5(&c)->question.asking == NDM_ASKING_NOT && v5(&c)->question.answer == NDM_ANSWER_NONE, "a timeout ends it without an answer");
	end(&c, "a timeout amid a question");

	asks(&c, 100);
	reordered_rounds(&c, 2, 50 * MS, 0, 50 * MS);
	ok(v5(&c)->reorder.rounds && v5(&c)->question.asking == NDM_ASKING_NOT, "so does reordering");
	end(&c, "reordering amid a question");

	asks(&c, 2);
	is(v5(&c)->question.asking, NDM_ASKING_NOT, "two packets stay two: no question");
	end(&c, "a question of two packets");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	a_question();
	base_below_a_full_queue();
	shares_of_reordering();
	tail_losses();
	counts();
	ends_of_questions();
	return tap_done();
}
