/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variant v5, the integer core: what one connection remembers and decides.
 * ndm_v5_ops.c joins it to the kernel; the design is described there.
 *
 * No kernel header is needed, so the unit tests run this very code.
 */
#ifndef NDM_V5_H
#define NDM_V5_H

#include "ndm_cubic.h"
#include "ndm_rounds.h"

#define NDM_V5_LOSS_SHIFT 16	/* scale of the share of packets lost */

/**
 * struct ndm_v5 - state of one connection, within ICSK_CA_PRIV_SIZE
 * @rounds:       RTTs of the running round and estimates of those before
 * @cubic:        growth while nothing is lost
 * @round_end:    tp->delivered of the newest packet sent when the round began;
 *                the round ends when that packet is answered
 * @round_start:  when it began, us, low 32 bits of tcp_mstamp
 * @lost_before:  tp->lost at the start of the round
 * @target:       window to hold amid losses that are noise, packets; 0 else
 * @train:        in slow start: time of the latest ACK that closely followed
 *                another, us
 * @hold_until:   in recovery: no retransmission before this time, us; see
 *                @holding
 * @limit:        ndm_v5_bound() at the latest round, packets
 * @bound:        how long a packet may be under way, us; falls slowly
 * @rate:         best delivery rate since @rate_window, packets per 2^20 us
 * @rate_window:  window when @rate was last raised, packets
 * @loss:         share of packets lost, average of 8 rounds, scale 2^16
 * @stalls:       rounds of growth in a row that brought no more rate, 0..3
 * @shifts:       rounds in a row with a queue amid losses of noise, 0..3
 * @noise:        the present recovery keeps the window
 * @holding:      @hold_until counts
 * @limited:      the window was the limit in this round
 * @shifted:      the latest round saw a queue, for all its scatter
 * @counted:      this connection stands in the sockets gauge
 * @algorithm:    enum ndm_algorithm
 */
struct ndm_v5 {
	struct ndm_rounds rounds;
	struct ndm_cubic cubic;
	u32 round_end;
	u32 round_start;
	u32 lost_before;
	u32 target;
	union {
		u32 train;
		u32 hold_until;
	};
	u32 limit;
	u32 bound;
	u32 rate;
	u32 rate_window;
	u16 loss;
	u8 stalls : 2;
	u8 shifts : 2;
	u8 noise : 1;
	u8 holding : 1;
	u8 limited : 1;
	u8 shifted : 1;
	u8 counted : 1;
	u8 algorithm : 3;
};

/**
 * struct ndm_v5_round - what the kernel counted in a round that ended
 * @now_us:      time, us
 * @delivered:   packets that arrived in it
 * @lost:        packets taken for lost in it
 * @window:      packets allowed now
 * @slow_start:  the window is below the slow start threshold
 */
struct ndm_v5_round {
	u32 now_us;
	u32 delivered;
	u32 lost;
	u32 window;
	bool slow_start;
};

/* Forget the path, keep who the connection is. */
void ndm_v5_restart(struct ndm_v5 *v);

/* A round ended: renew the estimates, growth and the loss share. */
void ndm_v5_round(struct ndm_v5 *v, const struct ndm_v5_round *round);

/*
 * True when slow start should end: a queue builds, or (@min_rtt_us, us) ACKs
 * come without a gap for half a round trip, or more window brings no more rate,
 * or RTTs scatter so that none of these would be seen in time.
 * Asked after each sample at @now_us.
 */
bool ndm_v5_start_over(struct ndm_v5 *v, u32 now_us, u32 min_rtt_us);

/* A cut from @window packets proved right. */
void ndm_v5_cut(struct ndm_v5 *v, u32 window);

/* Scatter is the path's habit: seen in the RTTs or as reordering. */
bool ndm_v5_noisy(const struct ndm_v5 *v, u32 reordered);

/*
 * The window (packets) at which a connection that halves on every loss would
 * stay with the present loss share, times the factor that bounds the harm of a
 * wrong verdict.
 */
u32 ndm_v5_bound(const struct ndm_v5 *v);

/*
 * True when the packet that showed a loss, sent right behind the lost one, came
 * late: it stood at the end of a full queue, however short that queue is. On a
 * path that scatters this says nothing.
 */
bool ndm_v5_behind_queue(const struct ndm_v5 *v);

/*
 * True when a loss at @window packets is noise: everything must speak for it.
 * @reordered is how often packets arrived out of order.
 */
bool ndm_v5_is_noise(const struct ndm_v5 *v, u32 window, u32 reordered);

#endif
