# SPDX-License-Identifier: GPL-2.0
# ndmctl metrics --enable, --disable and METRICS=: on a made-up tree whose bpftool only remembers, then on this host's kernel,
# where connections are counted in a cgroup of the test's own, which its cgroup namespace takes for the root.
load helpers
setup() {
	make_root
	add_cgroups
	load_now
	put "$R/sys/kernel/btf/vmlinux" ''
}

counts() { # [ORIGIN]: the program is at the root once and nowhere else, pinned and recorded; or nothing of it is there
	local number
	if [[ ! ${1-} ]]; then
		absent run/ndm-tcp/metrics
		absent sys/fs/bpf/ndm/count
		if [[ -s $R/fixture/attached ]]; then fail "attached: $(<"$R/fixture/attached")"; fi
		return
	fi
	number=$(<"$R/sys/fs/bpf/ndm/count/prog")
	equals "$(cut -d ' ' -f 1,2 "$R/run/ndm-tcp/metrics")" "$number $1"
	equals "$(grep -Fx -f <(sed "s| *\$| $G|" "$R/fixture/counters") "$R/fixture/attached")" "$number $G"
}

value_of() { awk -v sample="$1" 'index($0, sample " ") == 1 { print substr($0, length(sample) + 2) }' <<<"$output"; }

rows() { # NAME VALUE...: a row of the map, little endian, on two CPUs: of each value the second has one
	local name=$1 i k bytes='' text='' more=''
	shift
	for ((i = 0; i < 16; i++)); do text+="${text:+,}$(printf '"0x%02x"' "'${name:i:1}" 2>/dev/null || printf '"0x00"')"; done
	for ((i = 0; i < 34; i++)); do
		for ((k = 0; k < 8; k++)); do
			bytes+="${bytes:+,}$(printf '"0x%02x"' $(((${1:-0} - (${1:-0} > 0)) >> 8 * k & 255)))"
			more+="${more:+,}$(printf '"0x%02x"' $((k == 0 && ${1:-0} > 0)))"
		done
		shift || :
	done
	printf '{"key":[%s],"values":[{"cpu":0,"value":[%s]},{"cpu":1,"value":[%s]}]}' "$text" "$bytes" "$more"
}

@test "counting: on, twice, off, twice; the journal has both; policies stay" {
	journal
	ndmctl cgroup set / ndm
	ndmctl metrics --enable
	exits 0
	equals "$output" ''
	complains 'until the next boot'
	counts runtime
	attached_is 'ndm /'
	journal_has "counting of connections: from 'no' to 'yes'"
	remember
	ndmctl metrics --enable --json
	json_is .command metrics
	json_is .changed false
	unchanged
	ndmctl cgroup clear /
	counts runtime
	ndmctl cgroup set / ndm
	ndmctl metrics --disable --json
	json_is .changed true
	journal_has "counting of connections: from 'yes' to 'no'"
	attached_is 'ndm /'
	ndmctl cgroup clear /
	counts
	ndmctl metrics --disable --json
	json_is .changed false
	absent sys/fs/bpf/ndm
}

@test "counting: wrong words, no root, no BTF, no bpftool, a dry run" {
	remember
	ndmctl metrics --enable --disable
	refuses 2 'exclude each other'
	ndmctl metrics --enable -o "$R/x.prom"
	refuses 2 '--output excludes'
	ndmctl metrics --enable --dry-run
	exits 0
	says 'would: run bpftool cgroup attach'
	rm "$R/sys/kernel/btf/vmlinux"
	ndmctl metrics --enable
	refuses 5 'BTF'
	put "$R/sys/kernel/btf/vmlinux" ''
	mv "$R/fixture/bpftool" "$R/bpftool"
	ndmctl metrics --enable
	refuses 5 'apt install bpftool'
	mv "$R/bpftool" "$R/fixture/bpftool"
	unchanged
	ndmctl metrics --enable
	remember
	ndmctl metrics --disable -n
	says 'would: run bpftool cgroup detach'
	says 'would: remove'
	unchanged
	copy_ndmctl
	as_nobody "$NDMCTL" metrics --enable
	refuses 4 'sudo ndmctl metrics --enable'
}

