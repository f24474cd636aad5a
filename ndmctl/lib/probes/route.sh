# SPDX-License-Identifier: GPL-2.0
# route.sh: routes as ip shows them.

needs probes/module probes/netns probes/records

ROUTE=() ROUTE_HOPS=() ROUTE_OBJECT='' ROUTE_DEST='' ROUTE_TABLE='' ROUTE_METRIC='' ROUTE_DEV='' ROUTE_CC='' \
	ROUTE_KEY='' FAMILY='' ROUTES_KNOWN=''
declare -gA TABLE_NUMBER=()    # by = and the name, for bash refuses some names; empty until they are read

require_route_words() { # DEST and the options, of which nothing else reaches ip; sets FAMILY
	FAMILY=4
	has_tool ip || die 5 'the program ip is not installed' 'apt install iproute2'
	case $1 in
	default) ;;
	*/*[!0-9]*) die 2 "'${1:0:60}': the length of a prefix is a number, as in 192.0.2.0/24" 'ip route shows the routes' ;;
	*[!0-9a-fA-F:./]* | '' | /*) die 2 "'${1:0:60}' is no destination" \
		'an address, a prefix such as 192.0.2.0/24 or 2001:db8::/32, or default' ;;
	*:*) FAMILY=6 ;;
	esac
	shown "${OPT[--table]-main}"
	[[ ! ${OPT[--table]-main} =~ ^(all|cache|unspec|0)$ ]] ||
		die 2 "--table $SHOWN is not one table" 'ndmctl route list shows the routes of all'
	number_of_table "${OPT[--table]-main}"
	[[ $REPLY =~ ^[A-Za-z0-9][A-Za-z0-9_.-]{0,63}$ ]] || die 2 "--table '$SHOWN': neither a number nor a name" \
		'ip rule shows the tables in use'
	shown "${OPT[--metric]-0}"
	[[ ${OPT[--metric]-0} =~ ^(0|[1-9][0-9]{0,9})$ ]] || die 2 "--metric '$SHOWN': not a number" \
		'ip route shows the metrics'
}

# A line of "ip -o -d route show" into ROUTE, its words without congctl, and ROUTE_HOPS, those from the first nexthop
# on; and ROUTE_DEST, _TABLE, _METRIC, _DEV, _CC ("ndm" or "lock ndm").
parse_route() { # LINE
	local words i word count
	read -ra words <<<"${1//\\$'\t'/ }"    # the line breaks that -o has replaced
	count=${#words[@]}
	words+=('' '' '')    # for a line that was cut off
	ROUTE=("${words[@]:0:2}") ROUTE_HOPS=() ROUTE_OBJECT='' ROUTE_DEST=${words[1]} ROUTE_TABLE=${OPT[--table]-main}
	ROUTE_METRIC=0 ROUTE_DEV='' ROUTE_CC=''
	for ((i = 2; i < count; i++)); do
		word=${words[i]}
		case $word in
		# states
		dead | linkdown | pervasive | unresolved | offload | offload_failed | trap | rt_offload | rt_trap) continue ;;
		congctl)
			ROUTE_CC=${words[++i]}
			[[ $ROUTE_CC != lock ]] || ROUTE_CC+=" ${words[++i]}"
			continue ;;
		table) ROUTE_TABLE=${words[++i]}; continue ;;
		nhid) ROUTE_OBJECT=yes ;;    # what follows of these is the object's, and not to be given with it
		via | weight) if [[ $ROUTE_OBJECT ]]; then [[ ${words[++i]} != inet6 ]] || i=$((i + 1)); continue; fi ;;
		onlink | nexthop) if [[ $ROUTE_OBJECT ]]; then continue; fi ;;
		dev)
			word=${words[++i]}
			[[ ${ROUTE_HOPS[*]-} ]] || ROUTE_DEV=$word
			if [[ $ROUTE_OBJECT ]]; then continue; fi
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

refuse_other_ip() { # where ip has failed: that of busybox tells no algorithm
	[[ $(tool ip -V 2>/dev/null) == 'ip utility'* ]] ||
		die 5 'the program ip is a smaller one, as that of busybox' 'apt install iproute2'
}

show_route() { # DEST: the lines of ip for the routes of the command line, into REPLY_LIST
	local text line
	REPLY_LIST=()
	if ! text=$(tool ip -o -d "-$FAMILY" route show exact "$1" table "${OPT[--table]-main}" 2>&1); then
		[[ $text != *'table does not exist'* ]] || return 0
		refuse_other_ip
		shown "${text#Error: }"
		die 2 "ip refuses this: $SHOWN" "ip -$FAMILY route show $1 table ${OPT[--table]-main}"
	fi
	while IFS= read -r line; do
		[[ $line == [a-z0-9]* ]] || continue    # not the indented ones, which explain nexthop objects
		parse_route "$line"
		[[ ${OPT[--metric]-$ROUTE_METRIC} != "$ROUTE_METRIC" ]] || REPLY_LIST+=("$line")
	done < <(printf '%s\n' "$text")
}

find_route() { # DEST: the one route of the command line, parsed
	require_route_words "$1"
	show_route "$1"
	((${#REPLY_LIST[@]})) || refuse_missing_route "$1"
	((${#REPLY_LIST[@]} == 1)) || refuse_many_routes "$1"
	parse_route "${REPLY_LIST[0]}"
	refuse_other_route "$1"
	case ${ROUTE[0]} in
	blackhole | unreachable | prohibit | throw) die 1 \
		"the route $ROUTE_DEST is of the type ${ROUTE[0]}: no connection takes it" "ip -$FAMILY route show $1" ;;
	esac
}

# Of an address with a prefix ip takes the network, which may be more than was meant.
refuse_other_route() { # DEST, after parse_route
	local dest=${1,,}
	case $dest in
	0.0.0.0/0 | ::/0) dest=default ;;
	*.*/32 | *:*/128) dest=${dest%/*} ;;
	esac
	shown_destination
	[[ $dest == "$ROUTE_DEST" ]] || die 2 "'${1:0:60}' is not the name of a route; it is in the route $REPLY" \
		"ndmctl ${COMMAND_LINE/"$1"/$REPLY}"
}

refuse_missing_route() { # DEST
	local where="table ${OPT[--table]-main}${OPT[--metric]:+ with metric ${OPT[--metric]}}" taken=''
	[[ $1 == default ]] || taken=$(tool ip -o "-$FAMILY" route get "${1%%/*}" fibmatch 2>/dev/null) || taken=''
	taken=${taken%% *}
	[[ $taken ]] || die 1 "there is no route $1 in $where" "ip -$FAMILY route show table ${OPT[--table]-main}"
	[[ $taken != default || $FAMILY == 4 ]] || taken=::/0
	die 1 "there is no route $1 in $where" \
		"its packets take the route ${taken:0:60}, which you can name instead; or create one: ip -$FAMILY route add $1 ..."
}

refuse_many_routes() { # DEST, the lines being in REPLY_LIST
	local line hint='they do not differ by their metric, so ndmctl cannot tell them apart; ip route change can'
	local -A metrics=()
	for line in "${REPLY_LIST[@]}"; do
		parse_route "$line"
		warn "$1 may be: ${ROUTE[*]} ${ROUTE_HOPS[*]}"
		metrics[$ROUTE_METRIC]=yes
	done
	((${#metrics[@]} < ${#REPLY_LIST[@]})) || hint="choose one, as in: ndmctl $COMMAND ${ARGS[*]} --metric $ROUTE_METRIC"
	die 1 "${#REPLY_LIST[@]} routes have the destination $1" "$hint"
}

describe_route() { # all of the parsed route but its congctl and the seconds that it has left, into REPLY
	REPLY="${ROUTE[*]} ${ROUTE_HOPS[*]-}"
	[[ ! $REPLY =~ ^(.*' expires ')[0-9]+(.*)$ ]] || REPLY=${BASH_REMATCH[1]}${BASH_REMATCH[2]}
}

is_route() { # DESCRIPTION CONGCTL: is there one such, with the destination and table of the parsed one?
	local line
	show_route "$ROUTE_DEST"
	for line in "${REPLY_LIST[@]}"; do
		parse_route "$line"
		describe_route
		[[ $REPLY != "$1" || $ROUTE_CC != "$2" ]] || return 0
	done
	return 1
}

# Calls FUNCTION, with the words, for each route of this network namespace that has a congctl, parsed. ip is asked once
# a run; ROUTES_KNOWN is empty when it does not tell all.
list_routes() { # FUNCTION [WORD...]
	local line
	if [[ ! ${ROUTE_LINES+asked} ]]; then
		ROUTES_KNOWN=yes ROUTE_LINES=''
		for FAMILY in 4 6; do
			ROUTE_LINES+=$(tool ip -o -d "-$FAMILY" route show table all 2>/dev/null |
				sed -n "/ congctl /s/^/$FAMILY /p")$'\n' || ROUTES_KNOWN=''
		done
	fi
	while read -r FAMILY line; do
		[[ $line ]] || continue
		parse_route "$line"
		if [[ $ROUTE_CC ]]; then "$@"; fi    # an interface may be called congctl
	done < <(printf '%s\n' "$ROUTE_LINES")
}

shown_destination() { # into REPLY; "default" alone means that of IPv4
	REPLY=$ROUTE_DEST
	[[ $FAMILY/$ROUTE_DEST != 6/default ]] || REPLY=::/0
}

# Names of tables may have any signs but blanks, and a table several names: records have the number.
number_of_table() { # NAME|NUMBER into REPLY; what is neither stays
	local file number name
	if [[ ! ${TABLE_NUMBER[=main]-} ]]; then
		TABLE_NUMBER=([=default]=253 [=main]=254 [=local]=255)
		for file in "$SYSTEM"/{usr/lib,usr/share,etc}/iproute2/{rt_tables,rt_tables.d/*.conf}; do
			[[ -f $file && -r $file ]] || continue
			while read -r number name _; do
				[[ $number =~ ^(0x[0-9a-fA-F]{1,8}|[1-9][0-9]{0,9})$ && $name ]] || continue
				TABLE_NUMBER[=$name]=$((number))
			done <"$file"
		done
	fi
	REPLY=${TABLE_NUMBER[=$1]-$1}
	[[ ! $REPLY =~ ^(0[xX][0-9a-fA-F]{1,8}|0[0-7]{0,11}|[1-9][0-9]{0,9})$ ]] || REPLY=$((REPLY))
}

netns_of_routes() { netns_id "$SYSTEM/proc/self/ns/net" || REPLY=0; }

has_other_default() { # CONGCTL: does the default route of IPv6 not have it?
	local line
	while IFS= read -r line; do
		[[ $line == *' default '* && "$line " != *" congctl $1 "* ]] && return 0
	done < <(tool ip -o -d -6 route show exact default table main 2>/dev/null)
	return 1
}

# Those of this network namespace that no longer have what ndmctl gave them: DESTINATION TABLE METRIC ALGORITHM, four
# words for each, into REPLY_LIST. Of an algorithm that is not registered ip does not tell whether a route has it.
list_lost_routes() {
	local key id own family table metric dest cc present vanished=()
	REPLY_LIST=()
	[[ -r $RECORDS/routes ]] && has_tool ip || return 0
	netns_of_routes
	own=$REPLY
	present=$(list_routes print_route_key "$own" && [[ $ROUTES_KNOWN ]]) || return 0
	read_route_records
	for key in "${!ROUTE_SET[@]}"; do
		read -r id family table metric dest <<<"$key"
		cc=${ROUTE_SET[$key]##*/}
		if [[ $id != "$own" || $'\n'$present$'\n' == *$'\n'"$key"$'\t'"$cc"$'\n'* ]] || ! is_registered "${cc#lock }"; then
			continue; fi
		[[ $family/$dest != 6/default ]] || dest=::/0
		[[ $table != 254 ]] || table=main
		vanished+=("$dest" "$table" "$metric" "$cc")
	done
	REPLY_LIST=("${vanished[@]}")
}

print_route_key() { # NETNS, of the parsed one: its key in the records, and what it has
	route_key "$1"
	printf '%s\t%s\n' "$ROUTE_KEY" "$ROUTE_CC"
}

route_key() { # NETNS, of the parsed route, into ROUTE_KEY
	number_of_table "$ROUTE_TABLE"
	ROUTE_KEY="$1 $FAMILY $REPLY $ROUTE_METRIC $ROUTE_DEST"
}

# For the parsed route it also sets ROUTE_KEY, and ROUTE_CC, which ip does not show while that algorithm is not
# registered.
read_route_records() {
	local key set before
	ROUTE_SET=() ROUTE_BEFORE=()
	netns_of_routes
	route_key "$REPLY"
	[[ -r $RECORDS/routes ]] || return 0
	while IFS=$'\t' read -r key set before; do
		if [[ $before ]]; then ROUTE_SET[$key]=$set ROUTE_BEFORE[$key]=$before; fi
	done <"$RECORDS/routes"
	set=${ROUTE_SET[$ROUTE_KEY]-}
	set=${set##*/}
	[[ $ROUTE_CC || ! $set ]] || is_registered "${set#lock }" || ROUTE_CC=$set
}
