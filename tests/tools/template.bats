#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# A test to copy: put it into the folder of its layer, replace this line by what the file is about, and change what is below. It tests
# .ci/version, and the words of tests/helpers.bash.

load ../helpers

setup_file() { # once for this file: install what it needs, build what all its tests share
	.ci/need bats
}

setup() { # before each test
	T=$BATS_TEST_TMPDIR # of this test alone; bats removes it
}

# A test is named by what must hold, as a sentence without a subject that everybody knows. It can be run alone:
#     bats -f 'without the revision' tests/tools/template.bats
@test "the version is that of debian/changelog, without the revision of the packages" {
	mkdir -p "$T/.ci" "$T/debian"
	cp .ci/version "$T/.ci"
	echo 'ndm-tcp (1.2.3-4) unstable; urgency=medium' >"$T/debian/changelog"
	ok '"$T/.ci/version"'; is 1.2.3
}

@test "bad input ends with its own status and says what was wrong" {
	fails 2 'tests/check nosuch'
	has 'there is no layer nosuch' 'hint:'
	lacks passed
}

# Every word must be able to fail; a new test is broken once on purpose for the same reason.
@test "ok, fails, is, has and lacks fail when what they say does not hold" {
	# bats would stop at the first failure: each stands in a condition.
	if ok false; then return 1; fi
	if fails 1 true; then return 1; fi
	if fails 2 'exit 1'; then return 1; fi
	ok 'echo here; echo error >&2'; is $'here\nerror'
	if is here; then return 1; fi
	if has here nowhere; then return 1; fi
	if lacks nowhere error; then return 1; fi
	has $'\nhere\n' $'\nerror\n'; lacks $'\nher\n'
	if lacks $'\nhere\n'; then return 1; fi
	if lacks $'\nerror\n'; then return 1; fi
}
