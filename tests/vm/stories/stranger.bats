#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# Somebody who has Debian and README.md, and types its lines, which are read from there: adds the repository, installs, enables, reboots,
# upgrades, goes back, removes. The repository is made as for others, and served by HTTP. One guest, in order.

load helpers

URL=http://127.0.0.1:8000
README=$BATS_TEST_DIRNAME/../../../README.md

setup_file() {
	local debs
	build_other_packages old 0.0.9
	make_key
	sign "$VM_TOP/build/vm/old"
	debs=$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" curl)
	start_guest stranger
	vm_put "$debs" /srv
	ok 'rm -r /etc/apt/sources.list.d/* /srv/deb
		dpkg -i /srv/debs-*/*.deb >/dev/null; rm -r /srv/debs-*
		echo "APT::Get::Assume-Yes true;" >/etc/apt/apt.conf.d/98yes' # what is asked is answered
	serve
}

teardown_file() {
	vm_stop
	gpgconf --homedir "$BATS_FILE_TMPDIR/gnupg" --kill gpg-agent
}

teardown() { kernel_is_content; }

make_key() {
	mkdir -m 700 "$BATS_FILE_TMPDIR/gnupg"
	GNUPGHOME=$BATS_FILE_TMPDIR/gnupg gpg -q --batch --passphrase '' --quick-generate-key stranger ed25519 sign 1y
}

sign() { # FOLDER of packages
	GNUPGHOME=$BATS_FILE_TMPDIR/gnupg SIGNING_KEY=stranger REPO_URL=$URL REPO=$BATS_FILE_TMPDIR/repo RELEASE=$1 "$VM_TOP/.ci/repo"
}

serve() {
	vm_put "$BATS_FILE_TMPDIR/repo/public" /srv
	ok 'systemctl is-active -q web || systemd-run -q --unit=web python3 -m http.server --bind 127.0.0.1 -d /srv/public 8000'
	await 'ss -Hltn sport = :8000 | grep -q .'
}

# block HEADING N: the N-th block of code below that heading, without remarks; where files are fetched, from the repository of this story.
block() {
	awk -v heading="## $1" -v wanted="$2" '
		/^## / { on = $0 == heading; count = 0 }
		on && /^```/ { inside = !inside; count += inside; next }
		on && inside && count == wanted' "$README" |
		sed "s/  *# .*//; s,https://[^ ]*/\([^/ ]*\)\$,$URL/\1," | grep . || complain "README.md has no block $2 below $1" >&2
}

type_block() { # HEADING N
	local text line
	text=$(block "$1" "$2")
	while IFS= read -r line <&4; do ok "$line"; done 4<<<"$text"
}

installed_is() { ok 'dpkg-query -W -f "\${Version} " ndm-tcp ndm-tcp-dkms; modinfo -F version tcp_ndm'; is "$1-1 $1-1 $1"; }

# Of the output of status: what differs between versions and machines.
without_versions() { sed 's/[0-9]\+\.[0-9]\+\.[0-9][^ ,;)]*/N/g'; }

v5_is_in_use() { # PROBLEMS
	default_is ndm_v5
	ok 'tcpcc pair'; is 'ndm_v5 ndm_v5'
	ok 'ndmctl status'; has 'default     ndm_v5' "problems    $1"
}

@test "the lines of a repository install the packages; no kernel comes, no connection changes" {
	kernels=$(vm_run 'ls /boot/vmlinuz-*')
	ok 'apt-cache policy ndm-tcp-dkms'; is ''
	type_block 'Install it' 4
	lacks 'ndm-tcp-dkms: WARNING' Error $'\nW: ' $'\nN: '
	installed_is 0.0.9
	ok 'ls /boot/vmlinuz-*'; is "$kernels"
	default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
}

@test "the three lines make v5 the default, and status says what README shows" {
	type_block 'Install it' 2
	[ "$(without_versions <<<"$output")" = "$(block 'Install it' 3 | without_versions)" ] || complain 'is not what README.md shows'
	v5_is_in_use none
}

@test "after a reboot it is still so" {
	vm_reboot
	v5_is_in_use none
	ok 'systemctl is-active ndm-tcp'; is active
}

@test "a newer version is published: the line upgrades to it, and it takes over at the next boot" {
	version=$(basename "$VM_TOP"/build/deb/ndm-tcp-dkms_*_all.deb | cut -d _ -f 2)
	sign "$VM_TOP/build/deb"
	serve
	ok "$(block Upgrade 1 | sed -n 1p)"
	installed_is "${version%-*}"
	v5_is_in_use "version 0.0.9 is loaded, ${version%-*} is installed"
	vm_reboot
	v5_is_in_use none
	ok 'cat /sys/module/tcp_ndm/version'; is "${version%-*}"
}

@test "the line goes back to the older version" {
	for package in ndm-tcp ndm-tcp-dkms; do vm_put "$(compgen -G "$VM_TOP/build/vm/old/${package}_*.deb")" /srv/old; done
	line=$(block Upgrade 1 | sed -n 2p)
	typed=${line/VERSION/0.0.9}
	[ "$typed" != "$line" ]
	ok "cd /srv/old; $typed"
	installed_is 0.0.9
	v5_is_in_use 'version '
}

@test "the way back: each line does what it says, and nothing is left" {
	mapfile -t way < <(block 'The way back' 1)
	[ ${#way[@]} -eq 3 ]
	ok "${way[0]}"
	default_is cubic
	ok "${way[1]}"
	fails 1 'systemctl is-enabled ndm-tcp'; is disabled
	ok "${way[2]}"
	ok 'dpkg --audit; dpkg-query -W "ndm-tcp*" 2>&1 | grep -v "no packages found" || :'; is ''
	ok 'find /etc /run /var/lib /lib/modules /usr \( -name "*ndm-tcp*" -o -name "*tcp_ndm*" -o -name "*ndmctl*" \) -not -path "*/apt/*"'; is ''
	kernel_is_content
	vm_reboot
	default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'grep -c ndm /proc/sys/net/ipv4/tcp_available_congestion_control || :'; is 0
}
