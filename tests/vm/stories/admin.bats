#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# An admin's day: installs by name, tries, tunes, makes ndm the default, looks at it under traffic, goes back. One guest, in order. The
# removal is in cgroup.bats, after policies of all kinds.

load helpers

setup_file() {
	start_installed_guest admin
}

@test "apt installs both packages by name; nothing is half-configured, loaded or enabled; the module has the version of its package" {
	ok 'cat /root/install.log'
	has 'Setting up ndm-tcp ' 'Setting up ndm-tcp-dkms '
	lacks WARNING Error
	ok 'dpkg --audit && apt-get check -qq'; is ''
	ok 'dkms status'; has 'ndm-tcp/' "$(vm_run 'uname -r')" ': installed'
	ok 'modinfo -F version tcp_ndm'; is "$(version)"
	default_is cubic
	fails 1 'systemctl is-enabled ndm-tcp'; is disabled
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'ndmctl'; has "tcp_ndm $(version), not loaded" 'default     cubic'
	fails 3 'ndmctl status --check'
}

# bats test_tags=all
@test "man finds the manual pages, bash the completion" {
	ok 'MANPAGER=cat man ndmctl'; has 'set-default'
	ok 'man -w 5 ndm-tcp.conf; man -w 7 tcp_ndm'
	ok "bash -c '. /usr/share/bash-completion/bash_completion; _comp_load ndmctl 2>/dev/null || _completion_loader ndmctl; complete -p ndmctl'"
}

@test "every algorithm loads the module by its name, from the sysctl or from a socket" {
	for name in ndm ndm_v4; do
		ok "sysctl -q net.ipv4.tcp_congestion_control=$name"; default_is "$name"
		ok 'sysctl -q net.ipv4.tcp_congestion_control=cubic; modprobe -r tcp_ndm'
	done
	for name in ndm_v1 ndm_v5; do
		ok "python3 -c 'import socket; s = socket.socket(); s.setsockopt(6, 13, b\"$name\"); print(s.getsockopt(6, 13, 16))'"
		has "b'$name\\x00"
		ok 'cat /proc/sys/net/ipv4/tcp_allowed_congestion_control; modprobe -r tcp_ndm'; has 'ndm ' ndm_v1 ndm_v4 ndm_v5
	done
}

# $1: what to do with each range; prints KEY=VALUE lines. Only the numbers have ranges.
ranges_of_module() {
	vm_run 'modinfo -F parm tcp_ndm' |
		sed -n 's/^\([a-z0-9_]*\):.*\[\([0-9]*\)\.\.\([0-9]*\)\]$/\1 \2 \3/p' | awk "{ print toupper(\$1) \"=\" $1 }"
}

# refused FILE: each line of it is out of range, to ndmctl and to the module.
refused() {
	fails 6 "ndmctl config validate /root/$1.conf"
	[ "$(grep -c 'out of range' <<<"$output")" -eq "$(vm_run "wc -l </root/$1.conf")" ] || complain 'not all are out of range'
	ok "while IFS== read -r key value; do
		if echo \$value >/sys/module/tcp_ndm/parameters/\${key,,}; then echo \"\$key takes \$value\"; exit 1; fi; done </root/$1.conf"
}

@test "module and ndmctl agree on every parameter: name, range and default" {
	ok 'modprobe tcp_ndm; cd /sys/module/tcp_ndm/parameters; ls | wc -l'; is 13
	ok 'cd /sys/module/tcp_ndm/parameters; ndmctl config get --plain >/root/keys; for key in *; do
		grep "^${key^^}$(printf "\t")$(cat $key)$(printf "\t")" /root/keys || { echo "$key differs"; exit 1; }; done'
	ranges_of_module '$2' | vm_pipe 'cat >/root/lowest.conf'
	ranges_of_module '$3' | vm_pipe 'cat >/root/highest.conf'
	ranges_of_module '$3 + 1' | vm_pipe 'cat >/root/above.conf'
	ranges_of_module '$2 - 1' | grep -v -- '=-1$' | vm_pipe 'cat >/root/below.conf'
	ok 'cd /root; wc -l <lowest.conf; wc -l <above.conf; wc -l <below.conf'; is $'12\n12\n6'
	ok 'ndmctl config validate /root/lowest.conf && ndmctl config validate /root/highest.conf'
	ok 'for file in lowest highest; do while IFS== read -r key value; do
		echo $value >/sys/module/tcp_ndm/parameters/${key,,} || exit 1; done </root/$file.conf; done'
	refused above
	refused below
	ok 'modprobe -r tcp_ndm'
}

