#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# Policies of cgroups and units: nested slices, living connections, services restarted and activated by sockets, the
# configuration, kernels and systems that can do less, and removal with policies of all kinds active. One guest, in order; each test but
# the last takes back what it made. What a boot brings back is in boots.bats.

load helpers

setup_file() {
	start_installed_guest cgroup
	write_units
}

# What connects and accepts in a slice really has.
pair_in() { # SLICE [ARG...]
	ok "systemd-run -q --wait --pipe --slice=$1 tcpcc pair ${*:2}"
}

# Programs of ours anywhere in the tree.
attached_is() { ok 'bpftool cgroup tree | grep -c ndm_cc; :'; is "$1"; }

# systemd 257 does not attach its copy again, so that of ndmctl must be there.
has_own_copy() { # CGROUP, at last
	await "bpftool cgroup list /sys/fs/cgroup$1 | grep -w \"^ *\$(bpftool prog show pinned /sys/fs/bpf/ndm/cc/ndm_v1/prog | head -n 1 | cut -d : -f 1)\""
}

@test "nested slices: the nearest policy wins, connecting and accepting, IPv4 and IPv6; an application's choice stays" {
	ok 'systemctl start outer.slice outer-inner.slice'
	pair_in outer-inner.slice; is 'cubic cubic'
	ok 'ndmctl cgroup set /outer.slice ndm_v1; ndmctl cgroup set outer.slice/outer-inner.slice ndm_v4'; lacks BTF
	pair_in outer-inner.slice; is 'ndm_v4 ndm_v4'
	pair_in outer.slice 6; is 'ndm_v1 ndm_v1'
	pair_in other.slice; is 'cubic cubic'
	pair_in outer-inner.slice 6 reno; is 'reno ndm_v4'
	ok 'setpriv --reuid=65534 --regid=65534 --clear-groups ndmctl cgroup list --plain'
	is $'/outer.slice\tndm_v1\truntime\tactive\n/outer.slice/outer-inner.slice\tndm_v4\truntime\tactive'
	attached_is 2
	ok 'ndmctl cgroup clear /outer.slice/outer-inner.slice'; pair_in outer-inner.slice; is 'ndm_v1 ndm_v1'
	ok 'ndmctl cgroup clear /outer.slice'; pair_in outer-inner.slice; is 'cubic cubic'
	attached_is 0
	ok 'ls -A /sys/fs/bpf'; lacks ndm
}

@test "open connections, of a cgroup that a process names, keep their algorithm" {
	ok 'modprobe tcp_ndm; systemd-run -q --collect --unit=hold tcpcc hold /run/hold'
	await 'grep -qx "cubic cubic reno" /run/hold'
	ok 'ndmctl cgroup set --pid $(systemctl show -P MainPID hold) ndm_v1; ndmctl cgroup list --plain; touch /run/then'
	has $'/system.slice/hold.service\tndm_v1'
	await 'test /run/hold -nt /run/then'
	ok 'cat /run/hold'; is 'cubic cubic reno'
	ok 'ndmctl cgroup clear /system.slice/hold.service'
	ok 'systemctl stop hold'
	attached_is 0
}