@test "counting: what fails is undone, on and off" {
	remember
	put "$R/fixture/bpftool.err" 'failed to attach program: Operation not permitted'
	ndmctl metrics --enable
	refuses 5 'not permitted'
	unchanged
	absent sys/fs/bpf/ndm
	rm "$R/fixture/bpftool.err"
	patch_copy <<<'eval "$(declare -f write_record | sed "s/^write_record/old_record/")"; write_record() { [[ $1 != metrics ]] || die 1 "no record" "none"; old_record "$@"; }'
	ndmctl metrics --enable
	refuses 1 'no record'
	complains 'everything was put back'
	unchanged
	absent sys/fs/bpf/ndm
	copy_for_root "$NDMCTL"
	ndmctl metrics --enable
	remember
	copy_for_root "$BATS_TEST_TMPDIR/patched/ndmctl"
	ndmctl metrics --disable
	refuses 1 'no record'
	unchanged
}

@test "counting: METRICS= counts and ends it, at a reload and from within the service's sandbox; an administrator's goes on" {
	local blind
	for blind in '' 0000000000001000; do
		if [[ $blind ]]; then put "$R/proc/self/status" $'Name:\tndmctl\nCapEff:\t'$blind; fi
		put "$R/$DROP_IN" METRICS=yes
		ndmctl service start
		exits 0
		counts config
		remember
		ndmctl reload
		exits 0
		unchanged
		put "$R/$DROP_IN" METRICS=no
		ndmctl reload
		counts
		ndmctl metrics --enable
		ndmctl reload
		counts runtime
		ndmctl service stop
		exits 0
		counts
		absent sys/fs/bpf/ndm
		load_now
	done
}

by_another_version() { # the program that counts was loaded by another version
	sed -i 's/[0-9a-f]*$/0123/' "$R/run/ndm-tcp/metrics"
	before=$(<"$R/sys/fs/bpf/ndm/count/prog")
}

is_new() { [[ $(<"$R/sys/fs/bpf/ndm/count/prog") != "$before" ]] || fail 'the old program counts'; }

@test "counting: after an upgrade the new program counts, at once or with the next reload; until then status and doctor say so" {
	local blind before
	for blind in '' 0000000000001000; do
		if [[ $blind ]]; then put "$R/proc/self/status" $'Name:\tndmctl\nCapEff:\t'$blind; fi
		ndmctl metrics --enable
		by_another_version
		ndmctl status
		says 'connections are counted by a program of another version    (ndmctl metrics --enable)'
		ndmctl doctor
		says 'warn  metrics      connections are counted by a program of another version'
		ndmctl metrics --enable
		is_new
		counts runtime
		absent sys/fs/bpf/ndm/old
		by_another_version
		ndmctl service upgrade
		exits 0
		is_new
		counts runtime
		by_another_version
		ndmctl reload
		is_new
		counts runtime
		put "$R/$DROP_IN" METRICS=yes
		ndmctl metrics --disable
		ndmctl reload
		by_another_version
		ndmctl reload
		is_new
		counts config
		by_another_version
		remember
		put "$R/fixture/bpftool.err" 'failed to load object file'
		ndmctl service upgrade
		exits 0
		complains 'ndmctl metrics --enable loads this one'
		unchanged
		rm "$R/fixture/bpftool.err"
		patch_copy <<<'eval "$(declare -f write_record | sed "s/^write_record/old_record/")"; write_record() { [[ $1 != metrics ]] || die 1 "no record" "none"; old_record "$@"; }'
		ndmctl metrics --enable
		refuses 1 'everything was put back'
		unchanged
		copy_for_root "$NDMCTL"
		rm -r "$BATS_TEST_TMPDIR/patched"
		ndmctl metrics --disable
		rm "$R/$DROP_IN"
	done
}

@test "counting: config set says when it applies, diff, status and doctor what differs; a command puts it back" {
	ndmctl config set METRICS yes
	exits 0
	complains 'METRICS are applied at boot and by ndmctl reload'
	ndmctl config diff
	exits 1
	says 'METRICS              configured yes             live no'
	ndmctl status
	says 'METRICS=yes, but connections are not counted    (ndmctl reload)'
	ndmctl doctor
	says 'warn  metrics      METRICS=yes in'
	ndmctl metrics --enable
	counts config
	ndmctl config diff
	exits 0
	ndmctl status --json
	json_is .counting config
	ndmctl doctor
	says 'ok    metrics      connections are counted by algorithm'
	ndmctl metrics --disable
	complains 'METRICS=yes in'
	counts
	ndmctl config unset METRICS
	ndmctl metrics --enable
	ndmctl config diff
	exits 0
	((EUID == 0)) || skip 'only root asks the kernel'
	: >"$R/fixture/attached"
	ndmctl status
	says 'connections are no longer counted: somebody has detached the program    (ndmctl metrics --enable)'
	ndmctl doctor
	says 'warn  metrics'
	ndmctl reload    # which config diff names as the cure, also of what was enabled by hand
	exits 0
	ndmctl config diff
	exits 0
	counts runtime
	rm -r "$R/sys/fs/bpf/ndm"    # unmounted and mounted again: what is attached cannot be read any more
	ndmctl metrics --enable
	counts runtime
	# Nor with its record.
	rm "$R/run/ndm-tcp/metrics"
	ndmctl service stop
	counts
	absent sys/fs/bpf/ndm
	load_now
	ndmctl metrics --enable
	# Nor is it forgotten with its name: who may not ask the kernel says so, who may detaches it.
	rm -r "$R/sys/fs/bpf/ndm"
	put "$R/proc/self/status" $'Name:\tndmctl\nCapEff:\t0000000000001000'
	ndmctl service stop
	refuses 1 'cannot be detached from here'
	rm "$R/run/ndm-tcp/metrics" "$R/proc/self/status"
	ndmctl metrics --disable
	exits 0
	counts
	ndmctl metrics --enable
	rm -r "$R/sys/fs/bpf/ndm" "$R/run/ndm-tcp/metrics"
	ndmctl service stop
	exits 0
	counts
}

