#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# Which packages apt adds to ours, by Debian's archive as it is now: never a second kernel, whichever flavour is installed. Nothing is
# installed for it: apt reads lists and a status of its own, below build/.

load ../helpers

setup_file() {
	.ci/need bats debian-archive-keyring
	debian/build . build/deb >/dev/null
	for suite in bookworm trixie; do update $suite; done
}

# in_suite SUITE ARCHITECTURE COMMAND...: apt as a machine of that suite has it, on which is installed what status says.
in_suite() {
	local dir=$PWD/build/check/apt-$1
	"$3" -o Dir::State="$dir" -o Dir::State::status="$dir/status" -o Dir::Cache="$dir" -o Dir::Etc="$dir" -o Dir::Etc::trustedparts=/usr/share/keyrings \
		-o APT::Architecture="$2" -o APT::Architectures="${ARCHITECTURES:-$2}" -o Acquire::Languages=none -o Acquire::Check-Valid-Until=false \
		-o Dir::Etc::parts=/nonexistent -o APT::Install-Recommends=true "${@:4}"
}

# The lists are downloaded once a day.
update() { # SUITE
	local dir=build/check/apt-$1
	mkdir -p "$dir"/{lists,archives}/partial "$dir"/{preferences,sources.list,trusted.gpg}.d
	: >"$dir/status"
	[ -z "$(find "$dir/updated" -mtime -1 2>/dev/null)" ] || return 0
	{ .ci/mirror sources "$1"; .ci/mirror sources "$1-backports" | tail -n 1; } >"$dir/sources.list"
	ARCHITECTURES=amd64,arm64 in_suite "$1" amd64 apt-get -qq update
	touch "$dir/updated"
}

# has_kernel SUITE ARCHITECTURE FLAVOUR [RELEASE]: only that kernel is installed, and its metapackage; into $kernel.
has_kernel() {
	local dir=build/check/apt-$1 package target=${4:-$1}
	kernel=$(in_suite "$1" "$2" apt-cache show "linux-image-$3/$target" | sed -n '/^Depends: /{s/.*[ ]linux-image-\([^ ]*\).*/\1/p;q}')
	[ -n "$kernel" ] || complain "$1 has no linux-image-$3"
	for package in "linux-image-$3" "linux-image-$kernel"; do
		in_suite "$1" "$2" apt-cache show "$package/$target" | awk '/^$/ { exit } /^(Package|Version|Architecture|Provides|Source):/'
		printf 'Status: install ok installed\nMaintainer: x\nDescription: x\n\n'
	done >"$dir/status.new"
	mv "$dir/status.new" "$dir/status"
}

# install SUITE ARCHITECTURE PACKAGE...: what apt would do, a line each.
install() { in_suite "$1" "$2" apt-get install -s "${@:3}" | sed -n 's/^Inst //p'; }

# In $output. A name and its old version is what is installed already: only its description here is not the archive's.
brings_no_kernel() { ! grep -E '^linux-image-[^ ]+ \(' <<<"$output"; }

ours() { printf '%s\n' "$PWD/build/deb/"*"_$(.ci/version package)_all.deb"; }

# bats test_tags=ci
@test "installing brings no kernel, where only one of amd64's, cloud, rt, arm64 or backports is installed" {
	local suite row count=0
	for suite in bookworm trixie; do
		for row in 'amd64 cloud-amd64' "amd64 amd64 $suite-backports" 'amd64 rt-amd64' 'arm64 arm64'; do
			[ "$suite" = trixie ] || [[ $row == *cloud* ]] || continue # there the headers depend on no image
			echo "== $suite $row"
			# shellcheck disable=SC2086  # two words or three
			set -- $row
			has_kernel "$suite" "$@"
			ok "install $suite $1 $(ours | paste -sd' ')"
			has "ndm-tcp-dkms (" "dkms ("
			brings_no_kernel
			count=$((count + 1))
		done
	done
	[ "$count" -eq 5 ]
}

# bats test_tags=ci
@test "the package of the headers that .ci/headers and hints name brings those of this kernel, and no other kernel" {
	local suite row
	for suite in bookworm trixie; do
		for row in 'amd64 cloud-amd64' "amd64 cloud-amd64 $suite-backports"; do
			echo "== $suite $row"
			[ "$suite" = trixie ] || [[ $row == *cloud* ]] || continue
			# shellcheck disable=SC2086  # two words or three
			set -- $row
			has_kernel "$suite" "$@"
			named=$(headers "$suite" "$1" "$kernel")
			if [ $# -eq 2 ]; then [ "$named" = "linux-headers-$2" ]; else [ "$named" = "linux-headers-$kernel" ]; fi
			ok "install $suite $1 $named"
			has "linux-headers-$kernel "
			brings_no_kernel
		done
	done
}

# headers SUITE ARCHITECTURE KERNEL: what .ci/headers says there.
headers() {
	local root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root/lib/modules/$3" "$root/bin"
	touch "$root/lib/modules/$3/modules.builtin"
	{ declare -f in_suite; echo "cd '$PWD'; in_suite $1 $2 /usr/bin/apt-cache \"\$@\""; } | sed '1i #!/bin/bash' >"$root/bin/apt-cache"
	chmod +x "$root/bin/apt-cache"
	PATH=$root/bin:$PATH .ci/headers "$3" "$root"
}

@test "the role of Ansible names the metapackage of the running flavour" {
	.ci/need python3
	pattern=$(sed -n "s/.*regex_replace('\([^']*\)'.*/\1/p" ndmctl/ansible/ndm_tcp/defaults/main.yml)
	ok "python3 -c 'import re, sys; [print(re.sub(sys.argv[1], \"\", name)) for name in sys.argv[2:]]' '$pattern' 6.1.0-50-amd64 \
		6.1.0-50-cloud-amd64 6.12.117+deb13-rt-amd64 6.12.95+deb12-cloud-amd64 6.8.0-31-generic 6.12.117+deb13-arm64"
	is $'amd64\ncloud-amd64\nrt-amd64\ncloud-amd64\ngeneric\narm64'
}
