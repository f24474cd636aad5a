// SPDX-License-Identifier: GPL-2.0
/*
 * The module as one compile unit. The kernel's headers are most of what the
 * compiler reads; so they are read once and not for each file, and DKMS takes
 * less than half the time. Each file stands by itself: tests/unit compiles
 * them one by one.
 */
#include "tcp_ndm_main.c"
#include "ndm_params.c"
#include "ndm_stats.c"
#include "ndm_flow_ops.c"
#include "ndm_flow.c"
#include "ndm_entropy.c"
#include "ndm_network.c"
#include "ndm_v1.c"
#include "ndm_v4.c"
#include "ndm_v5.c"
#include "ndm_judge.c"
#include "ndm_growth.c"
#include "ndm_hold.c"
#include "ndm_trial.c"
#include "ndm_yield.c"
#include "ndm_start.c"
#include "ndm_rounds.c"
#include "ndm_losses.c"
#include "ndm_cubic.c"
#include "ndm_rack.c"
