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
	# A release runs what the nights do.
	ok "sed -n '/what: \[/,/\]/p' .github/workflows/nightly.yml | tr -d '[]' | sed 's/what://' | tr ',' '\n' | sed 's/^ *//' | grep ."
	is "$(make() { :; }; export -f make; tests/targets/run | sed -n 's/^ok [0-9]* make \(.*\) in [0-9]*ms/\1/p')"$'\n'"check-vm STORIES=rpm"
}

@test "each action is named by its commit, with the version, and none gets more rights than its job says" {
	ok 'grep -h "uses:" .github/workflows/*.yml | grep -vE "@[0-9a-f]{40} # v[0-9]" || true'; is ''
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

# A program gh, whose page of releases is the folder page.
make_gh() {
	mkdir -p "$T/bin"
	cat >"$T/bin/gh" <<-'END'
		#!/bin/bash
		top=${0%/bin/gh}
		case $2 in
		view) [ -d "$top/page" ] ;;
		create) printf '%s\n' "$@" >"$top/asked"; mkdir "$top/page"; cp "${@:9}" "$top/page" ;;
		download) mkdir -p "$5"; cp "$top"/page/* "$5" ;;
		esac
	END
	chmod +x "$T/bin/gh"
	PATH=$T/bin:$PATH
}

@test "a tag becomes a release on the page and a repository in its branch; begun again it ends, with the same bytes; the next has both" {
	publisher
	make_gh
	ok '.ci/publish key'
	version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)
	fails 1 '.ci/publish repository'; has 'there is no build/release, and no branch packages'
	git tag "v$version"
	# The first job has no key.
	ok 'SIGNING_KEY= .ci/release unit'; has 'nothing is signed'
	cp -r build/release "$T/built"
	for step in release repository; do fails 1 ".ci/publish $step"; has 'build/release is not signed' 'hint: SIGNING_KEY=FINGERPRINT .ci/publish sign'; done
	fails 1 'SIGNING_KEY= .ci/publish sign'; has 'SIGNING_KEY is empty'
	touch build/release/more.deb
	fails 1 '.ci/publish sign'; has 'build/release holds what SHA256SUMS does not list: more.deb'
	rm build/release/more.deb
	ok '.ci/publish sign'
	ok '.ci/publish release; cat "$T/asked"'
	has "v$version" --verify-tag build/release/NOTES.md "build/release/ndm-tcp_$version-1_all.deb" build/release/SHA256SUMS.asc
	# The job failed then, and begins again with what the first one built.
	rm -r build/release
	cp -r "$T/built" build/release
	sleep 1 # signed in another second, an rpm package has other bytes
	ok '.ci/publish sign'
	run ! cmp -s build/release/SHA256SUMS "$T/page/SHA256SUMS"
	ok '.ci/publish release'; has 'is on the page of releases already'
	# An administrator's rule of what git shall not see.
	mkdir -p "$T/config/git"
	printf '*.deb\n*.gz\n' >"$T/config/git/ignore"
	ok 'XDG_CONFIG_HOME=$T/config .ci/publish repository'
	ok 'git -C "$T/origin" show packages:ndm-tcp.sources'; has $'\nURIs: https://example.net/p\n'
	first=$(git -C "$T/origin" ls-tree -r packages | grep -E '\.(deb|rpm)$')
	[ "$(wc -l <<<"$first")" -eq 9 ]
	# What the page has is what the repository has.
	for file in "$T"/page/*.deb; do ok 'git -C "$T/origin" show "packages:${file##*/}" | cmp - $file'; done
	for file in "$T"/page/*.rpm; do ok 'git -C "$T/origin" show "packages:rpm/${file##*/}" | cmp - $file'; done
	rm -r build/release
	mv "$T/origin" "$T/elsewhere"
	fails 1 '.ci/publish repository'; has 'origin did not answer, so the older versions are not known' 'hint: try again'
	mv "$T/elsewhere" "$T/origin"
	# Another publisher is faster.
	printf '#!/bin/sh\ngit -C %s update-ref refs/heads/packages %s\n' "$T/origin" "$(git rev-parse HEAD)" >.git/hooks/pre-push
	chmod +x .git/hooks/pre-push
	before=$(git -C "$T/origin" rev-parse packages)
	git push -q --no-verify origin HEAD:refs/heads/other
	fails 1 '.ci/publish repository'; has 'somebody may have published meanwhile' 'hint: try again'
	rm .git/hooks/pre-push
	git -C "$T/origin" update-ref refs/heads/packages "$before"
	ok '.ci/publish repository'
	[ "$(git -C "$T/origin" ls-tree -r packages | grep -E '\.(deb|rpm)$')" = "$first" ]
	[ "$(git -C "$T/origin" rev-list --count packages)" = 1 ]
	mkdir build/release
	for step in release repository; do fails 1 "PATH=\${PATH#*:} .ci/publish $step"; has "build/release is not of $version"; done
	fails 1 'SIGNING_SECRET= .ci/publish key'; has 'SIGNING_SECRET is empty'
	gpgconf --kill gpg-agent
}
