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
 * struct ndm_range - a numeric parameter
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

#define NDM_RANGE(field, from, to) {		\
	.value = &ndm_tuning.field,		\
	.lowest = (from),			\
	.highest = (to),			\
}

/*
 * A share is at most 900, because a smaller reduction hardly yields to others. A
 * divisor is at least 1000, because with less cwnd would grow faster than Reno's.
 */
static struct ndm_range ndm_entropy_threshold = NDM_RANGE(entropy_threshold, 0, 1000);
module_param_cb(entropy_threshold, &ndm_range_ops, &ndm_entropy_threshold, 0644);
MODULE_PARM_DESC(entropy_threshold, "entropy above which RTT scatter is noise [0..1000]");

static struct ndm_range ndm_keep_congestion = NDM_RANGE(keep_congestion, 100, 900);
module_param_cb(keep_congestion, &ndm_range_ops, &ndm_keep_congestion, 0644);
MODULE_PARM_DESC(keep_congestion, "share of cwnd kept on congestion, of 1000 [100..900]");

static struct ndm_range ndm_keep_noise = NDM_RANGE(keep_noise, 100, 900);
module_param_cb(keep_noise, &ndm_range_ops, &ndm_keep_noise, 0644);
MODULE_PARM_DESC(keep_noise, "share of cwnd kept on noise, of 1000 [100..900]");

static struct ndm_range ndm_congestion_divisor = NDM_RANGE(congestion_divisor, 1000, 32000);
module_param_cb(congestion_divisor, &ndm_range_ops, &ndm_congestion_divisor, 0644);
MODULE_PARM_DESC(congestion_divisor, "divisor of growth toward congestion [1000..32000]");

static struct ndm_range ndm_noise_divisor = NDM_RANGE(noise_divisor, 1000, 32000);
module_param_cb(noise_divisor, &ndm_range_ops, &ndm_noise_divisor, 0644);
MODULE_PARM_DESC(noise_divisor, "divisor of growth toward noise [1000..32000]");

static struct ndm_range ndm_v4_start_gradient = NDM_RANGE(v4_start_gradient, 0, 1000);
module_param_cb(v4_start_gradient, &ndm_range_ops, &ndm_v4_start_gradient, 0644);
MODULE_PARM_DESC(v4_start_gradient, "v4: RTT gradient that halves slow start, 100 per ms [0..1000]");

static struct ndm_range ndm_v4_delay_high = NDM_RANGE(v4_delay_high, 0, 1000);
module_param_cb(v4_delay_high, &ndm_range_ops, &ndm_v4_delay_high, 0644);
MODULE_PARM_DESC(v4_delay_high, "v4: queuing delay that slows growth, of minimum RTT [0..1000]");

static struct ndm_range ndm_v4_gradient_high = NDM_RANGE(v4_gradient_high, 0, 1000);
module_param_cb(v4_gradient_high, &ndm_range_ops, &ndm_v4_gradient_high, 0644);
MODULE_PARM_DESC(v4_gradient_high, "v4: RTT gradient that slows growth, 100 per ms [0..1000]");

static struct ndm_range ndm_v4_delay_divisor = NDM_RANGE(v4_delay_divisor, 1000, 32000);
module_param_cb(v4_delay_divisor, &ndm_range_ops, &ndm_v4_delay_divisor, 0644);
MODULE_PARM_DESC(v4_delay_divisor, "v4: divisor above v4_delay_high [1000..32000]");

static struct ndm_range ndm_v4_gradient_divisor = NDM_RANGE(v4_gradient_divisor, 1000, 32000);
module_param_cb(v4_gradient_divisor, &ndm_range_ops, &ndm_v4_gradient_divisor, 0644);
MODULE_PARM_DESC(v4_gradient_divisor, "v4: divisor above v4_gradient_high [1000..32000]");

static struct ndm_range ndm_queue_ms = NDM_RANGE(queue_ms, 0, 1000);
module_param_cb(queue_ms, &ndm_range_ops, &ndm_queue_ms, 0644);
MODULE_PARM_DESC(queue_ms, "v5: queue that a connection alone in it keeps, ms, 0: any [0..1000]");

#ifdef NDM_HAVE_RACK
static struct ndm_range ndm_rack_assist = NDM_RANGE(rack_assist, 0, 1);
module_param_cb(rack_assist, &ndm_range_ops, &ndm_rack_assist, 0644);
MODULE_PARM_DESC(rack_assist, "v5: let RACK wait once reordering is proven [0..1]");
#endif

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
