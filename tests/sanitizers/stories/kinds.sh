# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Connections of other kinds: restored by TCP_REPAIR, fast open, MPTCP, kTLS, over a path that drops and reorders.
insmod /tcp_ndm.ko
ip link set lo up
tc qdisc add dev lo root netem delay 1ms 1ms loss 0.3%
echo 0x603 > /proc/sys/net/ipv4/tcp_fastopen # without cookies
{
	stress repair 20
	stress fast_open 30
	stress mptcp 15
	stress tls 15
} > /tmp/figures
count_snmp TCPFastOpenPassive
at_least 20 repaired
at_least 30 fast_opened
at_least 25 TCPFastOpenPassive
at_least 15 mptcp
at_least 15 tls
unload
