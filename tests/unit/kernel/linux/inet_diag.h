/* SPDX-License-Identifier: GPL-2.0 */
/* What ss(8) asks for: the numbers are those of the kernel's interface. */
#ifndef MODEL_LINUX_INET_DIAG_H
#define MODEL_LINUX_INET_DIAG_H

#include <linux/types.h>

#define INET_DIAG_VEGASINFO 3
#define INET_DIAG_DCTCPINFO 9

struct tcp_dctcp_info {
	u16 dctcp_enabled;
	u16 dctcp_ce_state;
	u32 dctcp_alpha;
	u32 dctcp_ab_ecn;
	u32 dctcp_ab_tot;
};

union tcp_cc_info {
	struct tcp_dctcp_info dctcp;
};

#endif
