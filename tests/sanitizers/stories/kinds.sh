# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Connections of other kinds: restored by TCP_REPAIR, fast open, MPTCP with a second path, kTLS, over a path that drops and reorders.
insmod /tcp_ndm.ko
ip link set lo up
tc qdisc add dev lo root netem delay 1ms 1ms loss 0.3%
echo 0x603 > /proc/sys/net/ipv4/tcp_fastopen # without cookies
ip address add 10.8.0.1/32 dev lo
ip mptcp limits set subflow 4 add_addr_accepted 4
ip mptcp endpoint add 10.8.0.1 subflow
{
	stress repair 20
	stress fast_open 30
	stress mptcp 15
	stress tls 15
} > /tmp/figures
count_snmp TCPFastOpenPassive
awk '$1 == "MPTcpExt:" && !n { n = split($0, name); next }
	$1 == "MPTcpExt:" { for (i = 2; i <= n; i++) if (name[i] ~ /^MPJoin(Syn|Ack)Rx$/) print name[i], $i }' /proc/net/netstat >> /tmp/figures
at_least 20 repaired
at_least 30 fast_opened
at_least 25 TCPFastOpenPassive
at_least 15 mptcp
at_least 1 MPJoinAckRx
at_least 15 tls
unload
