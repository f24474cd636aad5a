# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# TCP has too little memory for its connections, then one in fifty allocations that may not wait fails.
insmod /tcp_ndm.ko
ip link set lo up
tc qdisc add dev lo root netem delay 20ms limit 100000
stress sink 5001 200 > /tmp/sink &
echo 20 40 400 > /proc/sys/net/ipv4/tcp_mem # pages
stress churn 127.0.0.1 5001 12 10 > /tmp/churn
echo 22470 29970 44940 > /proc/sys/net/ipv4/tcp_mem
failing=/sys/kernel/debug/failslab
echo N > $failing/task-filter
echo Y > $failing/ignore-gfp-wait
echo 0 > $failing/verbose
echo -1 > $failing/times
echo 2 > $failing/probability
stress churn 127.0.0.1 5001 12 4 >> /tmp/churn
echo 0 > $failing/probability
touch /tmp/end
wait
cat /tmp/sink /tmp/churn > /tmp/figures
count_snmp TCPMemoryPressures TCPTimeouts
at_least 1 TCPMemoryPressures
at_least 1 TCPTimeouts
at_least 50 connections
