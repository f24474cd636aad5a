#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# An admin's day: installs by name, tries, tunes, makes ndm the default, looks at it, goes back, removes everything.
# One guest; each test makes what it needs, so one can be run alone. The last ones remove the packages, in order.

setup_file() {
	load helpers
	start_installed_guest admin
}

teardown_file() {
	load helpers
	vm_stop
}

setup() { load helpers; }

@test "apt installs both packages by name and leaves nothing half-configured" {
	ok 'cat /root/install.log'
	has 'Setting up ndm-tcp ' 'Setting up ndm-tcp-dkms '
	lacks WARNING Error
	ok 'dpkg --audit && apt-get check -qq'; is ''
	ok 'dkms status'; has 'ndm-tcp/' "$(vm_run 'uname -r')" ': installed'
}

@test "installing changes nothing: not loaded, not enabled, default as before" {
	default_is cubic
	fails 1 'systemctl is-enabled ndm-tcp'; is disabled
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'ndmctl'; has 'not loaded' 'default     cubic'
	ok 'ndmctl status --short'; is absent
	fails 3 'ndmctl status --check'
}

@test "modinfo names the algorithm, and the version of the package" {
	ok 'modinfo tcp_ndm'; has 'license:        GPL' 'description:' 'tcp_ndm_v1' 'tcp_ndm_v4' 'tcp_ndm_v5' 'parm:           variant'
	version=$(vm_run "dpkg-query -W -f '\${Version}' ndm-tcp-dkms | sed 's/-[^-]*\$//'")
	ok 'modinfo -F version tcp_ndm'; is "$version"
	ok 'ndmctl version'; has "$version"
}

@test "man finds the manual pages, bash the completion" {
	ok 'MANPAGER=cat man ndmctl'; has 'set-default'
	ok 'man -w 5 ndm-tcp.conf; man -w 7 tcp_ndm'
	ok "bash -c '. /usr/share/bash-completion/bash_completion; _comp_load ndmctl 2>/dev/null || _completion_loader ndmctl; complete -p ndmctl'"
}

@test "every algorithm loads the module by its name, from the sysctl and from a socket" {
	for name in ndm ndm_v1 ndm_v4 ndm_v5; do
		ok 'sysctl -q net.ipv4.tcp_congestion_control=cubic; ! test -e /sys/module/tcp_ndm || modprobe -r tcp_ndm'
		ok "sysctl -q net.ipv4.tcp_congestion_control=$name"; default_is "$name"
		ok 'sysctl -q net.ipv4.tcp_congestion_control=cubic; modprobe -r tcp_ndm'
		ok "python3 -c 'import socket; s = socket.socket(); s.setsockopt(6, 13, b\"$name\"); print(s.getsockopt(6, 13, 16))'"
		has "b'$name\\x00"
	done
	ok 'cat /proc/sys/net/ipv4/tcp_available_congestion_control'; has 'ndm ' ndm_v1 ndm_v4
	ok 'cat /proc/sys/net/ipv4/tcp_allowed_congestion_control'; has ndm_v1 ndm_v4
}

@test "a parameter out of range fails with EINVAL and keeps the old value; a good one applies at once" {
	ok 'modprobe tcp_ndm; cd /sys/module/tcp_ndm/parameters; echo 500 >entropy_threshold; echo v1 >variant'
	for bad in 1001 -1 '' abc 7e2 99999999999; do
		fails 1 "echo '$bad' >/sys/module/tcp_ndm/parameters/entropy_threshold"; has 'Invalid argument'
		parameter_is entropy_threshold 500
	done
	fails 1 'echo v2 >/sys/module/tcp_ndm/parameters/variant'; has 'Invalid argument'
	parameter_is variant v1
	ok 'echo v4 >/sys/module/tcp_ndm/parameters/variant; cat /proc/net/tcp_ndm'; has 'variant v4'
	ok 'modprobe -r tcp_ndm'
	fails 1 'modprobe tcp_ndm keep_noise=901'; has 'Invalid argument'
	ok 'modprobe tcp_ndm keep_noise=900; cat /sys/module/tcp_ndm/parameters/keep_noise; modprobe -r tcp_ndm'; is 900
}

