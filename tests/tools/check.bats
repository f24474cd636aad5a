#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# tests/check, with made-up layers: what it counts, what it calls a failure, what it says at the end.

setup() {
	bats_require_minimum_version 1.5.0
	T=$BATS_TEST_TMPDIR/top
	mkdir -p "$T/tests"
	cp "$BATS_TEST_DIRNAME/../check" "$T/tests"
	unset SET LANES LIMIT
}

layer() { # NAME, its run on standard input
	mkdir -p "$T/tests/$1"
	{ echo '#!/bin/bash'; cat; } >"$T/tests/$1/run"
	chmod +x "$T/tests/$1/run"
}

good() { layer "$1" <<<'printf "1..2\nok 1 a in 5ms\nok 2 b in 7ms\n"'; }

check() { run --separate-stderr "$T/tests/check" "$@" 3>&-; echo "status $status"; echo "$output"; }

is_gone() { timeout 20 sh -c "while kill -0 $1 2>/dev/null; do sleep 0.05; done"; } # PID

ends() { # STATUS LAST-LINE
	[ "$status" -eq "$1" ]
	[ "${lines[-1]}" = "$2" ]
	[ "$(cat "$T/build/check/summary")" = "$2" ]
}

has() { [[ $output == *"$1"* ]] || { echo "lacks: $1"; return 1; }; }

@test "layers that pass are added up, in one lane, and in two at the same time" {
	good one; good two; good three
	check one two three
	ends 0 '6 passed, 0 failed, 0 skipped'
	layer one <<<'timeout 20 sh -c "until [ -e build/two ]; do sleep 0.05; done" && printf "1..1\nok 1 met\n"'
	layer two <<<'touch build/two; printf "1..1\nok 1 met\n"'
	LANES=2 check one two three
	ends 0 '4 passed, 0 failed, 0 skipped'
}

@test "a failure in either lane fails the whole, and is printed again at the end with its layer" {
	good one
	layer two <<<'printf "1..3\nok 1 a\nnot ok 2 broken\n# why\nok 3 c # skip no bpftool\n"; exit 1'
	for order in 'one two' 'two one'; do
		LANES=2 check $order
		ends 1 '3 passed, 1 failed, 1 skipped'
		[ "${lines[-2]}" = 'two: not ok 2 broken' ]
	done
}

# one_layer RUN STATUS SUMMARY TEXT: what check makes of a layer that does RUN.
one_layer() {
	layer one <<<"$1"
	check one
	ends "$2" "$3"
	has "$4"
}

@test "several plans are added up; a layer that ran fewer tests, or none, or that ends badly fails" {
	one_layer 'printf "1..1\nok 1 a\n1..2\nok 1 b\nok 2 c\n"' 0 '3 passed, 0 failed, 0 skipped' ''
	one_layer 'printf "1..2\nok 1 a\n"' 1 '1 passed, 1 failed, 0 skipped' 'planned 2 tests, ran 1, ended with status 0'
	one_layer 'exit 0' 1 '0 passed, 1 failed, 0 skipped' 'planned 0 tests'
	one_layer 'echo 1..0' 1 '0 passed, 1 failed, 0 skipped' 'planned 0 tests'
	one_layer 'printf "1..1\nok 1 a\n"; exit 3' 1 '1 passed, 1 failed, 0 skipped' 'not ok - layer one: ended with status 3'
	one_layer 'echo 1..2; echo ok 1 a; kill -KILL $$' 1 '1 passed, 1 failed, 0 skipped' 'ran 1, ended with status 137'
}

@test "when a lane is killed, its unfinished layers fail" {
	good two
	layer one <<<'sleep 0.5; kill -KILL $PPID $(ps -o ppid= $PPID)'
	check one two
	[ "$status" -eq 1 ]
	has 'not ok - layer one: planned 0 tests, ran 0, ended with status' # 137 when its end was still seen
	has 'not ok - layer two: planned 0 tests, ran 0, ended with status none'
	[ "${lines[-1]}" = '0 passed, 2 failed, 0 skipped' ]
}

@test "after the time limit, running layers and their processes are ended, and fail" {
	layer one <<<'echo 1..2; echo ok 1 a; sleep 300 & echo $! >build/child; wait'
	sed -i 's/limit \* 60/limit * 1/g' "$T/tests/check" # seconds, not minutes
	LIMIT=1 check one
	ends 1 '1 passed, 1 failed, 0 skipped'
	has 'planned 2 tests, ran 1, ended with status 124'
	is_gone "$(cat "$T/build/child")"
}

@test "ended from outside, it ends its layers" {
	layer one <<<'echo 1..1; echo $$ >build/layer; exec sleep 300'
	"$T/tests/check" one 3>&- >/dev/null & pid=$!
	timeout 20 sh -c "until [ -s $T/build/layer ]; do sleep 0.05; done"
	kill "$pid"
	wait "$pid" || true
	is_gone "$(cat "$T/build/layer")"
}

@test "the program of each layer refuses a word that it does not know, before it begins" {
	local program layer
	for program in "$BATS_TEST_DIRNAME"/../*/run; do
		layer=${program%/run} layer=${layer##*/}
		run --separate-stderr timeout 20 "$program" nosuch 3>&-
		echo "$layer: status $status; $stderr"
		[ "$status" -eq 2 ]; [ "$output" = '' ]; [[ $stderr == "$layer: there is no 'nosuch'"*hint:* ]]
	done
	run --separate-stderr timeout 20 "$BATS_TEST_DIRNAME/../vm/run" trixie:admin,nosuch 3>&-
	[ "$status" -eq 2 ]; [[ $stderr == "vm: there is no 'nosuch'"* ]]
}

