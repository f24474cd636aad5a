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
#define NDM_V5_LEAST_SHIFT 6	/* 64 us: 16 bits hold 4 s */

/*
 * The mechanisms, so that the lab can leave each out in turn and see what it is
 * good for: make NDM_V5_WITHOUT=NDM_V5_HOLD. The packages have them all.
 */
enum ndm_v5_part {
	NDM_V5_VERDICT = 1 << 0,	/* keep the window when a loss is noise */
	NDM_V5_SHIFT = 1 << 1,		/* not if the mean RTT is shifted */
	NDM_V5_LATE = 1 << 2,		/* not if the next packets met a queue */
	NDM_V5_BOUND = 1 << 3,		/* not far above Reno's window */
	NDM_V5_PLATEAU = 1 << 4,	/* growth that brings no rate is none */
	NDM_V5_SEARCH = 1 << 5,		/* grow fast where RTTs scatter */
	NDM_V5_DRAIN = 1 << 6,		/* give back what a search overshot */
	NDM_V5_START = 1 << 7,		/* end slow start before a loss does */
	NDM_V5_HOLD = 1 << 8,		/* wait before repeating */
	NDM_V5_MEMORY = 1 << 9,		/* remember how long packets took */
};

#ifndef NDM_V5_WITHOUT
#define NDM_V5_WITHOUT 0
#endif

static inline bool ndm_v5_has(enum ndm_v5_part part)
{
	return !(NDM_V5_WITHOUT & part);
}

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
 * @bound:        how long a packet may be under way, us; falls slowly
 * @rate:         best delivery rate since @rate_window, packets per 2^20 us
 * @rate_window:  window when @rate was last raised, packets
 * @limit:        ndm_v5_bound() at the latest round, packets
 * @least:        shortest RTT of this round, units of 2^NDM_V5_LEAST_SHIFT us,
 *                rounded up; 0 before the first
 * @loss:         share of packets lost, average of 8 rounds, scale 2^16
 * @stalls:       rounds of growth in a row that brought no more rate, 0..3
 * @shifts:       rounds in a row with a queue amid losses of noise, 0..3
 * @noise:        the present recovery keeps the window
 * @holding:      @hold_until counts
 * @limited:      the window was the limit in this round
 * @shifted:      the latest round saw a queue, for all its scatter
 * @searched:     the window was searched for, and no queue seen since
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
	u32 bound;
	u32 rate;
	u32 rate_window;
	u16 limit;
	u16 least;
	u16 loss;
	u8 stalls : 2;
	u8 shifts : 2;
	u8 noise : 1;
	u8 holding : 1;
	u8 limited : 1;
	u8 shifted : 1;
	u8 searched : 1;
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

/* Add a raw RTT, us. */
void ndm_v5_sample(struct ndm_v5 *v, u32 rtt_us);

/* A round ended: renew the estimates, growth and the loss share. */
void ndm_v5_round(struct ndm_v5 *v, const struct ndm_v5_round *round);

/*
 * True when slow start should end: a queue builds, or (@min_rtt_us, us) ACKs
 * come without a gap for half a round trip, or more window brings no more rate,
 * or RTTs scatter so that none of these would be seen in time.
 * Asked after each sample at @now_us.
 */
bool ndm_v5_start_over(struct ndm_v5 *v, u32 now_us, u32 min_rtt_us);

/*
 * A search finds the queue a round late: what is left of @window (packets)
 * without the queue that it made, once after each search.
 */
u32 ndm_v5_drained(struct ndm_v5 *v, u32 window);

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
 * True when the latest packet that had come when a loss showed, one or two behind
 * the lost one, came late: it stood at the end of a full queue, however short
 * that queue is. On a path that scatters this says nothing.
 */
bool ndm_v5_behind_queue(const struct ndm_v5 *v);

/*
 * True when a loss at @window packets is noise: everything must speak for it.
 * @reordered is how often packets arrived out of order.
 */
bool ndm_v5_is_noise(const struct ndm_v5 *v, u32 window, u32 reordered);

#endif
