/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the invariants share; invariants.h is what the model uses. */
#ifndef INVARIANTS_PARTS_H
#define INVARIANTS_PARTS_H

#include <string.h>

#include "../../src/module/v5/v5.h"
#include "claims.h"
#include "invariants.h"

/* What was seen of the present connection. */
extern struct watched {
	u64 digest;
	u64 sampled_us;		/* newest RTT sample, 0 is none */
	u32 reord_rounds;	/* rounds since then */
	u32 reord_seen;
	long rounds_start;	/* NDM_UPDATES at init */
	bool epoch_known;	/* there was an epoch when the latest round ended, and the next holds */
	s32 epoch_ticks;	/* how far growth was then */
	u64 grown, grown_of;	/* beyond slow start: packets, of so many acknowledged */
	bool reducing;		/* the following five hold */
	bool kept;		/* it began as noise */
	bool ended;		/* the reduction is over */
	u32 cwnd_before, delivered_before;
	u32 delivered_last, delivered_now;	/* by the ACK before, by this one */
	bool asking;		/* a question about a queue goes on, before the call */
	bool cut_known;		/* cwnd_before holds, for an undo */
	bool tail;		/* a tail loss probe repaired what ssthresh() is called for */
	bool network_said;	/* ECN or a full local queue since the latest ssthresh() */
} w;

static inline bool is_ours(const struct conn *c)
{
	return !strncmp(c->tp.inet_conn.icsk_ca_ops->name, "ndm", 3);
}

/* Only between init() and release(). */
static inline struct ndm_v5 *v5_of(struct conn *c)
{
	struct ndm_id *id = inet_csk_ca(model_sk(c));

	return is_ours(c) && id->counted && id->v5 ? inet_csk_ca(model_sk(c)) : NULL;
}

static inline bool asks_of_queue(const struct ndm_v5 *v)
{
	return v && v->question.asking == NDM_ASKING_QUEUE;
}

static inline void mix(u64 value)
{
	w.digest = (w.digest ^ value) * 0x100000001b3ULL;
}

u32 verdict_of(struct conn *c);

/* Fields that a call may change. */
enum {
	MAY_CWND = 1, MAY_SSTHRESH = 2, MAY_RACK_RTT = 4, MAY_PRR = 8, MAY_PRIOR_CWND = 16,
};

/* After @call, before which the socket was @was. */
void check(struct conn *c, const struct tcp_sock *was, u32 may, const char *call);

#endif