# $1: what to do with each range; prints KEY=VALUE lines. Only the numbers have ranges.
ranges_of_module() {
	vm_run 'modinfo -F parm tcp_ndm' |
		sed -n 's/^\([a-z0-9_]*\):.*\[\([0-9]*\)\.\.\([0-9]*\)\]$/\1 \2 \3/p' | awk "{ print toupper(\$1) \"=\" $1 }"
}

@test "module and ndmctl agree on every parameter: name, range and default" {
	ok 'modprobe -r tcp_ndm; modprobe tcp_ndm; ls /sys/module/tcp_ndm/parameters | wc -l'; is 13
	ok 'cd /sys/module/tcp_ndm/parameters; for key in *; do
		[ "$(cat $key)" = "$(ndmctl config get ${key^^})" ] || { echo "$key differs"; exit 1; }; done'
	ranges_of_module '$2' | vm_pipe 'cat >/root/lowest.conf'
	ranges_of_module '$3' | vm_pipe 'cat >/root/highest.conf'
	ranges_of_module '$3 + 1' | vm_pipe 'cat >/root/above.conf'
	ranges_of_module '$2 - 1' | grep -v -- '=-1$' | vm_pipe 'cat >/root/below.conf'
	ok 'wc -l </root/lowest.conf'; is 12
	ok 'ndmctl config validate /root/lowest.conf && ndmctl config validate /root/highest.conf'
	fails 6 'ndmctl config validate /root/above.conf'
	ok 'ndmctl config validate /root/above.conf 2>&1 | grep -c "out of range"; :'; is 12
	ok 'ndmctl config validate /root/below.conf 2>&1 | grep -c "out of range"; :'; is 6
	# the module, by writing the same files to it
	ok 'for file in lowest highest; do while IFS== read -r key value; do
		echo $value >/sys/module/tcp_ndm/parameters/${key,,} || exit 1; done </root/$file.conf; done'
	ok 'for file in above below; do while IFS== read -r key value; do
		! echo $value >/sys/module/tcp_ndm/parameters/${key,,} || exit 1; done </root/$file.conf; done'
	ok 'modprobe -r tcp_ndm'
}

@test "enable --now loads the module with the configured parameters and leaves the default alone" {
	ok 'ndmctl config set KEEP_NOISE 700'
	ok 'systemctl enable --now ndm-tcp'
	ok 'systemctl is-active ndm-tcp'; is active
	parameter_is keep_noise 700
	default_is cubic
	ok 'ndmctl status'; has 'loaded' 'keep_noise 700 (default 333)'
	ok 'ndmctl config unset KEEP_NOISE'; parameter_is keep_noise 333
}

@test "the preset keeps the unit off where the general preset is on" {
	ok 'systemctl disable -q ndm-tcp; systemctl preset ndm-tcp; systemctl is-enabled ndm-tcp || :'; has disabled
}

@test "the unit's exposure is below 3.5" {
	ok 'systemd-analyze security --no-pager --threshold=35 ndm-tcp | tail -n 1'
	ok 'systemd-analyze verify ndm-tcp.service'; is ''
}

@test "set-default applies now, at boot and to new network namespaces; a second call changes nothing" {
	ok 'systemctl enable --now ndm-tcp; ndmctl set-default ndm'
	default_is ndm
	ok 'ndmctl default'; is ndm
	ok 'ndmctl config get DEFAULT'; is ndm
	ok 'ip netns add new; ip netns exec new cat /proc/sys/net/ipv4/tcp_congestion_control; ip netns delete new'; is ndm
	ok 'ndmctl set-default ndm'; is ''
	ok 'ndmctl status'; has 'ndm    (variant v1, was cubic)' 'problems    none'
	ok 'ndmctl status --short'; is default
	ok 'ndmctl doctor'; lacks fail
	for command in status stats sockets doctor 'config get'; do ok "ndmctl --json $command"; is_json; done
	ok 'ndmctl set-default --revert'; default_is cubic
	ok 'ndmctl config get DEFAULT'; is no
}

