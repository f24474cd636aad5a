# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the stories in *.bats share. Every command and its output is printed, and bats shows those of a failing test.
#
#   ok, fails, is, has, lacks    as in ../helpers.bash; the commands run in the guest
#   await CMD                    waits until CMD succeeds in the guest, two minutes at most

SUITE=${SUITE:-trixie}

# shellcheck source=tests/vm/host/vm.bash
. "$BATS_TEST_DIRNAME/../host/vm.bash"
# shellcheck source=tests/helpers.bash
. "$BATS_TEST_DIRNAME/../../helpers.bash"

teardown_file() { vm_stop; }

# start_guest NAME: with the local repository in its apt sources and nothing of ours installed.
start_guest() {
	[ -s "$VM_TOP/build/deb/Packages" ] || { echo 'no build/deb; run: make deb'; return 1; }
	if [ "$VM_FIRMWARE" ]; then vm_start "$SUITE" "$1"; else resume_guest booted "$1"; fi
	vm_put "$VM_TOP/build/deb" /srv
	vm_put "$VM_TOP/tests/vm/guest/lte" /usr/local/sbin
	vm_put "$VM_TOP/tests/vm/guest/tcpcc" /usr/local/sbin
	ok 'echo "deb [trusted=yes] file:/srv/deb ./" >/etc/apt/sources.list.d/ndm-tcp.list'
}

# start_installed_guest NAME: the same with our packages, installed by name from there; what apt said is in /root/install.log.
start_installed_guest() { resume_guest installed "$1"; }

# resume_guest KIND NAME: goes on with a copy of a guest that make_KIND made and saved, once for each state of what it is made of.
resume_guest() {
	local saved
	saved=$VM_TOP/build/vm/$1-$SUITE-$("made_of_$1" | sha256sum | cut -c 1-12)
	(
		flock 9
		[ -e "$saved" ] || { rm -f "$VM_TOP/build/vm/$1-$SUITE"-*; "make_$1" 9>&-; vm_save "$saved"; }
	) 9>"$VM_TOP/build/vm/$1-$SUITE.lock"
	vm_resume "$saved" "$SUITE" "$2"
}

make_booted() { vm_start "$SUITE" booted; }

made_of_booted() {
	"$VM_TOP/tests/vm/host/image" "$SUITE"
	cat "$VM_TOP"/tests/vm/host/{vm,saved}.bash
	echo "$VM_SMP"
	qemu-system-x86_64 --version
}

make_installed() {
	start_guest installed
	ok 'apt-get update -q'
	ok 'apt-get install -q -y ndm-tcp-dkms 2>&1 | tee /root/install.log; exit ${PIPESTATUS[0]}'
}

made_of_installed() {
	made_of_booted
	declare -f start_guest make_installed
	cat "$VM_TOP"/build/deb/*.deb "$VM_TOP"/tests/vm/guest/{lte,tcpcc}
}

# build_other_packages NAME VERSION: the packages of the present tree with that version, another unit and other BPF programs, in
# build/vm/NAME; once for all suites, and again when the packages have changed.
build_other_packages() {
	local other=$VM_TOP/build/vm/$1
	(
		flock 9
		[ "$other/built" -nt "$VM_TOP/build/deb/Packages" ] && exit 0
		rm -rf "$other.tree"
		"$VM_TOP/.ci/archive" "$VM_TOP" "$1.tree" | tar -C "$VM_TOP/build/vm" -x
		sed -i "s/^Type=oneshot/&\nEnvironment=UNIT_OF=$2/" "$other.tree/systemd/ndm-tcp.service"
		sed -i 's/^#define NETWORKS_MAX 128/#define NETWORKS_MAX 64/' "$other.tree/src/bpf/ndm_tcp.bpf.c"
		"$VM_TOP/debian/build" "$other.tree" "$other" "$2" && touch "$other/built"
	) 9>"$VM_TOP/build/vm/$1.lock"
}

# The version of the packages under test, without the revision.
version() { basename "$VM_TOP"/build/deb/ndm-tcp-dkms_*_all.deb | sed 's/^[^_]*_\(.*\)-[^-]*$/\1/'; }

# Of ../helpers.bash: every command runs in the guest.
execute() {
	vm_run "{ $1
		} 2>&1"
}

await() { ok "timeout 120 sh -c 'until $1; do sleep 0.2; done'"; }

# Short forms for what is asked all the time.
default_is() { ok 'cat /proc/sys/net/ipv4/tcp_congestion_control' && is "$1"; }
parameter_is() { ok "cat /sys/module/tcp_ndm/parameters/$1" && is "$2"; }

# Two units for policies: web serves on its own port, sock on one that systemd opened for it.
write_units() {
	ok 'cd /etc/systemd/system
		printf "[Service]\nExecStart=/usr/local/sbin/tcpcc serve 7001\n[Install]\nWantedBy=multi-user.target\n" >web.service
		printf "[Service]\nExecStart=/usr/local/sbin/tcpcc serve 7002\n" >sock.service
		printf "[Socket]\nListenStream=127.0.0.1:7002\n[Install]\nWantedBy=sockets.target\n" >sock.socket
		systemctl daemon-reload; systemctl enable -q --now web.service sock.socket'
	await 'tcpcc ask 7001'
}

# start_transfer UNIT CC PORT [IPERF_OPTION...]: a transfer on the path of `lte up` that lives until it is stopped.
start_transfer() {
	ok "systemd-run -q --collect --unit=$1 ip netns exec sender iperf3 -c 10.2.0.1 -t 9000 -C $2 --cport $3 ${*:4}"
	await "ip netns exec sender ss -tinOH sport = :$3 | grep -q $2"
}

stop_transfers() { ok "systemctl stop $*; lte down"; }

# The kernel's own opinion of the module: no warning, no oops.
kernel_is_content() {
	ok 'journalctl -k --no-pager -o cat'
	lacks 'WARNING:' 'BUG:' 'Oops' 'Call Trace' 'refcount_t' 'UBSAN'
}
