# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# load.sh: the command load.

needs probes/config steps/apply steps/struct_ops

cmd_load() {
	require_config
	in_own_shell renew_bpf || warn 'the algorithms stay those of the BPF programs of the version before'
	apply_config
}
