# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# route.sh: the algorithm that a route gives to the connections that take it (congctl in ip-route(8)).
#
# A route is changed by giving the kernel all its words again, as ip prints them, with another congctl; then it is read
# back and compared, so that nothing of it is lost unnoticed.
#
# /run/ndm-tcp/routes   of each route that ndmctl changed: NETNS FAMILY TABLE METRIC DEST, a tab, the congctl that it set,
#                       a tab, the one that was there, - for none

declare -A ROUTE_SET=() ROUTE_BEFORE=()    # of that file

require_route_words() { # DEST and the options, of which nothing else reaches ip; sets FAMILY
	FAMILY=4
	has_tool ip || die 5 'the program ip is not installed' 'apt install iproute2'
	printable "$1"
	case $1 in
	default) ;;
	*[!0-9a-fA-F:./]* | '' | /*) die 2 "'$SHOWN' is no destination" 'an address, a prefix such as 192.0.2.0/24 or 2001:db8::/32, or default' ;;
	*:*) FAMILY=6 ;;
	esac
	printable "${OPT[--table]-main}"
	[[ ${OPT[--table]-main} =~ ^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$ ]] || die 2 "--table '$SHOWN': neither a number nor a name" 'ip rule shows the tables in use'
	printable "${OPT[--metric]-0}"
	[[ ${OPT[--metric]-0} =~ ^(0|[1-9][0-9]{0,9})$ ]] || die 2 "--metric '$SHOWN': not a number" 'ip route shows the metrics'
}

# A line of "ip -o -d route show" into ROUTE, its words without congctl, and ROUTE_HOPS, those from the first nexthop on; and
# ROUTE_DEST, _TABLE, _METRIC, _DEV, _CC ("ndm" or "lock ndm").
parse_route() { # LINE
	local words i word
	read -ra words <<<"${1//\\$'\t'/ }"    # the line breaks that -o has replaced
	ROUTE=("${words[@]:0:2}") ROUTE_HOPS=() ROUTE_OBJECT='' ROUTE_DEST=${words[1]} ROUTE_TABLE=${OPT[--table]-main}
	ROUTE_METRIC=0 ROUTE_DEV='' ROUTE_CC=''
	for ((i = 2; i < ${#words[@]}; i++)); do
		word=${words[i]}
		case $word in
		dead | linkdown | pervasive | unresolved | offload | offload_failed | trap | rt_offload | rt_trap) continue ;;    # states
		congctl)
			ROUTE_CC=${words[++i]}
			[[ $ROUTE_CC != lock ]] || ROUTE_CC+=" ${words[++i]}"
			continue ;;
		table) ROUTE_TABLE=${words[++i]}; continue ;;
		nhid) ROUTE_OBJECT=yes ;;    # what follows of these is the object's, and not to be given with it
		via | weight) if [[ $ROUTE_OBJECT ]]; then [[ ${words[++i]} != inet6 ]] || i=$((i + 1)); continue; fi ;;
		onlink | nexthop) [[ ! $ROUTE_OBJECT ]] || continue ;;
		dev)
			word=${words[++i]}
			[[ ${ROUTE_HOPS[*]-} ]] || ROUTE_DEV=$word
			[[ ! $ROUTE_OBJECT ]] || continue
			add_route_word dev ;;
		metric) ROUTE_METRIC=${words[i + 1]} ;;
		expires) words[i + 1]=${words[i + 1]%sec} ;;
		rto_min) [[ ${words[i + 1]} != lock ]] || words[++i]=rto_min word=rto_min ;;
		esac
		add_route_word "$word"
	done
}

add_route_word() {
	if [[ $1 == nexthop || ${#ROUTE_HOPS[@]} != 0 ]]; then ROUTE_HOPS+=("$1"); else ROUTE+=("$1"); fi
}

show_route() { # DEST: the lines of ip for the routes of the command line, into REPLY_LIST
	local text line
	REPLY_LIST=()
	if ! text=$(tool ip -o -d "-$FAMILY" route show exact "$1" table "${OPT[--table]-main}" 2>&1); then
		[[ $text != *'table does not exist'* ]] || return 0
		printable "${text#Error: }"
		die 2 "ip does not take this: $SHOWN" "ip -$FAMILY route show $1 table ${OPT[--table]-main}"
	fi
	while IFS= read -r line; do
		[[ $line == [a-z0-9]* ]] || continue    # not the indented ones, which explain nexthop objects
		parse_route "$line"
		[[ ${OPT[--metric]-$ROUTE_METRIC} != "$ROUTE_METRIC" ]] || REPLY_LIST+=("$line")
	done <<<"$text"
}

find_route() { # DEST: the one route of the command line, parsed
	require_route_words "$1"
	show_route "$1"
	((${#REPLY_LIST[@]})) || refuse_missing_route "$1"
	((${#REPLY_LIST[@]} == 1)) || refuse_many_routes "$1"
	parse_route "${REPLY_LIST[0]}"
	case ${ROUTE[0]} in
	blackhole | unreachable | prohibit | throw) die 1 "the route $ROUTE_DEST is of the type ${ROUTE[0]}: no connection takes it" "ip -$FAMILY route show $1" ;;
	esac
}

refuse_missing_route() { # DEST
	local where="table ${OPT[--table]-main}${OPT[--metric]:+ with metric ${OPT[--metric]}}" taken=''
	[[ $1 == default ]] || taken=$(tool ip -o "-$FAMILY" route get "${1%%/*}" fibmatch 2>/dev/null) || taken=''
	taken=${taken%% *}
	[[ $taken ]] || die 1 "there is no route $1 in $where" "ip -$FAMILY route show table ${OPT[--table]-main}"
	[[ $taken != default || $FAMILY == 4 ]] || taken=::/0
	printable "$taken"
	die 1 "there is no route $1 in $where" "its packets take the route $SHOWN, which can be chosen instead; or make one: ip -$FAMILY route add $1 ..."
}

refuse_many_routes() { # DEST, the lines being in REPLY_LIST
	local line hint='they do not differ by their metric, so ndmctl cannot tell them apart; ip route change can'
	local -A metrics=()
	for line in "${REPLY_LIST[@]}"; do
		parse_route "$line"
		warn "$1 may be: ${ROUTE[*]} ${ROUTE_HOPS[*]}"
		metrics[$ROUTE_METRIC]=yes
	done
	((${#metrics[@]} < ${#REPLY_LIST[@]})) || hint="choose one, as in: ndmctl route ${ARGS[*]} --metric $ROUTE_METRIC"
	die 1 "${#REPLY_LIST[@]} routes have the destination $1" "$hint"
}

route_set() { # DEST NAME
	local wanted="${OPT[--lock]:+lock }$2"
	require_name "$2"
	require_config
	find_route "$1"
	lock_state
	if [[ $ROUTE_CC == "$wanted" ]]; then
		tell_already "the route $ROUTE_DEST has congctl $wanted"
		return 0
	fi
	ensure_registered "$2"
	read_route_records
	[[ $ROUTE_CC && ${ROUTE_SET[$ROUTE_KEY]-} == "$ROUTE_CC" ]] || ROUTE_BEFORE[$ROUTE_KEY]=${ROUTE_CC:--}
	ROUTE_SET[$ROUTE_KEY]=$wanted
	write_route_records
	change_route "$wanted"
	keep_changes
	note_route "$1" "$wanted"
}

route_clear() { # DEST
	local before
	[[ ! ${OPT[--lock]-} ]] || die 2 'route clear takes no option --lock' 'ndmctl help route'
	find_route "$1"
	lock_state
	read_route_records
	before=${ROUTE_BEFORE[$ROUTE_KEY]--}
	unset "ROUTE_BEFORE[$ROUTE_KEY]"
	write_route_records
	if [[ ! $ROUTE_CC ]]; then tell_already "the route $ROUTE_DEST has no congctl"
	elif [[ ${ROUTE_SET[$ROUTE_KEY]-} == "$ROUTE_CC" ]]; then change_route "${before#-}"
	else say "the route $ROUTE_DEST has congctl $ROUTE_CC, which ndmctl did not set; it stays"; fi
	keep_changes
}

change_route() { # CONGCTL for the parsed route, empty for none; everything else of it stays
	local same old=$ROUTE_CC command=(ip "-$FAMILY" route change "${ROUTE[@]}" table "$ROUTE_TABLE")
	describe_route
	same=$REPLY
	# Without any metric the kernel takes what another route with this nexthop object has, and so the old congctl. 0 is none.
	[[ ! $ROUTE_OBJECT || $same == *' initcwnd '* ]] || command+=(initcwnd 0)
	# shellcheck disable=SC2086,SC2206  # "lock NAME" is two words
	if [[ ! $DRY_RUN ]]; then
		note_undo_call put_back_route "$same" "$old" "${command[@]}" ${old:+congctl $old} ${ROUTE_HOPS[@]+"${ROUTE_HOPS[@]}"}
	fi
	# shellcheck disable=SC2206
	command+=(${1:+congctl $1} ${ROUTE_HOPS[@]+"${ROUTE_HOPS[@]}"})
	ROUTE_COMMAND=${command[*]}
	if ! run "${command[@]}"; then
		printable "${RUN_ERROR#Error: }"
		die 1 "cannot change the route $ROUTE_DEST: $SHOWN" "ip -$FAMILY route show $ROUTE_DEST table $ROUTE_TABLE"
	fi
	[[ $DRY_RUN ]] || is_route "$same" "$1" ||
		die 1 "ip does not give back all that it shows of the route $ROUTE_DEST" "change it by hand: $ROUTE_COMMAND"
}

describe_route() { # all of the parsed route but its congctl and the seconds that it has left, into REPLY
	REPLY="${ROUTE[*]} ${ROUTE_HOPS[*]-}"
	[[ ! $REPLY =~ ^(.*' expires ')[0-9]+(.*)$ ]] || REPLY=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
}

is_route() { # DESCRIPTION CONGCTL: is there one such, with the destination and table of the parsed one?
	local line
	show_route "$ROUTE_DEST"
	for line in ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}; do
		parse_route "$line"
		describe_route
		[[ $REPLY != "$1" || $ROUTE_CC != "$2" ]] || return 0
	done
	return 1
}

put_back_route() { # DESCRIPTION CONGCTL COMMAND...
	is_route "$1" "$2" || tool "${@:3}"
}

netns_of_routes() { netns_id "$ROOT/proc/self/ns/net" || REPLY=0; }

read_route_records() { # also sets ROUTE_KEY, for the parsed route
	local key set before
	ROUTE_SET=() ROUTE_BEFORE=()
	netns_of_routes
	ROUTE_KEY="$REPLY $FAMILY $ROUTE_TABLE $ROUTE_METRIC $ROUTE_DEST"
	[[ -r $ROOT/run/ndm-tcp/routes ]] || return 0
	while IFS=$'\t' read -r key set before; do
		[[ ! $before ]] || ROUTE_SET[$key]=$set ROUTE_BEFORE[$key]=$before
	done <"$ROOT/run/ndm-tcp/routes"
}

write_route_records() {
	local key text='' file=$ROOT/run/ndm-tcp/routes done_well=yes
	for key in "${!ROUTE_BEFORE[@]}"; do text+=$key$'\t'${ROUTE_SET[$key]-}$'\t'${ROUTE_BEFORE[$key]}$'\n'; done
	if [[ $text ]]; then replace_value "$file" "${text%$'\n'}" || done_well=''
	else remove_file "$file" || done_well=''; fi
	[[ $done_well ]] || die 1 "cannot write $file: $WRITE_ERROR" "df $ROOT/run"
}

note_route() { # DEST CONGCTL: how long it lasts, and how to keep it
	say 'note: this lasts until the route is made anew, at the latest at the next boot. To keep it'
	[[ $2 == lock* ]] || say "  systemd-networkd: TCPCongestionControlAlgorithm=$2 in the section [Route] of its .network file"
	say "  ifupdown: up $ROUTE_COMMAND    # below its iface in /etc/network/interfaces"
	case " ${ROUTE[*]} " in
	*' proto dhcp '*) say 'note: DHCP made this route, and may make it anew any time' ;;
	# of a changed route the kernel no longer knows that it came from a router advertisement
	*' proto ra '*) say 'note: router advertisements renew this route; a router that withdraws itself leaves it to expire' ;;
	esac
	[[ $1 != default ]] || ! has_other_default "$2" || say "note: IPv6 has a default route of its own: ndmctl route set ::/0 ${2#lock }${OPT[--lock]:+ --lock}"
}

has_other_default() { # CONGCTL: does the default route of IPv6 not have it?
	local line
	while IFS= read -r line; do
		[[ $line == *' default '* && "$line " != *" congctl $1 "* ]] && return 0
	done < <(tool ip -o -d -6 route show exact default table main 2>/dev/null)
	return 1
}

list_routes() { # FUNCTION: calls it for each route of this network namespace that has a congctl, parsed
	local line
	for FAMILY in 4 6; do
		while IFS= read -r line; do
			parse_route "$line"
			"$1"
		done < <(tool ip -o -d "-$FAMILY" route show table all 2>/dev/null | grep ' congctl ')
	done
}

route_list() { # the command "route list"
	has_tool ip || die 5 'the program ip is not installed' 'apt install iproute2'
	ROUTE_ROWS=''
	[[ $FORMAT != text ]] || print_route_row DESTINATION TABLE METRIC DEVICE CC
	list_routes "add_route_$FORMAT"
	[[ $FORMAT != json ]] || printf '{"schema":1,"command":"route list","routes":[%s]}\n' "$ROUTE_ROWS"
}

print_route_row() { printf '%-28s %-8s %8s %-15s %s\n' "$@"; }

shown_destination() { # into REPLY; "default" alone means that of IPv4
	REPLY=$ROUTE_DEST
	[[ $FAMILY/$ROUTE_DEST != 6/default ]] || REPLY=::/0
}

add_route_text() {
	shown_destination
	printable "${ROUTE_DEV:--}"
	print_route_row "$REPLY" "$ROUTE_TABLE" "$ROUTE_METRIC" "$SHOWN" "$ROUTE_CC"
}

add_route_plain() {
	shown_destination
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$FAMILY" "$REPLY" "$ROUTE_TABLE" "$ROUTE_METRIC" "${ROUTE_DEV//[[:cntrl:]]/?}" "$ROUTE_CC"
}

add_route_json() {
	local row lock=''
	shown_destination
	json_pairs family "$FAMILY" destination "$REPLY" metric "$ROUTE_METRIC" cc "${ROUTE_CC#lock }"
	row=$REPLY
	[[ $ROUTE_CC != lock* ]] || lock=yes
	json_str "$ROUTE_TABLE"
	row+=",\"table\":$REPLY"
	REPLY=null
	[[ ! $ROUTE_DEV ]] || json_str "$ROUTE_DEV"
	row+=",\"device\":$REPLY"
	json_bool "$lock"
	ROUTE_ROWS+="${ROUTE_ROWS:+,}{$row,\"lock\":$REPLY}"
}
