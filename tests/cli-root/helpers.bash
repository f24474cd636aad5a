# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# helpers.bash: the words of tests/cli, and those that need root.

# shellcheck source=tests/cli/helpers.bash
. "${BASH_SOURCE[0]%/*}/../cli/helpers.bash"

# Runs a script in network, mount and process namespaces of its own, with an empty /run; $0 is ndmctl, `was` the default
# there, `other` another algorithm.
# Whoever ends the test by force leaves it behind, so it waits for nothing without a bound: patiently COMMAND.
in_own_system() { # SCRIPT
	run --separate-stderr timeout -s KILL 120 unshare -nmpf --mount-proc --kill-child bash -c 'set -e; mount -t tmpfs none /run; ip link set lo up
		was=$(cat /proc/sys/net/ipv4/tcp_congestion_control) other=reno; [[ $was != reno ]] || other=cubic
		say() { printf "%s\n" "$1"; exit 1; }; fail() { say "$1"; }; '"$(declare -f patiently)
		$1" "$NDMCTL"
}

# Runs a command as a user without rights, who can read the folder of the test.
as_nobody() {
	local dir=$BATS_TEST_TMPDIR
	until [[ $dir == "${BATS_RUN_TMPDIR%/*}" ]]; do chmod a+rx "$dir"; dir=${dir%/*}; done
	run --separate-stderr setpriv --reuid=65534 --regid=65534 --clear-groups "$@"
}

copy_ndmctl() { # into NDMCTL, for as_nobody
	cp -rL "$CLI/../../ndmctl" "$BATS_TEST_TMPDIR/ndmctl"
	chmod -R a+rX "$BATS_TEST_TMPDIR/ndmctl"
	NDMCTL=$BATS_TEST_TMPDIR/ndmctl/ndmctl
}
