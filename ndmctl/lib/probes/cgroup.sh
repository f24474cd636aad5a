# SPDX-License-Identifier: GPL-2.0
# cgroup.sh: cgroups, and the BPF programs that are attached to them.
#
# bpftool's JSON has four forms, each parsed by one pattern that matches JSON strings; the kernel allows only letters,
# digits,
# _ and . in the name of a program. A parser such as jq would be another dependency, and a helper in C would make the
# packages depend on the architecture.

needs probes/environment probes/packages

BPFTOOL='' CGROUP_ROOT='' BPF_MOUNTED='' PINS='' CGROUP=''
ANSWERED=''    # of can_ask: yes or no

read_mounts() { # sets CGROUP_ROOT to where cgroup2 is mounted and BPF_MOUNTED when bpffs is in its place
	local root target rest
	CGROUP_ROOT='' BPF_MOUNTED=''
	while read -r _ _ _ root target rest; do
		case $rest in
		*' - cgroup2 '*) [[ $CGROUP_ROOT || $root != / ]] || printf -v CGROUP_ROOT '%s%b' "$SYSTEM" "${target//\\/\\0}" ;;
		*' - bpf '*) [[ $target != /sys/fs/bpf ]] || BPF_MOUNTED=yes ;;
		esac
	done 2>/dev/null <"$SYSTEM/proc/self/mountinfo" || :
	PINS=$SYSTEM/sys/fs/bpf/ndm
}

require_cgroups() {
	read_mounts
	[[ $CGROUP_ROOT ]] || ! are_cgroups_hidden ||
		die 5 'the cgroups of this system cannot be seen from here, as below ip netns exec' \
		"nsenter -t 1 -m -C ndmctl $COMMAND_LINE"
	[[ $CGROUP_ROOT ]] || die 5 'no cgroup2 hierarchy is mounted here, and cgroup v1 has no such policies' \
		'boot with systemd.unified_cgroup_hierarchy=1, or: mount -t cgroup2 none /sys/fs/cgroup/unified'
}

# in another mount namespace, or in another cgroup namespace, than those of process 1, where they can be seen
are_cgroups_hidden() {
	local REPLY
	read_file "$SYSTEM/proc/1/mountinfo" && [[ $REPLY == *' - cgroup2 '* ]]
}

