# SPDX-License-Identifier: GPL-2.0
# No space, nothing to write to, no /proc: by mounts.
load helpers

setup() { make_loaded_root; }

@test "faults: a unit's policy on a read-only /etc: the hint names --runtime, which works" {
	add_systemd
	mount --bind "$R/etc" "$R/etc"
	mount -o remount,bind,ro "$R/etc"
	ndmctl unit set web ndm
	local first=$status:$stderr
	ndmctl unit set web ndm --runtime
	umount "$R/etc"
	exits 0
	[[ $first == 1:*Read-only*'hint: df '*'--runtime needs no /etc'* ]] || fail "$first"
}

@test "faults: no space left on /etc" {
	mount -t tmpfs -o size=4k none "$R/etc/ndm-tcp/conf.d"
	echo KEEP_NOISE=600 >"$R/$DROP_IN" || :
	ndmctl set-default ndm
	local first=$status:$output:$stderr kept leftovers
	ndmctl config set KEEP_NOISE 700
	kept=$(cat "$R/$DROP_IN") leftovers=$(find "$R/etc" -name '.*')
	umount "$R/etc/ndm-tcp/conf.d"
	refuses 1 'No space left on device' 'the old file is unchanged'
	equals "$kept" KEEP_NOISE=600
	equals "$leftovers" ''
	[[ $first == 1::*'No space left'* ]] || fail "$first"
	unchanged
}

@test "faults: no space left in /run" {
	mount -t tmpfs -o size=4k none "$R/run"
	mkdir -p "$R/run/ndm-tcp"
	head -c 4096 /dev/zero >"$R/run/fill" || :
	ndmctl set-default ndm
	umount "$R/run"
	refuses 1 cannot
	unchanged
	equals "$(find "$R/etc" -name '.*')" ''
}

@test "faults: the real /proc/sys of a network namespace: set, show, revert, refuse" {
	in_own_system '
		now() { cat /proc/sys/net/ipv4/tcp_congestion_control; }
		"$0" set-default "$other" --runtime && [[ $(now) == "$other" ]] || exit 10
		"$0" set-default --revert --runtime && [[ $(now) == "$was" ]] || exit 11
		mount -t proc none /proc && mount -o remount,ro /proc || exit 12
		"$0" set-default "$other" --runtime && exit 13
		[[ $(now) == "$was" && ! -e /run/ndm-tcp/default ]]'
	exits 0
	complains 'Read-only file system'
	complains 'everything was put back'
}

@test "output: a report that does not fit leaves no half of one" {
	run --separate-stderr unshare -m bash -c 'mount -t tmpfs -o size=4k none "$2/boot"; "$1" doctor --report "$2/boot/report"; code=$?; ls "$2/boot"; exit "$code"' bash "$ON_R" "$R"
	refuses 1 'cannot write' 'No space left'
	: >"$R/boot/report"
	ndmctl doctor --report "$R/boot/report"
	refuses 1 'exists already'
	[[ -e $R/boot/report ]]
}

@test "root: where /proc is missing, as in an image, nothing is called valid that was not read" {
	run --separate-stderr unshare -m bash -c 'mount -t tmpfs none /proc && exec "$0" config validate' "$NDMCTL"
	refuses 5 '/proc is not mounted here' 'mount -t proc proc /proc'
}
