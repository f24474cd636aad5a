# SPDX-License-Identifier: GPL-2.0
# What the tests of Debian's packages and of rpm's share: the tests that a package runs while it is built (unit tests, then those of ndmctl),
# and what its scripts do in a chroot.

# needs_of_own_tests: the packages that they need, each a word.
needs_of_own_tests() { sed -n 's,^.ci/need ,,p' tests/unit/run tests/cli/run; }

# broken_build_fails BUILD: of a tree in which the unit tests fail, this program builds nothing.
broken_build_fails() {
	mkdir "$BATS_TEST_TMPDIR/tree"
	tar -C "$BATS_TEST_TMPDIR/tree" --strip-components=1 -xzf "build/deb/ndm-tcp_$(.ci/version).orig.tar.gz"
	printf '#!/bin/sh\necho not ok 1 broken on purpose\nexit 1\n' >"$BATS_TEST_TMPDIR/tree/tests/unit/run"
	fails 1 "env CHECK=1 $1 \"\$BATS_TEST_TMPDIR/tree\" \"\$BATS_TEST_TMPDIR/out\""
	has 'broken on purpose'
}

# own_tests_pass BUILD: they do, and their TAP is in the log.
own_tests_pass() {
	# shellcheck disable=SC2046  # one word a package
	.ci/need $(needs_of_own_tests)
	ok "env CHECK=1 $1 . \"\$BATS_TEST_TMPDIR/out\""
	[ "$(grep -c '^1\.\.[1-9]' "$BATS_TEST_TMPDIR/out/build.log")" -gt 2 ]
	run ! grep '^not ok' "$BATS_TEST_TMPDIR/out/build.log"
}

# removed_in host|chroot SCRIPT PROGRAM TEXT: what SCRIPT, of a removal, leaves of /run/ndm-tcp, where PROGRAM, which looks at the root of
# process 1, does TEXT. On the host, /run is one for this only.
removed_in() {
	local root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root"/{usr,proc,etc,dev,var,run/ndm-tcp,told}
	ln -sfn usr/bin "$root/bin"
	ln -sfn usr/lib "$root/lib"
	ln -sfn usr/lib64 "$root/lib64"
	printf '#!/bin/sh\n%s\n' "$4" >"$root/told/$3"
	printf '#!/bin/sh\n' | tee "$root/told/deb-systemd-helper" >"$root/told/systemctl"
	chmod +x "$root"/told/*
	cp "$2" "$root/script"
	# shellcheck disable=SC2016  # expanded in the namespace
	unshare -m sh -euc 'if [ "$1" = host ]; then
			mount -t tmpfs none /run; mkdir /run/ndm-tcp; cd /
			PATH=$2/told:$PATH sh "$2/script" remove >/dev/null 2>&1
			ls run
		else
			mount --bind /usr "$2/usr"; mount --rbind /proc "$2/proc"; mount --rbind /dev "$2/dev"
			chroot "$2" /bin/sh -c "PATH=/told:/usr/bin:/usr/sbin sh /script remove; ls run" 2>/dev/null
		fi' sh "$1" "$root"
}
