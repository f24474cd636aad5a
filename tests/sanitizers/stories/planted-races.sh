# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Two CPUs count in one variable: by plain accesses, then by marked ones.
for defect in race race_marked; do
	mark "$defect"
	insmod /planted.ko defect=$defect
	rmmod planted
done
