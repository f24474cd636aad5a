/* SPDX-License-Identifier: GPL-2.0 */
/* Like 5.10: the window is a member that everyone reads; a comment mentions what later became an accessor, tcp_snd_cwnd(). */
typedef unsigned int u32;
struct sock;
struct tcp_sock { u32 snd_cwnd; };
static inline u32 tcp_snd_cwnd_test(const struct tcp_sock *tp) { return tp->snd_cwnd; }
struct tcp_congestion_ops {
	u32 (*min_tso_segs)(struct sock *sk);
};
