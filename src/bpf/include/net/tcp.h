/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What src/module takes from the kernel, for a build as BPF: types, small functions, constants. Names
 * and units are the kernel's. What a kernel's configuration decides is read from the running one.
 */
#ifndef NDM_BPF_NET_TCP_H
#define NDM_BPF_NET_TCP_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <linux/types.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "../../kernel.h"

typedef __u8 u8;
typedef __u16 u16;
typedef __u32 u32;
typedef __u64 u64;
typedef __s8 s8;
typedef __s16 s16;
typedef __s32 s32;
typedef __s64 s64;

#define __packed __attribute__((packed))
#define READ_ONCE(x) (*(const volatile typeof(x) *)&(x))
#define OPTIMIZER_HIDE_VAR(x) asm volatile("" : "+r"(x))
#define memset __builtin_memset

#define min(a, b) ({ typeof(a) min_a = (a); typeof(b) min_b = (b); min_a < min_b ? min_a : min_b; })
#define max(a, b) ({ typeof(a) max_a = (a); typeof(b) max_b = (b); max_a > max_b ? max_a : max_b; })
#define min3(a, b, c) ({ typeof(a) min3_ab = min(a, b); min(min3_ab, c); })
#define max3(a, b, c) ({ typeof(a) max3_ab = max(a, b); max(max3_ab, c); })
#define clamp(x, lo, hi) ({ typeof(x) clamp_low = max(x, lo); min(clamp_low, hi); })
#define min_t(type, a, b) min((type)(a), (type)(b))
#define max_t(type, a, b) max((type)(a), (type)(b))
#define clamp_t(type, x, lo, hi) clamp((type)(x), (type)(lo), (type)(hi))

#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_CONG_NON_RESTRICTED 1
#define ICSK_CA_PRIV_SIZE CA_PRIV_SIZE

enum { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };

extern u32 tcp_slow_start(struct tcp_sock *tp, u32 acked) __ksym;
extern void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked) __ksym;
extern u32 tcp_reno_undo_cwnd(struct sock *sk) __ksym;

extern unsigned int CONFIG_HZ __kconfig;

#define HZ CONFIG_HZ

static __always_inline u32 jiffies_to_usecs(u32 jiffies)
{
	return jiffies * (1000000 / HZ);
}

static __always_inline struct net *sock_net(const struct sock *sk)
{
	return sk->__sk_common.skc_net.net;
}

static __always_inline struct inet_connection_sock *inet_csk(const struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}

static __always_inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static __always_inline void *inet_csk_ca(const struct sock *sk)
{
	return inet_csk(sk)->icsk_ca_priv;
}

static __always_inline u8 ndm_ca_state(const struct sock *sk)
{
	return BPF_CORE_READ_BITFIELD(inet_csk(sk), icsk_ca_state);
}

static __always_inline bool ndm_has_timestamps(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, rx_opt.tstamp_ok);
}

static __always_inline bool ndm_tlp_repairs(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, tlp_retrans) && !BPF_CORE_READ_BITFIELD(tp, rack.dsack_seen);
}

/*
 * The verifier allows no write to these. With prior_cwnd as it is, ssthresh must not exceed it: in a recovery the kernel lets the
 * share ssthresh / prior_cwnd of what was delivered be sent, and above 1 that is a burst.
 */
static __always_inline void ndm_set_prr_out(struct tcp_sock *tp, u32 packets)
{
}

static __always_inline void ndm_set_prior_cwnd(struct tcp_sock *tp, u32 packets)
{
}

static __always_inline bool before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

static __always_inline bool tcp_in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

static __always_inline bool tcp_is_sack(const struct tcp_sock *tp)
{
	return BPF_CORE_READ_BITFIELD(tp, rx_opt.sack_ok);
}

static __always_inline u32 tcp_min_rtt(const struct tcp_sock *tp)
{
	return tp->rtt_min.s[0].v;
}

static __always_inline u32 tcp_packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

static __always_inline bool tcp_is_cwnd_limited(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return BPF_CORE_READ_BITFIELD(tp, is_cwnd_limited) ||
	       (tcp_in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out);
}

#endif
