#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# An algorithm for a part of the system: a container that runs already, a route, one command. One guest; each test makes what
# it needs and takes it back, so each can be run alone.

setup_file() {
	load helpers
	start_installed_guest parts
}

teardown_file() {
	load helpers
	vm_stop
}

setup() { load helpers; }

# A service with a network of its own is all that a container is, to the kernel.
start_container() {
	ok 'systemd-run -q --unit=box -p PrivateNetwork=yes sleep infinity; systemctl show -P MainPID box >/run/box'
	await 'test "$(readlink /proc/$(cat /run/box)/ns/net)" != "$(readlink /proc/self/ns/net)"'
}

stop_container() { ok 'systemctl stop box'; }

in_container() { ok "nsenter -t \$(cat /run/box) -n $1"; }

unloads() { await 'ndmctl -q unload'; } # a namespace is torn down a moment after its end

@test "a running container keeps its default; --netns gives it another, connecting and accepting, and back" {
	start_container
	ok 'ip netns add blue; ndmctl set-default ndm --runtime; ip netns add green'
	ok 'ndmctl netns list'; has blue green sleep
	in_container 'tcpcc pair'; is 'cubic cubic'
	ok 'ndmctl default --netns blue; ndmctl default --netns green'; is $'cubic\nndm'
	ok 'ndmctl set-default ndm_v4 --netns $(cat /run/box)'; has 'lasts as long as the network namespace'
	in_container 'tcpcc pair'; is 'ndm_v4 ndm_v4'
	in_container 'tcpcc pair 6'; is 'ndm_v4 ndm_v4'
	ok 'ndmctl set-default ndm_v4 --netns $(cat /run/box)'; is ''
	ok 'ndmctl default --netns blue; ndmctl default'; is $'cubic\nndm'
	ok 'ndmctl set-default ndm_v1 --netns all; ndmctl netns list --plain | cut -f 2 | sort -u' ; has ndm_v1; lacks cubic ndm_v4
	ok 'ndmctl set-default --revert --netns all; ndmctl netns list --plain | cut -f 2 | sort | uniq -c | tr -s " \n" " "'
	is ' 1 ndm 3 cubic ' || is ' 3 cubic 1 ndm '
	default_is cubic
	ok 'ndmctl set-default --revert --netns green; ip netns delete blue; ip netns delete green'
	stop_container
	unloads
}

@test "called inside of one, ndmctl changes and remembers that one; before the package is removed, all go back" {
	ok 'ip netns add blue; ip netns add green; ndmctl -q set-default ndm --runtime; ip netns exec blue ndmctl -q set-default ndm_v4 --runtime'
	ok 'cat /run/ndm-tcp/default'; is $'previous=cubic\nset=ndm'
	ok 'ip netns exec blue ndmctl set-default --revert --runtime; ndmctl default --netns blue'; is cubic
	ok 'ndmctl set-default --revert --runtime'; default_is cubic
	ok 'ndmctl -q set-default ndm --netns green; ip link add away type dummy; ip link set away up; ip route add 198.51.100.0/24 dev away'
	ok 'ndmctl -q route set 198.51.100.0/24 ndm; ndmctl service remove; ndmctl default --netns green; ip route show 198.51.100.0/24'
	has cubic; lacks congctl
	fails 1 'test -d /sys/module/tcp_ndm'
	ok 'ip link delete away; ip netns delete blue; ip netns delete green'
}

@test "what a network namespace may not have is refused with the cure, and nothing changes; the cure works" {
	start_container
	ok 'ip netns add blue; modprobe tcp_vegas'
	fails 1 'ndmctl set-default vegas --netns blue'; has 'Operation not permitted' 'tcp_allowed_congestion_control=' 'put back'
	cure=$(sed -n 's/.*on the host: //p' <<<"$output")
	ok 'ndmctl netns list --plain | cut -f 2 | sort -u'; is cubic
	ok "$cure"
	ok 'ndmctl set-default vegas --netns blue; ndmctl default --netns blue'; has vegas
	ok 'ip netns delete blue; pid=$(cat /run/box); systemctl stop box; ! ndmctl set-default ndm --netns $pid'
	has 'no network namespace and no process' hint:
	fails 2 'ndmctl set-default ndm --netns ../blue'; has hint:
}

