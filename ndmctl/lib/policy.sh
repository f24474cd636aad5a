# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# policy.sh: which cgroup has which algorithm: the record of it, and what the configuration wants.
#
# /run/ndm-tcp/cgroups   lines NAME ORIGIN INODE PATH, tab-separated, for every user to read. ORIGIN is runtime, config, or
#                        unit for what a running unit got at once (its next start gets it from systemd, and no line).
#                        INODE is that of the cgroup's directory: a cgroup made anew under the same path has lost its policy.

POLICY_PATHS=() POLICY_NAMES=() POLICY_ORIGINS=() POLICY_INODES=()
declare -A INODE=()

read_policies() { # the record, into POLICY_*
	local name origin inode path
	POLICY_PATHS=() POLICY_NAMES=() POLICY_ORIGINS=() POLICY_INODES=()
	[[ -r $ROOT/run/ndm-tcp/cgroups ]] || return 0
	while IFS=$'\t' read -r name origin inode path; do
		if ! name_problem "$name" && [[ $path == /* && $inode =~ ^[0-9]+$ ]]; then
			POLICY_PATHS+=("$path") POLICY_NAMES+=("$name") POLICY_ORIGINS+=("$origin") POLICY_INODES+=("$inode")
		fi
	done <"$ROOT/run/ndm-tcp/cgroups"
}

read_inodes() { # of the directories of all recorded cgroups that exist, into INODE[PATH]; one program for all
	local inode dir dirs=()
	INODE=()
	read_mounts
	[[ $CGROUP_ROOT ]] || return 0
	for dir in ${POLICY_PATHS[@]+"${POLICY_PATHS[@]}"}; do dirs+=("$CGROUP_ROOT$dir"); done
	((${#dirs[@]})) || return 0
	while read -r inode dir; do
		dir=${dir#"$CGROUP_ROOT"}
		INODE[${dir:-/}]=$inode
	done < <(stat -c '%i %n' -- "${dirs[@]}" 2>/dev/null)
}

find_policy() { # PATH: its index in the record into REPLY
	for REPLY in "${!POLICY_PATHS[@]}"; do
		[[ ${POLICY_PATHS[REPLY]} != "$1" ]] || return 0
	done
	REPLY=''
	return 1
}

policy_state() { # INDEX, after read_inodes: active, lost (made anew since) or gone, into REPLY
	local inode=${INODE[${POLICY_PATHS[$1]}]-}
	if [[ ! $inode ]]; then REPLY=gone
	elif [[ $inode != "${POLICY_INODES[$1]}" ]]; then REPLY=lost
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

record_policy() { # PATH [NAME ORIGIN INODE]: without NAME the policy goes
	local i text=''
	read_policies
	for i in "${!POLICY_PATHS[@]}"; do
		[[ ${POLICY_PATHS[i]} == "$1" ]] ||
			text+="${POLICY_NAMES[i]}"$'\t'"${POLICY_ORIGINS[i]}"$'\t'"${POLICY_INODES[i]}"$'\t'"${POLICY_PATHS[i]}"$'\n'
	done
	[[ ! ${2-} ]] || text+="$2"$'\t'"$3"$'\t'"$4"$'\t'"$1"$'\n'
	[[ $text || -e $ROOT/run/ndm-tcp/cgroups ]] || return 0
	if [[ $text ]]; then replace_value "$ROOT/run/ndm-tcp/cgroups" "${text%$'\n'}"
	else remove_file "$ROOT/run/ndm-tcp/cgroups"; fi ||
		die 1 "cannot write $ROOT/run/ndm-tcp/cgroups: $WRITE_ERROR" "df $ROOT/run"
}

set_policy() { # PATH NAME ORIGIN: attached and recorded
	local dir=$CGROUP_ROOT$1 inode
	attach_program "$dir" "$2"
	inode=$(stat -c %i -- "$dir" 2>/dev/null) || die 1 "the cgroup $1 is gone" 'ndmctl cgroup list'
	read_policies
	if find_policy "$1" && [[ ${POLICY_NAMES[REPLY]} == "$2" && ${POLICY_INODES[REPLY]} == "$inode" && ${POLICY_ORIGINS[REPLY]} == "$3" ]]; then
		[[ $CHANGED ]] || tell_already "$1 has $2"
		return 0
	fi
	record_policy "$1" "$2" "$3" "$inode"
}

clear_policy() { # PATH: detached, if it still exists, and forgotten
	detach_ours "$CGROUP_ROOT$1"
	record_policy "$1"
}

drop_unused_programs() { # after a change is complete: those that no cgroup and no unit names any more
	local dir name used=' '
	forget_restarted_units
	read_policies
	list_unit_files
	for name in ${POLICY_NAMES[@]+"${POLICY_NAMES[@]}"} ${UNIT_NAMES[@]+"${UNIT_NAMES[@]}"}; do used+="$name "; done
	for dir in "$PINS"/cc/*/; do
		dir=${dir%/}
		[[ -d $dir && $used != *" ${dir##*/} "* ]] || continue
		drop_programs "${dir##*/}"
	done
	keep_changes
}

forget_restarted_units() {
	local i path paths=()
	read_policies
	[[ " ${POLICY_ORIGINS[*]-} " == *' unit '* ]] || return 0
	read_inodes
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		[[ ${POLICY_ORIGINS[i]} != unit || $REPLY == active ]] || paths+=("${POLICY_PATHS[i]}")
	done
	for path in ${paths[@]+"${paths[@]}"}; do record_policy "$path"; done
}

# What the configuration wants: read by config.sh, applied here.

apply_policies() { # of the configuration: what it no longer names goes, then what it names comes; the others stay
	local i failed=0 wanted_paths=$'\n' path unwanted=()
	((${#WANTED_TARGETS[@]})) || has_applied_policies || has_unit_files || return 0
	require_bpf
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} != CGROUP || ${WANTED_NAMES[i]} == no ]] || wanted_paths+="${WANTED_TARGETS[i]}"$'\n'
	done
	read_policies
	for i in "${!POLICY_PATHS[@]}"; do
		[[ ${POLICY_ORIGINS[i]} != config || $wanted_paths == *$'\n'"${POLICY_PATHS[i]}"$'\n'* ]] || unwanted+=("${POLICY_PATHS[i]}")
	done
	for path in ${unwanted[@]+"${unwanted[@]}"}; do clear_policy "$path"; done
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_KINDS[i]} == CGROUP && ${WANTED_NAMES[i]} != no ]] || continue
		apply_policy "$i" || failed=$((failed + 1))
	done
	apply_units || failed=$((failed + REPLY))
	keep_changes
	drop_unused_programs
	((failed == 0)) || die 1 "$failed of the configured policies could not be applied, the others were" 'see the lines above; then: ndmctl reload'
}

