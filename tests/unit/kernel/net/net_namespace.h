/* SPDX-License-Identifier: GPL-2.0 */
/* A network namespace: the sysctls that matter here. */
#ifndef MODEL_NET_NAMESPACE_H
#define MODEL_NET_NAMESPACE_H

#include <linux/types.h>

struct net {
	struct {
		int sysctl_tcp_reordering;
		int sysctl_tcp_max_reordering;
		u8 sysctl_tcp_slow_start_after_idle;
		u8 sysctl_tcp_frto;
		u8 sysctl_tcp_recovery;
	} ipv4;
};

#endif
