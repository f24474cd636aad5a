# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# load.sh: the command load.

cmd_load() {
	require_config
	write_record exec ''    # what exec has loaded is to stay
	load_ndm
}
