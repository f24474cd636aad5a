/* SPDX-License-Identifier: GPL-2.0 */
/* Counters per network namespace, shown in /proc/net/tcp_ndm. */
#ifndef NDM_STATS_H
#define NDM_STATS_H

#include <net/net_namespace.h>

#include "ndm_flow.h"

/* Names that the module registers; also struct ndm_flow.algorithm. */
enum ndm_algorithm {
	NDM_ALGORITHM_CHOSEN,	/* "ndm": the variant of the parameter */
	NDM_ALGORITHM_V1,
	NDM_ALGORITHM_V4,
	NDM_ALGORITHMS_FIRST,	/* these had their lines first */
	NDM_ALGORITHM_V5 = NDM_ALGORITHMS_FIRST,
	NDM_ALGORITHMS
};

#define NDM_ENTROPY_BINS 10

/* The order is that of the lines in /proc/net/tcp_ndm: append only. */
enum ndm_counter {
	NDM_SOCKETS,		/* connections now, one per algorithm */
	NDM_ACKS = NDM_SOCKETS + NDM_ALGORITHMS_FIRST,
	NDM_UPDATES,		/* recomputations of entropy and growth */
	NDM_LOSS_NOISE,		/* loss events by verdict */
	NDM_LOSS_CONGESTION,
	NDM_LOSS_NODATA,
	NDM_REDUCTIONS,		/* cuts of ssthresh, whatever the cause */
	NDM_RTOS,		/* retransmission timeouts */
	NDM_UNDOS,		/* cuts taken back as spurious */
	NDM_ECN_REDUCTIONS,	/* cuts asked for by ECN-Echo or a local queue */
	NDM_SLOW_START_EXITS,
	NDM_ENTROPY,		/* updates by entropy, NDM_ENTROPY_BINS of 100 */
	NDM_SOCKETS_V5 = NDM_ENTROPY + NDM_ENTROPY_BINS,
	NDM_COUNTERS
};

/* The gauge of connections of an algorithm; those that came later stand last. */
static inline enum ndm_counter ndm_sockets_counter(enum ndm_algorithm algorithm)
{
	return algorithm == NDM_ALGORITHM_V5 ? NDM_SOCKETS_V5 :
					       NDM_SOCKETS + algorithm;
}

/* Add @by to @counter in @net. Any context; safe against itself on one CPU. */
void ndm_count(const struct net *net, enum ndm_counter counter, long by);

/* Returns 0 or a negative errno; nothing is left behind on failure. */
int ndm_stats_init(void);
void ndm_stats_exit(void);

#endif
