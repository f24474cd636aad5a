/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the kernel paces a connection: while losses are chance, from one that is noise to the next
 * that is not. A policer, or a FIFO of a few packets, drops less of what is paced.
 *
 * After any other verdict v5 is CUBIC, which is not paced: beside CUBIC in a full FIFO paced
 * packets are lost more often, and on one of an LTE link v5 had half of its rate.
 */
#ifndef NDM_V5_PACE_H
#define NDM_V5_PACE_H

#include <net/tcp.h>

/*
 * Begin or end; call it with each ACK. Nothing changes where the queue of the device paces
 * (fq), or while the application has set a largest rate (SO_MAX_PACING_RATE). The kernel stamps
 * a packet with the time at which pacing would send it; sent at once, it would have too small an
 * RTT. So pacing ends with the first ACK for which no such time is to come. Newer kernels set the
 * application's rate without the lock of the socket: one that is set within the nanoseconds of such
 * an end holds from the next noise on, or at once where fq paces.
 */
void ndm_pace(struct sock *sk, bool wanted);

/*
 * The next algorithm takes the connection over: pacing ends at once, and so does the time to come.
 * BPF cannot write that. There pacing goes on if it delayed a packet at this moment.
 */
void ndm_pace_release(struct sock *sk);

#endif