@test "unload is refused while a container uses the module, and names it" {
	start_container
	ok 'ndmctl set-default ndm --netns $(cat /run/box); ndmctl status'; has 'policies    netns' "pid $(vm_run 'cat /run/box')"
	fails 1 'ndmctl unload'; has "(pid $(vm_run 'cat /run/box'), sleep) has the default ndm" 'stays loaded'
	ok 'ndmctl set-default --revert --netns $(cat /run/box); ndmctl default --netns $(cat /run/box)'; is cubic
	unloads
	stop_container
}

@test "a route: its transfer uses ndm, that of another route does not; its other properties stay; clear restores it" {
	ok 'lte up; ip -n sender route change default via 10.1.0.2 initcwnd 12 mtu lock 1400
		ip -n sender route add 10.2.0.0/24 via 10.1.0.2 initcwnd 20; ip -n sender route >/root/before'
	ok 'ip netns exec sender ndmctl route set 10.2.0.0/24 ndm'; has 'at the latest at the next boot' 'up ip -4 route change'
	ok 'systemd-run -q --collect --unit=one ip netns exec sender iperf3 -c 10.2.0.1 -t 900 --cport 40001'
	await 'ip netns exec sender ss -tinOH sport = :40001 | grep -q " ndm "'
	ok 'ip netns exec sender ss -tinH sport = :40001'; has 'cwnd:' ' ndm '
	ok 'ip -n sender route show 10.2.0.0/24'; has 'initcwnd 20' 'congctl ndm'
	ok 'ip netns exec sender ndmctl route list --plain'; is $'4\t10.2.0.0/24\tmain\t0\trouter\tndm'
	ok 'ip netns exec sender ndmctl status'; has 'route 10.2.0.0/24: ndm' 'ndm'
	ok 'ip netns exec sender ndmctl route set default ndm_v4 --lock; ip -n sender route show default'; has 'congctl lock ndm_v4' 'mtu lock 1400'
	ok 'ip netns exec sender ndmctl route clear default; ip netns exec sender ndmctl route clear 10.2.0.0/24
		ip -n sender route | diff /root/before -'; is ''
	ok 'systemctl is-active one'; is active
	stop_transfers one
	unloads
}

@test "routes of every kind of this ip and this kernel keep all their properties" {
	ok 'ip netns add all; set -e; export ip="ip -n all"; $ip link add v0 type veth peer name v1; $ip link set v0 up; $ip link set v1 up
		$ip addr add 10.0.0.1/24 dev v0; $ip addr add 10.1.0.1/24 dev v1; $ip -6 addr add 2001:db8::1/64 dev v0 nodad
		$ip route add default via 10.0.0.2 dev v0 proto static metric 10 mtu lock 1400 initcwnd 20 initrwnd 30 src 10.0.0.1
		$ip route add 10.9.0.0/16 nexthop via 10.0.0.2 dev v0 weight 3 nexthop via 10.1.0.2 dev v1 onlink
		$ip route add 10.8.0.0/16 dev v0 scope global
		$ip route add 10.7.0.0/16 via 192.168.9.9 dev v0 onlink rto_min 40ms features ecn quickack 1 advmss 1000 tos 0x10 rtt 10ms realm 3
		$ip route add 10.6.0.0/16 via inet6 fe80::1 dev v0
		$ip nexthop add id 5 via 10.0.0.7 dev v0; $ip route add 10.5.0.0/16 nhid 5; $ip route add 10.4.0.0/16 nhid 5
		$ip -6 route add default via fe80::1 dev v0 proto ra expires 1000 pref high
		$ip -6 route add 2001:db8:1::/48 metric 7 nexthop via fe80::1 dev v0 nexthop via fe80::2 dev v1 weight 4'
	show='(ip -n all -o -d -4 route show; ip -n all -o -d -6 route show) | sed "s/expires [0-9]*sec//"'
	ok "$show >/root/before"
	routes='default 10.9.0.0/16 10.8.0.0/16 10.7.0.0/16 10.6.0.0/16 10.5.0.0/16 10.4.0.0/16 ::/0 2001:db8:1::/48'
	ok "for route in $routes; do ip netns exec all ndmctl -q route set \$route ndm || exit; done
		$show | grep -c 'congctl ndm'"; is 9
	ok "for route in $routes; do ip netns exec all ndmctl -q route clear \$route || exit; done; $show | diff /root/before -"; is ''
	ok 'ip netns delete all'
	unloads
}