@test "a transfer over the LTE path uses ndm; ss, status, stats and sockets show it" {
	ok 'systemctl start ndm-tcp; ndmctl set-default ndm; lte up'
	start_transfer one ndm 40001
	ok 'ip netns exec sender ss -tinH sport = :40001'; has ' ndm ' 'dctcp:(ce_state:'
	await 'ip netns exec sender ndmctl --json sockets --cc ndm | grep -qE "\"verdict\":\"(noise|congestion)\",\"entropy\":[0-9]"'
	ok 'ip netns exec sender ndmctl sockets --cc ndm'; has 10.2.0.1:5201 ndm
	ok 'ip netns exec sender ndmctl stats'; has 'sockets_ndm ' loss_noise entropy
	await 'ip netns exec sender grep -q "^reductions [1-9]" /proc/net/tcp_ndm'
	ok 'ip netns exec sender awk "/^(acks|updates|sockets_ndm) / && \$2 == 0 { bad = 1 } END { exit bad }" /proc/net/tcp_ndm'
	ok 'ndmctl stats --plain'; has $'acks\t0'
	stop_transfers one
}

@test "both variants and cubic run side by side" {
	ok 'systemctl start ndm-tcp; lte up; for p in 5202 5203; do ip netns exec receiver iperf3 -s -D -p $p; done'
	start_transfer v1 ndm_v1 40001
	start_transfer v4 ndm_v4 40002 -p 5202
	start_transfer other cubic 40003 -p 5203
	await 'ip netns exec sender grep -q "^sockets_ndm_v1 1" /proc/net/tcp_ndm'
	ok 'ip netns exec sender cat /proc/net/tcp_ndm'; has 'sockets_ndm_v1 1' 'sockets_ndm_v4 1'
	ok 'ip netns exec sender ndmctl sockets'; has ndm_v1 ndm_v4 cubic
	stop_transfers v1 v4 other
}

@test "reload applies a changed threshold and keeps open connections" {
	ok 'systemctl start ndm-tcp; lte up'
	start_transfer long ndm 40001
	ok 'echo ENTROPY_THRESHOLD=650 >/etc/ndm-tcp/conf.d/90-test.conf; systemctl reload ndm-tcp'
	parameter_is entropy_threshold 650
	before=$(vm_run 'ip netns exec sender sed -n "s/^updates //p" /proc/net/tcp_ndm')
	await "ip netns exec sender awk \"/^updates / { exit !(\\\$2 > $before) }\" /proc/net/tcp_ndm"
	ok 'ip netns exec sender ss -tinH sport = :40001'; has ESTAB ' ndm '
	ok 'rm /etc/ndm-tcp/conf.d/90-test.conf; ndmctl reload'; parameter_is entropy_threshold 700
	ok 'systemctl is-active long'; is active
	stop_transfers long
}

@test "an invalid configuration is refused as a whole: file, line and key are named, nothing is applied" {
	ok 'systemctl start ndm-tcp; modprobe tcp_ndm'
	ok 'printf "KEEP_NOISE=800\n# a comment\nENTROPY_THRESHOLD=1001\n" >/etc/ndm-tcp/conf.d/90-test.conf'
	fails 6 'ndmctl reload'; has /etc/ndm-tcp/conf.d/90-test.conf:3 ENTROPY_THRESHOLD 1001 0..1000
	fails 1 'systemctl reload ndm-tcp'
	parameter_is keep_noise 333
	parameter_is entropy_threshold 700
	ok 'rm /etc/ndm-tcp/conf.d/90-test.conf; systemctl reload ndm-tcp; ndmctl config validate'
}

@test "a busy unload is refused, names what uses the module, and changes nothing" {
	ok 'systemctl start ndm-tcp; ndmctl set-default ndm; lte up'
	start_transfer hold ndm_v4 40001
	fails 1 'ndmctl unload'; has 'default of this network namespace is ndm' 'network namespace' 'stays loaded' hint:
	default_is ndm
	ok 'systemctl is-active hold; test -e /sys/module/tcp_ndm'
	ok 'systemctl stop ndm-tcp; journalctl -u ndm-tcp -n 10 -o cat --no-pager'; has 'stays loaded, in use'
	default_is cubic
	stop_transfers hold
	ok 'systemctl start ndm-tcp'; default_is ndm
}

