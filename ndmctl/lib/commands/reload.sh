# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# reload.sh: the command reload.

needs probes/config steps/apply

cmd_reload() {
	require_config
	apply_config
}
