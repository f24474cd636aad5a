#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# 10,000 connections at once: ndmctl counts them right, starts no more programs for them than for 100, and moves them to another
# algorithm; one of the module takes no more memory than one of cubic, and the last no more than the first. One guest.

load helpers

FEW=100 MANY=10000

setup_file() {
	start_installed_guest crowd
	vm_put "$VM_TOP/tests/vm/guest/crowd" /usr/local/sbin
	vm_put "$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" strace)" /root/debs
	ok 'apt-get install -q -y /root/debs/*/*.deb'
	ok 'ip netns add far; ip -n far link set lo up; ip link add far type veth peer name near netns far
		ip addr add 10.9.0.1/24 dev far; ip link set far up; ip -n far addr add 10.9.0.2/24 dev near; ip -n far link set near up
		sysctl -q net.ipv4.ip_local_port_range="1024 65001" # for more than one test in a minute
		for netns in "" "ip netns exec far"; do $netns sysctl -q net.ipv4.tcp_max_tw_buckets=0; done # they take memory as well
		systemctl start ndm-tcp; ndmctl config set METRICS yes'
}

setup() {
	ok 'systemd-run -q --unit=many --slice=many.slice -p LimitNOFILE=100000 crowd run /run/crowd - far 10.9.0.2'
	await 'test -S /run/crowd'
}

teardown() { vm_run 'systemctl stop many many.slice; rm /run/crowd'; }

open() { ok "crowd ask /run/crowd open $*"; }

# Of JSON: the figure at these keys.
figure() { # COMMAND KEY...
	local keys
	printf -v keys '["%s"]' "${@:2}"
	ok "$1 | python3 -c 'import json, sys; print(json.load(sys.stdin)$keys)'"
}

# How many processes a command starts, and how many system calls all of them make.
traced() { # COMMAND
	ok "strace -f -c -o /tmp/calls $1 >/tmp/said 2>&1 || { cat /tmp/said; exit 1; }
		awk '\$NF ~ /^(clone|clone3|fork|vfork)\$/ { started += \$4 } \$NF == \"total\" { print started, \$4 }' /tmp/calls"
	[[ $output =~ ^[1-9][0-9]*\ [1-9][0-9]{2,}$ ]] || complain 'hardly any process or call was counted'
}

@test "status, stats, sockets and metrics count all of 10,000" {
	local name
	open "$MANY" ndm_v5 ndm ndm_v1 ndm_v4 cubic; has "$MANY"
	ok 'crowd ask /run/crowd burst 1000'; has cwnd
	for name in ndm_v5 ndm ndm_v1 ndm_v4; do
		figure 'ndmctl status --json' sockets "$name"; is $((MANY / 5))
		ok "ndmctl status --counters --plain | sed -n 's/^sockets_$name\t//p'"; is $((MANY / 5))
		ok "ndmctl metrics --plain | grep -c \"^ndm_tcp_connections.cc=.$name.\""
	done
	ok 'ndmctl status'; has /many.slice/many.service: "$((MANY / 5)) ndm_v5"
	ok 'ndmctl sockets --plain | awk -F "\t" "/10.9.0.2:7100/" | wc -l'; is "$MANY"
	ok 'ndmctl sockets --plain --cc ndm_v5 | grep -c 10.9.0.2:7100'; is $((MANY / 5))
	ok 'crowd ask /run/crowd close | grep -c "^ndm"'; is 4
	ok 'ndmctl status --counters --plain | awk "/^sockets_ndm/ { sum += \$2 } END { print sum }"'; is 0
}

# Calls are not counted exactly: a shell that waits may be woken more than once. What is read line by line by a shell makes some hundred
# for each connection, and ss and awk, which read and write in blocks, one for four.
@test "status starts as many programs for 10,000 as for 100, a policy also makes as many system calls; status no more than they need" {
	local count reads=() sets=()
	ok 'systemctl start outer.slice'
	for count in "$FEW" $((MANY - FEW)); do
		open "$count" ndm_v5
		traced 'ndmctl status'; reads+=("$output")
		traced 'ndmctl cgroup set /outer.slice ndm_v1'; sets+=("$output")
		ok 'ndmctl cgroup list --plain; ndmctl cgroup clear /outer.slice'; has $'/outer.slice\tndm_v1'
		echo "# $count connections more: processes and calls of status ${reads[-1]}, of a policy ${sets[-1]}" >&3
	done
	[ "${reads[0]% *} ${sets[0]% *}" = "${reads[1]% *} ${sets[1]% *}" ] || complain 'other numbers of processes'
	((${sets[1]#* } * 100 < ${sets[0]#* } * 105)) || complain 'a policy makes more calls'
	((${reads[1]#* } - ${reads[0]#* } < MANY / 2)) || complain 'status makes more calls'
}

@test "open connections are moved to another algorithm, all of them, and back to nothing when they end" {
	open "$MANY" -
	ok 'ndmctl cgroup set /many.slice ndm_v4 --existing'; has "$MANY open connection(s) moved"
	figure 'ndmctl status --json' sockets ndm_v4; is "$MANY"
	ok 'crowd ask /run/crowd burst 1000'; has cwnd
	ok 'ndmctl cgroup clear /many.slice'
	ok 'crowd ask /run/crowd close | cut -d " " -f 1,2'; is "cubic $MANY"$'\n'"ndm_v4 $MANY" # servers are in another network namespace
	ok 'ndmctl status --counters --plain | sed -n "s/^sockets_ndm_v4\t//p"'; is 0
}

# What the kernel holds for memory that it manages by objects, and per CPU, without what it may forget; in bytes.
kernel_bytes() {
	ok 'sleep 3; for i in 1 2; do echo 3 >/proc/sys/vm/drop_caches; done; for cache in /sys/kernel/slab/*; do [ -L "$cache" ] || echo 1 >"$cache/shrink"; done
		awk "/^(Slab|Percpu):/ { sum += \$2 } END { print sum * 1024 }" /proc/meminfo'
}

# bytes_each NAME: of one more connection, both ends: of the first 5,000 after some, and of the next 5,000.
bytes_each() {
	local first middle
	open "$FEW" "$1"
	kernel_bytes; first=$output
	open 5000 "$1"
	kernel_bytes; middle=$output
	open 5000 "$1"
	kernel_bytes
	each="$(((middle - first) / 5000)) $(((output - middle) / 5000))"
	echo "# $1: $each bytes of the kernel for a connection with both ends: of the first 5,000, of the next" >&3
	ok 'crowd ask /run/crowd close'
}

# Both within 5 % of what the first of cubic take, 400 bytes; without a fault it is up to 2.6 %.
@test "one more connection of each algorithm takes as much memory as one of cubic, and the last as much as the first" {
	local name each reference bytes
	bytes_each cubic; reference=${each% *}
	[ "$reference" -gt 2000 ] || complain 'a connection takes hardly any memory'
	for name in ndm_v5 ndm_v1 ndm_v4; do
		bytes_each "$name"
		for bytes in $each; do
			((bytes * 100 > reference * 95 && bytes * 100 < reference * 105)) || complain "$name: $each bytes, cubic $reference"
		done
	done
}

@test "the kernel logged no warning" { kernel_is_content; }
