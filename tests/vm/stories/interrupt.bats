#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016,SC2034  # commands in single quotes are for the guest's shell; interrupt.bash reads the two names
# dpkg and the maintainer script that it runs are killed in each script of the packages: in the middle of the script, then at its
# end. An older version is installed, put to use, upgraded, removed and purged: once without an interruption, and what is
# there after each step is the measure for the others. One guest, in order.

STEPS='install upgrade remove purge' INTERRUPTED=interrupted

setup_file() {
	load helpers
	load interrupt
	"$VM_TOP/.ci/need" apt-utils dpkg-dev
	build_other_packages old 0.0.9
	start_guest interrupt
	offer old "$VM_TOP/build/vm/old"
	offer new "$VM_TOP/build/deb"
	vm_put "$VM_TOP/tests/vm/guest/show-state" /usr/local/sbin
	vm_put "$VM_TOP/tests/vm/guest/interrupted" /usr/local/sbin
	ok 'mkdir /root/kill /root/places; rm /etc/apt/sources.list.d/ndm-tcp.list'
	write_units
}

teardown_file() {
	load helpers
	vm_stop
}

setup() {
	load helpers
	load interrupt
}
teardown() { kernel_is_content; }

# offer NAME DIR: the packages of DIR as a repository in /srv/NAME of the guest, their scripts counting their commands.
offer() {
	local repo=$VM_DIR/$1 tree=$VM_DIR/tree deb script
	mkdir "$repo"
	for deb in "$2"/*.deb; do
		dpkg-deb -R "$deb" "$tree"
		for script in "$tree"/DEBIAN/{pre,post}{inst,rm}; do
			if [ -e "$script" ]; then sed -i '1s,.*,#!/bin/bash\n. /usr/local/sbin/interrupted,' "$script"; fi
		done
		dpkg-deb -b "$tree" "$repo/${deb##*/}" >/dev/null
		rm -r "$tree"
	done
	(cd "$repo" && apt-ftparchive packages . >Packages)
	vm_put "$repo" /srv
}

@test "each step undisturbed runs its scripts" {
	take_steps undisturbed
	cat "$VM_DIR"/*.places "$VM_DIR"/*.undisturbed
	[ "$(cat "$VM_DIR"/*.places | wc -l)" -ge 14 ]
}

@test "killed in the middle of each script: dpkg and apt finish it, and all is as if it had not happened" {
	take_steps middle 'int(count / 2) + 1'
	is_as_undisturbed middle
}

@test "killed at the end of each script: the same" {
	take_steps end '"end"'
	is_as_undisturbed end
}
