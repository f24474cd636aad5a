# SPDX-License-Identifier: GPL-2.0
# move-connections.sh: --existing, which gives open connections of a cgroup the algorithm of its policy.
# src/bpf/ndm_move.bpf.c decides about each; reading the pinned iterator runs it, for the network namespace of the
# reader.

needs probes/cgroup probes/netns probes/objects probes/records steps/programs

MOVE_FROM=''    # what the policy before had given them
MOVER=''

prepare_move() { # before the first change: can this kernel do it?
	[[ -v OPT[--existing] ]] || return 0
	MOVER=$PINS/move
	if [[ ! $DRY_RUN ]]; then
		mkdir -p -- "$PINS" 2>/dev/null || die 1 "cannot write to $PINS" 'findmnt /sys/fs/bpf'
		rm -f "$MOVER"
		note_undo_call rm -f "$MOVER"
	fi
	object_path ndm_move
	run "$BPFTOOL" iter pin "$REPLY" "$MOVER" ||
		die 5 'this kernel cannot move open connections; that needs Linux 5.15 with type information (BTF)' \
			'omit --existing and restart the service: its new connections follow the policy'
}

note_policy_before() { # the policy that gave open connections their algorithm, unless an application did
	[[ $MOVER ]] || return 0
	read_policies
	read_inodes
	! nearest_policy "$CGROUP" || MOVE_FROM=${POLICY_NAMES[REPLY]}
}

move_connections() { # NAME, empty for what counts without the policy that was cleared
	local name=$1 namespace moved=0 kept=0 result
	[[ $MOVER ]] || return 0
	read_policies
	read_inodes
	if [[ ! $name ]] && nearest_policy "$CGROUP"; then name=${POLICY_NAMES[REPLY]}; fi
	list_namespaces
	for namespace in "${REPLY_LIST[@]}"; do
		give_orders "$namespace" "$name"
		if [[ $DRY_RUN ]]; then would "move the connections of $CGROUP"; break; fi
		while read -r result; do
			if [[ $result == 0 ]]; then moved=$((moved + 1)); else kept=$((kept + 1)); fi
		done < <(in_namespace "$namespace" cat "$MOVER" 2>/dev/null)
	done
	if [[ ! $DRY_RUN ]]; then
		rm -f "$MOVER"
		((moved == 0)) || CHANGED=yes
		note "$moved open connection(s) moved$( ((kept == 0)) || printf ', %d refused by the kernel' "$kept")"
	fi
}

# PIDs into REPLY_LIST, each in another network namespace: our own (self), and those of the cgroup's processes
list_namespaces() {
	local pid link seen=' '
	REPLY_LIST=(self)
	seen+="$(readlink "$SYSTEM/proc/self/ns/net" 2>/dev/null || :) "
	while read -r pid; do
		link=$(readlink "$SYSTEM/proc/$pid/ns/net" 2>/dev/null) || continue
		[[ $seen != *" $link "* ]] || continue
		seen+="$link "
		REPLY_LIST+=("$pid")
	done < <(find "$CGROUP_ROOT$CGROUP" -name cgroup.procs -exec cat {} + 2>/dev/null)
}

in_namespace() { # PID|self COMMAND...
	local pid=$1
	shift
	if [[ $pid == self ]]; then "$@"; else tool nsenter -t "$pid" -n "$@"; fi
}

give_orders() { # PID NAME: tells the mover about this cgroup, and to leave alone those below with a policy of their own
	local name=$2 i text='' from none
	if [[ ! $name ]]; then name=$(in_namespace "$1" cat "$SYSTEM$SYSCTL" 2>/dev/null) || return 0; fi
	name_bytes "$MOVE_FROM"
	from=$REPLY
	name_bytes ''
	none="$REPLY $REPLY"
	for i in "${!POLICY_PATHS[@]}"; do
		[[ ${POLICY_PATHS[i]} == "${CGROUP%/}"/* && ${INODE[${POLICY_PATHS[i]}]-} ]] || continue
		inode_bytes "${INODE[${POLICY_PATHS[i]}]}"
		text+="map update name ndm_move_order key $REPLY value $none"$'\n'
	done
	inode_bytes "$(stat -c %i -- "$CGROUP_ROOT$CGROUP")"
	text+="map update name ndm_move_order key $REPLY value "
	name_bytes "$name"
	text+="$REPLY $from"
	run "$BPFTOOL" batch file - < <(printf '%s\n' "$text") || explain_bpf 'writing a BPF map'
}

inode_bytes() { # NUMBER as the 8 decimal bytes of a u64 of this machine, into REPLY
	local i swap=''
	is_little_endian || swap=yes
	REPLY=''
	for ((i = 0; i < 8; i++)); do
		if [[ $swap ]]; then REPLY="$(($1 >> 8 * i & 255)) $REPLY"; else REPLY+="$(($1 >> 8 * i & 255)) "; fi
	done
	REPLY=${REPLY% }
}
