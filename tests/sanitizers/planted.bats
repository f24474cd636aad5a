#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Each checker reports the defect that was planted for it (planted/planted.c), and the search for splats finds that report.

load sanitizers

setup_file() {
	prepare
	tests/sanitizers/play planted || true # it cannot end well
}

# reports DEFECT TEXT: of what the kernel said after that defect's mark.
reports() {
	local defect=$1
	{
		echo 'story: begins'
		awk -v mark="story: $defect" 'index($0, "story: ") { on = $0 == mark } on' build/sanitizers/planted/console
	} > "$BATS_TEST_TMPDIR/console"
	ok 'cat "$BATS_TEST_TMPDIR/console"'; has "$2"
	fails 1 'tests/sanitizers/splats "$BATS_TEST_TMPDIR/console"'; has "$2"
}

@test "KASAN: a write beyond an allocation" {
	reports out_of_bounds 'BUG: KASAN: slab-out-of-bounds in out_of_bounds'
}

@test "KASAN: a write to freed memory" {
	reports use_after_free 'BUG: KASAN: use-after-free in use_after_free'
}

@test "KASAN: a write beyond an array of the stack" {
	reports stack_out_of_bounds 'BUG: KASAN: stack-out-of-bounds in stack_out_of_bounds'
}

@test "UBSAN: a shift by more than the width" {
	reports shift 'UBSAN: shift-out-of-bounds in'
}

@test "UBSAN: an index beyond its array" {
	reports index_beyond 'UBSAN: array-index-out-of-bounds in'
}

@test "PROVE_RCU: a pointer read outside" {
	reports rcu_outside 'suspicious rcu_dereference_check() usage'
}

@test "sleep between rcu_read_lock() and rcu_read_unlock()" {
	reports rcu_sleep 'BUG: scheduling while atomic'
}

@test "DEBUG_ATOMIC_SLEEP: an allocation that may sleep, below a spinlock" {
	reports sleep_in_atomic 'BUG: sleeping function called from invalid context'
}

@test "DEBUG_LIST: a list that does not hold together" {
	reports list_corruption 'list_del corruption'
}

@test "DEBUG_OBJECTS: an active timer is freed" {
	reports free_active 'ODEBUG: free active'
}

@test "kmemleak: memory that nothing points to" {
	reports leak 'unreferenced object'
	has 'comm "insmod"'
}

# plays_locks STORY TEXT: lockdep reports it and stops, and a story notices that lockdep has stopped.
plays_locks() {
	local story=$1
	fails 1 'tests/sanitizers/play "$story"'
	fails 1 'tests/sanitizers/splats "build/sanitizers/$story/console"'; has "$2"
	ok 'cat "build/sanitizers/$story/out"'; has 'lockdep has turned itself off'
}

@test "lockdep: two locks in both orders" {
	plays_locks planted-inversion 'possible circular locking dependency'
}

@test "lockdep: a lock of a timer, taken while that timer may run" {
	plays_locks planted-softirq_unsafe 'inconsistent lock state'
}

@test "a console without a defect has no splat; one in which no story began is a failure" {
	printf '%s\n' 'story: begins' 'tcp_ndm: version 1.0, ndm is v1' > "$BATS_TEST_TMPDIR/console"
	ok 'tests/sanitizers/splats "$BATS_TEST_TMPDIR/console"'; is ''
	echo 'Linux version 6.1' > "$BATS_TEST_TMPDIR/console"
	fails 1 'tests/sanitizers/splats "$BATS_TEST_TMPDIR/console"'; has 'no story began'
}
