#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# What the module lives through in a kernel with KASAN, UBSAN, lockdep, PROVE_RCU, kmemleak ... without one splat. A story of a name is
# stories/NAME.sh, and fails also when it did not do what it is there for.

load sanitizers

setup_file() {
	prepare
}

@test "the module is loaded and removed a thousand times while connections use it" {
	plays loads
}

@test "algorithms change at random in every state, with loss, reordering, ECN and a path that breaks" {
	plays switching
}

@test "every parameter changes while connections of each variant run, and while others read /proc and ask ss" {
	plays parameters
}

@test "namespaces end with living connections" {
	plays namespaces
}

@test "each allocation fails once: of a load, of a namespace, of connections" {
	plays faults
}
