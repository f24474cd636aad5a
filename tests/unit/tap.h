/* SPDX-License-Identifier: GPL-2.0 */
/* Minimal Test Anything Protocol output, one header for all unit tests. */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

static int tap_count, tap_failures;

__attribute__((format(printf, 2, 3)))
static inline void ok(int passed, const char *format, ...)
{
	va_list args;

	printf("%sok %d - ", passed ? "" : "not ", ++tap_count);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	putchar('\n');
	tap_failures += !passed;
}

static inline void is(long got, long wanted, const char *about)
{
	ok(got == wanted, "%s", about);
	if (got != wanted)
		printf("# got %ld, wanted %ld\n", got, wanted);
}

static inline int tap_done(void)
{
	printf("1..%d\n", tap_count);
	return tap_failures != 0;
}

/* Deterministic pseudo-random numbers (Marsaglia's xorshift32): same run, same numbers. */
static uint32_t tap_seed = 20261120;

static inline uint32_t tap_random(uint32_t below)
{
	tap_seed ^= tap_seed << 13;
	tap_seed ^= tap_seed >> 17;
	tap_seed ^= tap_seed << 5;
	return tap_seed % below;
}

#endif
