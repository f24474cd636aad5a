# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# One defect after the other, but those after which lockdep ends its work. After a report of KASAN it ends as well, so PROVE_RCU is first.
for defect in rcu_outside shift index_beyond out_of_bounds use_after_free stack_out_of_bounds rcu_sleep sleep_in_atomic list_corruption \
	free_active; do
	mark "$defect"
	insmod /planted.ko defect=$defect
	rmmod planted
done
mark leak
insmod /planted.ko defect=leak
rmmod planted
