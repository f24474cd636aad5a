/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Trials of a larger cwnd. Experimental; the parameter `trials` enables them.
 *
 * If the sender causes the losses, a larger cwnd makes the path lose a larger share of its
 * packets; chance takes the same share of all. So v5 counts what is lost with the cwnd that
 * the losses allow (ndm_losses_bound()). Then it raises the bound to a third more than
 * cwnd, cwnd follows, and a trial compares: is the share still the same? If so, the next
 * trial begins, a third higher. If not, cwnd returns.
 *
 * Rivals that react to loss lose goodput only as far as their share of lost packets grows.
 * So each trial limits harm itself. It does not see what a small part of the load adds: many
 * senders with trials raise the share step by step.
 */
#ifndef NDM_TRIAL_H
#define NDM_TRIAL_H

#include "ndm_v5.h"

/* Largest cwnd of a trial, 16 bits; there a trial that runs no longer limits cwnd. */
#define NDM_TRIAL_MOST_PKTS 65535U

/*
 * A round of @n packets ended, of which @lost were lost; @cwnd: see ndm_v5_cwnd(). Without a
 * trial a burst, and the next round, say nothing.
 */
void ndm_trial_round(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 lost, u32 n);

/*
 * Congestion was found with a cwnd of @cwnd packets: the trial has failed. A queue limits
 * cwnd by itself, so it leaves 0.7 of @cwnd to the trial, if that is above the bound.
 * @after_queue: a timeout, of which a queue was the first verdict; that may have ended the
 * trial already, but it is a failure, if no trial has succeeded since the latest one.
 */
void ndm_trial_stop(struct ndm_v5 *v, u32 cwnd, bool after_queue);

/* A loss event; behind_early tells whether any packet behind it was in time. */
void ndm_trial_loss(struct ndm_v5 *v);

/* About half of the recent loss events were late: others fill a queue. */
bool ndm_trial_late(const struct ndm_v5 *v);

/* Begin the counts of the trial anew. */
void ndm_trial_restart(struct ndm_v5 *v);

/* Forget all trials. */
void ndm_trial_forget(struct ndm_v5 *v);

/* Largest cwnd that the losses and the trials allow, packets. */
u32 ndm_trial_bound(const struct ndm_v5 *v);

/* A trial is going on, or has succeeded. */
static inline bool ndm_trial_runs(const struct ndm_v5 *v)
{
	return v->trial_pkts;
}

#endif
