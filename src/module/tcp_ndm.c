// SPDX-License-Identifier: GPL-2.0
/*
 * The module as one compile unit. The kernel's headers are most of what the
 * compiler reads; so they are read once and not for each file, and DKMS takes
 * less than half the time. Each file stands by itself: tests/unit compiles
 * them one by one.
 */
#include "main.c"
#include "algorithm.c"
#include "params.c"
#include "tuning.c"
#include "stats.c"
#include "v1_v4/callbacks.c"
#include "v1_v4/flow.c"
#include "v1_v4/entropy.c"
#include "v1_v4/network.c"
#include "v1_v4/variants.c"
#include "v5/v5.c"
#include "v5/queue.c"
#include "v5/growth.c"
#include "v5/reorder.c"
#include "v5/rounds.c"
#include "v5/question.c"
#include "v5/cubic.c"
