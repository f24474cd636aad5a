# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Part of vm.bash: a guest that starts as a bought machine does when VM_FIRMWARE is set, with Secure Boot on and Microsoft's keys
# in the firmware: OVMF, Debian's shim, its boot loader and its kernel, each checked by the one before. The disk /dev/vdb holds
# what has to lie beside the root image, /dev/vda.
#
#   VM_FIRMWARE        folder with the packages shim-signed, shim-helpers-amd64-signed and grub-efi-amd64-signed (guest-debs makes it)
#   vm_enroll SECRET   shuts down, boots, and in the blue MOK manager enrolls what mokutil asked for, as a person does
#
# A reset ends this machine, for the firmware would clear the memory then, which takes an emulated machine minutes: use vm_boot, not
# vm_reboot.

VM_FIRMWARE=${VM_FIRMWARE:-}

_vm_make_firmware() {
	local root=$VM_DIR/boot-packages disk=$VM_DIR/boot.img package
	"$VM_TOP/.ci/need" ovmf dosfstools mtools socat expect
	for package in "$VM_FIRMWARE"/{shim-signed_,shim-helpers-amd64-signed_,grub-efi-amd64-signed_}*.deb; do
		dpkg -x "$package" "$root" || return 1
	done
	cat >"$VM_DIR/grub.cfg" <<-END
		linux /vmlinuz $(_vm_kernel_line)
		initrd /initrd
		boot
	END
	cp /usr/share/OVMF/OVMF_VARS_4M.ms.fd "$VM_DIR/variables.fd"
	truncate -s 160M "$disk"
	mkfs.vfat -F 32 "$disk" >/dev/null
	mmd -i "$disk" ::EFI ::EFI/BOOT ::EFI/debian
	mcopy -i "$disk" "$root/usr/lib/shim/shimx64.efi.signed" ::EFI/BOOT/BOOTX64.EFI
	mcopy -i "$disk" "$root/usr/lib/shim/mmx64.efi.signed" ::EFI/BOOT/mmx64.efi
	mcopy -i "$disk" "$root/usr/lib/grub/x86_64-efi-signed/grubx64.efi.signed" ::EFI/BOOT/grubx64.efi
	mcopy -i "$disk" "$VM_DIR/grub.cfg" ::EFI/debian/grub.cfg
	mcopy -i "$disk" "$VM_IMAGE/vmlinuz" "$VM_IMAGE/initrd" ::
	rm -r "$root"
}

# QEMU's words for it, into boot. The console can be typed on as well; its socket stands in the machine's folder.
# shellcheck disable=SC2034,SC2054  # boot is of vm.bash; QEMU's words have commas
_vm_firmware_words() {
	boot=(-action reboot=shutdown -chardev 'socket,id=console,path=keys,server=on,wait=off,logfile=console' -serial chardev:console
		-global driver=cfi.pflash01,property=secure,value=on
		-drive if=pflash,unit=0,format=raw,readonly=on,file=/usr/share/OVMF/OVMF_CODE_4M.ms.fd
		-drive if=pflash,unit=1,format=raw,file=variables.fd
		-drive file=boot.img,format=raw,if=virtio,cache=unsafe,read-only=on)
}

vm_enroll() {
	vm_poweroff
	_vm_start_qemu
	(cd "$VM_DIR" && expect "$VM_TOP/tests/vm/host/mok-manager" keys "$1" "$VM_BOOT_LIMIT" >mok-manager.log) 3>&- || {
		vm_fail "the MOK manager's screens went otherwise"
		return 1
	}
	_vm_await 60 'the machine to end' _vm_is_gone
	_vm_launch
}
