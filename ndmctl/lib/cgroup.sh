# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2153  # names shared with the other files
# cgroup.sh: the command cgroup.

cgroup_path_problem() { # PATH below the cgroup2 root: as name_problem
	REPLY=''
	if [[ $1 != /* ]]; then REPLY='a cgroup is named by its path below the cgroup2 root, which begins with /'
	elif [[ $1 == *[[:cntrl:]]* ]]; then REPLY='control character in the path of a cgroup'
	elif [[ /$1/ == */../* || /$1/ == */./* ]]; then REPLY='the path of a cgroup has no . or .., it must not leave the tree'
	elif [[ $1 == *//* || $1 == ?*/ ]]; then REPLY='empty name in the path of a cgroup'
	elif ((${#1} > 4000)); then REPLY="path of ${#1} characters, the most is 4000"; fi
	[[ $REPLY ]]
}

cmd_cgroup() {
	local word=$1 least=1 most=1 option takes=''
	shift
	require_word cgroup "$word"
	case $word in
	set) takes='--self --pid --persist --existing' least=2 most=2 ;;
	clear) takes='--self --pid --persist --existing' ;;
	show) takes='--self --pid' ;;
	list) least=0 most=0 ;;
	esac
	for option in --self --pid --persist --existing; do
		[[ ! -v OPT[$option] || " $takes " == *" $option "* ]] || die 2 "cgroup $word takes no option $option" 'ndmctl help cgroup'
	done
	[[ ! -v OPT[--self] || ! -v OPT[--pid] ]] || die 2 '--self and --pid exclude each other' 'choose one of them'
	if [[ -v OPT[--self] || -v OPT[--pid] ]]; then least=$((least - 1)) most=$((most - 1)); fi
	(($# >= least)) || die 2 "cgroup $word needs $((least - $#)) more word(s)" 'ndmctl help cgroup'
	(($# <= most)) || die 2 "cgroup $word: one word too many: '${*: -1}'" 'ndmctl help cgroup'
	"cgroup_$word" "$@"
}

find_cgroup() { # [PATH]: the path that was given, or that of a process, into CGROUP
	require_cgroups
	if [[ -v OPT[--self] ]]; then cgroup_of_process self
	elif [[ -v OPT[--pid] ]]; then
		[[ ${OPT[--pid]} =~ ^[1-9][0-9]{0,9}$ ]] || { printable "${OPT[--pid]}"; die 2 "--pid $SHOWN: not the number of a process" 'pgrep -a NAME finds it'; }
		cgroup_of_process "${OPT[--pid]}"
	else
		name_cgroup "$1"
	fi
}

name_cgroup() { # PATH as it may be given: /a/b, a/b or the directory itself
	CGROUP=${1%"${1##*[!/]}"}
	CGROUP=/${CGROUP#/}
	if [[ $CGROUP == "$CGROUP_ROOT" || $CGROUP == "$CGROUP_ROOT"/* ]]; then
		CGROUP=${CGROUP#"$CGROUP_ROOT"}
		CGROUP=${CGROUP:-/}
	fi
	printable "$1"
	[[ $1 ]] || die 2 'the path of a cgroup is empty' 'ndmctl cgroup set /system.slice NAME'
	! cgroup_path_problem "$CGROUP" || die 2 "'$SHOWN': $REPLY" "find $CGROUP_ROOT -type d"
}

cgroup_of_process() { # PID or self
	local line='' path='' who="process $1"
	[[ $1 != self ]] || who='this process'
	[[ -e $ROOT/proc/$1 ]] || die 1 "there is no process $1 (any more)" 'pgrep -a NAME finds it'
	while IFS= read -r line; do
		[[ $line != 0::* ]] || path=${line#0::}
	done < <(cat "$ROOT/proc/$1/cgroup" 2>/dev/null)
	[[ $path ]] || die 1 "$who has ended, or is in no cgroup2" 'pgrep -a NAME finds it'
	[[ $path != *' (deleted)' ]] || die 1 "$who is ending, its cgroup is gone" 'pgrep -a NAME finds it'
	path=${path%/.control}    # where systemd runs the commands of a unit with Delegate=; the unit itself is meant
	[[ $path != / ]] || die 1 "$who is in the root cgroup, which is the whole system" 'ndmctl set-default NAME, or with intent: ndmctl cgroup set / NAME'
	name_cgroup "$path"
}

require_cgroup() { # CGROUP must be one
	[[ ! -e $CGROUP_ROOT$CGROUP/cgroup.procs ]] || return 0
	printable "$CGROUP"
	[[ ! -e $CGROUP_ROOT$CGROUP ]] || die 1 "$SHOWN is no cgroup, only a file in one" 'name the directory above'
	die 1 "there is no cgroup $SHOWN" 'systemd-cgls shows the tree; a service: ndmctl unit set NAME.service ALGORITHM'
}

cgroup_set() { # [PATH] NAME
	local name=${*: -1}
	if [[ $name == default ]]; then
		set -- "${@:1:$#-1}"
		cgroup_clear "$@"
		return
	fi
	require_name "$name"
	find_cgroup "$@"
	require_cgroup
	require_config
	require_bpf
	lock_state
	plan_cgroup "$name"
	ensure_registered "$name"
	prepare_move
	stage_drop_in
	note_policy_before
	set_policy "$CGROUP" "$name" "$(origin_of "$name")"
	move_connections "$name"
	publish_drop_in
	drop_unused_programs
	[[ ! -v OPT[--persist] ]] || note_unit
}

origin_of() { # NAME: whose policy it is: what the configuration wants as well is its own
	if find_wanted CGROUP "$CGROUP" && [[ ${WANTED_NAMES[REPLY]} == "$1" ]]; then printf config; else printf runtime; fi
}

plan_cgroup() { # NAME, empty to remove the line
	PLANNED=''
	[[ -v OPT[--persist] ]] || return 0
	[[ $CGROUP != *[!\ -~]* && $CGROUP != *' ' ]] || die 2 'a cgroup whose name is not plain ASCII cannot stand in a configuration file' 'leave --persist away'
	plan_drop_in CGROUP "${1:+$CGROUP:$1}" "$CGROUP"
	require_config
}

cgroup_clear() { # [PATH]; a cgroup that is gone can still be forgotten
	find_cgroup "$@"
	read_policies
	find_policy "$CGROUP" || require_cgroup
	require_config
	require_bpf
	lock_state
	plan_cgroup ''
	prepare_move
	stage_drop_in
	note_policy_before
	local before=$CHANGED
	clear_policy "$CGROUP"
	[[ $CHANGED != "$before" ]] || tell_already "$CGROUP has no policy"
	move_connections ''
	publish_drop_in
	drop_unused_programs
	if find_wanted CGROUP "$CGROUP"; then
		say "note: ${WANTED_ORIGINS[REPLY]} still wants ${WANTED_NAMES[REPLY]} there, which ndmctl reload applies; ndmctl cgroup clear --persist removes the line of ndmctl, CGROUP=$CGROUP:no overrides another"
	fi
}

cgroup_list() {
	local i name='' state out=''
	read_policies
	read_inodes
	[[ $FORMAT != text || ${#POLICY_PATHS[@]} -eq 0 ]] || printf '%-8s %-8s %-8s %s\n' CC ORIGIN STATE CGROUP
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		[[ ${POLICY_ORIGINS[i]} != unit || $REPLY == active ]] || continue
		state=$REPLY name=${POLICY_NAMES[i]}
		case $FORMAT in
		json)
			json_pairs cgroup "${POLICY_PATHS[i]}" cc "$name" origin "${POLICY_ORIGINS[i]}" state "$state"
			out+="${out:+,}{$REPLY}" ;;
		plain) printf '%s\t%s\t%s\t%s\n' "${POLICY_PATHS[i]}" "$name" "${POLICY_ORIGINS[i]}" "$state" ;;
		*)
			printable_path "${POLICY_PATHS[i]}"
			printf '%-8s %-8s %-8s %s\n' "$name" "${POLICY_ORIGINS[i]}" "$state" "$REPLY" ;;
		esac
	done
	if [[ $FORMAT == json ]]; then printf '{"schema":1,"command":"cgroup list","policies":[%s]}\n' "$out"
	elif ((${#POLICY_PATHS[@]} == 0)); then say 'no cgroup has a policy of its own; ndmctl unit list shows the units'; fi
}

printable_path() { # PATH in full, safe on a terminal, into REPLY
	REPLY=$1
	[[ $REPLY != *[!\ -~]* ]] || printf -v REPLY '%q' "$1"
}

cgroup_show() { # [PATH]
	local own='' state='' origin='' counts from=default name kind=''
	find_cgroup "$@"
	read_policies
	find_policy "$CGROUP" || require_cgroup
	read_inodes
	if find_policy "$CGROUP"; then
		own=${POLICY_NAMES[REPLY]} origin=${POLICY_ORIGINS[REPLY]}
		policy_state "$REPLY"
		state=$REPLY
	fi
	current_default || :
	name=$REPLY
	if nearest_policy "$CGROUP"; then from=${POLICY_PATHS[REPLY]} name=${POLICY_NAMES[REPLY]}; fi
	! read_program "$name" || kind=$KIND
	counts=(set '' not_registered '' not_permitted '' failed '')
	if [[ $own ]] && read_counters "$own"; then
		counts=(set "${REPLY_LIST[0]}" not_registered "${REPLY_LIST[1]}" not_permitted "${REPLY_LIST[2]}" failed "${REPLY_LIST[3]}")
	fi
	set -- cgroup "$CGROUP" policy "$own" origin "$origin" state "$state" cc "$name" from "$from" program "$kind" "${counts[@]}"
	case $FORMAT in
	json)
		json_pairs schema 1 command 'cgroup show' "$@"
		printf '{%s}\n' "$REPLY" ;;
	plain) printf '%s\t%s\n' "$@" ;;
	*) show_cgroup_text "$@" ;;
	esac
}

show_cgroup_text() { # NAME VALUE...
	printable_path "$2"
	print_row cgroup "$REPLY"
	print_row policy "${4:-none}${6:+    ($6, $8)}"
	printable_path "${12}"
	print_row new "connections get ${10}, from ${REPLY/#default/the default}"
	[[ ${14} != plain ]] || print_row program 'without type information of the kernel (BTF): the outermost policy wins, over applications too'
	[[ ! ${16} ]] || print_row since\ set "${16} connections switched to $4 in all its cgroups; refused: ${18} not registered, ${20} not permitted, ${22} otherwise"
}
