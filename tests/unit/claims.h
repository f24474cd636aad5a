/* SPDX-License-Identifier: GPL-2.0 */
/* The list of invariants, how often each was asked for and broken. */
#ifndef CLAIMS_H
#define CLAIMS_H

#include <linux/types.h>

enum invariant {
	CWND_RANGE, CWND_SANE, GROWTH_AVOIDANCE, GROWTH_START, GROWTH_SUM, GROWTH_NONE,
	GROWTH_RENO, SSTHRESH_FINITE, SSTHRESH_NOISE, SSTHRESH_CUT, SSTHRESH_RAISED,
	AFTER_CUT, AFTER_NOISE, CUT_ONCE, ECN_CUTS, ECN_TRUE, TIMEOUT_CUTS, MTU_IS_NO_LOSS,
	NOISE_FRESH, NOISE_RTT, REORDERING_FRESH, IDLE_EPOCH, RACK_WAIT, RACK_OFF, UNDO_CWND,
	ASKING_ENDS, GAUGES, CANARY, PRR_SHARE, FIELDS, INFO, CLAIM, INVARIANTS
};

/* Count @id as asked for; unless it @holds say so, with what @format tells. */
void hold(enum invariant id, bool holds, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* One did not hold since this was set to false. */
extern bool hold_broken;

#endif
