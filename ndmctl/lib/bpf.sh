# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # SC2034: names set here are used by the other files
# bpf.sh: the BPF programs that carry a choice. src/bpf says what they do; this file loads, pins, attaches and detaches them.
#
# /sys/fs/bpf/ndm/cc/NAME/   one loaded instance of ndm_cc for each algorithm: prog and its maps
# /run/ndm-tcp/programs      lines NAME ID KIND, so that nobody asks the kernel again; KIND is nearest, or plain without BTF
# bpffs takes no dot in a name, hence the names without one.

BPFTOOL=''

read_mounts() { # sets CGROUP_ROOT to where cgroup2 is mounted and BPF_MOUNTED when bpffs is in its place
	local root target rest
	CGROUP_ROOT='' BPF_MOUNTED=''
	while read -r _ _ _ root target rest; do
		case $rest in
		*' - cgroup2 '*) [[ $CGROUP_ROOT || $root != / ]] || printf -v CGROUP_ROOT '%s%b' "$ROOT" "${target//\\/\\0}" ;;
		*' - bpf '*) [[ $target != /sys/fs/bpf ]] || BPF_MOUNTED=yes ;;
		esac
	done 2>/dev/null <"$ROOT/proc/self/mountinfo" || :
	PINS=$ROOT/sys/fs/bpf/ndm
}

require_cgroups() {
	read_mounts
	[[ $CGROUP_ROOT ]] || die 5 'no cgroup2 hierarchy is mounted here: this system has cgroup v1 only, which knows no such policies' \
		'boot with systemd.unified_cgroup_hierarchy=1, or: mount -t cgroup2 none /sys/fs/cgroup/unified'
}

