#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The same source as BPF: it compiles, and uses of the kernel only what BPF may.

setup() {
	load ../helpers
	cd "$BATS_TEST_DIRNAME/../.."
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

@test "a field that BPF may not write is written nowhere but in fields.h" {
	fails 1 'grep -nE -- "->(prr_out|prior_cwnd|tcp_wstamp_ns) = |->prr_out(--|\+\+)" src/module/*/*.c'
	fails 1 'grep -nE "icsk_ca_state|tstamp_ok|tlp_retrans\b" src/module/*/*.c'
}

@test "the verifier of a stable kernel follows each object, with room for the next change" {
	ok 'tests/module/verify trixie'
	has 'ndm_v1 ' 'ndm_v4 ' 'ndm_v5 ' 'ndm-v1 ' 'ndm-v4 ' 'ndm-v5 '
	lacks FAILED
}
