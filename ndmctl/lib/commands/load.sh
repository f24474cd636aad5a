# SPDX-License-Identifier: GPL-2.0
# load.sh: the command load.

needs probes/backend probes/cgroup probes/config steps/apply steps/struct_ops

cmd_load() {
	require_config
	read_mounts
	if is_bpf && is_bpf_complete; then    # else what is missing comes first
		renew_bpf
		keep_changes
	fi
	apply_config
}
