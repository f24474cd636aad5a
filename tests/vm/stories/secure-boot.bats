#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# A machine with Secure Boot on: the module is refused until its key is enrolled, and every refusal names the command that
# comes next; typing these is all that the story does. One guest, in order.

load helpers

setup_file() {
	export SECRET=ndm-tcp-mok
	VM_FIRMWARE=$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" shim-signed grub-efi-amd64-signed mokutil)
	start_guest secure-boot
	vm_put "$VM_FIRMWARE" /srv
	ok 'apt-get update'
}

# The command that doctor ends with.
next_is() {
	fails 1 'ndmctl doctor'
	next=$(sed -n 's/^next: //p' <<<"$output")
	[ "$next" = "$1" ] || complain "next is not: $1"
}

@test "installing succeeds, the kernel refuses the key, the boot still succeeds" {
	ok 'dmesg | grep -i "secure boot"'; has 'Secure boot enabled' 'Kernel is locked down from EFI Secure Boot'
	ok 'apt-get install -y ndm-tcp-dkms'
	ok 'modinfo -F signer tcp_ndm'; has DKMS
	ok 'ndmctl load; ndmctl status --json; ndmctl unload'; has 'so the algorithms are BPF programs' '"backend":"bpf"'
	ok 'ndmctl config set BACKEND module'
	fails 1 'ndmctl set-default ndm'; has 'Secure Boot refuses tcp_ndm: its key is not enrolled' 'hint: install mokutil, which apt does not know' 'mokutil --import /var/lib/dkms/mok.pub' # the guest is offline
	ok 'apt-get install -y /srv/debs-*/mokutil_*.deb /srv/debs-*/libefivar1*.deb'
	fails 1 'ndmctl load'; has 'Secure Boot refuses tcp_ndm: the key /var/lib/dkms/mok.pub is not enrolled' 'hint: mokutil --import /var/lib/dkms/mok.pub'
	fails 1 'systemctl enable --now ndm-tcp'
	ok 'journalctl -b -u ndm-tcp -o cat --no-pager'; has 'Secure Boot refuses tcp_ndm' 'hint: mokutil --import /var/lib/dkms/mok.pub'
	ok 'ndmctl doctor || :'; has 'ok    lockdown     only signed modules load (lockdown integrity'
	default_is cubic
}

@test "errors distinguish a module without a signature from one with an unknown key" {
	ok 'module=$(modinfo -n tcp_ndm); cp "$module" /root; cd /root
		case $module in *.xz) xz -d tcp_ndm.ko.xz ;; esac
		strip -g tcp_ndm.ko; rm -f "$module"; cp tcp_ndm.ko "${module%.xz}"; depmod'
	fails 1 'ndmctl load'; has 'Secure Boot refuses tcp_ndm: the module is not signed' 'hint: dkms build --force'
	ok 'echo "ndm-tcp/$(modinfo -F version tcp_ndm) -k $(uname -r)"'
	next_is "dkms build --force $output && dkms install --force $output"
	ok "rm -f \$(modinfo -n tcp_ndm); $next"
	ok 'modinfo -F signer tcp_ndm'; has DKMS
}

@test "the key is enrolled as tcp_ndm(7) says: from then on the module loads, at boot as well" {
	next_is 'mokutil --import /var/lib/dkms/mok.pub'
	ok "printf '%s\n%s\n' $SECRET $SECRET | $next"
	next_is 'systemctl reboot'
	vm_enroll "$SECRET"
	ok 'ndmctl doctor || :'; has 'ok    secureboot   Secure Boot is on and the key of DKMS is enrolled'
	ok 'ndmctl set-default ndm'
	default_is ndm
	ok 'systemctl restart ndm-tcp; ndmctl status --check'
	vm_boot
	default_is ndm
	ok 'ndmctl doctor'
	kernel_is_content
}

@test "policies and statistics work under kernel lockdown" {
	ok 'cat /sys/kernel/security/lockdown'; has '[integrity]'
	ok 'ndmctl cgroup set /system.slice ndm_v4'
	ok 'systemd-run -q --wait --pipe --slice=system.slice tcpcc pair'; is 'ndm_v4 ndm_v4'
	ok 'ndmctl cgroup clear /system.slice'
	ok 'grep "^updates [1-9]" /proc/net/tcp_ndm' # this very ssh session's
}

@test "a new key of DKMS is not enrolled: an error says so, and the running module stays" {
	ok 'rm /var/lib/dkms/mok.*; set -- "ndm-tcp/$(modinfo -F version tcp_ndm)" -k "$(uname -r)"
		dkms build --force "$@" && dkms install --force "$@"'
	next_is 'mokutil --import /var/lib/dkms/mok.pub'
	default_is ndm
	vm_boot
	default_is cubic
	fails 1 'ndmctl load'; has 'the key /var/lib/dkms/mok.pub is not enrolled'
}
