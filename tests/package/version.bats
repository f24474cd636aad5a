#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The version of a tree: each commit upgrades those before it, and what was packed keeps its own. On a repository made up here.

load ../helpers

setup_file() {
	.ci/need bats git rpm dpkg-dev
}

setup() {
	T=$BATS_TEST_TMPDIR/tree
	mkdir -p "$T/.ci" "$T/debian"
	cp .ci/{version,archive,commit} "$T/.ci"
	cp .gitattributes "$T"
	printf '%s\n' 'ndm-tcp (1.2.0-3) unstable; urgency=medium' '' '  * Text.' '' ' -- A B <a@b.invalid>  Fri, 20 Nov 2026 08:00:00 +0000' >"$T/debian/changelog"
	git -C "$T" init -q
	commit 01:39:16
}

in_git() { git -C "$T" -c user.name=a -c user.email=a@b.invalid "$@"; }

commit() { # HH:MM:SS of 28 November
	touch "$T/$1"
	in_git add -A
	GIT_COMMITTER_DATE="2026-11-28T$1 +0000" in_git commit -qm "at $1"
}

hash_of() { in_git log -1 --format=%H | cut -c 1-7; }

version() { "$T/.ci/version" "$@"; }

# ascend VERSION...: dpkg and rpm sort them so.
ascend() {
	local lower=$1 higher
	for higher in "${@:2}"; do
		dpkg --compare-versions "$lower-3" lt "$higher-3" || complain "dpkg: $lower is not below $higher"
		ok "rpm --eval \"%{lua:print(rpm.vercmp('$lower', '$higher'))}\""; is -1
		lower=$higher
	done
}

@test "a commit without a tag is named by its time in UTC and its hash; with the tag it is the release; after it, a later one" {
	ok 'version'; is "1.2.0~git20261128013916.$(hash_of)"
	ok 'version package'; is "1.2.0~git20261128013916.$(hash_of)-3"
	ok 'version date'; is 1795829956
	in_git tag v1.2.0
	ok 'version'; is 1.2.0
	ok 'version package'; is 1.2.0-3
	ok 'version date'; is 1795161600 # of the changelog
	commit 02:00:00
	ok 'TZ=Asia/Tokyo version'; is "1.2.0+git20261128020000.$(hash_of)"
	in_git tag -d v1.2.0
	in_git tag v1.2.0-rc1
	ok 'version'; is "1.2.0~git20261128020000.$(hash_of)"
	fails 2 'version nonsense'; has "there is no 'nonsense'"
}

@test "of root it has the same version and tarball where another user owns it, also by way of a link" {
	((EUID == 0)) || skip 'to give files away needs root'
	wanted=$(version) tarball=$("$T/.ci/archive" "$T" x | sha256sum)
	chown -R 1001 "$T"
	ln -s tree "$BATS_TEST_TMPDIR/link"
	for tree in tree link; do
		cd "$BATS_TEST_TMPDIR/$tree"
		ok 'env -u SUDO_UID .ci/version'; is "$wanted"
		ok 'env -u SUDO_UID .ci/archive . x | sha256sum'; is "$tarball"
	done
}

@test "it is the same for who has git show signatures, and set another umask for tarballs" {
	printf '%s\n' '#!/bin/sh' 'cat >/dev/null' 'echo "[GNUPG:] SIG_CREATED " >&2' 'echo -----BEGIN PGP SIGNATURE-----' >"$BATS_TEST_TMPDIR/gpg"
	chmod +x "$BATS_TEST_TMPDIR/gpg"
	in_git config gpg.program "$BATS_TEST_TMPDIR/gpg"
	in_git commit -qS --allow-empty -m signed
	wanted=$(version) tarball=$("$T/.ci/archive" "$T" x | sha256sum)
	in_git config log.showSignature true
	in_git config tar.umask 077
	ok 'in_git log -1 --format=%ct'; has SIG_CREATED
	ok 'version'; is "$wanted"
	ok '"$T/.ci/archive" "$T" x | sha256sum'; is "$tarball"
}

@test "each commit is above those before it, for dpkg and for rpm, across a release and the next one" {
	local rows=()
	rows+=("$(version)")
	commit 01:39:17
	rows+=("$(version)")
	in_git tag v1.2.0
	rows+=("$(version)")
	commit 01:39:18
	rows+=("$(version)")
	sed -i '1s/1.2.0-3/1.2.1-1/' "$T/debian/changelog"
	commit 01:39:19
	rows+=("$(version)" 1.2.1 1.10.0)
	echo "${rows[*]}"
	[ "${#rows[@]}" -eq 7 ]
	ascend "${rows[@]}"
}

