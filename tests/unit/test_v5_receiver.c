// SPDX-License-Identifier: GPL-2.0
/*
 * v5 and a receiver that lies. What the kernel does not believe never reaches it: ACKs beyond what
 * was sent, DSACKs of what was not sent again. RACK's wait and an undo have their limits among the
 * invariants (RACK_WAIT, UNDO_CWND), which hold in every test.
 */
#include "play.h"

#define RTT (50 * MS)

/* A round trip; @pieces - 1 ACKs of a part of a packet come before each ACK, which are of nothing new. */
static void round_in_pieces(struct conn *c, u32 pieces)
{
	u32 flight = c->tp.packets_out, left, i;

	for (left = flight; left; left--) {
		model_wait(c, RTT / flight);
		for (i = 1; i < pieces; i++)
			model_ack(c, (struct ack){ .rtt_us = -1 });
		model_ack(c, (struct ack){ .acked = 1, .acked_lost = 256, .rtt_us = RTT, .rack_us = RTT });
	}
	model_wait(c, RTT % flight);
}

/* What cwnd is after slow start, rounds beyond it, and a recovery that @answer decides. */
static void grow_in_pieces(u32 pieces, enum ndm_answer answer, u32 cwnd[3])
{
	struct conn c;
	u32 i;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, RTT);
	model_send(&c, 1 << 20);
	for (i = 0; i < 3; i++)
		round_in_pieces(&c, pieces);
	cwnd[0] = c.tp.snd_cwnd;
	c.tp.snd_ssthresh = cwnd[0];
	for (i = 0; i < 10; i++)
		round_in_pieces(&c, pieces);
	cwnd[1] = c.tp.snd_cwnd;
	v5(&c)->question.answer = answer;
	v5(&c)->question.valid_rounds = 200;
	sack(&c, 3, RTT, 1);
	is(verdict(&c), answer == NDM_ANSWER_OWN ? NDM_OWN : NDM_NOISE, "pieces: a loss");
	for (i = 0; i < 4; i++)
		round_in_pieces(&c, pieces);
	cwnd[2] = c.tp.snd_cwnd;
	ok(model_state(&c) <= TCP_CA_Disorder, "pieces: the recovery is over");
	is(v5(&c)->reorder.rounds, 0, "pieces: they are no reordering");
	end(&c, "ACKs in pieces");
}

static void acks_in_pieces(enum ndm_answer answer)
{
	static const char *const when[3] = { "slow start", "growth", "recovery" };
	u32 whole[3], parts[3], i;

	grow_in_pieces(1, answer, whole);
	grow_in_pieces(8, answer, parts);
	for (i = 0; i < 3; i++)
		ok(parts[i] > 10 && parts[i] <= whole[i], "%s: ACKs in 8 pieces bring no larger cwnd (%u, %u)",
		   when[i], parts[i], whole[i]);
}

/* It says in each round that packets overtook each other; the path holds 50, what is more waits. */
static void forged_reordering(void)
{
	struct conn c;
	u32 cwnd = 0, i;

	begin(&c, "ndm_v5", START_US, RTT, 30);
	for (i = 0; i < 15; i++) {
		reordered_rounds(&c, 1, max(c.tp.snd_cwnd, 50U) * MS, 0, RTT);
		if (i == 4)
			cwnd = c.tp.snd_cwnd;
	}
	ok(v5(&c)->reorder.rounds, "forged reordering: it is believed");
	ok(cwnd > 50 && cwnd <= 110 && c.tp.snd_cwnd <= cwnd + 1,
	   "and the queue that shows ends the search (%u packets, then %u)", cwnd, c.tp.snd_cwnd);
	cwnd = c.tp.snd_cwnd;
	sack(&c, 3, cwnd * MS, 1);
	is(verdict(&c), NDM_QUEUE, "a loss there is congestion as ever");
	recover(&c, RTT);
	cwnd = c.tp.snd_cwnd;
	model_wait(&c, SECOND);
	model_rto(&c);
	ok(c.tp.snd_ssthresh < cwnd * 3 / 4, "and so is a timeout (%u of %u)", c.tp.snd_ssthresh, cwnd);
	end(&c, "forged reordering");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	acks_in_pieces(NDM_ANSWER_CHANCE);
	acks_in_pieces(NDM_ANSWER_OWN);
	forged_reordering();
	return tap_done();
}
