# SPDX-License-Identifier: GPL-2.0
# ndmctl bench beside Cubic, which not every kernel lets users choose.
load helpers
load ../cli/bench/result

setup() {
	PATH=/usr/bin:/usr/sbin:/bin:/sbin    # the python3 of the system
	RESULT=$BATS_TEST_TMPDIR/result.json
}

@test "bench: a dry run says what would be sent, and sends nothing" {
	bench -n --algorithms reno --blocks 2 --seconds 10 --budget 50 --seed 7 iperf3://192.0.2.1
	exits 0
	says 'would: iperf3://192.0.2.1: 2 blocks of cubic, cubic-again, reno; 6 flows of 10 s'
	says 'seed 7'
	says 'at most 50.0 MB'
}

@test "bench: an algorithm that is not there, or not allowed, is named with its cure" {
	bench -n --algorithms ndm_v5x iperf3://192.0.2.1
	refuses 1 "'ndm_v5x' is not registered" 'ndmctl load'
	copy_ndmctl
	local restricted
	restricted=$(comm -23 <(tr ' ' '\n' </proc/sys/net/ipv4/tcp_available_congestion_control | sort) \
		<(tr ' ' '\n' </proc/sys/net/ipv4/tcp_allowed_congestion_control | sort) | head -n 1)
	[[ $restricted ]] || skip 'this kernel restricts none'
	as_nobody "$NDMCTL" bench -n --algorithms "$restricted" iperf3://192.0.2.1
	refuses 1 "users may not choose the algorithm '$restricted'" 'tcp_allowed_congestion_control'
}

@test "bench: a file that cannot be written is an error before anything is sent" {
	bench --algorithms reno -o "$BATS_TEST_TMPDIR/none/x" iperf3://192.0.2.1; refuses 1 'does not exist'
	bench --algorithms reno -o "$BATS_TEST_TMPDIR" iperf3://192.0.2.1; refuses 2 --output
	bench --algorithms reno -o /dev/full iperf3://192.0.2.1; refuses 2 --output
	bench --algorithms reno -o /proc/x iperf3://192.0.2.1; refuses 1 'cannot write'
	bench --algorithms reno -o "$BATS_TEST_TMPDIR/x" --html "$BATS_TEST_TMPDIR/../${BATS_TEST_TMPDIR##*/}/x" iperf3://192.0.2.1
	refuses 2 'name the same file'
	mkdir -m 0300 "$BATS_TEST_TMPDIR/unread"
	chown 65534 "$BATS_TEST_TMPDIR/unread"
	copy_ndmctl
	as_nobody "$NDMCTL" bench -n --algorithms reno -o "$BATS_TEST_TMPDIR/unread/x" iperf3://192.0.2.1
	refuses 1 'its directory cannot be read'
	bench --algorithms reno --html /proc/x iperf3://192.0.2.1; refuses 1 'cannot write'
	make_result "$RESULT"
	bench --show --html /proc/x "$RESULT"; refuses 1 'cannot write'
	run --separate-stderr bash -c '"$0" bench --show "$1" >/dev/full' "$NDMCTL" "$RESULT"
	refuses 1 'cannot be written'
}

@test "bench: no other user's link misleads root" {
	local dir=$BATS_TEST_TMPDIR/theirs
	make_result "$RESULT"
	mkdir "$dir" "$BATS_TEST_TMPDIR/victim"
	ln -s "$BATS_TEST_TMPDIR/victim" "$dir/there"
	echo precious >"$BATS_TEST_TMPDIR/victim/file"
	ln -s "$BATS_TEST_TMPDIR/victim/file" "$dir/link"
	chown -Rh nobody "$dir"
	bench --show --html "$dir/there/page.html" "$RESULT"
	refuses 1 'cannot write'
	equals "$(ls "$BATS_TEST_TMPDIR/victim")" file
	bench --show --html "$dir/link" "$RESULT"
	exits 0
	equals "$(cat "$BATS_TEST_TMPDIR/victim/file")" precious
	if [[ -L $dir/link ]]; then fail 'the link is still there'; fi
}

# bats test_tags=ci
@test "bench: why a login by ssh failed is always said" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	cat >"$BATS_TEST_TMPDIR/bin/ssh" <<-'END'
		#!/bin/sh
		for word; do [ "$word" != -G ] || { echo 'hostname 127.0.0.1'; echo 'port 22'; exit 0; }; done
		printf 'alice: \033[31mPermission denied.\n' >&2
		exit 255
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/ssh"
	local tries
	for tries in {1..15}; do    # of the thread that passes it on, some were too late
		PATH=$BATS_TEST_TMPDIR/bin:$PATH bench --algorithms reno --blocks 1 ssh://127.0.0.1
		refuses 1 'ssh: alice: \u001b[31mPermission denied.' 'the login by ssh failed'
	done
}
