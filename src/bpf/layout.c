// SPDX-License-Identifier: GPL-2.0
/*
 * Where the fields of counts.h and the parameters are, for ndmctl. Never assembled: the compiler computes the numbers, and the Makefile takes the
 * lines that begin with -> out of what it writes, as the kernel does for its own assembler.
 *
 *   STRUCT BYTES, STRUCT.FIELD BYTES-BEFORE-IT, NAME NUMBER
 */
#include <stddef.h>

#include "counts.h"
#include "../module/stats.h"

#define SAY(name, number) asm volatile("\n->" name " %0" : : "i"(number))
#define SIZE(type) SAY(#type, sizeof(struct type))
#define AT(type, field) SAY(#type "." #field, offsetof(struct type, field))
#define NUMBER(name) SAY(#name, name)

void layout(void)
{
	SIZE(totals);
	AT(totals, connections);
	AT(totals, acked_bytes);
	AT(totals, sent_segments);
	AT(totals, retransmitted_segments);
	AT(totals, dsacks);
	AT(totals, reorderings);
	AT(totals, srtt_us);
	AT(totals, srtt);
	AT(totals, rate);
	AT(totals, rates);
	NUMBER(SRTT_FIRST);
	NUMBER(SRTT_FACTOR);
	NUMBER(SRTT_BOUNDS);
	NUMBER(RATE_FIRST);
	NUMBER(RATE_FACTOR);
	NUMBER(RATE_BOUNDS);
	SIZE(ndm_tuning);
#define NDM_PARAMETER(name, lowest, highest, initial, meaning) AT(ndm_tuning, name);
#include "../module/parameters.h"
#define NDM_COUNTER(id, name) SAY("counter." name, 8 * NDM_##id);
#include "../module/counters.h"
}
