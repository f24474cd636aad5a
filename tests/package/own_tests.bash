# SPDX-License-Identifier: GPL-2.0
# The tests that a package runs while it is built: unit tests, then those of ndmctl. For Debian's packages and rpm's.

# needs_of_own_tests: the packages that they need, each a word.
needs_of_own_tests() { sed -n '/JOBS/d; s/.*need" //p; s,^.ci/need ,,p' tests/unit/build tests/cli/run; }

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