find_bpftool() { # sets BPFTOOL; Ubuntu has a script of that name, which may find no program for the running kernel
	local program start=''
	[[ ! $BPFTOOL ]] || return 0
	for program in bpftool "$ROOT"/usr/lib/linux-tools/*/bpftool; do
		has_tool "$program" || continue
		[[ $ROOT ]] || IFS= read -r -n 2 start <"$(type -P "$program")" || :
		if [[ $start == $'\x7fE' ]] || tool "$program" version >/dev/null 2>&1; then
			BPFTOOL=$program
			return 0
		fi
	done
	return 1
}

require_bpf() { # before the first change
	require_cgroups
	find_bpftool || die 5 'the program bpftool is not installed, or not for this kernel' 'apt install bpftool'
	[[ $BPF_MOUNTED ]] || die 5 'no BPF file system is mounted at /sys/fs/bpf' 'mount -t bpf bpf /sys/fs/bpf'
}

is_little_endian() { [[ $(printf '\1\0' | od -An -tu2) == *' 1' ]]; }

object_path() { # OBJECT for this machine's byte order, into REPLY
	local order=bpfel dir=$HERE/../build/bpf
	is_little_endian || order=bpfeb
	[[ $LIB == "$HERE/lib" ]] || dir=/usr/lib/ndm-tcp/bpf
	REPLY=$dir/$order/$1.o
	[[ -r $REPLY || $ROOT ]] || die 1 "the BPF program $REPLY is missing" 'apt install --reinstall ndm-tcp; in a checkout: make bpf'
}

explain_bpf() { # WHAT DIR: why bpftool failed; it says little, so that the place has to be asked too
	case $RUN_ERROR in
	*'not permitted'* | *'ermission denied'*)
		if is_container; then die 5 "$1 is not permitted in this container" 'run ndmctl on the host'; fi
		read_lockdown
		[[ ! $REPLY || $REPLY == none ]] || die 5 "$1 is not permitted (kernel lockdown: $REPLY)" 'cat /sys/kernel/security/lockdown'
		die 5 "$1 is not permitted, by a sandbox, or by another program above that forbids it" "bpftool cgroup tree ${2:-$CGROUP_ROOT}" ;;
	esac
	printable "${RUN_ERROR##*$'\n'}"
	die 1 "$1 failed: $SHOWN" "bpftool cgroup tree ${2:-$CGROUP_ROOT} shows other programs there; dmesg | tail"
}

read_program() { # NAME: sets PROGRAM to the id of its instance and KIND
	local name
	PROGRAM='' KIND=''
	[[ -r $ROOT/run/ndm-tcp/programs ]] || return 1
	while read -r name PROGRAM KIND; do
		[[ $name != "$1" ]] || return 0
	done <"$ROOT/run/ndm-tcp/programs"
	PROGRAM='' KIND=''
	return 1
}

provide_program() { # NAME: loaded and pinned; sets PIN, PROGRAM and KIND
	PIN=$PINS/cc/$1/prog
	if ! read_program "$1" || [[ ! -e $PIN ]]; then load_program "$1"; fi
	[[ $KIND != plain ]] || say 'note: this kernel gives no type information (BTF), so the policy of the outermost cgroup wins, over the choice of an application too'
}

load_program() { # NAME: complete beside its place first, so that a pin that is there can be trusted
	local new=$PINS/new bytes
	KIND=nearest
	[[ $DRY_RUN ]] || note_undo_call drop_empty_pins
	[[ $DRY_RUN ]] || { rm -rf "$new" && mkdir -p -- "$new" "$PINS/cc"; } 2>/dev/null ||
		die 1 "cannot write to $PINS" 'findmnt /sys/fs/bpf; it must be writable'
	object_path ndm_cc
	if ! run "$BPFTOOL" prog load "$REPLY" "$new/prog" pinmaps "$new"; then
		KIND=plain
		object_path ndm_cc_plain
		run "$BPFTOOL" prog load "$REPLY" "$new/prog" pinmaps "$new" || explain_bpf 'loading a BPF program'
	fi
	name_bytes "$1"
	read -ra bytes <<<"$REPLY"
	run "$BPFTOOL" map update pinned "$new/ndm_cc_name" key 0 0 0 0 value "${bytes[@]}" || explain_bpf 'writing a BPF map'
	if [[ $DRY_RUN ]]; then
		PROGRAM=new
		return 0
	fi
	PROGRAM=$(tool "$BPFTOOL" -j prog show pinned "$new/prog" 2>/dev/null) || :
	[[ $PROGRAM =~ \"id\":([0-9]+) ]] || die 1 'bpftool does not say the number of the program it loaded' "bpftool prog show pinned $new/prog"
	PROGRAM=${BASH_REMATCH[1]}
	rm -rf "${PINS:?}/cc/$1"
	note_undo_call rm -rf "$PINS/cc/$1"
	mv "$new" "$PINS/cc/$1" 2>/dev/null || die 1 "cannot name the program $PINS/cc/$1" 'findmnt /sys/fs/bpf'
	record_programs "$1" "$1 $PROGRAM $KIND"
}

name_bytes() { # NAME as the 16 decimal bytes that the kernel's name field has, into REPLY
	local i byte
	REPLY=''
	for ((i = 0; i < 16; i++)); do
		byte=0
		((i >= ${#1})) || printf -v byte %d "'${1:i:1}"
		REPLY+="${REPLY:+ }$byte"
	done
}

record_programs() { # NAME [LINE]: the line of NAME becomes LINE, or goes
	local line text=${2-}
	while read -r line; do
		[[ ! $line || ${line%% *} == "$1" ]] || text+="${text:+$'\n'}$line"
	done < <(cat "$ROOT/run/ndm-tcp/programs" 2>/dev/null)
	if [[ $text ]]; then replace_value "$ROOT/run/ndm-tcp/programs" "$text"
	else remove_file "$ROOT/run/ndm-tcp/programs"; fi ||
		die 1 "cannot write $ROOT/run/ndm-tcp/programs: $WRITE_ERROR" "df $ROOT/run"
}

drop_programs() { # NAME...: unpinned; the kernel frees each when it is attached nowhere
	local name
	for name; do
		[[ -d $PINS/cc/$name ]] || continue
		if [[ $DRY_RUN ]]; then would "remove $PINS/cc/$name"; continue; fi
		tell "remove $PINS/cc/$name"
		rm -rf "${PINS:?}/cc/$name"
		record_programs "$name"
	done
	[[ $DRY_RUN ]] || drop_empty_pins
}

drop_empty_pins() {
	rm -rf "${PINS:?}/new"
	rmdir "$PINS/cc" "$PINS" 2>/dev/null || :
}

parse_attached() { # JSON of bpftool: lines ID NAME FLAGS of the sock_ops programs in it
	local json=$1
	while [[ $json =~ \{\"id\":([0-9]+),\"attach_type\":\"(cgroup_)?sock_ops\",\"attach_flags\":\"([a-z]*)\",\"name\":\"([^\"]*)\"(.*) ]]; do
		printf '%s %s %s\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[4]:--}" "${BASH_REMATCH[3]:--}"
		json=${BASH_REMATCH[5]}
	done
}

list_attached() { # DIR: the ids of our programs in this cgroup, into REPLY_LIST
	local json id name
	REPLY_LIST=()
	[[ -d $1 ]] || return 0
	json=$(tool "$BPFTOOL" -j cgroup list "$1" 2>/dev/null) || return 0
	while read -r id name _; do
		[[ $name != ndm_cc ]] || REPLY_LIST+=("$id")
	done < <(parse_attached "$json")
}

attach_program() { # DIR NAME: its program in place of any other of ours; the new one first, so that no connection slips through
	local dir=$1 id there=''
	provide_program "$2"
	if ! can_ask; then
		attach_blindly "$1" "$2"
		return
	fi
	list_attached "$dir"
	for id in ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}; do [[ $id != "$PROGRAM" ]] || there=yes; done
	[[ $there ]] || attach "$dir" pinned "$PIN" || explain_bpf "attaching to $dir" "$dir"
	for id in ${REPLY_LIST[@]+"${REPLY_LIST[@]}"}; do
		[[ $id == "$PROGRAM" ]] || detach "$dir" id "$id" || explain_bpf "detaching from $dir" "$dir"
	done
}

attach() { # DIR pinned|id PROGRAM
	run "$BPFTOOL" cgroup attach "$1" sock_ops "${@:2}" multi || return 1
	[[ $DRY_RUN ]] || note_undo_call run "$BPFTOOL" cgroup detach "$1" sock_ops "${@:2}"
}

detach() { # DIR pinned|id PROGRAM
	run "$BPFTOOL" cgroup detach "$1" sock_ops "${@:2}" || return 1
	[[ $DRY_RUN ]] || note_undo_call run "$BPFTOOL" cgroup attach "$1" sock_ops "${@:2}" multi
}

detach_ours() { # DIR: every program of ours in this cgroup
	local id ids
	if ! can_ask; then
		detach_blindly "$1"
		return
	fi
	list_attached "$1"
	ids=(${REPLY_LIST[@]+"${REPLY_LIST[@]}"})
	for id in ${ids[@]+"${ids[@]}"}; do detach "$1" id "$id" || explain_bpf "detaching from $1" "$1"; done
}

# What a cgroup has attached, the kernel tells only with CAP_SYS_ADMIN (bit 21). ndm-tcp.service does without that right, and
# with the record and the pins.
can_ask() {
	local name value rights=ffffffffff
	[[ ! -r $ROOT/proc/self/status ]] || while read -r name value; do
		[[ $name != CapEff: ]] || rights=$value
	done <"$ROOT/proc/self/status"
	((16#$rights >> 21 & 1))
}

attach_blindly() { # DIR NAME, after provide_program
	! is_recorded "$1" "$2" || return 0
	# When attaching fails because it was attached, it can be detached; bpftool does not say.
	attach "$1" pinned "$PIN" || { detach "$1" pinned "$PIN" && attach "$1" pinned "$PIN"; } || explain_bpf "attaching to $1" "$1"
	detach_blindly "$1" "$PIN"
}

detach_blindly() { # DIR [PIN]: every program of ours that is pinned, but for this one
	local pin
	for pin in "$PINS"/cc/*/prog; do
		[[ ! -e $pin || $pin == "${2-}" ]] || detach "$1" pinned "$pin" || :
	done
}

list_attached_dirs() { # every cgroup of the tree that has a program of ours, into REPLY_LIST: one question for all of them
	local json dir
	REPLY_LIST=()
	json=$(tool "$BPFTOOL" -j cgroup tree "$CGROUP_ROOT" 2>/dev/null) || return 0
	while [[ $json =~ \{\"cgroup\":\"(([^\"\\]|\\.)*)\",\"programs\":\[([^]]*)\](.*) ]]; do
		json=${BASH_REMATCH[4]} dir=${BASH_REMATCH[1]}
		[[ $(parse_attached "${BASH_REMATCH[3]}") == *' ndm_cc '* ]] || continue
		dir=${dir//\\\\/\\}
		REPLY_LIST+=("${dir//\\\"/\"}")
	done
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
