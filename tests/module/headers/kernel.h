/* SPDX-License-Identifier: GPL-2.0 */
/* What every kernel has and no probe looks at. */
typedef unsigned int u32;
typedef unsigned char u8;
typedef _Bool bool;
struct sock;
struct inet_connection_sock { u8 icsk_ca_state; };
#define tcp_sk(sk) ((const struct tcp_sock *)(sk))
#define inet_csk(sk) ((const struct inet_connection_sock *)(sk))
enum tcp_ca_state { TCP_CA_CWR = 2, TCP_CA_Loss = 4 };
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
