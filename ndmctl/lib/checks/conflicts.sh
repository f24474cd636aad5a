# SPDX-License-Identifier: GPL-2.0
# conflicts.sh: the check "conflicts": what else selects algorithms on this system, with file and line. The check
# "default" covers files of sysctl.

needs probes/boot-settings probes/cgroup probes/module probes/records probes/route

check_conflicts() {
	local before=${#FINDINGS[@]} unseen=''
	if has_tool systemctl; then
		check_bpftune
		check_tuned
	else unseen='services without systemctl'; fi
	if ! has_tool bpftool; then unseen+="${unseen:+, }BPF programs without bpftool"
	elif [[ $USER_ID != 0 ]]; then unseen+="${unseen:+, }BPF programs without root"
	else check_programs || unseen+="${unseen:+, }BPF programs of all cgroups"; fi
	list_routes check_conflicting_route
	((before == ${#FINDINGS[@]})) || return 0
	if [[ $unseen ]]; then
		found skip conflicts-unseen "nothing else chooses algorithms, as far as can be seen (not $unseen)"
	else found ok no-conflicts 'nothing else chooses algorithms'; fi
}

is_active() { [[ $(tool systemctl is-active "$1.service" 2>/dev/null) == active ]]; }

check_bpftune() {
	is_active bpftune || return 0
	local dir files=()
	for dir in etc run usr/lib lib; do files+=("$SYSTEM/$dir/systemd/system/bpftune.service"); done
	join_places < <(grep -Hns '^ExecStart=' "${files[@]}" | head -n 1)
	found warn conflict-bpftune \
		"bpftune is running${REPLY:+ ($REPLY)}: it gives bbr to connections that lose packets; see systemctl status bpftune"
}

check_tuned() { # its profile, and the profiles that this one includes
	is_active tuned || return 0
	local profile dir files=() seen=' ' profiles=() places
	read_value "$SYSTEM/etc/tuned/active_profile" || :
	read -ra profiles <<<"$REPLY"
	while ((${#profiles[@]})); do
		profile=${profiles[0]} profiles=("${profiles[@]:1}")
		[[ $profile != */* && $seen != *" $profile "* ]] || continue
		seen+="$profile "
		for dir in etc/tuned etc/tuned/profiles usr/lib/tuned usr/lib/tuned/profiles; do
			[[ -f $SYSTEM/$dir/$profile/tuned.conf ]] || continue
			files+=("$SYSTEM/$dir/$profile/tuned.conf")
			read -ra REPLY_LIST < <(sed -n 's/^include *= *//p' "$SYSTEM/$dir/$profile/tuned.conf" | tr ',\n' '  ') || :
			profiles+=("${REPLY_LIST[@]}")
		done
	done
	join_places < <(grep -EHns '^[[:space:]]*(net[./]ipv4[./])?tcp_congestion_control[[:space:]]*=' \
		"${files[@]-/dev/null}" || :)
	places=${REPLY:+: $REPLY}
	trim "$seen"
	shown "$REPLY"
	profile=${SHOWN:-that it recommends}
	found warn conflict-tuned \
		"tuned is running with the profile $profile, and able to change the default$places; see systemctl status tuned"
}

# sock_ops programs of others: any of them may set an algorithm; fails where bpftool does not tell all
check_programs() {
	local name path json rc=0
	json=$(tool bpftool -j cgroup tree 2>/dev/null) || rc=1
	while IFS=' ' read -r _ name path; do
		[[ $name != ndm_* ]] || continue
		found warn conflict-program \
			"the BPF program ${name/#-/?} on $path may choose algorithms; see bpftool cgroup list ${path@Q}"
	done < <(parse_tree "$json")
	return "$rc"
}

check_conflicting_route() { # the parsed one
	local place lock=''
	is_ours "${ROUTE_CC#lock }" && return 0
	read_route_records
	! is_set_by_us "$ROUTE_CC" "${ROUTE_SET[$ROUTE_KEY]-}" || return 0
	join_places < <(grep -EHrns "(congctl( lock)?|TCPCongestionControlAlgorithm=) *${ROUTE_CC#lock }([^A-Za-z0-9_-]|\$)" \
		"$SYSTEM"/etc/network/interfaces{,.d} "$SYSTEM"/{etc,run,usr/lib,lib}/systemd/network \
			"$SYSTEM"/etc/{netplan,rc.local,NetworkManager/dispatcher.d} || :)
	place=$REPLY
	[[ $ROUTE_CC != lock* ]] || lock=', and allows no other'
	shown_destination
	found warn conflict-route \
		"the route $REPLY (table $ROUTE_TABLE) gives its connections ${ROUTE_CC#lock }$lock; see ${place:-ndmctl route list}"
}
