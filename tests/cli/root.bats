# SPDX-License-Identifier: GPL-2.0
# --root DIR: the configuration of another system, whose tree may be anybody's: nothing of it is run, nothing outside of it touched.
load helpers
setup() {
	make_root
	T=$BATS_TEST_TMPDIR/tree OUTSIDE=$BATS_TEST_TMPDIR/outside
	mkdir -p "$T/etc/ndm-tcp/conf.d" "$OUTSIDE/ndm-tcp/conf.d"
}

at_tree() { run --separate-stderr "$NDMCTL" --root "$T" "$@"; }

@test "root: config and set-default --persist work on the tree, and on nothing else of this system" {
	at_tree set-default ndm --persist
	exits 0
	grep -qx DEFAULT=ndm "$T/$DROP_IN"
	at_tree config set VARIANT v4
	exits 0
	at_tree config get VARIANT
	equals "$output" v4
	at_tree config get DEFAULT
	equals "$output" ndm
	at_tree config validate
	exits 0
	at_tree config get --plain
	says "$T/$DROP_IN:"
	at_tree config unset VARIANT
	at_tree set-default --revert --persist
	exits 0
	equals "$(find "$T" -type f)" ''
}

@test "root: no other command takes it" {
	local command
	for command in status 'status --short' doctor sockets 'status --counters' load unload 'status --netns all' 'route list' 'cgroup list' 'unit list' \
		'unit set web ndm' 'cgroup set /a ndm'; do
		# shellcheck disable=SC2086  # words of a command
		at_tree $command
		refuses 2 'takes no option --root'
	done
	at_tree config get --diff
	refuses 2 '--diff and --root exclude each other'
	at_tree set-default ndm
	refuses 2 '--root needs --persist'
	at_tree set-default --revert
	refuses 2 '--root needs --persist'
}

@test "root: no program of the tree is run" {
	local name
	mkdir -p "$T"/{fixture,bin,usr/bin,usr/sbin,sbin}
	for name in modinfo modprobe ss ip bpftool dkms systemctl cat mv sync stat readlink mkdir flock logger; do
		printf '#!/bin/sh\ntouch %q\n' "$OUTSIDE/ran" | tee "$T"/{fixture,bin,usr/bin,usr/sbin,sbin}/$name >/dev/null
		chmod +x "$T"/{fixture,bin,usr/bin,usr/sbin,sbin}/$name
	done
	at_tree set-default ndm --persist
	exits 0
	at_tree config set VARIANT v4
	exits 0
	at_tree status
	at_tree -n load
	if [[ -e $OUTSIDE/ran ]]; then fail 'a program of the tree was run'; fi
}

@test "root: a link that leads out of the tree is refused, wherever it stands" {
	local path
	for path in etc etc/ndm-tcp etc/ndm-tcp/conf.d "$DROP_IN" etc/ndm-tcp/ndm-tcp.conf etc/ndm-tcp/conf.d/10-x.conf; do
		rm -rf "$T" "$OUTSIDE"
		mkdir -p "$T" "$OUTSIDE/ndm-tcp/conf.d"
		[[ $path == etc ]] || mkdir -p "$T/${path%/*}"
		if [[ $path == *.conf ]]; then
			mkdir -p "$T/etc/ndm-tcp/conf.d"
			echo KEEP_NOISE=601 >"$OUTSIDE/file"
			ln -s "$OUTSIDE/file" "$T/$path"
		else ln -s "$OUTSIDE" "$T/$path"; fi
		at_tree config set VARIANT v4
		refuses 1 "$T/$path is a symbolic link"
		at_tree set-default ndm --persist
		refuses 1 'is a symbolic link'
		at_tree config get
		refuses 1 'is a symbolic link'
		equals "$(find "$OUTSIDE" -type f ! -name file)" ''
		if [[ -e $OUTSIDE/file ]]; then equals "$(cat "$OUTSIDE/file")" KEEP_NOISE=601; fi
	done
}

@test "root: a planted temporary name is not followed" {
	echo precious >"$OUTSIDE/file"
	ln -s "$OUTSIDE/file" "$T/etc/ndm-tcp/conf.d/.50-ndmctl.conf.new"
	at_tree config set VARIANT v4
	equals "$(cat "$OUTSIDE/file")" precious
	[[ -f $T/$DROP_IN && ! -L $T/$DROP_IN ]] || fail 'the file was not written'
}

@test "root: this system by another name is refused" {
	ln -s / "$BATS_TEST_TMPDIR/all"
	ndmctl --root "$BATS_TEST_TMPDIR/all" config set VARIANT v4
	refuses 2 'is this system itself'
}

@test "root: a user who holds a lock on the tree, which he may read, stops no change" {
	exec 8<"$T"
	flock 8
	NDMCTL_LOCK_WAIT=1 ndmctl --root "$T" config set VARIANT v4
	exits 0
	exec 8<&-
	put "$R/run/ndm-tcp/lock" ''
	exec 8<"$R/run/ndm-tcp/lock"
	flock 8
	NDMCTL_LOCK_WAIT=1 ndmctl --root "$T" config set VARIANT v1
	exec 8<&-
	refuses 1 'another ndmctl is running'
	fake flock <<<'echo "flock: 11: Permission denied" >&2; exit 71'
	ndmctl --root "$T" config set VARIANT v1
	refuses 1 'cannot lock' 'Permission denied' AppArmor
}

@test "root: -, //, and names with control characters" {
	local bad
	cd "$BATS_TEST_TMPDIR"
	mkdir -- ./-
	OLDPWD=$T ndmctl --root - config get
	exits 0
	ndmctl --root - config set VARIANT v4
	[[ -e ./-/$DROP_IN && ! -e $T/$DROP_IN ]] || fail 'another directory was taken'
	ndmctl --root "/$T" config set VARIANT v4
	exits 0
	for bad in "$T" "/$T"; do
		ndmctl --root "$bad" config get --plain
		says "$T/$DROP_IN:"
		[[ $output != *//* ]] || fail 'two slashes'
	done
	for bad in $'a\nb' $'a\n' $'\e[31m'; do
		mkdir "$bad"
		ndmctl --root "$bad" config set VARIANT v4
		refuses 2 'has control characters in its path'
		equals "$(find "$bad" -type f)" ''
	done
}
