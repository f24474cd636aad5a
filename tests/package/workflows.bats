#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The workflows of GitHub: they are valid, each step is a program of this tree, and none has a key.

load ../helpers

setup_file() {
	.ci/need bats git
	ACTIONLINT=$(tests/package/actionlint)
	export ACTIONLINT
}

setup() {
	T=$BATS_TEST_TMPDIR
}

# This actionlint is older than the newest runner and than attestations.
judge() { "$ACTIONLINT" -shellcheck= -ignore 'label "ubuntu-24.04" is unknown' -ignore 'unknown permission scope "attestations"' "$@"; }

# listed WORKFLOW: what its matrix has, a line each.
listed() { tr '\n' ' ' <".github/workflows/$1.yml" | grep -o 'what: \[[^]]*' | sed 's/.*\[//' | tr ',' '\n' | sed 's/^ *//'; }

@test "actionlint finds nothing in them, and something in a bad one" {
	ok 'judge .github/workflows/*.yml'; is ''
	sed 's/fetch-depth/fetch_depth/; s/runs-on: ubuntu-24.04/runs-on: nowhere/' .github/workflows/ci.yml >"$T/bad.yml"
	fails 1 'judge "$T/bad.yml"'
}

@test "each step calls a program or a make target of this tree; only what the checkout needs is installed before" {
	local line target count=0
	while IFS= read -r line; do
		count=$((count + 1))
		case $line in
		'apt-get update && apt-get install -y --no-install-recommends ca-certificates '*' make') ;;
		'make ${{ matrix.what }}' | '${{ matrix.what }}' | 'gh release create '*) ;;
		.ci/*) [ -x "${line%% *}" ] || complain "there is no $line" ;;
		*) complain "no program of this tree: $line" ;;
		esac
	done < <(sed -n 's/^ *-\? *run: //p' .github/workflows/*.yml)
	[ "$count" -ge 7 ]
	for target in check-changed $(listed weekly | sed 's/ .*//'); do
		count=$((count + 1))
		make -n "$target" >/dev/null 2>&1 || complain "make $target: there is no such target"
	done
	[ "$count" -ge 16 ]
	ok 'listed ci'; is $'.ci/run\nmake check-changed SINCE=HEAD^'
	# A release runs what the weeks do.
	ok 'listed weekly'; is "check-all"$'\n'"$(make() { :; }; export -f make; tests/targets/run | sed -n 's/^ok [0-9]* make \(.*\) in [0-9]*ms/\1/p')"$'\n'"check-vm STORIES=rpm"
}

@test "each action is named by its commit, with the version, and none gets more rights than its job says" {
	ok 'grep -h "uses:" .github/workflows/*.yml | grep -vE "@[0-9a-f]{40} # v[0-9]" || true'; is ''
	for file in .github/workflows/*.yml; do ok 'grep -A1 "^permissions:" $file'; has 'contents: read'; done
}

@test "no workflow has a key or another secret, and only the job that uploads may write" {
	ok 'grep -hiE "secrets|gpg|sign[^-]" .github/workflows/*.yml | grep -v "^#" || true'; is ''
	ok 'grep -h ": write" .github/workflows/*.yml'; is $'      attestations: write\n      contents: write\n      id-token: write'
}

# What GitHub's runner does: the checkout belongs to another user than the one who works on it.
@test "a checkout of another user is one, by what the workflows set" {
	((EUID == 0)) || skip 'to give files away needs root'
	for file in .github/workflows/*.yml; do
		sed -n 's/^  \(GIT_CONFIG_[A-Z_0-9]*\): /\1=/p' "$file" | tr -d "'" >"$T/set"
		git init -q "$T/tree.${file##*/}"
		chown 1001 "$T/tree.${file##*/}"
		fails 128 'git -C "$T/tree.${file##*/}" status'; has 'dubious ownership'
		ok 'env $(cat "$T/set") git -C "$T/tree.${file##*/}" status'
	done
}
