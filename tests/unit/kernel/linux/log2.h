/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_LINUX_LOG2_H
#define MODEL_LINUX_LOG2_H

static inline unsigned long roundup_pow_of_two(unsigned long n)
{
	unsigned long power = 1;

	while (power < n)
		power <<= 1;
	return power;
}

#endif
