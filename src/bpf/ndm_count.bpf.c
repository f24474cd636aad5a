// SPDX-License-Identifier: GPL-2.0
/*
 * ndm_count: adds up, by congestion control, what TCP connections did.
 *
 * ss shows only living connections, so a rate computed from it misses all that ended in between. This program, at the root
 * cgroup, adds what a connection did when it ends, and what a long one did so far at most once a minute. It sees the
 * connections of all network namespaces, and changes none.
 *
 *   - A connection counts once it was established. Neither one that never was does, nor a listener, nor one that was
 *     there before the program: it asks for no callback, unless another program did that for it.
 *   - One that an earlier instance of this program asked for them still has them. When such a long one is found, what it did
 *     before is left out; a short one cannot be told from a new one.
 *   - What it did is added to the algorithm that it has at that moment, also when it had another one before.
 *   - A subflow of MPTCP is a connection, as it is for ss.
 *   - All figures are those of TCP_INFO. With SYN and FIN, bytes_acked may be one or two more than the data.
 *
 * Other sock_ops programs may ask for callbacks as well, so theirs stay. One that sets its own over these, later and for
 * the same connection, takes that connection out of the count.
 *
 * What it costs in instructions decided two things:
 *
 *   - A connection has storage of its own only from a megabyte on, when RTT_CB finds none; a short one is added up as a
 *     whole. Storage for every connection costs as much as all the rest. So it is not known how long one lasted: the kernel
 *     does not keep when it began.
 *   - Living connections are found by RTT_CB. Nothing else calls a program from time to time without a call per packet. The
 *     kernel calls it once per round trip, and all but one call a minute end after a look at two figures.
 *
 * The maps that are read have no type information, and their values are rows of u64: bpftool may ask for that only with
 * CAP_SYS_ADMIN, which the unit that writes the metrics does not have.
 */
#include <linux/bpf.h>
#include <linux/tcp.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "counts.h"
#include "kernel.h"

#ifndef NAMES_MAX		/* tests set others */
#define NAMES_MAX 32		/* algorithms; what any more do is added up as one */
#endif
#ifndef PERIOD
#define PERIOD 60000000		/* us between two counts of a living connection */
#endif
#define LONG 1000000		/* bytes from which on one is counted before it ends */
/* One of more bytes, for which RTT_CB has not found storage yet, was there before: slow start needs round trips to get here. */
#define OLD (16 * LONG)
#define CALLBACKS (BPF_SOCK_OPS_STATE_CB_FLAG | BPF_SOCK_OPS_RTT_CB_FLAG)

/* What of a long connection has been counted. */
struct counted {
	__u64 until;		/* us */
	__u64 acked_bytes;
	__u32 sent_segments;
	__u32 retransmitted_segments;
	__u32 dsacks;
	__u32 reorderings;
};

struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, NAMES_MAX);
	__uint(key_size, sizeof(struct ca_name));
	__uint(value_size, sizeof(struct totals));
} ndm_count_names SEC(".maps");

/* Of the algorithms for which the other map has no room. */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_ARRAY);
	__uint(max_entries, 1);
	__uint(key_size, sizeof(__u32));
	__uint(value_size, sizeof(struct totals));
} ndm_count_other SEC(".maps");

/* Freed with the socket. The kernel wants type information of these. */
struct {
	__uint(type, BPF_MAP_TYPE_SK_STORAGE);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, int);
	__type(value, struct counted);
} ndm_count_sockets SEC(".maps");

/* A connection can be counted by two programs on one CPU at once: the kernel's is preempted by a softirq or a task. */
static __always_inline void add(__u64 *total, __u64 more)
{
	if (more)
		__sync_fetch_and_add(total, more);
}

/* bpf_getsockopt() has the name as well, for three times the price. */
static __always_inline int read_name(struct tcp_sock *tp, struct ca_name *name)
{
	const struct tcp_congestion_ops *ops = tp->inet_conn.icsk_ca_ops;
	int i;

	if (!ops)
		return 0;
#pragma unroll
	for (i = 0; i < CA_NAME_MAX - 1; i++) {
		name->text[i] = ops->name[i];
		if (!name->text[i])
			break;
	}
	return 1;
}

static __always_inline struct totals *find_totals(struct tcp_sock *tp)
{
	struct totals zero = {}, *totals;
	struct ca_name name = {};
	__u32 first = 0;

	if (!read_name(tp, &name))
		return NULL;
	totals = bpf_map_lookup_elem(&ndm_count_names, &name);
	if (totals)
		return totals;
	bpf_map_update_elem(&ndm_count_names, &name, &zero, BPF_NOEXIST);
	totals = bpf_map_lookup_elem(&ndm_count_names, &name);
	return totals ? totals : bpf_map_lookup_elem(&ndm_count_other, &first);
}

