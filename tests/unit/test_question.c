// SPDX-License-Identifier: GPL-2.0
/* Are losses a connection's own? Counts, questions, answers, by paths that lose in one way or another. */
#include "question.h"
#include "tap.h"

#define ROUND_PKTS 400
#define SHARE(per) (65536 / (per))

static u32 lost;

/* A round of @pkts packets, of which @losses are lost, each told of by an ACK of its own. */
static void round_of(struct ndm_question *q, u32 pkts, u32 losses)
{
	while (losses--)
		ndm_question_ack(q, ++lost);
	ndm_question_round(q, pkts);
}

static void begin(struct ndm_question *q)
{
	lost = tap_random(1 << 20);
	ndm_question_forget(q, lost);
}

/* Rounds with @losses of @pkts packets, until the next cut has to ask; 0 when 1,000 do not suffice. */
static u32 rounds_until_due(struct ndm_question *q, u32 pkts, u32 losses)
{
	u32 n;

	for (n = 1; n <= 1000; n++) {
		round_of(q, pkts, losses);
		if (ndm_question_due(q))
			return n;
	}
	return 0;
}

/* Asks, with @losses of @pkts packets in each round from then on; returns the rounds that the question takes. */
static u32 ask(struct ndm_question *q, u32 pkts, u32 losses)
{
	u32 n = 0;

	ndm_question_ask(q, NDM_ASKING_WAIT);
	while (q->asking != NDM_ASKING_NOT && n++ < 1000)
		round_of(q, pkts, losses);
	return n;
}

static void counts(void)
{
	struct ndm_question q;
	u32 i;

	begin(&q);
	for (i = 0; i < 31; i++)
		round_of(&q, 100, 1);
	is(q.share, 0, "count: 31 losses make no share");
	round_of(&q, 100, 1);
	ok(q.share > SHARE(106) && q.share < SHARE(96), "count: 32 of 3,200 packets do, 1 %% (%u of 65536)", q.share);
	for (i = 0; i < 60; i++)
		round_of(&q, 100, 0);
	ok(q.share > SHARE(106), "count: 6,000 packets without a loss have not ended the next");
	for (i = 0; i < 10; i++)
		round_of(&q, 100, 0);
	is(q.share, 0, "count: 7,000 have, and it found none");

	begin(&q);
	for (i = 0; i < 32; i++) {
		ndm_question_ack(&q, lost += 5);
		ndm_question_round(&q, 100);
	}
	ok(q.share < SHARE(96), "count: five packets that one ACK tells of are one loss (%u)", q.share);
	begin(&q);
	ndm_question_ack(&q, lost += 132000);
	ndm_question_round(&q, 168000);
	ok(!ndm_question_lost(&q, 40), "count: of 300,000 packets 44 %% lost that one ACK tells of are at most a fortieth, for a burst is one loss for eight packets");
	begin(&q);
	for (i = 0; i < 300; i++)
		ndm_question_ack(&q, lost += 440);
	ndm_question_round(&q, 168000);
	ok(ndm_question_lost(&q, 40) && q.share < SHARE(5), "count: told of by 300 ACKs they are much (%u)", q.share);
	for (i = 0; i < 300; i++)
		round_of(&q, ROUND_PKTS, ROUND_PKTS / 20);
	ok(q.share > SHARE(24) && q.share < SHARE(19), "count: 5 %% are 5 %% in rounds of any size (%u)", q.share);
	for (i = 0; i < 300; i++)
		round_of(&q, 100000, 5000);
	ok(q.share > SHARE(24) && q.share < SHARE(19), "count: in large ones, too (%u)", q.share);

	begin(&q);
	for (i = 0; i < 31; i++)
		round_of(&q, 100, 1);
	ndm_question_ack(&q, lost += 7);
	ndm_question_undo(&q, lost);
	ndm_question_round(&q, 100);
	is(q.share, 0, "count: an undo takes back what was lost in the round");
	round_of(&q, 100, 1);
	ok(q.share > SHARE(120), "count: and nothing else (%u)", q.share);
	ok(!ndm_question_lost(&q, NDM_LOST_MANY), "count: nothing is not much");
	q.share = SHARE(7);
	ok(!ndm_question_lost(&q, NDM_LOST_MANY), "count: a seventh is not");
	q.share = SHARE(5);
	ok(ndm_question_lost(&q, NDM_LOST_MANY), "count: a fifth is many");
	round_of(&q, ~0U, 0);
	round_of(&q, 0, 3);
	round_of(&q, ~0U, 3);
	ok(q.share < SHARE(2), "count: rounds of any size do not overflow (%u)", q.share);
}

