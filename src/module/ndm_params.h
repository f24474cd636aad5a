/* SPDX-License-Identifier: GPL-2.0 */
/* Module parameters, validated when written; ranges stand in ndm_params.c. */
#ifndef NDM_PARAMS_H
#define NDM_PARAMS_H

#include "ndm_flow.h"

/* Live values of all numeric parameters; read with READ_ONCE(). */
extern struct ndm_tuning ndm_tuning;

/* What the algorithm named "ndm" computes now; read with READ_ONCE(). */
extern const struct ndm_variant *ndm_chosen_variant;

#endif
