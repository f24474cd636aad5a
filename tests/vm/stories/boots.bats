#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# Upgrades and boots, and what must not happen to a machine when something goes wrong on the way: an older version is
# replaced in use while the compiler is broken, then the machine boots with cloud-init, with a broken configuration,
# without the module, and with a kernel that refuses its signature. One guest, in order, each test going on from the last.

setup_file() {
	load helpers
	build_old_packages
	start_guest boots
	vm_put "$VM_TOP/build/vm/old" /srv
	build_failing_package
	vm_put "$VM_DIR/failing.deb" /srv
	ok 'apt-get install -y /srv/old/ndm-tcp_*.deb /srv/old/ndm-tcp-dkms_*.deb'
}

teardown_file() {
	load helpers
	vm_stop
}

setup() { load helpers; }

# After each test, for the next one reboots and the kernel's log with it.
teardown() { kernel_is_content; }

# One of a higher version whose preinst fails.
build_failing_package() {
	local tree=$VM_DIR/failing
	dpkg-deb -R "$VM_TOP"/build/vm/old/ndm-tcp-dkms_*.deb "$tree"
	sed -i 's/^Version: .*/Version: 9.9.9-1/' "$tree/DEBIAN/control"
	printf '#!/bin/sh\necho refused on purpose >&2\nexit 1\n' >"$tree/DEBIAN/preinst"
	chmod 755 "$tree/DEBIAN/preinst"
	dpkg-deb -b "$tree" "$tree.deb"
}

# The one line that the unit left in the journal of this boot.
unit_says() { ok 'journalctl -b -u ndm-tcp -o cat --no-pager'; }

@test "an older version is in use, its configuration edited" {
	ok 'modinfo -F version tcp_ndm'; is 0.0.9
	ok 'systemctl enable --now ndm-tcp; ndmctl set-default ndm; echo KEEP_NOISE=720 >>/etc/ndm-tcp/ndm-tcp.conf; ndmctl reload'
	parameter_is keep_noise 720
	ok 'ndmctl status'; has 'tcp_ndm 0.0.9, loaded' 'problems    none'
}

# bats test_tags=all
@test "an upgrade that is aborted leaves the old version with its module" {
	fails 1 'dpkg -i /srv/failing.deb'; has 'refused on purpose'
	ok 'dpkg --audit; dpkg-query -W -f "\${Version} \${db:Status-Status}" ndm-tcp-dkms'; has '0.0.9-1 installed'
	ok 'dkms status'; has 'ndm-tcp/0.0.9' "$(vm_run 'uname -r')" ': installed'
	ok 'ndmctl doctor'; lacks fail
	default_is ndm
}

@test "upgrade in use, and the build fails: apt succeeds with one warning; default, connections, module and edits stay" {
	ok 'lte up'
	start_transfer long ndm 40001
	ok 'cc1=$(gcc -print-prog-name=cc1); chmod -x "$cc1"; echo "$cc1" >/root/cc1'
	ok 'apt-get update; apt-get install -y ndm-tcp-dkms >/root/apt.log 2>&1; rc=$?; cat /root/apt.log; exit $rc'
	has '0.0.9 stays loaded'
	ok 'systemctl show -p Environment -p NeedDaemonReload ndm-tcp'; has NeedDaemonReload=no; lacks UNIT_OF
	ok 'chmod +x "$(cat /root/cc1)"; dpkg --audit; dpkg-query -W -f "\${db:Status-Status}" ndm-tcp-dkms'; is installed
	ok 'grep "^ndm-tcp-dkms: WARNING" /root/apt.log'; has make.log 'dkms install ndm-tcp/' " -k $(vm_run 'uname -r')"
	ok 'grep -c "^ndm-tcp-dkms: WARNING" /root/apt.log'; is 1
	default_is ndm
	parameter_is keep_noise 720
	ok 'cat /sys/module/tcp_ndm/version; systemctl is-active ndm-tcp long'; is $'0.0.9\nactive\nactive'
	ok 'grep KEEP_NOISE=720 /etc/ndm-tcp/ndm-tcp.conf'
	ok '! grep -s ndm-tcp-dkms /run/reboot-required.pkgs' # for which a server may reboot by itself
	stop_transfers long
}

