# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# version.sh: the command version.

needs probes/backend probes/kernels

cmd_version() {
	local own loaded='' disk
	own_version
	own=$REPLY
	if [[ -v OPT[--version] ]]; then
		in_format print_own_version "$own"
		return
	fi
	! read_state version || loaded=$REPLY
	module_version_on_disk
	disk=$REPLY
	in_format print_versions ndmctl:str "$own" module_loaded:str "$loaded" module_on_disk:str "$disk"
}

print_versions_json() { print_json version "$@"; } # NAME:str VALUE..., as the other two

print_versions_plain() { print_pairs_plain "$@"; }

print_versions_text() {
	print_columns '%-16s %s' ndmctl "$2"
	print_columns '%-16s %s' 'tcp_ndm loaded' "${4:-no}"
	print_columns '%-16s %s' 'tcp_ndm on disk' "${6:-no}"
}

print_own_version_text() { print_line "ndmctl $1"; }

print_own_version_plain() { print_own_version_text "$1"; }

print_own_version_json() { print_json version ndmctl:str "$1"; }
