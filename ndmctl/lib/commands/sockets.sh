# SPDX-License-Identifier: GPL-2.0
# sockets.sh: the command sockets.

needs probes/module probes/netns probes/sockets

cmd_sockets() {
	local name=${OPT[--cc]-} ids
	if [[ -v OPT[--cc] ]]; then require_name "$name"; fi
	require_ss
	list_netns
	ids=("$NETNS_OWN")
	if [[ ${OPT[--netns]-} == all ]]; then ids=("${NETNS_LIST[@]}")
	elif [[ -v OPT[--netns] ]]; then
		find_netns "${OPT[--netns]}"
		ids=("$REPLY")
		[[ $REPLY == "$NETNS_OWN" || $USER_ID == 0 ]] || die 4 'only root sees the connections of another network namespace' \
			"sudo ndmctl $COMMAND_LINE"
	fi
	local columns='state:str local:str peer:str cc:str cwnd:num rtt_ms:num verdict:str entropy:num growth:num'
	local titles='STATE=state LOCAL=local PEER=peer CC=cc CWND=cwnd RTT_ms=rtt_ms VERDICT=verdict ENTROPY=entropy'
	begin_table sockets sockets "$columns plasticity:num pid:num process:str cgroup:str netns:num" \
		'%-11s %-28s %-28s %-8s %6s %9s %-10s %7s %6s %10s %8s %-15s %s' \
		"$titles GROWTH=growth PLASTICITY=plasticity PID=pid PROCESS=process CGROUP=cgroup"
	ROWS=$(list_sockets "$name" "${ids[@]}") || exit "$?"    # it has said why, before anything is printed
	[[ $ROWS || ! $name ]] || is_available "$name" || note "note: this kernel has no algorithm $name"
	printf %s "$ROWS${ROWS:+$'\n'}" | render_table
}
