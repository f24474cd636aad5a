#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# ndmctl bench with the module, by a user without rights, on the path of `lte` (jitter, reordering and 5 % loss), whose answer is known.
# What needs no module is in ../cli-root/bench-path.bats.

load helpers

setup_file() {
	start_installed_guest bench
	ok 'apt-get install -q -y ndm-tcp-bench'
	# netem of `lte` takes only packets from these ports.
	ok 'lte up; ip netns exec sender sysctl -q -w net.ipv4.ip_local_port_range="40000 40015"'
}

# As a user without rights, in a directory of that user.
BENCH='install -d -o nobody /run/theirs; cd /run/theirs; ip netns exec sender setpriv --reuid=65534 --regid=65534 --clear-groups ndmctl bench'

@test "without the module, v5 is left out of the default choice, and an error when it is asked for" {
	vm_run 'ndmctl -q unload' || :
	fails 1 "$BENCH --algorithms ndm_v5 iperf3://10.2.0.1"
	has "the algorithm 'ndm_v5' is not registered" 'hint: sudo ndmctl load'
}

@test "jitter and loss: v5 is faster than Cubic; nothing of the system changes" {
	# Where the transfers are; what the kernel learns of the connection that the test itself has to the guest is none of it.
	local state='{ sysctl -a 2>/dev/null | grep tcp_; ip netns exec sender sh -c "sysctl -a 2>/dev/null | grep tcp_; ip tcp_metrics show"; }'
	ok "ndmctl load; $state >/run/before; :"
	ok "$BENCH --quiet --algorithms ndm_v5 --blocks 6 --seconds 8 -o result.json iperf3://10.2.0.1"
	has 'ndm_v5: faster than Cubic'
	ok 'python3 -c "import json; run = json.load(open(\"/run/theirs/result.json\")); print(run[\"ended\"], min(f[\"reorderings\"] for f in run[\"flows\"]) > 0, run[\"machine\"][\"module_version\"] is None)"'
	is 'done True False'
	ok "$state >/run/after; grep -c net.ipv4.tcp_congestion_control /run/after; diff /run/before /run/after"; is 2
	ok 'sysctl -n net.ipv4.tcp_congestion_control'; is cubic
	await 'ndmctl -q unload'
	kernel_is_content
}
