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

/*
 * The parameters' values; units and meaning are in parameters.h. Setters write it
 * while connections read it, hence READ_ONCE().
 */
struct ndm_tuning {
#define NDM_PARAMETER(name, lowest, highest, initial, meaning) u32 name;
#include "parameters.h"
};

#endif