# bats test_tags=all
@test "the preset keeps the unit off where the general preset is on; its exposure is below 3.5" {
	ok 'systemctl preset ndm-tcp; systemctl is-enabled ndm-tcp || :'; has disabled
	ok 'systemd-analyze security --no-pager --threshold=35 ndm-tcp | tail -n 1'
	ok 'systemd-analyze verify ndm-tcp.service'; is ''
}

@test "enable --now loads the module with the configured parameters, also of a file of another user, and leaves the default alone" {
	ok 'cd /etc/ndm-tcp/conf.d; echo KEEP_NOISE=702 >30-tool.conf; chown 65534 30-tool.conf; chmod 600 30-tool.conf'
	ok 'systemctl enable --now ndm-tcp; systemctl is-active ndm-tcp'; has active
	parameter_is keep_noise 702
	default_is cubic
	ok 'ndmctl status'; has 'loaded' 'keep_noise 702 (default 333)'
	ok 'rm /etc/ndm-tcp/conf.d/30-tool.conf; systemctl reload ndm-tcp'; parameter_is keep_noise 333
}

@test "set-default applies now and to new network namespaces; a second call changes nothing" {
	ok 'ndmctl set-default ndm'
	default_is ndm
	ok 'ip netns add new; ip netns exec new cat /proc/sys/net/ipv4/tcp_congestion_control; ip netns delete new'; is ndm
	ok 'ndmctl set-default ndm'; is ''
	ok 'ndmctl status'; has 'ndm    (variant v1, was cubic)' 'problems    none'
	ok 'ndmctl doctor'; lacks fail
}

@test "transfers over the LTE path use ndm, v4 and cubic side by side; ss, stats and sockets show it" {
	ok 'lte up; for p in 5202 5203; do ip netns exec receiver iperf3 -s -D -p $p; done'
	start_transfer one ndm 40001
	start_transfer v4 ndm_v4 40002 -p 5202
	start_transfer other cubic 40003 -p 5203
	ok 'ip netns exec sender ss -tinH sport = :40001'; has ' ndm ' 'dctcp:(ce_state:'
	await 'ip netns exec sender ndmctl --json sockets --cc ndm | grep -qE "\"verdict\":\"(noise|congestion)\",\"entropy\":[0-9]"'
	ok 'ip netns exec sender ndmctl sockets'; has 10.2.0.1:5201 ndm ndm_v4 cubic
	await 'ip netns exec sender grep -q "^reductions [1-9]" /proc/net/tcp_ndm'
	ok 'ip netns exec sender ndmctl status --counters --plain'; has $'sockets_ndm\t4' $'sockets_ndm_v4\t1' loss_noise entropy
	ok 'ip netns exec sender awk "/^(acks|updates) / && \$2 == 0 { bad = 1 } END { exit bad }" /proc/net/tcp_ndm'
	ok 'ndmctl status --counters --plain'; has $'acks\t0' # the counters are of one network namespace
}

@test "reload applies a changed threshold, or nothing of a bad file, and keeps open connections" {
	ok 'echo ENTROPY_THRESHOLD=650 >/etc/ndm-tcp/conf.d/90-test.conf; systemctl reload ndm-tcp'
	parameter_is entropy_threshold 650
	before=$(vm_run 'ip netns exec sender sed -n "s/^updates //p" /proc/net/tcp_ndm')
	await "ip netns exec sender awk \"/^updates / { exit !(\\\$2 > $before) }\" /proc/net/tcp_ndm"
	ok 'printf "KEEP_NOISE=800\n# a comment\nENTROPY_THRESHOLD=1001\n" >/etc/ndm-tcp/conf.d/90-test.conf'
	fails 1 'systemctl reload ndm-tcp'
	ok 'journalctl -u ndm-tcp -n 10 -o cat --no-pager'; has /etc/ndm-tcp/conf.d/90-test.conf:3 ENTROPY_THRESHOLD 1001 0..1000
	parameter_is keep_noise 333
	parameter_is entropy_threshold 650
	ok 'rm /etc/ndm-tcp/conf.d/90-test.conf; systemctl reload ndm-tcp'; parameter_is entropy_threshold 700
	ok 'ip netns exec sender ss -tinH sport = :40001; systemctl is-active one'; has ESTAB ' ndm ' active
}

