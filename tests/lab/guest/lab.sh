# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What a cell is made of; read by the guest before the cell. What goes to standard output reaches the host, a word first that says
# what the line is: `flow JSON`, `trace JSON`, `qdisc NAME JSON`, `count NAME VALUE`.
set -eu

# Applets of busybox would shadow these two.
ip() { /sbin/ip "$@"; }
tc() { /sbin/tc "$@"; }

# use_seed N: the same N gives the same course of netem.
use_seed() { traffic seed "$1"; }

# use_ndm [PARAMETER=VALUE...]: loads the module under test.
use_ndm() { insmod /tcp_ndm.ko "$@"; }

# use_extra PATH: the file that the host handed in with this cell, if any.
use_extra() { cat "$extra" > "$1"; }

# settle COMMAND...: waits until it succeeds, in steps of virtual milliseconds.
settle() {
	tries=0
	until "$@" > /dev/null 2>&1; do
		tries=$((tries + 1))
		[ $tries -lt 2000 ]
		usleep 1000
	done
}

is_listening() { grep -q ':1388 .* 0A ' /proc/net/tcp6; } # port 5000

# tune COMMAND...: the kernel settings of a host, through a command that runs others there. $sysctls is the cell's: words NAME=VALUE
# below net.ipv4, commas for the spaces of a value.
sysctls=
tune() {
	for word in $sysctls; do
		"$@" sh -c "echo '${word#*=}' | tr , ' ' > /proc/sys/net/ipv4/${word%%=*}"
	done
}

# path_loopback NETEM...: sender and receiver on one host, 64 KB packets, as in the seeds; no word: no netem.
path_loopback() {
	ip link set lo up
	tune env
	[ $# -eq 0 ] || tc qdisc add dev lo root netem limit 100000 "$@"
	traffic serve 5000 &
	settle is_listening
	on_sender() { "$@"; }
	receiver=127.0.0.1
	report_drops() { echo "qdisc path $(tc -s -j qdisc show dev lo)"; }
}

# flows NAME=VALUE...: `traffic send` from the sender to the receiver.
flows() { on_sender traffic send to="$receiver" "$@"; }

# report: the counters that belong to the sender and the path.
report() {
	report_drops
	on_sender cat /proc/net/netstat | awk '
		$1 == "TcpExt:" && !n { n = split($0, name); next }
		$1 == "TcpExt:" { for (i = 2; i <= n; i++)
			if (name[i] ~ /^(TCPSpuriousRtxHostQueues|TCPDSACKRecv|TCPTimeouts|TCPSackRecovery|TCPFullUndo|TCPLossUndo|TCPDSACKUndo|PAWSEstab)$/)
				print "count", name[i], $i }'
	[ ! -e /proc/net/tcp_ndm ] || on_sender sed 's/^/count ndm_/' /proc/net/tcp_ndm
}
