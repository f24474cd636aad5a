// SPDX-License-Identifier: GPL-2.0
/*
 * /proc/net/tcp_ndm: lines `name value` in a fixed order. Counters are per CPU
 * and per network namespace: counting takes no lock, and the cost of reading does
 * not depend on the number of connections. They wrap as unsigned long does.
 */
#include <linux/percpu.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/seq_file_net.h>
#include <net/net_namespace.h>
#include <net/netns/generic.h>

#include "params.h"
#include "stats.h"

#define NDM_PROC_NAME "tcp_ndm"
#define NDM_PROC_SCHEMA 1	/* changes only when the meaning of a line does */

struct ndm_counters {
	unsigned long value[NDM_COUNTERS];
};

/**
 * struct ndm_net - what the module keeps for one network namespace
 * @counters: one set per CPU
 * @counting: @counters until the namespace begins to end, then NULL
 *
 * A kernel connection without a reference to its namespace (an RPC client, RDS)
 * may still receive packets while the namespace ends. So @counters are freed only
 * when no reader of @counting can be left.
 */
struct ndm_net {
	struct ndm_counters __percpu *counters;
	struct ndm_counters __percpu *counting;
};

static unsigned int ndm_net_id;

static const char *const ndm_counter_names[NDM_COUNTERS] = {
	[NDM_SOCKETS + NDM_ALGORITHM_CHOSEN] = "sockets_ndm",
	[NDM_SOCKETS + NDM_ALGORITHM_V1] = "sockets_ndm_v1",
	[NDM_SOCKETS + NDM_ALGORITHM_V4] = "sockets_ndm_v4",
	[NDM_SOCKETS + NDM_ALGORITHM_V5] = "sockets_ndm_v5",
	[NDM_ACKS] = "acks",
	[NDM_UPDATES] = "updates",
	[NDM_REDUCTIONS] = "reductions",
	[NDM_UNDOS] = "undos",
	[NDM_SLOW_START_EXITS] = "slow_start_exits",
	[NDM_LOSSES + NDM_NO_DATA] = "loss_nodata",
	[NDM_LOSSES + NDM_CONGESTION] = "loss_congestion",
	[NDM_LOSSES + NDM_NOISE] = "loss_noise",
	[NDM_LOSSES + NDM_QUEUE] = "loss_queue",
	[NDM_LOSSES + NDM_OWN] = "loss_own",
	[NDM_LOSSES + NDM_LOSS_SHARE] = "loss_share",
	[NDM_LOSSES + NDM_PLATEAU] = "loss_plateau",
	[NDM_LOSSES + NDM_BOUND] = "loss_bound",
	[NDM_ECN_REDUCTIONS] = "ecn_reductions",
	[NDM_RTOS] = "rtos",
	[NDM_ENTROPY + 0] = "entropy_0",
	[NDM_ENTROPY + 1] = "entropy_1",
	[NDM_ENTROPY + 2] = "entropy_2",
	[NDM_ENTROPY + 3] = "entropy_3",
	[NDM_ENTROPY + 4] = "entropy_4",
	[NDM_ENTROPY + 5] = "entropy_5",
	[NDM_ENTROPY + 6] = "entropy_6",
	[NDM_ENTROPY + 7] = "entropy_7",
	[NDM_ENTROPY + 8] = "entropy_8",
	[NDM_ENTROPY + 9] = "entropy_9",
	[NDM_QUEUE_OWN] = "queue_own",
	[NDM_QUEUE_OTHERS] = "queue_others",
};

void ndm_count(const struct net *net, enum ndm_counter counter, long by)
{
	const struct ndm_net *ndm = net_generic(net, ndm_net_id);
	struct ndm_counters __percpu *counters;

	rcu_read_lock();
	counters = READ_ONCE(ndm->counting);
	if (counters)
		this_cpu_add(counters->value[counter], by);
	rcu_read_unlock();
}

static unsigned long ndm_counter_sum(const struct ndm_net *ndm, int counter)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(per_cpu_ptr(ndm->counters, cpu)->value[counter]);
	return sum;
}

static int ndm_proc_show(struct seq_file *seq, void *unused)
{
	const struct ndm_net *ndm = net_generic(seq_file_single_net(seq),
						ndm_net_id);
	int i;

	seq_printf(seq, "schema %d\n", NDM_PROC_SCHEMA);
	seq_printf(seq, "version %s\n", NDM_VERSION);
	seq_printf(seq, "variant %s\n", ndm_chosen_name());
	for (i = 0; i < NDM_COUNTERS; i++)
		seq_printf(seq, "%s %lu\n", ndm_counter_names[i],
			   ndm_counter_sum(ndm, i));
	return 0;
}

static int __net_init ndm_net_init(struct net *net)
{
	struct ndm_net *ndm = net_generic(net, ndm_net_id);

	ndm->counters = alloc_percpu(struct ndm_counters);
	if (!ndm->counters)
		return -ENOMEM;
	if (!proc_create_net_single(NDM_PROC_NAME, 0444, net->proc_net,
				    ndm_proc_show, NULL)) {
		free_percpu(ndm->counters);
		return -ENOMEM;
	}
	WRITE_ONCE(ndm->counting, ndm->counters);
	return 0;
}

/* Between this and ndm_net_exit() the kernel waits for an RCU grace period. */
static void __net_exit ndm_net_pre_exit(struct net *net)
{
	struct ndm_net *ndm = net_generic(net, ndm_net_id);

	WRITE_ONCE(ndm->counting, NULL);
}

static void __net_exit ndm_net_exit(struct net *net)
{
	struct ndm_net *ndm = net_generic(net, ndm_net_id);

	remove_proc_entry(NDM_PROC_NAME, net->proc_net);
	free_percpu(ndm->counters);
}

static struct pernet_operations ndm_net_ops = {
	.init = ndm_net_init,
	.pre_exit = ndm_net_pre_exit,
	.exit = ndm_net_exit,
	.id = &ndm_net_id,
	.size = sizeof(struct ndm_net),
};

int ndm_stats_init(void)
{
	return register_pernet_subsys(&ndm_net_ops);
}

void ndm_stats_exit(void)
{
	unregister_pernet_subsys(&ndm_net_ops);
}
