/* SPDX-License-Identifier: GPL-2.0 */
/* A module that the test loads by calling model_module_init(). */
#ifndef MODEL_LINUX_MODULE_H
#define MODEL_LINUX_MODULE_H

#include <linux/moduleparam.h>

#define THIS_MODULE NULL
#define KBUILD_MODNAME "tcp_ndm"
#define pr_info(...) ((void)0)

int model_module_init(void);
void model_module_exit(void);

#define module_init(function) int model_module_init(void) { return function(); } \
	_Static_assert(1, #function)
#define module_exit(function) void model_module_exit(void) { function(); } \
	_Static_assert(1, #function)
#define MODULE_AUTHOR(text) _Static_assert(1, text)
#define MODULE_LICENSE(text) _Static_assert(1, text)
#define MODULE_DESCRIPTION(text) _Static_assert(1, text)
#define MODULE_VERSION(text) _Static_assert(1, text)
#define MODULE_ALIAS(text) _Static_assert(1, text)

#endif
