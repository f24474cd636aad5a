/* SPDX-License-Identifier: GPL-2.0 */
/* What v1, v4 and v5 share: verdicts, the identity of a connection, the parameters' values. */
#ifndef NDM_H
#define NDM_H

#include "arith.h"

/* The verdict on a loss event. ss(8) shows the numbers: append only. */
enum ndm_verdict {
	NDM_NO_DATA,	/* too few RTTs, or no recent one */
	NDM_CONGESTION,	/* v1, v4: entropy at or below the threshold */
	NDM_NOISE,	/* v1, v4: entropy above the threshold; v5: none of the others */
	NDM_QUEUE,	/* v5: the mean RTT is above the base */
	NDM_OWN,	/* v5: losses ended when it sent less, or became more since */
	NDM_LOSS_SHARE,	/* v5: more than 1/512 was lost: it asks; with reordering a sixth */
	NDM_PLATEAU,	/* a verdict of earlier versions, like the next: the numbers stay */
	NDM_BOUND,
	NDM_ECN,	/* ECN-Echo, or a full queue of this host */
	NDM_TIMEOUT,	/* RTO */
	NDM_VERDICTS
};

/* Names that the module registers. */
enum ndm_algorithm {
	NDM_ALGORITHM_CHOSEN,	/* "ndm": the variant that the parameter names */
	NDM_ALGORITHM_V1,
	NDM_ALGORITHM_V4,
	NDM_ALGORITHM_V5,
	NDM_ALGORITHMS
};

/**
 * struct ndm_id - identity of a connection; first member of every state
 * @algorithm: enum ndm_algorithm, the name that was selected
 * @v5:        the state is struct ndm_v5, else struct ndm_flow
 * @counted:   the gauge of open connections of @algorithm includes this one
 */
struct ndm_id {
	u8 algorithm : 2;
	u8 v5 : 1;
	u8 counted : 1;
};

/**
 * struct ndm_tuning - the parameters; ranges and defaults are in params.c
 * @entropy_threshold:   entropy above which the verdict is noise, 0..1000
 * @keep_congestion:     share of cwnd kept on congestion, of 1000
 * @keep_noise:          share of cwnd kept on noise, of 1000
 * @congestion_divisor:  divisor of growth on congestion; 1000 is full growth
 * @noise_divisor:       divisor of growth on noise; 1000 is full growth
 * @v4_start_gradient:   RTT gradient above which slow start grows at half
 *                       speed, 100 per ms
 * @v4_delay_high:       queuing delay above which @v4_delay_divisor applies,
 *                       1000 is one minimum RTT
 * @v4_gradient_high:    RTT gradient above which @v4_gradient_divisor applies,
 *                       100 per ms
 * @v4_delay_divisor:    divisor while @v4_delay_high is exceeded
 * @v4_gradient_divisor: divisor while @v4_gradient_high is exceeded
 * @rack_assist:         v5: 1 makes RACK wait for reordered packets, 0 does not
 * @queue_ms:            v5: queue that a connection alone in it keeps, ms; 0: any
 *
 * Setters write it while connections read it, hence READ_ONCE().
 */
struct ndm_tuning {
	u32 entropy_threshold;
	u32 keep_congestion;
	u32 keep_noise;
	u32 congestion_divisor;
	u32 noise_divisor;
	u32 v4_start_gradient;
	u32 v4_delay_high;
	u32 v4_gradient_high;
	u32 v4_delay_divisor;
	u32 v4_gradient_divisor;
	u32 rack_assist;
	u32 queue_ms;
};

#endif
