/* SPDX-License-Identifier: GPL-2.0 */
/* Connections with trials of a larger cwnd; see ndm_trial.h. */
#ifndef TRIAL_H
#define TRIAL_H

#include "play.h"

#include "../../src/module/ndm_trial.h"

#define RTT_US (50 * MS)

/* A bulk transfer at @cwnd packets, with the parameter trials=@trials. */
static inline struct conn *open_at(const char *trials, u32 cwnd)
{
	static struct conn c;

	model_param_set("trials", trials);
	begin(&c, "ndm_v5", START_US, RTT_US, cwnd);
	v5(&c)->cubic.cut = true; /* as after a loss: else it grows by a twentieth per round */
	rounds(&c, 30, RTT_US, 0);
	return &c;
}

#endif
