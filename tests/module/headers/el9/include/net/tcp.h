/* SPDX-License-Identifier: GPL-2.0 */
/* Like 5.14 of an enterprise distribution: no accessor, but members of far newer kernels, and the arguments of 6.10. */
#include <linux/tcp.h>
struct tcp_congestion_ops {
	u32 (*min_tso_segs)(struct sock *sk);
	void (*cong_control)(struct sock *sk, u32 ack, int flag, const struct rate_sample *rs);
	void (*cwnd_event_tx_start)(struct sock *sk);
};
