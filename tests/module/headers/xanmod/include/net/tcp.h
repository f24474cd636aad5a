/* SPDX-License-Identifier: GPL-2.0 */
/* Like XanMod's, which carries BBRv3: min_tso_segs has another name and one more argument. The window, too, is only reached by its accessor here. */
#include <linux/tcp.h>
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp)
{
	return tp->accessed_cwnd;
}
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 packets)
{
	tp->accessed_cwnd = packets;
}
struct tcp_congestion_ops {
	u32 (*tso_segs)(struct sock *sk, u32 mss_now);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
};
