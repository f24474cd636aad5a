/* SPDX-License-Identifier: GPL-2.0 */
/* Counters per network namespace, shown in /proc/net/tcp_ndm. */
#ifndef NDM_STATS_H
#define NDM_STATS_H

#include <net/net_namespace.h>

#include "ndm.h"

#define NDM_ENTROPY_BINS 10

enum ndm_counter {
#define NDM_COUNTER(id, name) NDM_##id,
#include "counters.h"
	NDM_COUNTERS
};

/* Add @by to @counter in @net. Any context; reentrant on one CPU. */
void ndm_count(const struct net *net, enum ndm_counter counter, long by);

/* Returns 0 or a negative errno; a failure leaves nothing registered. */
int ndm_stats_init(void);
void ndm_stats_exit(void);

#endif
