/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs read of the kernel: only these members; BTF of the running kernel has the offsets. A program that reads
 * none of them needs no BTF. Those below NDM_BPF are for the algorithms: in the object
 * of a policy they made a connection 1 % longer.
 */
#ifndef NDM_BPF_KERNEL_H
#define NDM_BPF_KERNEL_H

#include <linux/types.h>

#define CA_NAME_MAX 16		/* TCP_CA_NAME_MAX, with the final NUL */
#define CA_PRIV_SIZE 104	/* ICSK_CA_PRIV_SIZE, since Linux 4.1 */

struct ca_name {
	char text[CA_NAME_MAX];
};

#pragma clang attribute push(__attribute__((preserve_access_index)), apply_to = record)

#ifdef NDM_BPF
struct sock;

struct ack_sample {
	__u32 pkts_acked;
	__s32 rtt_us;
};

enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
};
#endif

struct tcp_congestion_ops {
	char name[CA_NAME_MAX];
#ifdef NDM_BPF
	__u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void (*cong_avoid)(struct sock *sk, __u32 ack, __u32 acked);
	__u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, __u8 new_state);
	__u32 (*undo_cwnd)(struct sock *sk);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	__u32 (*sndbuf_expand)(struct sock *sk);
#endif
};

struct ns_common {
	unsigned int inum;
};

#ifdef NDM_BPF
struct netns_ipv4 {
	int sysctl_tcp_reordering;	/* u8 in some kernels */
};
#endif

struct net {
	struct ns_common ns;
#ifdef NDM_BPF
	struct netns_ipv4 ipv4;
#endif
};

typedef struct {
	struct net *net;
} possible_net_t;

struct sock_common {
	possible_net_t skc_net;
};

struct sock {
	struct sock_common __sk_common;
};

struct inet_sock {
	struct sock sk;
};

struct inet_connection_sock {
	struct inet_sock icsk_inet;
	const struct tcp_congestion_ops *icsk_ca_ops;
#ifdef NDM_BPF
	__u8 icsk_ca_state:5;
#endif
	__u8 icsk_ca_setsockopt:1;
#ifdef NDM_BPF
	__u32 icsk_rto;		/* jiffies */
	__u64 icsk_ca_priv[CA_PRIV_SIZE / sizeof(__u64)];
#endif
};

struct minmax_sample {
	__u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

#ifdef NDM_BPF
struct tcp_rack {
	__u32 rtt_us;
	__u8 dsack_seen:1;
};

struct tcp_options_received {
	__u16 tstamp_ok:1;
	__u16 sack_ok:3;
};
#endif

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	__u64 tcp_mstamp;	/* us, of the last packet or timer */
#ifdef NDM_BPF
	__u32 snd_una;
	__u32 high_seq;
	__u32 tlp_high_seq;
	__u32 snd_cwnd;		/* this and all to @lost: packets */
	__u32 snd_cwnd_cnt;	/* acknowledged towards the next packet of cwnd */
	__u32 snd_cwnd_clamp;
	__u32 snd_ssthresh;
	__u32 prior_ssthresh;
	__u32 prior_cwnd;
	__u32 prr_delivered;
	__u32 prr_out;
	__u32 packets_out;
	__u32 sacked_out;
	__u32 lost_out;
	__u32 retrans_out;
	__u32 max_packets_out;
	__u32 delivered;
	__u32 lost;
	__u32 undo_marker;
	__u32 reordering;
	__u8 is_cwnd_limited:1;
	__u8 tlp_retrans:1;
	struct tcp_rack rack;
	struct tcp_options_received rx_opt;
#endif
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
