#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016,SC2154  # commands in single quotes are for the guest's shell; helpers.bash sets output
# dpkg and the maintainer script that it runs are killed in each script of the packages: in the middle of the script, then at its
# end. An older version is installed, put to use, upgraded, removed and purged: once without an interruption, and what is
# there after each step is the measure for the others. One guest, in order.

load helpers

STEPS='install upgrade remove purge'

setup_file() {
	"$VM_TOP/.ci/need" apt-utils dpkg-dev
	build_other_packages old 0.0.9
	start_guest interrupt
	offer old "$VM_TOP/build/vm/old"
	offer new "$VM_TOP/build/deb"
	vm_put "$VM_TOP/tests/vm/guest/interrupted" /usr/local/sbin
	ok 'mkdir /root/kill /root/places; rm /etc/apt/sources.list.d/ndm-tcp.list'
	write_units
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

# As an administrator does between installing and upgrading.
put_to_use() {
	ok 'systemctl enable -q --now ndm-tcp ndm-tcp-metrics.timer; ndmctl -q set-default ndm; ndmctl -q unit set web ndm_v4
		ndmctl -q cgroup set /init.scope ndm --persist; ndmctl -q config set KEEP_NOISE 700; ndmctl -q load'
}

# take_steps NAME [AWK]: all of them; what is there after each goes into files of that name. With AWK, an expression of count, each
# script is killed at that command.
take_steps() {
	local step
	for step in $STEPS; do
		ok 'rm -f /root/places/* /root/kill/*'
		[ $# -eq 1 ] || ok "cd /root/kill; printf '%s\n' '$(awk -F : '{ count = $2; print $1, '"$2"' }' "$VM_DIR/$step.places")' | while read -r script place; do echo \$place >\$script; done; ls | wc -l"
		[ $# -eq 1 ] || echo "# $step: $output scripts killed" >&3
		ok "interrupted again $step"
		ok 'ls /root/kill'; is ''
		vm_run "interrupted state" >"$VM_DIR/$step.$1"
		[ $# -gt 1 ] || vm_run 'cd /root/places; grep -H . *' >"$VM_DIR/$step.places"
		[ "$step" != install ] || put_to_use
	done
}

is_as_undisturbed() { # NAME
	local step differing=0
	for step in $STEPS; do
		diff -u "$VM_DIR/$step.undisturbed" "$VM_DIR/$step.$1" || differing=1
	done
	return "$differing"
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
