/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variant v5: CUBIC that does not reduce cwnd on random loss. README.md beside this file says
 * how it works and why. Here is what it keeps of a connection, by the file that writes it, and
 * the callbacks.
 */
#ifndef NDM_V5_STATE_H
#define NDM_V5_STATE_H

#include <net/tcp.h>

#include "../ndm.h"
#include "cubic.h"
#include "question.h"
#include "rounds.h"

struct tcp_dctcp_info;

/* A larger cwnd that has not increased the rate so many times in a row: no room is left. */
#define NDM_V5_STALLS 3

/* Units of 2^6 us: 16 bits of them hold 4 s. */
#define NDM_V5_UNIT_SHIFT 6

/* Units of 2^8 us: 16 bits of them hold 16 s. */
#define NDM_V5_WAIT_SHIFT 8

/**
 * struct ndm_reordering - packets that overtook each other; of callbacks.c
 * @seen_before: tp->reord_seen at the start of the round, low 16 bits
 * @rounds:      so many rounds the latest reordering still counts; 0: there is none now
 */
struct ndm_reordering {
	u16 seen_before;
	u8 rounds;
} __packed;

/**
 * struct ndm_growth - of growth.c
 * @rate:      best delivery rate since @rate_cwnd, packets per 2^20 us
 * @rate_cwnd: cwnd when @rate was last set, packets, at most 65535
 */
struct ndm_growth {
	u32 rate;
	u16 rate_cwnd;
} __packed;

/**
 * struct ndm_start - of slow_start.c
 * @least:   smallest RTT of this round, units of 2^NDM_V5_UNIT_SHIFT us, rounded up; 0 before
 *           the first
 * @samples: RTT samples of this round, 0..8
 * @train:   each sample of this round closely followed the one before
 */
struct ndm_start {
	u16 least;
	u8 samples : 4;
	u8 train : 1;
} __packed;

/**
 * struct ndm_hold - of hold.c
 * @wait:       how long a packet may be in flight, units of 2^NDM_V5_WAIT_SHIFT us, at most the RTO
 * @until_tick: when the hold ends, low 15 bits
 * @on:         ssthresh is 1, so that this recovery sends nothing yet
 */
struct ndm_hold {
	u16 wait;
	u16 until_tick : 15;
	u16 on : 1;
} __packed;

/**
 * enum ndm_queue_test_step - where a test whose the queue is has got to
 * @NDM_TEST_NO:     no test
 * @NDM_TEST_DRAIN:  nothing is sent until less than the BDP is in flight
 * @NDM_TEST_LOOK:   with that in flight, do packets still meet a queue?
 * @NDM_TEST_RETURN: slow start leads up to ssthresh, whatever the RTTs; with
 *                   @cut_from_pkts a loss has ended the test
 */
enum ndm_queue_test_step {
	NDM_TEST_NO,
	NDM_TEST_DRAIN,
	NDM_TEST_LOOK,
	NDM_TEST_RETURN,
};

/**
 * struct ndm_queue_test - of queue_test.c
 * @others_since: when a test showed that others fill the queue, units of
 *                2^NDM_BASE_SHIFT ticks, wraps
 * @step:         enum ndm_queue_test_step
 * @looks:        RTT samples of this test that showed a queue, 0..7; without a test
 *                rounds that must pass before the next
 * @small:        RTT samples of this test that showed none, 0..3
 * @others:       a test has shown that others fill the queue, and that is still valid
 * @in_a_row:     tests that found others, less those since then that found none, 0..6
 */
struct ndm_queue_test {
	u8 others_since;
	u8 step : 2;
	u8 looks : 3;
	u8 small : 2;
	u8 others : 1;
	u8 in_a_row : 3;
} __packed;

/**
 * struct ndm_v5 - state of one connection, within ICSK_CA_PRIV_SIZE
 * @id:              identity of the connection
 * @verdict:         enum ndm_verdict of the latest loss event; of callbacks.c, as those to
 *                   @cut_from_pkts are
 * @noise:           the present recovery keeps cwnd
 * @limited:         cwnd was the limit in this round
 * @settling:        recovery is over, @cut_from_pkts will be confirmed
 * @doubts:          rounds in a row that indicate congestion in a recovery that
 *                   keeps cwnd, 0..3
 * @tail:            this ACK says that a tail loss probe repaired a loss
 * @queue:           the latest round indicates a queue, beyond its jitter
 * @assisted:        RACK's wait is the one that v5 set; of rack.c
 * @stalls:          times in a row that a larger cwnd has not increased the rate,
 *                   0..NDM_V5_STALLS; of growth.c, as the next is
 * @searched:        v5 searched for a larger cwnd and has seen no queue since
 * @spare:           nothing yet
 * @round_start_pkts: tp->delivered when this round began, wraps
 * @round_start_us:  when this round began, or its train of ACKs (slow_start.c), low 32 bits of
 *                   tcp_mstamp; they wrap after 71 minutes, so that a round with a longer pause
 *                   may seem to be a short one
 * @sampled_us:      time of the newest RTT sample, low 32 bits of tcp_mstamp
 * @sampled_wraps:   the next 16 bits of it: 8 years
 * @cut_from_pkts:   cwnd before a cut that may still be undone; 0 otherwise
 * @rounds:          RTTs of this round, estimates from earlier ones
 * @cubic:           growth while nothing is lost
 * @question:        whether losses are this connection's own
 * @growth:          whether there is room
 * @start:           this round of slow start
 * @hold:            a recovery that waits
 * @reordering:      whether packets overtake each other
 * @test:            whose the queue is
 *
 * The parts are packed: all bytes are in use.
 */
struct ndm_v5 {
	struct ndm_id id;
	u8 verdict : 4;
	u8 noise : 1;
	u8 limited : 1;
	u8 settling : 1;
	u8 tail : 1;
	u8 doubts : 2;
	u8 queue : 1;
	u8 assisted : 1;
	u8 stalls : 2;
	u8 searched : 1;
	u8 spare : 1;
	struct ndm_question question;
	u16 sampled_wraps;
	u32 round_start_pkts;
	u32 round_start_us;
	u32 sampled_us;
	u32 cut_from_pkts;
	struct ndm_cubic cubic;
	struct ndm_rounds rounds;
	struct ndm_growth growth;
	struct ndm_start start;
	struct ndm_hold hold;
	struct ndm_reordering reordering;
	struct ndm_queue_test test;
};

/* False on kernels that give a congestion control less state than v5 needs. */
static inline bool ndm_v5_fits(void)
{
	return sizeof(struct ndm_v5) <= ICSK_CA_PRIV_SIZE;
}

/* Callbacks of struct tcp_congestion_ops, for "ndm_v5" and "ndm". */
void ndm_v5_init(struct sock *sk);
void ndm_v5_release(struct sock *sk);
void ndm_v5_pkts_acked(struct sock *sk, const struct ack_sample *sample);
void ndm_v5_cong_avoid(struct sock *sk, u32 ack, u32 acked);
u32 ndm_v5_ssthresh(struct sock *sk);
void ndm_v5_set_state(struct sock *sk, u8 new_state);
u32 ndm_v5_undo_cwnd(struct sock *sk);
void ndm_v5_cwnd_event(struct sock *sk, enum tcp_ca_event event);
u32 ndm_v5_sndbuf_expand(struct sock *sk);
void ndm_v5_info(const struct sock *sk, struct tcp_dctcp_info *info);

#endif
