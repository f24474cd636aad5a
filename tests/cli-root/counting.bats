# SPDX-License-Identifier: GPL-2.0
# METRICS=yes on this kernel: connections are counted in a cgroup of the test's own, which its cgroup namespace takes for the
# root.
load helpers

# $1: a script in a cgroup of its own, at the root of its namespace, with a copy of ndmctl in /run/copy, whose program is built with
# COUNT_FLAGS; prints nothing when all is well. `counted` prints what was counted, as connections.py prints what should be.
on_real_root() {
	[[ -e /sys/kernel/btf/vmlinux ]] || skip 'no BTF here'
	findmnt -t cgroup2 >/dev/null || skip 'no cgroup2 here'
	local build=$BATS_TEST_TMPDIR/build
	cp -rL "$CLI/../../ndmctl" "$BATS_TEST_TMPDIR/"
	mkdir -p "$build"
	cp -rL "$CLI/../../build/bpf" "$build/"
	if [[ ${COUNT_FLAGS-} ]]; then make -s -B -C "$CLI/../../src/bpf" O="$build/bpf" DEFINE="$COUNT_FLAGS" "$build"/bpf/bpf{el,eb}/ndm_count.o; fi
	NDMCTL=$BATS_TEST_TMPDIR/ndmctl/ndmctl
	export FIXTURES=$CLI/fixtures/counting STORY="$1"$'\n'"echo played >/run/played"
	in_own_system '
		mount -t bpf -o mode=0700 bpf /sys/fs/bpf
		cp -a /etc /run/etc
		mount --bind /run/etc /etc
		own=$(findmnt -fno TARGET -t cgroup2)/ndm-count.$RANDOM$RANDOM
		mkdir "$own"
		trap "echo 1 >\"$own/cgroup.kill\" || :; patiently rmdir \"$own\"" EXIT
		counted() {
			"$0" metrics -q | sed -nE "s/^ndm_tcp_(ended_connections|acked_bytes|sent_segments|retransmitted_segments)_total\{cc=.(.*).} /\\1 \\2 /p" |
				awk "{ value[\$2, \$1] = \$3; seen[\$2] = 1 } END { for (cc in seen) print cc, value[cc, \"ended_connections\"], value[cc, \"acked_bytes\"], value[cc, \"sent_segments\"], value[cc, \"retransmitted_segments\"] }" | sort
		}
		play() { python3 "$FIXTURES/connections.py" "$@"; }
		same() { [[ $2 == "$3" ]] || say "$1: $(printf "counted\n%s\ninstead of\n%s" "$2" "$3")"; }
		begin() { mkdir -p /run/cgroup; mountpoint -q /run/cgroup || mount -t cgroup2 none /run/cgroup; "$0" -q config set METRICS yes; }
		(echo 0 >"$own/cgroup.procs"; exec unshare -C bash -ec "$(declare -f say fail patiently counted play same begin)
			$STORY" "$0")
		[[ -e /run/played ]] || say "was not played to its end"'
	equals "$output" ''
	exits 0
}

@test "counting: on a real kernel, short, long, reset, refused and reconnected ones, a switched one, one of two processes: as TCP_INFO has it" {
	on_real_root '
		begin
		wanted=$(play many)
		same all "$(counted)" "$wanted"
		"$0" -q config set METRICS yes
		same "after a second time" "$(counted)" "$wanted"
		"$0" -q config set METRICS no
		[[ $(bpftool cgroup list /run/cgroup) != *ndm_count* && ! -e /sys/fs/bpf/ndm ]] || say "something stays"
		"$0" -q config set METRICS yes
		same "begun anew" "$(counted)" ""'
}

@test "counting: on a real kernel, another network namespace counts, what was there before does not" {
	on_real_root '
		mkfifo /run/connected /run/enabled
		play before >/run/before & pid=$!
		read -r _ </run/connected || :
		begin
		echo >/run/enabled
		wait $pid
		same before "$(counted)" ""
		wanted=$(unshare -n bash -c "ip link set lo up; python3 $FIXTURES/connections.py many")
		same "there" "$(counted)" "$wanted"
		play subflow
		[[ $(counted | sed -n "s/^reno \([0-9]*\) .*/\1/p") == $(($(sed -n "s/^reno \([0-9]*\) .*/\1/p" <<<"$wanted") + 1)) ]] || say "a subflow: $(counted)"'
}

@test "counting: on a real kernel, retransmissions, beside another program, before and behind it" {
	on_real_root '
		clang -O2 -g -target bpf -I/usr/include/$(uname -m)-linux-gnu -c "$FIXTURES/other.bpf.c" -o /run/other.o
		tc qdisc add dev lo root netem loss 2% 2>/run/why || tc qdisc add dev lo root tbf rate 50mbit burst 5k limit 15k 2>/run/why || say "no qdisc loses anything"
		ip link set lo mtu 1500
		mkdir /run/cgroup
		mount -t cgroup2 none /run/cgroup
		bpftool prog load /run/other.o /sys/fs/bpf/other pinmaps /sys/fs/bpf
		bpftool cgroup attach /run/cgroup sock_ops pinned /sys/fs/bpf/other multi
		begin
		calls() { bpftool -j map dump pinned /sys/fs/bpf/other_count | sed -n "s/.*\"formatted\":{\"key\":0,\"value\":\([0-9]*\).*/\1/p"; }
		wanted=$(play lossy)
		read -r cc _ _ _ lost < <(grep ^reno <<<"$wanted")
		[[ $lost -gt 0 ]] || say "nothing was lost: $wanted"
		same "behind it" "$(counted)" "$wanted"
		[[ $(calls) -gt 0 ]] || say "the other program is no longer called"
		bpftool cgroup detach /run/cgroup sock_ops pinned /sys/fs/bpf/other
		bpftool cgroup attach /run/cgroup sock_ops pinned /sys/fs/bpf/other multi
		"$0" -q config set METRICS no
		"$0" -q config set METRICS yes
		bpftool cgroup detach /run/cgroup sock_ops pinned /sys/fs/bpf/other
		bpftool cgroup attach /run/cgroup sock_ops pinned /sys/fs/bpf/other multi
		wanted=$(play lossy)
		same "before it" "$(counted)" "$wanted"'
}

@test "counting: on a real kernel, a long connection is counted while it lives, and what is left when it ends; names beyond the last are other" {
	COUNT_FLAGS='-DPERIOD=100000 -DNAMES_MAX=1'
	on_real_root '
		mkfifo /run/end
		begin
		play living >/run/wanted & pid=$!
		patiently test -s /run/bytes
		read -r cc connections bytes _ < <(counted)
		[[ $cc == reno && $connections == 0 && $bytes -gt 1000000 && $bytes -le $(</run/bytes) ]] || say "while it lives: $(counted), of $(</run/bytes) bytes"
		echo >/run/end
		wait $pid
		same "at the end" "$(counted)" "$(sed "s/^cubic/other/" /run/wanted | sort)"'
}

@test "counting: on a real kernel, what a long connection did before counting began anew is not counted again" {
	on_real_root '
		mkfifo /run/connected /run/enabled
		for how in busy idle; do
			begin
			play kept $how & pid=$!
			read -r _ </run/connected || :
			"$0" -q config set METRICS no
			begin
			echo >/run/enabled
			wait $pid
			read -r cc connections bytes _ < <(counted | grep ^reno) || :
			[[ ${bytes:-0} -lt 1000000 ]] || say "$how: $(counted)"
			"$0" -q config set METRICS no
		done
		begin
		same "a new one" "$(wanted=$(play bulk); same bulk "$(counted)" "$wanted")" ""'
}

@test "counting: on a real kernel, with the rights that the units have: one attaches and detaches, one reads" {
	on_real_root '
		service() { setpriv --bounding-set=-all,+sys_module,+sys_admin,+net_admin,+bpf,+perfmon,+dac_read_search --inh-caps=-all --no-new-privs "$0" -q "$@"; }
		mkdir -p /run/cgroup /run/written
		mount -t cgroup2 none /run/cgroup
		service config set METRICS yes
		service config set METRICS yes
		[[ $(bpftool cgroup list /run/cgroup | grep -c ndm_count) == 1 ]] || say "not attached once: $(bpftool cgroup list /run/cgroup)"
		wanted=$(play many)
		mount -o remount,bind,ro /sys/fs/bpf
		setpriv --bounding-set=-all,+dac_override,+bpf --inh-caps=-all --no-new-privs "$0" -q metrics --output /run/written/ndm.prom
		mount -o remount,bind,rw /sys/fs/bpf
		"$0" -q metrics | grep "{cc=" >/run/direct
		same written "$(grep "{cc=" /run/written/ndm.prom)" "$(</run/direct)"
		same all "$(counted)" "$wanted"
		service config set METRICS no
		[[ $(bpftool cgroup list /run/cgroup) != *ndm_count* && ! -e /sys/fs/bpf/ndm ]] || say "something stays"'
}