@test "a service: at once, at every start, after a daemon-reload, and cleared; never a default that was disabled" {
	ok 'echo DEFAULT=ndm >/etc/ndm-tcp/conf.d/30-default.conf; tcpcc ask 7001'; is cubic
	ok 'ndmctl unit set web ndm_v1; tcpcc ask 7001'; is ndm_v1
	ok 'systemctl restart web'; await 'test "$(tcpcc ask 7001)" = ndm_v1'
	has_own_copy /system.slice/web.service
	ok 'systemctl daemon-reload; tcpcc ask 7001'; is ndm_v1
	ok 'ndmctl unit list --plain'; is $'web.service\tndm_v1\tpersistent\t/etc/systemd/system/web.service.d/50-ndm-tcp.conf'
	ok 'systemd-analyze verify web.service 2>&1 | grep ndm-tcp; :'; is ''
	# Its start brings the program also where nothing of ndm-tcp is loaded.
	ok '/usr/lib/ndm-tcp/service stop; systemctl restart web'; await 'test "$(tcpcc ask 7001)" = ndm_v1'
	default_is cubic
	ok 'systemctl is-active ndm-tcp; :'; is inactive
	ok 'ls -I unit /run/ndm-tcp >/tmp/before; systemctl clean ndm-tcp ndm-tcp-units; ls -I unit /run/ndm-tcp | diff /tmp/before -; cat /tmp/before'; has programs
	ok 'systemctl --failed --no-legend'; is ''
	ok 'journalctl -t ndmctl -o cat --no-pager | grep web.service'; has "drop-in of web.service: from 'none' to 'ndm_v1'"
	ok 'rm /etc/ndm-tcp/conf.d/30-default.conf; ndmctl unit clear web.service; tcpcc ask 7001'; is cubic
	ok 'systemctl restart web'; await 'test "$(tcpcc ask 7001)" = cubic'
	ok 'ls -d /etc/systemd/system/web.service.d 2>&1; :'; has 'No such file'
	attached_is 0
}

@test "a socket-activated service: at once, and after the socket's restart" {
	ok 'ndmctl unit set sock.service ndm_v1; tcpcc ask 7002'; is ndm_v1
	ok 'systemctl stop sock.service 2>/dev/null; systemctl restart sock.socket; tcpcc ask 7002'; is ndm_v1
	ok 'ndmctl unit clear sock'; has 'restart sock.socket'
	ok 'systemctl stop sock.service 2>/dev/null; systemctl restart sock.socket; tcpcc ask 7002'; is cubic
	attached_is 0
}

@test "a slice: at every start, for all its processes" {
	ok 'printf "[Slice]\n" >/etc/systemd/system/batch.slice; systemctl daemon-reload'
	if [ "$SUITE" = bullseye ]; then # systemd 247
		fails 5 'ndmctl unit set batch.slice ndm_v1'; has 'need systemd 249' 'ndmctl cgroup set /batch.slice ndm_v1'
		ok 'ls -d /etc/systemd/system/batch.slice.d 2>&1; :'; has 'No such file'
		return
	fi
	ok 'systemctl start batch.slice; ndmctl unit set batch.slice ndm_v1; systemctl stop batch.slice'
	pair_in batch.slice; is 'ndm_v1 ndm_v1'
	ok 'systemctl daemon-reload; systemd-run -q --scope --slice=batch.slice sh -c "tcpcc pair; tcpcc pair 6; tcpcc pair 4 reno"'
	is $'ndm_v1 ndm_v1\nndm_v1 ndm_v1\nreno ndm_v1'
	ok 'ndmctl unit clear batch.slice'
	attached_is 0
}

restart_all() {
	ok 'systemctl restart web sub; ! test -e /etc/systemd/system/bare.service || systemctl restart bare; systemctl restart --no-block once
		systemctl stop batch.service batch.slice; systemctl start batch.service'
	# ndm-tcp-policy@.service runs beside the first connections
	ok 'until systemctl list-jobs --no-legend | awk "!/ (once|ndm-tcp-policy@once.service).service / { exit 1 }"; do sleep 0.2; done'
	await "$(printf 'tcpcc ask %s && ' $ports):"
	for cgroup in $cgroups; do has_own_copy "$cgroup"; done # they take ndmctl's lock in any order
}

