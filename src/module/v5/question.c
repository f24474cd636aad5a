// SPDX-License-Identifier: GPL-2.0
/* Are losses, or a queue, this connection's own? See question.h. */
#include "question.h"

#define NDM_SHARE(per) ((1U << NDM_SHARE_SHIFT) / (per))

/* With 1/128 Cubics in a FIFO of 15 packets at 900 Mbit/s keep a third of the rate, for a half. */
#define NDM_ASK_SHARE NDM_SHARE(512)

/* A count of 32 losses is off by a sixth. */
#define NDM_COUNT_LOSSES 32
#define NDM_COUNT_PKTS (1U << 24)	/* a count of more fades */
#define NDM_HALVINGS 9		/* bring 16 bits of losses to 8 */
/*
 * Short bursts, as on a radio link: a count of their packets would be off by as many times. A queue
 * that overflows drops one packet of two to ten, so that each is told of by an ACK of its own.
 */
#define NDM_BURST_PKTS 8

/* What left before the cut is lost for a round after it, and told of in the next. */
#define NDM_ASK_WAIT_ROUNDS 2
/*
 * A sequential test: two for each loss, less one for each that the share before the cut lets
 * expect. Eight either way is a wrong answer in one of thirty, after some ten losses.
 */
#define NDM_ASK_SCORE 8

/*
 * How long an answer is believed. A wrong *chance* takes from others what a wrong *own* takes from
 * this connection: with 128 for both five Cubics beside five at a policer have 7.0 for 7.5 Mbit/s.
 */
#define NDM_CHANCE_ROUNDS 128
#define NDM_OWN_ROUNDS 255

/* Chance is at most 1/42, so that single losses of 1/14 are congestion (RFC 9743). */
#define NDM_CHANCE_MOST NDM_SHARE(42)
/*
 * Three times what was chance is no error of two counts any more, though that of a question, which
 * ends with some six losses, is often half too much; less than 1/128 may be.
 */
#define NDM_MORE 3
#define NDM_MORE_LEAST NDM_SHARE(128)

static void ndm_count_begin(struct ndm_question *q)
{
	q->pkts = 0;
	q->losses = 0;
}

static void ndm_question_answer(struct ndm_question *q, enum ndm_answer answer)
{
	q->asking = NDM_ASKING_NOT;
	q->answer = answer;
	q->valid_rounds = answer == NDM_ANSWER_OWN ? NDM_OWN_ROUNDS : NDM_CHANCE_ROUNDS;
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
	q->recent = ndm_min(q->recent + (pkts + NDM_BURST_PKTS - 1) / NDM_BURST_PKTS, 65535);
}

void ndm_question_undo(struct ndm_question *q, u32 lost)
{
	q->lost_seen = lost;
	q->recent = 0;
	q->asking = NDM_ASKING_NOT;
}

static u32 ndm_counted_share(const struct ndm_question *q)
{
	return ((u32)q->losses << NDM_SHARE_SHIFT) / (q->losses + q->pkts + 1);
}

/* Losses that @share of this count's packets would be. */
static u32 ndm_expected(const struct ndm_question *q)
{
	return (u64)q->pkts * q->share >> NDM_SHARE_SHIFT;
}

/* Far more is lost than when sending less did not change it. */
static bool ndm_question_more(const struct ndm_question *q)
{
	return q->answer == NDM_ANSWER_CHANCE && q->asking == NDM_ASKING_NOT &&
	       q->share > ndm_max(NDM_MORE * q->chance, NDM_MORE_LEAST);
}

static void ndm_question_count(struct ndm_question *q)
{
	s32 score = 2 * (s32)q->losses - (s32)ndm_expected(q);

	if (score > -NDM_ASK_SCORE && score < NDM_ASK_SCORE) {
		/* So little was sent that nothing can be known. */
		if (!--q->step_rounds)
			ndm_question_answer(q, NDM_ANSWER_NONE);
		return;
	}
	ndm_question_answer(q, score > 0 ? NDM_ANSWER_CHANCE : NDM_ANSWER_OWN);
	if (score > 0) {
		q->share = ndm_counted_share(q);
		q->chance = ndm_min(q->share, NDM_CHANCE_MOST);
	}
	if (ndm_question_lost(q, NDM_LOST_MANY))
		ndm_question_answer(q, NDM_ANSWER_OWN);
	ndm_count_begin(q);
}

static void ndm_question_watch(struct ndm_question *q)
{
	if (q->losses < NDM_COUNT_LOSSES && ndm_expected(q) < 2 * NDM_COUNT_LOSSES)
		return;
	q->share = ndm_counted_share(q);
	ndm_count_begin(q);
	if (ndm_question_more(q))
		ndm_question_answer(q, NDM_ANSWER_OWN);
}

void ndm_question_round(struct ndm_question *q, u32 delivered)
{
	u32 losses = q->losses + q->recent, i;

	q->recent = 0;
	q->pkts += ndm_min(delivered, NDM_COUNT_PKTS);
	for (i = 0; i < NDM_HALVINGS && (losses > 255 || q->pkts > NDM_COUNT_PKTS); i++) {
		losses >>= 1;
		q->pkts >>= 1;
	}
	q->losses = losses;
	q->others_rounds -= !!q->others_rounds;
	q->valid_rounds -= !!q->valid_rounds;
	if (!q->valid_rounds)
		q->answer = NDM_ANSWER_NONE;
	if (q->asking == NDM_ASKING_COUNT) {
		ndm_question_count(q);
	} else if (q->asking != NDM_ASKING_WAIT) {
		ndm_question_watch(q);
	} else if (!--q->step_rounds) {
		q->asking = NDM_ASKING_COUNT;
		q->step_rounds = NDM_CHANCE_ROUNDS;
		ndm_count_begin(q);
	}
}

bool ndm_question_due(const struct ndm_question *q)
{
	return q->answer == NDM_ANSWER_NONE && q->asking == NDM_ASKING_NOT &&
	       q->share > NDM_ASK_SHARE;
}

void ndm_question_ask(struct ndm_question *q, enum ndm_asking what)
{
	q->asking = what;
	/* And the round of the cut, or the one that looks. */
	q->step_rounds = NDM_ASK_WAIT_ROUNDS + 1;
}

void ndm_question_answer_queue(struct ndm_question *q, bool own)
{
	q->asking = NDM_ASKING_NOT;
	q->others_rounds = own ? 0 : NDM_OWN_ROUNDS;
}

bool ndm_question_lost(const struct ndm_question *q, u32 per)
{
	return q->share > NDM_SHARE(per);
}
