# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# reload.sh: the command reload.

cmd_reload() {
	require_config
	! has_systemd || renew_unit_files    # which the sandbox of ndm-tcp.service forbids
	apply_config
}
