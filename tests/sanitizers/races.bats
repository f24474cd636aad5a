#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2154  # status, output and built are of helpers.bash and sanitizers.bash
# Data races between two CPUs, by KCSAN: stories that User Mode Linux plays on its one CPU, played on two. None may be an access in a function
# of the module. What others race is counted and shown.

load sanitizers

setup_file() {
	prepare smp
}

# plays_on_two STORY: and shows how many races the kernel has alone.
plays_on_two() {
	plays "$1"
	grep 'data races' <<< "$output" | sed "s/^/# $1: /" >&3
}

@test "a race of the module is a failure, one of other modules is counted" {
	printf '%s\n' 'story: begins' ===== 'BUG: KCSAN: data-race in count [planted] / count [planted]' ' count+0x1 [planted]' ===== > "$BATS_TEST_TMPDIR/console"
	fails 1 'tests/sanitizers/races "$BATS_TEST_TMPDIR/console" planted'; has '1 data races of planted' 'data-race in count [planted]'
	ok 'tests/sanitizers/races "$BATS_TEST_TMPDIR/console"'; has '0 data races of tcp_ndm' 'count [planted] / count [planted]'
}

@test "what the kernel says beside KCSAN is judged as in the other machine; a report is not a report without its end" {
	printf '%s\n' 'story: begins' ===== 'BUG: KCSAN: data-race in one / two' ' one+0x1' ' ndm_init+0x1/0x2 [tcp_ndm]' ===== > "$BATS_TEST_TMPDIR/console"
	ok 'tests/sanitizers/races "$BATS_TEST_TMPDIR/console"'; has '1 data races of others' '1 one / two'
	echo 'WARNING: CPU: 1 PID: 1' >> "$BATS_TEST_TMPDIR/console"
	fails 1 'tests/sanitizers/races "$BATS_TEST_TMPDIR/console"'; has 'WARNING: CPU'
	printf '%s\n' 'story: begins' ===== 'BUG: KCSAN: data-race in one / two' > "$BATS_TEST_TMPDIR/console"
	fails 1 'tests/sanitizers/races "$BATS_TEST_TMPDIR/console"'; has 'a report without an end'
	echo 'Linux version 6.1' > "$BATS_TEST_TMPDIR/console"
	fails 1 'tests/sanitizers/races "$BATS_TEST_TMPDIR/console"'; has 'no story began'
}

@test "every parameter changes while connections of each variant run, and while others read /proc and ask ss" {
	plays_on_two parameters
}

@test "algorithms change at random in every state, with loss, reordering, ECN and a path that breaks" {
	plays_on_two switching
}

@test "namespaces end with living connections" {
	plays_on_two namespaces
}

@test "the module is loaded and removed two hundred times while connections use it" {
	plays_on_two loads
}