@test "counting: the totals of every CPU, as counters and histograms; without them a hint says why" {
	ndmctl metrics
	exits 0
	complains 'ndmctl metrics --enable'
	equals "$(value_of ndm_tcp_counting)" 0
	[[ $output != *ndm_tcp_sent_segments_total* ]] || fail 'counted nothing'
	ndmctl metrics --json
	equals "$stderr" ''
	ndmctl metrics --enable
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || skip 'the rows of this test are little endian'
	{
		printf '['
		rows cubic 3 5000000000 900 30 4 5 2000004 1 0 1 0 0 0 0 0 0 0 0 0 0 0 1 60000 0 1 2
		printf ,
		rows ndm_v5 1 7
		printf ,
		rows bpf.cubic 1 8
		printf ']'
	} >"$R/fixture/ndm_count_names"
	{ printf '['; rows '' 2 40; printf ']'; } >"$R/fixture/ndm_count_other"
	ndmctl metrics
	exits 0
	equals "$stderr" ''
	equals "$(value_of ndm_tcp_counting)" 1
	equals "$(value_of 'ndm_tcp_ended_connections_total{cc="cubic"}')" 3
	equals "$(value_of 'ndm_tcp_acked_bytes_total{cc="cubic"}')" 5000000000
	equals "$(value_of 'ndm_tcp_sent_segments_total{cc="cubic"}')" 900
	equals "$(value_of 'ndm_tcp_retransmitted_segments_total{cc="cubic"}')" 30
	equals "$(value_of 'ndm_tcp_dsacks_total{cc="cubic"}')" 4
	equals "$(value_of 'ndm_tcp_reorderings_total{cc="cubic"}')" 5
	equals "$(value_of 'ndm_tcp_acked_bytes_total{cc="ndm_v5"}')" 7
	equals "$(value_of 'ndm_tcp_acked_bytes_total{cc="bpf.cubic"}')" 8
	equals "$(value_of 'ndm_tcp_ended_connections_total{cc="other"}')" 2
	equals "$(value_of 'ndm_tcp_srtt_seconds_sum{cc="cubic"}')" 2.000004
	equals "$(value_of 'ndm_tcp_srtt_seconds_count{cc="cubic"}')" 3
	equals "$(value_of 'ndm_tcp_srtt_seconds_bucket{cc="cubic",le="0.000125"}')" 1
	equals "$(value_of 'ndm_tcp_srtt_seconds_bucket{cc="cubic",le="1.024000"}')" 2
	equals "$(value_of 'ndm_tcp_srtt_seconds_bucket{cc="cubic",le="+Inf"}')" 3
	equals "$(value_of 'ndm_tcp_delivery_bytes_per_second_sum{cc="cubic"}')" 60000
	equals "$(value_of 'ndm_tcp_delivery_bytes_per_second_bucket{cc="cubic",le="50000"}')" 1
	equals "$(value_of 'ndm_tcp_delivery_bytes_per_second_bucket{cc="cubic",le="200000"}')" 3
	equals "$(grep -c '^# TYPE ndm_tcp_srtt_seconds histogram' <<<"$output")" 1
	if ((EUID == 0)); then    # where every user may create pins, one did so first
		chown 65534 "$R/sys/fs/bpf/ndm"
		ndmctl metrics
		exits 0
		[[ $output != *ndm_tcp_sent_segments_total* ]] || fail 'took the totals of another user'
		chown 0 "$R/sys/fs/bpf/ndm"
	fi
	printf '[{"key":["0x63"],"values":[{"cpu":0,"value":["0x01","0x00"]}]}]' >"$R/fixture/ndm_count_other"
	ndmctl metrics
	exits 0
	complains 'metrics --disable && ndmctl metrics --enable begins anew'
	[[ $output != *ndm_tcp_sent_segments_total* ]] || fail 'of another version'
	as_others() { copy_for_root "$NDMCTL"; chmod 000 "$R/sys/fs/bpf/ndm"; as_nobody "$ON_R" metrics; chmod 755 "$R/sys/fs/bpf/ndm"; }
	((EUID == 0)) || return 0
	copy_ndmctl    # others may not be able to read the checkout
	as_others
	exits 0
	complains 'only root sees what connections did'
}

