/* SPDX-License-Identifier: GPL-2.0 */
/* Like 4.18 of an enterprise distribution: old by its number, but with the accessor of 5.19, behind which the member has another name. */
#include <linux/tcp.h>
static inline u32 tcp_snd_cwnd(const struct tcp_sock *tp)
{
	return tp->backported_cwnd;
}
static inline void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 packets)
{
	tp->backported_cwnd = packets;
}
