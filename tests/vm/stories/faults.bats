#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# A disk that refuses writes, too little memory, a clock that jumps, another program that sets the default at the same moment. Each test
# prints how many places it has tried. One guest.

load helpers

setup_file() {
	"$VM_TOP/.ci/need" e2fsprogs
	start_installed_guest faults
	truncate -s 16M "$VM_DIR/ext4"
	mkfs.ext4 -q -b 4096 -E lazy_itable_init=0 "$VM_DIR/ext4"
	gzip "$VM_DIR/ext4"
	vm_pipe 'gzip -d | cp --sparse=always /dev/stdin /root/disk' <"$VM_DIR/ext4.gz"
	vm_put "$VM_TOP/tests/vm/guest/faulty" /usr/local/sbin
	ok 'ndmctl config set KEEP_NOISE 600'
}

# tries KIND CHANGE LEAST: at so many places at least it does not succeed.
tries() {
	ok "faulty $1 $2"
	lacks LOST
	[ "$(grep -c 'ended with 0, after: $' <<<"$output")" -ge 1 ] || complain 'never succeeds'
	[ "$(grep -vc 'ended with 0, after: $' <<<"$output")" -ge "$3" ] || complain 'hardly ever fails'
	echo "# $1, $2: $(grep -c "ended with" <<<"$output") places, $(grep -c ', before:' <<<"$output") before, $(grep -c ', after:' <<<"$output") after, 0 lost" >&3
}

@test "a disk that refuses writes, from each write on: a change is whole or was not made, and a message says so" {
	tries disk 'ndmctl config set KEEP_NOISE 700 DEFAULT ndm_v4' 2
	tries disk 'ndmctl set-default ndm' 2
	tries disk 'ndmctl config unset KEEP_NOISE' 2
	ok "ndmctl doctor; ndmctl config get KEEP_NOISE"; has $'\n600'
	kernel_is_content
}

@test "another program sets the default at the same moments: the next change that is alone is as always" {
	ok 'systemd-run -q --unit rival sh -c "while :; do echo reno; echo cubic; done >/proc/sys/net/ipv4/tcp_congestion_control" 2>&1
		for i in 1 2 3 4 5; do
			for change in "--runtime ndm" "--revert" "ndm_v4" "--revert"; do
				ndmctl -q set-default $change </dev/null >/tmp/said 2>&1; rc=$?
				case $rc in 0 | 1) ;; *) echo "ended with $rc: $change: $(cat /tmp/said)" ;; esac
			done
		done; systemctl stop rival; ndmctl -q set-default --revert; cat /proc/sys/net/ipv4/tcp_congestion_control >/tmp/first'
	is ''
	ok 'ndmctl -q set-default ndm_v4; cat /proc/sys/net/ipv4/tcp_congestion_control; ndmctl -q set-default --revert; diff /tmp/first /proc/sys/net/ipv4/tcp_congestion_control'
	is ndm_v4
	ok 'ndmctl doctor; ls -A /etc/ndm-tcp/conf.d'; lacks .new
	kernel_is_content
}

@test "a clock that jumps, back before 2000 and far ahead: figures stay figures, and changes last" {
	ok 'ndmctl set-default ndm; ndmctl config set METRICS yes; systemd-run -q --unit held tcpcc hold /tmp/held'
	local date
	for date in '-30 years' '+60 years'; do
		ok "date -s '$date'; ndmctl doctor; ndmctl config set KEEP_NOISE 650; ndmctl load; ndmctl set-default ndm_v4; ndmctl set-default ndm"
		parameter_is keep_noise 650
		ok 'ndmctl metrics >/tmp/metrics; grep -c . /tmp/metrics; grep -v "^#" /tmp/metrics | awk "\$NF < 0 || \$NF !~ /^[0-9.e+]+\$/ { print }"'; lacks ndm
		ok 'ndmctl status --json'; is_json
		ok 'ndmctl config set KEEP_NOISE 600; ndmctl load; ndmctl config get --diff'
	done
	vm_run "date -s @$(date +%s)"
	ok 'systemctl stop held; ndmctl config set METRICS no; ndmctl set-default --revert; ndmctl doctor'
	kernel_is_content
}

@test "too little memory: the same, and nothing keeps the next command from working" {
	tries memory 'ndmctl config set KEEP_NOISE 700' 3 # the kernel shows each process that it kills with a trace
	ok 'ndmctl config get KEEP_NOISE'; is 700
	ok 'ndmctl config set KEEP_NOISE 600; find /etc/ndm-tcp -name "*.new"'; is ''
}
