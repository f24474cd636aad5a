# SPDX-License-Identifier: GPL-2.0
# METRICS=, on a made-up tree whose bpftool only remembers. On a real kernel: ../cli-root/counting.bats.
load helpers
setup() {
	make_root
	add_cgroups
	load_now
	put "$R/sys/kernel/btf/vmlinux" ''
}

counts() { # [yes]: the program is at the root once and nowhere else, pinned and recorded; or nothing of it is there
	local number
	if [[ ! ${1-} ]]; then
		absent run/ndm-tcp/metrics
		absent sys/fs/bpf/ndm/count
		if [[ -s $R/fixture/attached ]]; then fail "attached: $(<"$R/fixture/attached")"; fi
		return
	fi
	number=$(<"$R/sys/fs/bpf/ndm/count/prog")
	equals "$(cut -d ' ' -f 1 "$R/run/ndm-tcp/metrics")" "$number"
	equals "$(grep -Fx -f <(sed "s| *\$| $G|" "$R/fixture/counters") "$R/fixture/attached")" "$number $G"
}

value_of() { awk -v sample="$1" 'index($0, sample " ") == 1 { print substr($0, length(sample) + 2) }' <<<"$output"; }

@test "counting: on and off, at once; the journal has both; policies stay" {
	journal
	ndmctl cgroup set / ndm
	ndmctl config set METRICS yes
	exits 0
	equals "$output" ''
	counts yes
	attached_is 'ndm /'
	journal_has "counting of connections: from 'no' to 'yes'"
	ndmctl cgroup clear /
	counts yes
	ndmctl cgroup set / ndm
	ndmctl config set METRICS no
	journal_has "counting of connections: from 'yes' to 'no'"
	attached_is 'ndm /'
	ndmctl cgroup clear /
	counts
	absent sys/fs/bpf/ndm
	ndmctl config set METRICS yes
	ndmctl config unset METRICS
	counts
}

@test "counting: no BTF, no bpftool, a chroot" {
	remember
	rm "$R/sys/kernel/btf/vmlinux"
	ndmctl config set METRICS yes
	refuses 5 'BTF'
	put "$R/sys/kernel/btf/vmlinux" ''
	mv "$R/fixture/bpftool" "$R/bpftool"
	ndmctl config set METRICS yes
	refuses 5 'apt install bpftool'
	ndmctl load    # which needs none where nothing is to be counted
	exits 0
	mv "$R/bpftool" "$R/fixture/bpftool"
	unchanged
	mkdir -p "$R/proc/1"
	ln -s "$BATS_TEST_TMPDIR" "$R/proc/1/root"
	ndmctl config set METRICS yes    # for its own boot
	exits 0
	counts
	grep -qx METRICS=yes "$R/$DROP_IN"
}

@test "counting: METRICS= of a file counts and ends it, at load and by the service" {
	put "$R/$DROP_IN" METRICS=yes
	service start
	exits 0
	counts yes
	remember
	ndmctl load
	exits 0
	unchanged
	put "$R/$DROP_IN" METRICS=no
	ndmctl load
	counts
	put "$R/$DROP_IN" METRICS=yes
	ndmctl load
	service stop
	exits 0
	counts
	absent sys/fs/bpf/ndm
	load_now
}

by_another_version() { # the program that counts was loaded by another version
	sed -i 's/[0-9a-f]*$/0123/' "$R/run/ndm-tcp/metrics"
	before=$(<"$R/sys/fs/bpf/ndm/count/prog")
}

is_new() { [[ $(<"$R/sys/fs/bpf/ndm/count/prog") != "$before" ]] || fail 'the old program counts'; }

@test "counting: after an upgrade the new program counts, at once or with the next load; until then status and doctor say so" {
	local before
	ndmctl config set METRICS yes
	by_another_version
	ndmctl status
	says 'connections are counted by a program of another version, whose totals may not be readable    (ndmctl load)'
	ndmctl doctor
	says 'warn  metrics      connections are counted by a program of another version'
	ndmctl config set METRICS yes
	is_new
	counts yes
	absent sys/fs/bpf/ndm/old
	by_another_version
	service upgrade
	exits 0
	is_new
	counts yes
	by_another_version
	ndmctl load
	is_new
	counts yes
	by_another_version
	remember
	put "$R/fixture/bpftool.err" 'failed to load object file'
	service upgrade
	exits 0
	complains 'ndmctl load takes this one'
	unchanged
	rm "$R/fixture/bpftool.err"
	patch_copy <<<'eval "$(declare -f write_record | sed "s/^write_record/old_record/")"; write_record() { [[ $1 != metrics ]] || die 1 "no record" "none"; old_record "$@"; }'
	ndmctl config set METRICS yes
	refuses 1 'everything was put back'
	unchanged
	ndmctl config set METRICS no
	refuses 1 'everything was put back'
	unchanged
}

