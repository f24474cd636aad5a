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
# host of its own so that its settings and counters are its own; without one, there is no such host. Packets are of 1500 bytes unless mtu= says
# otherwise. With link= a recorded link (../link/lab_link.c) stands between bottleneck and receiver, in the place of htb and its leaf.

# on HOST COMMAND...: runs a program there.
on() {
	host=$1
	shift
	nsenter "--net=/run/netns/$host" "$@"
}

# To start a process costs as much as some hundred packets. So the lines for `ip` and `tc` are collected in a file for each host, which one call
# reads, and nothing here starts a process to get at a value.

# address_of NET END: sets $address and the length of its prefix, $prefix.
address_of() {
	if [ "$family" = 6 ]; then
		address=fd00:0:0:$1::$2 prefix=64
	else
		address=10.0.$1.$2 prefix=24
	fi
}

# One end of a cable. Fixed addresses and neighbours: a lost query for one would look like a path that is down.
# cable_end HOST PEER NET END PEER-END
cable_end() {
	[ "$family" = 6 ] && nodad=nodad || nodad=
	segments="gso_max_segs 1"
	[ "$segmentation" = off ] || segments=
	address_of "$3" "$5"
	neighbour=$address
	address_of "$3" "$4"
	echo "link set to-$2 address 02:00:00:00:0$3:0$4 mtu $mtu $segments up
		address add $address/$prefix dev to-$2 $nodad
		neighbour add $neighbour lladdr 02:00:00:00:0$3:0$5 dev to-$2 nud permanent" >> "/tmp/ip-$1"
}

# cable HOST PEER NET
cable() {
	echo "link add to-$2 netns $1 type veth peer name to-$1 netns $2" >> /tmp/ip
	cable_end "$1" "$2" "$3" 1 2
	cable_end "$2" "$1" "$3" 2 1
}

# One end of the recorded link, a device of lab_link.
# link_end DEVICE HOST PEER NET END
link_end() {
	echo "link set $1 netns $2 name to-$3" >> /tmp/ip
	shift
	address_of "$3" "$4"
	echo "link set to-$2 mtu $mtu gso_max_segs 1 up
		address add $address/$prefix dev to-$2 $nodad" >> "/tmp/ip-$1"
}

# route HOST TO NET END: TO may be `default` or a number of a net.
route() {
	to=$2
	if [ "$to" != default ]; then
		address_of "$to" 0
		to=$address/$prefix
	fi
	address_of "$3" "$4"
	echo "route add $to via $address" >> "/tmp/ip-$1"
}

add_hosts() {
	mkdir -p /run
	for host in $hosts; do
		echo "netns add $host" >> /tmp/ip
	done
	cable sender router 1
	cable router bottleneck 3
	if [ -n "$link" ]; then
		add_link
		link_end link-near bottleneck receiver 4 1
		link_end link-far receiver bottleneck 4 2
	else
		cable bottleneck receiver 4
	fi
	[ -z "$rival" ] || cable rival router 2
	route sender default 1 2
	[ -z "$rival" ] || route rival default 2 2
	route router 4 3 2
	route bottleneck 1 3 1
	route bottleneck 2 3 1
	route receiver default 4 1
	[ "$quickack" != on ] || sed -i 's/^route add .*/& quickack 1/' /tmp/ip-receiver
	ip -batch /tmp/ip
	for host in $hosts; do
		ip -n "$host" "-$family" -batch "/tmp/ip-$host"
	done
	for host in router bottleneck; do
		on $host sh -c 'echo 1 > /proc/sys/net/ipv4/ip_forward; echo 1 > /proc/sys/net/ipv6/conf/all/forwarding'
	done
}

# tune_hosts WORDS: the kernel settings WORDS of all hosts that end connections; $sysctls are the sender's alone, as the algorithm under
# test wants them.
tune_hosts() {
	sysctl_lines
	# shellcheck disable=SC2154  # set there
	own=$lines
	sysctls=$1
	sysctl_lines
	on sender sh -c "$own $lines"
	for host in receiver $rival; do
		on "$host" sh -c "$lines"
	done
}

netem="root handle 9: netem limit 100000"

# netem_line DEVICE "NETEM": the same for `tc -batch`; no word: no line.
netem_line() { [ -z "$2" ] || echo "qdisc replace dev $1 $netem $2"; }

# shape HOST DEVICE "NETEM": replaces that netem's words, in the middle of a cell, too; no word: none.
shape() {
	# shellcheck disable=SC2086  # words
	[ -z "$3" ] || tc -n "$1" qdisc replace dev "$2" $netem $3
}

