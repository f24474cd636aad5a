#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The fast engine: repeatable to the byte, as the stock one in its figures, clear about what it cannot play.
# bats file_tags=ci

bats_require_minimum_version 1.5.0

load fast

lab() { tests/lab/lab "$@"; }

@test "fast engine: a set run from another folder, beside a busy core, has the same results to the byte; another seed has not" {
	set=(tests/lab/lab run impairments --engine fast --scenario lte-routed --scenario jitter-fifo-1 --algorithm ndm_v5 --algorithm cubic)
	"${set[@]}" --seeds 1 > /dev/null
	cp build/lab/impairments.jsonl "$BATS_TEST_TMPDIR/first"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/first")" -eq 4 ]
	other=$BATS_TEST_TMPDIR/a/much/longer/path/to/the/same/lab
	mkdir -p "$other"
	# The kernel is the same one anyway; to build it again would only take time.
	ln -s "$PWD"/build/lab/kernel-linux-source-*[0-9a-f] "$other"
	timeout 100 sh -c 'while :; do :; done' &
	NDM_LAB_BUILD=$other NOBODY=reads-this "${set[@]}" --seeds 1 > /dev/null
	kill %1
	cmp "$BATS_TEST_TMPDIR/first" "$other/impairments.jsonl"
	# The second did run, and it is the seed that makes the difference.
	[ "$(wc -l < "$other/results.jsonl")" -eq 4 ]
	first=$(lab cell impairments lte-routed cubic 2 | grep ^flow)
	[ -n "$first" ]
	[ "$first" != "$(lab cell impairments lte-routed cubic 4 | grep ^flow)" ]
}

@test "both engines give the same figures, within chance" {
	run lab compare --seeds 4 --scenario loss-1 --scenario reorder-25 --scenario short --scenario normal-routed --scenario fq_codel --scenario lte
	echo "$output"
	[ "$status" -eq 0 ]
	[ "$(grep -c '  agree$' <<< "$output")" -eq 12 ]
}

@test "single events go the same way on the fast engine" {
	lab event --engine fast
}

@test "a path without a rate is refused, before anything runs" {
	run ! lab cell published clean cubic 2 --engine fast
	[[ "$output" == *"no rate and no delay"*"--engine stock"* ]]
	run ! lab run published --engine fast --seeds 1
	[[ "$output" == *"no rate and no delay"* ]]
}

@test "a guest that never waits, whose clock stands still, is ended" {
	run ! /usr/bin/python3 -B - <<- END
		import sys
		sys.path.insert(0, "tests/lab")
		from ndmlab import engine_fast
		engine_fast.WALL_LIMIT = 5
		engine_fast.FastMachine().run("while :; do :; done\n")
	END
	[[ "$output" == *"took more than 5 s"* ]]
	# None of its processes is left; each would be in the folder, which is gone.
	sleep 1
	run ! grep -l '^/dev/shm/cell-.*(deleted)' <(readlink /proc/[0-9]*/cwd)
}

@test "a transfer over the wraps of the kernel's clocks, of jiffies at 300 s and of microseconds at 4295 s, is like any other" {
	for engine in fast stock; do
		for uptime in 295 4290; do
			run lab cell v5 fifo-10m-40ms-1 ndm_v5 2 --engine $engine --uptime $uptime --trace
			[ "$status" -eq 0 ]
			# Nine tenths of 10 Mbit/s for 20 s, all the time that way.
			bytes=$(sed -n 's/^flow .*"bytes":\([0-9]*\).*/\1/p' <<< "$output")
			echo "$engine $uptime: $bytes bytes"
			[ "$bytes" -gt 22500000 ]
		done
	done
}

@test "the guest is as old as it was asked to be" {
	run ! lab cell v5 fifo-10m-40ms-1 cubic 2 --uptime 0.5
	[[ "$output" == *"beyond 0.5 s already"* ]]
	lab cell v5 fifo-10m-40ms-1 cubic 2 --uptime 4290 --print | grep -q '^reach_uptime 4290.0$'
}

@test "words for the path change the cell: offload, the sender's queue; a wrong one is an error" {
	usual=$(lab cell difficulties loss-1 cubic 2 | grep ^flow)
	for word in segmentation=on sender_queue=fq; do
		other=$(lab cell difficulties loss-1 cubic 2 --path $word | grep ^flow)
		[ -n "$other" ]
		[ "$usual" != "$other" ]
	done
	run ! lab cell difficulties loss-1 cubic 2 --path bufer=1
	[[ "$output" == *"there is no word bufer="* ]]
	run ! lab cell published lte cubic 2 --path family=6
	[[ "$output" == *"lte is a loopback path"* ]]
}

@test "an option that the kernel's configuration lost is an error that names it" {
	echo CONFIG_NO_SUCH_OPTION=y > "$BATS_TEST_TMPDIR/fragment"
	run ! tests/lab/kernel/build "$BATS_TEST_TMPDIR/kernel" linux-source "$BATS_TEST_TMPDIR/fragment"
	rm -rf "$BATS_TEST_TMPDIR/kernel"
	[[ "$output" == *"lacks what was asked for"*CONFIG_NO_SUCH_OPTION=y* ]]
}

@test "a source package that apt does not know is an error that says where to look" {
	run ! lab kernel --kernel linux-source-1.0
	[[ "$output" == *"apt-get download linux-source-1.0 failed"* ]]
}
