// SPDX-License-Identifier: GPL-2.0
/*
 * Module parameters. A value out of range fails with EINVAL, and the old value
 * stays. A valid one applies to every connection from its next update on, at
 * most 8 packets later.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "params.h"
#include "v5/v5.h"

/**
 * struct ndm_range - a numeric parameter of parameters.h
 * @value:   its field in ndm_tuning
 * @lowest:  smallest value allowed
 * @highest: largest value allowed
 */
struct ndm_range {
	u32 *value;
	u32 lowest;
	u32 highest;
};

static int ndm_range_set(const char *text, const struct kernel_param *kp)
{
	const struct ndm_range *range = kp->arg;
	u32 value;
	int err;

	err = kstrtou32(text, 10, &value);
	if (err)
		return -EINVAL;
	if (value < range->lowest || value > range->highest)
		return -EINVAL;
	WRITE_ONCE(*range->value, value);
	return 0;
}

static int ndm_range_get(char *buffer, const struct kernel_param *kp)
{
	const struct ndm_range *range = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%u\n", *range->value);
}

static const struct kernel_param_ops ndm_range_ops = {
	.set = ndm_range_set,
	.get = ndm_range_get,
};

#define NDM_PARAMETER(name, from, to, initial, meaning)			\
	static struct ndm_range ndm_range_of_##name = {			\
		.value = &ndm_tuning.name,				\
		.lowest = (from),					\
		.highest = (to),					\
	};								\
	module_param_cb(name, &ndm_range_ops, &ndm_range_of_##name, 0644); \
	MODULE_PARM_DESC(name, meaning " [" #from ".." #to "]");
#ifndef NDM_HAVE_RACK
#define NDM_PARAMETER_OF_RACK(name, from, to, initial, meaning)
#endif
#include "parameters.h"

static const char *const ndm_variant_names[NDM_ALGORITHMS] = {
	[NDM_ALGORITHM_V1] = "v1",
	[NDM_ALGORITHM_V4] = "v4",
	[NDM_ALGORITHM_V5] = "v5",
};

const char *ndm_chosen_name(void)
{
	return ndm_variant_names[READ_ONCE(ndm_chosen)];
}

static int ndm_variant_set(const char *text, const struct kernel_param *kp)
{
	unsigned int i;

	for (i = NDM_ALGORITHM_V1; i < NDM_ALGORITHMS; i++) {
		if (!sysfs_streq(text, ndm_variant_names[i]))
			continue;
		if (i == NDM_ALGORITHM_V5 && !ndm_v5_fits())
			return -EOPNOTSUPP;
		WRITE_ONCE(ndm_chosen, i);
		return 0;
	}
	return -EINVAL;
}

static int ndm_variant_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%s\n", ndm_chosen_name());
}

static const struct kernel_param_ops ndm_variant_ops = {
	.set = ndm_variant_set,
	.get = ndm_variant_get,
};

module_param_cb(variant, &ndm_variant_ops, NULL, 0644);
MODULE_PARM_DESC(variant, "what the algorithm ndm computes [v1|v4|v5]");