# bats test_tags=all
@test "a daemon-reload takes no policy: of services, also with a root directory, subgroups, or a long start, and of slices" {
	local _ cgroup ports='7001 7004 7005 7006' expected=$'ndm_v1\nndm_v1\nndm_v1\nndm_v1'
	local cgroups='/system.slice/web.service /system.slice/sub.service /system.slice/once.service'
	ok 'cd /etc/systemd/system
		printf "[Service]\nDelegate=yes\nDynamicUser=yes\nPrivateUsers=yes\nProtectSystem=strict\nProtectControlGroups=yes\nInaccessiblePaths=/sys/fs/bpf\nCapabilityBoundingSet=\nExecStart=/usr/local/sbin/tcpcc serve 7004\n" >sub.service
		printf "[Service]\nSlice=batch.slice\nExecStart=/usr/local/sbin/tcpcc serve 7005\n" >batch.service; printf "[Slice]\n" >batch.slice
		printf "[Service]\nType=oneshot\nExecStart=/usr/local/sbin/tcpcc serve 7006\n" >once.service
		systemctl daemon-reload; systemctl start sub batch.service'
	ok 'for unit in web sub once; do ndmctl unit set $unit ndm_v1; done'
	if [ "$SUITE" = bullseye ]; then # systemd 247: no slices
		ok 'ndmctl unit set batch.service ndm_v1'; cgroups+=' /batch.slice/batch.service'
	else
		ok 'mkdir -p /srv/bare/usr /srv/bare/proc /srv/bare/dev /srv/bare/sys; for dir in bin lib lib64; do ln -sfn usr/$dir /srv/bare/$dir; done
			printf "[Service]\nRootDirectory=/srv/bare\nBindReadOnlyPaths=/usr\nMountAPIVFS=yes\nExecStart=/usr/local/sbin/tcpcc serve 7003\n" >/etc/systemd/system/bare.service
			systemctl daemon-reload; systemctl start bare; ndmctl unit set bare ndm_v1; ndmctl unit set batch.slice ndm_v1'
		await 'tcpcc ask 7003'
		ports+=' 7003' expected+=$'\nndm_v1' cgroups+=' /batch.slice /system.slice/bare.service'
	fi
	for _ in 1 2; do
		restart_all
		ok "systemctl daemon-reload; for port in $ports; do tcpcc ask \$port; done"; is "$expected"
		for cgroup in $cgroups; do has_own_copy "$cgroup"; done
		ok 'ndmctl doctor --plain | grep ^policies; :'; has $'policies\tok'
	done
	ok 'systemctl --failed --no-legend'; is ''
	# Drop-ins as they were when systemd alone had the program.
	if [ "$SUITE" != bullseye ]; then
		ok 'for unit in web.service batch.slice; do sed -i "s,/start$,/prog,; /^ExecStartPre=/d; /^Before=/d; s, ndm-tcp-policy.*,," /etc/systemd/system/$unit.d/50-ndm-tcp.conf; done; systemctl daemon-reload'
		restart_all
		ok '/var/lib/dpkg/info/ndm-tcp.postinst configure 0.0.1 >/dev/null 2>&1; tcpcc ask 7001; tcpcc ask 7005'; is $'ndm_v1\nndm_v1'
		ok 'systemctl daemon-reload; tcpcc ask 7001; tcpcc ask 7005'; is $'ndm_v1\nndm_v1'
	fi
	ok 'for unit in web sub once batch.service; do ndmctl -q unit clear $unit; done; test "'"$SUITE"'" = bullseye || for unit in bare batch.slice; do ndmctl -q unit clear $unit; done'
	ok 'systemctl stop once sub batch.service batch.slice; rm -f /etc/systemd/system/sub.service /etc/systemd/system/once.service /etc/systemd/system/batch.s*
		! test -e /etc/systemd/system/bare.service || { systemctl stop bare; rm -r /etc/systemd/system/bare.service /srv/bare; }; systemctl daemon-reload
		systemctl reset-failed once.service || :' # its start was ended, which counts as a failure
	attached_is 0
}

# bats test_tags=all
# The pauses are places in the run of ndm-tcp-policy@.service, which takes some seconds here.
@test "a restart or a crash while the program of the start before is being attached loses no policy" {
	local pause again
	ok 'mkdir -p /run/systemd/system/web.service.d; printf "[Service]\nRestart=always\nRestartSec=0\nStartLimitBurst=100\n" >/run/systemd/system/web.service.d/10-again.conf
		systemctl daemon-reload; ndmctl unit set web ndm_v1'
	for again in 'systemctl restart' 'systemctl kill -s KILL'; do
		for pause in 1.4 1.8 2.2 2.6 3; do
			ok "systemctl restart web; sleep $pause; $again web" # no condition tells the places apart
			await 'test -z "$(systemctl list-jobs --no-legend)" && tcpcc ask 7001'
			has_own_copy /system.slice/web.service
		done
	done
	ok 'systemctl --failed --no-legend'; is ''
	ok 'ndmctl unit clear web; rm /run/systemd/system/web.service.d/10-again.conf; systemctl daemon-reload'
	attached_is 0
}

