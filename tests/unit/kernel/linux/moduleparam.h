/* SPDX-License-Identifier: GPL-2.0 */
/* Module parameters: each registers itself, tests set them by name. */
#ifndef MODEL_LINUX_MODULEPARAM_H
#define MODEL_LINUX_MODULEPARAM_H

#include <linux/types.h>

struct kernel_param;

struct kernel_param_ops {
	int (*set)(const char *text, const struct kernel_param *kp);
	int (*get)(char *buffer, const struct kernel_param *kp);
};

struct kernel_param {
	const char *name;
	const struct kernel_param_ops *ops;
	void *arg;
	const struct kernel_param *next;
};

void model_param_add(struct kernel_param *param);
/* Returns what the module's setter returns; -ENOENT for an unknown name. */
int model_param_set(const char *name, const char *text);

#define module_param_cb(id, its_ops, its_arg, mode)				\
	__attribute__((constructor)) static void model_param_##id(void)	\
	{									\
		static struct kernel_param param = {				\
			.name = #id, .ops = (its_ops), .arg = (its_arg),	\
		};								\
		model_param_add(&param);					\
	}									\
	_Static_assert((mode) <= 0777, #id)

#define MODULE_PARM_DESC(id, text) _Static_assert(sizeof(text) > 1, #id)

int kstrtou32(const char *text, unsigned int base, u32 *value);
bool sysfs_streq(const char *a, const char *b);
#define scnprintf(buffer, size, ...) snprintf(buffer, size, __VA_ARGS__)

#endif
