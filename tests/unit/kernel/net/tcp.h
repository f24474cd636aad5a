/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A sender's socket as far as src/module and the model of TCP (../../model.c) need
 * it. Names and units are the kernel's, all else is written for these tests.
 */
#ifndef MODEL_NET_TCP_H
#define MODEL_NET_TCP_H

#include <linux/inet_diag.h>
#include <linux/types.h>
#include <net/net_namespace.h>

#define HZ 250
#define TCP_INFINITE_SSTHRESH 0x7fffffff
#define TCP_CONG_NON_RESTRICTED 1
#define TCP_RACK_LOSS_DETECTION 1
#define TCP_RTO_MIN (HZ / 5)
#define TCP_RTO_MAX (120 * HZ)
enum tcp_ca_state { TCP_CA_Open, TCP_CA_Disorder, TCP_CA_CWR, TCP_CA_Recovery, TCP_CA_Loss };

enum tcp_ca_event {
	CA_EVENT_TX_START,
	CA_EVENT_CWND_RESTART,
	CA_EVENT_COMPLETE_CWR,
	CA_EVENT_LOSS,
};

struct sock {
	struct net *sk_net;
};

/* What a write beyond the private state would hit. */
#define MODEL_CANARY 0x5afe5afe5afe5afeULL

struct tcp_congestion_ops;

struct inet_connection_sock {
	struct sock sk;
	const struct tcp_congestion_ops *icsk_ca_ops;
	u32 icsk_rto;		/* jiffies */
	u8 icsk_ca_state;
	u8 icsk_retransmits;
	u8 icsk_ca_initialized;
	u64 canary_before;
	u64 icsk_ca_priv[104 / sizeof(u64)];
	u64 canary_behind;
};

#define ICSK_CA_PRIV_SIZE sizeof_field(struct inet_connection_sock, icsk_ca_priv)
#define sizeof_field(type, field) sizeof(((type *)0)->field)

struct minmax_sample {
	u32 t;
	u32 v;
};

struct minmax {
	struct minmax_sample s[3];
};

struct tcp_sock {
	struct inet_connection_sock inet_conn;
	u64 tcp_mstamp;
	u32 snd_una, snd_nxt, high_seq, cwnd_usage_seq, tlp_high_seq;
	u32 mss_cache;
	u32 srtt_us;		/* times 8 */
	u32 mdev_us;		/* times 4 */
	u32 rttvar_us;		/* times 4 */
	struct minmax rtt_min;
	u32 snd_cwnd, snd_cwnd_cnt, snd_cwnd_clamp, snd_ssthresh;
	u32 prior_ssthresh, prior_cwnd;
	u32 prr_delivered, prr_out;
	u32 packets_out, sacked_out, lost_out, retrans_out;
	u32 max_packets_out, snd_cwnd_used;
	u32 delivered, lost;
	u32 undo_marker;
	int undo_retrans;
	u32 lsndtime, snd_cwnd_stamp;	/* jiffies */
	u32 reordering, reord_seen;
	u8 is_cwnd_limited, frto, tlp_retrans, retrans_stamp;
	struct {
		u32 rtt_us;
		u8 reo_wnd_steps, reo_wnd_persist, dsack_seen, advanced;
	} rack;
	struct {
		u8 sack_ok, tstamp_ok;
	} rx_opt;
};

struct ack_sample {
	u32 pkts_acked;
	s32 rtt_us;
	u32 in_flight;
};

struct rate_sample;

struct tcp_congestion_ops {
	char name[16];
	void *owner;
	u32 flags;
	void (*init)(struct sock *sk);
	void (*release)(struct sock *sk);
	void (*pkts_acked)(struct sock *sk, const struct ack_sample *sample);
	void (*cong_avoid)(struct sock *sk, u32 ack, u32 acked);
	u32 (*ssthresh)(struct sock *sk);
	void (*set_state)(struct sock *sk, u8 new_state);
	u32 (*undo_cwnd)(struct sock *sk);
	void (*cwnd_event)(struct sock *sk, enum tcp_ca_event event);
	u32 (*sndbuf_expand)(struct sock *sk);
	void (*cong_control)(struct sock *sk, const struct rate_sample *rs);
	size_t (*get_info)(struct sock *sk, u32 ext, int *attr, union tcp_cc_info *info);
};

static inline struct net *sock_net(const struct sock *sk)
{
	return sk->sk_net;
}

static inline struct inet_connection_sock *inet_csk(const struct sock *sk)
{
	return (struct inet_connection_sock *)sk;
}

static inline struct tcp_sock *tcp_sk(const struct sock *sk)
{
	return (struct tcp_sock *)sk;
}

static inline void *inet_csk_ca(const struct sock *sk)
{
	return inet_csk(sk)->icsk_ca_priv;
}

static inline u32 jiffies_to_usecs(unsigned long jiffies)
{
	return jiffies * (1000000 / HZ);
}

static inline unsigned long usecs_to_jiffies(u32 us)
{
	return (us + 1000000 / HZ - 1) / (1000000 / HZ);
}

static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp)
{
	return tp->snd_cwnd;
}

void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 packets);

static inline bool before(u32 a, u32 b)
{
	return (s32)(a - b) < 0;
}

static inline bool tcp_in_slow_start(const struct tcp_sock *tp)
{
	return tp->snd_cwnd < tp->snd_ssthresh;
}

static inline bool tcp_is_sack(const struct tcp_sock *tp)
{
	return tp->rx_opt.sack_ok;
}

static inline u32 tcp_min_rtt(const struct tcp_sock *tp)
{
	return tp->rtt_min.s[0].v;
}

static inline u32 tcp_packets_in_flight(const struct tcp_sock *tp)
{
	return tp->packets_out - tp->sacked_out - tp->lost_out + tp->retrans_out;
}

/* Of the latest flight; in slow start also when half of cwnd was used. */
static inline bool tcp_is_cwnd_limited(const struct sock *sk)
{
	const struct tcp_sock *tp = tcp_sk(sk);

	return tp->is_cwnd_limited ||
	       (tcp_in_slow_start(tp) && tp->snd_cwnd < 2 * tp->max_packets_out);
}

u32 tcp_slow_start(struct tcp_sock *tp, u32 acked);
void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked);
u32 tcp_reno_undo_cwnd(struct sock *sk);
int tcp_register_congestion_control(struct tcp_congestion_ops *ops);
void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops);

/* For tests: what is registered under @name, or NULL. */
const struct tcp_congestion_ops *model_ops(const char *name);

#endif
