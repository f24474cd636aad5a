# SPDX-License-Identifier: GPL-2.0
# For tests that run on the fast engine: builds its kernel, changes to the checkout.

load ../helpers

setup_file() {
	tests/lab/lab kernel 2>&3
}

