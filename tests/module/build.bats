#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The module's source, judged by the kernel's own tools.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	tests/need bats sparse binutils kmod
	tests/module/build > "$BATS_FILE_TMPDIR/build.log" 2>&1
}

setup() {
	load ../helpers
	cd "$BATS_TEST_DIRNAME/../.."
}

@test "compiles without a warning under W=1" {
	cat "$BATS_FILE_TMPDIR/build.log"
	run ! grep -iE 'warning' "$BATS_FILE_TMPDIR/build.log"
	[ -s build/module/tcp_ndm.ko ]
}

@test "sparse finds nothing" {
	ok 'tests/module/build "" build/module-sparse C=2 CF=-D__CHECK_ENDIAN__'
	has 'CHECK ' tcp_ndm_main.c
	lacks warning: error:
}

@test "checkpatch --strict finds nothing" {
	tests/module/checkpatch src/module/*.[ch]
}

@test "no 64-bit division" {
	run bash -c "objdump -d build/module/tcp_ndm.ko | grep -cE '\si?divq?\s+(%r[a-z]{2}|%r[0-9]+)$'"
	echo "$output"
	[ "$output" = 0 ]
	# the pattern's own check: the 32-bit divisions that there are
	objdump -d build/module/tcp_ndm.ko | grep -qE '\sdiv\s+%(e[a-z]{2}|r[0-9]+d)$'
}

@test "every name of an algorithm is an alias that the kernel asks for" {
	[ "$(modinfo -F alias build/module/tcp_ndm.ko | sort | tr '\n' ' ')" = "tcp_ndm_v1 tcp_ndm_v4 tcp_ndm_v5 " ]
	[ "$(modinfo -F name build/module/tcp_ndm.ko)" = tcp_ndm ]
}

@test "the version is that of debian/changelog" {
	[ "$(modinfo -F version build/module/tcp_ndm.ko)" = "$(tests/version)" ]
}

@test "the license is one that the kernel's GPL-only symbols accept" {
	[ "$(modinfo -F license build/module/tcp_ndm.ko)" = "GPL v2" ]
}

@test "compiles for the oldest and the newest kernel of Debian, with their compilers" {
	ok 'tests/module/kernels bullseye experimental'
	has 5.10. built
}
