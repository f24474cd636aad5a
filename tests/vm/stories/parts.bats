#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# An algorithm for a part of the system: a container that runs already, one command. One guest; each test makes what
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

@test "one command in a slice with a policy: its connections, not those of others; also of what comes into it later" {
	ok 'ndmctl unit set try.slice ndm_v4 --runtime'
	ok 'for i in 1 2; do systemd-run -q --scope --slice=try.slice sh -c "tcpcc pair; tcpcc pair 6; tcpcc pair 4 reno; exit 42"; [ $? = 42 ] || exit; done'
	is $'ndm_v4 ndm_v4\nndm_v4 ndm_v4\nreno ndm_v4\nndm_v4 ndm_v4\nndm_v4 ndm_v4\nreno ndm_v4'
	ok 'tcpcc pair'; is 'cubic cubic'
	ok 'systemctl daemon-reload; systemd-run -q --scope --slice=try.slice tcpcc pair'; is 'ndm_v4 ndm_v4'
	ok 'ndmctl unit clear try.slice; systemd-run -q --scope --slice=try.slice tcpcc pair'; is 'cubic cubic'
	unloads
	ok 'bpftool cgroup tree; ls -A /sys/fs/bpf; ls /run/ndm-tcp'; lacks ndm_cc cgroups programs
}

@test "the kernel logged no warning" {
	kernel_is_content
}
