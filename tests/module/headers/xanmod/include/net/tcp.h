/* SPDX-License-Identifier: GPL-2.0 */
/* Like XanMod's, which carries BBRv3: min_tso_segs has another name and one more argument. */
typedef unsigned int u32;
struct sock;
struct tcp_sock { u32 snd_cwnd; };
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp)
{
	return tp->snd_cwnd;
}
struct tcp_congestion_ops {
	u32 (*tso_segs)(struct sock *sk, u32 mss_now);
};