@test "a busy unload is refused, names what uses the module, and changes nothing; a stop puts the default back and leaves the module" {
	fails 1 'ndmctl unload'; has 'default of this network namespace is ndm' 'network namespace' 'stays loaded' hint:
	default_is ndm
	ok 'test -e /sys/module/tcp_ndm; systemctl stop ndm-tcp; journalctl -u ndm-tcp -n 10 -o cat --no-pager'; has 'stays loaded, in use'
	default_is cubic
	ok 'systemctl is-active one'; is active
	stop_transfers one v4 other
}

@test "stop restores the previous default and unloads" {
	ok 'systemctl start ndm-tcp'; default_is ndm
	await 'grep -qx 1 /sys/module/tcp_ndm/refcnt' # a namespace is torn down a moment after its deletion
	ok 'systemctl stop ndm-tcp'; default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'cat /proc/sys/net/ipv4/tcp_available_congestion_control'; lacks ndm
	ok 'ndmctl set-default --revert'
}

@test "without root: users read and select ndm; without the capability no module is loaded" {
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	fails 1 'unshare --net setpriv --bounding-set=-sys_module --inh-caps=-sys_module ndmctl load'; has ndmctl: hint:
	fails 1 'test -e /sys/module/tcp_ndm'
	ok "modprobe tcp_ndm; $nobody ndmctl status --counters; $nobody ndmctl sockets"
	ok "$nobody python3 -c 'import socket; socket.socket().setsockopt(6, 13, b\"ndm\")'"
}

PROM=/var/lib/prometheus/node-exporter/ndm-tcp.prom

@test "metrics: from its sandbox the timer's unit writes what ndmctl metrics prints, again and again" {
	ok 'systemctl enable --now ndm-tcp ndm-tcp-metrics.timer; systemctl start ndm-tcp-metrics.service'
	fails 1 "test -e $PROM" # nobody reads it here
	ok 'mkdir -p /var/lib/prometheus/node-exporter; ndmctl cgroup set /user.slice ndm'
	await "grep -q \"^ndm_tcp_policies.kind=.cgroup.. 1\" $PROM"
	# Names and labels; the figures move.
	ok "ndmctl metrics | sed 's/ [^ ]*\$//' >/root/metrics; sed 's/ [^ ]*\$//' $PROM | diff - /root/metrics"
	# Its sandbox hides no module from it.
	ok "grep -E \"^ndm_tcp_(loaded|wanted|newest_kernel_built|config_valid) \" $PROM"
	is $'ndm_tcp_loaded 1\nndm_tcp_config_valid 1\nndm_tcp_wanted 1\nndm_tcp_newest_kernel_built 1'
	ok "rm $PROM"
	await "test -s $PROM"
	ok 'systemctl disable -q --now ndm-tcp-metrics.timer ndm-tcp; ndmctl -q cgroup clear /user.slice; systemctl --failed --no-legend'; is ''
}

# bats test_tags=all
@test "reinstalled without kernel headers: apt succeeds with one warning, doctor names the command" {
	ok 'apt-get purge -y ndm-tcp ndm-tcp-dkms linux-headers-amd64 linux-headers-$(uname -r)'
	ok 'apt-get install -y ndm-tcp-dkms >/root/apt.log 2>&1; rc=$?; cat /root/apt.log; dpkg --audit; exit $rc'
	ok 'grep "^ndm-tcp-dkms: WARNING" /root/apt.log'; has "no headers for $(vm_run 'uname -r')" 'linux-headers-'
	ok 'grep -c "^ndm-tcp-dkms: WARNING" /root/apt.log'; is 1
	fails 1 'ndmctl doctor'; has 'next: ' 'apt does not know linux-headers-' # the guest is offline
	fails 1 'ndmctl set-default ndm'; has 'no headers' 'linux-headers-'
	default_is cubic
}

@test "the kernel logged no warning" {
	kernel_is_content
}
