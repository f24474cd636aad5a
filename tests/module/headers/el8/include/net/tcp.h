/* SPDX-License-Identifier: GPL-2.0 */
/* Like 4.18 of an enterprise distribution: old by its number, but with the accessor of 5.19, behind which the member has another name. */
typedef unsigned int u32;
struct sock;
struct tcp_sock { u32 backported_cwnd; };
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp)
{
	return tp->backported_cwnd;
}
struct tcp_congestion_ops {
	u32 (*min_tso_segs)(struct sock *sk);
};
