# SPDX-License-Identifier: GPL-2.0
# Routes and network namespaces of this kernel.
load helpers

# $1: commands for every route; the routes must be the same afterwards, to the last word that ip shows.
on_real_routes() {
	in_own_system '
		show() { for f in 4 6; do ip -o -d -$f route show table all | grep -v "table local" | sed "s/expires [0-9]*sec//"; done; }
		ip link add v0 type veth peer name v1
		ip link set v0 up; ip link set v1 up
		ip addr add 10.0.0.1/24 dev v0; ip addr add 10.1.0.1/24 dev v1; ip -6 addr add 2001:db8::1/64 dev v0 nodad
		ip route add default via 10.0.0.2 dev v0 proto static metric 10 mtu lock 1400 initcwnd 20 initrwnd 30 src 10.0.0.1
		ip route add 10.9.0.0/16 proto static nexthop via 10.0.0.2 dev v0 weight 3 nexthop via 10.1.0.2 dev v1 onlink
		ip route add 10.8.0.0/16 dev v0 scope global
		ip route add 10.7.0.0/16 via 192.168.9.9 dev v0 onlink rto_min 40ms features ecn quickack 1 advmss 1000 hoplimit 33 \
			tos 0x10 rtt 10ms rttvar 4ms fastopen_no_cookie 1 realm 3
		ip -6 route add default via fe80::1 dev v0 proto ra expires 1000 pref high
		ip -6 route add 2001:db8:1::/48 metric 7 nexthop via fe80::1 dev v0 nexthop via fe80::2 dev v1 weight 4
		ip -6 route add 2001:db8:2::/48 dev v1 metric 9 mtu 1300
		ip nexthop add id 5 via 10.0.0.7 dev v0; ip nexthop add id 6 via 10.1.0.7 dev v1; ip nexthop add id 10 group 5,3/6
		ip route add 10.5.0.0/16 nhid 5 proto static; ip route add 10.4.0.0/16 nhid 5 proto static; ip route add 10.2.0.0/16 nhid 10
		ip route add 10.6.0.0/16 via inet6 fe80::1 dev v0 table 100
		routes="default 10.9.0.0/16 10.8.0.0/16 10.7.0.0/16 ::/0 2001:db8:1::/48 2001:db8:2::/48 10.5.0.0/16 10.4.0.0/16 10.2.0.0/16"
		before=$(show) '"$1"
}

@test "route: real routes keep every attribute: metrics, multipath, onlink, nexthop objects, tables, IPv6" {
	on_real_routes '
		for route in $routes; do "$0" -q route set $route reno; "$0" -q route set $route reno --lock; done
		"$0" -q route set 10.6.0.0/16 reno --table 100
		[[ $("$0" route list --plain | wc -l) == 11 ]] || say "$("$0" route list)"
		[[ $(show | grep -c "congctl lock reno") == 10 ]] || say "not all locked"
		diff <(show | sed "s/congctl \(lock \)\?reno //") <(echo "$before")
		for route in $routes; do "$0" -q route clear $route; "$0" -q route clear $route; done
		"$0" -q route clear 10.6.0.0/16 --table 100
		diff <(show) <(echo "$before")
		if [[ -e /run/ndm-tcp/routes ]]; then say "a record is left"; fi'
	exits 0
	equals "$output$stderr" ''
}