@test "stop restores the previous default and unloads" {
	ok 'systemctl start ndm-tcp; ndmctl set-default ndm'; default_is ndm
	await 'grep -qx 1 /sys/module/tcp_ndm/refcnt' # a namespace is torn down a moment after its deletion
	ok 'systemctl stop ndm-tcp'; default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'cat /proc/sys/net/ipv4/tcp_available_congestion_control'; lacks ndm
}

@test "without root: users read and select ndm, but change nothing; without the capability no module is loaded" {
	ok 'systemctl stop ndm-tcp; modprobe tcp_ndm'
	nobody='setpriv --reuid=65534 --regid=65534 --clear-groups'
	ok "$nobody ndmctl status; $nobody ndmctl stats; $nobody ndmctl sockets"
	fails 4 "$nobody ndmctl set-default ndm"; has 'needs root' 'sudo ndmctl set-default ndm'
	ok "$nobody python3 -c 'import socket; socket.socket().setsockopt(6, 13, b\"ndm\")'"
	ok 'modprobe -r tcp_ndm'
	fails 1 'unshare --net setpriv --bounding-set=-sys_module --inh-caps=-sys_module ndmctl load'; has ndmctl: hint:
	fails 1 'test -e /sys/module/tcp_ndm'
}

@test "read-only /etc: set-default says so and changes nothing" {
	ok 'ndmctl set-default --revert; mount --bind /etc /etc; mount -o remount,bind,ro /etc'
	fails 1 'ndmctl set-default ndm'; has 'Read-only file system' hint:
	ok 'umount /etc'; default_is cubic
	fails 1 'test -e /etc/ndm-tcp/conf.d/50-ndmctl.conf'
	ok 'ndmctl set-default ndm && ndmctl set-default --revert'
}

@test "full disk: set-default says so and changes nothing" {
	ok 'mount -t tmpfs -o size=4k none /etc/ndm-tcp/conf.d; echo KEEP_NOISE=700 >/etc/ndm-tcp/conf.d/10-full.conf'
	fails 1 'ndmctl set-default ndm'; has 'No space left on device' hint:
	ok 'ls -A /etc/ndm-tcp/conf.d; umount /etc/ndm-tcp/conf.d'; is 10-full.conf
	default_is cubic
}

@test "a file of conf.d that belongs to another user is read at boot as by hand" {
	ok 'echo KEEP_NOISE=702 >/etc/ndm-tcp/conf.d/30-tool.conf; chown 65534 /etc/ndm-tcp/conf.d/30-tool.conf; chmod 600 /etc/ndm-tcp/conf.d/30-tool.conf
		ndmctl config validate; systemctl restart ndm-tcp; cat /sys/module/tcp_ndm/parameters/keep_noise'; has 702
	ok 'rm /etc/ndm-tcp/conf.d/30-tool.conf; systemctl stop ndm-tcp'
}

PROM=/var/lib/prometheus/node-exporter/ndm-tcp.prom

@test "metrics: from its sandbox the timer's unit writes what ndmctl metrics prints, again and again" {
	ok 'systemctl enable --now ndm-tcp ndm-tcp-metrics.timer; systemctl start ndm-tcp-metrics.service'
	fails 1 "test -e $PROM" # nobody reads it here
	ok 'mkdir -p /var/lib/prometheus/node-exporter; ndmctl cgroup set /user.slice ndm'
	await "grep -q \"^ndm_tcp_policies.kind=.cgroup.. 1\" $PROM"
	# Names and labels; the figures move.
	ok "bash -c 'diff <(sed \"s/ [^ ]*\$//\" $PROM) <(ndmctl metrics | sed \"s/ [^ ]*\$//\")'"
	# Its sandbox hides no module from it.
	ok "grep -E \"^ndm_tcp_(loaded|wanted|newest_kernel_built|config_valid) \" $PROM"
	is $'ndm_tcp_loaded 1\nndm_tcp_config_valid 1\nndm_tcp_wanted 1\nndm_tcp_newest_kernel_built 1'
	ok "rm $PROM"
	await "test -s $PROM"
	ok 'ndmctl cgroup clear /user.slice; systemctl --failed --no-legend'; is ''
}