@test "the configuration: start, reload and stop apply and remove policies and METRICS=, from within the sandboxes; diff compares" {
	local prom=/var/lib/prometheus/node-exporter/ndm-tcp.prom
	ok "mkdir -p ${prom%/*}"' /etc/ndm-tcp/conf.d; systemctl start outer.slice
		printf "%s\n" CGROUP=/outer.slice:ndm_v4 UNIT=web.service:ndm_v1 UNIT=sock.service:ndm_v1 METRICS=yes >/etc/ndm-tcp/conf.d/20-site.conf'
	ok 'systemctl restart ndm-tcp; journalctl -u ndm-tcp -n 20 -o cat --no-pager'; lacks ndmctl:
	pair_in outer.slice; is 'ndm_v4 ndm_v4'
	ok 'tcpcc ask 7001; tcpcc ask 7002'; is $'ndm_v1\nndm_v1'
	ok 'ndmctl config get --diff; bpftool cgroup show /sys/fs/cgroup | grep -c ndm_count'; is 1
	ok 'printf "%s\n" CGROUP=/outer.slice:ndm_v1 UNIT=sock.service:no >/etc/ndm-tcp/conf.d/30-later.conf; systemctl reload ndm-tcp || { journalctl -u ndm-tcp -n 15 -o cat --no-pager; exit 1; }; ndmctl config get --diff'; is ''
	pair_in outer.slice; is 'ndm_v1 ndm_v1'
	ok 'systemctl stop sock.service 2>/dev/null; systemctl restart sock.socket; tcpcc ask 7002'; is cubic
	# What was counted before the reload is counted still. SYN and both FINs are three bytes.
	await "systemctl start ndm-tcp-metrics.service && grep -q \"^ndm_tcp_ended_connections_total.*ndm_v4.* 2\" $prom"
	ok "grep -E '^ndm_tcp_acked_bytes_total.*ndm_v4' $prom"; is 'ndm_tcp_acked_bytes_total{cc="ndm_v4"} 3'
	ok 'ndmctl status'; has 'what connections did, by algorithm    (ndmctl metrics)'
	ok 'systemctl stop ndm-tcp'
	attached_is 0
	ok "rm -r ${prom%/*}"' /etc/ndm-tcp/conf.d/*; bpftool cgroup tree | grep ndm_; tcpcc ask 7001; ls -A /sys/fs/bpf; ls -A /run/systemd/system; ls /run/ndm-tcp; test ! -e /sys/module/tcp_ndm'
	lacks ndm web.service.d metrics
	ok 'systemctl restart web'; await 'test "$(tcpcc ask 7001)" = cubic'
	ok 'systemctl is-active ndm-tcp; :'; is inactive
}

@test "no bpffs, no capability: an error says so, and nothing changes" {
	fails 5 'unshare -m sh -c "umount /sys/fs/bpf; ndmctl cgroup set /system.slice ndm"'; has 'the BPF file system of this system cannot be seen from here' 'hint: nsenter -t 1 -m -C ndmctl'
	fails 5 'setpriv --bounding-set=-cap_39,-sys_admin --inh-caps=-cap_39,-sys_admin ndmctl cgroup set /system.slice ndm'; has 'not permitted'
	ok 'ls -A /sys/fs/bpf'; lacks ndm
	attached_is 0
}

