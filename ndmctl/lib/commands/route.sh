# SPDX-License-Identifier: GPL-2.0
# route.sh: the command route.

needs probes/config probes/module probes/records probes/route steps/backend steps/route

cmd_route_set() { # DEST NAME
	local wanted="${OPT[--lock]:+lock }$2" key
	require_name "$2"
	require_config
	find_route "$1"
	if [[ $ROUTE_CC == "$wanted" ]]; then
		already "the route $ROUTE_DEST has congctl $wanted"
		return 0
	fi
	read_route_records    # before the module is loaded, see there
	key=$ROUTE_KEY
	ensure_registered "$2"
	if is_set_by_us "$ROUTE_CC" "${ROUTE_SET[$key]-}"; then ROUTE_SET[$key]=$ROUTE_CC/$wanted
	else ROUTE_SET[$key]=$wanted ROUTE_BEFORE[$key]=${ROUTE_CC:--}; fi
	write_route_records
	change_route "$wanted"
	if [[ ${ROUTE_SET[$key]} != "$wanted" ]]; then
		ROUTE_SET[$key]=$wanted
		write_route_records
	fi
	keep_changes
	note_route "$1" "$wanted"
}

cmd_route_clear() { clear_route "$@"; }

cmd_route_list() {
	has_tool ip || die 5 'the program ip is not installed' 'apt install iproute2'
	begin_table 'route list' routes \
		'family:num destination:str table:str metric:num device:str both:[str] cc:STR lock:BOOL' \
		'%-28s %-8s %8s %-15s %s' 'DESTINATION=destination TABLE=table METRIC=metric DEVICE=device CC=both'
	list_routes add_route
	[[ $ROUTES_KNOWN ]] || { refuse_other_ip; die 1 'ip does not tell the routes' \
		'a sandbox needs AF_NETLINK; ip route show table all shows why'; }
	end_table
}

add_route() { # the parsed one
	local lock=''
	[[ $ROUTE_CC != lock* ]] || lock=yes
	shown_destination
	add_row "$FAMILY" "$REPLY" "$ROUTE_TABLE" "$ROUTE_METRIC" "$ROUTE_DEV" "$ROUTE_CC" "${ROUTE_CC#lock }" "$lock"
}