has_applied_policies() { [[ -e $ROOT/run/ndm-tcp/cgroups ]]; }

apply_policy() { # INDEX of what is wanted; a cgroup that is not there yet is no failure
	local path=${WANTED_TARGETS[$1]} name=${WANTED_NAMES[$1]}
	if [[ ! -e $CGROUP_ROOT$path/cgroup.procs ]]; then
		say "note: there is no cgroup $path now (${WANTED_ORIGINS[$1]}); ndmctl reload applies it when there is; for a service or slice use UNIT="
		return 0
	fi
	find_policy_of_others "$path" && return 0
	local rc=0
	(set_wanted "$path" "$name") || rc=$?
	case $rc in
	0) ;;
	10) CHANGED=yes ;;
	*) warn "${WANTED_ORIGINS[$1]}: CGROUP=$path:$name is not applied"; return 1 ;;
	esac
}

find_policy_of_others() { # PATH: an administrator's own policy wins over the configuration until it is cleared
	read_policies
	find_policy "$1" && [[ ${POLICY_ORIGINS[REPLY]} == runtime ]] || return 1
	read_inodes
	policy_state "$REPLY"
	[[ $REPLY == active ]]
}

diff_policies() { # wanted and not so, so and no longer wanted: a line each, for config diff
	local i index live
	read_policies
	read_inodes
	list_unit_files
	for i in "${!WANTED_TARGETS[@]}"; do
		[[ ${WANTED_NAMES[i]} != no ]] || continue
		live=none
		if [[ ${WANTED_KINDS[i]} == CGROUP ]] && find_policy "${WANTED_TARGETS[i]}"; then
			index=$REPLY
			policy_state "$index"
			live=${POLICY_NAMES[index]}
			[[ $REPLY == active ]] || live=$REPLY
		elif [[ ${WANTED_KINDS[i]} == UNIT ]]; then live_unit_policy "${WANTED_TARGETS[i]}"; live=$REPLY; fi
		[[ $live == "${WANTED_NAMES[i]}" ]] || print_difference "${WANTED_KINDS[i]}=${WANTED_TARGETS[i]}" "${WANTED_NAMES[i]}" "$live"
	done
	for index in "${!POLICY_PATHS[@]}"; do
		if [[ ${POLICY_ORIGINS[index]} != config ]] || find_wanted CGROUP "${POLICY_PATHS[index]}"; then continue; fi
		print_difference "CGROUP=${POLICY_PATHS[index]}" no "${POLICY_NAMES[index]}"
	done
	for index in "${!UNIT_TARGETS[@]}"; do
		if [[ ${UNIT_ORIGINS[index]} != config ]] || is_wanted_unit "${UNIT_TARGETS[index]}"; then continue; fi
		print_difference "UNIT=${UNIT_TARGETS[index]}" no "${UNIT_NAMES[index]}"
	done
}

