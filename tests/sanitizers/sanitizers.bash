# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154  # status is of helpers.bash
# The words of this layer: `play` a story in a guest, `quiet`.

load ../helpers

# prepare: for a setup_file.
prepare() {
	export built=build/sanitizers
	tests/sanitizers/prepare 2>&3
}

# quiet STORY: it came to its end, did what it promises, and no checker has anything to say.
quiet() {
	local story=$1
	run_command 'tests/sanitizers/splats "$built/$story/console"'
	[ "$status" -eq 0 ] || complain 'a checker of the kernel reports a defect' || return
	[ "$(tail -n 1 "$built/$story/out")" = STORY-DONE ] || complain 'the story did not come to its end'
}

# plays STORY: play it, and show what it said.
plays() {
	local story=$1
	run_command 'tests/sanitizers/play "$story"'
	cat "$built/$story/out"
	tail -n 3 "$built/$story/console"
	quiet "$story"
}
