# SPDX-License-Identifier: GPL-2.0
# Each check is provoked alone.
load helpers
setup() {
	make_root
	put "$R/fixture/systemctl.txt" inactive
}

check_is() { # ID STATE PART...: doctor says so
	local line
	ndmctl doctor --plain
	line=$(grep "^$1"$'\t' <<<"$output") || fail "no check $1"
	[[ $line == "$1"$'\t'"$2"$'\t'* ]] || fail "$line, not $2"
	shift 2
	local part
	for part; do [[ $line == *"$part"* ]] || fail "$line lacks $part"; done
}

@test "doctor: ids in a fixed order, the last line is the next command" {
	ndmctl doctor
	exits 0
	equals "$(awk '$1 != "next:" { print $2 }' <<<"$output" | paste -sd ' ')" \
		'backend headers dkms otherkernel secureboot lockdown registered default inuse config unit policies metrics conflicts'
	equals "$(tail -n 1 <<<"$output")" 'next: ndmctl load'
	load_now
	ndmctl doctor
	equals "$(tail -n 1 <<<"$output")" 'next: ndmctl set-default ndm_v5'
	ndmctl set-default ndm --runtime
	ndmctl doctor
	equals "$(tail -n 1 <<<"$output")" 'next: ndmctl status'
}

@test "doctor: JSON" {
	ndmctl doctor --json
	json_is '.findings|length' 14
	json_is '[.findings[].state]|unique|join(" ")' 'ok skip warn'
	json_is .next 'ndmctl load'
	rm -r "${R:?}/lib"
	ndmctl doctor --json
	exits 0
	rm "${R:?}/fixture/version"
	ndmctl doctor --json
	exits 1
	json_is .worst fail
	json_is .next 'apt update && apt install linux-headers-6.12.0-test'
}

@test "doctor: headers" {
	check_is headers ok
	rm -r "${R:?}/lib"
	check_is headers warn 'apt install linux-headers-6.12.0-test'
	rm "${R:?}/fixture/version"
	check_is headers fail
	exits 1
	in_container
	check_is headers skip
	ln -sf 'cgroup:[4026531835]' "$R/proc/self/ns/cgroup"
	check_is headers fail
	ln -sf 'user:[4026532999]' "$R/proc/self/ns/user"    # rootless, with the other namespaces of the host
	check_is headers skip
}

@test "doctor: dkms in both formats that dkms has printed" {
	local line
	for line in 'ndm-tcp/0.1.0, 6.12.0-test, x86_64: installed' 'ndm-tcp, 0.1.0, 6.12.0-test, x86_64: installed' \
		'ndm-tcp/0.1.0, 6.12.0-test, x86_64: installed (original_module exists)' \
		$'ndm-tcp/0.0.9, 6.1.0-1, x86_64: installed\nndm-tcp/0.1.0, 6.12.0-test, x86_64: installed'; do
		put "$R/fixture/dkms.txt" "$line"
		check_is dkms ok 'ndm-tcp 0.1.0 is installed for 6.12.0-test'
	done
	for line in 'ndm-tcp/0.1.0: added' 'ndm-tcp, 0.1.0: added' 'ndm-tcp/0.1.0, 6.1.0-1, x86_64: installed' 'ndm-tcp/0.1.0, 6.12.0-test, x86_64: built'; do
		put "$R/fixture/dkms.txt" "$line"
		check_is dkms fail 'but not for 6.12.0-test: DKMS has not installed tcp_ndm' 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
		[[ $output != *make.log* ]] || fail 'a file is named that does not exist'
	done
	put "$R/var/lib/dkms/ndm-tcp/0.1.0/build/make.log" $'make: entering\nmain.c:7: error: no such thing\nmore'
	check_is dkms fail '/var/lib/dkms/ndm-tcp/0.1.0/build/make.log (main.c:7: error: no such thing)' 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	put "$R/fixture/dkms.txt" 'ndm-tcp-other/0.1.0, 6.12.0-test, x86_64: installed'
	check_is dkms fail 'apt install --reinstall ndm-tcp-dkms'
	put "$R/fixture/dkms.txt" 'ndm-tcp/0.0.9: broken'    # its source is gone
	check_is dkms fail 'apt install --reinstall ndm-tcp-dkms'
	rm "${R:?}/fixture/dkms.txt"
	check_is dkms skip
	rm "${R:?}/fixture/version"
	check_is dkms fail 'apt install --reinstall ndm-tcp-dkms'
}

