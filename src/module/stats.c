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
#define NDM_COUNTER(id, name) name,
#include "counters.h"
};

/* Some are found by what they count, so their lines are together and in its order. */
static_assert(NDM_SOCKETS + NDM_ALGORITHM_V5 == NDM_SOCKETS_V5);
static_assert(NDM_LOSSES + NDM_ECN == NDM_ECN_REDUCTIONS);
static_assert(NDM_LOSSES + NDM_TIMEOUT == NDM_RTOS);
static_assert(NDM_ENTROPY + NDM_ENTROPY_BINS - 1 == NDM_ENTROPY_9);

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
