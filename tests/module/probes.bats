#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Kbuild's probes against made-up headers (folder headers): each is the part of the kernel's own in which kernels differ for us, of a
# kind that no kernel of Debian is: patched, or old by its number and new by its members. The flags that the probes give must
# fit: what they stand for compiles with them, and not with any one of them turned.

bats_require_minimum_version 1.5.0

ALL='NDM_HAVE_TCP_SND_CWND NDM_HAVE_RACK'

setup() {
	cd "$BATS_TEST_DIRNAME/../.."
	"$BATS_TEST_DIRNAME/../need" gcc make
}

flags_for() { # KIND: what Kbuild adds for that kernel
	printf '%s\n' 'include src/module/Kbuild' 'all: ; @echo $(filter -DNDM_HAVE%,$(ccflags-y))' |
		make -s -f - src=src/module srctree=tests/module/headers/"$1" NDM_VERSION=0 all
}

# What ndm_compat.h makes of that kernel, and the fields that ndm_rack.c writes.
compiles() { # KIND FLAG...
	gcc -Wall -Wextra -Werror -fsyntax-only -include tests/module/headers/kernel.h -I src/module -I tests/module/headers/"$1"/include "${@:2}" -x c - <<-'END'
		#include "ndm_compat.h"
		u32 read_it(const struct tcp_sock *tp) { return ndm_cwnd(tp); }
		void set_it(struct tcp_sock *tp) { ndm_set_cwnd(tp, 2); }
		#ifdef NDM_HAVE_RACK
		void steps(struct tcp_sock *tp) { tp->rack.reo_wnd_steps = tp->rack.reo_wnd_persist; tp->rtt_min.s[0].v = tp->reord_seen; }
		#endif
	END
}

# The flags are these, they fit, and with the first one turned they do not.
fits() { # KIND [FLAG...]
	local kind=$1 flag other turned
	[ "$(flags_for "$kind")" = "${*:2}" ] || { echo "flags: $(flags_for "$kind")"; return 1; }
	compiles "$@"
	for flag in -DNDM_HAVE_TCP_SND_CWND; do
		turned=()
		for other in "${@:2}"; do [ "$other" = "$flag" ] || turned+=("$other"); done
		[[ " ${*:2} " == *" $flag "* ]] || turned+=("$flag")
		if compiles "$kind" "${turned[@]}" 2>/dev/null; then
			echo "compiles with $flag turned, too"
			return 1
		fi
	done
}

@test "a kernel without the accessor, though a comment and a longer name have it" {
	fits old -DNDM_HAVE_RACK
}

@test "an enterprise kernel, old by its number, with the accessor backported and RACK's steps lacking" {
	fits el8 -DNDM_HAVE_TCP_SND_CWND
	run ! compiles el8 -DNDM_HAVE_TCP_SND_CWND -DNDM_HAVE_RACK
}

@test "an enterprise kernel without the accessor, with newer members beside it" {
	fits el9 -DNDM_HAVE_RACK
}

@test "a kernel with BBRv3's patch: the member it renames is none of ours" {
	fits xanmod -DNDM_HAVE_TCP_SND_CWND -DNDM_HAVE_RACK
	run ! grep -rn 'tso_segs' src/module
}

@test "every probe of Kbuild is tested here, both ways" {
	[ "$(grep -o 'NDM_HAVE_[A-Z0-9_]*' src/module/Kbuild | sort -u)" = "$(tr ' ' '\n' <<<"$ALL" | sort)" ]
	for flag in $ALL; do
		with=0 without=0
		for kind in old el8 el9 xanmod; do
			if [[ " $(flags_for $kind) " == *" -D$flag "* ]]; then with=1; else without=1; fi
		done
		[ "$with$without" = 11 ]
	done
}
