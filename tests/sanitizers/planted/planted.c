// SPDX-License-Identifier: GPL-2.0
/*
 * One defect for each checker of the kernel, chosen by defect=NAME when the
 * module is loaded. A checker that does not report its own reports nothing of
 * tcp_ndm either.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/timer.h>

static char *defect = "";
module_param(defect, charp, 0);

static DEFINE_SPINLOCK(first);
static DEFINE_SPINLOCK(second);
static DEFINE_SPINLOCK(third);
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

static void use_after_free(void)
{
	char *memory = kmalloc(64, GFP_KERNEL);

	kfree(memory);
	WRITE_ONCE(memory[eight], 1);
}

static void stack_out_of_bounds(void)
{
	char memory[8];

	memset(memory, 0, sizeof(memory));
	*(volatile char *)(memory + eight) = 1;
}

static void shift(void)
{
	pr_info("shifted: %d\n", big << sixty);
}

static void index_beyond(void)
{
	static int table[8];

	pr_info("beyond: %d\n", table[eight]);
}

static void rcu_outside(void)
{
	rcu_assign_pointer(guarded, &value);
	pr_info("read: %d\n", *rcu_dereference(guarded));
}

static void rcu_sleep(void)
{
	rcu_read_lock();
	msleep(1);
	rcu_read_unlock();
}

static void sleep_in_atomic(void)
{
	spin_lock(&first);
	kfree(kmalloc(64, GFP_KERNEL));
	spin_unlock(&first);
}

static void list_corruption(void)
{
	LIST_HEAD(head);
	struct list_head one, two;

	list_add(&one, &head);
	list_add(&two, &head);
	one.prev = &head;
	list_del(&one);
}

static void do_nothing(struct timer_list *unused)
{
}

static void free_active(void)
{
	struct timer_list *timer = kzalloc(sizeof(*timer), GFP_KERNEL);

	timer_setup(timer, do_nothing, 0);
	timer->expires = jiffies + 1000 * HZ;
	add_timer(timer);
	kfree(timer);	/* ODEBUG also deletes it, so that the guest lives on */
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

static void irq_unsafe_timer(struct timer_list *unused)
{
	spin_lock(&third);
	spin_unlock(&third);
}

/* A lock of a timer, as of every callback of TCP, taken with softirqs on. */
static void softirq_unsafe(void)
{
	static DEFINE_TIMER(timer, irq_unsafe_timer);

	mod_timer(&timer, jiffies + 1);
	msleep(50);
	del_timer_sync(&timer);
	spin_lock(&third);
	spin_unlock(&third);
}

static int shared;

static int count_plain(void *unused)
{
	while (!kthread_should_stop()) {
		shared++;
		cond_resched();
	}
	return 0;
}

/* It loses counts as well, but every access is marked: no race to KCSAN. */
static int count_marked(void *unused)
{
	while (!kthread_should_stop()) {
		WRITE_ONCE(shared, READ_ONCE(shared) + 1);
		cond_resched();
	}
	return 0;
}

static void run_on_each_cpu(int (*run)(void *unused))
{
	struct task_struct *tasks[2];
	int i;

	for (i = 0; i < 2; i++) {
		tasks[i] = kthread_create(run, NULL, "planted/%d", i);
		kthread_bind(tasks[i], i);
		wake_up_process(tasks[i]);
	}
	msleep(3000);
	for (i = 0; i < 2; i++)
		kthread_stop(tasks[i]);
	pr_info("counted: %d\n", READ_ONCE(shared));
}

static void race(void)
{
	run_on_each_cpu(count_plain);
}

static void race_marked(void)
{
	run_on_each_cpu(count_marked);
}

static const struct {
	const char *name;
	void (*plant)(void);
} defects[] = {
	{ "out_of_bounds", out_of_bounds },
	{ "use_after_free", use_after_free },
	{ "stack_out_of_bounds", stack_out_of_bounds },
	{ "shift", shift },
	{ "index_beyond", index_beyond },
	{ "rcu_outside", rcu_outside },
	{ "rcu_sleep", rcu_sleep },
	{ "sleep_in_atomic", sleep_in_atomic },
	{ "list_corruption", list_corruption },
	{ "free_active", free_active },
	{ "leak", leak },
	{ "inversion", inversion },
	{ "softirq_unsafe", softirq_unsafe },
	{ "race", race },
	{ "race_marked", race_marked },
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
