/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs read of the kernel: only these members; BTF of the running kernel has the offsets. A program that reads
 * none of them needs no BTF.
 */
#ifndef NDM_BPF_KERNEL_H
#define NDM_BPF_KERNEL_H

#include <linux/types.h>

#define CA_NAME_MAX 16		/* TCP_CA_NAME_MAX, with the final NUL */

struct ca_name {
	char text[CA_NAME_MAX];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

struct tcp_congestion_ops {
	char name[CA_NAME_MAX];
};

struct kernfs_node {
	__u64 id;
};

struct cgroup;

struct cgroup_subsys_state {
	struct cgroup *cgroup;
	struct cgroup_subsys_state *parent;
};

struct cgroup {
	struct cgroup_subsys_state self;
	struct kernfs_node *kn;
};

struct sock_cgroup_data {
	struct cgroup *cgroup;
};

struct ns_common {
	unsigned int inum;
};

struct net {
	struct ns_common ns;
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	unsigned char skc_state;
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
	struct sock_cgroup_data sk_cgrp_data;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
	__u8 icsk_ca_setsockopt:1;
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 tcp_mstamp;	/* us, of the last packet or timer */
	__u64 bytes_acked;
	__u32 data_segs_out;
	__u32 total_retrans;
	__u32 dsack_dups;
	__u32 reord_seen;
	__u32 srtt_us;		/* eightfold */
	__u32 mdev_us;		/* fourfold */
	struct minmax rtt_min;	/* us; all bits set: no sample */
	__u32 mss_cache;
	__u32 rate_delivered;
	__u32 rate_interval_us;
};

struct seq_file;

struct bpf_iter_meta {
	struct seq_file *seq;
};

struct bpf_iter__tcp {
	struct bpf_iter_meta *meta;
	struct sock_common *sk_common;
};

#pragma clang attribute pop

#endif