@test "each layer is in the set release" {
	run bash -c "'$BATS_TEST_DIRNAME/../sets' layers release | tr ' ' '\n' | sed 's/:.*//' | sort -u"
	[ "$output" = "$(cd "$BATS_TEST_DIRNAME/.." && printf '%s\n' */run | sed 's,/run,,' | sort)" ]
}

@test "make check-changed: the layers that a change touches, of paths that exist; none without a change" {
	local layer paths
	cd "$BATS_TEST_DIRNAME/../.."
	cp -r tests/sets "$T/tests"
	while read -r layer paths; do
		[ -x "tests/${layer%%:*}/run" ]
		for path in $paths; do [ -e "$path" ]; done
	done < <(bash -c "$(sed -n '/^inputs()/,/^}/p' tests/sets); inputs")
	cd "$T"
	git init -q
	git add -A
	git -c user.name=a -c user.email=a@b.invalid commit -qm all
	run tests/sets changed HEAD; [ "$output" = '' ]; [ "$status" -eq 0 ]
	mkdir -p src/module rpm
	touch src/module/a.c rpm/b
	git add -A
	run tests/sets changed HEAD; [ "$output" = $'mutants\nsanitizers\nmodule\nlab\npackage\nvm:trixie' ]
	run tests/sets changed nosuch; [ "$status" -eq 2 ]; [[ $output == *'there is no commit nosuch'* ]]
}

@test "no layer, a layer that does not exist, a second check in the same checkout: refused with a hint" {
	check
	[ "$status" -eq 2 ]; [[ $stderr == *hint:* ]]
	check nosuch
	[ "$status" -eq 2 ]; [[ $stderr == *'there is no layer nosuch'*hint:* ]]
	good one
	mkdir -p "$T/build/check"
	exec 7>"$T/build/check/lock"
	flock 7
	check one 7>&-
	[ "$status" -eq 2 ]; [[ $stderr == *'another check runs'*hint:* ]]
}

@test "in a folder whose name has a blank make says so, and what to do" {
	load ../helpers
	mkdir "$BATS_TEST_TMPDIR/a b"
	cp "$BATS_TEST_DIRNAME/../../Makefile" "$BATS_TEST_TMPDIR/a b"
	for target in deb help; do
		fails 2 "make -C '$BATS_TEST_TMPDIR/a b' $target"; has 'has a blank' 'move this folder'
	done
}

@test "as an ordinary user make demo, check and install say in a line what to do, and need says what is missing" {
	load ../helpers
	mkdir "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho 1000\n' >"$BATS_TEST_TMPDIR/bin/id"
	chmod +x "$BATS_TEST_TMPDIR/bin/id"
	cd "$BATS_TEST_DIRNAME/../.."
	for target in demo check check-all install; do
		fails 2 "PATH=$BATS_TEST_TMPDIR/bin:\$PATH timeout 30 make -s $target"
		has "make: this needs root, which installs packages: sudo make $target; "
		[ "$(wc -l <<<"$output")" -eq 2 ] # and make's own
	done
	printf '#!/bin/sh\n' >"$BATS_TEST_TMPDIR/bin/dpkg-query" # nothing is installed
	chmod +x "$BATS_TEST_TMPDIR/bin/dpkg-query"
	for target in deb rpm bpf lab-results; do
		fails 2 "PATH=$BATS_TEST_TMPDIR/bin:\$PATH timeout 30 make -s $target"
		has 'only root can install what is missing here; run: '
		[ "$(wc -l <<<"$output")" -eq 2 ]
	done
	rm "$BATS_TEST_TMPDIR/bin/dpkg-query"
	fails 4 "PATH=$BATS_TEST_TMPDIR/bin:\$PATH .ci/need bats no-such-package"
	is 'only root can install what is missing here; run: sudo apt-get install -y --no-install-recommends no-such-package'
}

@test ".ci/headers: the package that apt knows; nothing where it knows none, or they are there, or elsewhere" {
	load ../helpers
	mkdir -p "$BATS_TEST_TMPDIR/bin" "$BATS_TEST_TMPDIR/lib/modules/6.1.0-50-amd64"
	touch "$BATS_TEST_TMPDIR/lib/modules/6.1.0-50-amd64/modules.builtin"
	cat >"$BATS_TEST_TMPDIR/bin/apt-cache" <<-'END'
		#!/bin/bash
		for package in "${@:2}"; do
			! grep -qx "$package" "${0%/*}/../known" || printf '%s:\n  Candidate: 1\n     1 500\n        500 http://deb.example x\n' "$package"
		done
	END
	chmod +x "$BATS_TEST_TMPDIR/bin/apt-cache"
	cd "$BATS_TEST_DIRNAME/../.."
	for known in linux-headers-6.1.0-50-amd64 proxmox-headers-6.1.0-50-amd64 ''; do
		echo "$known" >"$BATS_TEST_TMPDIR/known"
		ok 'PATH=$BATS_TEST_TMPDIR/bin:$PATH .ci/headers 6.1.0-50-amd64 "$BATS_TEST_TMPDIR"'; is "$known"
	done
	echo linux-headers-6.1.0-50-amd64 >"$BATS_TEST_TMPDIR/known"
	mkdir -p "$BATS_TEST_TMPDIR/lib/modules/6.1.0-50-amd64/build/include"
	ok 'PATH=$BATS_TEST_TMPDIR/bin:$PATH .ci/headers 6.1.0-50-amd64 "$BATS_TEST_TMPDIR"'; is ''
	rm -r "$BATS_TEST_TMPDIR/lib/modules"
	ok 'PATH=$BATS_TEST_TMPDIR/bin:$PATH .ci/headers 6.1.0-50-amd64 "$BATS_TEST_TMPDIR"'; is ''
}
