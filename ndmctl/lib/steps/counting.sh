# SPDX-License-Identifier: GPL-2.0
# counting.sh: METRICS=: src/bpf/ndm_count.bpf.c at the root cgroup, which adds up what
# connections did.
#
# /sys/fs/bpf/ndm/count/   the program as prog, and its maps; they stay until METRICS=no, or until the next boot

needs probes/boot probes/cgroup probes/config probes/counting probes/environment probes/objects probes/records
needs steps/programs steps/record

enable_counting() {
	local id sum there='' others=()
	require_bpf
	[[ -e $SYSTEM/sys/kernel/btf/vmlinux ]] ||
		die 5 'this kernel has no type information (BTF), which counting by algorithm needs' \
		override_command METRICS no
	if ! read_counting || [[ ! -e $PINS/count/prog ]] || is_counter_outdated; then
		load_counter
	fi
	require_attached "$CGROUP_ROOT" ndm_count
	for id in "${REPLY_LIST[@]}"; do
		if [[ $id == "$PROGRAM" ]]; then there=yes; else others+=("$id"); fi
	done
	[[ $there ]] || attach "$CGROUP_ROOT" pinned "$PINS/count/prog" || explain_bpf 'counting connections'
	for id in "${others[@]}"; do detach "$CGROUP_ROOT" id "$id" || explain_bpf 'counting connections'; done
	id=$PROGRAM
	object_sum ndm_count
	sum=$REPLY
	if ! read_counting; then audit 'counting of connections' no yes
	elif [[ "$PROGRAM $COUNTER_SUM" == "$id $sum" ]]; then
		[[ $CHANGED ]] || already 'connections are counted'
		return 0
	fi
	write_record metrics "$id $sum"
	keep_changes
	[[ $DRY_RUN ]] || rm -rf "${PINS:?}/old" || :
}

load_counter() { # complete beside its place first, as a policy's program
	local new=$PINS/new
	! is_counter_of_host || refuse_pins_of_host "$PINS/count"
	PROGRAM=new
	object_path ndm_count
	if [[ ! $DRY_RUN ]]; then
		refuse_pins_of_others
		note_undo_call drop_empty_pins
		{ rm -rf "$new" && mkdir -p -- "$new"; } 2>/dev/null ||
			die 1 "cannot write to $PINS" 'findmnt /sys/fs/bpf; it must be writable'
		refuse_pins_of_others
	fi
	run "$BPFTOOL" prog load "$REPLY" "$new/prog" pinmaps "$new" || explain_bpf 'loading a BPF program'
	if [[ $DRY_RUN ]]; then return 0; fi
	number_of_program "$new/prog"
	set_old_counter_aside
	note_undo_call rm -rf "$PINS/count"
	mv "$new" "$PINS/count" 2>/dev/null || die 1 "cannot name the program $PINS/count" 'findmnt /sys/fs/bpf'
}

put_counter_back() { if [[ -e $PINS/old ]]; then mv "$PINS/old" "$PINS/count"; fi; }

set_old_counter_aside() { # that of another version
	[[ -e $PINS/count ]] || return 0
	rm -rf "${PINS:?}/old"
	note_undo_call put_counter_back
	mv "$PINS/count" "$PINS/old" 2>/dev/null || die 1 "cannot rename $PINS/count" 'findmnt /sys/fs/bpf'
}

# Detached and forgotten; what others count, as the host of a container, stays.
disable_counting() {
	local id counted=''
	read_mounts
	! is_counter_of_host || { write_record metrics ''; return 0; }
	if read_counting; then counted=yes
	elif is_container || are_pins_of_others || { [[ ! -e $PINS/count ]] && ! is_counter_attached; }; then
		already 'connections are not counted'
		return 0
	fi
	require_bpf
	require_attached "$CGROUP_ROOT" ndm_count
	for id in "${REPLY_LIST[@]}"; do detach "$CGROUP_ROOT" id "$id" || explain_bpf 'no longer counting connections'; done
	if [[ $counted ]]; then audit 'counting of connections' yes no; fi
	write_record metrics ''
	drop_counter
}

drop_counter() { # which frees it, when nothing needs to be undone any more
	[[ -d $PINS/count ]] && ! are_pins_of_others || return 0
	if [[ $DRY_RUN ]]; then would "remove $PINS/count"; return 0; fi
	keep_changes
	verbose "remove $PINS/count"
	rm -rf "${PINS:?}/count" 2>/dev/null || note "note: $PINS/count cannot be removed; it counts nothing any more"
	drop_empty_pins
}

apply_counting() { # METRICS of the configuration
	if [[ ${CONF_VALUE[METRICS]} == yes ]]; then enable_counting; else disable_counting; fi
}

renew_counting() { # after an upgrade that brought another program, and where somebody has detached it
	counting_state
	[[ $REPLY == @(outdated|lost) ]] || return 0
	enable_counting
}
