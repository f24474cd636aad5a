# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Namespaces end while connections in them live; at last the module is removed while some of them still end.
insmod /tcp_ndm.ko variant=v5
echo ndm > /proc/sys/net/ipv4/tcp_congestion_control
ip link set lo up
stress readers 200 1 > /tmp/readers &
stress namespaces 150 > /tmp/namespaces
touch /tmp/end
settle test -s /tmp/readers
cat /tmp/readers /tmp/namespaces > /tmp/figures
at_least 150 namespaces
at_least 100 reads
echo cubic > /proc/sys/net/ipv4/tcp_congestion_control
unload
