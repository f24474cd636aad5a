/* SPDX-License-Identifier: GPL-2.0 */
/* Like 5.10 and EL 9: the window is a member. What became an accessor, tcp_snd_cwnd(), is here and in a longer name. */
#include <linux/tcp.h>
static inline u32 tcp_snd_cwnd_test(const struct tcp_sock *tp) { return tp->snd_cwnd; }
