# SPDX-License-Identifier: GPL-2.0
# The first minute: nothing is installed, everything answers.
load helpers
setup() { make_root; }

@test "smoke: the bare command is status" {
	ndmctl
	exits 0
	local bare=$output
	ndmctl status
	equals "$bare" "$output"
	says 'tcp_ndm 0.1.0, not loaded'
}

@test "smoke: read commands run on this very system without rights" {
	local command
	for command in status 'config get' --version help 'help config' sockets 'route list'; do
		as_nobody "$NDMCTL" $command
		exits 0
	done
	as_nobody "$NDMCTL" doctor
	[[ $status == [01] ]] || fail "doctor ends with $status"
	says 'next: '
}

@test "smoke: help of a command by three ways" {
	ndmctl help sockets
	local text=$output
	says 'usage: ndmctl sockets'
	ndmctl sockets --help
	equals "$output" "$text"
	ndmctl -h sockets
	equals "$output" "$text"
}

@test "smoke: version comes from the changelog in a checkout" {
	local version
	version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$CLI/../../debian/changelog")
	ndmctl --version
	equals "$output" "ndmctl $version"
	ndmctl --version --json
	json_is .ndmctl "$version"
}
