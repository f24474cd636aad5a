/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How fast cwnd grows in the next round. While no queue shows it follows the link: a twentieth
 * a round, while nothing is known of losses up to an eighth more than the cwnd that CUBIC would
 * have. With reordering it is a search. While a queue shows, or losses are this connection's
 * own, it is CUBIC's growth. While cwnd is not the limit, or v5 asks about losses, there is none.
 */
#ifndef NDM_V5_GROWTH_H
#define NDM_V5_GROWTH_H

#include "state.h"

/*
 * A round of @elapsed_us with @cwnd packets ended, in which @delivered arrived. A larger
 * cwnd that does not increase the rate only fills queues: count that as a stall.
 */
void ndm_growth_watch(struct ndm_v5 *v, u32 cwnd, bool slow_start, u32 delivered,
		      u32 elapsed_us);

/* Set the growth of the next round, from @cwnd packets. */
void ndm_growth_plan(struct sock *sk, struct ndm_v5 *v, u32 cwnd, u32 delivered,
		     u32 elapsed_us);

/*
 * A search sees the queue one round late: return to the cwnd at which a queue just
 * shows, but reduce by a quarter at most.
 */
void ndm_growth_drain(struct sock *sk, struct ndm_v5 *v);

#endif
