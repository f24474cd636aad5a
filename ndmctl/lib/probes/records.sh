# SPDX-License-Identifier: GPL-2.0
# records.sh: what ndmctl has written down below /run/ndm-tcp, to find the way back.
#
# default     previous=NAME and set=NAME: the default that was there, and what ndmctl made of it; set=OLD/NEW while
#             it makes NEW of what it had set before, so that a kill amid that loses nothing
# netns-ID    the same for the network namespace with that inode number, when it is not that of process 1
# applied     the DEFAULT that the configuration caused; so that DEFAULT=no undoes that and nothing else
# programs    lines NAME ID KIND SUM of the loaded programs; KIND is nearest, or plain without BTF; SUM is that of the
#             object file
# cgroups     lines NAME ORIGIN INODE PATH, tab-separated, for every user to read. ORIGIN is runtime, config, or unit
#             for what a running unit has by its drop-in (a line of a unit that has ended is forgotten). INODE is that
#             of the cgroup's directory: a cgroup that was created again has lost its policy
# metrics     the number of the program that counts connections, and the sum of the object file
# removing    the packages are being removed: until then a unit that starts gets no program, and loads no module
# bpf/        what stands for /sys/module/tcp_ndm where BPF carries the algorithms: version, parameters/NAME; sums of
#             the objects; complete, written last, so that a kill before it is seen
# routes      of each route that ndmctl changed: NETNS FAMILY TABLE METRIC DEST, a tab, the congctl that it set (OLD/NEW
#             as above), a tab, the one that was there, - for none

needs probes/cgroup probes/netns

RECORDS=$SYSTEM/run/ndm-tcp
PREVIOUS='' SET_HERE=''
PROGRAM='' KIND=''
POLICY_PATHS=() POLICY_NAMES=() POLICY_ORIGINS=() POLICY_INODES=()
declare -gA INODE=() DETACHED=()
declare -gA ROUTE_SET=() ROUTE_BEFORE=()

read_record() { # sets PREVIOUS and SET_HERE, both empty when ndmctl changed nothing; fails when it is damaged
	local key value file=$RECORDS/$RECORD
	PREVIOUS='' SET_HERE=''
	[[ -f $file && -r $file ]] || return 0
	while IFS='=' read -r key value; do
		case $key in
		previous) PREVIOUS=$value ;;
		set) SET_HERE=$value ;;
		esac
	done <"$file"
	if name_problem "$PREVIOUS" || name_problem "${SET_HERE%%/*}" || name_problem "${SET_HERE#*/}"; then
		warn "$file is damaged and ignored"
		PREVIOUS='' SET_HERE=''
		return 1
	fi
}

is_set_by_us() { # NAME SET of a record
	[[ $1 && /$2/ == */"$1"/* ]]
}

read_program() { # NAME: sets PROGRAM to the id of its instance and KIND
	local name
	PROGRAM='' KIND=''
	[[ -r $RECORDS/programs ]] || return 1
	while read -r name PROGRAM KIND _; do
		[[ $name != "$1" ]] || return 0
	done <"$RECORDS/programs"
	PROGRAM='' KIND=''
	return 1
}

read_policies() { # the record, into POLICY_*
	local name origin inode path
	POLICY_PATHS=() POLICY_NAMES=() POLICY_ORIGINS=() POLICY_INODES=()
	if [[ ! -r $RECORDS/cgroups ]] || is_gone "$RECORDS/cgroups"; then return 0; fi
	while IFS=$'\t' read -r name origin inode path; do
		if ! name_problem "$name" && [[ $path == /* && $inode =~ ^[0-9]+$ ]] && ! is_gone "$path"; then
			POLICY_PATHS+=("$path") POLICY_NAMES+=("$name") POLICY_ORIGINS+=("$origin") POLICY_INODES+=("$inode")
		fi
	done <"$RECORDS/cgroups"
}

# of the directories of all recorded cgroups that exist, into INODE[PATH]; they may be too many for one command line
read_inodes() {
	local inode dir dirs=() line
	INODE=() DETACHED=()
	read_mounts
	[[ $CGROUP_ROOT ]] || return 0
	for dir in "${POLICY_PATHS[@]}"; do dirs+=("$CGROUP_ROOT$dir"); done
	((${#dirs[@]})) || return 0
	while IFS= read -r line; do
		inode=${line%% *} dir=${line#* }    # read would take blanks off its end
		dir=${dir#"$CGROUP_ROOT"}
		INODE[${dir:-/}]=$inode
	done < <(printf '%s\0' "${dirs[@]}" | xargs -0 stat -c '%i %n' -- 2>/dev/null)
}

find_policy() { # PATH: its index in the record into REPLY
	for REPLY in "${!POLICY_PATHS[@]}"; do
		[[ ${POLICY_PATHS[REPLY]} != "$1" ]] || return 0
	done
	REPLY=''
	return 1
}

# What read_inodes reads, and for those who may ask the kernel, into DETACHED[PATH], the cgroups whose program
# somebody has detached.
read_states() {
	local i path there=$'\n'
	read_inodes
	if ((USER_ID != 0 || ${#POLICY_PATHS[@]} == 0)) || [[ ! $CGROUP_ROOT ]] || ! can_ask || ! find_bpftool; then
		return 0; fi
	if list_attached_dirs; then for path in "${REPLY_LIST[@]}"; do there+=$path$'\n'; done; fi
	for i in "${!POLICY_PATHS[@]}"; do
		path=$CGROUP_ROOT${POLICY_PATHS[i]}
		policy_state "$i"
		if [[ $REPLY != active || $there == *$'\n'"${path%/}"$'\n'* ]]; then continue; fi
		# a tree that bpftool could not list says nothing
		! list_attached "$path" || ((${#REPLY_LIST[@]})) || DETACHED[${POLICY_PATHS[i]}]=yes
	done
}

# INDEX, after read_inodes: active, lost (see the manual), gone, or unknown where no cgroup can be seen, into REPLY
policy_state() {
	local inode=${INODE[${POLICY_PATHS[$1]}]-}
	if [[ ! $CGROUP_ROOT ]]; then REPLY=unknown
	elif [[ ! $inode ]]; then REPLY=gone
	elif [[ $inode != "${POLICY_INODES[$1]}" || ${DETACHED[${POLICY_PATHS[$1]}]-} ]]; then REPLY=lost
	else REPLY=active; fi
}

nearest_policy() { # PATH: index of the active policy that counts there, into REPLY
	local path=$1
	while :; do
		if find_policy "$path"; then
			local index=$REPLY
			policy_state "$index"
			if [[ $REPLY == active ]]; then REPLY=$index; return 0; fi
		fi
		[[ $path != / ]] || break
		path=${path%/*}
		path=${path:-/}
	done
	REPLY=''
	return 1
}

is_recorded() { # DIR NAME: does the record say that this very cgroup has this program?
	local inode
	inode=$(stat -c %i -- "$1" 2>/dev/null) || return 1
	read_policies
	find_policy "${1#"$CGROUP_ROOT"}" && [[ ${POLICY_NAMES[REPLY]} == "$2" && ${POLICY_INODES[REPLY]} == "$inode" ]]
}

find_policy_of_others() { # PATH: an administrator's own policy wins over the configuration until it is cleared
	read_policies
	find_policy "$1" && [[ ${POLICY_ORIGINS[REPLY]} == runtime ]] || return 1
	local index=$REPLY
	read_states
	REPLY=$index
	policy_state "$REPLY"
	[[ $REPLY == active ]]
}