# $1: a script in a cgroup of its own, at the root of its namespace, with a copy of ndmctl in /run/copy, whose program is built with
# COUNT_FLAGS; prints nothing when all is well. `counted` prints what was counted, as connections.py prints what should be.
on_real_root() {
	[[ -e $CLI/../../build/bpf ]] || skip 'the BPF programs are not built: make bpf'
	[[ -e /sys/kernel/btf/vmlinux ]] || skip 'no BTF here'
	findmnt -t cgroup2 >/dev/null || skip 'no cgroup2 here'
	local build=$BATS_TEST_TMPDIR/build
	cp -r "$CLI/../../ndmctl" "$BATS_TEST_TMPDIR/"
	mkdir -p "$build"
	cp -r "$CLI/../../build/bpf" "$build/"
	if [[ ${COUNT_FLAGS-} ]]; then make -s -B -C "$CLI/../../src/bpf" O="$build/bpf" DEFINE="$COUNT_FLAGS" "$build"/bpf/bpf{el,eb}/ndm_count.o; fi
	NDMCTL=$BATS_TEST_TMPDIR/ndmctl/ndmctl
	export FIXTURES=$CLI/fixtures/counting STORY="$1"$'\n'"echo played >/run/played"
	# shellcheck disable=SC2016  # expanded by the inner shells
	in_own_system '
		mount -t bpf -o mode=0700 bpf /sys/fs/bpf
		own=$(findmnt -fno TARGET -t cgroup2)/ndm-count.$RANDOM$RANDOM
		mkdir "$own"
		trap "echo 1 >\"$own/cgroup.kill\" || :; patiently rmdir \"$own\"" EXIT
		counted() {
			"$0" metrics -q | sed -nE "s/^ndm_tcp_(ended_connections|acked_bytes|sent_segments|retransmitted_segments)_total\{cc=.(.*).} /\\1 \\2 /p" |
				awk "{ value[\$2, \$1] = \$3; seen[\$2] = 1 } END { for (cc in seen) print cc, value[cc, \"ended_connections\"], value[cc, \"acked_bytes\"], value[cc, \"sent_segments\"], value[cc, \"retransmitted_segments\"] }" | sort
		}
		play() { python3 "$FIXTURES/connections.py" "$@"; }
		same() { [[ $2 == "$3" ]] || say "$1: $(printf "counted\n%s\ninstead of\n%s" "$2" "$3")"; }
		begin() { mkdir -p /run/cgroup; mountpoint -q /run/cgroup || mount -t cgroup2 none /run/cgroup; "$0" -q metrics --enable; }
		(echo 0 >"$own/cgroup.procs"; exec unshare -C bash -ec "$(declare -f say fail patiently counted play same begin)
			$STORY" "$0")
		[[ -e /run/played ]] || say "was not played to its end"'
	equals "$output" ''
	exits 0
}

@test "counting: on a real kernel, short, long, reset, refused and reconnected ones, a switched one, one of two processes: as TCP_INFO has it" {
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_root '
		begin
		wanted=$(play many)
		same all "$(counted)" "$wanted"
		"$0" -q metrics --enable
		same "after a second time" "$(counted)" "$wanted"
		"$0" -q metrics --disable
		[[ $(bpftool cgroup list /run/cgroup) != *ndm_count* && ! -e /sys/fs/bpf/ndm ]] || say "something stays"
		"$0" -q metrics --enable
		same "begun anew" "$(counted)" ""'
}

@test "counting: on a real kernel, another network namespace counts, what was there before does not" {
	# shellcheck disable=SC2016  # expanded by the inner shell
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
	# shellcheck disable=SC2016  # expanded by the inner shell
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
		"$0" -q metrics --disable
		"$0" -q metrics --enable
		bpftool cgroup detach /run/cgroup sock_ops pinned /sys/fs/bpf/other
		bpftool cgroup attach /run/cgroup sock_ops pinned /sys/fs/bpf/other multi
		wanted=$(play lossy)
		same "before it" "$(counted)" "$wanted"'
}

@test "counting: on a real kernel, a long connection is counted while it lives, and what is left when it ends; names beyond the last are other" {
	COUNT_FLAGS='-DPERIOD=100000 -DNAMES_MAX=1'
	# shellcheck disable=SC2016  # expanded by the inner shell
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
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_root '
		mkfifo /run/connected /run/enabled
		for how in busy idle; do
			begin
			play kept $how & pid=$!
			read -r _ </run/connected || :
			"$0" -q metrics --disable
			begin
			echo >/run/enabled
			wait $pid
			read -r cc connections bytes _ < <(counted | grep ^reno) || :
			[[ ${bytes:-0} -lt 1000000 ]] || say "$how: $(counted)"
			"$0" -q metrics --disable
		done
		begin
		same "a new one" "$(wanted=$(play bulk); same bulk "$(counted)" "$wanted")" ""'
}

@test "counting: on a real kernel, what ended tells advise of the path, by network; what stays on this host does not" {
	[[ -w /dev/net/tun ]] || skip 'there is no /dev/net/tun'
	# shellcheck disable=SC2016  # expanded by the inner shell
	NL=$'\n' on_real_root '
		begin
		play many >/run/here
		[[ $("$0" advise --plain) == "" ]] || say "loopback is a path: $("$0" advise --plain)"
		source "$FIXTURES/../../bench/path.bash"
		# A busy host delays its packets by some ms, which must stay below a quarter of the RTT.
		path_up --rate 50 --delay 60 --loss 1
		iperf3_up
		# A connection ends some RTTs after iperf3, when its last segments are acknowledged.
		ended() { [[ $("$0" advise --plain | cut -f 20) -ge $1 ]]; }
		connections=0
		for to in 10.9.0.2 ::ffff:10.9.0.2; do
			patiently iperf3 -C reno -c $to -t 5 >/dev/null 2>&1
			patiently ended $((connections += 2))
			"$0" advise --plain | cut -f 1-4,13,20 | tr "\t" " " >>/run/said
		done
		[[ $(</run/said) =~ ^(10\.9\.0\.0/24 random-loss ndm_v5 [0-9] .*reno.* [0-9]+$NL?){2}$ ]] || say "said: $(</run/said), of $("$0" advise --plain)"
		if [[ $(unshare -n "$0" advise --plain) ]]; then say "another network namespace has them, too"; fi'
}

@test "counting: on a real kernel, what a network did is halved for each day that passed before the next connection" {
	[[ -w /dev/net/tun ]] || skip 'there is no /dev/net/tun'
	COUNT_FLAGS='-DDAY=1000000000ULL'
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_root '
		source "$FIXTURES/../../bench/path.bash"
		path_up --rate 500 --delay 2
		iperf3_up
		begin
		segments() { "$0" advise --plain | cut -f 5; }
		more_than() { before=$(segments); [[ $before -gt $1 ]]; }
		less_than() { [[ $(segments) -lt $1 ]]; }
		patiently iperf3 -C reno -c 10.9.0.2 -n 20M >/dev/null 2>&1
		patiently more_than 5000
		sleep 8 # days of COUNT_FLAGS, which pass
		patiently iperf3 -C reno -c 10.9.0.2 -n 10K >/dev/null 2>&1
		patiently less_than $((before / 64))'
}

@test "counting: on a real kernel, with the rights that the units have: one attaches and detaches, one reads" {
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_root '
		service() { setpriv --bounding-set=-all,+sys_module,+net_admin,+bpf,+perfmon --inh-caps=-all --no-new-privs "$0" -q "$@"; }
		mkdir -p /run/cgroup /run/written
		mount -t cgroup2 none /run/cgroup
		service metrics --enable
		service metrics --enable
		[[ $(bpftool cgroup list /run/cgroup | grep -c ndm_count) == 1 ]] || say "not attached once: $(bpftool cgroup list /run/cgroup)"
		wanted=$(play many)
		mount -o remount,bind,ro /sys/fs/bpf
		setpriv --bounding-set=-all,+dac_override,+bpf --inh-caps=-all --no-new-privs "$0" -q metrics --output /run/written/ndm.prom
		mount -o remount,bind,rw /sys/fs/bpf
		"$0" -q metrics | grep "{cc=" >/run/direct
		same written "$(grep "{cc=" /run/written/ndm.prom)" "$(</run/direct)"
		same all "$(counted)" "$wanted"
		service metrics --disable
		[[ $(bpftool cgroup list /run/cgroup) != *ndm_count* && ! -e /sys/fs/bpf/ndm ]] || say "something stays"'
}
