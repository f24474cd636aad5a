/* SPDX-License-Identifier: GPL-2.0 */
/*
 * All of src/module that computes, in one compile unit. Who includes this has ndm_count(), and VARIANT: what "ndm" is,
 * of enum ndm_algorithm.
 */
#include "../module/ndm.h"

/* The parameters alone are in a map of their own, so that ndmctl can write all of it. */
extern struct ndm_tuning ndm_tuning SEC(".data.tuning");

#include "../module/algorithm.c"

/* The module may change it, an object not. */
#define ndm_chosen ndm_chosen_at_first
#include "../module/tuning.c"
#undef ndm_chosen
u32 ndm_chosen = VARIANT;

/*
 * The verifier of Linux 7.3 follows every path through loops over sixteen samples. So here their smallest, their largest and their bin
 * are found without a branch; a bin is below NDM_BINS already.
 */
static __always_inline u32 either(u32 a, u32 b, u32 mask)
{
	return (a & mask) | (b & ~mask);
}

#define ndm_min(a, b) (!__builtin_constant_p(b) ? either(a, b, ndm_bit_where(~0U, a, b)) :	\
		       (b) == NDM_BINS - 1 ? (a) % NDM_BINS : ndm_min(a, b))
#define ndm_max(a, b) (!__builtin_constant_p(b) ? either(a, b, ndm_bit_where(~0U, b, a)) : ndm_max(a, b))
#include "../module/v1_v4/entropy.c"
#undef ndm_min
#undef ndm_max

/*
 * The verifier follows a global function once, by itself, with any numbers; others again wherever they are called. These
 * have the most paths.
 */
#define GLOBAL __attribute__((noinline, visibility("default")))

GLOBAL s32 ndm_tanh(s32 x);

GLOBAL u32 ndm_entropy_alone(struct ndm_history *history, u32 min_rtt_us)
{
	return history ? ndm_entropy(history, min_rtt_us) : 0;
}

#define ndm_entropy(history, min_rtt_us) ({ struct ndm_history of = *(history); ndm_entropy_alone(&of, min_rtt_us); })

#include "../module/v1_v4/callbacks.c"
#include "../module/v1_v4/flow.c"
#include "../module/v1_v4/network.c"
#include "../module/v1_v4/variants.c"
#include "../module/v5/v5.c"
#include "../module/v5/queue.c"
#include "../module/v5/growth.c"
#include "../module/v5/reorder.c"
#include "../module/v5/rounds.c"
#include "../module/v5/question.c"
#include "../module/v5/cubic.c"