@test "doctor: otherkernel" {
	add_kernel 6.12.0-test
	check_is otherkernel ok
	add_kernel 6.9.0-old
	check_is otherkernel ok
	add_kernel 6.14.0-new
	check_is otherkernel warn 'ndm will be missing after the next boot' 'apt install linux-headers-6.14.0-new'
	mkdir -p "$R/lib/modules/6.14.0-new/build/include/generated/autoconf.h"
	check_is otherkernel warn 'ndm will be missing after the next boot' 'dkms install ndm-tcp/0.1.0 -k 6.14.0-new'
	put "$R/fixture/dkms.txt" 'v4l2loopback/0.12.7, 6.14.0-new, x86_64: installed'
	check_is otherkernel warn 'ndm will be missing after the next boot' 'apt install --reinstall ndm-tcp-dkms'
	put "$R/lib/modules/6.14.0-new/updates/dkms/tcp_ndm.ko.xz" ''
	check_is otherkernel ok
}

@test "doctor: secureboot" {
	check_is secureboot ok
	secure_boot_is 0
	check_is secureboot ok 'Secure Boot is off'
	secure_boot_is 1
	check_is secureboot fail 'not signed' 'dkms build --force ndm-tcp/0.1.0 -k 6.12.0-test && dkms install --force ndm-tcp/0.1.0 -k 6.12.0-test'
	put "$R/fixture/signer" 'DKMS module signing key'
	check_is secureboot warn 'apt install mokutil'
	put "$R/fixture/mokutil.txt" '/var/lib/dkms/mok.pub is not enrolled'
	check_is secureboot fail 'mokutil --import /var/lib/dkms/mok.pub'
	put "$R/fixture/mokutil.txt" '/var/lib/dkms/mok.pub is already in the enrollment request'
	check_is secureboot fail 'at the next boot' 'systemctl reboot'
	put "$R/fixture/mokutil.txt" '/var/lib/dkms/mok.pub is already enrolled'
	check_is secureboot ok
	rm "$R/fixture/version"
	check_is secureboot skip 'no module to check'
}

@test "doctor: the key that DKMS is configured to sign with" {
	put "$R/fixture/signer" 'DKMS module signing key'
	put "$R/fixture/mokutil.txt" 'is not enrolled'
	secure_boot_is 1
	put "$R/etc/dkms/framework.conf" $'# mok_certificate=/wrong\nmok_certificate="/var/lib/shim-signed/mok/MOK.der"'
	check_is secureboot fail 'mokutil --import /var/lib/shim-signed/mok/MOK.der'
	put "$R/etc/dkms/framework.conf.d/own.conf" "mok_certificate='/etc/keys/own.pub'"
	check_is secureboot fail 'mokutil --import /etc/keys/own.pub'
	put "$R/etc/dkms/framework.conf.d/zz.conf" 'mok_certificate="/keys/$kernelver.pub"'
	check_is secureboot fail 'mokutil --import /etc/keys/own.pub'
}

