#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# Upgrades and boots, and what must not happen to a machine when something goes wrong on the way: a version is replaced by a newer one
# in use while the compiler is broken, then the machine boots with cloud-init and policies of all kinds, and without the module
# and with a broken configuration. One guest, in order, each test going on from the last.

load helpers

setup_file() {
	build_other_packages new 9.9.9
	start_installed_guest boots
	vm_put "$VM_TOP/build/vm/new" /srv
	build_failing_package
	vm_put "$VM_DIR/failing.deb" /srv
}

setup() {
	before=$(version)
}

# After each test, for the next one reboots and the kernel's log with it.
teardown() { kernel_is_content; }

# One of a higher version whose preinst fails.
build_failing_package() {
	local tree=$VM_DIR/failing
	dpkg-deb -R "$VM_TOP"/build/vm/new/ndm-tcp-dkms_*.deb "$tree"
	sed -i 's/^Version: .*/Version: 99-1/' "$tree/DEBIAN/control"
	printf '#!/bin/sh\necho refused on purpose >&2\nexit 1\n' >"$tree/DEBIAN/preinst"
	chmod 755 "$tree/DEBIAN/preinst"
	dpkg-deb -b "$tree" "$tree.deb"
}

# The one line that the unit left in the journal of this boot.
unit_says() { ok 'journalctl -b -u ndm-tcp -o cat --no-pager'; }

@test "a version is in use, its configuration edited" {
	ok 'modinfo -F version tcp_ndm'; is "$before"
	ok 'systemctl enable --now ndm-tcp; ndmctl set-default ndm; echo KEEP_NOISE=720 >>/etc/ndm-tcp/ndm-tcp.conf; ndmctl load'
	parameter_is keep_noise 720
	ok 'ndmctl status'; has "tcp_ndm $before, loaded" 'problems    none'
}

# bats test_tags=all
@test "an upgrade that is aborted leaves the old version with its module" {
	fails 1 'dpkg -i /srv/failing.deb'; has 'refused on purpose'
	ok 'dpkg --audit; dpkg-query -W -f "\${Version} \${db:Status-Status}" ndm-tcp-dkms'; has "$before-1 installed"
	ok 'dkms status'; has "ndm-tcp/$before" "$(vm_run 'uname -r')" ': installed'
	ok 'ndmctl doctor'; lacks fail
	default_is ndm
}

@test "upgrade in use, and the build fails: apt succeeds with one warning; default, connections, module and edits stay" {
	ok 'lte up'
	start_transfer long ndm 40001
	ok 'cc1=$(gcc -print-prog-name=cc1); chmod -x "$cc1"; echo "$cc1" >/root/cc1'
	ok 'apt-get install -y /srv/new/ndm-tcp_*.deb /srv/new/ndm-tcp-dkms_*.deb >/root/apt.log 2>&1; rc=$?; cat /root/apt.log; exit $rc'
	has "$before stays loaded"
	ok 'systemctl show -p Environment -p NeedDaemonReload ndm-tcp'; has NeedDaemonReload=no UNIT_OF=9.9.9
	ok 'chmod +x "$(cat /root/cc1)"; dpkg --audit; dpkg-query -W -f "\${db:Status-Status}" ndm-tcp-dkms'; is installed
	ok 'grep "^ndm-tcp-dkms: WARNING" /root/apt.log'; has make.log 'dkms install ndm-tcp/' " -k $(vm_run 'uname -r')"
	ok 'grep -c "^ndm-tcp-dkms: WARNING" /root/apt.log'; is 1
	default_is ndm
	parameter_is keep_noise 720
	ok 'cat /sys/module/tcp_ndm/version; systemctl is-active ndm-tcp long'; is "$before"$'\nactive\nactive'
	ok 'grep KEEP_NOISE=720 /etc/ndm-tcp/ndm-tcp.conf'
	ok '! grep -s ndm-tcp-dkms /run/reboot-required.pkgs' # for which a server may reboot by itself
	stop_transfers long
}

