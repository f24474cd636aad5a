/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MODEL_LINUX_COMPILER_H
#define MODEL_LINUX_COMPILER_H

#include <linux/types.h>

#endif
