# SPDX-License-Identifier: GPL-2.0
# programs.sh: the BPF programs that carry a choice. src/bpf says what they do; this file loads, pins, attaches and
# detaches.
#
# /sys/fs/bpf/ndm/cc/NAME/   for each algorithm: ndm_cc as prog, which ndmctl attaches, its maps, and a copy of it as
#                            start, with the same maps, which systemd attaches and detaches
# bpffs takes no dot in a name, hence the names without one.

needs probes/cgroup probes/objects probes/programs probes/records steps/record

object_path() { # OBJECT, into REPLY
	object_file "$1"
	[[ -r $REPLY ]] || die 1 "the BPF program $REPLY is missing" 'apt install --reinstall ndm-tcp; in a checkout: make bpf'
}

provide_program() { # NAME: loaded and pinned; sets PIN, PROGRAM and KIND
	PIN=$PINS/cc/$1/prog
	if ! read_program "$1" || [[ ! -e $PIN ]]; then load_program "$1"; fi
	[[ $KIND != plain ]] || note 'note: this kernel has no type information (BTF), so the policy of the' \
		'outermost cgroup wins, also over the choice of an application'
}

provide_start() { # NAME: its program, and the copy for systemd
	local dir=$PINS/cc/$1
	provide_program "$1"
	if [[ -e $dir/start ]]; then return 0; fi
	object_of_kind "$KIND"
	object_path "$REPLY"
	note_undo_call rm -f "$dir/start"
	run "$BPFTOOL" prog load "$REPLY" "$dir/start" map name ndm_cc_name pinned "$dir/ndm_cc_name" map name ndm_cc_count \
		pinned "$dir/ndm_cc_count" ||
		explain_bpf 'loading a BPF program'
}

load_program() { # NAME: complete beside its place first, so that a pin that is there can be trusted
	local new=$PINS/new bytes
	refuse_pins_of_others
	if [[ -e $PINS/cc/$1 ]]; then is_own_program "$1" || refuse_pins_of_host "$PINS/cc/$1"; fi
	KIND=nearest
	note_undo_call drop_empty_pins
	[[ $DRY_RUN ]] || { rm -rf "$new" && mkdir -p -- "$new" "$PINS/cc"; } 2>/dev/null ||
		die 1 "cannot write to $PINS" 'findmnt /sys/fs/bpf; it must be writable'
	refuse_pins_of_others    # which somebody may have made just before
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
	number_of_program "$new/prog"
	rm -rf "${PINS:?}/cc/$1"
	note_undo_call rm -rf "$PINS/cc/$1"
	mv "$new" "$PINS/cc/$1" 2>/dev/null || die 1 "cannot name the program $PINS/cc/$1" 'findmnt /sys/fs/bpf'
	object_of_kind "$KIND"
	object_sum "$REPLY"
	record_programs "$1" "$1 $PROGRAM $KIND $REPLY"
}

number_of_program() { # PIN, into PROGRAM
	PROGRAM=$(tool "$BPFTOOL" -j prog show pinned "$1" 2>/dev/null) || :
	[[ $PROGRAM =~ \"id\":([0-9]+) ]] || die 1 'bpftool printed no number for the program that it loaded' \
		"bpftool prog show pinned $1"
	PROGRAM=${BASH_REMATCH[1]}
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
		if [[ $line && ${line%% *} != "$1" ]]; then text+="${text:+$'\n'}$line"; fi
	done < <(cat "$RECORDS/programs" 2>/dev/null)
	write_record programs "$text"
}

drop_programs() { # NAME...: unpinned; the kernel frees each when it is attached nowhere
	local name
	for name; do
		[[ -d $PINS/cc/$name ]] || continue
		if [[ $DRY_RUN ]]; then would "remove $PINS/cc/$name"; continue; fi
		verbose "remove $PINS/cc/$name"
		rm -rf "${PINS:?}/cc/$name" 2>/dev/null || return 1
		record_programs "$name" # a record without a program is harmless
	done
	[[ $DRY_RUN ]] || drop_empty_pins
}

drop_empty_pins() {
	! are_pins_of_others || return 0
	rm -rf "${PINS:?}"/{new,old}
	rmdir "$PINS/cc" "$PINS" 2>/dev/null || :
}

# DIR NAME: replaces any other program of ndmctl; attaches the new one first, so that no connection is missed
attach_program() {
	local dir=$1 id there=''
	provide_program "$2"
	require_attached "$dir"
	for id in "${REPLY_LIST[@]}"; do [[ $id != "$PROGRAM" ]] || there=yes; done
	[[ $there ]] || attach "$dir" pinned "$PIN" || explain_bpf "attaching to $dir" "$dir"
	for id in "${REPLY_LIST[@]}"; do
		[[ $id == "$PROGRAM" ]] || detach "$dir" id "$id" || explain_bpf "detaching from $dir" "$dir"
	done
}

# Both are noted before they are made, for a signal that comes while bpftool works; so an undo may find that nothing is
# to be done. bpftool does not say why it fails: what it cannot attach was attached when it can be detached.
attach() { # DIR pinned|id PROGRAM
	note_undo_call make_detached "$@"
	run_attach "$@" || { drop_undo; return 1; }
}

detach() { # DIR pinned|id PROGRAM
	note_undo_call make_attached "$@"
	run_detach "$@" || { drop_undo; return 1; }
}

run_attach() { run "$BPFTOOL" cgroup attach "$1" sock_ops "${@:2}" multi; }

run_detach() { run "$BPFTOOL" cgroup detach "$1" sock_ops "${@:2}"; }

make_attached() { run_attach "$@" || { run_detach "$@" && run_attach "$@"; }; }

make_detached() { run_detach "$@" || { run_attach "$@" && run_detach "$@"; }; }

detach_ours() { # DIR: every program of ndmctl in this cgroup
	local id ids
	require_attached "$1"
	ids=("${REPLY_LIST[@]}")
	for id in "${ids[@]}"; do detach "$1" id "$id" || explain_bpf "detaching from $1" "$1"; done
}
