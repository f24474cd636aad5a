# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# A flood of SYNs that the kernel answers with cookies, beside connections that are made from cookies and have our algorithm.
insmod /tcp_ndm.ko
echo ndm_v5 > /proc/sys/net/ipv4/tcp_congestion_control
echo 8 > /proc/sys/net/ipv4/tcp_max_syn_backlog
echo 8 > /proc/sys/net/core/somaxconn
ip link set lo up
ip address add 10.8.0.1/32 dev lo
ip link add hole type dummy
ip link set hole up
ip route add 10.9.0.0/16 dev hole
stress sink 5001 200 > /tmp/sink &
stress churn 10.8.0.1 5001 -15 3 > /tmp/churn &
stress flood 5001 15 > /tmp/flood
touch /tmp/end
wait
cat /tmp/sink /tmp/churn /tmp/flood > /tmp/figures
count_snmp SyncookiesSent SyncookiesRecv
at_least 5000 syns
at_least 1000 SyncookiesSent
at_least 20 SyncookiesRecv
at_least 20 connections
