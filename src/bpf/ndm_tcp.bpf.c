// SPDX-License-Identifier: GPL-2.0
/*
 * The algorithms of src/module as BPF, for hosts that refuse modules: ndm, ndm_v1, ndm_v4 and ndm_v5, from
 * the same source. include/ stands for the kernel's headers.
 *
 * BPF does not reach RACK: so v5 does nothing about reordering, as the module with rack_assist=0. The parameters are
 * the variables ndm_chosen and ndm_tuning; whoever writes them checks their ranges.
 */
#include <net/tcp.h>

#include "../module/algorithm.h"
#include "../module/stats.h"

#define NETWORKS_MAX 1024	/* network namespaces that are counted; those unused for longest are forgotten */

struct counters {
	u64 value[NDM_COUNTERS];
};

/* By the inode number of the network namespace. Of rows of u64 and without type information, as ndm_count's. */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_PERCPU_HASH);
	__uint(max_entries, NETWORKS_MAX);
	__uint(key_size, sizeof(u32));
	__uint(value_size, sizeof(struct counters));
} ndm_counters SEC(".maps");

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

#include "../module/algorithm.c"
#include "../module/tuning.c"
#include "../module/v1_v4/entropy.c"

/* The verifier follows a global function once, by itself: of all that v1 and v4 do, its loops have the most paths. */
__attribute__((noinline, visibility("default"))) u32 ndm_entropy_alone(struct ndm_history *history, u32 min_rtt_us)
{
	return history ? ndm_entropy(history, min_rtt_us) : 0;
}

#define ndm_entropy(history, min_rtt_us) ({ struct ndm_history of = *(history); ndm_entropy_alone(&of, min_rtt_us); })

#include "../module/v1_v4/callbacks.c"
#include "../module/v1_v4/flow.c"
#include "../module/v1_v4/network.c"
#include "../module/v1_v4/variants.c"
#include "../module/v5/callbacks.c"
#include "../module/v5/judge.c"
#include "../module/v5/pace.c"
#include "../module/v5/growth.c"
#include "../module/v5/hold.c"
#include "../module/v5/queue_test.c"
#include "../module/v5/slow_start.c"
#include "../module/v5/rounds.c"
#include "../module/v5/losses.c"
#include "../module/v5/cubic.c"
#include "../module/v5/rack.c"

#define BEGINS(name, algorithm)							\
SEC("struct_ops") void BPF_PROG(init_##name, struct sock *sk)			\
{										\
	ndm_begin(sk, algorithm);						\
}

BEGINS(ndm, NDM_ALGORITHM_CHOSEN)
BEGINS(ndm_v1, NDM_ALGORITHM_V1)
BEGINS(ndm_v4, NDM_ALGORITHM_V4)
BEGINS(ndm_v5, NDM_ALGORITHM_V5)

SEC("struct_ops") void BPF_PROG(ndm_ends, struct sock *sk)
{
	ndm_release(sk);
}

/* The programs NAME_pkts_acked ... of the functions FUNCTIONS_pkts_acked ... */
#define PROGRAMS(name, functions)						\
SEC("struct_ops") void BPF_PROG(name##_pkts_acked, struct sock *sk, const struct ack_sample *sample)	\
{										\
	functions##_pkts_acked(sk, sample);					\
}										\
SEC("struct_ops") void BPF_PROG(name##_cong_avoid, struct sock *sk, u32 ack, u32 acked)	\
{										\
	functions##_cong_avoid(sk, ack, acked);					\
}										\
SEC("struct_ops") u32 BPF_PROG(name##_ssthresh, struct sock *sk)		\
{										\
	return functions##_ssthresh(sk);					\
}										\
SEC("struct_ops") void BPF_PROG(name##_set_state, struct sock *sk, u8 new_state)	\
{										\
	functions##_set_state(sk, new_state);					\
}										\
SEC("struct_ops") u32 BPF_PROG(name##_undo_cwnd, struct sock *sk)		\
{										\
	return functions##_undo_cwnd(sk);					\
}										\
SEC("struct_ops") void BPF_PROG(name##_cwnd_event, struct sock *sk, enum tcp_ca_event event)	\
{										\
	functions##_cwnd_event(sk, event);					\
}

PROGRAMS(ndm, ndm_chosen)
PROGRAMS(flow, ndm_flow)
PROGRAMS(v5, ndm_v5)

SEC("struct_ops") u32 BPF_PROG(ndm_sndbuf_expand, struct sock *sk)
{
	return ndm_chosen_sndbuf_expand(sk);
}

SEC("struct_ops") u32 BPF_PROG(v5_sndbuf_expand, struct sock *sk)
{
	return ndm_v5_sndbuf_expand(sk);
}

#define ALGORITHM(its_name, programs, ...)					\
SEC(".struct_ops") struct tcp_congestion_ops its_name = {			\
	.name = #its_name,							\
	.flags = TCP_CONG_NON_RESTRICTED,					\
	.init = (void *)init_##its_name,					\
	.release = (void *)ndm_ends,						\
	.pkts_acked = (void *)programs##_pkts_acked,				\
	.cong_avoid = (void *)programs##_cong_avoid,				\
	.ssthresh = (void *)programs##_ssthresh,				\
	.set_state = (void *)programs##_set_state,				\
	.undo_cwnd = (void *)programs##_undo_cwnd,				\
	.cwnd_event = (void *)programs##_cwnd_event,				\
	__VA_ARGS__								\
}

ALGORITHM(ndm, ndm, .sndbuf_expand = (void *)ndm_sndbuf_expand);
ALGORITHM(ndm_v1, flow);
ALGORITHM(ndm_v4, flow);
ALGORITHM(ndm_v5, v5, .sndbuf_expand = (void *)v5_sndbuf_expand);

char _license[] SEC("license") = "GPL";
