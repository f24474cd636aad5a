/* SPDX-License-Identifier: GPL-2.0 */
/* Connections with trials of a larger cwnd, and the paths that they are played on; see ndm_trial.h. */
#ifndef TRIAL_H
#define TRIAL_H

#include "play.h"

#include "../../src/module/ndm_trial.h"

#define RTT_US (50 * MS)

/* Of @pkts packets of a round, how many the path loses. */
typedef u32 (*losing)(u32 pkts, u32 of);

/* Each with a chance of 1 in @of. */
static inline u32 by_chance(u32 pkts, u32 of)
{
	u32 lost = 0;

	while (pkts--)
		lost += !tap_random(of);
	return lost;
}

static u32 lost; /* of the round before */
static u32 tried; /* rounds of trials */

/*
 * @n rounds. A loss is found in the round after that in which the packet was sent.
 * Returns the mean flight of the last half, packets.
 */
static inline u32 play(struct conn *c, u32 n, losing path, u32 argument)
{
	u32 sum = 0, i;

	for (i = 0; i < n && !watch_failed(); i++) {
		u32 flight = c->tp.packets_out;

		if (i >= n / 2)
			sum += flight;
		if (lost && flight > 4)
			loss_event(c, min(lost, flight / 4), RTT_US);
		else
			rounds(c, 1, RTT_US, 0);
		lost = path(flight, argument);
		tried += ndm_trial_runs(v5(c));
	}
	return sum / (n - n / 2);
}

static inline struct conn *open_at(const char *trials, u32 cwnd)
{
	static struct conn c;

	model_param_set("trials", trials);
	lost = tried = 0;
	begin(&c, "ndm_v5", START_US, RTT_US, cwnd);
	v5(&c)->cubic.cut = true; /* as after a loss: else it grows by a twentieth per round */
	rounds(&c, 30, RTT_US, 0);
	return &c;
}

#endif
