/* SPDX-License-Identifier: GPL-2.0 */
/* Like 5.10: the window is a member that everyone reads; this comment and a longer name have what later became an accessor, tcp_snd_cwnd(). */
#include <linux/tcp.h>
static inline u32 tcp_snd_cwnd_test(const struct tcp_sock *tp) { return tp->snd_cwnd; }
struct tcp_congestion_ops {
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, const struct rate_sample *rs);
};
