#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The same source as BPF: it compiles, and uses of the kernel only what BPF may.

load ../helpers

setup() {
	.ci/need clang llvm libbpf-dev dpkg-dev
}

@test "each algorithm has its object in both byte orders" {
	local order object
	ok 'make -s -C src/bpf algorithms O="$BATS_TEST_TMPDIR"'
	for order in bpfel bpfeb; do
		[ -s "$BATS_TEST_TMPDIR/$order/ndm_sockets.o" ]
		for object in ndm_v1 ndm_v4 ndm_v5 ndm-v1 ndm-v4 ndm-v5; do
			ok 'llvm-objdump -t "$BATS_TEST_TMPDIR/$order/$object.o" | sed -n "s/.* O \.struct_ops.* //p"'
			is "${object%-*}"
		done
	done
}

# Debian 12 has both; Debian 13 builds with one between them.
# bats test_tags=ci
@test "the oldest and the newest clang build all of it, with the same layout of the maps, of which no line is missing" {
	.ci/need clang-13 clang-22
	for clang in clang-13 clang-22; do ok 'make -s -C src/bpf CLANG=$clang O="$BATS_TEST_TMPDIR/$clang"'; done
	ok 'diff -r --brief "$BATS_TEST_TMPDIR"/clang-{13,22} | sed "/\.o differ$/d"'; is ''
	lines=$(cat src/bpf/layout.c src/module/{parameters,counters}.h | grep -cE $'^(\t(SIZE|AT|NUMBER)|NDM_(PARAMETER|PARAMETER_OF_RACK|COUNTER))\\(')
	ok 'grep -cE "^[a-zA-Z_.0-9]+ [0-9]+$" "$BATS_TEST_TMPDIR/clang-22/layout"'; is "$lines"
	[ "$lines" -ge 61 ]
}

@test "a step of the layout that fails, or that loses a line, fails the build" {
	printf '#!/bin/sh\nclang "$@" -o - | grep -v totals.srtt_us\n' >"$BATS_TEST_TMPDIR/loses"
	printf '#!/bin/sh\nclang "$@"\nexit 1\n' >"$BATS_TEST_TMPDIR/fails"
	chmod +x "$BATS_TEST_TMPDIR"/{loses,fails}
	for clang in loses fails; do
		fails 2 'make -s -C src/bpf "O=$BATS_TEST_TMPDIR/$clang.out" "CLANG=$BATS_TEST_TMPDIR/$clang" "$BATS_TEST_TMPDIR/$clang.out/layout"'
		[ ! -e "$BATS_TEST_TMPDIR/$clang.out/layout" ]
	done
}

@test "a field that BPF may not write is written nowhere but in fields.h" {
	fails 1 'grep -nE -- "->(prr_out|prior_cwnd|tcp_wstamp_ns) = |->prr_out(--|\+\+)" src/module/*/*.c'
	fails 1 'grep -nE "icsk_ca_state|tstamp_ok|tlp_retrans\b|dsack_seen" src/module/*/*.c'
}

# bats test_tags=ci
@test "the verifier of a stable kernel follows each object, with room for the next change" {
	ok 'tests/module/verify trixie'
	has 'ndm_v1 ' 'ndm_v4 ' 'ndm_v5 ' 'ndm-v1 ' 'ndm-v4 ' 'ndm-v5 '
	lacks FAILED
}
