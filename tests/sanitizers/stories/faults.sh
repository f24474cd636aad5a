# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Each allocation fails once: of loading the module, of making a namespace with it, of connections that use it.
echo '' > /proc/sys/kernel/modprobe
echo N > /sys/kernel/debug/failslab/ignore-gfp-wait
echo 0 > /sys/kernel/debug/failslab/verbose
echo N > /sys/kernel/debug/fail_page_alloc/ignore-gfp-wait
echo 0 > /sys/kernel/debug/fail_page_alloc/verbose
ip link set lo up
traffic serve 5000 &
settle is_listening
stress faults load /tcp_ndm.ko 0 > /tmp/figures
insmod /tcp_ndm.ko
{
	stress faults namespace /dev/null 60 # the module comes last
	stress faults connect /dev/null 0
} >> /tmp/figures
at_least 50 failed_load
at_least 10 failed_namespace
at_least 10 failed_connect
unload