# bats test_tags=all
@test "a kernel without type information: the simpler program, with a note; the outermost policy wins" {
	ok 'systemctl start outer-inner.slice; mount --bind /dev/null /sys/kernel/btf/vmlinux; mkdir -p /root/boot; mount --bind /root/boot /boot'
	ok 'ndmctl cgroup set /outer.slice/outer-inner.slice ndm_v4'; has BTF outermost
	pair_in outer-inner.slice; is 'ndm_v4 ndm_v4'
	pair_in outer-inner.slice 4 reno; is 'ndm_v4 ndm_v4'
	ok 'ndmctl cgroup set /outer.slice ndm_v1'
	pair_in outer-inner.slice; is 'ndm_v1 ndm_v1'
	ok 'ndmctl cgroup show /outer.slice'; has 'without type information'
	ok 'ndmctl cgroup clear /outer.slice; ndmctl cgroup clear /outer.slice/outer-inner.slice; umount /sys/kernel/btf/vmlinux /boot'
	attached_is 0
}

@test "removal with the default and active policies leaves no program, pin or module; keeps the configuration; units start without errors" {
	ok 'ip netns add green; systemctl enable -q ndm-tcp; printf "%s\n" DEFAULT=ndm METRICS=yes UNIT=sock.service:ndm_v4 CGROUP=/init.scope:ndm >/etc/ndm-tcp/conf.d/20-site.conf
		echo KEEP_NOISE=710 >>/etc/ndm-tcp/ndm-tcp.conf; systemctl restart ndm-tcp'; default_is ndm
	ok 'ndmctl unit set web ndm_v1; ndmctl unit set systemd-logind ndm --runtime; ls /run/systemd/system/*/50-ndm-tcp.conf'
	# The default of another network namespace, and a route.
	ok 'ip link add away type dummy; ip link set away up; ip route add 198.51.100.0/24 dev away
		ndmctl -q set-default ndm_v4 --netns green; ndmctl -q route set 198.51.100.0/24 ndm'
	# A program that only systemd knows of.
	if [ "$SUITE" != bullseye ]; then
		ok 'systemd-run -q --unit=passing -p BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/ndm/prog sleep 9999; bpftool cgroup tree | grep -A1 passing'; has ndm_cc
	fi
	ok 'bpftool cgroup show /sys/fs/cgroup'; has ndm_count
	ok 'apt-get remove -q -y ndm-tcp ndm-tcp-dkms && dpkg --audit'
	default_is cubic
	ok 'ip netns exec green cat /proc/sys/net/ipv4/tcp_congestion_control; ip route show 198.51.100.0/24'; has cubic; lacks congctl
	attached_is 0
	ok 'bpftool cgroup tree | grep ndm_count; :'; is ''
	ok 'ls -A /sys/fs/bpf; ls -d /run/ndm-tcp 2>/dev/null; :'; lacks ndm
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'find /usr/src/ndm-tcp* /var/lib/dkms/ndm-tcp /lib/modules /run/systemd -name "*ndm*" 2>/dev/null; find /usr -name "*ndmctl*" -o -name "*ndm-tcp*" -o -name "*tcp_ndm*"'; is ''
	ok 'ls /etc/systemd/system/web.service.d; grep KEEP_NOISE=710 /etc/ndm-tcp/ndm-tcp.conf; systemctl show -p NeedDaemonReload --value systemd-logind'; has 50-ndm-tcp.conf; lacks yes
	ok 'systemctl daemon-reload; systemctl stop sock.service 2>/dev/null; systemctl restart web sock.socket; systemctl --failed --no-legend'; is ''
	await 'test "$(tcpcc ask 7001)" = cubic'
}

@test "purge removes configuration and state, except the administrator's own file" {
	ok 'echo "# by ndmctl" >/etc/ndm-tcp/conf.d/50-ndmctl.conf; apt-get purge -q -y ndm-tcp ndm-tcp-dkms && dpkg --audit'
	ok 'find /etc/ndm-tcp -type f; ls -d /etc/systemd/system/web.service.d 2>/dev/null; :'; is /etc/ndm-tcp/conf.d/20-site.conf
	ok 'rm -r /etc/ndm-tcp; find /etc /run /var/lib -name "*ndm*" -not -path "*/apt/*" -not -path "/run/udev/*"'; is ''
	fails 1 'dpkg-query -W ndm-tcp 2>/dev/null'
}

@test "the kernel logged no warning about policies" {
	kernel_is_content
}
