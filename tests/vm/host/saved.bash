# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Part of vm.bash: a machine that was booted once, kept as one file, and goes on from there: each story saves the boot and the
# installation. The file is the machine's disk, an overlay on the suite's image, with QEMU's snapshot of memory and devices in it.

vm_save() {
	vm_disconnect
	cat "$VM_DIR/monitor.out" >"$VM_DIR/monitor.log" 3>&- &
	printf '%s\n' 'savevm saved' quit >"$VM_DIR/monitor.in" # the second waits until the first is done
	_vm_await 300 'the guest to be saved' _vm_is_gone
	qemu-img snapshot -l "$VM_DIR/disk.qcow2" | grep -qw saved || {
		vm_fail "the guest could not be saved: $(cat "$VM_DIR/monitor.log")"
		return 1
	}
	mv "$VM_DIR/disk.qcow2" "$1"
	vm_stop
}

vm_resume() {
	local boot
	_vm_make "$2" "$3" "$BASHPID"
	cp "$1" "$VM_DIR/disk.qcow2"
	_vm_boot_words
	_vm_qemu "${boot[@]}" -loadvm saved
	vm_connect
	vm_run "date -s @$(date +%s)" >/dev/null # its clock stood still
}
