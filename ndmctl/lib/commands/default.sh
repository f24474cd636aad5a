# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# default.sh: the command default.

needs probes/module probes/netns

cmd_default() {
	local present
	if [[ -v OPT[--netns] ]]; then enter_named_netns; fi
	if [[ $NETNS ]] && ! current_default; then die 1 "cannot enter $NETNS_SHOWN, or it is none" 'ndmctl netns list'; fi
	current_default || die 5 "cannot read $SYSTEM$SYSCTL" 'this kernel or container has no IPv4 TCP; ndmctl doctor'
	present=$REPLY
	print_word "$COMMAND" default "$present"
}
