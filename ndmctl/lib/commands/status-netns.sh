# SPDX-License-Identifier: GPL-2.0
# status-netns.sh: status --netns: the defaults of network namespaces.

needs probes/module probes/netns

status_of_netns() { # NS, a name or a PID, or all
	if [[ $1 == all ]]; then list_defaults; return; fi
	enter_named_netns
	current_default || die 1 "cannot enter ${NETNS_SHOWN:-this network namespace}, or it is none" \
		'ndmctl status --netns all'
	print_word status default "$REPLY"
}

list_defaults() {
	local id default own
	list_netns
	begin_table status namespaces 'id:num default:str pid:num command:str names:list own:BOOL' \
		'%-11s %-10s %8s %-16s %s' 'ID=id DEFAULT=default PID=pid COMMAND=command NAMES=names'
	for id in "${NETNS_LIST[@]}"; do
		netns_default "$id" || REPLY=''
		default=$REPLY own=''
		[[ $id != "$NETNS_OWN" ]] || own=yes
		read_value "$SYSTEM/proc/${NETNS_PID[$id]-}/comm" || :
		add_row "$id" "$default" "${NETNS_PID[$id]-}" "$REPLY" "${NETNS_NAMES[$id]-}" "$own"
	done
	end_table
	[[ $USER_ID == 0 ]] || note "note: only root sees those of other users' processes, and other defaults than your own:" \
		'sudo ndmctl status --netns all'
}
