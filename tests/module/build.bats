#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The module's source, judged by the kernel's own tools.

load ../helpers

setup_file() {
	.ci/need bats sparse binutils kmod
	tests/module/build > "$BATS_FILE_TMPDIR/build.log" 2>&1
}

@test "compiles without a warning under W=1" {
	ok 'cat "$BATS_FILE_TMPDIR/build.log"; test -s build/module/tcp_ndm.ko'
	lacks warning Warning WARNING
}

@test "sparse finds nothing" {
	ok 'tests/module/build "" build/module-sparse C=2 CF=-D__CHECK_ENDIAN__'
	has 'CHECK ' tcp_ndm.c
	lacks warning: error:
}

# The kernel's checker of data races (KCSAN) takes what is marked so.
@test "what others write without a lock is read and written once: parameters, settings of the kernel, counters" {
	sed -E 's/(READ|WRITE)_ONCE\([^()]*(\([^()]*\)[^()]*)*\)//g' src/module/*.c src/module/*/*.c >"$BATS_TEST_TMPDIR/rest"
	fails 1 'grep -nE "([^&]|^)ndm_tuning\.|tuning->|[^2 ]ndm_chosen\b|[^2] ndm_chosen\b|->ipv4\.|->counting\b|cpu)->value\[" "$BATS_TEST_TMPDIR/rest"'
	ok 'grep -c "[a-z]" "$BATS_TEST_TMPDIR/rest"'; [ "$output" -gt 1000 ]
}

# bats test_tags=ci
@test "checkpatch --strict finds nothing" {
	ok 'tests/module/checkpatch src/module/*.[ch] src/module/*/*.[ch]'
}

@test "no 64-bit division" {
	objdump -d build/module/tcp_ndm.ko >"$BATS_TEST_TMPDIR/code"
	fails 1 'grep -E "\si?divq?\s+(%r[a-z]{2}|%r[0-9]+)$" "$BATS_TEST_TMPDIR/code"'
	# The pattern works: it finds the 32-bit divisions when it asks for them.
	ok 'grep -E "\sdiv\s+%(e[a-z]{2}|r[0-9]+d)$" "$BATS_TEST_TMPDIR/code"'
}

@test "every name of an algorithm is an alias that the kernel requests" {
	ok 'modinfo -F alias build/module/tcp_ndm.ko | sort'; is $'tcp_ndm_v1\ntcp_ndm_v4\ntcp_ndm_v5'
	ok 'modinfo -F name build/module/tcp_ndm.ko'; is tcp_ndm
}

@test "the version is that of debian/changelog" {
	ok 'modinfo -F version build/module/tcp_ndm.ko'; is "$(.ci/version)"
}

@test "the license is one that the kernel's GPL-only symbols accept" {
	ok 'modinfo -F license build/module/tcp_ndm.ko'; is 'GPL v2'
}

# bats test_tags=ci
@test "compiles for the oldest and the newest kernel of Debian, with their compilers" {
	ok 'tests/module/kernels bullseye experimental'
	has 5.10. built
}