@test "doctor: lockdown" {
	put "$R/sys/kernel/security/lockdown" 'none [integrity] confidentiality'
	check_is lockdown fail 'tcp_ndm is not signed' 'boot without module.sig_enforce=1 and lockdown='
	exits 1
	ndmctl status
	says 'tcp_ndm is not signed    (boot without module.sig_enforce=1'
	put "$R/fixture/signer" 'Some key'
	check_is lockdown warn 'tcp_ndm is signed' 'ndmctl load'
	ndmctl status
	[[ $output != *'is not signed'* ]] || fail "$output"
	secure_boot_is 1
	check_is lockdown ok 'lockdown integrity'
	secure_boot_is 0
	put "$R/sys/kernel/security/lockdown" '[none] integrity confidentiality'
	check_is lockdown ok 'unsigned modules may load'
	put "$R/sys/module/module/parameters/sig_enforce" Y
	check_is lockdown warn 'tcp_ndm is signed' 'ndmctl load'
	load_now
	check_is lockdown ok 'sig_enforce Y'
	"$R/fixture/modprobe" -r tcp_ndm
	put "$R/proc/sys/kernel/modules_disabled" 1
	check_is registered fail "echo tcp_ndm >$R/etc/modules-load.d/ndm-tcp.conf && reboot"
	rm "${R:?}/proc/sys/kernel/modules_disabled" "$R/proc/modules"
	check_is registered fail 'cannot load modules'
}

@test "doctor: registered" {
	check_is registered warn 'ndmctl load'
	load_now
	check_is registered ok
	put "$R/proc/sys/net/ipv4/tcp_available_congestion_control" cubic
	check_is registered fail
	rm -r "${R:?}/sys/module/tcp_ndm" "$R/fixture/version" "$R/fixture/dkms.txt"
	check_is registered fail 'apt install --reinstall ndm-tcp-dkms'
}

@test "doctor: default, with file and line of the sysctl.d file that decides at boot" {
	load_now
	check_is default ok 'the default is cubic'
	put "$R/etc/sysctl.d/20-bbr.conf" $'# fast\nnet.ipv4.tcp_congestion_control = bbr'
	put "$R/etc/sysctl.conf" '# net.ipv4.tcp_congestion_control=vegas'
	check_is default warn 'the next boot sets another one' 'etc/sysctl.d/20-bbr.conf:2 (bbr)' 'ndmctl set-default bbr --runtime'
	put "$R/usr/lib/sysctl.d/50-x.conf" 'net/ipv4/tcp_congestion_control=reno'
	check_is default warn 'usr/lib/sysctl.d/50-x.conf:1 (reno)' 'ndmctl set-default reno --runtime'
	[[ $output != *vegas* && $output != *20-bbr* ]] || fail 'a comment counted, or a line that is overridden'
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm
	check_is default warn 'the configuration says ndm, the default is cubic' 'ndmctl load'
	ndmctl load
	check_is default warn '50-x.conf:1 sets another one (reno); ndm-tcp.service overrides it' "sed '1s/^/# /' $R/usr/lib/sysctl.d/50-x.conf >$R/etc/sysctl.d/50-x.conf"
	sed '1s/^/# /' "$R/usr/lib/sysctl.d/50-x.conf" >"$R/etc/sysctl.d/50-x.conf"
	check_is default warn '20-bbr.conf:2' "sed -i '2s/^/# /' $R/etc/sysctl.d/20-bbr.conf"
	sed -i '2s/^/# /' "$R/etc/sysctl.d/20-bbr.conf"
	check_is default ok 'the default is ndm'
}

@test "doctor: inuse" {
	check_is inuse skip
	load_now
	check_is inuse ok 'nothing uses'
	add_sockets
	put "$R/sys/module/tcp_ndm/refcnt" 3
	check_is inuse ok '1 socket(s) ndm of nginx (pid 900)'
}

@test "doctor: config" {
	check_is config ok
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'A=1\nB=2'
	check_is config fail 'ndm-tcp.conf:1' 'and 1 more' 'ndmctl config validate'
	exits 1
}