@test "removal restores the previous default, removes module, DKMS tree and runtime drop-ins, keeps the configuration" {
	ok 'systemctl enable --now ndm-tcp; ndmctl set-default ndm'; default_is ndm
	ok 'ndmctl unit set systemd-logind ndm --runtime; ndmctl unit set ssh ndm_v1
		ls /run/systemd/system/*/50-ndm-tcp.conf /etc/systemd/system/*/50-ndm-tcp.conf'
	ok 'echo KEEP_NOISE=710 >>/etc/ndm-tcp/ndm-tcp.conf; echo KEEP_NOISE=705 >/etc/ndm-tcp/conf.d/70-own.conf'
	ok 'apt-get remove -y ndm-tcp ndm-tcp-dkms'; default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'find /usr/src/ndm-tcp* /var/lib/dkms/ndm-tcp /lib/modules -name "*ndm*" 2>/dev/null; ls -d /run/ndm-tcp 2>/dev/null; :'; is ''
	ok 'find /usr -name "*ndmctl*" -o -name "*ndm-tcp*" -o -name "*tcp_ndm*"'; is ''
	ok 'find /run/systemd -name "*ndm*"; systemctl show -p NeedDaemonReload --value systemd-logind ssh'; lacks ndm yes
	ok 'ls /etc/systemd/system/ssh.service.d'; is 50-ndm-tcp.conf
	ok 'grep KEEP_NOISE=710 /etc/ndm-tcp/ndm-tcp.conf; dpkg --audit'
	fails 1 "test -e $PROM"
	ok 'systemctl daemon-reload; systemctl --failed --no-legend'; is ''
}

@test "purge removes configuration and state, except the administrator's own file" {
	ok 'echo "# by ndmctl" >/etc/ndm-tcp/conf.d/50-ndmctl.conf; apt-get purge -y ndm-tcp ndm-tcp-dkms; dpkg --audit'
	ok 'find /etc/ndm-tcp -type f; ls -d /etc/systemd/system/ssh.service.d 2>/dev/null; :'; is /etc/ndm-tcp/conf.d/70-own.conf
	ok 'rm -r /etc/ndm-tcp; find /etc /run /var/lib -name "*ndm*" -not -path "*/apt/*" -not -path "/run/udev/*"'; is ''
	fails 1 'dpkg-query -W ndm-tcp 2>/dev/null'
}

# bats test_tags=all
@test "reinstalled without kernel headers: apt succeeds with one warning, doctor names the command" {
	ok 'apt-get remove -y linux-headers-amd64 linux-headers-$(uname -r)'
	ok 'apt-get install -y ndm-tcp-dkms >/root/apt.log 2>&1; rc=$?; cat /root/apt.log; dpkg --audit; exit $rc'
	ok 'grep "^ndm-tcp-dkms: WARNING" /root/apt.log'; has "no headers for $(vm_run 'uname -r')" 'linux-headers-'
	ok 'grep -c "^ndm-tcp-dkms: WARNING" /root/apt.log'; is 1
	fails 1 'ndmctl doctor'; has 'next: ' 'apt does not know linux-headers-' # the guest is offline
	fails 1 'ndmctl set-default ndm'; has 'no headers' 'linux-headers-'
	default_is cubic
}

# bats test_tags=all
@test "when the headers are installed again, the module is built" {
	ok 'apt-get install -y /var/lib/headers/*.deb && dpkg --audit'
	ok 'dkms status'; has ': installed'
	ok 'ndmctl set-default ndm && ndmctl doctor'; default_is ndm
	ok 'ndmctl set-default --revert && ndmctl unload'; default_is cubic
}

@test "the kernel logged no warning" {
	kernel_is_content
}
