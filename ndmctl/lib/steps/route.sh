# SPDX-License-Identifier: GPL-2.0
# route.sh: the algorithm that a route gives to the connections that take it (congctl in ip-route(8)).
#
# A route is changed by giving the kernel all its words again, as ip prints them, with another congctl; then it is read
# back and compared, so that nothing of it is lost unnoticed.

needs probes/records probes/route steps/record

ROUTE_COMMAND=''

# What ndmctl knows of a route that no longer exists. Fails when the route exists, or nothing is known of one.
forget_missing_route() { # DEST
	local key known='' ROUTE_TABLE=${OPT[--table]-main}
	require_route_words "$1"
	show_route "$1"
	((${#REPLY_LIST[@]} == 0)) || return 1
	ROUTE_DEST=${1,,} ROUTE_METRIC='*'    # as ip writes it
	[[ $1 != ::/0 ]] || ROUTE_DEST=default
	read_route_records
	for key in "${!ROUTE_BEFORE[@]}"; do
		# shellcheck disable=SC2053  # a pattern: any metric, unless one is given
		[[ $key == ${ROUTE_KEY/\*/${OPT[--metric]-*}} ]] || continue
		unset "ROUTE_BEFORE[$key]"
		known=yes
	done
	[[ $known ]] || return 1
	write_route_records
	keep_changes
	[[ $DRY_RUN ]] || note "the route ${1:0:60} no longer exists; what ndmctl knew of it is forgotten"
}

change_route() { # CONGCTL for the parsed route, empty for none; everything else of it stays
	local same old=$ROUTE_CC command=(ip "-$FAMILY" route change "${ROUTE[@]}" table "$ROUTE_TABLE")
	describe_route
	same=$REPLY
	# Without any metric the kernel takes what another route with this nexthop object has, and so the old congctl. 0 is
	# none.
	if [[ $ROUTE_OBJECT && $same != *' initcwnd '* ]]; then command+=(initcwnd 0); fi
	# shellcheck disable=SC2086,SC2206  # "lock NAME" is two words
	if [[ ! $DRY_RUN ]]; then
		note_undo_call put_back_route "$same" "$old" "${command[@]}" ${old:+congctl $old} "${ROUTE_HOPS[@]}"
	fi
	# shellcheck disable=SC2206
	command+=(${1:+congctl $1} "${ROUTE_HOPS[@]}")
	ROUTE_COMMAND=${command[*]}
	audit "congctl of the route $ROUTE_DEST table $ROUTE_TABLE" "${old:-none}" "${1:-none}"
	if ! run "${command[@]}"; then
		shown "${RUN_ERROR#Error: }"
		die 1 "cannot change the route $ROUTE_DEST: $SHOWN" "ip -$FAMILY route show $ROUTE_DEST table $ROUTE_TABLE"
	fi
	[[ $DRY_RUN ]] || is_route "$same" "$1" ||
		die 1 "ip cannot restore all properties of the route $ROUTE_DEST" "change it by hand: $ROUTE_COMMAND"
}

put_back_route() { # DESCRIPTION CONGCTL COMMAND...
	is_route "$1" "$2" || tool "${@:3}"
}

write_route_records() {
	local key text=''
	for key in "${!ROUTE_BEFORE[@]}"; do text+=$key$'\t'${ROUTE_SET[$key]-}$'\t'${ROUTE_BEFORE[$key]}$'\n'; done
	write_record routes "${text%$'\n'}"
}

note_route() { # DEST CONGCTL: how long it lasts, and how to keep it
	note 'note: this lasts until the route is created again, at the latest at the next boot. To keep it'
	[[ $2 == lock* ]] || note \
		"  systemd-networkd: TCPCongestionControlAlgorithm=$2 in the section [Route] of its .network file"
	note "  ifupdown: up $ROUTE_COMMAND    # below its iface in /etc/network/interfaces"
	case " ${ROUTE[*]} " in
	*' proto dhcp '*) note 'note: DHCP created this route, and may create it again at any time' ;;
	# of a changed route the kernel no longer knows that it came from a router advertisement
	*' proto ra '*) 
		note 'note: router advertisements renew this route; when the router withdraws itself, it stays until it expires' ;;
	esac
	[[ $1 != default ]] || ! has_other_default "$2" || note \
		"note: IPv6 has its own default route: ndmctl route set ::/0 ${2#lock }${OPT[--lock]:+ --lock}"
}

clear_route() { # DEST
	local before
	if forget_missing_route "$1"; then return; fi
	find_route "$1"
	read_route_records
	before=${ROUTE_BEFORE[$ROUTE_KEY]--}
	if [[ ! $ROUTE_CC ]]; then already "the route $ROUTE_DEST has no congctl"
	elif is_set_by_us "$ROUTE_CC" "${ROUTE_SET[$ROUTE_KEY]-}"; then change_route "${before#-}"
	else note "the route $ROUTE_DEST has congctl $ROUTE_CC, which ndmctl did not set; it stays"; fi
	unset "ROUTE_BEFORE[$ROUTE_KEY]"
	write_route_records
	keep_changes
}

revert_all_routes() { # those of this network namespace that have what ndmctl gave them
	local routes route dest table metric
	[[ -e $RECORDS/routes ]] && has_tool ip || return 0
	mapfile -t routes < <(list_routes print_own_route)    # all of them, before one is changed
	for route in "${routes[@]}"; do
		read -r dest table metric <<<"$route"
		OPT[--table]=$table OPT[--metric]=$metric
		in_own_shell clear_route "$dest" || warn "the route $dest keeps its algorithm"
	done
	unset 'OPT[--table]' 'OPT[--metric]'
}

print_own_route() { # DESTINATION TABLE METRIC of the parsed one, if it has what ndmctl gave it
	read_route_records
	is_set_by_us "$ROUTE_CC" "${ROUTE_SET[$ROUTE_KEY]-}" || return 0
	shown_destination
	printf '%s %s %s\n' "$REPLY" "$ROUTE_TABLE" "$ROUTE_METRIC"
}
