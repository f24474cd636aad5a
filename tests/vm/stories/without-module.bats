#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# A machine whose kernel is locked down, with the tools and no module: the algorithms are BPF programs. What an administrator
# types, from the installation to the purge; what is left after a kill; and a module beside them. One guest, in order.

load helpers

setup_file() {
	start_guest without-module
	build_other_packages new 9.9.9
	vm_put "$VM_TOP/build/vm/new" /srv
}

setup() {
	before=$(version)
}

registered() { ok 'grep -o "ndm[_v145]*" /proc/sys/net/ipv4/tcp_available_congestion_control | sort | paste -sd" "'; }

transfer_goes_on() { # PORT
	local acked="ip netns exec sender ss -tinOH sport = :$1 | grep -o bytes_acked:[0-9]* | cut -d : -f 2"
	await "test \$($acked) -gt $(vm_run "$acked")"
}

nothing_is_left() {
	ok 'grep -c ndm /proc/sys/net/ipv4/tcp_available_congestion_control || :'; is 0
	ok 'ls -d /sys/fs/bpf/ndm /run/ndm-tcp/bpf 2>/dev/null || :'; is ''
}

@test "the tools alone are installed, no module; the kernel is locked down" {
	ok 'echo integrity >/sys/kernel/security/lockdown; cat /sys/kernel/security/lockdown'; has '[integrity]'
	ok 'apt-get update -q; apt-get install -q -y --no-install-recommends ndm-tcp'
	fails 1 'modinfo tcp_ndm'
	ok 'ndmctl status'; has 'the algorithms are not loaded; BPF would carry them    (ndmctl load)'
	ok 'ndmctl doctor'; has 'ok    backend' 'next: ndmctl load'
}

@test "enable, set-default: the journal says which backend it is, status what it does not do" {
	ok 'systemctl enable ndm-tcp; ndmctl set-default ndm_v5'; has 'so the algorithms are BPF programs, and v5 as BPF does nothing about reordering'
	registered; is 'ndm ndm_v1 ndm_v4 ndm_v5'
	default_is ndm_v5
	ok 'ndmctl status'; has 'BPF programs of version' 'problems    none'
	ok 'journalctl -b -t ndmctl -o cat --no-pager'; has 'algorithms by BPF'
	ok 'tcpcc pair'; is 'ndm_v5 ndm_v5'
	ok 'modprobe tcp_ndm; ndmctl load' # a name is taken once, and ndmctl knows by whom
	kernel_is_content
}

@test "a cgroup, a network namespace" {
	ok 'ndmctl cgroup set /system.slice ndm_v4; systemd-run -q --wait --pipe --slice=system.slice tcpcc pair'; is 'ndm_v4 ndm_v4'
	ok 'ndmctl cgroup clear /system.slice'
	ok 'ip netns add blue; ndmctl -q set-default ndm --netns blue; ip netns exec blue sysctl -n net.ipv4.tcp_congestion_control'; is ndm
}