# rate_words RATE: of the bottleneck. A burst of one packet: more would pass the queue unseen.
rate_words() {
	frame=$((mtu + 14))
	words="dev to-receiver parent 1: classid 1:1 htb rate $1 ceil $1 burst $frame cburst $frame quantum $frame"
}

# set_rate RATE: the capacity, now.
set_rate() {
	rate_words "$1"
	# shellcheck disable=SC2086  # words
	tc -n bottleneck class change $words
}

add_impairments() {
	{
		netem_line to-bottleneck "$forward"
		netem_line to-sender "$sender_extra"
		netem_line to-rival "$rival_extra"
	} >> /tmp/tc-router
	[ -z "$ack_slots" ] || back="$back slot $ack_slots $ack_slots"
	netem_line to-router "$back" >> /tmp/tc-bottleneck
}

# What that host sends passes a netem of its own first, on a device of the router: the other host never meets it.
# add_access HOST "NETEM"; no word: no such device.
add_access() {
	[ -n "$2" ] || return 0
	echo "link add from-$1 type ifb
		link set from-$1 up" >> /tmp/ip-router
	echo "qdisc add dev to-$1 ingress
		filter add dev to-$1 ingress matchall action mirred egress redirect dev from-$1
		qdisc replace dev from-$1 $netem $2" >> /tmp/tc-router
}

add_bottleneck() {
	rate_words "$rate"
	echo "qdisc add dev to-receiver root handle 1: htb default 1
		class add $words
		qdisc add dev to-receiver parent 1:1 handle 2: $queue" >> /tmp/tc-bottleneck
}

add_policer() {
	echo "qdisc add dev to-router ingress
		filter add dev to-router ingress matchall action police $police conform-exceed drop" >> /tmp/tc-bottleneck
}

# use_link DIGEST: the recording that the host handed in with this cell is the link that link= asks for. The digest is there so that another
# recording makes another cell.
use_link() { use_extra /link; }

add_link() {
	[ -s /link ] || fail "path_router: link= needs a recording, see use_link"
	# shellcheck disable=SC2086,SC2154  # words; seed is of lab.sh
	insmod /lab_link.ko data=/link seed="$seed" $link || fail "path_router: the recorded link did not begin: a wrong word, or no recording of one"
}

# What the receiver's device does to what it gets, as a card that waits for more packets before it interrupts: they are merged for
# so many microseconds at most.
merge_at_receiver() {
	[ -z "$link" ] || fail "path_router: gro= is of a cable, not of a recorded link"
	on bottleneck traffic tso to-receiver # else veth takes it that there is nothing to merge
	on receiver traffic gro to-bottleneck
	mkdir -p /tmp/sys
	on receiver mount -t sysfs sysfs /tmp/sys
	echo 1 > /tmp/sys/class/net/to-bottleneck/napi_defer_hard_irqs
	echo "${1}000" > /tmp/sys/class/net/to-bottleneck/gro_flush_timeout
	umount /tmp/sys
}

# switch NAME VALUE SETTING: adds that setting, 1 for on and 0 for off, to those of all hosts that end connections.
switch() {
	case $2 in
		on) common="$common $3=1" ;;
		off) common="$common $3=0" ;;
		*) fail "path_router: $1=$2 is neither on nor off" ;;
	esac
}

# set_buffers BYTES: what a socket may have in each direction; the kernel begins with less where that is less.
set_buffers() {
	case $1 in
		'' | *[!0-9]*) fail "path_router: buffers=$1 is no number of bytes" ;;
	esac
	[ "$1" -ge 4096 ] || fail "path_router: buffers=$1 is less than the kernel's least, 4096"
	common="$common tcp_rmem=4096,$(($1 < 131072 ? $1 : 131072)),$1 tcp_wmem=4096,$(($1 < 16384 ? $1 : 16384)),$1"
}

