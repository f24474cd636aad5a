// SPDX-License-Identifier: GPL-2.0
/*
 * ndm_sockets: what the algorithms as BPF say of each connection, which ss(8) shows of those of the module.
 *
 * An iterator over the TCP sockets of the reader's network namespace; reading the pinned file runs it. A line
 * each: the cookie of the socket as ss prints it, then the four numbers of ndm_info().
 */
#include <net/tcp.h>
#include <linux/inet_diag.h>

#include "../module/algorithm.h"
#include "../module/stats.h"

void ndm_count(const struct net *net, enum ndm_counter counter, long by)
{
}

#define VARIANT NDM_ALGORITHM_V1	/* nothing begins here */
#include "algorithms.h"

static __always_inline bool is_ours(const char *name)
{
	return name[0] == 'n' && name[1] == 'd' && name[2] == 'm' &&
	       (!name[3] || (name[3] == '_' && name[4] == 'v' &&
			     (name[5] == '1' || name[5] == '4' || name[5] == '5') && !name[6]));
}

SEC("iter/tcp")
int ndm_sockets(struct bpf_iter__tcp *ctx)
{
	struct sock_common *common = ctx->sk_common;
	struct tcp_dctcp_info info = {};
	struct ca_name name = {};
	struct tcp_sock *tp;
	struct sock *sk;

	tp = common ? bpf_skc_to_tcp_sock(common) : NULL;
	if (!tp)
		return 0;
	BPF_CORE_READ_STR_INTO(&name.text, tp, inet_conn.icsk_ca_ops, name);
	if (!is_ours(name.text))
		return 0;
	sk = (struct sock *)tp;
	ndm_info(sk, &info);
	BPF_SEQ_PRINTF(ctx->meta->seq, "%llx %u %u %u %u\n", bpf_get_socket_cookie(tp),
		       info.dctcp_ce_state, info.dctcp_alpha, info.dctcp_ab_ecn, info.dctcp_ab_tot);
	return 0;
}

char _license[] SEC("license") = "GPL";