@test "exec: only the connections of the command; the module is loaded for it and unloaded after it" {
	fails 1 'test -e /sys/module/tcp_ndm'
	for version in 4 6; do
		ok "ndmctl exec --cc ndm_v4 -- tcpcc pair $version"; is 'ndm_v4 ndm_v4'
	done
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'ndmctl exec --cc ndm -- tcpcc pair 4 reno'; is 'reno ndm'
	start_container
	ok 'ndmctl exec --cc ndm -- nsenter -t $(cat /run/box) -n tcpcc pair'; is 'ndm ndm'
	stop_container
	ok 'systemd-run -q --unit=trial ndmctl exec --cc ndm -- tcpcc serve 7003'
	await 'tcpcc ask 7003 | grep -qx ndm'
	ok 'ndmctl cgroup list'; has ndm-exec
	ok 'tcpcc pair'; is 'cubic cubic'
	ok 'systemctl stop trial; systemctl is-failed trial; find /sys/fs/cgroup -name "ndm-exec*"; ls -A /sys/fs/bpf; ls /run/ndm-tcp'; lacks ndm-exec cgroups programs
	fails 42 'ndmctl exec --cc ndm -- sh -c "exit 42"'
	fails 124 'timeout 3 ndmctl exec --cc ndm -- sleep 1000'
	ok 'setpriv --reuid=65534 --regid=65534 --clear-groups ndmctl exec --cc ndm -- true; [ $? = 4 ]'; has 'needs root'
	ok 'find /sys/fs/cgroup -name "ndm-exec*"; bpftool cgroup tree | grep -c ndm_cc; :'; is 0
	fails 1 'test -e /sys/module/tcp_ndm'
	default_is cubic
}

@test "status counts connections by cgroup, also for users; doctor names routes of others, with file and line" {
	ok 'systemd-run -q --unit=web -p ExecStartPost="/bin/sh -c \"until ss -Hltn sport = :7004 | grep -q .; do :; done\"" tcpcc serve 7004
		systemd-run -q --unit=hold tcpcc hold /run/hold; until [ -s /run/hold ]; do :; done'
	ok 'setpriv --reuid=65534 --regid=65534 --clear-groups ndmctl status --json'; is_json; has '{"cgroup":"/system.slice/hold.service","cc":"cubic"' '"cc":"reno"'
	ok 'systemctl stop hold web'
	ok 'ip link add d0 type dummy; ip link set d0 up; ip route add 198.51.100.0/24 dev d0 congctl reno
		mkdir -p /etc/network; printf "iface d0\n\tup ip route add 198.51.100.0/24 dev d0 congctl reno\n" >>/etc/network/interfaces'
	ok 'ndmctl doctor || :'; has 'the route 198.51.100.0/24 (table main) gives its connections reno; see /etc/network/interfaces:2'
	ok 'ip link delete d0; rm /etc/network/interfaces; ndmctl doctor'; lacks 198.51.100
}

# bats test_tags=ci
@test "a reboot leaves nothing of them" {
	ok 'ip route add 198.51.100.0/24 via 10.0.2.2; ndmctl route set 198.51.100.0/24 ndm; ndmctl set-default ndm --netns 1'
	vm_reboot
	ok 'ndmctl route list --plain; cat /proc/sys/net/ipv4/tcp_congestion_control'; is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
}

@test "the kernel logged no warning" {
	kernel_is_content
}
