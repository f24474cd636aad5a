/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What must hold whatever a connection goes through. The model calls a congestion
 * control only through these functions; each compares the socket before and after.
 */
#ifndef INVARIANTS_H
#define INVARIANTS_H

#include "model.h"

/* A new connection begins: forget what was seen of the one before. */
void watch_open(void);

void watch_init(struct conn *c);
void watch_release(struct conn *c);
void watch_pkts_acked(struct conn *c, const struct ack_sample *sample);
void watch_cong_avoid(struct conn *c, u32 acked);
u32 watch_ssthresh(struct conn *c);
void watch_set_state(struct conn *c, u8 state);
u32 watch_undo_cwnd(struct conn *c);
void watch_event(struct conn *c, enum tcp_ca_event event);
/* As ss(8) does, at any moment: enum ndm_verdict. */
u32 watch_info(struct conn *c);

/* The kernel set cwnd to ssthresh as CWR or Recovery ended. */
void watch_reduction_end(struct conn *c);
/* The kernel may change cwnd by itself: nothing said of recoveries before holds. */
void watch_void_reduction(void);
/* ECN-Echo came, or the queue of this host is full, or nothing tells that from it. */
void watch_network_said(void);
/* The state became Loss because of a timeout. */
void watch_timeout(struct conn *c);
/* The path MTU set the state Loss; state and verdict from before it. */
void watch_mtu_fell(struct conn *c, u8 state_before, u32 verdict_before);

/* True once one was broken in the present connection. */
bool watch_failed(void);
/* A digest of all that the algorithm decided in it; the clock is no part of it. */
u64 watch_digest(void);

/*
 * TAP: a line for each invariant, which fails also when nothing ever asked for it,
 * and one for @more. Returns 0 when all hold.
 */
int watch_report(const char *more, bool more_holds);
/* What leads to the connection at hand, for the message of a failure. */
void watch_from(const char *replay);
/* Say what happens, call by call. */
extern bool watch_trace;
/* Go on after a failure: watch_failed() stays false. */
extern bool watch_all;

#endif
