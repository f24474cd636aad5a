# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
# Paths of several hosts, each a network namespace; read by the guest before the cell.
#
#   sender ---.            delay, jitter, loss        rate, queue
#              >--- router [netem] ------> bottleneck [htb + leaf] ------> receiver
#   rival  ---'        ^                 [policer] |
#                      |                           |
#                      '---------- [netem] <-------'   impairments of the way back
#
# netem never sits on a host that sends: its kernel would refuse to retransmit what still waits in its own queue. The rival has a
# host of its own so that its settings and counters are its own; without one, there is no such host. Packets are of 1500 bytes.

# value_in NAME OTHERWISE WORD...: what follows NAME= among the words.
value_in() {
	wanted=$1 found=$2
	shift 2
	for word; do
		[ "${word%%=*}" != "$wanted" ] || found=${word#*=}
	done
	echo "$found"
}

on() {
	host=$1
	shift
	ip netns exec "$host" "$@"
}

# address NET END, with the length of its prefix
address() { [ "$family" = 6 ] && echo "fd00:0:0:$1::$2/64" || echo "10.0.$1.$2/24"; }

# The same without the length.
host_address() { address "$1" "$2" | sed 's,/.*,,'; }

# One end of a cable. Fixed addresses and neighbours: a lost query for one would look like a path that is down.
# cable_end HOST PEER NET END PEER-END
cable_end() {
	[ "$family" = 6 ] && nodad=nodad || nodad=
	segments="gso_max_segs 1"
	[ "$segmentation" = off ] || segments=
	ip -n "$1" -batch - <<- END
		link set to-$2 address 02:00:00:00:0$3:0$4 $segments up
		address add $(address "$3" "$4") dev to-$2 $nodad
		neighbour add $(host_address "$3" "$5") lladdr 02:00:00:00:0$3:0$5 dev to-$2 nud permanent
	END
}

# cable HOST PEER NET
cable() {
	ip link add "to-$2" netns "$1" type veth peer name "to-$1" netns "$2"
	cable_end "$1" "$2" "$3" 1 2
	cable_end "$2" "$1" "$3" 2 1
}

# route HOST TO NET END: TO may be `default` or a number of a net.
route() {
	to=$2
	[ "$to" = default ] || to=$(address "$2" 0)
	ip -n "$1" "-$family" route add "$to" via "$(host_address "$3" "$4")"
}

add_hosts() {
	mkdir -p /run
	for host in sender router bottleneck receiver $rival; do
		ip netns add "$host"
	done
	for host in router bottleneck; do
		on $host sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding'
	done
	cable sender router 1
	cable router bottleneck 3
	cable bottleneck receiver 4
	[ -z "$rival" ] || cable rival router 2
	route sender default 1 2
	[ -z "$rival" ] || route rival default 2 2
	route router 4 3 2
	route bottleneck 1 3 1
	route bottleneck 2 3 1
	route receiver default 4 1
}

# shape HOST DEVICE "NETEM": replaces that netem's words, in the middle of a cell, too; no word: none.
shape() {
	# shellcheck disable=SC2086  # words
	[ -z "$3" ] || tc -n "$1" qdisc replace dev "$2" root handle 9: netem limit 100000 $3
}

# path_router NAME=VALUE...: builds the path; on_sender and on_rival run commands, $receiver is the address.
#   forward=NETEM  back=NETEM      words of netem, the delay among them
#   rate=RATE  queue=QDISC         of the bottleneck; without a rate it has no queue
#   police=WORDS                   a policer of these words at the bottleneck's entry
#   rival=rival                    a second sending host
#   sender_extra=NETEM  rival_extra=NETEM   on the router's way back to that host only
#   family=6                       IPv6
#   segmentation=on                bursts of 64 KB, which the sending host splits last
#   sysctls=WORDS                  settings of all hosts that end connections
path_router() {
	rate=$(value_in rate "" "$@") queue=$(value_in queue "bfifo limit 1000000" "$@") police=$(value_in police "" "$@")
	rival=$(value_in rival "" "$@") family=$(value_in family 4 "$@") segmentation=$(value_in segmentation off "$@")
	echo 100000 > /proc/sys/net/core/netdev_max_backlog # a cable of veth has a queue of its own: it must never drop
	echo 12000 16000 24000 > /proc/sys/net/ipv4/tcp_mem # pages; by default this small machine would be short of them with many flows
	add_hosts
	forward=$(value_in forward "" "$@") back=$(value_in back "" "$@")
	heal_path
	shape router to-sender "$(value_in sender_extra "" "$@")"
	shape router to-rival "$(value_in rival_extra "" "$@")"
	[ -z "$rate" ] || add_bottleneck
	[ -z "$police" ] || add_policer
	tune on sender # as the algorithm under test wants it
	sysctls="tcp_no_metrics_save=1 $(value_in sysctls "" "$@")"
	for host in sender receiver $rival; do
		tune on "$host"
		[ "$segmentation" = off ] || [ "$host" = receiver ] || on "$host" traffic tso to-router
	done
	on_sender() { on sender "$@"; }
	on_rival() { on rival "$@"; }
	report_drops() { report_router_drops; }
	on receiver traffic serve 5000 &
	settle on receiver grep -q ':1388 .* 0A ' /proc/net/tcp6 # port 5000
	receiver=$(host_address 4 2)
}

add_bottleneck() {
	tc -n bottleneck qdisc add dev to-receiver root handle 1: htb default 1
	set_rate "$rate" add
	# shellcheck disable=SC2086  # words
	tc -n bottleneck qdisc add dev to-receiver parent 1:1 handle 2: $queue
}

# set_rate RATE [add]: the capacity, now. A burst of one packet: more would pass the queue unseen.
set_rate() {
	tc -n bottleneck class "${2:-change}" dev to-receiver parent 1: classid 1:1 htb rate "$1" ceil "$1" burst 1514 cburst 1514 quantum 1514
}

add_policer() {
	tc -n bottleneck qdisc add dev to-router ingress
	# shellcheck disable=SC2086  # words
	tc -n bottleneck filter add dev to-router ingress matchall action police $police conform-exceed drop
}

# What was dropped on the way to the receiver, and what on the way back (its name begins so). Of htb, only the leaf counts.
report_router_drops() {
	echo "qdisc router $(tc -n router -s -j qdisc show dev to-bottleneck)"
	echo "qdisc policer $(tc -n bottleneck -s -j qdisc show dev to-router ingress)"
	echo "qdisc bottleneck $(tc -n bottleneck -s -j qdisc show dev to-receiver)"
	echo "qdisc back $(tc -n bottleneck -s -j qdisc show dev to-router root)"
	# Hexadecimal, packets that found the queue between two cables full.
	awk '{ print "count backlog_drops", $2 }' /proc/net/softnet_stat
}

# beside COMMAND...: starts it beside the rest of the cell; together waits for all of them.
pids=
beside() {
	"$@" &
	pids="$pids $!"
}
together() {
	for pid in $pids; do
		wait "$pid"
	done
}

# tested NAME=VALUE...: the flows under test; none when the algorithm is `none`, which measures the rival alone.
tested() { [ "$(value_in cc "" "$@")" = none ] || beside flows label=test "$@"; }

# rivals NAME=VALUE...: other flows, from the rival's host.
rivals() { beside on_rival traffic send to="$receiver" label=rival "$@"; }

# after SECONDS COMMAND...: runs it then, while flows go on.
after() { beside run_after "$@"; }
run_after() {
	usleep "$(awk -v s="$1" 'BEGIN { printf "%d", s * 1e6 }')"
	shift
	"$@"
}

# The impairments that the path began with.
heal_path() {
	shape router to-bottleneck "$forward"
	shape bottleneck to-router "$back"
}

# Everything is lost, both ways.
cut_path() {
	shape router to-bottleneck "loss 100%"
	shape bottleneck to-router "loss 100%"
}

# messages NAME=VALUE...: `one_byte` from the sender to the receiver.
messages() {
	one_byte to="$receiver" sender=/run/netns/sender receiver=/run/netns/receiver "$@"
}

# stream NAME=VALUE...: `udp` from the rival's host to the receiver, beside the rest.
stream() {
	beside udp to="$receiver" sender=/run/netns/rival receiver=/run/netns/receiver label=rival "$@"
}
