/* SPDX-License-Identifier: GPL-2.0 */
/* Module parameters, validated when written; parameters.h has them. */
#ifndef NDM_PARAMS_H
#define NDM_PARAMS_H

#include "ndm.h"

/* Current values of all numeric parameters; read with READ_ONCE(). */
extern struct ndm_tuning ndm_tuning;

/*
 * The variant of the algorithm "ndm": NDM_ALGORITHM_V1, _V4 or _V5; read with
 * READ_ONCE(). An open connection never changes from or to v5.
 */
extern u32 ndm_chosen;

/* Its name in the parameter `variant`. */
const char *ndm_chosen_name(void);

#endif
