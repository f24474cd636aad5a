# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# One connection over a wire on which events happen at exact packets; see wire.c.

# path_wire [ATTRIBUTE VALUE...]: attributes of the route to the peer, such as initcwnd.
# shellcheck disable=SC2317 # on_sender and report_drops are called by lab.sh
path_wire() {
	# One packet per buffer of the kernel, so that losses and acknowledgements are counted in packets of the wire.
	ip tuntap add dev wire0 mode tun
	ip link set wire0 up mtu 1500 txqueuelen 5000 gso_max_segs 1
	ip address add 10.9.0.1/24 dev wire0
	ip route add 10.9.0.2/32 dev wire0 "$@"
	# The receiver's window is never the limit.
	set_ipv4 tcp_rmem '4096 6291456 6291456'
	on_sender() { "$@"; }
	report_drops() { :; }
}

# set_ipv4 NAME VALUE: a sysctl of IPv4 and TCP.
set_ipv4() { echo "$2" > "/proc/sys/net/ipv4/$1"; }

# send_wire NAME=VALUE...: the words of wire.c. Afterwards the module's parameters and counters.
send_wire() {
	wire device=wire0 from=10.9.0.1 to=10.9.0.2 port=5000 "$@"
	(cd /sys/module/tcp_ndm/parameters && grep . ./*) | sed 's,^\./,count parameter_,; s/:/ /'
	report
}
