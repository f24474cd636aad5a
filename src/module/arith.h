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
#include <ndm_types.h>	/* of tests/unit, or of src/bpf */
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

/* @x / @by, towards 0: BPF divides without sign. */
static inline s32 ndm_div(s32 x, u32 by)
{
	return x < 0 ? -(s32)((0 - (u32)x) / by) : (s32)((u32)x / by);
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

/*
 * @bit where @least <= @x, else 0; both below 2^63. Without a branch: BPF's verifier would follow
 * each of 2^16 paths through a loop that has one.
 */
static inline u32 ndm_bit_where(u32 bit, u64 least, u64 x)
{
	u64 beyond = (u64)((s64)(x - least) >> 63);

	OPTIMIZER_HIDE_VAR(beyond);
	return bit & ~beyond;
}

/* Integer square root, rounded down. */
static inline u32 ndm_sqrt(u32 x)
{
	u64 root = 0;
	u32 bit;

	for (bit = 1U << 15; bit; bit >>= 1)
		root |= ndm_bit_where(bit, (root | bit) * (root | bit), x);
	return root;
}

/* Integer cube root, rounded down, 2^18 - 1 at most: its cube fits 63 bits. */
static inline u32 ndm_cube_root(u64 x)
{
	u64 root = 0;
	u32 bit;

	for (bit = 1U << 17; bit; bit >>= 1) {
		u64 next = root | bit;

		root |= ndm_bit_where(bit, next * next * next, x);
	}
	return root;
}

#define NDM_LOGS 32

/* n * log2(n), scale 1024 (0 log 0 is 0). */
static const u32 ndm_nlogn[NDM_LOGS] = {
	0, 0, 2048, 4869, 8192, 11888, 15882, 20123, 24576, 29214, 34017,
	38967, 44052, 49260, 54582, 60010, 65536, 71155, 76860, 82648, 88513,
	94452, 100462, 106539, 112680, 118883, 125145, 131463, 137836, 144263,
	150740, 157266,
};

/* log2(n), scale 1024, linear between powers of two: error at most 0.09. */
static inline u32 ndm_log2(u32 n)
{
	u32 whole = 0, rest = n;

	while (rest > 1) {
		rest >>= 1;
		whole++;
	}
	return (whole << 10) + (((n << 10) >> whole) - 1024);
}

#endif
