// SPDX-License-Identifier: GPL-2.0
/* The parameters' values, as long as nobody sets them. */
#include "params.h"

u32 ndm_chosen = NDM_ALGORITHM_V1;

struct ndm_tuning ndm_tuning = {
#define NDM_PARAMETER(name, lowest, highest, initial, meaning) .name = (initial),
#include "parameters.h"
};
