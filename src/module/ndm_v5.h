/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Variant v5: CUBIC that does not reduce cwnd on random loss. src/README.md says
 * how it works and why.
 */
#ifndef NDM_V5_H
#define NDM_V5_H

#include <net/tcp.h>

#include "ndm_cubic.h"
#include "ndm_flow.h"
#include "ndm_losses.h"
#include "ndm_rounds.h"

struct tcp_dctcp_info;

/* A larger cwnd that has not increased the rate so many times in a row: congestion. */
#define NDM_V5_STALLS 3

/* Units of 2^6 us: 16 bits of them hold 4 s. */
#define NDM_V5_UNIT_SHIFT 6

/**
 * struct ndm_v5 - state of one connection, within ICSK_CA_PRIV_SIZE
 * @id:              identity of the connection
 * @verdict:         enum ndm_verdict of the latest loss event
 * @reached:         cwnd has reached what the trial allows
 * @settle:          counts that must come before the next trial, 0..3
 * @reordered:       rounds for which the latest reordering still counts
 * @reord_seen:      tp->reord_seen at the start of the round, low 8 bits
 * @rounds:          RTTs of this round, estimates from earlier ones
 * @cubic:           growth while nothing is lost
 * @losses:          loss events so far
 * @round_start_pkts: tp->delivered when this round began, wraps
 * @round_start_us:  when this round began, or its train of ACKs (ndm_start.c), low 32 bits of
 *                   tcp_mstamp; they wrap, see ndm_v5_cwnd_event()
 * @sampled_us:      time of the newest RTT sample, low 32 bits of tcp_mstamp
 * @cut_from_pkts:   cwnd before a cut that may still be undone; 0 otherwise
 * @rate:            best delivery rate since @rate_cwnd, packets per 2^20 us
 * @rate_cwnd:       cwnd when @rate was last set, packets, at most 65535
 * @lost_before:     tp->lost at the start of the round, low 16 bits
 * @least:           smallest RTT of this round, units, rounded up; 0 before the
 *                   first
 * @wait:            how long a packet may be in flight, units, at most the RTO;
 *                   falls by 1/32 per round
 * @hold_until_tick: with @holding: when the hold ends, low 16 bits, at most 33 s
 *                   ahead
 * @trial_units:     else: packets counted by the present trial, units of 32
 * @trial_lost:      else: how many of them were lost, at most 63
 * @trial_pkts:      the cwnd that trials allow, packets; 0 without one
 * @known_units:     packets counted before, units of 32; @losses has how many of them
 *                   were lost
 * @stalls:          times in a row that a larger cwnd has not increased the rate,
 *                   0..3
 * @doubts:          rounds in a row that indicate congestion in a recovery that
 *                   keeps cwnd, 0..3
 * @noise:           the present recovery keeps cwnd
 * @limited:         cwnd was the limit in this round
 * @queue:           the latest round indicates a queue, beyond its jitter
 * @searched:        v5 searched for a larger cwnd and has seen no queue since
 * @assisted:        RACK's wait is the one that v5 set
 * @behind:          RTT samples while a packet is missing, since the latest loss event,
 *                   0..3
 * @behind_late:     one of them was late
 * @behind_early:    one of them was in time, or late by no more than a burst
 * @holding:         ssthresh is 1, so that this recovery sends nothing yet
 * @train:           each sample since @round_start_us closely followed the one before
 * @settling:        recovery is over, @cut_from_pkts will be confirmed
 */
struct ndm_v5 {
	struct ndm_id id;
	u8 verdict : 4;
	u8 settle : 2;
	u8 reached : 1;
	u8 reordered;
	u8 reord_seen;
	struct ndm_rounds rounds;
	struct ndm_cubic cubic;
	struct ndm_losses losses;
	u32 round_start_pkts;
	u32 round_start_us;
	u32 sampled_us;
	u32 cut_from_pkts;
	u32 rate;
	u16 rate_cwnd;
	u16 lost_before;
	u16 least;
	u16 wait;
	union {
		u16 hold_until_tick;
		struct {
			u16 trial_units : 10;
			u16 trial_lost : 6;
		};
	};
	u16 trial_pkts;
	u16 known_units;
	u8 stalls : 2;
	u8 doubts : 2;
	u8 noise : 1;
	u8 limited : 1;
	u8 queue : 1;
	u8 searched : 1;
	u8 assisted : 1;
	u8 behind : 2;
	u8 behind_late : 1;
	u8 behind_early : 1;
	u8 holding : 1;
	u8 train : 1;
	u8 settling : 1;
};

/*
 * Raise ssthresh in a recovery that keeps cwnd. With more than ssthresh in flight, as after
 * a late cut, the kernel lets the share ssthresh / prior_cwnd of all that the recovery has
 * delivered be sent. Above 1 that would be a burst, of a whole cwnd and more in a long
 * recovery. So this raises prior_cwnd as well.
 */
void ndm_v5_raise_kept(struct tcp_sock *tp, u32 ssthresh);

/*
 * Call it with each ACK. In a recovery that keeps cwnd, the kernel sends a packet for each
 * delivered one, and what was lost is missing in flight until the recovery ends. With much
 * random loss there is always a recovery. So amid reordering, and with a trial, this lets it
 * send one more for an ACK until cwnd is in flight.
 */
void ndm_v5_fill(struct sock *sk, const struct ndm_v5 *v);

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
