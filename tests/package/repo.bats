#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# A repository for others: what it refuses, what it holds, and that apt and dnf install, upgrade and go back from it, over HTTP.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.."
	.ci/need bats curl dkms dnf iproute2 kmod python3 rpm createrepo-c apt-utils gnupg
	export W=$BATS_FILE_TMPDIR GNUPGHOME=$BATS_FILE_TMPDIR/gnupg REPO=$BATS_FILE_TMPDIR/www/ndm QUIET=
	export PUBLISHER_NAME=Ann PUBLISHER_EMAIL=ann@example.net PUBLISHER_HOMEPAGE=https://example.net PUBLISHER_GIT=https://example.net/n.git
	export PUBLISHER_SOURCE=https://example.net/n PUBLISHER_BUGS=https://example.net/b PUBLISHER_PACKAGES=https://example.net/p
	mkdir -m 700 "$GNUPGHOME"
	for name in 'good rsa3072 sign 1y' 'other ed25519 sign 1y' 'late ed25519 sign seconds=1'; do
		# shellcheck disable=SC2086  # four words
		gpg -q --batch --passphrase '' --quick-generate-key $name
	done
	gpg -q --batch --armor --export-secret-keys good >"$W/secret"
	for version in 0.0.9 ''; do
		debian/build . "$W/deb$version" $version
		rpm/build . "$W/rpm$version" $version
	done >"$W/log"
	serve
	publish 0.0.9
	cp -a "$REPO" "$W/first"
	publish ''
}

serve() {
	mkdir -p "$W/www"
	python3 -u -m http.server --bind 127.0.0.1 --directory "$W/www" 0 >"$W/server" 2>&1 3>&- &
	echo $! >"$W/pid"
	timeout 20 sh -c "until grep -q port '$W/server'; do sleep 0.05; done"
	REPO_URL=http://127.0.0.1:$(sed -n '1s/.*port \([0-9]*\).*/\1/p' "$W/server")/ndm
	export REPO_URL
}

publish() { # VERSION that the packages were built as
	SIGNING_KEY=good PACKAGES=$W/deb$1 debian/repo >>"$W/said"
	SIGNING_KEY=good PACKAGES=$W/rpm$1 rpm/repo >>"$W/said"
}

teardown_file() {
	kill "$(cat "$BATS_FILE_TMPDIR/pid")"
	gpgconf --homedir "$BATS_FILE_TMPDIR/gnupg" --kill gpg-agent
}

setup() {
	load ../helpers
	cd "$BATS_TEST_DIRNAME/../.."
	version=$(.ci/version)
	T=$BATS_TEST_TMPDIR
}

refuses() { # CAUSE COMMAND...: and what is published stays
	find "$REPO" -type f -exec sha256sum {} + | sort >"$T/before"
	fails 1 "$2"
	has "$1" $'\nhint: '
	find "$REPO" -type f -exec sha256sum {} + | sort | diff "$T/before" -
}

@test "it refuses to publish without a key, with one that has expired, with none of gpg's, with one that make clean removes" {
	export PACKAGES=$W/deb
	for program in debian/repo rpm/repo; do
		[ $program = debian/repo ] || PACKAGES=$W/rpm
		refuses 'needs a key that they can go on trusting' $program
		refuses 'the key late has expired' "SIGNING_KEY=late $program"
		refuses 'no secret key nobody' "SIGNING_KEY=nobody $program"
		refuses 'the key is below build/' "GNUPGHOME=\$PWD/build/repo-key SIGNING_KEY=good $program"
	done
	PACKAGES=$W/deb PUBLISHER_EMAIL=a@b.invalid refuses 'nobody is named who publishes this: PUBLISHER_EMAIL' 'SIGNING_KEY=good debian/repo'
}

