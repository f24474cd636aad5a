# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# A defect after which lockdep ends its work, so that this guest has no other.
mark inversion
insmod /planted.ko defect=inversion
rmmod planted
