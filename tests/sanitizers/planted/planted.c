// SPDX-License-Identifier: GPL-2.0
/*
 * One defect for each kind of checker, chosen by defect=NAME when the module is
 * loaded: a kernel that does not report them reports nothing of tcp_ndm either.
 */
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

static char *defect = "";
module_param(defect, charp, 0);

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);
static int __rcu *guarded;
static int value = 7;

/* Not known to the compiler, so that it neither computes nor warns. */
static volatile int eight = 8, sixty = 60, big = 0x7fffffff;

static void out_of_bounds(void)
{
	char *memory = kmalloc(8, GFP_KERNEL);

	memory[eight] = 1;
	kfree(memory);
}

static void shift(void)
{
	pr_info("shifted: %d\n", big << sixty);
}

static void rcu_outside(void)
{
	rcu_assign_pointer(guarded, &value);
	pr_info("read: %d\n", *rcu_dereference(guarded));
}

static void sleep_in_atomic(void)
{
	spin_lock(&first);
	kfree(kmalloc(64, GFP_KERNEL));
	spin_unlock(&first);
}

static void leak(void)
{
	int i;

	for (i = 0; i < 10; i++)
		memset(kmalloc(333, GFP_KERNEL), 1, 333);
}

static void inversion(void)
{
	spin_lock(&first);
	spin_lock(&second);
	spin_unlock(&second);
	spin_unlock(&first);
	spin_lock(&second);
	spin_lock(&first);
	spin_unlock(&first);
	spin_unlock(&second);
}

static const struct {
	const char *name;
	void (*plant)(void);
} defects[] = {
	{ "out_of_bounds", out_of_bounds },
	{ "shift", shift },
	{ "rcu_outside", rcu_outside },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "leak", leak },
	{ "inversion", inversion },
};

static int __init planted_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(defects); i++) {
		if (strcmp(defect, defects[i].name))
			continue;
		defects[i].plant();
		return 0;
	}
	return -EINVAL;
}

static void __exit planted_exit(void)
{
}

module_init(planted_init);
module_exit(planted_exit);
MODULE_DESCRIPTION("defects for the kernel's checkers to report");
MODULE_LICENSE("GPL v2");