@test "route: real connections use the algorithm of their route, those of other routes do not, and lock forbids others" {
	in_own_system '
		ip netns add peer
		ip link add v0 type veth peer name v1 netns peer
		ip link set v0 up; ip -n peer link set v1 up; ip -n peer link set lo up
		ip addr add 10.0.0.1/24 dev v0; ip -6 addr add 2001:db8::1/64 dev v0 nodad
		for address in 10.0.0.2/24 10.5.0.2/24; do ip -n peer addr add $address dev v1; done
		for address in 2001:db8::2/64 2001:db8:5::2/64; do ip -n peer -6 addr add $address dev v1 nodad; done
		ip route add 10.5.0.0/24 via 10.0.0.2 dev v0 initcwnd 20; ip -6 route add 2001:db8:5::/64 via 2001:db8::2 dev v0
		ip netns exec peer python3 -m http.server -b :: 5000 >/dev/null 2>&1 &
		algorithm() { python3 -c "
import socket, sys
client = socket.create_connection((sys.argv[1], 5000))
if len(sys.argv) > 2: client.setsockopt(6, 13, sys.argv[2].encode())
print(client.getsockopt(6, 13, 16).strip(b\"\0\").decode())
" "$@"; }
		answers() { algorithm 10.0.0.2 && algorithm 2001:db8::2; }
		patiently answers 2>/dev/null >&2
		for address in 10.5.0.2 2001:db8:5::2; do
			route=${address%2}0/24
			[[ $address != *:* ]] || route=2001:db8:5::/64
			[[ $(algorithm $address) == $was ]] || say "$address before"
			"$0" -q route set $route $other
			[[ $(algorithm $address) == $other ]] || say "$address not set"
			[[ $(algorithm 10.0.0.2) == $was && $(algorithm 2001:db8::2) == $was ]] || say "another route"
			[[ $(algorithm $address $was) == $was ]] || say "an application may choose"
			"$0" -q route set $route $other --lock
			! algorithm $address $was 2>/dev/null >&2 || say "$address locked, and still chosen"
			"$0" -q route clear $route
			[[ $(algorithm $address) == $was ]] || say "$address after"
		done
		kill %1'
	exits 0
	equals "$output$stderr" ''
}

@test "route: router advertisements renew a changed route and leave it its algorithm" {
	in_own_system '
		ip netns add router
		ip link add v0 type veth peer name v1 netns router
		echo 2 >/proc/sys/net/ipv6/conf/v0/accept_ra
		echo 0 >/proc/sys/net/ipv6/conf/v0/accept_dad
		ip netns exec router sh -c "echo 0 >/proc/sys/net/ipv6/conf/v1/accept_dad"
		ip link set v0 up; ip -n router link set v1 up
		cat >/run/advertise.py <<END
import socket, struct, sys
link = socket.if_nametoindex("v1")
sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, link)
sock.sendto(struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, int(sys.argv[1]), 0, 0), ("ff02::1", 0, 0, link))
END
		show() { ip -o -d -6 route show default; }
		# the first tries fail while the link has no address yet
		shows() { show | grep -Eq "$1" || { ip netns exec router python3 /run/advertise.py "$2" 2>/dev/null || :; return 1; }; }
		patiently shows "proto ra .* expires 1[0-9]{3}sec" 1800
		before=$(show | sed "s/expires [0-9]*//")
		"$0" -q route set ::/0 reno
		patiently shows "expires [78][0-9]{3}sec .*congctl reno" 8000
		"$0" -q route clear ::/0
		patiently shows "expires 1[0-9]{3}sec" 1800
		[[ $(show | sed "s/expires [0-9]*//") == "$before" ]] || say "$(show)"'
	exits 0
	equals "$output$stderr" ''
}

@test "netns: real ones: named, of a process, reached by both, existing ones keep theirs, ended ones are told" {
	in_own_system '
		ip netns add blue
		unshare -n sleep 1000 & pid=$!
		its_own() { [[ $(readlink /proc/$pid/ns/net) != $(readlink /proc/$$/ns/net) ]]; }
		patiently its_own
		[[ $("$0" status --netns all --plain | wc -l) == 3 ]] || say "not three"
		"$0" -q set-default $other --runtime
		[[ $("$0" status --netns blue) == "$was" ]] || say "an existing one did not keep its own"
		"$0" -q set-default --revert --runtime
		"$0" -q set-default $other --netns blue
		[[ $(ip netns exec blue cat /proc/sys/net/ipv4/tcp_congestion_control) == $other ]] || say "not set by name"
		[[ $(cat /proc/sys/net/ipv4/tcp_congestion_control) == "$was" && $("$0" status --netns $pid) == "$was" ]] || say "another one changed"
		"$0" -q set-default $other --netns all
		[[ $(cat /proc/sys/net/ipv4/tcp_congestion_control) == $other && $("$0" status --netns $pid) == $other ]] || say "not all set"
		"$0" -q set-default --revert --netns all
		[[ $("$0" status --netns all --plain | cut -f 2 | sort -u) == "$was" ]] || say "not all put back"
		kill $pid
		wait $pid || :
		! "$0" set-default $other --netns $pid || say "an ended process was accepted"
		ip netns delete blue
		! "$0" status --netns blue || say "a deleted name was accepted"
		: >/run/netns/stale
		! "$0" set-default $other --netns stale || say "a file was accepted"
		[[ $("$0" status --netns all --plain | wc -l) == 1 ]] || say "not one"
	'
	exits 0
	complains 'no network namespace and no process'
	complains 'stale is not a network namespace'
}
