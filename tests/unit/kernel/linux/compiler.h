/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_LINUX_COMPILER_H
#define MODEL_LINUX_COMPILER_H

#include <linux/types.h>

/* Marks for KCSAN, which is in the kernel alone. */
#define kcsan_disable_current() ((void)0)
#define kcsan_enable_current() ((void)0)

#endif
