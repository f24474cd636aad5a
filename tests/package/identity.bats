#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# Who publishes stands once, in .ci/publisher or the environment, and everything that is packed names that. Nothing is published in
# nobody's name.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	.ci/need bats git dpkg-dev rpm
}

setup() {
	load ../helpers
	cd "$BATS_TEST_DIRNAME/../.."
	T=$BATS_TEST_TMPDIR
	NAMES=$(sed -n 's/^\(PUBLISHER_[A-Z]*\)=.*/\1/p' .ci/publisher)
}

# Values that a pattern or a replacement of sed would trip over.
someone() {
	export PUBLISHER_NAME='Ann & Bob, [Net] \1' PUBLISHER_EMAIL=ann+ndm@example.net PUBLISHER_HOMEPAGE='https://example.net/~ann,x?a=b&c'
	export PUBLISHER_GIT=https://git.example.net/n.git PUBLISHER_SOURCE=https://git.example.net/n PUBLISHER_BUGS=https://bugs.example.net/n
	export PUBLISHER_PACKAGES=https://packages.example.net/ndm
}

@test "what is packed names the publisher of the environment everywhere, and no placeholder is left" {
	someone
	.ci/pack-source . x "$T/x.tar.gz"
	mkdir "$T/x"
	tar -C "$T/x" --strip-components=1 -xzf "$T/x.tar.gz"
	ok 'grep -rlF ndm-tcp.invalid "$T/x" --exclude-dir=tests | sed "s,^$T/x/,,"'; is .ci/identity
	cd "$T/x"
	ok 'sed -n "s/^Maintainer: //p" debian/control'; is 'Ann & Bob, [Net] \1 <ann+ndm@example.net>'
	ok 'dpkg-parsechangelog -S Maintainer'; is 'Ann & Bob, [Net] \1 <ann+ndm@example.net>'
	ok 'cat debian/control'; has 'Homepage: https://example.net/~ann,x?a=b&c' 'Vcs-Git: https://git.example.net/n.git' $'Vcs-Browser: https://git.example.net/n\n'
	ok 'cat debian/watch debian/copyright debian/upstream/metadata'
	has 'https://git.example.net/n.git refs/tags' 'Upstream-Contact: Ann & Bob' 'Source: https://git.example.net/n' 'Bug-Database: https://bugs.example.net/n'
	has 'The ndm-tcp developers' # who have the copyright
	for spec in rpm/*.spec; do ok 'cat $spec'; has 'example.net/~ann,x?a=b&c' 'bugs.example.net/n'; done
	ok 'cat ndmctl/ansible/ndm_tcp/meta/main.yml'; has 'author: Ann & Bob'
	# Packed again, by somebody who knows nothing of it, it stays so.
	unset $NAMES
	ok '.ci/identity require'
	for name in $NAMES; do ok '.ci/identity $name'; lacks .invalid; done
	ok '.ci/pack-source . x "$T/y.tar.gz" && cmp "$T/x.tar.gz" "$T/y.tar.gz"'
}

@test "the file does as well as the environment, which goes before it" {
	mkdir -p "$T/.ci"
	cp .ci/{identity,publisher} "$T/.ci"
	sed -i 's/^PUBLISHER_BUGS=.*/PUBLISHER_BUGS=https:\/\/bugs.example.net/' "$T/.ci/publisher"
	ok '"$T/.ci/identity" PUBLISHER_BUGS'; is https://bugs.example.net
	ok 'PUBLISHER_BUGS=https://other.example.net "$T/.ci/identity" PUBLISHER_BUGS'; is https://other.example.net
	fails 1 '"$T/.ci/identity" PUBLISHER_NOTHING'
	fails 2 '"$T/.ci/identity"'
}

@test "each placeholder alone is refused, with its name and where to fill it in" {
	fails 1 '.ci/identity require'
	has $NAMES 'hint: fill them in, in .ci/publisher'
	[ "$(wc -w <<<"$NAMES")" -eq 7 ]
	for name in $NAMES; do
		someone
		unset "$name"
		fails 1 '.ci/identity require'
		has "publishes this: $name"$'\n'
	done
	someone
	ok '.ci/identity require'; is ''
}

@test "no release and no repository for others of nobody" {
	fails 2 'make -s release'; has 'nobody is named who publishes this: PUBLISHER_NAME' '.ci/publisher'
	fails 2 'REPO_URL=https://example.net make -s repo'; has 'nobody is named who publishes this: PUBLISHER_NAME' '.ci/publisher'
}

@test "the packages name them" {
	debian/build . build/deb >/dev/null
	rpm/build . build/rpm >/dev/null
	ok 'dpkg-deb -f build/deb/ndm-tcp_*.deb Maintainer Homepage'; has "$(.ci/identity PUBLISHER_EMAIL)" "$(.ci/identity PUBLISHER_HOMEPAGE)"
	ok 'rpm -qp --qf "%{URL} %{BUGURL} %{PACKAGER}\n" build/rpm/*.rpm | sort -u'
	is "$(.ci/identity PUBLISHER_HOMEPAGE) $(.ci/identity PUBLISHER_BUGS) $(.ci/identity PUBLISHER_NAME) <$(.ci/identity PUBLISHER_EMAIL)>"
}