@test "doctor: unit" {
	check_is unit ok
	local line
	for line in DEFAULT=ndm METRICS=yes CGROUP=/a.slice:ndm $'UNIT=a.service:no\nUNIT=web.service:ndm'; do
		put "$R/etc/ndm-tcp/ndm-tcp.conf" "$line"
		check_is unit warn "so ${line##*$'\n'} is not applied at boot" 'systemctl enable ndm-tcp'
	done
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'UNIT=a.service:no\nMETRICS=no\nKEEP_NOISE=600'
	check_is unit ok
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm
	mkdir -p "$R/etc/systemd/system/multi-user.target.wants"
	ln -s /lib/systemd/system/ndm-tcp.service "$R/etc/systemd/system/multi-user.target.wants/"
	check_is unit ok
}

@test "doctor: conflicts: none, and what cannot be seen" {
	put "$R/fixture/bpftool.txt" '[]'
	check_is conflicts ok
	rm "${R:?}/fixture/systemctl.txt"
	check_is conflicts skip 'services without systemctl'
	rm "${R:?}/fixture/bpftool.txt"
	check_is conflicts skip 'services without systemctl, BPF programs without bpftool'
}

runs() { # UNIT is active
	fake systemctl <<<"[ \"\$2\" = $1.service ] && echo active || echo inactive"
}

@test "doctor: conflicts: bpftune, with the line that starts it" {
	runs bpftune
	check_is conflicts warn 'bpftune is running:' 'systemctl status bpftune'
	put "$R/usr/lib/systemd/system/bpftune.service" $'[Service]\nExecStart=/usr/sbin/bpftune'
	check_is conflicts warn 'usr/lib/systemd/system/bpftune.service:2'
}

