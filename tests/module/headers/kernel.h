/* SPDX-License-Identifier: GPL-2.0 */
/* What every kernel has and no probe looks at. */
typedef unsigned int u32;
struct sock;
struct rate_sample;
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
