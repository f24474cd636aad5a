#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Kbuild's probes against made-up headers (folder headers). Each has the declarations in which kernels differ, as in kernels that
# Debian does not have: those with an old number and new members. The flags of the probes must be right: with
# them the module's code compiles, and with one of them inverted it does not.

load ../helpers

ALL='NDM_HAVE_TCP_SND_CWND NDM_HAVE_RACK'

setup() {
	.ci/need gcc make
}

flags_for() { # KIND: the flags that Kbuild adds for that kernel
	printf '%s\n' 'include src/module/Kbuild' 'all: ; @echo $(filter -DNDM_HAVE%,$(ccflags-y))' |
		make -s -f - src=src/module srctree=tests/module/headers/"$1" NDM_VERSION=0 all
}

# Compiles kernel.h, its accessors, and the fields that v5/reorder.c needs.
compiles() { # KIND FLAG...
	gcc -Wall -Wextra -Werror -fsyntax-only -include tests/module/headers/kernel.h -I src/module -I tests/module/headers/"$1"/include "${@:2}" -x c - <<-'END'
		#include "kernel.h"
		u32 read_it(const struct tcp_sock *tp) { return ndm_cwnd(tp); }
		void set_it(struct tcp_sock *tp) { ndm_set_cwnd(tp, 2); }
		#ifdef NDM_HAVE_RACK
		void wait(struct tcp_sock *tp) { tp->rack.rtt_us = tp->rack.reo_wnd_steps; tp->rtt_min.s[0].v = tp->reord_seen; }
		#endif
	END
}

# The flags of that kernel are these. With them it compiles; with that of the accessor inverted it does not.
has_flags() { # KIND [FLAG...]
	local kind=$1 flag=-DNDM_HAVE_TCP_SND_CWND other inverted=()
	ok 'flags_for "$kind"'; is "${*:2}"
	ok "compiles $*"
	for other in "${@:2}"; do [ "$other" = "$flag" ] || inverted+=("$other"); done
	[[ " ${*:2} " == *" $flag "* ]] || inverted+=("$flag")
	fails 1 "compiles $kind ${inverted[*]}"
}

@test "an old kernel, without the accessor, whose name a comment and a longer name contain" {
	has_flags old -DNDM_HAVE_RACK
}

@test "an old enterprise kernel, with the accessor backported and without RACK's steps" {
	has_flags el8 -DNDM_HAVE_TCP_SND_CWND
	fails 1 'compiles el8 -DNDM_HAVE_TCP_SND_CWND -DNDM_HAVE_RACK'
}

@test "every probe of Kbuild is tested here, both ways" {
	local flag kind with without
	ok "grep -o 'NDM_HAVE_[A-Z0-9_]*' src/module/Kbuild | sort -u"; is "$(tr ' ' '\n' <<<"$ALL" | sort)"
	for flag in $ALL; do
		with=0 without=0
		for kind in old el8; do
			if [[ " $(flags_for $kind) " == *" -D$flag "* ]]; then with=1; else without=1; fi
		done
		[ "$with$without" = 11 ] || complain "$flag: with $with, without $without"
	done
	fails 1 "grep -rn 'tso_segs' src/module" # which the patch of BBRv3 renames
}