archive() { "$T/.ci/archive" "$T" x "$@"; }

@test "a tarball keeps the version and the date, also inside another checkout; a clean one is that of git archive, a changed one of its files" {
	local wanted objects
	for tag in '' v1.2.0; do
		[ -z "$tag" ] || in_git tag "$tag"
		wanted="$(version package) $(version date)"
		archive | cmp - <(in_git archive --prefix=x/ HEAD)
		touch "$T/new"
		objects=$(in_git count-objects)
		archive >"$BATS_TEST_TMPDIR/changed"
		archive | cmp - "$BATS_TEST_TMPDIR/changed"
		ok 'tar -tf "$BATS_TEST_TMPDIR/changed"'; has x/new
		ok 'in_git status --porcelain; in_git count-objects'; is $'?? new\n'"$objects"
		rm "$T/new"
		for tar in clean changed; do
			[ $tar = changed ] || archive >"$BATS_TEST_TMPDIR/clean"
			tar -C "$T" -xf "$BATS_TEST_TMPDIR/$tar"
			[ ! -e "$T/x/.git" ]
			ok 'echo "$("$T/x/.ci/version" package) $("$T/x/.ci/version" date)"'; is "$wanted"
			# Packed again, where git knows nothing of it.
			ok '"$T/.ci/archive" "$T/x" x | tar -xO x/.ci/commit; cat "$T/x/.ci/commit"'
			[ "${output%$'\n'*}" = "${output#*$'\n'}" ]
			rm -r "$T/x"
		done
	done
	archive 0.9 | tar -C "$T" -x
	ok '"$T/x/.ci/version" package'; is 0.9-1
}

@test "the changelog of a source package has the whole version, to which nothing is added" {
	sed -i '1s/1.2.0-3/1.2.0~git20261128013916.abc1234-3/' "$T/debian/changelog"
	ok 'version package'; is 1.2.0~git20261128013916.abc1234-3
	ok 'version date'; is 1795161600
}

@test "packages that dpkg-buildpackage makes in a checkout have one version everywhere, the changelog's; with the tarball of a release it is the source" {
	mkdir -p "$BATS_TEST_TMPDIR/x/tree"
	git ls-files -z --cached --others --exclude-standard | tar --null -T - --ignore-failed-read -c 2>/dev/null | tar -C "$BATS_TEST_TMPDIR/x/tree" -x
	cd "$BATS_TEST_TMPDIR/x/tree"
	git init -q
	git add -A
	git -c user.name=a -c user.email=a@example.net commit -qm all
	number=$(dpkg-parsechangelog -S Version)
	git archive --prefix=x/ HEAD | gzip >"../ndm-tcp_${number%-*}.orig.tar.gz"
	ok 'dpkg-source -b .'
	ok 'DEB_BUILD_OPTIONS=nocheck DEB_BUILD_PROFILES=nocheck dpkg-buildpackage -b -us -uc'
	[ "$(.ci/version package)" != "$number" ]
	dpkg-deb -x "../ndm-tcp-dkms_${number}_all.deb" ../y
	dpkg-deb -x "../ndm-tcp_${number}_all.deb" ../y
	ok 'ls ../y/usr/src'; is "ndm-tcp-${number%-*}"
	ok 'grep ^PACKAGE_VERSION ../y/usr/src/*/dkms.conf'; is "PACKAGE_VERSION=\"${number%-*}\""
	[ -e "../y/usr/src/ndm-tcp-${number%-*}/main.c" ]
	ok 'grep -o "^NDM_VERSION=[^ ]*" ../y/usr/bin/ndmctl'; is "NDM_VERSION='${number%-*}'"
}

@test "a build that ends half-way leaves nothing that the clean target does not remove" {
	.ci/need debhelper dh-dkms
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	cp -r debian systemd src "$T"
	cp .gitignore "$T"
	in_git add -A
	in_git commit -qm all
	cd "$T"
	printf '#!/bin/sh\nexit 7\n' | tee "$BATS_TEST_TMPDIR/bin/dh_dkms" >"$BATS_TEST_TMPDIR/bin/dh_installsystemd"
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	for step in dh_dkms dh_installsystemd; do
		fails 2 'PATH=$BATS_TEST_TMPDIR/bin:$PATH debian/rules override_$step'; has 'Error 7'
	done
	ok 'debian/rules clean'
	ok 'git status --short --untracked-files=all'; is ''
}

@test "make install goes back as well, to an older checkout" {
	ok 'make -n install'; has 'apt-get install -y --allow-downgrades ' "ndm-tcp_$(.ci/version package)_all.deb"
}
