#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# `make release`: what it makes, and what it refuses. It works on a copy of the tree, which is a repository of its own.

load ../helpers

setup_file() {
	.ci/need bats git gnupg rpm
	export COPY=$BATS_FILE_TMPDIR/copy
	mkdir "$COPY"
	git ls-files -z --cached --others --exclude-standard | tar --null -T - --ignore-failed-read -c 2> /dev/null | tar -C "$COPY" -x
	cd "$COPY"
	git init -q
	git add -A
	name_publisher
	commit
}

# As .github/CONTRIBUTING.md says.
name_publisher() { bash -euc "$(sed -n '/^   ```$/,/^   ```$/{s/^   //; /^```/d; p}' .github/CONTRIBUTING.md)"; }

commit() {
	git add -A
	git -c user.name=test -c user.email=test@example.net commit -q -m "${1:-all}"
}

setup() {
	cd "$COPY"
	version=$(sed -n '1s/.*(\(.*\)-[^-]*).*/\1/p' debian/changelog)
}

# Back to the first commit, whatever a test did.
teardown() {
	git tag -l | xargs -r git tag -d > /dev/null
	git reset -q --hard "$(git rev-list --max-parents=0 HEAD)"
	git clean -qfd
	rm -rf build/release
}

refuses() { # TEXT...
	fails 1 '.ci/release unit'
	has "$@" $'\nhint: '
	[ ! -e build/release ]
}

@test "it refuses a tree with changes, and files that are not committed" {
	echo >> README.md
	refuses 'not everything is committed: README.md'
	git checkout -q README.md
	touch new-file
	refuses 'not everything is committed: new-file'
	git config status.showUntrackedFiles no
	refuses 'not everything is committed: new-file'
	git config --unset status.showUntrackedFiles
}

@test "it refuses while nobody is named who publishes; the line of CONTRIBUTING names one everywhere" {
	local nobody=ndm-tcp.inva''lid
	printf '%s\n' "The ndm-tcp developers <developers@$nobody>" "https://$nobody"/{home,source,source.git,bugs,packages/ndm-tcp.sources} >new-file
	commit
	refuses 'nobody is named who publishes this: new-file:1:'
	name_publisher
	ok 'git grep -l "ndm-tcp[.]invalid" || true; cat new-file'
	is "$(printf '%s\n' 'Ann Example <ann@example.org>' https://github.com/ann/ndm-tcp{,,.git,/issues} https://ann.example.org/packages/ndm-tcp.sources)"
}

@test "it refuses a changelog that is not released, and a version of which CHANGELOG.md says nothing" {
	sed -i '1s/unstable/UNRELEASED/' debian/changelog
	commit
	refuses "calls $version UNRELEASED"
	git reset -q --hard HEAD^
	sed -i 's/^## 0/## x0/' CHANGELOG.md
	commit
	refuses "CHANGELOG.md has no section $version"
}

@test "it refuses a commit without the tag of its version, also where another commit has it" {
	refuses "this commit has no tag v$version, so it calls itself $version~git" "hint: git tag -s v$version"
	git tag "v$version"
	echo >> README.md
	commit
	refuses "this commit has no tag v$version, so it calls itself $version+git"
}

@test "it refuses when a check fails" {
	printf '#!/bin/sh\necho 1..1\necho "not ok 1 broken"\n' > tests/unit/run
	commit
	git tag "v$version"
	refuses 'checks fail'
}

@test "it passes every layer, whole, whatever the environment names, unless it is told which" {
	printf '#!/bin/sh\necho "layers: $*; set $SET, stories ${STORIES-all}"\nexit 1\n' > tests/check
	commit
	git tag "v$version"
	fails 1 'SET=check STORIES=admin .ci/release'
	has "layers: $(tests/sets layers release); set all, stories all"
	fails 1 '.ci/release unit cli'
	has 'layers: unit cli'
	fails 2 'make -s release LAYERS="tools unit"'
	has 'layers: tools unit'
}

@test "it refuses when what was tested has other bytes" {
	printf '#!/bin/sh\ndebian/build . build/deb >/dev/null && for deb in build/deb/*bench*.deb; do echo >>$deb; done\nmkdir -p build/check; echo >build/check/summary\n' >tests/check
	commit
	git tag "v$version"
	refuses "build/deb/ndm-tcp-bench_$version-1_all.deb, which was tested, has other bytes"
	rm -rf build
}

@test "it refuses when a built file has another version" {
	sed -i "s/^NDM_VERSION='@VERSION@'/NDM_VERSION='0.0.1'/" ndmctl/ndmctl
	commit
	git tag "v$version"
	refuses "ndmctl says version 0.0.1, the tree $version"
}

