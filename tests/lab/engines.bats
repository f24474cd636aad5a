#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The fast engine: it repeats to the byte, its send buffers are those of the stock engine, and it refuses what it cannot run.

load fast

lab() { tests/lab/lab "$@"; }

@test "fast engine: a set run from another folder, beside a busy core, has the same results to the byte; another seed has others" {
	set=(tests/lab/lab run difficulties --engine fast --scenario lte-routed --scenario jitter-fifo-1 --algorithm ndm_v5 --algorithm cubic)
	"${set[@]}" --seeds 1 > /dev/null
	cp build/lab/difficulties.jsonl "$BATS_TEST_TMPDIR/first"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/first")" -eq 4 ]
	other=$BATS_TEST_TMPDIR/a/much/longer/path/to/the/same/lab
	mkdir -p "$other"
	# The kernel is the same one anyway; to build it again would only take time.
	ln -s "$PWD"/build/lab/kernel-linux-source-*[0-9a-f] "$other"
	timeout 100 sh -c 'while :; do :; done' &
	NDM_LAB_BUILD=$other NOBODY=reads-this "${set[@]}" --seeds 1 > /dev/null
	kill %1
	ok 'cmp "$BATS_TEST_TMPDIR/first" "$other/difficulties.jsonl"'
	# The second run did happen, and the seed makes a difference.
	[ "$(wc -l < "$other/results.jsonl")" -eq 4 ]
	first=$(lab cell difficulties lte-routed cubic 2 | grep ^flow)
	[ -n "$first" ]
	[ "$first" != "$(lab cell difficulties lte-routed cubic 4 | grep ^flow)" ]
}

