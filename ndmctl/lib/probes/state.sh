# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# state.sh: what carries the algorithms, and the default: what status, doctor and metrics have in common.

COUNTING=''    # of counting_state
BACKEND='' VERSION='' ON_DISK='' KERNEL='' REFERENCES='' PRESENT=''

gather_state() {
	own_kernel
	KERNEL=$REPLY
	module_version_on_disk
	ON_DISK=$REPLY
	current_default || :
	PRESENT=$REPLY
	counting_state
	COUNTING=$REPLY
	backend_in_use
	BACKEND=$REPLY
	[[ $BACKEND ]] || return 0
	read_state version || :
	VERSION=$REPLY
	read_state refcnt || :
	REFERENCES=$REPLY
}