@test "statistics: the counters of this network namespace, the verdict of each connection" {
	ok 'iperf3 -s -D -1 -p 5999; systemd-run -q --unit=loop iperf3 -c 127.0.0.1 -p 5999 -t 9000'
	await 'ss -tinOH dport = :5999 | grep -q "ndm_v5.*bytes_acked:[0-9]\{6\}"'
	ok 'ndmctl sockets --json >/run/sockets; systemctl stop loop; python3 -c "
import json
ours = [s for s in json.load(open(\"/run/sockets\"))[\"sockets\"] if s[\"cc\"] == \"ndm_v5\" and s[\"state\"] == \"ESTAB\"]
print(len(ours) > 0, all(s[\"verdict\"] is not None for s in ours))"'; is 'True True'
	ok 'ndmctl status --counters --plain | grep -P "^(acks|sockets_ndm_v5)\t" | sed "s/\t[1-9].*/ some/"'; has 'acks some' sockets_ndm_v5
	fails 1 'ip netns exec blue ndmctl status --counters'; has 'hint: nsenter -t 1 -m ndmctl status --counters' # it hides /sys/fs/bpf
	ok 'ip netns exec blue nsenter -t 1 -m ndmctl status --counters --plain | grep ^acks'; is $'acks\t0'
	fails 4 'setpriv --reuid=65534 --regid=65534 --clear-groups ndmctl status --counters'; has 'only root sees the counters of algorithms by BPF'
	ok 'setpriv --reuid=65534 --regid=65534 --clear-groups ndmctl status --json'; has '"backend":"bpf"'
}

@test "a parameter at once; another VARIANT is another program, to which the defaults of all network namespaces move" {
	ok 'ndmctl set-default ndm; ndmctl config set QUEUE_MS 300 VARIANT v5; ndmctl config get --diff'
	ok 'bpftool map dump pinned /sys/fs/bpf/ndm/algorithms/ndm/tuning'; has '"queue_ms": 300'
	ok 'tcpcc pair; ip netns exec blue sh -c "ip link set lo up; tcpcc pair"'; is 'ndm ndm
ndm ndm'
	ok 'ndmctl status'; has 'variant v5' 'problems    none'
	ok 'systemctl start ndm-tcp; echo VARIANT=v4 >/etc/ndm-tcp/conf.d/60-site.conf; systemctl reload ndm-tcp'
	ok 'journalctl -b -u ndm-tcp -o cat --no-pager'; has 'ndmctl load, as root, outside of the service'
	ok 'rm /etc/ndm-tcp/conf.d/60-site.conf; systemctl reload ndm-tcp'
}

@test "at the boot the unit registers them, before services with a policy" {
	write_units; ok 'ndmctl unit set web ndm_v4'
	vm_boot lockdown=integrity
	registered; is 'ndm ndm_v1 ndm_v4 ndm_v5'
	default_is ndm
	ok 'journalctl -b -u ndm-tcp -o cat --no-pager'; has 'so the algorithms are BPF programs'
	ok 'systemctl is-active ndm-tcp; ndmctl status'; has 'problems    none' 'variant v5'
	ok 'tcpcc ask 7001'; is ndm_v4
	ok 'ndmctl unit clear web'
	kernel_is_content
}

@test "an upgrade takes the new programs; open connections finish on the old ones, and each default moves" {
	ok 'ip netns add blue; ndmctl set-default ndm_v5 --netns blue; ndmctl status'; has "version $before stand"
	ok 'lte up'
	start_transfer long ndm 40001
	ok 'apt-get install -y --no-install-recommends /srv/new/ndm-tcp_*.deb'
	ok 'ndmctl status'; lacks "$before"; has 'problems    none'
	ok 'ip netns exec blue sh -c "ip link set lo up; tcpcc pair"; tcpcc pair'; is 'ndm_v5 ndm_v5
ndm ndm'
	transfer_goes_on 40001
	ok 'ip netns del blue'
	stop_transfers long # lte's network namespaces have copied the default
}

# bats test_tags=all
@test "a downgrade takes the old programs, and an upgrade the new ones again" {
	ok 'apt-get install -y --no-install-recommends --allow-downgrades /srv/deb/ndm-tcp_*.deb; ndmctl status'; has "version $before stand" 'problems    none'
	ok 'apt-get install -y --no-install-recommends /srv/new/ndm-tcp_*.deb' # which names the old version
	ok 'ndmctl status'; lacks "$before"; has 'problems    none'
}

@test "the module beside it: one of the two at a time, each order is explained" {
	ok 'ndmctl -q set-default cubic --runtime; ndmctl -q unload; ndmctl -q config set DEFAULT no; ndmctl -q load; ndmctl config set BACKEND module'
	fails 1 'ndmctl load'; has 'the kernel takes each name only once' 'hint: ndmctl unload && ndmctl load'
	ok 'ndmctl status'; has 'the configuration says BACKEND=module, and BPF programs carry the algorithms' '(ndmctl unload && ndmctl load)'
	ok 'ndmctl -q unload'
	fails 1 'ndmctl load'; has 'tcp_ndm is not installed for kernel'
	ok 'ndmctl config unset BACKEND'
}

@test "purge: nothing stays registered, nothing pinned, no network namespace keeps the name" {
	ok 'ip netns add blue; ndmctl -q set-default ndm_v5 --netns all; apt-get purge -y ndm-tcp'
	nothing_is_left
	default_is cubic
	ok 'ip netns exec blue sysctl -n net.ipv4.tcp_congestion_control'; is cubic
	ok 'find / -xdev -path /srv -prune -o -path /proc -prune -o -name "*ndm*tcp*" -print | grep -v -e /srv/ -e /var/lib/apt -e /var/cache -e /etc/apt -e /var/log || :'; is ''
	kernel_is_content
}