@test "the folder is that of a repository, of the same kind; what cannot be replaced stays, as does what a kill left half done" {
	((EUID == 0)) || skip 'to mount needs root'
	export SIGNING_KEY=good PACKAGES=$W/deb
	mkdir "$T/thesis"
	echo all >"$T/thesis/text"
	for program in debian/repo rpm/repo; do
		[ $program = debian/repo ] || PACKAGES=$W/rpm
		fails 1 "REPO=$T/thesis $program"; has "$T/thesis holds other files" 'hint: REPO= a folder that is empty or new'
		refuses 'was published, as http://127.0.0.1' "REPO_URL= $program"
	done
	ok 'ls $T/thesis'; is text
	refuses 'cannot be renamed; it may be a mount point' "unshare -m sh -ec 'mount --bind \$REPO \$REPO; PACKAGES=\$W/deb debian/repo'"
	# A copy that was cut off between the two renames.
	cp -a "$REPO" "$T/copy.old"
	ok 'PACKAGES=$W/deb REPO=$T/copy debian/repo'
	ok 'ls "$T"/copy*.deb "$T"/copy/*.deb 2>/dev/null | wc -l'; is 7
	[ ! -e "$T/copy.old" ]
	# One for others is not where tests and demos make theirs.
	ok 'top=$PWD; . .ci/signing-key; . .ci/repository; for url in "" http://a; do REPO= repository_folder; done'
	is "$PWD/build/repo"$'\n'"$PWD/build/published"
}

@test "it refuses other bytes for a version that was published" {
	cp -r "$W/deb" "$W/rpm" "$T"
	echo >>"$(compgen -G "$T/deb/ndm-tcp_*.deb")"
	cp "$(compgen -G "$T/rpm/ndm-tcp-dkms-*.rpm")" "$(compgen -G "$T/rpm/ndm-tcp-[0-9]*.noarch.rpm")"
	refuses 'is in '"$REPO already, with other bytes" 'SIGNING_KEY=good PACKAGES=$T/deb debian/repo'
	refuses 'already, with other bytes' 'SIGNING_KEY=good PACKAGES=$T/rpm rpm/repo'
}