@test "counting: diff, status and doctor say what differs; what was taken away comes back, and what lost its name goes" {
	put "$R/$DROP_IN" METRICS=yes
	ndmctl config get --diff
	exits 1
	says 'METRICS              configured yes             live no'
	ndmctl status
	says ', but connections are not counted    (ndmctl load)'
	ndmctl doctor
	says 'warn  metrics      METRICS=yes in'
	local mounts
	mounts=$(<"$R/proc/self/mountinfo")
	put "$R/proc/self/mountinfo" "$(grep -v ' bpf ' <<<"$mounts")"
	ndmctl status
	says 'METRICS=yes needs /sys/fs/bpf, which is not mounted    (mount -t bpf -o mode=0700 bpf /sys/fs/bpf)'
	put "$R/proc/self/mountinfo" "$(grep -v ' cgroup2 ' <<<"$mounts")"
	ndmctl status
	says 'METRICS=yes needs a cgroup2 hierarchy, and none is mounted    (mount -t cgroup2 none /sys/fs/cgroup/unified)'
	put "$R/proc/self/mountinfo" "$mounts"
	ndmctl load
	counts yes
	ndmctl config get --diff
	exits 0
	ndmctl status --json
	json_is .counting true
	ndmctl doctor
	says 'ok    metrics      connections are counted by algorithm'
	: >"$R/fixture/attached"
	ndmctl status
	says 'connections are no longer counted: somebody has detached the program    (ndmctl load)'
	ndmctl doctor
	says 'warn  metrics'
	ndmctl load
	exits 0
	ndmctl config get --diff
	exits 0
	counts yes
	rm -r "$R/sys/fs/bpf/ndm"    # unmounted and mounted again: what is attached cannot be read any more
	ndmctl load
	counts yes
	# Nor with its record.
	rm "$R/run/ndm-tcp/metrics"
	service stop
	counts
	absent sys/fs/bpf/ndm
	load_now
	ndmctl config set METRICS yes
	# Nor is it forgotten with its name: who may not ask the kernel says so, who may detaches it.
	rm -r "$R/sys/fs/bpf/ndm"
	put "$R/fixture/denied" ''
	service stop
	refuses 1 'not permitted to this process'
	rm "$R/run/ndm-tcp/metrics" "$R/fixture/denied"
	ndmctl config set METRICS no
	exits 0
	counts
	ndmctl config set METRICS yes
	rm -r "$R/sys/fs/bpf/ndm" "$R/run/ndm-tcp/metrics"
	service stop
	exits 0
	counts
}

@test "counting: the totals of every CPU, as counters and histograms; without them a hint says why" {
	ndmctl metrics
	exits 0
	complains 'ndmctl config set METRICS yes'
	equals "$(value_of ndm_tcp_counting)" 0
	[[ $output != *ndm_tcp_sent_segments_total* ]] || fail 'counted nothing'
	ndmctl metrics --json
	equals "$stderr" ''
	ndmctl config set METRICS yes
	[[ $(printf '\1\0' | od -An -tu2) == *' 1' ]] || skip 'the rows of this test are little endian'
	# of each value the second CPU has one; the third row is one whose name has a dot
	jq -c '.[2] = (.[1] | .key |= map(if . == "0x5f" then "0x2e" else . end))' "$CLI/fixtures/counting/rows.json" >"$R/fixture/ndm_count_names"
	jq -c '.[1:]' "$CLI/fixtures/counting/rows.json" >"$R/fixture/ndm_count_other"
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
	equals "$(value_of 'ndm_tcp_acked_bytes_total{cc="ndm.v5"}')" 7
	equals "$(value_of 'ndm_tcp_ended_connections_total{cc="other"}')" 1
	equals "$(value_of 'ndm_tcp_srtt_seconds_sum{cc="cubic"}')" 2.000004
	equals "$(value_of 'ndm_tcp_srtt_seconds_count{cc="cubic"}')" 3
	equals "$(value_of 'ndm_tcp_srtt_seconds_bucket{cc="cubic",le="0.000125"}')" 1
	equals "$(value_of 'ndm_tcp_srtt_seconds_bucket{cc="cubic",le="1.024000"}')" 2
	equals "$(value_of 'ndm_tcp_srtt_seconds_bucket{cc="cubic",le="+Inf"}')" 3
	equals "$(value_of 'ndm_tcp_delivery_bytes_per_second_sum{cc="cubic"}')" 60000
	equals "$(value_of 'ndm_tcp_delivery_bytes_per_second_bucket{cc="cubic",le="50000"}')" 1
	equals "$(value_of 'ndm_tcp_delivery_bytes_per_second_bucket{cc="cubic",le="200000"}')" 3
	equals "$(grep -c '^# TYPE ndm_tcp_srtt_seconds histogram' <<<"$output")" 1
	mv "$R/sys/fs/bpf/ndm" "$R/sys/fs/bpf/kept"
	ln -s kept "$R/sys/fs/bpf/ndm"    # where every user may create pins, one did so first
	ndmctl metrics
	exits 0
	[[ $output != *ndm_tcp_sent_segments_total* ]] || fail 'took the totals of another user'
	rm "$R/sys/fs/bpf/ndm"
	mv "$R/sys/fs/bpf/kept" "$R/sys/fs/bpf/ndm"
	printf '[{"key":["0x63"],"values":[{"cpu":0,"value":["0x01","0x00"]}]}]' >"$R/fixture/ndm_count_other"
	ndmctl metrics
	exits 0
	complains 'ndmctl load begins anew'
	[[ $output != *ndm_tcp_sent_segments_total* ]] || fail 'of another version'
	as_others() { copy_for_root "$NDMCTL"; chmod 000 "$R/sys/fs/bpf/ndm"; as_nobody "$ON_R" metrics; chmod 755 "$R/sys/fs/bpf/ndm"; }
	as_others
	exits 0
	complains 'only root sees what connections did'
}