@test "the command that doctor names builds it; status names both versions" {
	fails 1 'ndmctl doctor'; has 'fail  dkms' make.log
	command=$(sed -n 's/^next: //p' <<<"$output")
	ok "$command; dkms status"; has "$(vm_run 'uname -r')" ': installed'
	lacks "$before"
	ok 'modinfo -F version tcp_ndm'; is 9.9.9
	ok 'ndmctl status'; has "$before is loaded, 9.9.9 is installed"
	default_is ndm
}

@test "the advice of the upgrade brings the new version, even while ndm is the default" {
	ok "$(vm_run "sed -n 's/^ndm-tcp-dkms: version $before stays loaded.*after: //p' /root/apt.log")"
	default_is ndm
	ok 'cat /sys/module/tcp_ndm/version'; is 9.9.9
	ok 'ndmctl status'; has 'problems    none'
}

@test "reboot, with cloud-init and policies: new version, default, parameters and what is configured are there, what was set at run time is not" {
	write_units
	ok 'ndmctl -q unit set web ndm_v1; printf "%s\n" UNIT=sock.service:ndm_v4 CGROUP=/init.scope:ndm_v4 >/etc/ndm-tcp/conf.d/20-site.conf
		ndmctl -q cgroup set /system.slice/systemd-journald.service ndm; ip route add 198.51.100.0/24 via 10.0.2.2; ndmctl -q route set 198.51.100.0/24 ndm
		rm /etc/cloud/cloud-init.disabled'
	vm_reboot
	ok 'cloud-init status --wait --long; touch /etc/cloud/cloud-init.disabled; systemctl is-active cloud-init.target'
	has 'status: done' active
	ok 'journalctl -b -o cat --no-pager'; lacks 'ordering cycle' 'deleted to break' 'ndmctl: '
	ok 'systemctl --failed --no-legend'; is ''
	default_is ndm
	parameter_is keep_noise 720
	ok 'cat /sys/module/tcp_ndm/version'; is 9.9.9
	await 'tcpcc ask 7001'
	ok 'tcpcc ask 7001; tcpcc ask 7002; echo $$ >/sys/fs/cgroup/init.scope/cgroup.procs; tcpcc pair'; is $'ndm_v1\nndm_v4\nndm_v4 ndm_v4'
	ok 'ndmctl cgroup list --plain'; has $'/init.scope\tndm_v4\tconfig\tactive'; lacks journald
	ok 'ndmctl config get --diff; ip route show 198.51.100.0/24; ls /run/ndm-tcp'; lacks congctl routes
	ok 'ndmctl status'; has 'ndm    (variant v1, was cubic)' 'problems    none'
	ok 'ndmctl -q unit clear web; rm /etc/ndm-tcp/conf.d/20-site.conf; systemctl disable -q --now web sock.socket'
}

@test "the configuration is broken and the module missing at boot: the system boots with the previous default; a line says why, a command helps" {
	ok 'ndmctl config set BACKEND module # else BPF would stand for it: without-module.bats
		echo ENTROPY_THRESHOLD=7000 >/etc/ndm-tcp/conf.d/60-typo.conf; dkms uninstall ndm-tcp/$(modinfo -F version tcp_ndm) -k $(uname -r)'
	vm_reboot
	default_is cubic
	fails 3 'systemctl is-active ndm-tcp'; is failed
	unit_says
	has '/etc/ndm-tcp/conf.d/60-typo.conf:1' ENTROPY_THRESHOLD 7000 0..1000
	[ "$(grep -c 60-typo <<<"$output")" -eq 1 ] || complain 'is said more than once'
	ok 'systemctl is-active multi-user.target; systemctl --failed --no-legend'; has active ndm-tcp.service
	# What the next boot says, without the typing error.
	ok 'rm /etc/ndm-tcp/conf.d/60-typo.conf'
	fails 1 'systemctl start ndm-tcp'
	unit_says
	has 'DKMS has not installed tcp_ndm for kernel' 'hint: dkms install ndm-tcp/' " -k $(vm_run 'uname -r')"
	fails 1 'test -e /sys/module/tcp_ndm'
	fails 1 'ndmctl set-default ndm'; has 'DKMS has not installed' hint:
	default_is cubic
	fails 1 'ndmctl doctor'
	command=$(sed -n 's/^next: //p' <<<"$output")
	ok "$command && systemctl restart ndm-tcp && ndmctl doctor"
	default_is ndm
}