# path_router NAME=VALUE...: builds the path; on_sender and on_rival run commands, $receiver is the address.
#   forward=NETEM  back=NETEM      words of netem, the delay among them
#   rate=RATE  queue=QDISC         of the bottleneck; without a rate it has no queue
#   police=WORDS                   a policer of these words at the bottleneck's entry
#   rival=rival                    a second sending host
#   sender_extra=NETEM  rival_extra=NETEM   on the router's way back to that host only
#   sender_access=NETEM  rival_access=NETEM  on the way from that host only, before the path that all share
#   family=6                       IPv6
#   segmentation=on                bursts of 64 KB, which the sending host splits last
#   sender_queue=QDISC             of the hosts that send, such as fq
#   sysctls=WORDS                  settings of all hosts that end connections
#   timestamps=off  sack=off  ecn=on   the same by name; on or off
#   buffers=BYTES                  of each socket and direction, at most
#   mtu=BYTES                      of all devices
#   quickack=on                    the receiver acknowledges each packet at once
#   ack_slots=TIME                 the way back lets ACKs pass in bursts so far apart, such as 10ms
#   gro=US                         the receiver merges packets that come within so many microseconds
#   link=WORDS                     parameters of lab_link in the place of rate= and queue=; use_link comes before
path_router() {
	forward='' back='' rate='' queue='bfifo limit 1000000' police='' rival='' sender_extra='' rival_extra='' family=4 segmentation=off
	sender_queue='' sender_access='' rival_access='' common='' mtu=1500 ack_slots='' quickack='' gro='' link=''
	for word; do
		value=${word#*=}
		case ${word%%=*} in
			forward) forward=$value ;;
			back) back=$value ;;
			rate) rate=$value ;;
			queue) queue=$value ;;
			police) police=$value ;;
			rival) rival=$value ;;
			sender_extra) sender_extra=$value ;;
			rival_extra) rival_extra=$value ;;
			sender_access) sender_access=$value ;;
			rival_access) rival_access=$value ;;
			family) family=$value ;;
			segmentation) segmentation=$value ;;
			sender_queue) sender_queue=$value ;;
			sysctls) common="$common $value" ;;
			timestamps) switch timestamps "$value" tcp_timestamps ;;
			sack) switch sack "$value" tcp_sack ;;
			ecn) switch ecn "$value" tcp_ecn ;;
			buffers) set_buffers "$value" ;;
			mtu) mtu=$value ;;
			quickack) quickack=$value ;;
			ack_slots) ack_slots=$value ;;
			gro) gro=$value ;;
			link) link=$value ;;
			*) fail "path_router: there is no word ${word%%=*}=" ;;
		esac
	done
	hosts="sender router bottleneck receiver $rival"
	echo 100000 > /proc/sys/net/core/netdev_max_backlog # a cable of veth has a queue of its own: it must never drop
	echo 12000 16000 24000 > /proc/sys/net/ipv4/tcp_mem # pages; by default this small machine would be short of them with many flows
	add_access sender "$sender_access"
	add_access rival "$rival_access"
	add_hosts
	add_impairments
	[ -z "$rate" ] || [ -n "$link" ] || add_bottleneck
	[ -z "$police" ] || add_policer
	for host in sender $rival; do
		[ -z "$sender_queue" ] || echo "qdisc replace dev to-router root $sender_queue" >> "/tmp/tc-$host"
		[ "$segmentation" = off ] || on "$host" traffic tso to-router
	done
	for host in $hosts; do
		[ ! -s "/tmp/tc-$host" ] || tc -n "$host" -batch "/tmp/tc-$host"
	done
	[ -z "$gro" ] || merge_at_receiver "$gro"
	tune_hosts "tcp_no_metrics_save=1 $common"
	on_sender() { on sender "$@"; }
	on_rival() { on rival "$@"; }
	report_drops() { report_router_drops; }
	# shellcheck disable=SC2086,SC2154  # a word or none; lab.sh sets serving
	on receiver traffic serve 5000 $serving &
	settle on receiver grep -q ':1388 .* 0A ' /proc/net/tcp6 # port 5000
	address_of 4 2
	receiver=$address
}

# What was dropped on the way to the receiver, and what on the way back (its name begins so). Of htb, only the leaf counts.
report_router_drops() {
	report_qdisc router router to-bottleneck
	report_qdisc policer bottleneck to-router ingress
	if [ -n "$link" ]; then
		cat /proc/lab_link
	else
		report_qdisc bottleneck bottleneck to-receiver
	fi
	report_qdisc back bottleneck to-router root
	# Hexadecimal, packets that found the queue between two cables full.
	awk '{ print "count backlog_drops", $2 }' /proc/net/softnet_stat
}

# report_qdisc NAME HOST DEVICE [WHICH]
report_qdisc() {
	printf 'qdisc %s ' "$1"
	tc -n "$2" -s -j qdisc show dev "$3" ${4:+"$4"}
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
tested() {
	case " $* " in
		*' cc=none '*) ;;
		*) beside flows label=test "$@" ;;
	esac
}

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

# stream NAME=VALUE...: `udp` from the rival's host to the receiver, beside the rest.
stream() {
	beside udp to="$receiver" sender=/run/netns/rival receiver=/run/netns/receiver label=rival "$@"
}
