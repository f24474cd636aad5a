/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fixed-width types and small helpers for the files that include no kernel
 * header, which the unit tests compile unchanged.
 */
#ifndef NDM_ARITH_H
#define NDM_ARITH_H

#ifdef __KERNEL__
#include <linux/compiler.h>
#include <linux/string.h>
#include <linux/types.h>
#else
#include <ndm_userspace.h>	/* tests/unit */
#endif

/* Fixed point, unless stated otherwise: 1000 is 1.0. */
#define NDM_SCALE 1000

static inline u32 ndm_min(u32 a, u32 b)
{
	return a < b ? a : b;
}

static inline u32 ndm_max(u32 a, u32 b)
{
	return a > b ? a : b;
}

static inline s32 ndm_clamp(s32 x, s32 lo, s32 hi)
{
	return x < lo ? lo : x > hi ? hi : x;
}

/*
 * @x * @part / @whole without a division of 64 bits; @part is at most twice @whole. Exact to
 * 2^-14 of @x.
 */
static inline u32 ndm_part_of(u32 x, u32 part, u32 whole)
{
	while ((part | whole) >> 16) {
		part >>= 1;
		whole >>= 1;
	}
	return (u64)x * ((part << 15) / ndm_max(whole, 1)) >> 15;
}

/* Integer square root, rounded down. */
static inline u32 ndm_sqrt(u32 x)
{
	u32 root = 0, bit = 1U << 30;

	while (bit > x)
		bit >>= 2;
	while (bit) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
		bit >>= 2;
	}
	return root;
}

#endif