static void unknown(void)
{
	struct ndm_question q;

	begin(&q);
	is(rounds_until_due(&q, 600, 1), 0, "unknown: one of 600 lost is not asked about");
	ok(rounds_until_due(&q, ROUND_PKTS, 4) > 0, "unknown: 1 %% is");
	ndm_question_ask(&q, NDM_ASKING_WAIT);
	ok(!ndm_question_due(&q), "unknown: one question at a time");
}

static void chance(void)
{
	struct ndm_question q;
	u32 n;

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 4);
	n = ask(&q, ROUND_PKTS * 7 / 10, 3);
	is(q.answer, NDM_ANSWER_CHANCE, "chance: losses go on at the same share");
	ok(n > 3 && n < 10, "chance: which some losses show (%u rounds)", n);
	ok(!ndm_question_due(&q), "chance: then no cut asks");
	ok(q.chance > SHARE(130) && q.chance < SHARE(80), "chance: 1 %% is (%u of 65536)", q.chance);
	for (n = 1; n < 128; n++)
		round_of(&q, ROUND_PKTS, 4);
	is(q.answer, NDM_ANSWER_CHANCE, "chance: 127 rounds later it still is");
	round_of(&q, ROUND_PKTS, 4);
	is(q.answer, NDM_ANSWER_NONE, "chance: 128 rounds later it is too old");
	ok(ndm_question_due(&q), "chance: and the next cut asks again");

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 4);
	ask(&q, ROUND_PKTS, 4);
	for (n = 0; n < 20 && q.answer == NDM_ANSWER_CHANCE; n++)
		round_of(&q, ROUND_PKTS, 8);
	is(q.answer, NDM_ANSWER_CHANCE, "chance: twice as much lost may be an error of two counts");
	for (n = 0; n < 20 && q.answer == NDM_ANSWER_CHANCE; n++)
		round_of(&q, ROUND_PKTS, 20);
	is(q.answer, NDM_ANSWER_OWN, "chance: when five times as much is lost, losses are its own");

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 40);
	ask(&q, ROUND_PKTS, 40);
	ok(q.chance <= SHARE(42), "chance: a tenth is not, all of it");
	for (n = 0; n < 20 && q.answer == NDM_ANSWER_CHANCE; n++)
		round_of(&q, ROUND_PKTS, 40);
	is(q.answer, NDM_ANSWER_OWN, "chance: so that a tenth lost is congestion (RFC 9743)");
}

static void own(void)
{
	struct ndm_question q;
	u32 n;

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 8);
	n = ask(&q, ROUND_PKTS, 0);
	is(q.answer, NDM_ANSWER_OWN, "own: losses end");
	ok(n < 12, "own: which some hundred packets show (%u rounds)", n);
	ok(!ndm_question_due(&q), "own: then no cut asks");
	for (n = 1; n < 255; n++)
		round_of(&q, ROUND_PKTS, 0);
	is(q.answer, NDM_ANSWER_OWN, "own: 254 rounds later they still are");
	round_of(&q, ROUND_PKTS, 0);
	is(q.answer, NDM_ANSWER_NONE, "own: 255 rounds later the answer is too old");

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 8);
	ndm_question_ask(&q, NDM_ASKING_WAIT);
	round_of(&q, ROUND_PKTS, 40);
	round_of(&q, ROUND_PKTS, 40);
	for (n = 0; n < 100 && q.asking != NDM_ASKING_NOT; n++)
		round_of(&q, ROUND_PKTS, 0);
	is(q.answer, NDM_ANSWER_OWN, "own: what the first two rounds lose was sent before the cut");

	begin(&q);
	q.share = SHARE(327);
	ok(ask(&q, 1, 0) <= 131, "own: with a packet in flight a question ends, too");
	is(q.answer, NDM_ANSWER_NONE, "own: where nothing was counted nothing is known");

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 4);
	ask(&q, 4, 2);
	is(q.answer, NDM_ANSWER_OWN, "own: a third lost is congestion, whatever the share before");

	begin(&q);
	rounds_until_due(&q, ROUND_PKTS, 4);
	ndm_question_ask(&q, NDM_ASKING_WAIT);
	ndm_question_undo(&q, lost);
	is(q.asking, NDM_ASKING_NOT, "own: an undone cut asks nothing");
}

int main(void)
{
	counts();
	unknown();
	chance();
	own();
	return tap_done();
}