@test "the index names both versions, sources and packages, itself not, and what it names is there, also by hash" {
	cd "$REPO"
	ok 'sed "/^MD5Sum/,\$d" Release'; has 'Suite: stable' 'Codename: ndm-tcp' 'Acquire-By-Hash: yes' 'Valid-Until: '
	ok 'awk "/^SHA256:/ { on = 1; next } /^[^ ]/ { on = 0 } on { print \$3 }" Release'; is $'Packages\nPackages.gz\nSources\nSources.gz'
	ok 'grep -E "^[^ ]+:$" Release'; is SHA256: # apt asks by the strongest
	# And what the index before named.
	ok 'cd "$W/first" && sha256sum Packages* Sources*'
	while read -r sum file; do cmp "by-hash/SHA256/$sum" "$W/first/$file"; done <<<"$output"
	ok 'awk "/^SHA256:/ { on = 1; next } /^[^ ]/ { on = 0 } on { print \$1 \"  by-hash/SHA256/\" \$1 }" Release | sha256sum -c'
	ok 'gpg --verify Release.gpg Release && gpg --verify InRelease'
	ok 'sed -n "s/^Filename: //p" Packages | xargs ls | wc -l'; is 7
	ok 'grep ^Version: Packages | sort | uniq -c'; has "3 Version: 0.0.9-1" "3 Version: $version-1"
	ok 'grep -A1 ^Checksums-Sha256 Sources | grep -c "tar.*\|dsc"; grep ^Version Sources'; has "Version: 0.0.9-1" "Version: $version-1"
	# What was published keeps its bytes.
	for file in "$W"/first/*.deb "$W"/first/rpm/*.rpm; do cmp "$file" ".${file#"$W/first"}"; done
	[ "$(ls rpm/*.rpm | wc -l)" -eq 10 ]
	ok 'grep -rl "PRIVATE KEY" . || true'; is ''
}

@test "the fingerprint is printed and on the page, with the address in all that is to be copied" {
	fingerprint=$(gpg --with-colons --list-keys good | awk -F : '$1 == "fpr" { print $10; exit }')
	ok 'cat "$W/said"'; has "signed by $fingerprint" "curl -fsSLo /etc/yum.repos.d/ndm-tcp.repo $REPO_URL/rpm/ndm-tcp.repo"
	ok 'cat "$REPO/index.html"'; has "$fingerprint" "$REPO_URL/ndm-tcp-archive-keyring.deb" "$REPO_URL/rpm/ndm-tcp.repo" 'dnf install ndm-tcp-dkms'
	ok 'cat "$REPO/ndm-tcp.sources"'; has $'\nURIs: '"$REPO_URL"$'\n'
	ok 'cat "$REPO/rpm/ndm-tcp.repo"'; has "baseurl=$REPO_URL/rpm" "gpgkey=$REPO_URL/rpm/RPM-GPG-KEY-ndm-tcp" gpgcheck=1 repo_gpgcheck=1
}

@test "the package of key and address: the same bytes while nothing changes, a higher version with a renewed key; lintian is content" {
	deb=$T/ndm-tcp-archive-keyring.deb
	cp "$REPO"/ndm-tcp{.sources,-archive-keyring.deb,-archive-keyring.gpg} "$T"
	ok 'debian/keyring $T/ndm-tcp-archive-keyring.gpg $T/ndm-tcp.sources $deb && cmp $deb $REPO/ndm-tcp-archive-keyring.deb'
	first=$(dpkg-deb -f "$deb" Version)
	cp -a "$GNUPGHOME" "$T/gnupg"
	gpg -q --homedir "$T/gnupg" --batch --quick-set-expire "$(gpg --with-colons --list-keys good | awk -F : '$1 == "fpr" { print $10; exit }')" 3y
	gpg -q --homedir "$T/gnupg" --batch --export good >"$T/renewed"
	gpgconf --homedir "$T/gnupg" --kill gpg-agent
	ok 'debian/keyring $T/renewed $T/ndm-tcp.sources $deb'
	dpkg --compare-versions "$(dpkg-deb -f "$deb" Version)" gt "$first"
	dpkg-deb -x "$deb" "$T/x"
	cmp "$T/renewed" "$T/x/usr/share/keyrings/ndm-tcp-archive-keyring.gpg"
	ok 'dpkg-deb -f $deb Maintainer; dpkg-deb -I $deb conffiles'; is $'Ann <ann@example.net>\n/etc/apt/sources.list.d/ndm-tcp.sources'
	ok 'lintian --fail-on error,warning $deb'
}

# steps FILE: on standard input, what an administrator types in a throw-away copy of this machine, where nothing is built for its kernels.
steps() {
	{
		printf '%s\n' 'set -eu' 'mkdir -p /etc/dkms; touch /etc/dkms/no-autoinstall' 'export DEBIAN_FRONTEND=noninteractive'
		cat
	} >"$1"
}

@test "apt: the lines of the page install it; it upgrades and goes back; a changed index and one of another key are refused" {
	((EUID == 0)) || skip 'a throw-away copy of this machine needs root'
	sed -n '/apt<.h2>/,/<.pre>/{s/<[^>]*>//g; s/&amp;/\&/g; p}' "$REPO/index.html" | grep -E '^(curl|apt install)' | sed 's/^apt/apt-get -qq -y/' >"$T/page"
	[ "$(wc -l <"$T/page")" -eq 2 ]
	steps "$T/steps" <<-END
		cd /srv
		rm -rf /etc/apt/sources.list /etc/apt/sources.list.d/* /var/lib/apt/lists/*
		mkdir -p /var/lib/apt/lists/partial
		umask 077 # as on a hardened host
		$(cat "$T/page")
		umask 022
		apt-get update 2>&1 | tee /run/update
		! grep -E '^(W|E|N):' /run/update
		is() { echo "now \$(dpkg-query -W -f '\${Version} ' ndm-tcp ndm-tcp-dkms)"; }
		apt-get install -qq -y --no-install-recommends ndm-tcp-dkms=0.0.9-1 ndm-tcp=0.0.9-1; is
		apt-get upgrade -qq -y; is
		ndmctl --version
		apt-get install -qq -y --no-install-recommends --allow-downgrades ndm-tcp-dkms=0.0.9-1 ndm-tcp=0.0.9-1; is
		ndmctl --version
		refused() { rm -rf /var/lib/apt/lists/*; ! apt-get update -o APT::Update::Error-Mode=any || exit 7; }
		mkdir /srv/www; cp -r $REPO /srv/www/bad
		sed -i 's,URIs:.*,URIs: file:/srv/www/bad,' /etc/apt/sources.list.d/ndm-tcp.sources
		apt-get update -qq; echo 'unchanged taken'
		sed -i 's/^Label: ndm-tcp/Label: NDM-TCP/' /srv/www/bad/InRelease
		refused; echo 'changed refused'
		cp $W/foreign /srv/www/bad/InRelease
		refused; echo 'foreign refused'
		cp $REPO/InRelease /srv/www/bad; echo >>/srv/www/bad/Packages; gzip -kf /srv/www/bad/Packages; rm -r /srv/www/bad/by-hash
		refused; echo 'changed list refused'
	END
	gpg -q --batch --yes --local-user other --clearsign -o "$W/foreign" "$REPO/Release"
	ok 'tests/package/throw-away bash "$T/steps"'
	has $'now 0.0.9-1 0.0.9-1 \n' "now $version-1 $version-1 "$'\n'"ndmctl $version"$'\n' $'\nndmctl 0.0.9\n'
	has 'unchanged taken' 'changed refused' 'foreign refused' 'changed list refused'
}

@test "dnf: the lines of the page install it; it upgrades and goes back; a changed index is refused (empty packages stand in for Fedora's)" {
	((EUID == 0)) || skip 'a throw-away copy of this machine needs root'
	mkdir -p build/vm
	tests/vm/host/stand-ins >/dev/null
	sed -n '/dnf (/,/<.pre>/{s/<[^>]*>//g; p}' "$REPO/index.html" | grep -E '^curl' >"$T/page"
	[ "$(wc -l <"$T/page")" -eq 1 ]
	steps "$T/steps" <<-END
		rm -rf /etc/yum.repos.d /var/cache/dnf /var/lib/rpm
		mkdir -p /etc/yum.repos.d
		printf '[stand-ins]\nname=x\nbaseurl=file://$PWD/build/vm/stand-ins\ngpgcheck=0\n' >/etc/yum.repos.d/stand-ins.repo
		$(cat "$T/page")
		is() { echo "now \$(rpm -q --qf '%{VERSION} ' ndm-tcp ndm-tcp-dkms)"; }
		dnf -q -y install ndm-tcp-dkms-0.0.9 ndm-tcp-0.0.9; is
		dnf -q -y upgrade; is
		ndmctl --version
		dnf -q -y downgrade ndm-tcp-dkms ndm-tcp; is
		ndmctl --version
		cp -r $REPO/rpm /srv/bad
		sed -i 's,^baseurl=.*,baseurl=file:///srv/bad,' /etc/yum.repos.d/ndm-tcp.repo
		dnf -q --refresh repoquery ndm-tcp >/dev/null; echo 'unchanged taken'
		sed -i 's/<revision>/<revision>1/' /srv/bad/repodata/repomd.xml
		dnf clean -q all
		! dnf -q --refresh -y reinstall ndm-tcp; echo 'changed refused'
	END
	ok 'tests/package/throw-away bash "$T/steps"'
	has $'now 0.0.9 0.0.9 \n' "now $version $version "$'\n'"ndmctl $version"$'\n' $'\nndmctl 0.0.9\n'
	has 'unchanged taken' 'changed refused'
}
