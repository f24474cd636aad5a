#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Kbuild's probes against made-up headers (folder headers): each is the part of <net/tcp.h> in which kernels differ for us, of a kind
# that no kernel of Debian is: patched, or old by its number and new by its members. The flags that the probes give must
# fit: ndm_compat.h compiles with them, and not with the opposite ones.

bats_require_minimum_version 1.5.0

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	"$BATS_TEST_DIRNAME/../need" gcc make
}

flags_for() { # KIND: what Kbuild adds for that kernel
	printf '%s\n' 'include src/module/Kbuild' 'all: ; @echo $(filter -DNDM_HAVE%,$(ccflags-y))' |
		make -s -f - src=src/module srctree=tests/module/headers/"$1" NDM_VERSION=0 all
}

compiles() { # KIND FLAG...
	printf '#include "ndm_compat.h"\nu32 of(const struct tcp_sock *tp) { return ndm_cwnd(tp); }\n' |
		gcc -Wall -Wextra -Werror -fsyntax-only -I src/module -I tests/module/headers/"$1"/include "${@:2}" -x c -
}

@test "a kernel without the accessor, though a comment and a longer name have it" {
	[ "$(flags_for old)" = '' ]
	compiles old
	run ! compiles old -DNDM_HAVE_TCP_SND_CWND
}

@test "an enterprise kernel, old by its number, with the accessor backported" {
	[ "$(flags_for el8)" = -DNDM_HAVE_TCP_SND_CWND ]
	compiles el8 -DNDM_HAVE_TCP_SND_CWND
	run ! compiles el8
}

@test "an enterprise kernel without the accessor, with newer members beside it" {
	[ "$(flags_for el9)" = '' ]
	compiles el9
	run ! compiles el9 -DNDM_HAVE_TCP_SND_CWND
}

@test "a kernel with BBRv3's patch: the member it renames is none of ours" {
	[ "$(flags_for xanmod)" = -DNDM_HAVE_TCP_SND_CWND ]
	compiles xanmod "$(flags_for xanmod)"
	run ! grep -rn 'min_tso_segs\|tso_segs' src/module
}

@test "every probe of Kbuild is driven both ways here" {
	for flag in $(grep -o 'NDM_HAVE_[A-Z0-9_]*' src/module/Kbuild | sort -u); do
		grep -q "flags_for .*= -D$flag" "$BATS_TEST_FILENAME"
		grep -q "run ! compiles .* -D$flag" "$BATS_TEST_FILENAME"
	done
}
