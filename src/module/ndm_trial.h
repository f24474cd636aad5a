/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Asks the path whether losses are chance. Experimental; the parameter `trials` enables it.
 *
 * If the sender causes the losses, fewer of its packets are lost while cwnd is smaller,
 * and more while it rises again. Chance takes the same share of all. A trial is six
 * rounds: cwnd falls by a fifth, stays there for two, rises again, stays there for two.
 * The losses of each round count as evidence for chance or against it, and the evidence
 * raises or lowers the bound on cwnd (NDM_BOUND).
 *
 * Losses of a round are found in the next one.
 */
#ifndef NDM_TRIAL_H
#define NDM_TRIAL_H

#include "ndm_v5.h"

/* The rounds of a trial; the order is that of time. */
enum ndm_phase {
	NDM_NO_TRIAL,
	NDM_FALL,	/* cwnd has been reduced by a fifth; the flight follows */
	NDM_LOW,
	NDM_LOW_AGAIN,
	NDM_RISE,	/* cwnd grows by a packet for each four acknowledged */
	NDM_HIGH,
	NDM_HIGH_AGAIN,
};

/* A round ended in which @lost packets were found lost; @cwnd: see ndm_v5_cwnd(). */
void ndm_trial_round(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 lost);

/*
 * Call it with each ACK of @acked packets outside of a recovery: cwnd rises again when it
 * is time, and after a trial that was given up. True when it does: no other growth then.
 */
bool ndm_trial_acked(struct sock *sk, struct ndm_v5 *v, u32 acked);

/* The same for each ACK of a recovery that keeps cwnd. */
void ndm_trial_recovered(struct sock *sk, struct ndm_v5 *v);

/*
 * Congestion was found, and cwnd becomes @cwnd: the trial ends, without a result, and the
 * bound becomes twice @cwnd at most.
 */
void ndm_trial_stop(struct ndm_v5 *v, u32 cwnd);

/* Largest cwnd that the losses allow, packets; ndm_losses_bound(), changed by the evidence. */
u32 ndm_trial_bound(const struct ndm_v5 *v);

/* Trials have shown that losses are chance. */
bool ndm_trial_chance(const struct ndm_v5 *v);

/* cwnd is smaller in this round of a trial. */
static inline bool ndm_trial_low(const struct ndm_v5 *v)
{
	return v->phase >= NDM_FALL && v->phase <= NDM_LOW_AGAIN;
}

/* The growth of CUBIC pauses in this round of a trial. */
static inline bool ndm_trial_still(const struct ndm_v5 *v)
{
	return v->phase >= NDM_FALL && v->phase <= NDM_RISE;
}

#endif
