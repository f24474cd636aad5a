#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# The short story that every kernel must know, with its suite's own compiler and dkms; `matrix` makes a table of it. The names of
# the tests are the columns. One guest, in order.

load helpers

setup_file() {
	start_guest matrix
	ok 'echo "$(uname -r) $(gcc -dumpfullversion) $(dpkg-query -W -f "\${Version}" dkms)"'
	printf '# versions %s\n' "$output" >&3
}

@test "install" {
	ok 'apt-get update -q; apt-get install -q -y ndm-tcp-dkms; dpkg --audit'
	lacks WARNING
}

@test "build" {
	ok 'dkms status | grep -E "^ndm-tcp(/|, ).*: installed$" | grep -F ", $(uname -r), x86_64:"' # the words of dkms 3 and 2
}

@test "load" {
	ok 'systemctl enable --now ndm-tcp; ndmctl set-default ndm; ndmctl doctor'; default_is ndm
	ok 'ndmctl status --check'
}

@test "transfer" {
	ok 'lte up'
	start_transfer one ndm 40001
	await 'ip netns exec sender grep -q "^reductions [1-9]" /proc/net/tcp_ndm'
	ok 'ip netns exec sender ss -tinH sport = :40001'; has ' ndm ' 'dctcp:(ce_state:'
	stop_transfers one
}

@test "policy" {
	ok 'ndmctl set-default --revert; systemctl start outer.slice outer-inner.slice'
	ok 'ndmctl cgroup set /outer.slice ndm_v1; ndmctl cgroup set /outer.slice/outer-inner.slice ndm_v4'
	ok 'systemd-run -q --wait --pipe --slice=outer-inner.slice tcpcc pair'; is 'ndm_v4 ndm_v4'
	ok 'systemd-run -q --wait --pipe --slice=outer.slice tcpcc pair 6'; is 'ndm_v1 ndm_v1'
	ok 'ndmctl cgroup clear /outer.slice/outer-inner.slice; ndmctl cgroup clear /outer.slice; bpftool cgroup tree | grep -c ndm_cc; :'; is 0
}

@test "unload" {
	await 'grep -qx 0 /sys/module/tcp_ndm/refcnt' # a namespace is torn down a moment after its deletion
	ok 'systemctl disable --now ndm-tcp'
	fails 1 'test -e /sys/module/tcp_ndm'
	default_is cubic
}

@test "remove" {
	ok 'apt-get purge -q -y ndm-tcp ndm-tcp-dkms; dpkg --audit'
	ok 'find /usr/src/ndm-tcp* /var/lib/dkms/ndm-tcp /lib/modules /etc /run -name "*ndm*" -not -path "*/apt/*" -not -path "/run/udev/*" 2>/dev/null; :'; is ''
}

@test "quiet" {
	kernel_is_content
}
