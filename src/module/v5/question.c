// SPDX-License-Identifier: GPL-2.0
/* Are the losses of this connection its own? See question.h. */
#include "question.h"

#define NDM_SHARE(per) ((1U << NDM_SHARE_SHIFT) / (per))

/*
 * Up to there a loss without a queue does not cut, and is not asked about: a question takes
 * ten losses. With 1/128 two Cubics beside two v5 in a FIFO of 15 packets at 900 Mbit/s had 250 of
 * 740 Mbit/s, with 1/512 they have 360.
 */
#define NDM_ASK_SHARE NDM_SHARE(512)

/* A count of 24 losses is off by a fifth. */
#define NDM_COUNT_LOSSES 24
/*
 * Short bursts, as on a radio link: a count of their packets would be off by as many times. A queue
 * that overflows drops one packet of two to ten, so that each is told of by an ACK of its own.
 */
#define NDM_BURST_PKTS 8

/* A round of 2^30 packets fits 16 bits then. */
#define NDM_HALVINGS 15

/* What left before the cut is lost for a round after it, and told of in the next. */
#define NDM_ASK_WAIT_ROUNDS 2
/* A question ends after so many rounds; then what little was counted decides, nothing being own. */
#define NDM_ASK_ROUNDS 200
/*
 * A sequential test: two for each loss, less one for each that the share before the cut lets
 * expect. Six either way is a wrong answer in one of twenty, after some ten losses.
 */
#define NDM_ASK_SCORE 6

/*
 * How long an answer is believed. A wrong *chance* takes from others what a wrong *own* takes from
 * this connection: with 200 rounds for both ten Cubics beside ten v5 at a policer had 5.9 instead
 * of 7.1 of 20 Mbit/s.
 */
#define NDM_CHANCE_ROUNDS 128
#define NDM_OWN_ROUNDS 255

/* What is chance is at most 1/36, so that single losses of 1/12 are congestion (RFC 9743). */
#define NDM_CHANCE_MOST ((1U << NDM_CHANCE_SHIFT) / 36)
/*
 * Three times what was chance is no error of two counts any more, though that of a question, which
 * ends with some six losses, is often half too much; less than 1/128 may be.
 */
#define NDM_MORE 3
#define NDM_MORE_LEAST NDM_SHARE(128)

/* A FIFO that many flows keep full drops 4 to 20 % of their packets; nearly no link does. */
#define NDM_SHARE_SOME NDM_SHARE(40)
#define NDM_SHARE_MANY NDM_SHARE(6)

static void ndm_count_begin(struct ndm_question *q)
{
	q->pkts = 0;
	q->losses = 0;
}

static void ndm_question_answer(struct ndm_question *q, enum ndm_answer answer)
{
	q->asking = NDM_ASKING_NOT;
	q->answer = answer;
	q->rounds = answer == NDM_ANSWER_OWN ? NDM_OWN_ROUNDS : NDM_CHANCE_ROUNDS;
}

void ndm_question_forget(struct ndm_question *q, u32 lost)
{
	memset(q, 0, sizeof(*q));
	q->lost_seen = lost;
}

void ndm_question_ack(struct ndm_question *q, u32 lost)
{
	u32 pkts = (u16)(lost - q->lost_seen);

	q->lost_seen = lost;
	q->recent = ndm_min(q->recent + (pkts + NDM_BURST_PKTS - 1) / NDM_BURST_PKTS, 16383);
}

void ndm_question_stop(struct ndm_question *q)
{
	q->asking = NDM_ASKING_NOT;
}

void ndm_question_undo(struct ndm_question *q, u32 lost)
{
	q->lost_seen = lost;
	q->recent = 0;
	ndm_question_stop(q);
}

static u32 ndm_counted_share(const struct ndm_question *q)
{
	return ((u32)q->losses << NDM_SHARE_SHIFT) / (q->losses + q->pkts + 1);
}

/* Losses that @share of this count's packets would be. */
static u32 ndm_expected(const struct ndm_question *q)
{
	return (u32)q->pkts * q->share >> NDM_SHARE_SHIFT;
}

/* Far more is lost than when sending less did not change it. */
static bool ndm_question_more(const struct ndm_question *q)
{
	u32 chance = (u32)q->chance << (NDM_SHARE_SHIFT - NDM_CHANCE_SHIFT);

	return q->answer == NDM_ANSWER_CHANCE &&
	       q->share > ndm_max(NDM_MORE * chance, NDM_MORE_LEAST);
}

static void ndm_question_count(struct ndm_question *q)
{
	s32 score = 2 * (s32)q->losses - (s32)ndm_expected(q);

	if (score > -NDM_ASK_SCORE && score < NDM_ASK_SCORE && --q->rounds)
		return;
	ndm_question_answer(q, score > 0 ? NDM_ANSWER_CHANCE : NDM_ANSWER_OWN);
	if (score > 0) {
		q->share = ndm_counted_share(q);
		q->chance = ndm_min(q->share >> (NDM_SHARE_SHIFT - NDM_CHANCE_SHIFT),
				    NDM_CHANCE_MOST);
	}
	if (ndm_question_many(q))
		ndm_question_answer(q, NDM_ANSWER_OWN);
	ndm_count_begin(q);
}

static void ndm_question_watch(struct ndm_question *q)
{
	if (!q->rounds || !--q->rounds)
		q->answer = NDM_ANSWER_NONE;
	if (q->losses >= NDM_COUNT_LOSSES || ndm_expected(q) >= 2 * NDM_COUNT_LOSSES) {
		q->share = ndm_counted_share(q);
		ndm_count_begin(q);
		if (ndm_question_more(q))
			ndm_question_answer(q, NDM_ANSWER_OWN);
	}
}

void ndm_question_round(struct ndm_question *q, u32 delivered)
{
	u32 pkts = q->pkts + ndm_min(delivered, 1U << 30), losses = q->losses + q->recent, i;

	q->recent = 0;
	if (q->asking == NDM_ASKING_WAIT) {
		if (--q->rounds)
			return;
		q->asking = NDM_ASKING_COUNT;
		q->rounds = NDM_ASK_ROUNDS;
		ndm_count_begin(q);
		return;
	}
	/* Bounded, for BPF's verifier. */
	for (i = 0; i < NDM_HALVINGS; i++) {
		u32 full = pkts > 65535 || losses > 63;

		pkts >>= full;
		losses >>= full;
	}
	q->pkts = pkts;
	q->losses = losses;
	if (q->asking == NDM_ASKING_COUNT)
		ndm_question_count(q);
	else
		ndm_question_watch(q);
}

bool ndm_question_due(const struct ndm_question *q)
{
	return q->answer == NDM_ANSWER_NONE && q->asking == NDM_ASKING_NOT &&
	       q->share > NDM_ASK_SHARE;
}

void ndm_question_ask(struct ndm_question *q)
{
	q->asking = NDM_ASKING_WAIT;
	q->rounds = NDM_ASK_WAIT_ROUNDS + 1;
}

bool ndm_question_some(const struct ndm_question *q)
{
	return q->share > NDM_SHARE_SOME;
}

bool ndm_question_many(const struct ndm_question *q)
{
	return q->share > NDM_SHARE_MANY;
}
