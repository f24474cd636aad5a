// SPDX-License-Identifier: GPL-2.0
/*
 * NDM-TCP: congestion control for paths with random loss, jitter or reordering.
 * Registers ndm, ndm_v1, ndm_v4 and ndm_v5. v1 and v4 are described in
 * v1_v4/callbacks.c, v5 in v5/README.md.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/inet_diag.h>
#include <linux/module.h>
#include <net/tcp.h>

#include "algorithm.h"
#include "params.h"
#include "stats.h"
#include "v1_v4/callbacks.h"
#include "v1_v4/flow.h"
#include "v5/v5.h"

static struct tcp_congestion_ops ndm_ops[NDM_ALGORITHMS];

static void ndm_init(struct sock *sk)
{
	ndm_begin(sk, inet_csk(sk)->icsk_ca_ops - ndm_ops);
}

/*
 * The state is shown in the DCTCP attribute, because ss(8) prints no field of the
 * Vegas one; the same bit requests both. ce_state is enum ndm_verdict, alpha the
 * entropy, ab_ecn the growth, ab_tot the plasticity or the share of losses of v5.
 */
static size_t ndm_get_info(struct sock *sk, u32 ext, int *attr,
			   union tcp_cc_info *info)
{
	if (!(ext & (1 << (INET_DIAG_VEGASINFO - 1))))
		return 0;
	memset(&info->dctcp, 0, sizeof(info->dctcp));
	info->dctcp.dctcp_enabled = 1;
	/*
	 * inet_diag and getsockopt() ask without the lock of the socket, also while
	 * another algorithm takes the state. To show, whatever is there will do; what
	 * is divided by is read once.
	 */
	ndm_info(sk, &info->dctcp);
	*attr = INET_DIAG_DCTCPINFO;
	return sizeof(info->dctcp);
}

/* Not restricted, so that containers and unprivileged programs can select it. */
static struct tcp_congestion_ops ndm_ops[NDM_ALGORITHMS] __read_mostly = {
	[NDM_ALGORITHM_CHOSEN] = {
		.name = "ndm",
		.owner = THIS_MODULE,
		.flags = TCP_CONG_NON_RESTRICTED,
		.init = ndm_init,
		.release = ndm_release,
		.pkts_acked = ndm_chosen_pkts_acked,
		.cong_avoid = ndm_chosen_cong_avoid,
		.ssthresh = ndm_chosen_ssthresh,
		.set_state = ndm_chosen_set_state,
		.undo_cwnd = ndm_chosen_undo_cwnd,
		.cwnd_event = ndm_chosen_cwnd_event,
		.sndbuf_expand = ndm_chosen_sndbuf_expand,
		.get_info = ndm_get_info,
	},
	[NDM_ALGORITHM_V1] = {
		.name = "ndm_v1",
		.owner = THIS_MODULE,
		.flags = TCP_CONG_NON_RESTRICTED,
		.init = ndm_init,
		.release = ndm_release,
		.pkts_acked = ndm_flow_pkts_acked,
		.cong_avoid = ndm_flow_cong_avoid,
		.ssthresh = ndm_flow_ssthresh,
		.set_state = ndm_flow_set_state,
		.undo_cwnd = ndm_flow_undo_cwnd,
		.cwnd_event = ndm_flow_cwnd_event,
		.get_info = ndm_get_info,
	},
	[NDM_ALGORITHM_V4] = {
		.name = "ndm_v4",
		.owner = THIS_MODULE,
		.flags = TCP_CONG_NON_RESTRICTED,
		.init = ndm_init,
		.release = ndm_release,
		.pkts_acked = ndm_flow_pkts_acked,
		.cong_avoid = ndm_flow_cong_avoid,
		.ssthresh = ndm_flow_ssthresh,
		.set_state = ndm_flow_set_state,
		.undo_cwnd = ndm_flow_undo_cwnd,
		.cwnd_event = ndm_flow_cwnd_event,
		.get_info = ndm_get_info,
	},
	[NDM_ALGORITHM_V5] = {
		.name = "ndm_v5",
		.owner = THIS_MODULE,
		.flags = TCP_CONG_NON_RESTRICTED,
		.init = ndm_init,
		.release = ndm_release,
		.pkts_acked = ndm_v5_pkts_acked,
		.cong_avoid = ndm_v5_cong_avoid,
		.ssthresh = ndm_v5_ssthresh,
		.set_state = ndm_v5_set_state,
		.undo_cwnd = ndm_v5_undo_cwnd,
		.sndbuf_expand = ndm_v5_sndbuf_expand,
		.get_info = ndm_get_info,
	},
};

static void ndm_unregister_first(int algorithms)
{
	while (algorithms-- > 0)
		if (algorithms != NDM_ALGORITHM_V5 || ndm_v5_fits())
			tcp_unregister_congestion_control(&ndm_ops[algorithms]);
}

static int __init ndm_register(void)
{
	int i, err;

	BUILD_BUG_ON(sizeof(struct ndm_flow) > ICSK_CA_PRIV_SIZE);

	err = ndm_stats_init();
	if (err)
		return err;
	for (i = 0; i < NDM_ALGORITHMS; i++) {
		if (i == NDM_ALGORITHM_V5 && !ndm_v5_fits()) {
			pr_info("this kernel has too little state for ndm_v5\n");
			continue;
		}
		err = tcp_register_congestion_control(&ndm_ops[i]);
		if (err)
			goto err_unregister;
	}
	pr_info("version %s, ndm is %s\n", NDM_VERSION, ndm_chosen_name());
	return 0;

err_unregister:
	ndm_unregister_first(i);
	ndm_stats_exit();
	return err;
}

static void __exit ndm_unregister(void)
{
	ndm_unregister_first(NDM_ALGORITHMS);
	ndm_stats_exit();
}

module_init(ndm_register);
module_exit(ndm_unregister);

MODULE_AUTHOR("The ndm-tcp developers");
MODULE_LICENSE("GPL v2");
MODULE_DESCRIPTION("NDM-TCP congestion control: stability first");
MODULE_VERSION(NDM_VERSION);
/* The kernel requests tcp_NAME when NAME is selected and not registered. */
MODULE_ALIAS("tcp_ndm_v1");
MODULE_ALIAS("tcp_ndm_v4");
MODULE_ALIAS("tcp_ndm_v5");
