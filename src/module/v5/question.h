/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Are the losses of this connection its own, and is the queue? It sends less for a while and looks.
 * No RTT tells the first at a policer or at a FIFO of a few packets.
 *
 * Losses, after a cut to 0.7: two rounds pass, for what left before it; those that then go on at
 * the same share are chance, and for 128 rounds do not cut, unless three times as much is lost;
 * those that end were its own, and for 255 rounds each cuts.
 * A queue, below the BDP (queue.c): two rounds pass, the RTTs of the third tell; one that stays is
 * that of others for 255 rounds.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_QUESTION_H
#define NDM_V5_QUESTION_H

#include "../arith.h"

#define NDM_SHARE_SHIFT 16	/* of a share of packets */

/* What the latest question about losses found. */
enum ndm_answer {
	NDM_ANSWER_NONE,	/* nothing is known, or it is too old */
	NDM_ANSWER_CHANCE,	/* sending less did not change the share of losses */
	NDM_ANSWER_OWN,		/* it did, or they have become more since they were chance */
};

/* The present question. */
enum ndm_asking {
	NDM_ASKING_NOT,		/* none */
	NDM_ASKING_WAIT,	/* about losses; what is lost now was sent before the cut */
	NDM_ASKING_COUNT,	/* about losses, which are counted */
	NDM_ASKING_QUEUE,	/* about the queue */
};

/*
 * Up to NDM_BURST_PKTS that one ACK tells of are one loss. A count ends with its losses, not with
 * its packets: so an estimate is as good with few packets in flight as with many.
 */
struct ndm_question {
	u32 pkts;		/* packets delivered in this count */
	u16 share;		/* lost of the latest complete count, of 2^NDM_SHARE_SHIFT */
	u16 lost_seen;		/* tp->lost at the latest ACK, low 16 bits */
	u16 recent;		/* losses of this round, not yet in @losses */
	u8 asking : 2;		/* enum ndm_asking */
	u8 answer : 2;		/* enum ndm_answer */
	u8 losses;		/* losses in this count */
	u16 chance;		/* share that sending less did not change, of 2^NDM_SHARE_SHIFT */
	u8 valid_rounds;	/* that @answer is still valid */
	u8 step_rounds;		/* that are left of WAIT or COUNT, or until the one that looks */
	u8 others_rounds;	/* that the queue is still that of others */
} __packed;

/* Nothing is known. @lost: tp->lost. */
void ndm_question_forget(struct ndm_question *q, u32 lost);

/* Call it with each ACK. @lost: tp->lost. */
void ndm_question_ack(struct ndm_question *q, u32 lost);

/* What was lost in this round was not, and cwnd is back: no question goes on. @lost: tp->lost. */
void ndm_question_undo(struct ndm_question *q, u32 lost);

/* A round ended in which @delivered packets arrived. */
void ndm_question_round(struct ndm_question *q, u32 delivered);

/* Nothing is known of losses, and more is lost than a cut does without: the next cut should ask. */
bool ndm_question_due(const struct ndm_question *q);

/* Ask about losses with a cut (WAIT), about a queue with less than the BDP; or no more (NOT). */
void ndm_question_ask(struct ndm_question *q, enum ndm_asking what);

/* The answer about the queue: it is this connection's @own, or others fill it. */
void ndm_question_answer_queue(struct ndm_question *q, bool own);

#define NDM_LOST_MANY 6		/* congestion, even if some are spurious */

/* More than one of @per packets was lost. */
bool ndm_question_lost(const struct ndm_question *q, u32 per);

#endif
