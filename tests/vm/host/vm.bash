# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Library: one Debian guest in QEMU, plain emulation (no KVM), used as an admin uses a machine: over ssh.
#
#   vm_start SUITE NAME [KERNEL_ARG...]   new overlay on the suite's image, booted
#   vm_run CMD                            runs CMD (a shell command line) in the guest, returns its exit code
#   vm_pipe CMD                           the same with this shell's standard input
#   vm_put SOURCE DIR / vm_get FILE       copies a file or folder into DIR of the guest / prints a file of the guest
#   vm_reboot                             reboots inside the guest and waits until it is up again
#   vm_boot [KERNEL_ARG...]               shuts down, then boots the same disk with these extra kernel arguments
#   vm_poweroff                           shuts down and waits for it; disk and folder stay
#   vm_save FILE                          ends the machine and keeps it there, its memory and its disk as they are now
#   vm_resume FILE SUITE NAME             a new machine that goes on where the kept one ended
#   vm_use_kernel RELEASE                 from the next vm_boot on: this one of the kernels that the guest itself has in /boot
#   vm_enroll, VM_FIRMWARE                a guest with Secure Boot: see firmware.bash
#   vm_stop                               ends the machine and deletes its overlay; may be called twice
#
# The guest's network leads nowhere but from a free loopback port of the host to its ssh port (restrict=on).
# Every wait is for a condition and is bounded; running out of time shows the end of the guest's console.
# A machine whose owner (the shell that called vm_start) is killed ends by itself.

VM_TOP=$(cd "${BASH_SOURCE[0]%/*}/../../.." && pwd)
VM_SMP=${VM_SMP:-2}
VM_BOOT_LIMIT=${VM_BOOT_LIMIT:-300} # seconds; on two idle cores a boot takes 15
VM_RUN_LIMIT=${VM_RUN_LIMIT:-600}   # seconds for one command; the longest (building the module) takes 40
VM_DIR=${VM_DIR:-} VM_IMAGE=${VM_IMAGE:-} VM_KERNEL=${VM_KERNEL:-} VM_PORT=${VM_PORT:-} # inherited by the tests of a bats file

# shellcheck source=tests/vm/host/firmware.bash
. "$VM_TOP/tests/vm/host/firmware.bash"
# shellcheck source=tests/vm/host/saved.bash
. "$VM_TOP/tests/vm/host/saved.bash"

vm_fail() {
	{
		printf 'vm: %s\n' "$1"
		if [ -s "$VM_DIR/console" ]; then printf -- '--- end of the guest console\n'; tail -n 40 "$VM_DIR/console"; fi
	} >&2
	return 1
}

# The socket of the kept connection stands in the machine's folder, named relatively: a socket's path must be short.
_vm_ssh() {
	( cd "$VM_DIR" && exec timeout --foreground "$VM_RUN_LIMIT" \
		ssh -q -F none -i ../../key -p "$VM_PORT" -l root -o IdentitiesOnly=yes -o StrictHostKeyChecking=no \
		-o UserKnownHostsFile=/dev/null -o ConnectTimeout=10 -o ServerAliveInterval=20 -o ControlPath=ssh "$@" )
}

vm_pipe() { _vm_ssh 127.0.0.1 "$1"; }

vm_run() { vm_pipe "$1" </dev/null; }

vm_shell() { VM_RUN_LIMIT=0 _vm_ssh -t 127.0.0.1; }

vm_put() {
	tar -C "$(dirname "$1")" -c "$(basename "$1")" | vm_pipe "mkdir -p '$2' && tar -C '$2' --no-same-owner -x"
}

vm_get() { vm_run "cat '$1'"; }

# QEMU removes the file when it ends.
_vm_is_alive() {
	local pid
	pid=$(cat "$VM_DIR/pid" 2>/dev/null) && [ -n "$pid" ] && kill -0 "$pid" 2>/dev/null
}

# _vm_await SECONDS TEXT COMMAND...: repeats COMMAND until it succeeds.
_vm_await() {
	local deadline=$((SECONDS + $1)) text=$2
	shift 2
	until "$@"; do
		((SECONDS < deadline)) || { vm_fail "waited in vain for $text"; return 1; }
		sleep 0.2
	done
}

_vm_is_gone() { ! _vm_is_alive; }

_vm_is_forwarding() {
	VM_PORT=$(ss -Htlnp "src 127.0.0.1" | sed -n "s/.*127.0.0.1:\([0-9]*\) .*pid=$(cat "$VM_DIR/pid"),.*/\1/p")
	[ -n "$VM_PORT" ]
}

# The kept connection's own output must go nowhere: it outlives the command that opened it.
_vm_connect() { _vm_ssh -f -N -M 127.0.0.1 </dev/null >/dev/null 2>&1 3>&-; }

vm_disconnect() { _vm_ssh -O exit 127.0.0.1 >/dev/null 2>&1 || :; }

