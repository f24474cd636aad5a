#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Each kind of checker reports the defect that was planted for it (planted/planted.c), and the search for splats finds that report.

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

@test "each kind of checker reports, from KASAN to kmemleak; a story notices when lockdep stops" {
	reports out_of_bounds 'BUG: KASAN: slab-out-of-bounds in out_of_bounds'
	reports shift 'UBSAN: shift-out-of-bounds in'
	reports rcu_outside 'suspicious rcu_dereference_check() usage'
	reports sleep_in_atomic 'BUG: sleeping function called from invalid context'
	reports inversion 'possible circular locking dependency'
	reports leak 'unreferenced object'
	has 'comm "insmod"'
	ok 'cat build/sanitizers/planted/out'; has 'lockdep has turned itself off'; lacks STORY-DONE
}

@test "their other reports are splats, what the kernel says else is none; where no story began is a failure" {
	local console=$BATS_TEST_TMPDIR/console said
	for said in 'BUG: KASAN: use-after-free in x' 'UBSAN: array-index-out-of-bounds in x' 'BUG: scheduling while atomic' 'list_del corruption. x' \
		'ODEBUG: free active x' 'WARNING: inconsistent lock state'; do
		printf '%s\n' 'story: begins' "$said" >"$console"
		fails 1 'tests/sanitizers/splats "$console"'; has "$said"
	done
	printf '%s\n' 'story: begins' 'tcp_ndm: version 1.0, ndm is v1' >"$console"
	ok 'tests/sanitizers/splats "$console"'; is ''
	echo 'Linux version 6.1' >"$console"
	fails 1 'tests/sanitizers/splats "$console"'; has 'no story began'
}
