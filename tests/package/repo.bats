#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# Repositories for apt and dnf, signed by .ci/repo: what they hold, and whether that for dnf can be used as README
# says, over HTTP. How apt uses its own is in tests/vm/stories/stranger.bats.

load ../helpers

setup_file() {
	.ci/need bats curl dkms dnf iproute2 kmod python3 rpm createrepo-c reprepro gnupg
	export W=$BATS_FILE_TMPDIR GNUPGHOME=$BATS_FILE_TMPDIR/gnupg REPO=$BATS_FILE_TMPDIR/repo
	mkdir -m 700 "$GNUPGHOME"
	mkdir -p "$REPO/public"
	gpg -q --batch --passphrase '' --quick-generate-key ann rsa3072 sign 1y
	serve
	for version in 0.0.9 ''; do
		debian/build . "$W/built$version" $version
		rpm/build . "$W/built$version" $version
		sign "$version"
	done >"$W/log"
}

serve() {
	python3 -u -m http.server --bind 127.0.0.1 --directory "$REPO/public" 0 >"$W/server" 2>&1 3>&- &
	echo $! >"$W/pid"
	timeout 20 sh -c "until grep -q port '$W/server'; do sleep 0.05; done"
	REPO_URL=http://127.0.0.1:$(sed -n '1s/.*port \([0-9]*\).*/\1/p' "$W/server")
	export REPO_URL
}

sign() { # VERSION that the packages were built as; those for dnf are the ones for tests
	SIGNING_KEY=ann RELEASE=$W/built$1 RPMS=$W/built$1 .ci/repo
}

teardown_file() {
	kill "$(cat "$BATS_FILE_TMPDIR/pid")"
	gpgconf --homedir "$BATS_FILE_TMPDIR/gnupg" --kill gpg-agent
}

setup() {
	version=$(.ci/version)
	T=$BATS_TEST_TMPDIR
}

@test "repo: without an address, a folder or a key, or with one that gpg has not, nothing is made" {
	for command in '.ci/repo' 'SIGNING_KEY=ann REPO_URL= .ci/repo' 'SIGNING_KEY=ann REPO= .ci/repo' 'SIGNING_KEY=nobody .ci/repo'; do
		run ! env REPO="$T/new" RELEASE="$W/built" bash -c "$command"
		[ ! -e "$T/new" ]
		[ ! -e build/repo ]
	done
}

@test "repo: the index has no end, source and every package are there, each rpm is signed, and no secret is" {
	cd "$REPO/public"
	ok 'cat dists/ndm-tcp/Release'; has 'Suite: stable' 'Codename: ndm-tcp'; lacks Valid-Until
	ok 'cat ndm-tcp.sources'; has Signed-By: ' -----BEGIN PGP PUBLIC KEY BLOCK-----'; lacks Trusted
	ok 'cd pool/main/n/ndm-tcp; ls *.deb *.dsc *.tar.* | wc -l'; is 6
	ok 'ls rpm/*.rpm | wc -l'; is 10
	id=$(gpg --with-colons --list-keys ann | awk -F : '$1 == "fpr" { print tolower(substr($10, 25)); exit }')
	for rpm in rpm/*.rpm; do ok 'rpm -qp --nosignature --qf "%{RSAHEADER:pgpsig}" $rpm'; has "$id"; done
	ok 'grep -rl "PRIVATE KEY" "$REPO" || true'; is ''
	before=$(sha256sum rpm/*.rpm)
	cd "$OLDPWD"
	ok 'sign ""'
	cd "$REPO/public"
	[ "$(sha256sum rpm/*.rpm)" = "$before" ]
}

@test "repo: dnf installs by the line of README, upgrades, goes back, and refuses a changed index (empty packages stand in for Fedora's)" {
	((EUID == 0)) || skip 'a throw-away copy of this machine needs root'
	mkdir -p build/vm
	tests/vm/host/stand-ins >/dev/null
	# What an administrator types in a throw-away copy of this machine, where nothing is built for its kernels.
	cat >"$T/steps" <<-END
		set -eu
		mkdir -p /etc/dkms; touch /etc/dkms/no-autoinstall
		rm -rf /etc/yum.repos.d /var/cache/dnf /var/lib/rpm
		mkdir -p /etc/yum.repos.d
		printf '[stand-ins]\nname=x\nbaseurl=file://$PWD/build/vm/stand-ins\ngpgcheck=0\n' >/etc/yum.repos.d/stand-ins.repo
		$(sed -n "/^curl /s,https://[^ ]*/rpm/ndm-tcp.repo\$,$REPO_URL/rpm/ndm-tcp.repo,p" README.md)
		is() { echo "now \$(rpm -q --qf '%{VERSION} ' ndm-tcp ndm-tcp-dkms)"; }
		dnf -q -y install ndm-tcp-dkms-0.0.9 ndm-tcp-0.0.9; is
		dnf -q -y upgrade; is
		ndmctl --version
		dnf -q -y downgrade ndm-tcp-dkms ndm-tcp; is
		ndmctl --version
		cp -r $REPO/public/rpm /srv/bad
		sed -i 's,^baseurl=.*,baseurl=file:///srv/bad,' /etc/yum.repos.d/ndm-tcp.repo
		dnf -q --refresh repoquery ndm-tcp >/dev/null; echo 'unchanged taken'
		sed -i 's/<revision>/<revision>1/' /srv/bad/repodata/repomd.xml
		dnf clean -q all
		if dnf -q --refresh -y reinstall ndm-tcp; then exit 7; fi; echo 'changed refused'
	END
	ok 'tests/package/throw-away bash "$T/steps"'
	has $'now 0.0.9 0.0.9 \n' "now $version $version "$'\n'"ndmctl $version"$'\n' $'\nndmctl 0.0.9\n'
	has 'unchanged taken' 'changed refused'
}
