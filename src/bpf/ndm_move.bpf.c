// SPDX-License-Identifier: GPL-2.0
/*
 * ndm_move: gives open TCP connections the algorithm of their cgroup's policy.
 *
 * An iterator over the TCP sockets of the reader's network namespace; reading the
 * pinned file runs it. It moves a connection when both conditions hold:
 *
 *   - The nearest cgroup with a policy, from its own up to the root, is the one
 *     whose policy is applied. Cgroups without a policy are not in the map.
 *   - Nobody has chosen an algorithm for it, or it has the one that the previous
 *     policy gave it. The choice of an application stays.
 *
 * Listeners are left out: a choice in a listener would outlive the policy.
 * It prints one line per connection: "0" when moved, else the error number.
 */
#include <linux/bpf.h>
#include <linux/in.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "kernel.h"

#define CGROUP_DEPTH_MAX 64	/* far deeper than systemd or a container engine nest */
#define POLICIES_MAX 4096
#define TCP_LISTEN 10

struct order {
	struct ca_name to;	/* what the connections get */
	struct ca_name from;	/* what the previous policy gave them */
};

/* The cgroups with a policy, by id, which is the inode of the directory. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, POLICIES_MAX);
	__type(key, __u64);
	__type(value, struct order);
} ndm_move_order SEC(".maps");

/* The policy of the nearest cgroup that has one. */
static __always_inline struct order *find_order(struct tcp_sock *tp)
{
	struct cgroup *cgroup = tp->inet_conn.icsk_inet.sk.sk_cgrp_data.cgroup;
	struct cgroup_subsys_state *parent;
	struct order *order;
	__u64 id;
	int i;

	for (i = 0; i < CGROUP_DEPTH_MAX && cgroup; i++) {
		id = BPF_CORE_READ(cgroup, kn, id);
		order = bpf_map_lookup_elem(&ndm_move_order, &id);
		if (order)
			return order;
		parent = BPF_CORE_READ(cgroup, self.parent);
		if (!parent)
			return NULL;
		cgroup = BPF_CORE_READ(parent, cgroup);
	}
	return NULL;
}

static __always_inline int is_same(const char *a, const char *b)
{
	int i;

	for (i = 0; i < CA_NAME_MAX; i++) {
		if (a[i] != b[i])
			return 0;
		if (!a[i])
			return 1;
	}
	return 1;
}

SEC("iter/tcp")
int ndm_move(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	struct ca_name present = {};
	struct order *order;
	struct tcp_sock *tp;
	long error;

	if (!common || common->skc_state == TCP_LISTEN)
		return 0;
	tp = bpf_skc_to_tcp_sock(common);
	if (!tp)
		return 0;
	order = find_order(tp);
	if (!order || !order->to.text[0])
		return 0;
	BPF_CORE_READ_STR_INTO(&present.text, tp, inet_conn.icsk_ca_ops, name);
	if (is_same(present.text, order->to.text))
		return 0;
	if (BPF_CORE_READ_BITFIELD(&tp->inet_conn, icsk_ca_setsockopt) &&
	    !is_same(present.text, order->from.text))
		return 0;
	error = bpf_setsockopt(tp, IPPROTO_TCP, TCP_CONGESTION, order->to.text, sizeof(order->to.text));
	BPF_SEQ_PRINTF(ctx->meta->seq, "%d\n", (int)-error);
	return 0;
}

char _license[] SEC("license") = "GPL";
