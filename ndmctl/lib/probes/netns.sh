# SPDX-License-Identifier: GPL-2.0
# netns.sh: network namespaces and their defaults. One is entered through an open file of it, so that neither the end
# of its last process nor the deletion of its name takes it away while ndmctl works.

SYSCTL=/proc/sys/net/ipv4/tcp_congestion_control    # the default of each
NETNS='' NETNS_SHOWN='' RECORD=''    # the one that was entered: its open file, its name in messages, its record
NETNS_OWN='' NETNS_LIST=() NETNS_DEVICE=''    # inode numbers, and the device that all of them are on
declare -gA NETNS_PID=() NETNS_NAMES=() NETNS_PATH=()

netns_id() { # FILE into REPLY; fails when it cannot be seen, or is on another device than ndmctl's own, so no namespace
	REPLY=$(stat -Lc '%i %d' -- "$1" 2>/dev/null) || return 1
	[[ ${NETNS_DEVICE:-${REPLY#* }} == "${REPLY#* }" ]] || return 1
	NETNS_DEVICE=${REPLY#* } REPLY=${REPLY% *}
}

list_netns() { # each one that a process or a name shows, our own first, then the oldest process first
	local id pid path
	NETNS_LIST=() NETNS_PID=() NETNS_NAMES=() NETNS_PATH=()
	netns_id "$SYSTEM/proc/self/ns/net" || REPLY=''
	NETNS_OWN=$REPLY
	while read -r pid id; do
		NETNS_PID[$id]=$pid NETNS_PATH[$id]=$SYSTEM/proc/$pid/ns/net
		if [[ $id == "$NETNS_OWN" ]]; then NETNS_LIST=("$id" "${NETNS_LIST[@]}"); else NETNS_LIST+=("$id"); fi
	done < <(list_netns_of_processes)
	for path in "$SYSTEM"/run/netns/{,.[!.]}*; do
		[[ -e $path ]] || continue
		netns_id "$path" || continue
		[[ ${NETNS_PATH[$REPLY]-} ]] || NETNS_LIST+=("$REPLY")
		NETNS_PATH[$REPLY]=$path
		NETNS_NAMES[$REPLY]+=${NETNS_NAMES[$REPLY]:+/}${path##*/}    # the one sign that is in no name
	done
}

list_netns_of_processes() { # lines "PID ID", the smallest PID of each; those of other users are for root only
	printf '%s\0' "$SYSTEM"/proc/[0-9]*/ns/net | xargs -0 stat -Lc '%i %n' -- 2>/dev/null | awk '
		{
			n = split($0, part, "/")    # ID ROOT/proc/PID/ns/net
			if (!($1 in pid) || part[n - 2] + 0 < pid[$1]) pid[$1] = part[n - 2] + 0
		}
		END { for (id in pid) print pid[id], id }' | sort -n
}

describe_netns() { # ID into REPLY: "blue (pid 812, nginx)"
	local shown=''
	REPLY=${NETNS_NAMES[$1]:-$1}
	shown "${REPLY//\// or }"
	shown=$SHOWN
	if [[ ${NETNS_PID[$1]-} ]]; then
		read_value "$SYSTEM/proc/${NETNS_PID[$1]}/comm" || REPLY='?'
		shown "$REPLY"
		shown+=" (pid ${NETNS_PID[$1]}, $SHOWN)"
	fi
	REPLY=$shown
}

netns_default() { # ID into REPLY; fails when it cannot be entered
	if [[ $1 == "$NETNS_OWN" ]]; then read_value "$SYSTEM$SYSCTL"
	else REPLY=$(tool nsenter --net="${NETNS_PATH[$1]}" cat "$SYSCTL" 2>/dev/null); fi
}

enter_netns() { # ID: what follows reads and writes its default; fails when it is gone
	local file
	if [[ $1 == "$NETNS_OWN" ]]; then
		leave_netns
		return 0
	fi
	{ exec {file}<"${NETNS_PATH[$1]}"; } 2>/dev/null || return 1
	if ! netns_id "/proc/self/fd/$file" || [[ $REPLY != "$1" ]]; then # the PID or name is of another by now
		exec {file}<&-
		return 1
	fi
	describe_netns "$1"
	NETNS=/proc/self/fd/$file NETNS_SHOWN="network namespace $REPLY"
	name_record "/proc/self/fd/$file"
}

can_enter_netns() { # not in the sandbox of ndm-tcp.service
	tool nsenter --net="$SYSTEM/proc/self/ns/net" true 2>/dev/null
}

leave_netns() {
	NETNS='' NETNS_SHOWN=''
	name_record "$SYSTEM/proc/self/ns/net"
}

# "default" is the record of the system, that is, of process 1; ndmctl may have been called in another, as by ip netns
# exec.
name_record() { # FILE of the one that is read and written
	local system=$SYSTEM/proc/1/ns/net
	RECORD=default
	if [[ -e $system && ! $1 -ef $system ]]; then ! netns_id "$1" || RECORD=netns-$REPLY; fi
}
leave_netns

read_entered_default() { # into REPLY
	REPLY=$(tool nsenter --net="$NETNS" cat "$SYSCTL" 2>/dev/null)
}

find_netns() { # NAME|PID: its inode number into REPLY
	local name=$SYSTEM/run/netns/$1 process=$SYSTEM/proc/$1 path
	shown "$1"
	[[ $1 && $1 != . && $1 != .. && $1 != */* ]] ||
		die 2 "--netns '$SHOWN': neither a name in /run/netns nor the PID of a process" 'ndmctl status --netns all'
	[[ -e $name ]] || name=''
	[[ $1 != *[!0-9]* && -d $process ]] || process=''
	if [[ $name && $process ]]; then die 2 "--netns $1: both a name and a PID" \
		"ip netns pids $1 prints PIDs; name one of them"; fi
	[[ $name || $process ]] || die 1 "no network namespace and no process is called '$SHOWN'" 'ndmctl status --netns all'
	path=${name:-$process/ns/net}
	if ! netns_id "$path"; then
		if [[ $name ]]; then die 1 "$path is not a network namespace, only a file left over from one" \
			'ndmctl status --netns all'; fi
		[[ $USER_ID == 0 ]] || die 4 "only root sees the network namespace of process $1" "sudo ndmctl $COMMAND_LINE"
		die 1 "cannot see the network namespace of process $1: it has ended" 'ndmctl status --netns all'
	fi
	NETNS_PATH[$REPLY]=${NETNS_PATH[$REPLY]-$path}
}

enter_named_netns() { # of --netns, for one command that reads
	list_netns
	find_netns "${OPT[--netns]}"
	enter_netns "$REPLY" || die 1 "the network namespace ${OPT[--netns]} has just ended" 'ndmctl status --netns all'
	if [[ $NETNS && $USER_ID != 0 ]]; then die 4 'only root sees the default of another network namespace' \
		"sudo ndmctl $COMMAND_LINE"; fi
}
