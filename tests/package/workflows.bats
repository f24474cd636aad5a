#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The workflows of GitHub: they are valid, each step is a program of this tree, and what publishes works, against an origin made up here.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	.ci/need bats git gnupg
	ACTIONLINT=$(tests/package/actionlint)
	export ACTIONLINT
}

setup() {
	load ../helpers
	cd "$BATS_TEST_DIRNAME/../.."
	T=$BATS_TEST_TMPDIR
}

# This actionlint is older than the newest runner and than attestations.
judge() { "$ACTIONLINT" -shellcheck= -ignore 'label "ubuntu-24.04" is unknown' -ignore 'unknown permission scope "attestations"' "$@"; }

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
		'make ${{ matrix.what }}') ;;
		.ci/*) [ -x "${line%% *}" ] || complain "there is no $line" ;;
		*) complain "no program of this tree: $line" ;;
		esac
	done < <(sed -n 's/^ *-\? *run: //p' .github/workflows/*.yml)
	[ "$count" -ge 11 ]
	while IFS= read -r target; do
		count=$((count + 1))
		make -n "${target%% *}" >/dev/null 2>&1 || complain "make $target: there is no such target"
	done < <(sed -n '/what: \[/,/\]/p' .github/workflows/nightly.yml | tr -d '[]' | sed 's/what://' | tr ',' '\n' | sed 's/^ *//' | grep .)
	[ "$count" -ge 20 ]
}

@test "each action is named with its version, and none gets more rights than its job says" {
	ok 'grep -h "uses:" .github/workflows/*.yml | grep -v "@v[0-9]" || true'; is ''
	for file in .github/workflows/*.yml; do ok 'grep -A1 "^permissions:" $file'; has 'contents: read'; done
}

# A publisher with a key, and a clone of this tree with an origin, tagged.
publisher() {
	export PUBLISHER_NAME=Ann PUBLISHER_EMAIL=ann@example.net PUBLISHER_HOMEPAGE=https://example.net PUBLISHER_GIT=https://example.net/n.git
	export PUBLISHER_SOURCE=https://example.net/n PUBLISHER_BUGS=https://example.net/b PUBLISHER_PACKAGES=https://example.net/p
	export GNUPGHOME=$T/gnupg
	mkdir -m 700 "$T/hers" "$GNUPGHOME"
	gpg -q --homedir "$T/hers" --batch --passphrase '' --quick-generate-key ann rsa3072 sign 1y
	SIGNING_SECRET=$(gpg --homedir "$T/hers" --batch --armor --export-secret-keys ann)
	gpgconf --homedir "$T/hers" --kill gpg-agent
	export SIGNING_SECRET SIGNING_KEY=ann
	mkdir "$T/tree"
	git ls-files -z --cached --others --exclude-standard | tar --null -T - --ignore-failed-read -c 2>/dev/null | tar -C "$T/tree" -x
	cd "$T/tree"
	printf '#!/bin/sh\necho 1..1\necho ok 1 quick\n' >tests/unit/run
	git init -q --bare "$T/origin"
	git init -q
	git remote add origin "$T/origin"
	git add -A
	git -c user.name=a -c user.email=a@example.net commit -qm all
}

@test "a tag becomes a release on the page and a repository in its branch; the next keeps both; signed again, it has the same packages" {
	publisher
	ok '.ci/publish key'
	version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)
	fails 1 '.ci/publish repository'; has 'there is no build/release, and no branch packages'
	git tag "v$version"
	ok '.ci/release unit'
	mkdir "$T/bin"
	printf '#!/bin/sh\nprintf "%%s\\n" "$@" >%s/gh\n' "$T" >"$T/bin/gh"
	chmod +x "$T/bin/gh"
	ok 'PATH=$T/bin:$PATH .ci/publish release; cat "$T/gh"'
	has "v$version" --verify-tag build/release/NOTES.md "build/release/ndm-tcp_$version-1_all.deb" build/release/SHA256SUMS.asc
	ok '.ci/publish repository'
	ok 'git -C "$T/origin" show packages:ndm-tcp.sources'; has $'\nURIs: https://example.net/p\n'
	first=$(git -C "$T/origin" ls-tree -r packages | grep -E '\.(deb|rpm)$')
	[ "$(wc -l <<<"$first")" -eq 8 ]
	# What was released is what the repository has.
	for file in build/release/*.deb; do ok 'git -C "$T/origin" show "packages:${file##*/}" | cmp - $file'; done
	for file in build/release/*.rpm; do ok 'git -C "$T/origin" show "packages:rpm/${file##*/}" | cmp - $file'; done
	rm -r build/release
	mv "$T/origin" "$T/elsewhere"
	fails 1 '.ci/publish repository'; has 'origin did not answer, so the older versions are not known' 'hint: try again'
	mv "$T/elsewhere" "$T/origin"
	ok '.ci/publish repository'
	[ "$(git -C "$T/origin" ls-tree -r packages | grep -E '\.(deb|rpm)$')" = "$first" ]
	[ "$(git -C "$T/origin" rev-list --count packages)" = 1 ]
	fails 1 'PATH=$T/bin:$PATH .ci/publish release'; has "build/release is not of $version"
	fails 1 'SIGNING_SECRET= .ci/publish key'; has 'SIGNING_SECRET is empty'
	gpgconf --kill gpg-agent
}
