#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# An algorithm for a part of the system: a container that runs already, a route, one command. One guest; each test makes what
# it needs and takes it back, so each can be run alone. That a boot or a removal leaves nothing of them is in boots.bats and cgroup.bats.

load helpers

setup_file() {
	start_installed_guest parts
}

# A service with a network of its own is all that a container is, to the kernel.
start_container() {
	ok 'systemd-run -q --unit=box -p PrivateNetwork=yes sleep infinity; systemctl show -P MainPID box >/run/box'
	await 'test "$(readlink /proc/$(cat /run/box)/ns/net)" != "$(readlink /proc/self/ns/net)"'
}

stop_container() { ok 'systemctl stop box'; }

in_container() { ok "nsenter -t \$(cat /run/box) -n $1"; }

unloads() { await 'ndmctl -q unload'; } # a namespace is torn down a moment after its end

@test "a running container keeps its default; --netns gives it another, connecting and accepting; unload names it; and back" {
	start_container
	ok 'ip netns add blue; ndmctl set-default ndm --runtime; ip netns add green'
	in_container 'tcpcc pair'; is 'cubic cubic'
	ok 'ndmctl set-default ndm_v4 --netns $(cat /run/box)'; has 'lasts as long as the network namespace'
	in_container 'tcpcc pair'; is 'ndm_v4 ndm_v4'
	in_container 'tcpcc pair 6'; is 'ndm_v4 ndm_v4'
	ok 'ndmctl status --netns all'; has blue green sleep
	ok 'for netns in blue green; do ip netns exec $netns cat /proc/sys/net/ipv4/tcp_congestion_control; done'; is $'cubic\nndm'
	default_is ndm
	ok 'ndmctl -q set-default ndm_v1 --netns all; ndmctl status --netns all --plain | cut -f 2 | sort -u'; is ndm_v1
	ok 'ndmctl -q set-default --revert --netns all; ndmctl status --netns all --plain | cut -f 2 | sort | uniq -c | tr -s " \n" " "'
	is ' 3 cubic 1 ndm '
	default_is cubic
	ok 'ip netns delete blue; ip netns delete green; ndmctl set-default ndm --netns $(cat /run/box)'
	fails 1 'ndmctl unload'; has "(pid $(vm_run 'cat /run/box'), sleep) has the default ndm" 'stays loaded'
	stop_container
	unloads
}

# bats test_tags=all
@test "what a network namespace may not have is refused with the cure, and nothing changes; the cure works" {
	start_container
	ok 'ip netns add blue; modprobe tcp_vegas'
	fails 1 'ndmctl set-default vegas --netns blue'; has 'Operation not permitted' 'tcp_allowed_congestion_control=' 'put back'
	cure=$(sed -n 's/.*on the host: //p' <<<"$output")
	ok 'ndmctl status --netns all --plain | cut -f 2 | sort -u'; is cubic
	ok "$cure"
	ok 'ndmctl set-default vegas --netns blue; ndmctl status --netns blue'; has vegas
	ok 'ip netns delete blue; pid=$(cat /run/box); systemctl stop box; ! ndmctl set-default ndm --netns $pid'
	has 'no network namespace and no process' hint:
	fails 2 'ndmctl set-default ndm --netns ../blue'; has hint:
}

@test "a route: its transfer uses ndm; its other properties stay; clear restores it" {
	ok 'lte up; ip -n sender route change default via 10.1.0.2 initcwnd 12 mtu lock 1400
		ip -n sender route add 10.2.0.0/24 via 10.1.0.2 initcwnd 20; ip -n sender route >/root/before'
	ok 'ip netns exec sender ndmctl route set 10.2.0.0/24 ndm'; has 'at the latest at the next boot' 'up ip -4 route change'
	ok 'systemd-run -q --collect --unit=one ip netns exec sender iperf3 -c 10.2.0.1 -t 9000 --cport 40001'
	await 'ip netns exec sender ss -tinOH sport = :40001 | grep -q " ndm "'
	ok 'ip netns exec sender ss -tinH sport = :40001'; has 'cwnd:' ' ndm '
	ok 'ip -n sender route show 10.2.0.0/24'; has 'initcwnd 20' 'congctl ndm'
	ok 'ip netns exec sender ndmctl route list --plain'; is $'4\t10.2.0.0/24\tmain\t0\trouter\tndm'
	ok 'ip netns exec sender ndmctl route set default ndm_v4 --lock; ip -n sender route show default'; has 'congctl lock ndm_v4' 'mtu lock 1400'
	ok 'ip netns exec sender ndmctl route clear default; ip netns exec sender ndmctl route clear 10.2.0.0/24
		ip -n sender route | diff /root/before -'; is ''
	ok 'systemctl is-active one'; is active
	stop_transfers one
	unloads
}

@test "exec: only the connections of the command; the module is loaded for it and unloaded after it" {
	fails 1 'test -e /sys/module/tcp_ndm'
	start_container
	ok 'ndmctl exec --cc ndm_v4 -- sh -c "tcpcc pair; tcpcc pair 6; tcpcc pair 4 reno; nsenter -t $(cat /run/box) -n tcpcc pair; exit 42"; [ $? = 42 ]'
	is $'ndm_v4 ndm_v4\nndm_v4 ndm_v4\nreno ndm_v4\nndm_v4 ndm_v4'
	stop_container
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'systemd-run -q --unit=trial ndmctl exec --cc ndm -- tcpcc serve 7003'
	await 'tcpcc ask 7003 | grep -qx ndm'
	ok 'ndmctl cgroup list'; has ndm-exec
	ok 'tcpcc pair'; is 'cubic cubic'
	ok 'systemctl stop trial; systemctl is-failed trial; find /sys/fs/cgroup -name "ndm-exec*"; bpftool cgroup tree; ls -A /sys/fs/bpf; ls /run/ndm-tcp'; lacks ndm-exec ndm_cc cgroups programs
	fails 1 'test -e /sys/module/tcp_ndm'
}

@test "the kernel logged no warning" {
	kernel_is_content
}
