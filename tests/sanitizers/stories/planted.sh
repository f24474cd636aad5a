# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# One defect after the other. After a report of KASAN or on the order of locks lockdep ends its work: it is first.
for defect in rcu_outside sleep_in_atomic inversion shift out_of_bounds leak; do
	mark "$defect"
	insmod /planted.ko defect=$defect
	rmmod planted
done
