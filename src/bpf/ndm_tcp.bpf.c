// SPDX-License-Identifier: GPL-2.0
/*
 * The algorithms of src/module as BPF, for hosts that refuse modules, from the same source. include/ stands for the
 * kernel's headers. Each object registers one name:
 *
 *   NAME       ndm, ndm_v1, ndm_v4 or ndm_v5
 *   ALGORITHM  what that is in enum ndm_algorithm
 *   VARIANT    what it computes, also of that enum
 *
 * So a kernel whose verifier refuses one has the others, and "ndm" is one of three objects.
 *
 * BPF does not reach RACK: so v5 does nothing about reordering, as the module with rack_assist=0. Nor may it write
 * prior_cwnd, so that cwnd does not grow in a recovery that keeps it. The parameters are the
 * map .data.tuning; whoever writes it checks their ranges.
 */
#include <net/tcp.h>

#include "../module/algorithm.h"
#include "../module/stats.h"

#define NETWORKS_MAX 128	/* network namespaces that are counted; those unused for longest are forgotten. 31 KB a CPU */

struct counters {
	u64 value[NDM_COUNTERS];
};

/*
 * By the inode number of the network namespace. Of rows of u64 and without type information, as ndm_count's. A hidden
 * map is a static one to libbpf since 1.2, and refused.
 */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_PERCPU_HASH);
	__uint(max_entries, NETWORKS_MAX);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct counters));
} ndm_counters SEC(".maps") __attribute__((visibility("default")));

static const struct counters no_counters;

void ndm_count(const struct net *net, enum ndm_counter counter, long by)
{
	u32 netns = net->ns.inum;
	struct counters *counters = bpf_map_lookup_elem(&ndm_counters, &netns);

	if (!counters) {
		bpf_map_update_elem(&ndm_counters, &netns, &no_counters, BPF_NOEXIST);
		counters = bpf_map_lookup_elem(&ndm_counters, &netns);
	}
	if (counters && counter < NDM_COUNTERS)
		__sync_fetch_and_add(&counters->value[counter], by);
}

#include "algorithms.h"

#if VARIANT == 3	/* NDM_ALGORITHM_V5 */
#define FUNCTION(suffix) ndm_v5_##suffix
#else
#define FUNCTION(suffix) ndm_flow_##suffix
#endif

_Static_assert(NDM_ALGORITHM_V5 == 3, "VARIANT is compared with it");

SEC("struct_ops") void BPF_PROG(init, struct sock *sk)
{
	ndm_begin(sk, ALGORITHM);
}

SEC("struct_ops") void BPF_PROG(release, struct sock *sk)
{
	ndm_release(sk);
}

SEC("struct_ops") void BPF_PROG(pkts_acked, struct sock *sk, const struct ack_sample *sample)
{
	FUNCTION(pkts_acked)(sk, sample);
}

SEC("struct_ops") void BPF_PROG(cong_avoid, struct sock *sk, u32 ack, u32 acked)
{
	FUNCTION(cong_avoid)(sk, ack, acked);
}

SEC("struct_ops") u32 BPF_PROG(ssthresh, struct sock *sk)
{
	return FUNCTION(ssthresh)(sk);
}

SEC("struct_ops") void BPF_PROG(set_state, struct sock *sk, u8 new_state)
{
	FUNCTION(set_state)(sk, new_state);
}

SEC("struct_ops") u32 BPF_PROG(undo_cwnd, struct sock *sk)
{
	return FUNCTION(undo_cwnd)(sk);
}

#if VARIANT == 3
SEC("struct_ops") u32 BPF_PROG(sndbuf_expand, struct sock *sk)
{
	return ndm_v5_sndbuf_expand(sk);
}
#else
SEC("struct_ops") void BPF_PROG(cwnd_event, struct sock *sk, enum tcp_ca_event event)
{
	ndm_flow_cwnd_event(sk, event);
}
#endif

#define TEXT(name) #name
#define NAME_OF(name) TEXT(name)

SEC(".struct_ops") struct tcp_congestion_ops NAME = {
	.name = NAME_OF(NAME),
	.flags = TCP_CONG_NON_RESTRICTED,
	.init = (void *)init,
	.release = (void *)release,
	.pkts_acked = (void *)pkts_acked,
	.cong_avoid = (void *)cong_avoid,
	.ssthresh = (void *)ssthresh,
	.set_state = (void *)set_state,
	.undo_cwnd = (void *)undo_cwnd,
#if VARIANT == 3
	.sndbuf_expand = (void *)sndbuf_expand,
#else
	.cwnd_event = (void *)cwnd_event,
#endif
};

char _license[] SEC("license") = "GPL";
