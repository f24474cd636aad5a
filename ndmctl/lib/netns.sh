# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# netns.sh: network namespaces and their defaults. One is entered through an open file of it, so that neither the end
# of its last process nor the deletion of its name takes it away while ndmctl works.
#
# /run/ndm-tcp/netns-ID   for the namespace with that inode number, what "default" is for ndmctl's own

NETNS='' NETNS_SHOWN='' RECORD=default    # the one that was entered: its open file, its name in messages, its record
NETNS_OWN='' NETNS_LIST=() NETNS_DEVICE=''    # inode numbers, and the device that all of them are on
declare -A NETNS_PID=() NETNS_NAMES=() NETNS_PATH=()

netns_id() { # FILE into REPLY; fails when it cannot be seen, or is on another device than ndmctl's own, so no namespace
	REPLY=$(stat -Lc '%i %d' -- "$1" 2>/dev/null) || return 1
	[[ ${NETNS_DEVICE:-${REPLY#* }} == "${REPLY#* }" ]] || return 1
	NETNS_DEVICE=${REPLY#* } REPLY=${REPLY% *}
}

list_netns() { # each one that a process or a name shows, our own first, then the oldest process first
	local id pid path
	NETNS_LIST=() NETNS_PID=() NETNS_NAMES=() NETNS_PATH=()
	netns_id "$ROOT/proc/self/ns/net" || REPLY=''
	NETNS_OWN=$REPLY
	while read -r pid id; do
		NETNS_PID[$id]=$pid NETNS_PATH[$id]=$ROOT/proc/$pid/ns/net
		if [[ $id == "$NETNS_OWN" ]]; then NETNS_LIST=("$id" ${NETNS_LIST[@]+"${NETNS_LIST[@]}"}); else NETNS_LIST+=("$id"); fi
	done < <(list_netns_of_processes)
	for path in "$ROOT"/run/netns/{,.[!.]}*; do
		netns_id "$path" || continue
		[[ ${NETNS_PATH[$REPLY]-} ]] || NETNS_LIST+=("$REPLY")
		NETNS_PATH[$REPLY]=$path
		NETNS_NAMES[$REPLY]+=${NETNS_NAMES[$REPLY]:+/}${path##*/}    # the one sign that is in no name
	done
}

list_netns_of_processes() { # lines "PID ID", the smallest PID of each; those of other users are for root only
	printf '%s\0' "$ROOT"/proc/[0-9]*/ns/net | xargs -0 stat -Lc '%i %n' -- 2>/dev/null | awk '
		{
			n = split($0, part, "/")    # ID ROOT/proc/PID/ns/net
			if (!($1 in pid) || part[n - 2] + 0 < pid[$1]) pid[$1] = part[n - 2] + 0
		}
		END { for (id in pid) print pid[id], id }' | sort -n
}

describe_netns() { # ID into REPLY: "blue (pid 812, nginx)"
	local shown=''
	REPLY=${NETNS_NAMES[$1]:-$1}
	printable "${REPLY//\// or }"
	shown=$SHOWN
	if [[ ${NETNS_PID[$1]-} ]]; then
		read_value "$ROOT/proc/${NETNS_PID[$1]}/comm" || REPLY='?'
		printable "$REPLY"
		shown+=" (pid ${NETNS_PID[$1]}, $SHOWN)"
	fi
	REPLY=$shown
}

netns_default() { # ID into REPLY; fails when it cannot be entered
	if [[ $1 == "$NETNS_OWN" ]]; then read_value "$ROOT$SYSCTL"
	else REPLY=$(tool nsenter --net="${NETNS_PATH[$1]}" cat "$SYSCTL" 2>/dev/null); fi
}

enter_netns() { # ID: what follows reads and writes its default; fails when it is gone
	local file
	if [[ $1 == "$NETNS_OWN" ]]; then
		leave_netns
		return 0
	fi
	{ exec {file}<"${NETNS_PATH[$1]}"; } 2>/dev/null || return 1
	describe_netns "$1"
	NETNS=/proc/self/fd/$file NETNS_SHOWN="network namespace $REPLY" RECORD=netns-$1
}

leave_netns() { NETNS='' NETNS_SHOWN='' RECORD=default; }

read_entered_default() { # into REPLY
	REPLY=$(tool nsenter --net="$NETNS" cat "$SYSCTL" 2>/dev/null)
}

write_entered_default() { # NAME
	if [[ $DRY_RUN ]]; then
		would "write $1 > $SYSCTL of $NETNS_SHOWN"
		return 0
	fi
	read_entered_default || :
	note_undo_call put_back_netns "$NETNS" "$REPLY"
	tell "write $1 > $SYSCTL of $NETNS_SHOWN"
	WRITE_ERROR=$(tool nsenter --net="$NETNS" tee "$SYSCTL" <<<"$1" 2>&1 >/dev/null) && CHANGED=yes && return 0
	WRITE_ERROR=${WRITE_ERROR##*: }
	return 1
}

put_back_netns() { # FILE NAME
	[[ $(tool nsenter --net="$1" cat "$SYSCTL") == "$2" ]] || tool nsenter --net="$1" tee "$SYSCTL" <<<"$2" >/dev/null
}

find_netns() { # NAME|PID: its inode number into REPLY
	local name=$ROOT/run/netns/$1 process=$ROOT/proc/$1 path
	printable "$1"
	[[ $1 && $1 != . && $1 != .. && $1 != */* ]] ||
		die 2 "--netns '$SHOWN': neither a name, as in /run/netns, nor the PID of a process" 'ndmctl netns list'
	[[ -e $name ]] || name=''
	[[ $1 != *[!0-9]* && -d $process ]] || process=''
	[[ ! $name || ! $process ]] || die 2 "--netns $1: both a name and a PID" "ip netns pids $1, and take one of these"
	[[ $name || $process ]] || die 1 "no network namespace and no process is called '$SHOWN'" 'ndmctl netns list'
	path=${name:-$process/ns/net}
	if ! netns_id "$path"; then
		[[ ! $name ]] || die 1 "$path is left over from a network namespace, and is none" 'ndmctl netns list'
		die 1 "cannot see the network namespace of process $1: it has ended, or is another user's" 'ndmctl netns list'
	fi
	NETNS_PATH[$REPLY]=${NETNS_PATH[$REPLY]-$path}
}

change_netns_default() { # NAME, empty to revert: of the namespace that --netns names, or of all. Only until it ends
	local id chosen
	[[ ! ${OPT[--persist]-} ]] || die 2 '--netns and --persist exclude each other: a network namespace does not outlive the system' 'leave --persist away'
	require_config
	list_netns
	chosen=(${NETNS_LIST[@]+"${NETNS_LIST[@]}"})
	if [[ ${OPT[--netns]} != all ]]; then
		find_netns "${OPT[--netns]}"
		chosen=("$REPLY")
	fi
	lock_state
	forget_ended_netns
	[[ ! $1 ]] || ensure_registered "$1"
	for id in ${chosen[@]+"${chosen[@]}"}; do
		if ! enter_netns "$id"; then
			[[ ${OPT[--netns]} == all ]] || die 1 "the network namespace ${OPT[--netns]} has just ended" 'ndmctl netns list'
		elif ! current_default; then
			die 1 "cannot enter $NETNS_SHOWN, or it is none" "nsenter --net=${NETNS_PATH[$id]} true"
		elif [[ $1 ]]; then set_running_default "$1"
		else revert_running_default; fi
	done
	keep_changes
	leave_netns
	[[ ! $1 || ! $CHANGED ]] || say "note: this lasts as long as the network namespace; new ones copy the system's default"
}

forget_ended_netns() { # their numbers will be given to others
	local record
	for record in "$ROOT"/run/ndm-tcp/netns-*; do
		[[ ! -e $record || ${NETNS_PATH[${record##*-}]-} ]] || remove_file "$record" || :
	done
}

enter_named_netns() { # of --netns, for one command that reads
	[[ ${OPT[--netns]} != all ]] || die 2 'default prints one default, not all' 'ndmctl netns list'
	list_netns
	find_netns "${OPT[--netns]}"
	enter_netns "$REPLY" || die 1 "the network namespace ${OPT[--netns]} has just ended" 'ndmctl netns list'
	[[ ! $NETNS || $EUID == 0 || $ROOT ]] || die 4 'the default of another network namespace is for root to see' "sudo ndmctl $COMMAND_LINE"
}

netns_list() { # the command "netns list"
	local id default command
	list_netns
	[[ $FORMAT != text ]] || print_netns_row ID DEFAULT PID COMMAND NAMES
	NETNS_ROWS=''
	for id in ${NETNS_LIST[@]+"${NETNS_LIST[@]}"}; do
		netns_default "$id" || REPLY=''
		default=$REPLY
		read_value "$ROOT/proc/${NETNS_PID[$id]-}/comm" || :
		command=$REPLY
		"add_netns_$FORMAT" "$id" "$default" "${NETNS_PID[$id]-}" "$command" "${NETNS_NAMES[$id]-}"
	done
	[[ $FORMAT != json ]] || printf '{"schema":1,"command":"netns list","namespaces":[%s]}\n' "$NETNS_ROWS"
	[[ $EUID == 0 || $ROOT ]] || say "note: those of other users' processes, and all defaults but your own, are for root: sudo ndmctl netns list"
}

print_netns_row() { printf '%-11s %-10s %8s %-16s %s\n' "$@"; }

add_netns_text() { # ID DEFAULT PID COMMAND NAMES, as the other two
	local cell row=()
	for cell in "${@:1:4}" "${5//\// }"; do
		printable "${cell:--}"
		row+=("$SHOWN")
	done
	print_netns_row "${row[@]}"
}

add_netns_plain() {
	local row
	printf -v row '%s\t' "${@//[[:cntrl:]]/?}"
	printf '%s\n' "${row%$'\t'}"
}

add_netns_json() {
	local name names='' row own=''
	[[ $1 != "$NETNS_OWN" ]] || own=yes
	json_pairs id "$1" default "$2" pid "$3"
	row=$REPLY
	REPLY=null
	[[ ! $4 ]] || json_str "$4"
	row+=",\"command\":$REPLY"
	while IFS= read -r -d / name; do
		json_str "$name"
		names+="${names:+,}$REPLY"
	done <<<"$5${5:+/}"
	json_bool "$own"
	NETNS_ROWS+="${NETNS_ROWS:+,}{$row,\"names\":[$names],\"own\":$REPLY}"
}
