# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# load.sh: the command load.

needs probes/config steps/backend steps/record

cmd_load() {
	require_config
	write_record exec ''    # what exec has loaded is to stay
	load_ndm
}
