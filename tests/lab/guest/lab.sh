# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# What a cell is made of; read by the guest before the cell. What goes to standard output reaches the host, a word first that says
# what the line is: `flow JSON`, `trace JSON`, `qdisc NAME JSON`, `count NAME VALUE`.
set -eu

serving=${serving-} # a further word for `traffic serve`, which init's engine file may set

# Applets of busybox would shadow these two.
ip() { /sbin/ip "$@"; }
tc() { /sbin/tc "$@"; }

# fail TEXT: ends the cell as one that went wrong.
fail() {
	echo "$*"
	exit 1
}

# use_seed N: the same N gives the same course of netem.
use_seed() {
	seed=$1
	traffic seed "$1"
}

# use_ndm [PARAMETER=VALUE...]: loads the module under test.
use_ndm() { insmod /tcp_ndm.ko "$@"; }

# use_extra PATH: the file that the host handed in with this cell, if any.
# shellcheck disable=SC2154  # init's engine file sets extra
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

# reach_uptime SECONDS: waits until the kernel has run that long.
reach_uptime() {
	left=$(awk -v at="$1" '{ print at - $1 }' /proc/uptime)
	[ "${left#-}" = "$left" ] || fail "the uptime is beyond $1 s already"
	sleep "$left"
}

is_listening() { grep -q ':1388 .* 0A ' /proc/net/tcp6; } # port 5000

# $sysctls is the cell's: words NAME=VALUE below net.ipv4, commas for the spaces of a value. sysctl_lines sets $lines to what a shell
# has to do for them. Starting a process is what a path costs most, so this starts none.
sysctls=
sysctl_lines() {
	lines=
	for word in $sysctls; do
		spaced "${word#*=}"
		lines="$lines echo '$value' > /proc/sys/net/ipv4/${word%%=*};"
	done
}

# spaced LIST: sets $value to LIST with spaces for its commas.
spaced() {
	old=$IFS IFS=,
	# shellcheck disable=SC2086  # to be split
	set -- $1
	IFS=$old
	value=$*
}

# path_loopback NETEM...: sender and receiver on one host, 64 KB packets, as in the seeds; no word: no netem.
path_loopback() {
	ip link set lo up
	sysctl_lines
	eval "$lines"
	[ $# -eq 0 ] || tc qdisc add dev lo root netem limit 100000 "$@"
	# shellcheck disable=SC2086  # a word or none
	traffic serve 5000 $serving &
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
