/* SPDX-License-Identifier: GPL-2.0 */
/* Variant v5 as the kernel sees it. */
#ifndef NDM_V5_OPS_H
#define NDM_V5_OPS_H

#include <net/tcp.h>

/* "ndm_v5", to be registered. */
extern struct tcp_congestion_ops ndm_v5_ops;

/*
 * "ndm" for connections that begin while the parameter `variant` is v5; never
 * registered, their init() puts it in place.
 */
extern struct tcp_congestion_ops ndm_v5_chosen_ops;

#endif