@test "the command that doctor names builds it; status names both versions" {
	fails 1 'ndmctl doctor'; has 'fail  dkms' make.log
	command=$(sed -n 's/^next: //p' <<<"$output")
	ok "$command; dkms status"; has "$(vm_run 'uname -r')" ': installed'
	lacks 0.0.9
	version=$(vm_run 'modinfo -F version tcp_ndm')
	[ "$version" != 0.0.9 ]
	ok 'ndmctl status'; has "0.0.9 is loaded, $version is installed"
	default_is ndm
}

@test "the advice of the upgrade brings the new version, even while ndm is the default" {
	advice=$(vm_run "sed -n 's/^ndm-tcp-dkms: version 0.0.9 stays loaded.*after: //p' /root/apt.log")
	ok "$advice"
	default_is ndm
	[ "$(vm_get /sys/module/tcp_ndm/version)" = "$(vm_run 'modinfo -F version tcp_ndm')" ]
	ok 'ndmctl status'; has 'problems    none'
}

@test "reboot, with cloud-init on: new version, default and parameters are there, and no ordering cycle" {
	ok 'rm /etc/cloud/cloud-init.disabled'
	vm_reboot
	ok 'cloud-init status --wait --long; touch /etc/cloud/cloud-init.disabled; systemctl is-active cloud-init.target'
	has 'status: done' active
	ok 'journalctl -b -o cat --no-pager'; lacks 'ordering cycle' 'deleted to break'
	default_is ndm
	parameter_is keep_noise 720
	[ "$(vm_run 'cat /sys/module/tcp_ndm/version')" = "$(vm_run 'modinfo -F version tcp_ndm')" ]
	ok 'ndmctl status'; has 'ndm    (variant v1, was cubic)' 'problems    none'
}

@test "a broken configuration: the system boots with the previous default, one line names file, line and key" {
	ok 'echo ENTROPY_THRESHOLD=7000 >/etc/ndm-tcp/conf.d/60-typo.conf'
	vm_reboot
	ok 'rm /etc/ndm-tcp/conf.d/60-typo.conf'
	default_is cubic
	fails 3 'systemctl is-active ndm-tcp'; is failed
	unit_says
	has '/etc/ndm-tcp/conf.d/60-typo.conf:1' ENTROPY_THRESHOLD 7000 0..1000
	[ "$(grep -c 60-typo <<<"$output")" -eq 1 ] || complain 'is said more than once'
	ok 'systemctl is-active multi-user.target; systemctl --failed --no-legend | wc -l'; is $'active\n1'
	ok 'systemctl start ndm-tcp'
	default_is ndm
}

@test "the module is missing at boot: the system boots with the previous default, one line says why, one command helps" {
	ok 'ndmctl config set BACKEND module # else BPF would stand for it: without-module.bats
		dkms uninstall ndm-tcp/$(modinfo -F version tcp_ndm) -k $(uname -r)'
	vm_reboot
	default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	unit_says
	has 'DKMS has not installed tcp_ndm for kernel' 'hint: dkms install ndm-tcp/' " -k $(vm_run 'uname -r')"
	ok 'systemctl is-active multi-user.target; systemctl --failed --no-legend'; has active ndm-tcp.service
	fails 1 'ndmctl set-default ndm'; has 'DKMS has not installed' hint:
	default_is cubic
	fails 1 'ndmctl doctor'
	command=$(sed -n 's/^next: //p' <<<"$output")
	ok "$command && systemctl restart ndm-tcp && ndmctl doctor"
	default_is ndm
}

@test "a kernel that refuses the key: set-default says so and changes nothing; the boot succeeds" {
	vm_boot module.sig_enforce=1
	default_is cubic
	unit_says
	has key hint:
	fails 1 'ndmctl set-default ndm'; has key 'hint: '
	fails 1 'ndmctl set-default --runtime ndm_v4'; has key
	default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'ndmctl config get DEFAULT'; is ndm
	ok 'systemctl is-active multi-user.target; ndmctl status'; has 'not loaded'
}

@test "the same kernel with BACKEND=auto: BPF programs stand for the module, the default is as configured" {
	ok 'ndmctl config unset BACKEND; systemctl restart ndm-tcp'
	unit_says
	has 'accepts only modules signed' 'so the algorithms are BPF programs'
	default_is ndm
	ok 'tcpcc pair'; is 'ndm ndm'
}
