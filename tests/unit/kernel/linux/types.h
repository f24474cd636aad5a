/* SPDX-License-Identifier: GPL-2.0 */
/* Types and small macros of the kernel, for src/module in userspace. */
#ifndef MODEL_LINUX_TYPES_H
#define MODEL_LINUX_TYPES_H

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

#include <ndm_types.h>

#define WRITE_ONCE(x, value) ((x) = (value))

#define __read_mostly
#define __init
#define __exit
#define PAGE_SIZE 4096

/* Of one type, as the kernel demands of its own (older ones refuse to mix). */
#define model_same_type(a, b) ((void)((__typeof__(a) *)1 == (__typeof__(b) *)1))

#define min(a, b) ({ __typeof__(a) min_a = (a); __typeof__(b) min_b = (b); \
	model_same_type(min_a, min_b); min_a < min_b ? min_a : min_b; })
#define max(a, b) ({ __typeof__(a) max_a = (a); __typeof__(b) max_b = (b); \
	model_same_type(max_a, max_b); max_a > max_b ? max_a : max_b; })
#define max3(a, b, c) ({ __typeof__(a) max3_ab = max(a, b); max(max3_ab, c); })
#define min3(a, b, c) ({ __typeof__(a) min3_ab = min(a, b); min(min3_ab, c); })
#define clamp(x, lo, hi) ({ __typeof__(x) clamp_low = max(x, lo); min(clamp_low, hi); })
#define max_t(type, a, b) ({ type max_ta = (a), max_tb = (b); max_ta > max_tb ? max_ta : max_tb; })
#define clamp_t(type, x, lo, hi) clamp((type)(x), (type)(lo), (type)(hi))
#define min_t(type, a, b) ({ type min_ta = (a), min_tb = (b); min_ta < min_tb ? min_ta : min_tb; })

#define BUILD_BUG_ON(condition) _Static_assert(!(condition), #condition)

#endif
