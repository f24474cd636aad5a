// SPDX-License-Identifier: GPL-2.0
/*
 * ndm_cc: gives the new TCP connections of a cgroup a congestion control.
 *
 * Each loaded instance is for one algorithm, whose name is in its map. The policy
 * of a cgroup is the instance attached to it (BPF_F_ALLOW_MULTI, so that other
 * programs can be attached as well).
 *
 * The kernel runs the program of the nearest cgroup first and that of the root
 * last, and the last one would win. So each program reads icsk_ca_setsockopt,
 * which the kernel sets on every explicit choice, and leaves such a socket alone:
 * the nearest cgroup wins, and the application's own setsockopt() wins over all
 * cgroups.
 *
 * The place of that bit differs between kernels; BTF describes it. Without BTF,
 * NDM_CC_PLAIN is used, which cannot read it: there the cgroup nearest to the root
 * wins, also over the application.
 *
 * Why these two events: TCP_CONNECT comes before the SYN, so that an algorithm
 * that needs ECN can still negotiate it. PASSIVE_ESTABLISHED is the first one of
 * an accepted connection. TCP_LISTEN would write the choice into the listener,
 * whose later connections would keep it after the policy is gone.
 */
#include <linux/bpf.h>
#include <linux/errno.h>
#include <linux/in.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "kernel.h"

/* Counters of the choices, by result. */
enum outcome {
	SET,			/* the connection has the algorithm */
	NOT_REGISTERED,		/* its module is not loaded */
	NOT_PERMITTED,		/* a route fixes another one (congctl lock) */
	FAILED,			/* anything else */
	OUTCOMES,
};

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, struct ca_name);
} ndm_cc_name SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, OUTCOMES);
	__type(key, __u32);
	__type(value, __u64);
} ndm_cc_count SEC(".maps");

#ifdef NDM_CC_PLAIN

static __always_inline int has_chosen(struct bpf_sock_ops *ctx)
{
	return 0;
}

#else

static __always_inline int has_chosen(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *sk = ctx->sk;
	struct tcp_sock *tp;

	if (!sk)
		return 1;
	tp = bpf_skc_to_tcp_sock(sk);
	return !tp || BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_setsockopt);
}

#endif

static __always_inline void count(int error)
{
	__u32 outcome;
	__u64 *counter;

	switch (error) {
	case 0:
		outcome = SET;
		break;
	case -ENOENT:
		outcome = NOT_REGISTERED;
		break;
	case -EPERM:
		outcome = NOT_PERMITTED;
		break;
	default:
		outcome = FAILED;
	}
	counter = bpf_map_lookup_elem(&ndm_cc_count, &outcome);
	if (counter)
		__sync_fetch_and_add(counter, 1);
}

/* 1 lets the next programs run. */
SEC("sockops")
int ndm_cc(struct bpf_sock_ops *ctx)
{
	struct ca_name *name;
	__u32 first = 0;

	if (ctx->op != BPF_SOCK_OPS_TCP_CONNECT_CB &&
	    ctx->op != BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB)
		return 1;
	name = bpf_map_lookup_elem(&ndm_cc_name, &first);
	if (!name || !name->text[0] || has_chosen(ctx))
		return 1;
	count(bpf_setsockopt(ctx, IPPROTO_TCP, TCP_CONGESTION, name->text, sizeof(name->text)));
	return 1;
}

char _license[] SEC("license") = "GPL";
