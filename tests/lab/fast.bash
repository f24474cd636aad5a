# SPDX-License-Identifier: GPL-2.0
# For tests that play on the fast engine: its kernel is there, and the working directory is the checkout.

setup_file() {
	cd "$BATS_TEST_DIRNAME/../.." || return
	tests/lab/lab kernel 2>&3
}

setup() {
	cd "$BATS_TEST_DIRNAME/../.." || return
}
