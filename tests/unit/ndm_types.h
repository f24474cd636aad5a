/* SPDX-License-Identifier: GPL-2.0 */
/* What arith.h takes from the kernel, for a build in userspace. */
#ifndef NDM_TYPES_H
#define NDM_TYPES_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int32_t s32;
typedef int64_t s64;

#define OPTIMIZER_HIDE_VAR(x) __asm__("" : "+r"(x))
#define READ_ONCE(x) (x)
#define __packed __attribute__((packed))

#endif