# The layer unit, here, passes at once.
quick_release() { # VARIABLE=VALUE...: of the environment
	printf '#!/bin/sh\necho 1..1\necho ok 1 quick\n' >tests/unit/run
	commit
	git tag "v$version"
	ok "env $* .ci/release unit"
}

@test "a release: Debian's packages, both sources, checksums, and what was tested; all may read it, with any umask" {
	umask 077
	quick_release A=b
	[ "$(stat -c %a build/release/SHA256SUMS)" = 644 ]
	has "left out: $(tests/sets layers release | sed 's/ unit / /')"
	cd build/release
	ok 'ls | sed "s/${version//./[.]}/V/" | sort'
	is "$(printf '%s\n' NOTES.md SHA256SUMS ndm-tcp{,-bench,-dkms}_V-1_all.deb ndm-tcp_V-1{.dsc,.debian.tar.xz} ndm-tcp_V-1_"$(dpkg --print-architecture)".{changes,buildinfo} \
		ndm-tcp_V.orig.tar.gz ndm-tcp{,-kmod}.spec ndm-tcp{,-kmod}-V-1.src.rpm | sort)"
	ok 'sha256sum -c SHA256SUMS | wc -l'; is 13
	ok 'cat NOTES.md'; has 'What is known to be bad' '`tests/check unit`: 1 passed, 0 failed, 0 skipped' 'Left out: `tests/check targets vm:trixie:rpm vm:bookworm ' ' package lab`' "$(git rev-parse HEAD)"
	# The source is the tree, and nothing but it.
	diff <(tar -tzf "ndm-tcp_$version.orig.tar.gz" | grep -v '/$' | sed "s,^ndm-tcp-$version/,," | sort) <(git -C "$COPY" ls-files | sort)
}

@test "who publishes it verifies that the tag is signed, and that the files are those that were built" {
	export GNUPGHOME=$BATS_TEST_TMPDIR/gnupg
	mkdir -m 700 "$GNUPGHOME"
	gpg -q --batch --passphrase '' --quick-generate-key ann ed25519 sign 1y
	quick_release A=b
	fails 1 .ci/verify # git prints nothing where there is no signature
	git tag -d "v$version"
	git -c user.name=ann -c user.email=ann@example.net -c user.signingkey=ann tag -s -m x "v$version"
	ok .ci/verify
	# Of another commit, with sums as they should be.
	mkdir "$BATS_TEST_TMPDIR/x"
	tar -C "$BATS_TEST_TMPDIR/x" -xzf "build/release/ndm-tcp_$version.orig.tar.gz"
	cp "build/release/ndm-tcp_$version.orig.tar.gz" build/release/SHA256SUMS "$BATS_TEST_TMPDIR"
	tar -C "$BATS_TEST_TMPDIR/x" -czf "build/release/ndm-tcp_$version.orig.tar.gz" "ndm-tcp-$version"
	(cd build/release && ls | grep -vx SHA256SUMS | xargs sha256sum) >"$BATS_TEST_TMPDIR/sums"
	cp "$BATS_TEST_TMPDIR/sums" build/release/SHA256SUMS
	fails 1 .ci/verify; has "ndm-tcp_$version.orig.tar.gz"
	cp "$BATS_TEST_TMPDIR/ndm-tcp_$version.orig.tar.gz" "$BATS_TEST_TMPDIR/SHA256SUMS" build/release
	ok .ci/verify
	touch build/release/more.deb
	fails 1 .ci/verify; has ' more.deb'
	rm build/release/more.deb
	echo >> build/release/ndm-tcp.spec
	fails 2 'make -s repo SIGNING_KEY=ann REPO_URL=http://a REPO="$BATS_TEST_TMPDIR/repo"'; has ' ndm-tcp.spec'
	[ ! -e "$BATS_TEST_TMPDIR/repo" ]
	# It is asked of the folder that is signed.
	cp -r build/release "$BATS_TEST_TMPDIR/elsewhere"
	sed -i '$d' build/release/ndm-tcp.spec
	ok .ci/verify
	fails 2 'make -s repo SIGNING_KEY=ann REPO_URL=http://a REPO="$BATS_TEST_TMPDIR/repo" RELEASE="$BATS_TEST_TMPDIR/elsewhere"'; has ' ndm-tcp.spec'
	[ ! -e "$BATS_TEST_TMPDIR/repo" ]
	gpgconf --kill gpg-agent
}