# What glibc chooses by CPU moves all results of a cell by page faults. Nothing is left to choose, whatever this host's CPU has, but a flag that
# glibc has no word against: Avoid_Short_Distance_REP_MOVSB. Only its code for ERMS reads that, and ERMS (CPUID 7, EBX, bit 9) is off.
@test "the host's CPU makes no difference: all programs of the guest use glibc's code for the oldest one" {
	cat >"$BATS_TEST_TMPDIR/chosen.py" <<- "END"
		import sys
		sys.path.insert(0, "tests/lab")
		from ndmlab.run import engine_fast
		print(engine_fast.FastMachine().run("/lib64/ld-linux-x86-64.so.2 --list-diagnostics | grep -E 'subdirs_active|preferred|xsave_state_size|features.0x1..active.0x1.='; tr '\\0' ' ' < /proc/1/environ\n"))
	END
	ok '/usr/bin/python3 -B "$BATS_TEST_TMPDIR/chosen.py" > "$BATS_TEST_TMPDIR/chosen"'
	for kind in subdirs_active=0x0 xsave_state_size=0x0 AVX_Fast_Unaligned_Load=0x0 GLIBC_TUNABLES=glibc.cpu.hwcaps=-AVX,; do # the last of them the first program's
		ok 'grep -c -e "$kind" "$BATS_TEST_TMPDIR/chosen"'; is 1
	done
	ok 'grep -F "active[0x1]=" "$BATS_TEST_TMPDIR/chosen"'; [ $((${output#*=} & 1 << 9)) -eq 0 ]
	ok 'grep -v -e "=0x0$" -e "active.0x1.=" -e "I[56]86=" -e Avoid_Short_Distance_REP_MOVSB= -e GLIBC_TUNABLES -e "^$" "$BATS_TEST_TMPDIR/chosen" || true'; is ''
}

# 2 x 10 packets of 4352 bytes; a kernel without wireless LANs and tunnels counts 2304 for each, and then a sender amid losses waits for room.
@test "both engines' send buffers are those of Debian's kernel, also with v5" {
	cell='use_ndm; path_router rate=100mbit forward=delay\ 25ms back=delay\ 25ms; for cc in cubic ndm_v5; do flows cc=$cc bytes=2000; done'
	cat >"$BATS_TEST_TMPDIR/buffers.py" <<- END
		import sys
		sys.path.insert(0, "tests/lab")
		from ndmlab.run import cells, engines
		for name in "fast", "stock":
		    print(name, [(flow["cc"], flow["sndbuf"]) for flow in cells.parse_output(engines.machine_of(name).run("""$cell\n"""))["flows"]])
	END
	ok '/usr/bin/python3 -B "$BATS_TEST_TMPDIR/buffers.py"'
	has "fast [('cubic', 87040), ('ndm_v5', 87040)]" "stock [('cubic', 87040), ('ndm_v5', 87040)]"
}

@test "single events have the same results on the fast engine" {
	ok 'lab event --engine fast'
}

@test "a path without a rate is refused, before anything runs" {
	fails 1 'lab cell published clean cubic 2 --engine fast'; has 'no rate and no delay' '--engine stock'
	fails 1 'lab run published --engine fast --seeds 1'; has 'no rate and no delay'
}

@test "a set with goals fails when none of them can be judged, and judges them when they can" {
	set='lab run random-loss --engine fast --seeds 1 --scenario loss-25-fast'
	fails 1 "$set --algorithm cubic"; has 'no goal of set random-loss could be judged'
	fails 1 'lab run v5 --seeds 1 --scenario loss-1 --algorithm cubic'; has 'no goal of set v5 could be judged'
	ok "$set --algorithm ndm_v5 --algorithm cubic"; has "packets a second; 1.5 x Cubic's" '1 undecided of 1 goals'
}

@test "a guest that never waits, so that its clock stops, is ended" {
	cat >"$BATS_TEST_TMPDIR/endless.py" <<- END
		import sys
		sys.path.insert(0, "tests/lab")
		from ndmlab.run import engine_fast
		engine_fast.WALL_LIMIT = 5
		engine_fast.FastMachine().run("while :; do :; done\n")
	END
	fails 1 '/usr/bin/python3 -B "$BATS_TEST_TMPDIR/endless.py"'; has 'took more than 5 s'
	# None of its processes stays; each would be in the folder, which is gone.
	timeout 20 sh -c 'while readlink /proc/[0-9]*/cwd | grep "^/dev/shm/cell-.*(deleted)"; do sleep 0.1; done'
}

@test "a cell starts at the uptime that --uptime names; an uptime in the past is an error" {
	fails 1 'lab cell v5 fifo-10m-40ms-1 cubic 2 --uptime 0.5'; has 'beyond 0.5 s already'
	ok 'lab cell v5 fifo-10m-40ms-1 cubic 2 --uptime 4290 --print'; has $'\nreach_uptime 4290.0\n'
}

@test "a requested option that the kernel's final configuration lacks is an error that names it" {
	echo CONFIG_NO_SUCH_OPTION=y > "$BATS_TEST_TMPDIR/fragment"
	fails 1 'tests/lab/kernel/build "$BATS_TEST_TMPDIR/kernel" linux-source "$BATS_TEST_TMPDIR/fragment"'
	rm -rf "$BATS_TEST_TMPDIR/kernel"
	has 'lacks what was asked for' CONFIG_NO_SUCH_OPTION=y
}

@test "a patch of the user that is not there, or does not apply, is an error that names it" {
	fails 1 'lab kernel --kernel trixie+/none.patch'; has 'names a patch that is no file: /none.patch'
	printf -- '--- a/Makefile\n+++ b/Makefile\n@@ -1 +1 @@\n-no such line\n+another\n' > "$BATS_TEST_TMPDIR/wrong.patch"
	fails 1 'tests/lab/kernel/build "$BATS_TEST_TMPDIR/kernel" linux-source "$BATS_TEST_TMPDIR/wrong.patch"'
	rm -rf "$BATS_TEST_TMPDIR/kernel"
	has 'wrong.patch does not apply to linux-source'
}

@test "a source package that apt does not know is an error that says where to look" {
	fails 1 'lab kernel --kernel linux-source-1.0'; has 'apt-get download linux-source-1.0 failed'
}
