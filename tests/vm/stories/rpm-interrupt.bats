#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016,SC2034  # commands in single quotes are for the guest's shell; interrupt.bash reads the two names
# dnf and the scriptlet that it runs are killed in each scriptlet of the packages: in the middle, then at its end. As interrupt.bats does
# with dpkg. Not in the default list, as rpm.bats: `make check-vm STORIES=rpm-interrupt`. One guest, in order.

STEPS='install upgrade remove' INTERRUPTED=interrupted-rpm
export VM_RUN_LIMIT=2400 # seconds: after each of eight interruptions DKMS builds again

setup_file() {
	load helpers
	load rpm
	load interrupt
	"$VM_TOP/.ci/need" createrepo-c
	make_stand_ins
	offer old 0.0.9
	offer new
	start_guest rpm-interrupt
	install_dnf
	vm_put "$VM_TOP/build/vm/stand-ins" /srv
	vm_put "$VM_TOP/build/vm/interrupt-rpm" /srv
	for program in show-state interrupted interrupted-rpm; do vm_put "$VM_TOP/tests/vm/guest/$program" /usr/local/sbin; done
	ok 'mkdir -p /root/kill /root/places /etc/yum.repos.d; cp /srv/stand-ins/stand-ins.repo /etc/yum.repos.d
		for repo in old new; do printf "[%s]\nname=%s\nbaseurl=file:///srv/interrupt-rpm/%s\ngpgcheck=0\n" $repo $repo $repo; done >/etc/yum.repos.d/ndm-tcp.repo'
	write_units
}

teardown_file() {
	load helpers
	vm_stop
}

setup() {
	load helpers
	load interrupt
	ok 'rm -rf /etc/ndm-tcp /run/ndm-tcp' # an administrator's configuration, which rpm leaves where it removes
}
teardown() { kernel_is_content; }

# offer NAME [VERSION]: the packages as a repository, their scriptlets counting their commands.
offer() {
	local repo=$VM_TOP/build/vm/interrupt-rpm/$1 tree=$VM_TOP/build/vm/interrupt-rpm/tree
	rm -rf "$repo" "$tree"
	mkdir -p "$repo"
	"$VM_TOP/.ci/archive" "$VM_TOP" tree | tar -C "${tree%/*}" -x
	sed -Ei 's,^%(post|preun|postun|posttrans)$,%\1 -p /bin/bash\n. /usr/local/sbin/interrupted count_commands ndm-tcp.\1,
		s,^%(post|preun|postun|posttrans) dkms$,%\1 -p /bin/bash dkms\n. /usr/local/sbin/interrupted count_commands ndm-tcp-dkms.\1,' "$tree/rpm/ndm-tcp.spec"
	"$VM_TOP/rpm/build" "$tree" "$repo" ${2:+"$2"}
	createrepo_c -q "$repo"
}

@test "each step undisturbed runs its scriptlets" {
	take_steps undisturbed
	cat "$VM_DIR"/*.places "$VM_DIR"/*.undisturbed
	[ "$(cat "$VM_DIR"/*.places | wc -l)" -ge 12 ]
}

@test "killed in the middle of each scriptlet: dnf repairs it, and all is as if it had not happened" {
	take_steps middle 'int(count / 2) + 1'
	is_as_undisturbed middle
}

@test "killed at the end of each scriptlet: the same" {
	take_steps end '"end"'
	is_as_undisturbed end
}