static __always_inline void add_srtt(struct totals *totals, __u64 srtt)
{
	__u64 bound = SRTT_FIRST;
	__u32 i;

	for (i = 0; i < SRTT_BOUNDS && srtt > bound; i++)
		bound *= SRTT_FACTOR;
	if (!srtt || i > SRTT_BOUNDS)	/* no sample; the latter only the verifier thinks possible */
		return;
	add(&totals->srtt_us, srtt);
	add(&totals->srtt[i], 1);
}

static __always_inline void add_rate(struct totals *totals, __u64 rate)
{
	__u64 bound = RATE_FIRST;
	__u32 i;

	for (i = 0; i < RATE_BOUNDS && rate > bound; i++)
		bound *= RATE_FACTOR;
	if (!rate || i > RATE_BOUNDS)
		return;
	add(&totals->rate, rate);
	add(&totals->rates[i], 1);
}

/* What the connection did beyond what was counted. Figures below those belong to a socket that was connected anew, unseen. */
static __always_inline void count(struct tcp_sock *tp, const struct counted *before, int ended)
{
	struct totals *totals = find_totals(tp);
	__u64 interval = tp->rate_interval_us;
	struct counted none = {};

	if (!totals)
		return;
	if (tp->bytes_acked < before->acked_bytes)
		before = &none;
	add(&totals->connections, ended);
	add(&totals->acked_bytes, tp->bytes_acked - before->acked_bytes);
	add(&totals->sent_segments, tp->data_segs_out - before->sent_segments);
	add(&totals->retransmitted_segments, tp->total_retrans - before->retransmitted_segments);
	add(&totals->dsacks, tp->dsack_dups - before->dsacks);
	add(&totals->reorderings, tp->reord_seen - before->reorderings);
	add_srtt(totals, tp->srtt_us >> 3);
	if (interval)
		add_rate(totals, (__u64)tp->rate_delivered * tp->mss_cache * 1000000 / interval);
}

static __always_inline void remember(struct counted *counted, struct tcp_sock *tp)
{
	counted->until = tp->tcp_mstamp;
	counted->acked_bytes = tp->bytes_acked;
	counted->sent_segments = tp->data_segs_out;
	counted->retransmitted_segments = tp->total_retrans;
	counted->dsacks = tp->dsack_dups;
	counted->reorderings = tp->reord_seen;
}

static __always_inline void count_living(struct bpf_sock *sk, struct tcp_sock *tp)
{
	struct counted *counted = bpf_sk_storage_get(&ndm_count_sockets, sk, NULL, BPF_SK_STORAGE_GET_F_CREATE);
	__u64 now = tp->tcp_mstamp;

	if (!counted)
		return;
	if (!counted->until) {
		counted->until = now;
		if (tp->bytes_acked >= OLD)
			remember(counted, tp);
	}
	if (now - counted->until < PERIOD)
		return;
	count(tp, counted, 0);
	remember(counted, tp);
}

/* The socket may be connected anew, and then begins anew: the kernel clears its figures as well. */
static __always_inline void count_ended(struct bpf_sock *sk, struct tcp_sock *tp)
{
	struct counted *counted = bpf_sk_storage_get(&ndm_count_sockets, sk, NULL, 0);
	struct counted none = {};

	if (!counted && tp->bytes_acked >= OLD)
		return;
	count(tp, counted ? counted : &none, 1);
	if (counted)
		bpf_sk_storage_delete(&ndm_count_sockets, sk);
}

static __always_inline int was_established(__u32 state)
{
	return state != BPF_TCP_SYN_SENT && state != BPF_TCP_SYN_RECV && state != BPF_TCP_NEW_SYN_RECV &&
	       state != BPF_TCP_LISTEN && state != BPF_TCP_CLOSE;
}

/* 1 lets the next programs run. */
SEC("sockops")
int ndm_count(struct bpf_sock_ops *ctx)
{
	struct bpf_sock *sk = ctx->sk;
	struct tcp_sock *tp;
	int ended = 0;

	switch (ctx->op) {
	case BPF_SOCK_OPS_RTT_CB:
		if (ctx->bytes_acked < LONG)
			return 1;
		break;
	case BPF_SOCK_OPS_STATE_CB:
		if (ctx->args[1] != BPF_TCP_CLOSE || !was_established(ctx->args[0]))
			return 1;
		ended = 1;
		break;
	case BPF_SOCK_OPS_ACTIVE_ESTABLISHED_CB:
	case BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB:
		bpf_sock_ops_cb_flags_set(ctx, ctx->bpf_sock_ops_cb_flags | CALLBACKS);
		return 1;
	default:
		return 1;
	}
	tp = sk ? bpf_skc_to_tcp_sock(sk) : NULL;
	if (!tp)
		return 1;
	if (ended)
		count_ended(sk, tp);
	else
		count_living(sk, tp);
	return 1;
}

char _license[] SEC("license") = "GPL";
