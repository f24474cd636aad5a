/* SPDX-License-Identifier: GPL-2.0 */
/* Scripted connections for the unit tests of the callbacks; see model.h. */
#ifndef PLAY_H
#define PLAY_H

#include <linux/module.h>

#include "../../src/module/v5/v5.h"
#include "invariants.h"
#include "model.h"
#include "tap.h"

#define MS 1000u
#define SECOND 1000000u

/* A time of the clock at which nothing wraps. */
#define START_US 3000000000000ULL

static inline struct ndm_v5 *v5(struct conn *c)
{
	return inet_csk_ca(model_sk(c));
}

static inline bool asks_of_queue(struct conn *c)
{
	return v5(c)->question.asking == NDM_ASKING_QUEUE;
}

/* A bulk transfer at @cwnd packets, beyond slow start. */
static inline void begin(struct conn *c, const char *algorithm, u64 start_us, u32 rtt_us, u32 cwnd)
{
	model_open(c, algorithm, start_us, 100000, cwnd);
	c->tp.snd_ssthresh = cwnd;
	model_established(c, rtt_us);
	model_send(c, 1 << 20);
}

/* An ACK of @pkts packets that were sent @rtt_us ago. */
static inline void ack(struct conn *c, u32 pkts, u32 rtt_us)
{
	model_ack(c, (struct ack){ .acked = pkts, .rtt_us = rtt_us, .rack_us = rtt_us });
}

/* The application has no more, and all that is in flight arrives. */
static inline void fall_silent(struct conn *c, u32 rtt_us)
{
	u32 i;

	for (i = 0; i < 2; i++) {
		c->backlog_pkts = 0;
		ack(c, c->tp.packets_out, rtt_us);
	}
}

/* A duplicate ACK with SACK of @pkts more packets, and RACK finds @lost packets lost. */
static inline void sack(struct conn *c, u32 pkts, u32 rtt_us, u32 lost)
{
	model_ack(c, (struct ack){ .sacked = pkts, .rtt_us = rtt_us, .rack_us = rtt_us, .lost = lost });
}

/*
 * @rounds round trips of @rtt_us, scattered by @jitter_us, in which all of cwnd comes
 * back by 50 ACKs or fewer; the application always has more.
 */
static inline void rounds(struct conn *c, u32 n, u32 rtt_us, u32 jitter_us)
{
	while (n--) {
		u32 flight = c->tp.packets_out, step = flight / 50 + 1, left;
		u64 end_us = c->tp.tcp_mstamp + rtt_us;

		for (left = flight; left; left -= min(left, step)) {
			model_wait(c, (u64)rtt_us * min(left, step) / flight);
			ack(c, min(left, step), rtt_us + (jitter_us ? tap_random(jitter_us) : 0));
		}
		if (c->tp.tcp_mstamp < end_us)
			model_wait(c, end_us - c->tp.tcp_mstamp);
		model_send(c, 1 << 20);
	}
}

/* As in slow start: what left in a burst comes back in one, a sixteenth of @rtt_us long. */
static inline void burst_rounds(struct conn *c, u32 n, u32 rtt_us)
{
	while (n--) {
		u32 flight = c->tp.packets_out, step = flight / 50 + 1, left;

		model_wait(c, rtt_us - rtt_us / 16);
		for (left = flight; left; left -= min(left, step)) {
			ack(c, min(left, step), rtt_us);
			model_wait(c, (u64)rtt_us / 16 * min(left, step) / flight);
		}
		model_send(c, 1 << 20);
	}
}

/* Until the recovery ends. */
static inline void recover(struct conn *c, u32 rtt_us)
{
	while (model_state(c) >= TCP_CA_CWR && !watch_failed()) {
		model_wait(c, rtt_us);
		ack(c, c->tp.packets_out, rtt_us);
		model_send(c, 1 << 20);
	}
}

/* @lost packets of the flight are lost; SACKs tell, a round trip later all is repaired. */
static inline void loss_event(struct conn *c, u32 lost, u32 rtt_us)
{
	sack(c, 3, rtt_us, lost);
	recover(c, rtt_us);
}

/* @n times two such round trips, and a packet that others overtake: it takes @late_us. */
static inline void reordered_rounds(struct conn *c, u32 n, u32 rtt_us, u32 jitter_us, u32 late_us)
{
	while (n--) {
		rounds(c, 2, rtt_us, jitter_us);
		sack(c, 3, rtt_us, 0);
		model_ack(c, (struct ack){ .acked = 4, .rtt_us = late_us, .rack_us = rtt_us,
					   .reordered = 130, .distance = 20 });
	}
	rounds(c, 1, rtt_us, jitter_us);
}

/* What RACK waits for in all after the latest ACK, us. */
static inline u32 rack_wait(const struct conn *c)
{
	return c->tp.rack.rtt_us + model_rack_window(c, tcp_min_rtt(&c->tp), c->tp.rack.reo_wnd_steps);
}

static inline void ecn_event(struct conn *c, u32 rtt_us)
{
	model_local_congestion(c);
	rounds(c, 2, rtt_us, 0);
}

/* The connection ends; no invariant may have been broken. */
static inline void end(struct conn *c, const char *about)
{
	model_close(c);
	ok(!watch_failed(), "%s: invariants hold", about);
}

static inline u32 verdict(struct conn *c)
{
	return watch_info(c);
}

/* Losses as chance makes them, @n rounds apart and packets behind in time, until one is judged @wanted. */
static inline void random_losses(struct conn *c, u32 n, u32 rtt_us, u32 wanted)
{
	u32 events = 100;

	do {
		rounds(c, n, rtt_us, 0);
		loss_event(c, 1, rtt_us);
	} while (verdict(c) != wanted && --events);
}

#endif