# fastboot leaves the file system check out.
_vm_kernel_line() { echo "root=/dev/vda rw console=ttyS0 net.ifnames=0 mitigations=off quiet fastboot $*"; }

_vm_start_qemu() { # KERNEL_ARG...
	local boot
	_vm_boot_words "$@"
	_vm_qemu "${boot[@]}"
}

# QEMU's words for kernel and console, into boot.
_vm_boot_words() { # KERNEL_ARG...
	boot=(-serial file:console -kernel "$VM_KERNEL/vmlinuz" -initrd "$VM_KERNEL/initrd" -append "$(_vm_kernel_line "$@")")
	if [ "$VM_FIRMWARE" ]; then _vm_firmware_words; fi
}

# The board is stripped of what a guest would spend time probing.
_vm_qemu() { # WORD...
	( cd "$VM_DIR" && exec qemu-system-x86_64 -accel tcg,thread=multi,tb-size=512 -M q35,sata=off,smbus=off,i8042=off \
		-cpu qemu64 -smp "$VM_SMP" -m 1536 -nodefaults -no-user-config -display none \
		-chardev pipe,id=monitor,path=monitor -mon chardev=monitor \
		-drive "file=disk.qcow2,if=virtio,cache=unsafe,discard=unmap" "$@" \
		-netdev user,id=net,restrict=on,hostfwd=tcp:127.0.0.1:0-:22 -device virtio-net-pci,netdev=net,romfile= \
		-device virtio-rng-pci -daemonize -pidfile pid ) 3>&- || vm_fail 'QEMU did not start'
	_vm_await 10 'the forwarded port' _vm_is_forwarding
	export VM_PORT
}

vm_connect() { _vm_await "$VM_BOOT_LIMIT" "the guest's ssh" _vm_connect; }

_vm_launch() {
	_vm_start_qemu "$@"
	_vm_await_boot
}

_vm_await_boot() {
	vm_connect
	vm_run 'systemctl is-system-running --wait' >/dev/null || : # "degraded" is for the test to judge
}

vm_start() {
	local suite=$1 name=$2
	shift 2
	_vm_make "$suite" "$name" "$BASHPID"
	_vm_make_disk raw "$VM_IMAGE/root.img"
	if [ "$VM_FIRMWARE" ]; then _vm_make_firmware; fi
	_vm_launch "$@"
}

_vm_make() { # SUITE NAME OWNER
	"$VM_TOP/.ci/need" qemu-system-x86 qemu-utils openssh-client iproute2
	VM_IMAGE=$("$VM_TOP/tests/vm/host/image" "$1") || return 1
	mkdir -p "$VM_TOP/build/vm/run"
	VM_DIR=$(mktemp -d "$VM_TOP/build/vm/run/$1-$2-XXXXXX")
	VM_KERNEL=$VM_IMAGE
	export VM_DIR VM_IMAGE VM_KERNEL VM_SMP VM_FIRMWARE
	mkfifo "$VM_DIR"/monitor.{in,out}
	_vm_watch_owner "$3" &
}

_vm_make_disk() { qemu-img create -q -f qcow2 -F "$1" -b "$2" "$VM_DIR/disk.qcow2"; } # FORMAT BELOW

# bats gives its tests file descriptor 3 and waits for whoever holds it.
_vm_watch_owner() {
	exec 3>&- </dev/null >/dev/null 2>&1
	tail --pid="$1" -f /dev/null
	vm_stop
}

vm_reboot() {
	local before
	before=$(vm_get /proc/sys/kernel/random/boot_id)
	vm_run 'systemctl reboot' || :
	vm_disconnect
	_vm_await "$VM_BOOT_LIMIT" 'the guest to come back' _vm_is_rebooted "$before"
	_vm_await_boot
}

_vm_is_rebooted() {
	local now
	now=$(VM_RUN_LIMIT=20 vm_get /proc/sys/kernel/random/boot_id 2>/dev/null) && [ -n "$now" ] && [ "$now" != "$1" ]
}

vm_poweroff() {
	vm_run 'systemctl poweroff' || :
	vm_disconnect
	_vm_await "$VM_BOOT_LIMIT" 'the guest to power off' _vm_is_gone
}

vm_boot() {
	vm_poweroff
	_vm_launch "$@"
}

# Its host has no boot loader: QEMU takes kernel and initrd from files.
vm_use_kernel() {
	VM_KERNEL=$VM_DIR
	vm_get "/boot/vmlinuz-$1" >"$VM_DIR/vmlinuz" && vm_get "/boot/initrd.img-$1" >"$VM_DIR/initrd"
}

vm_stop() {
	[ -n "$VM_DIR" ] && [ -d "$VM_DIR" ] || return 0
	vm_disconnect
	! _vm_is_alive || kill -KILL "$(cat "$VM_DIR/pid")" 2>/dev/null || :
	rm -rf "$VM_DIR"
}
