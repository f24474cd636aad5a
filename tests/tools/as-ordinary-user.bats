#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# tests/as-ordinary-user: who runs the layers unit and cli, and what is left of that.

setup() {
	load ../helpers
	[ "$(id -u)" = 0 ] || skip 'an ordinary user runs them as he is'
	T=$BATS_TEST_TMPDIR
	PLACE=$(mktemp -d /tmp/as-ordinary-user.XXXXXX) # bats gives others no way into its own folder
	chmod 711 "$PLACE"
	export TMPDIR=$PLACE
	mkdir -p "$T/top/tests" "$T/top/build/bpf" "$T/top/build/deb"
	cp "$BATS_TEST_DIRNAME/../as-ordinary-user" "$T/top/tests"
	touch "$T/top/build/bpf/layout"
}

teardown() { if [ "${PLACE-}" ]; then rm -rf "$PLACE"; fi; }

@test "a command of root's is user 65534's, in no other group, in a copy of the tree with a home of its own" {
	ok '"$T/top/tests/as-ordinary-user" sh -c "id -u; id -G; find . -type f | sort; cd && touch x && pwd"'
	has $'\n65534\n65534\n./build/bpf/layout\n./tests/as-ordinary-user\n'"$TMPDIR" $'/home\n'
	fails 7 '"$T/top/tests/as-ordinary-user" sh -c "exit 7"'
	ok 'ls "$TMPDIR"'; is ''
}

@test "in a checkout it has what is committed or new, and nothing that git ignores or that is removed" {
	cd "$T/top"
	git init -q
	printf '%s\n' build '*.o' >.gitignore
	touch old x.o
	git add .
	rm old
	touch new
	ok 'tests/as-ordinary-user sh -c "find . -type f | sort | paste -sd \" \""'; is './.gitignore ./build/bpf/layout ./new ./tests/as-ordinary-user'
}

@test "when it is ended, so is all that it has started, and the copy goes" {
	"$T/top/tests/as-ordinary-user" sh -c 'sleep 300 & echo $! >ready; mv ready pid; wait; sleep 300' 3>&- & ended=$!
	timeout 20 sh -c "until ls $TMPDIR/*/tree/pid 2>/dev/null; do sleep 0.05; done"
	child=$(cat "$TMPDIR"/*/tree/pid)
	kill "$ended"
	wait "$ended" || status=$?
	[ "$status" = 143 ]
	ok 'ls "$TMPDIR"'; is ''
	timeout 20 sh -c "while kill -0 $child 2>/dev/null; do sleep 0.05; done"
}
