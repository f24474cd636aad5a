/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A TCP sender by the packet count: states, scoreboard, PRR, undo and timers as
 * Linux has them, without bytes and without a network. The caller says what
 * happens (an ACK of so many packets, a timeout); the model calls the congestion
 * control at the moments and in the order in which the kernel calls it, through
 * the functions of invariants.c, which look at what it did.
 */
#ifndef MODEL_H
#define MODEL_H

#include <net/tcp.h>

#include "../../src/module/stats.h"

/* Counters of the module, and how often cwnd was set to what the kernel warns of. */
extern long model_counter[NDM_COUNTERS];
extern u32 model_bad_cwnd;
extern u32 model_bbr_cwnd;

/**
 * struct conn - one connection and what surrounds it
 * @tp:            the socket
 * @net:           its namespace
 * @jiffies_at_0:  jiffies when tcp_mstamp was 0
 * @rack_rtt_us:   rack.rtt_us without the module
 * @min_rtt_us:    smallest RTT without the module
 * @backlog_pkts:  what the application still wants to send
 * @sndbuf_full:   the application waits for room
 * @tx_start_op:   CA_EVENT_TX_START is an op of its own, as from Linux 7.1 on
 */
struct conn {
	struct tcp_sock tp;
	struct net net;
	u32 jiffies_at_0;
	u32 rack_rtt_us;
	u32 min_rtt_us;
	u32 backlog_pkts;
	bool sndbuf_full;
	bool tx_start_op;
};

/**
 * struct ack - what one ACK says; counts are cut to what the scoreboard allows
 * @acked:      packets newly acknowledged
 * @acked_lost: how many of them count as lost, of 256 (the rest by chance of others)
 * @sacked:     packets newly acknowledged by SACK; without SACK duplicate ACKs
 * @rtt_us:     RTT of a packet sent once, -1 for none
 * @rack_us:    time since the newest arrived packet was sent, 0 for none
 * @lost:       packets that RACK then finds lost
 * @lost_again: retransmissions that it finds lost
 * @reordered:  number of reordered packets
 * @distance:   by how many packets
 * @dsack:      retransmissions that were not needed
 * @ece:        ECN-Echo
 * @original:   timestamps tell that the original arrived, not the retransmission
 * @frto:       a packet arrived that was never retransmitted
 * @runt:       the last packet was less than full-sized
 * @old:        an older ACK overtook it
 */
struct ack {
	u32 acked, acked_lost, sacked;
	s32 rtt_us;
	u32 rack_us;
	u32 lost, lost_again, reordered, distance, dsack;
	bool ece, original, frto, runt, old;
};

/* A socket with @cwnd packets, as after the handshake; the algorithm is not yet called. */
void model_open(struct conn *c, const char *algorithm, u64 start_us, u32 jiffies,
		u32 cwnd);
/* The handshake ends: an RTT sample (0 for none), then init(). */
void model_established(struct conn *c, u32 rtt_us);
void model_close(struct conn *c);

void model_wait(struct conn *c, u64 us);
/* The application writes @pkts; what cwnd allows is sent. */
void model_send(struct conn *c, u32 pkts);
void model_ack(struct conn *c, struct ack ack);
/* RACK's timer: @lost more packets are lost. */
void model_rack_timer(struct conn *c, u32 lost);
void model_rto(struct conn *c);
/* The path MTU fell: @lost packets are too large. */
void model_mtu_fell(struct conn *c, u32 lost);
/* The queue of this host is full. */
void model_local_congestion(struct conn *c);
void model_tail_loss_probe(struct conn *c);
void model_switch(struct conn *c, const char *algorithm);

static inline struct sock *model_sk(struct conn *c)
{
	return &c->tp.inet_conn.sk;
}

static inline u32 model_jiffies(const struct conn *c)
{
	return c->jiffies_at_0 + (u32)(c->tp.tcp_mstamp / (1000000 / HZ));
}

static inline u8 model_state(const struct conn *c)
{
	return c->tp.inet_conn.icsk_ca_state;
}

/* What RACK adds to the RTT of the newest arrived packet, us. */
u32 model_rack_window(const struct conn *c, u32 min_rtt_us, u32 steps);

#endif
