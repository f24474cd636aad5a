# SPDX-License-Identifier: GPL-2.0
# state.sh: what carries the algorithms, and the default: what status, doctor and metrics have in common.

needs probes/backend probes/counting probes/kernels probes/module probes/records

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
	if is_loaded; then BACKEND=module; elif is_bpf; then BACKEND=bpf; else return 0; fi
	read_state version || :
	VERSION=$REPLY
	read_state refcnt || :
	REFERENCES=$REPLY
}

previous_default() { # what the default was before ndmctl changed it, into PREVIOUS; empty when it did not
	read_record || :
	is_set_by_us "$PRESENT" "$SET_HERE" || PREVIOUS=''
}
