# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# listing.sh: the commands sockets, stats and netns list.

cmd_sockets() {
	local name=${OPT[--cc]-} ids
	[[ ! -v OPT[--cc] ]] || require_name "$name"
	require_ss
	list_netns
	ids=("$NETNS_OWN")
	if [[ ${OPT[--netns]-} == all ]]; then ids=(${NETNS_LIST[@]+"${NETNS_LIST[@]}"})
	elif [[ -v OPT[--netns] ]]; then
		find_netns "${OPT[--netns]}"
		ids=("$REPLY")
		[[ $REPLY == "$NETNS_OWN" || $EUID == 0 ]] || die 4 'only root sees the connections of another network namespace' "sudo ndmctl $COMMAND_LINE"
	fi
	begin_table sockets sockets 'state:str local:str peer:str cc:str cwnd:num rtt_ms:num verdict:str entropy:num growth:num plasticity:num pid:num process:str cgroup:str netns:num' \
		'%-11s %-28s %-28s %-8s %6s %9s %-10s %7s %6s %10s %8s %-15s %s' \
		'STATE=state LOCAL=local PEER=peer CC=cc CWND=cwnd RTT_ms=rtt_ms VERDICT=verdict ENTROPY=entropy GROWTH=growth PLASTICITY=plasticity PID=pid PROCESS=process CGROUP=cgroup'
	ROWS=$(list_sockets "$name" ${ids[@]+"${ids[@]}"}) || exit "$?"    # it has said why, before anything is printed
	printf %s "$ROWS${ROWS:+$'\n'}" | render_table
}

cmd_stats() {
	read_stats || die 1 'no counters: tcp_ndm is not loaded' 'sudo ndmctl load'
	[[ ${STAT[schema]} == 1 ]] || note "note: the module writes schema ${STAT[schema]}, but this ndmctl reads schema 1"
	in_format print_stats
}

print_stats_json() {
	local name pairs=()
	for name in "${STAT_NAMES[@]}"; do
		[[ $name != schema ]] || continue
		pairs+=("$name" "${STAT[$name]}")
	done
	print_json stats "${pairs[@]}"
}

print_stats_plain() {
	local name
	for name in "${STAT_NAMES[@]}"; do print_cells "$name" "${STAT[$name]}"; done
}

print_stats_text() {
	local name bin count share total=0
	for name in "${STAT_NAMES[@]}"; do
		[[ $name == schema || $name == entropy_[0-9] ]] || print_columns '%-18s %s' "$name" "${STAT[$name]}"
	done
	for bin in {0..9}; do
		[[ ${STAT[entropy_$bin]-} =~ ^[0-9]{1,18}$ ]] || STAT[entropy_$bin]=0
		total=$((total + 10#${STAT[entropy_$bin]}))
	done
	print_columns '%-18s %s' entropy 'updates   share  (per mille, 1000 is pure noise)'
	for bin in {0..9}; do
		count=${STAT[entropy_$bin]}
		share=$((total ? 10#$count * 100 / total : 0))
		print_columns '  %3d..%-4d        %-9s %3d%%  %s' $((bin * 100)) $((bin * 100 + (bin == 9 ? 100 : 99))) "$count" "$share" "$(draw_bar "$share")"
	done
}

draw_bar() { # PERCENT as up to 25 signs
	local bar
	printf -v bar '%*s' $(($1 / 4)) ''
	printf '%s' "${bar// /#}"
}

cmd_netns_list() {
	local id default own
	list_netns
	begin_table 'netns list' namespaces 'id:num default:str pid:num command:str names:list own:BOOL' \
		'%-11s %-10s %8s %-16s %s' 'ID=id DEFAULT=default PID=pid COMMAND=command NAMES=names'
	for id in ${NETNS_LIST[@]+"${NETNS_LIST[@]}"}; do
		netns_default "$id" || REPLY=''
		default=$REPLY own=''
		[[ $id != "$NETNS_OWN" ]] || own=yes
		read_value "$SYSTEM/proc/${NETNS_PID[$id]-}/comm" || :
		add_row "$id" "$default" "${NETNS_PID[$id]-}" "$REPLY" "${NETNS_NAMES[$id]-}" "$own"
	done
	end_table
	[[ $EUID == 0 ]] || note "note: only root sees those of other users' processes, and other defaults than your own: sudo ndmctl netns list"
}
