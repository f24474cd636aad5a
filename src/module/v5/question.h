/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Are the losses of this connection its own? It sends less for a while: losses that go on at the
 * same share are chance, losses that end were its own. No RTT tells that at a policer or at a FIFO
 * of a few packets; and a crowd of such connections asks at different times.
 *
 *   unknown   up to one lost of 512 packets a loss does not cut; beyond that a cut asks
 *   asking    two rounds pass, for what left before the cut; then losses are counted
 *   chance    for 128 rounds no loss cuts, unless three times as much is lost as was chance
 *   own       for 255 rounds each loss cuts: CUBIC
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_QUESTION_H
#define NDM_V5_QUESTION_H

#include "../arith.h"

#define NDM_SHARE_SHIFT 16	/* of a share of packets */
#define NDM_CHANCE_SHIFT 12	/* of the share that is chance: 8 bits hold 1/16 */

/**
 * enum ndm_answer - what the latest question found
 * @NDM_ANSWER_NONE:   nothing is known, or it is too old
 * @NDM_ANSWER_CHANCE: sending less did not change the share of losses
 * @NDM_ANSWER_OWN:    it did, or they have become more since they were chance
 */
enum ndm_answer {
	NDM_ANSWER_NONE,
	NDM_ANSWER_CHANCE,
	NDM_ANSWER_OWN,
};

/**
 * enum ndm_asking - where a question has got to
 * @NDM_ASKING_NOT:   no question
 * @NDM_ASKING_WAIT:  what is lost now was sent before the cut
 * @NDM_ASKING_COUNT: losses are counted
 */
enum ndm_asking {
	NDM_ASKING_NOT,
	NDM_ASKING_WAIT,
	NDM_ASKING_COUNT,
};

/**
 * struct ndm_question - losses of a connection
 * @share:     share of packets lost, of the latest complete count, of 2^NDM_SHARE_SHIFT
 * @pkts:      packets delivered in this count, 0..65535
 * @chance:    share that sending less did not change, of 2^NDM_CHANCE_SHIFT
 * @lost_seen: tp->lost at the latest ACK, low 16 bits
 * @losses:    losses in this count, 0..63
 * @answer:    enum ndm_answer
 * @recent:    losses of this round, not yet in @losses, 0..16383
 * @asking:    enum ndm_asking
 * @rounds:    so many are left of the validity of @answer, or of the present step of a question
 *
 * Up to NDM_BURST_PKTS that one ACK tells of are one loss. @pkts and @losses are halved together
 * where one is full. A count ends with its losses, not with its packets: so an estimate is as good
 * with few packets in flight as with many.
 */
struct ndm_question {
	u16 share;
	u16 pkts;
	u16 lost_seen;
	u8 chance;
	u8 losses : 6;
	u8 answer : 2;
	u16 recent : 14;
	u16 asking : 2;
	u8 rounds;
} __packed;

/* Nothing is known of losses. @lost: tp->lost. */
void ndm_question_forget(struct ndm_question *q, u32 lost);

/* Call it with each ACK. @lost: tp->lost. */
void ndm_question_ack(struct ndm_question *q, u32 lost);

/* End a question without an answer. */
void ndm_question_stop(struct ndm_question *q);

/* What was lost in this round was not, and cwnd is back: no question goes on. @lost: tp->lost. */
void ndm_question_undo(struct ndm_question *q, u32 lost);

/* A round ended in which @delivered packets arrived. */
void ndm_question_round(struct ndm_question *q, u32 delivered);

/* Nothing is known, and more is lost than a cut does without: the next cut should ask. */
bool ndm_question_due(const struct ndm_question *q);

/* A cut was made: ask with it. */
void ndm_question_ask(struct ndm_question *q);

/* More than 1/40 was lost: a queue may be full all the time. */
bool ndm_question_some(const struct ndm_question *q);

/* More than a sixth was lost: even amid reordering, when some are spurious, that is congestion. */
bool ndm_question_many(const struct ndm_question *q);

#endif