find_bpftool() { # sets BPFTOOL; Ubuntu has a script of that name, which may find no program for the running kernel
	local program start=''
	if [[ $BPFTOOL ]]; then return 0; fi
	for program in bpftool "$SYSTEM"/usr/lib/linux-tools/*/bpftool; do
		has_tool "$program" || continue
		IFS= read -r -n 2 start <"$(type -P "$program")" || :
		if [[ $start == $'\x7fE' ]] || tool "$program" version >/dev/null 2>&1; then
			BPFTOOL=$program
			return 0
		fi
	done
	return 1
}

bpftool_command() { # into REPLY: Ubuntu has it in another package
	install_command bpftool linux-tools-common
}

require_bpf() { # before the first change
	require_cgroups
	require_bpffs
	[[ $DRY_RUN ]] || require_answers
}

require_answers() {
	can_ask || die 5 'to see which BPF programs are attached is not permitted to this process (no CAP_SYS_ADMIN)' \
		'run ndmctl as root, outside of any container or sandbox'
}

is_bpffs_hidden() { # after read_mounts: another mount namespace than that of process 1, which has it
	local REPLY
	[[ ! $BPF_MOUNTED ]] && read_file "$SYSTEM/proc/1/mountinfo" && [[ $REPLY =~ ' /sys/fs/bpf '[^$'\n']*' - bpf ' ]]
}

require_bpffs() {
	! find_bpffs_obstacle || die 5 "$CAUSE" "${HINT[@]}"
	refuse_pins_of_others
}

# what keeps any program from being loaded and pinned, into CAUSE and HINT; fails when nothing does
find_bpffs_obstacle() {
	read_mounts
	if is_bpffs_hidden; then CAUSE='the BPF file system of this system cannot be seen from here, as below ip netns exec' \
		HINT=("nsenter -t 1 -m -C ndmctl $COMMAND_LINE")
	elif ! find_bpftool; then CAUSE='the program bpftool is not installed, or not for this kernel' HINT=(bpftool_command)
	elif [[ ! $BPF_MOUNTED ]]; then CAUSE='no BPF file system is mounted at /sys/fs/bpf' \
		HINT=('mount -t bpf -o mode=0700 bpf /sys/fs/bpf')
	else return 1; fi
}

are_pins_of_others() { ((USER_ID == 0)) && [[ -L $PINS || (-e $PINS && ! -O $PINS) ]]; }

refuse_pins_of_others() { # on a BPF file system mounted without mode=0700 every user can create pins
	! are_pins_of_others ||
		die 1 "$PINS belongs to another user, whose programs must not be used" "rm -r $PINS; chmod 700 ${PINS%/*}"
}

refuse_pins_of_host() { # PIN that a container sees, and has not made
	die 5 "$1 is of nobody in this container, by its records: this may be the BPF file system of the host" \
		"run ndmctl on the host; where it is the container's own: rm -r $1"
}

explain_bpf() { # WHAT [DIR of a cgroup]: why bpftool failed; its message says little, so look at DIR as well
	local look=${2:+"bpftool cgroup tree ${2@Q} shows other programs there; "}
	case $RUN_ERROR in
	*'not permitted'* | *'ermission denied'*)
		! is_container || die 5 "$1 is not permitted in this container" 'run ndmctl on the host'
		die 5 "$1 is not permitted, by lockdown, a security module or a sandbox${2:+, or the program of a parent cgroup}" \
			"${look}cat /sys/kernel/security/lsm /sys/kernel/security/lockdown" ;;
	esac
	shown "${RUN_ERROR##*$'\n'}" 200
	die 1 "$1 failed: $SHOWN" "${look}bpftool prog show; dmesg | tail"
}

parse_attached() { # JSON of bpftool: lines ID NAME FLAGS of the sock_ops programs in it
	local json=$1
	local program='\{"id":([0-9]+),"attach_type":"(cgroup_)?sock_ops","attach_flags":"([a-z]*)","name":"([^"]*)"(.*)'
	while [[ $json =~ $program ]]; do
		printf '%s %s %s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[4]:--}" "${BASH_REMATCH[3]:--}"
		json=${BASH_REMATCH[5]}
	done
}

# DIR [PROGRAM]: the ids of our programs in this cgroup, into REPLY_LIST; fails when it is there and bpftool does
list_attached() {
	local json id name
	REPLY_LIST=()
	[[ -d $1 ]] || return 0
	json=$(tool "$BPFTOOL" -j cgroup list "$1" 2>/dev/null) || { [[ ! -d $1 ]]; return; }
	while read -r id name _; do
		[[ $name != "${2-ndm_cc}" ]] || REPLY_LIST+=("$id")
	done < <(parse_attached "$json")
}

require_attached() { # DIR [PROGRAM], as list_attached; in the dry run of a user, who may not ask, there are none
	if [[ $DRY_RUN ]] && ! can_ask; then REPLY_LIST=(); return 0; fi
	require_answers
	list_attached "$@" && return 0
	RUN_ERROR=$(tool "$BPFTOOL" cgroup list "$1" 2>&1 >/dev/null) || :
	[[ $RUN_ERROR != *'not permitted'* && $RUN_ERROR != *'ermission denied'* ]] ||
		explain_bpf "listing the programs of $1" "$1"
	die 1 "bpftool does not list the programs of $1" "bpftool cgroup list ${1@Q}"
}

# The kernel lists attached programs only with CAP_SYS_ADMIN; without it, as in a sandbox, below a profile of AppArmor
# or in a user namespace, bpftool lists none, and says no error. So a program is asked for by number: rights are looked
# at first, so the number does not matter.
can_ask() {
	if [[ ! $ANSWERED ]]; then
		find_bpftool || return 0
		ANSWERED=yes
		[[ $(tool "$BPFTOOL" -j prog show id 1 2>&1) != @(*'not permitted'*|*'ermission denied'*) ]] || ANSWERED=no
	fi
	[[ $ANSWERED == yes ]]
}

# The name of a cgroup contains no line break; printf %b decodes all other escapes of bpftool.
parse_tree() { # JSON of "bpftool cgroup tree": lines ID NAME PATH of the sock_ops programs in it
	local line dir id name
	# Each container has a program for its devices, and there may be thousands: a line for each cgroup, and of these only
	# what matters.
	while IFS= read -r line; do
		[[ $line == *sock_ops* && $line =~ ^(([^\"\\]|\\.)*)\",\"programs\":\[([^]]*)\] ]] || continue
		printf -v dir %b "${BASH_REMATCH[1]//\\\"/\"}"
		while read -r id name _; do printf '%s %s %s\n' "$id" "$name" "$dir"; done < <(parse_attached "${BASH_REMATCH[3]}")
	done < <(printf '%s\n' "$1" | sed 's/{"cgroup":"/\n/g')
}

# Every cgroup of the tree with a program of ndmctl, into REPLY_LIST, by one call. It fails where bpftool does: a user
# may have nested cgroups until their path is too long for it.
list_attached_dirs() {
	local json line
	REPLY_LIST=()
	json=$(tool "$BPFTOOL" -j cgroup tree "$CGROUP_ROOT" 2>/dev/null) || return 1
	while IFS= read -r line; do
		line=${line#* }    # read would take blanks off the end of the name
		[[ $line != 'ndm_cc '* ]] || REPLY_LIST+=("${line#* }")
	done < <(parse_tree "$json")
}

read_counters() { # NAME: set, not registered, not permitted and failed of its program, into REPLY_LIST; root only
	local json
	REPLY_LIST=()
	find_bpftool && json=$(tool "$BPFTOOL" -j map dump pinned "$PINS/cc/$1/ndm_cc_count" 2>/dev/null) || return 1
	while [[ $json =~ \"formatted\":\{\"key\":([0-3]),\"value\":([0-9]+)\}(.*) ]]; do
		REPLY_LIST[BASH_REMATCH[1]]=${BASH_REMATCH[2]}
		json=${BASH_REMATCH[3]}
	done
	((${#REPLY_LIST[@]} == 4))
}

find_cgroup() { # [PATH]: the path that was given, or that of a process, into CGROUP
	require_cgroups
	if [[ -v OPT[--self] ]]; then cgroup_of_process self
	elif [[ -v OPT[--pid] ]]; then
		[[ ${OPT[--pid]} =~ ^[1-9][0-9]{0,9}$ ]] || { shown "${OPT[--pid]}"
		die 2 "--pid $SHOWN: not the number of a process" 'pgrep -a NAME finds it'; }
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
	[[ $1 ]] || die 2 'the path of a cgroup is empty' 'ndmctl cgroup set /system.slice NAME'
	! cgroup_path_problem "$CGROUP" || die 2 "'${1:0:60}': $REPLY" "find $CGROUP_ROOT -type d"
}

cgroup_of_process() { # PID or self
	local line='' path='' who="process $1"
	[[ $1 != self ]] || who='this process'
	[[ -e $SYSTEM/proc/$1 ]] || die 1 "there is no process $1 (any more)" 'pgrep -a NAME finds it'
	while IFS= read -r line; do
		[[ $line != 0::* ]] || path=${line#0::}
	done < <(cat "$SYSTEM/proc/$1/cgroup" 2>/dev/null)
	[[ $path ]] || die 1 "$who has ended, or is in no cgroup2" 'pgrep -a NAME finds it'
	[[ $path != *' (deleted)' ]] || die 1 "$who is ending, its cgroup is gone" 'pgrep -a NAME finds it'
	path=${path%/.control}    # systemd runs the commands of a unit with Delegate= there; use the unit's own cgroup
	[[ $path != / ]] || die 1 "$who is in the root cgroup, which is the whole system" \
		'ndmctl set-default NAME, or, if you mean it: ndmctl cgroup set / NAME'
	name_cgroup "$path"
}

require_cgroup() { # CGROUP must be one
	if [[ -e $CGROUP_ROOT$CGROUP/cgroup.procs ]]; then return 0; fi
	shown "$CGROUP"
	if [[ -e $CGROUP_ROOT$CGROUP ]]; then die 1 "$SHOWN is not a cgroup but a file in one" 'name the directory above'; fi
	die 1 "there is no cgroup $SHOWN" 'systemd-cgls shows the tree; a service: ndmctl unit set NAME.service ALGORITHM'
}
