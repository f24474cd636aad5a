/* SPDX-License-Identifier: GPL-2.0 */
/* Counters per network namespace, shown in /proc/net/tcp_ndm. */
#ifndef NDM_STATS_H
#define NDM_STATS_H

#include <net/net_namespace.h>

#include "ndm.h"

#define NDM_ENTROPY_BINS 10

/* The order is that of the lines in /proc/net/tcp_ndm: append only. */
enum ndm_counter {
	NDM_SOCKETS,		/* connections now, one per algorithm */
	NDM_ACKS = NDM_SOCKETS + NDM_ALGORITHMS,
	NDM_UPDATES,		/* recomputations of entropy and growth; v5: rounds */
	NDM_REDUCTIONS,		/* reductions of ssthresh, for any reason */
	NDM_UNDOS,		/* reductions undone as spurious */
	NDM_SLOW_START_EXITS,
	NDM_LOSSES,		/* loss events, ECN and RTOs by enum ndm_verdict */
	NDM_ECN_REDUCTIONS = NDM_LOSSES + NDM_ECN,
	NDM_RTOS = NDM_LOSSES + NDM_TIMEOUT,
	NDM_ENTROPY = NDM_LOSSES + NDM_VERDICTS, /* updates, by entropy in bins of 100 */
	NDM_QUEUE_OWN = NDM_ENTROPY + NDM_ENTROPY_BINS, /* tests that found no other in a queue */
	NDM_QUEUE_OTHERS,	/* tests that found others */
	NDM_COUNTERS
};

/* Add @by to @counter in @net. Any context; reentrant on one CPU. */
void ndm_count(const struct net *net, enum ndm_counter counter, long by);

/* Returns 0 or a negative errno; a failure leaves nothing registered. */
int ndm_stats_init(void);
void ndm_stats_exit(void);

#endif