# One policy that cannot be applied undoes itself and leaves the others alone; so each has a shell of its own.
set_wanted() { # PATH NAME: ends with 10 when that changed something
	trap undo_on_exit EXIT
	UNDO_PATH=() UNDO_TEXT=() LOADED_HERE=() CHANGED=''
	ensure_registered "$2"
	set_policy "$1" "$2" config
	keep_changes
	[[ ! $CHANGED ]] || exit 10
}

list_recorded_dirs() { # cgroups that have a program of ours by what we know, into REPLY_LIST
	local path dirs=()
	read_policies
	for path in ${POLICY_PATHS[@]+"${POLICY_PATHS[@]}"}; do dirs+=("$CGROUP_ROOT$path"); done
	list_unit_files
	for path in ${UNIT_TARGETS[@]+"${UNIT_TARGETS[@]}"}; do
		! read_unit "$path" || [[ ! ${UNIT_PROPERTY[ControlGroup]-} ]] || dirs+=("$CGROUP_ROOT${UNIT_PROPERTY[ControlGroup]}")
	done
	REPLY_LIST=(${dirs[@]+"${dirs[@]}"})
}

remove_policies() { # for the end of the service and of the package: every program of ours, whoever attached it
	local dir dirs name
	read_mounts
	if [[ $CGROUP_ROOT ]] && find_bpftool; then
		if can_ask; then list_attached_dirs; else list_recorded_dirs; fi
		dirs=(${REPLY_LIST[@]+"${REPLY_LIST[@]}"})
		for dir in ${dirs[@]+"${dirs[@]}"}; do detach_ours "$dir"; done
	elif [[ -e $ROOT/run/ndm-tcp/cgroups || -d $PINS ]]; then
		say 'note: without bpftool the policies of cgroups stay; apt install bpftool && ndmctl service stop'
	fi
	for name in cgroups programs; do remove_file "$ROOT/run/ndm-tcp/$name" || :; done
	[[ ! -d $PINS || $DRY_RUN ]] || rm -rf "$PINS" 2>/dev/null || say "note: $PINS stays"
	keep_changes
}

check_policies() { # for doctor: what policies of cgroups need, and whether those that were set are still so
	local i lost=''
	read_policies
	list_unit_files
	read_inodes
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		printable "${POLICY_PATHS[i]}"
		[[ ${POLICY_ORIGINS[i]} == unit || $REPLY == active ]] || lost+="${lost:+, }$SHOWN"
	done
	if ((${#POLICY_PATHS[@]} + ${#UNIT_TARGETS[@]} + ${#WANTED_TARGETS[@]} == 0)); then report ok 'no cgroup and no unit has a policy'
	elif [[ ! $CGROUP_ROOT ]]; then report fail 'policies are wanted, and no cgroup2 hierarchy is mounted' 'mount -t cgroup2 none /sys/fs/cgroup/unified'
	elif ! find_bpftool; then report fail 'policies are wanted, and bpftool is not installed' 'apt install bpftool'
	elif [[ ! $BPF_MOUNTED ]]; then report fail 'policies are wanted, and /sys/fs/bpf is not mounted' 'mount -t bpf bpf /sys/fs/bpf'
	elif [[ $lost ]]; then report warn "cgroups that have lost their policy, being made anew or gone: $lost" 'ndmctl cgroup list'
	elif [[ ! -e $ROOT/sys/kernel/btf/vmlinux ]]; then report warn 'this kernel gives no type information (BTF): the outermost policy wins, over applications too' 'ndmctl cgroup list'
	else report ok "${#POLICY_PATHS[@]} cgroup(s) and ${#UNIT_TARGETS[@]} unit(s) have a policy"; fi
}
