#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# Power cuts at every write that a change of ndmctl or systemctl makes to the disk, and in the middle of a removal by apt. The guest
# runs once, and its writes are logged; then the disk is looked at as it was after each of them, and the machine is booted from
# some. One guest, in order.

load helpers

setup_file() {
	start_installed_guest power
	write_units
	vm_put "$VM_TOP/tests/vm/guest/show-state" /usr/local/sbin
	vm_log_writes
}

power() { "$VM_TOP/tests/vm/host/power.py" "$@"; }

state_into() { vm_run 'show-state /etc' >"$VM_DIR/$1"; }

# Each change with the writes that were made for it, into the file changes. Nothing is synced in between: what a command has
# done it must have brought to the disk itself.
record() { # NAME COMMAND
	local first
	[ -e "$VM_DIR/state" ] || state_into state
	first=$(power count "$VM_DIR/writes")
	ok "$2"
	sleep 1 # QEMU has then logged what is under way
	mv "$VM_DIR/state" "$VM_DIR/before-$1"
	state_into state
	cp "$VM_DIR/state" "$VM_DIR/after-$1"
	echo "$1 $first $(power count "$VM_DIR/writes") $VM_DIR/before-$1 $VM_DIR/after-$1" >>"$VM_DIR/changes"
}

@test "after a power cut at any write, each file is what it was before or what it is after the change; what a command has done lasts" {
	record enable 'systemctl enable --now ndm-tcp'
	record config-set 'ndmctl config set KEEP_NOISE 700 DEFAULT ndm_v4'
	record set-default 'ndmctl set-default ndm'
	record unit-set 'ndmctl unit set web ndm_v1'
	record cgroup-set 'ndmctl cgroup set /init.scope ndm --persist'
	record config-unset 'ndmctl config unset KEEP_NOISE'
	record unit-change 'ndmctl unit set web ndm_v4'
	record reload 'ndmctl load'
	record restart 'systemctl restart ndm-tcp'
	record cgroup-clear 'ndmctl cgroup clear /init.scope --persist'
	record unit-clear 'ndmctl unit clear web'
	record revert 'ndmctl set-default --revert'
	record two-files 'ndmctl unit set sock ndm_v4'
	record default 'ndmctl set-default ndm_v4'
	[ "$(sort "$VM_DIR"/after-* | uniq | wc -l)" -gt 10 ]
	cp --sparse=always "$VM_DIR/before.raw" "$VM_DIR/cut.raw"
	run power judge "$VM_DIR/writes" "$VM_DIR/cut.raw" "$VM_DIR/changes" "$VM_DIR"
	printf '%s\n' "$output" | sed 's/^/# /' >&3
	[ "$status" -eq 0 ]
	[ "$(grep -c 'neither 0$' <<<"$output")" -eq 14 ]
}

# The place in the middle of a change.
middle_of() { awk -v name="$1" '$1 == name { print int(($2 + $3) / 2) }' "$VM_DIR/changes"; }

boots_well() { # after a cut at PLACE
	vm_cut "$1"
	ok 'systemctl --failed --no-legend; systemctl is-active ndm-tcp'; is active
	ok 'ndmctl config validate; ndmctl doctor; ndmctl config get --diff'; lacks ndmctl:
	# What a change has not finished the next one of the same file removes.
	ok 'ndmctl unit set web ndm_v1; ndmctl unit set sock ndm_v4; ndmctl config set KEEP_NOISE 710; systemctl restart web ndm-tcp; find /etc -name ".*.new"'; is ''
	await 'test "$(tcpcc ask 7001)" = ndm_v1'
	kernel_is_content
}

@test "a machine boots after a cut in the middle of a change, is content, and takes the next change" {
	rm "$VM_DIR"/state
	ok 'ndmctl config get --diff'
	local change
	for change in config-set two-files default; do boots_well "$(middle_of "$change")"; done
}

@test "and in the middle of a removal of the packages: apt brings them back, with the configuration" {
	vm_cut "$(awk '$1 == "default" { print $3 }' "$VM_DIR/changes")"
	vm_log_writes
	local before after
	before=$(power count "$VM_DIR/writes")
	ok 'apt-get remove -q -y ndm-tcp ndm-tcp-dkms'
	after=$(power count "$VM_DIR/writes")
	vm_cut $(((before + after) / 2))
	ok 'dpkg --configure -a; apt-get install -q -y ndm-tcp ndm-tcp-dkms'
	ok 'dpkg --audit'; is ''
	ok 'systemctl restart ndm-tcp; ndmctl doctor; cat /proc/sys/net/ipv4/tcp_congestion_control'; has $'\nndm_v4'
	ok 'show-state /etc'; has conf.d/50-ndmctl.conf
	kernel_is_content
}