@test "doctor: conflicts: tuned, with the lines of its profile and of those that it includes" {
	runs tuned
	check_is conflicts warn 'tuned is running with the profile that it recommends' 'systemctl status tuned'
	put "$R/etc/tuned/active_profile" 'mine'
	put "$R/etc/tuned/mine/tuned.conf" $'[main]\ninclude=throughput, mine'
	put "$R/usr/lib/tuned/throughput/tuned.conf" $'[main]\n[sysctl]\n# net.ipv4.tcp_congestion_control=vegas\nnet.ipv4.tcp_congestion_control = bbr'
	put "$R/usr/lib/tuned/other/tuned.conf" 'net.ipv4.tcp_congestion_control=vegas'
	check_is conflicts warn 'profile mine throughput, and' 'usr/lib/tuned/throughput/tuned.conf:4'
	[[ $output != *tuned.conf:3* && $output != */other/* ]] || fail 'a comment or another profile is named'
}

@test "doctor: conflicts: other sock_ops programs, not our own, in the words of old and new bpftool" {
	put "$R/fixture/bpftool.txt" '[{"cgroup":"/sys/fs/cgroup/a b.slice","programs":[{"id":7,"attach_type":"cgroup_sock_ops","attach_flags":"multi","name":"tcp_conn_tuner"},{"id":8,"attach_type":"cgroup_inet_ingress","attach_flags":"multi","name":"sd_fw_ingress"}]},{"cgroup":"/sys/fs/cgroup/c\",\"programs\":[]},{\"x\ty","programs":[{"id":9,"attach_type":"sock_ops","attach_flags":"multi","name":"ndm_cc"},{"id":10,"attach_type":"sock_ops","attach_flags":"multi","name":"bpf_sockops"}]}]'
	check_is conflicts warn 'the BPF program tcp_conn_tuner on /sys/fs/cgroup/a b.slice'
	equals "$(grep -c ^conflicts <<<"$output")" 2
	says 'the BPF program bpf_sockops on /sys/fs/cgroup/c","programs":[]},{"x\u0009y may'
}

@test "doctor: conflicts: routes that others have given an algorithm, with the line that does" {
	cp "$CLI/fixtures/ip" "$R/fixture/"
	put "$R/fixture/routes4" $'main 0 unicast default via 192.0.2.1 dev eth0 proto static scope global
isp 0 unicast 198.51.100.0/24 via 192.0.2.2 dev eth1 proto static scope global congctl lock bbr
main 0 unicast 203.0.113.0/24 dev eth0 proto static scope link congctl ndm_v4'
	: >"$R/fixture/routes6"
	ndmctl -q route set default reno
	check_is conflicts warn 'the route 198.51.100.0/24 (table isp) gives its connections bbr, and allows no other' 'ndmctl route list'
	equals "$(grep -c ^conflicts <<<"$output")" 1
	put "$R/etc/network/interfaces.d/isp" $'iface eth1 inet static\n\tup ip route add 198.51.100.0/24 via 192.0.2.2 table isp congctl lock bbr\n\tup ip route add 192.0.2.0/24 congctl bbr2'
	put "$R/etc/systemd/network/eth1.network" $'[Route]\nTCPCongestionControlAlgorithm=bbr'
	check_is conflicts warn 'etc/network/interfaces.d/isp:2, ' 'etc/systemd/network/eth1.network:2'
	[[ $output != *isp:3* ]] || fail 'the line of another algorithm is named'
}

@test "doctor: --report has what a bug needs, and overwrites nothing" {
	load_now
	put "$R/etc/ndm-tcp/ndm-tcp.conf" KEEP_NOISE=700
	cd "$BATS_TEST_TMPDIR"
	ndmctl doctor --report report.txt
	exits 0
	complains 'read it before you publish it'
	equals "$(stat -c %a report.txt)" 600
	grep -qx '== doctor' report.txt
	grep -qx KEEP_NOISE=700 report.txt
	grep -q 'acks *123456' report.txt
	ndmctl doctor --report report.txt
	refuses 1 'exists already'
	ndmctl doctor --report -
	exits 0
	says '== status'
	ndmctl doctor --json --report -
	refuses 2 '--json and --report exclude each other'
	ndmctl -n doctor --report other.txt
	[[ ! -e other.txt ]]
}

@test "doctor: --report writes over no file that a user puts in its way meanwhile" {
	local fifo
	load_now
	echo secret >"$BATS_TEST_TMPDIR/victim"
	fake uname <<<'echo host'
	# what the owner of the directory may do before any step
	patch_copy <<-END
		set -T
		trap '[[ \$BASH_COMMAND != "make_file "* ]] || ln -sf "\$(cat "$BATS_TEST_TMPDIR/target")" "$BATS_TEST_TMPDIR/report"' DEBUG
	END
	echo "$BATS_TEST_TMPDIR/victim" >"$BATS_TEST_TMPDIR/target"
	ndmctl doctor --report "$BATS_TEST_TMPDIR/report"
	refuses 1 'File exists'
	[[ -L $BATS_TEST_TMPDIR/report ]] || fail 'nothing was put in its way'
	equals "$(cat "$BATS_TEST_TMPDIR/victim")" secret
	# What is no regular file is opened no more than one: a FIFO here, a disk in earnest.
	rm "$BATS_TEST_TMPDIR/report"
	mkfifo "$BATS_TEST_TMPDIR/fifo"
	echo "$BATS_TEST_TMPDIR/fifo" >"$BATS_TEST_TMPDIR/target"
	exec {fifo}<>"$BATS_TEST_TMPDIR/fifo"
	ndmctl doctor --report "$BATS_TEST_TMPDIR/report"
	refuses 1 'File exists'
	! read -rt 0 -u "$fifo" || fail 'it was written to'
	exec {fifo}<&-
}

@test "doctor: --report asks this very ndmctl, also when it was called without a directory" {
	load_now
	link_answers
	cd "${ON_R%/*}"
	run --separate-stderr bash -p ndmctl doctor --report -
	exits 0
	says 'acks               123456'
	equals "$(sed -n '/^== version/{n;p}' <<<"$output")" "$("$ON_R" --version)"
}
