#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# A newer kernel comes, that of the suite's backports: the module is there before the reboot, or, when it cannot be built, the
# kernel's installation succeeds all the same. That such a machine boots is in boots.bats. One guest, in order.

load helpers

setup_file() {
	# With both suites in the sources, so that headers find their own compiler and helpers there.
	debs=$(FROM=$SUITE-backports "$VM_TOP/tests/vm/host/guest-debs" "$SUITE" linux-image-amd64 linux-headers-amd64)
	start_installed_guest kernel-upgrade
	vm_put "$debs" /srv
	ok "ln -s '/srv/${debs##*/}' /srv/kernel"
	ok 'systemctl enable --now ndm-tcp; ndmctl set-default ndm'
	old_kernel=$(vm_run 'uname -r')
	export old_kernel
}

# Its release, without asking for it by name.
new_kernel() { vm_run "basename \$(ls -d /boot/vmlinuz-* | grep -v -- '-$old_kernel\$') | sed s/vmlinuz-//"; }

install_new_kernel() {
	ok 'apt-get install -q -y /srv/kernel/*.deb >/root/apt.log 2>&1; rc=$?; tail -n 30 /root/apt.log; exit $rc'
	ok 'dpkg --audit'; is ''
}

# The next vm_boot's kernel, seen to be the running one afterwards.
boot_kernel() {
	vm_use_kernel "$1"
	vm_boot
	ok 'uname -r'; is "$1"
}

@test "a newer kernel: the module is built for it before the reboot; the running module stays" {
	install_new_kernel
	ok "dkms status ndm-tcp -k $(new_kernel)"; has ': installed'
	ok "dkms status ndm-tcp -k $old_kernel"; has ': installed'
	default_is ndm
	ok 'ndmctl doctor'
}

@test "booted into it, the default is still ndm" {
	boot_kernel "$(new_kernel)"
	default_is ndm
	ok 'ndmctl status --check'
	ok 'ndmctl doctor'
	kernel_is_content
}

@test "the newer kernel is purged: its module is removed" {
	new=$(new_kernel)
	vm_boot
	ok 'uname -r'; is "$old_kernel"
	default_is ndm
	ok "dpkg -l 'linux-*' | awk '/^ii/ && index(\$2, \"${new%-amd64}\") { print \$2 }' | xargs apt-get purge -q -y"
	ok "dkms status ndm-tcp -k $new"; lacks "$new"
	ok "find /lib/modules/$new -name '*ndm*' 2>/dev/null; :"; is ''
	ok 'ndmctl doctor'
}

@test "it is installed again and the module cannot be built: apt succeeds, the running kernel keeps its default" {
	ok 'cc1=$(gcc -print-prog-name=cc1); chmod -x "$cc1"; echo "$cc1" >/root/cc1'
	install_new_kernel
	ok 'grep "^ndm-tcp-dkms: WARNING" /root/apt.log'; has "for kernel $(new_kernel)" make.log 'dkms install ndm-tcp/'
	ok "dkms status ndm-tcp -k $(new_kernel)"; lacks ': installed'
	default_is ndm
}
