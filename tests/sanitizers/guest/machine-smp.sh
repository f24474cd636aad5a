# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034  # loads and reads are of stories
# The machine with two CPUs, of QEMU: KCSAN. Its story came with the root, and `out` is its second serial port.

kcsan=/sys/kernel/debug/kcsan
loads=200 # with a second CPU each waits for grace periods of RCU
reads=50  # its CPUs are emulated, and their clock goes on

# What the kernel races while it boots is of no interest.
take_story() { echo on > $kcsan; }

# A checker that watched nothing, or with nobody on the other CPU, has shown nothing.
end_story() {
	[ "$(grep -c '^processor' /proc/cpuinfo)" -eq 2 ] || fail 'this machine has not two CPUs'
	sed 's/:/ /' $kcsan > /tmp/figures
	at_least 1 enabled
	at_least 1000 setup_watchpoints
}

# This small kernel cannot turn itself off; QEMU ends when it restarts.
end_machine() { reboot -f; }
