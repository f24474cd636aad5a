# SPDX-License-Identifier: GPL-2.0
# struct_ops.sh: the algorithms as BPF: src/bpf/ndm_tcp.bpf.c, which the kernel calls as it calls those of a module.
#
# /sys/fs/bpf/ndm/algorithms/NAME/   of each registered one: the maps tuning, its parameters, and counters
# /sys/fs/bpf/ndm/sockets            reading it prints what they say of each connection
#
# What is registered stays so until it is unregistered. Connections and network namespaces that have it then go on
# with the old program and its maps, under the same name: so after a replacement each default is set again. All steps
# lead forward: whatever cuts one off, load does what is missing. An undo takes away only what was not there before.

needs probes/backend probes/cgroup probes/config probes/environment probes/kernels probes/module probes/netns
needs probes/objects steps/module steps/programs steps/record

load_bpf() { # all four names, with the configured parameters; of those that are there only what they lack
	local fresh=''
	if find_bpf_obstacle; then die "$CODE" "$CAUSE" "${HINT[@]}"; fi
	refuse_pins_of_others
	is_any_registered || fresh=yes
	if [[ $DRY_RUN ]]; then
		PLANNED+='tcp_ndm '
		register_names provide_name
		return
	fi
	note_undo_call drop_empty_pins
	write_record bpf/complete ''
	if [[ $fresh || ! -e $BPF_STATE/parameters/variant ]]; then write_bpf_state; fi
	register_names provide_name
	pin_sockets
	[[ $fresh ]] || write_tuning || explain_bpf 'writing the parameters'    # fresh ones have the defaults
	write_bpf_parameters "${KEY_NAMES[@]}"
	write_record bpf/complete yes
	[[ ! $fresh ]] || audit 'algorithms by BPF' 'not registered' registered
}

register_names() { # FUNCTION for each name: what a kernel refuses does not keep the others away
	local name refused='' error=''
	for name in "${OURS[@]}"; do
		"$1" "$name" && continue
		shown "${RUN_ERROR##*$'\n'}" 200
		error=$SHOWN
		if is_registered "$name"; then
			warn "the kernel does not take this version of $name by BPF, and the one before stays: $error"
		else refused+=${refused:+ }$name; fi
	done
	[[ $DRY_RUN ]] || is_any_registered || explain_bpf 'registering the algorithms by BPF'
	[[ ! $refused ]] || warn "the kernel does not take ${refused// /, } by BPF: $error"
	[[ $DRY_RUN ]] || write_record bpf/refused "$refused"
}

provide_name() { # NAME: registered and pinned; load_bpf says whether any was there
	if ! is_registered "$1"; then
		register_name "$1" || return 1
		[[ $fresh ]] || set_defaults_again "$1"    # of a replacement that was cut off
	elif [[ $DRY_RUN || -e $PINS/algorithms/$1/tuning ]]; then return 0
	else pin_maps "$1"; fi
}

write_bpf_state() { # as those of a module that has just been loaded, but for VARIANT: that is another program
	local key value
	own_version
	write_record bpf/version "$REPLY"
	sum_of_objects
	write_record bpf/sums "$REPLY"
	for key in "${KEY_NAMES[@]}"; do
		is_parameter "$key" || continue
		value=${KEY_DEFAULT[$key]}
		[[ $key != VARIANT ]] || value=${CONF_VALUE[VARIANT]}
		write_record "bpf/parameters/${key,,}" "$value"
	done
}

# The present object takes the place of one that is registered. Fails, with the reason in RUN_ERROR and the old one in
# its place, where the kernel would not take it.
replace_name() { # NAME
	local try=$PINS/algorithms/new
	if ! is_registered "$1"; then register_name "$1"; return; fi
	object_of "$1"
	if [[ ! $DRY_RUN ]]; then rm -rf "$try"; mkdir -p -- "$try"; fi 2>/dev/null
	run "$BPFTOOL" prog loadall "$REPLY" "$try" || { rm -rf "$try"; return 1; }
	[[ $DRY_RUN ]] || rm -rf "$try"
	unregister_name "$1" || return 1
	REPLACING=yes register_name "$1" || return 1
	set_defaults_again "$1"
}

set_defaults_again() { # NAME, in each network namespace whose default it is: they have the old program
	local id
	list_netns
	for id in "${NETNS_LIST[@]}"; do
		if ! netns_default "$id" || [[ $REPLY != "$1" ]]; then continue; fi
		describe_netns "$id"
		if [[ $DRY_RUN ]]; then would "write $1 > $SYSCTL of network namespace $REPLY"; continue; fi
		verbose "write $1 > $SYSCTL of network namespace $REPLY"
		if [[ $id == "$NETNS_OWN" ]]; then { printf '%s\n' "$1" >"$SYSTEM$SYSCTL"; } 2>/dev/null
		else tool nsenter --net="${NETNS_PATH[$id]}" tee "$SYSCTL" <<<"$1" >/dev/null 2>&1; fi ||
			note "note: network namespace $REPLY keeps the $1 of before as its default; set it again there"
	done
}

object_of() { # NAME, into REPLY
	local object=$1
	if [[ $1 == ndm ]]; then
		read_value "$BPF_STATE/parameters/variant" || REPLY=${CONF_VALUE[VARIANT]-v1}    # which a dry run does not write
		object=ndm-$REPLY
	fi
	object_path "$object"
}

register_name() { # NAME
	object_of "$1"
	[[ ${REPLACING-} ]] || note_undo_call forget_name "$1"
	run "$BPFTOOL" struct_ops register "$REPLY" || return 1
	[[ $DRY_RUN ]] || pin_maps "$1"
}

unregister_name() { # NAME
	is_registered "$1" || return 0
	if [[ $DRY_RUN ]]; then would "run $BPFTOOL struct_ops unregister name $1"; return 0; fi
	find_live "$1" || { RUN_ERROR="$1 is registered, but not by a program that bpftool lists"; return 1; }
	run "$BPFTOOL" struct_ops unregister id "$LIVE"
}

forget_name() { # NAME
	unregister_name "$1" || return 1
	rm -rf "${PINS:?}/algorithms/$1" "$PINS/algorithms/new"
	rmdir "$PINS/algorithms" 2>/dev/null || :
}

pin_maps() { # NAME, just registered: complete beside its place first, as a policy's program
	local dir=$PINS/algorithms/$1 new=$PINS/algorithms/new json id
	RUN_ERROR="bpftool does not list the maps of $1"
	find_live "$1" && json=$(tool "$BPFTOOL" -j prog show id "$LIVE_PROGRAM" 2>/dev/null) &&
		[[ $json =~ \"map_ids\":\[([0-9,]+)\] ]] || return 1
	{ rm -rf "$new" && mkdir -p -- "$new"; } 2>/dev/null || { RUN_ERROR="cannot write to $PINS"; return 1; }
	refuse_pins_of_others    # which somebody may have made just before
	for id in ${BASH_REMATCH[1]//,/ }; do
		json=$(tool "$BPFTOOL" -j map show id "$id" 2>/dev/null) || return 1
		case $json in
		*'"name":"ndm_counters"'*) run "$BPFTOOL" map pin id "$id" "$new/counters" || return 1 ;;
		*'"name":".data.tuning"'*) run "$BPFTOOL" map pin id "$id" "$new/tuning" || return 1 ;;
		esac
	done
	rm -rf "$dir"
	RUN_ERROR="cannot name the maps $dir"
	mv "$new" "$dir" 2>/dev/null
}

pin_sockets() { # statistics of connections: without them all else works
	rm -f "$PINS/sockets"
	object_path ndm_sockets
	note_undo_call rm -f "$PINS/sockets"
	run "$BPFTOOL" iter pin "$REPLY" "$PINS/sockets" || warn "ndmctl sockets will show no verdicts: ${RUN_ERROR##*$'\n'}"
}

# The parameters stand in files as those of the module do, for everybody to read; each algorithm has a copy of all as
# a map.
write_bpf_parameters() { # KEY...: those whose live value is not the configured one
	local key path value tuned='' variant=''
	! is_container || die 5 'the algorithms, and their parameters, are those of the host' 'run ndmctl on the host'
	for key; do
		is_parameter "$key" || continue
		path=$BPF_STATE/parameters/${key,,} value=${CONF_VALUE[$key]}
		read_value "$path" || :
		[[ $REPLY != "$value" ]] || continue
		if [[ $key == VARIANT ]]; then
			if [[ ! $DRY_RUN ]] && ! can_enter_netns; then
				warn 'another VARIANT is another BPF program, and from here the defaults of other network namespaces' \
					'could not follow: ndmctl load, as root, outside of the service'
				continue
			fi
			variant=yes
			note_undo_call replace_variant
		elif [[ ! $tuned ]]; then
			tuned=yes
			note_undo_call write_tuning    # an undo comes to it when the files have been put back
		fi
		audit "parameter ${key,,}" "$REPLY" "$value"
		write_file "$path" "$value" state || refuse_parameter "$key" "$path"
	done
	[[ $tuned$variant ]] || return 0
	require_bpffs
	[[ ! $tuned ]] || write_tuning || explain_bpf 'writing the parameters'
	[[ ! $variant ]] || replace_variant
}

# "ndm" is another program then. A default that would stay at the old one would give new connections Reno.
replace_variant() {
	[[ $DRY_RUN ]] || write_record bpf/complete ''
	replace_name ndm || explain_bpf 'registering ndm'
	if [[ $DRY_RUN ]]; then return 0; fi
	write_tuning || explain_bpf 'writing the parameters'
	write_record bpf/complete yes
}

write_tuning() { # struct ndm_tuning, from the files into the maps
	local key name at bytes=() i value
	read_layout || { RUN_ERROR='the layout of the maps is missing'; return 1; }
	byte_order
	for ((i = 0; i < LAYOUT[ndm_tuning]; i++)); do bytes[i]=0; done
	for key in "${KEY_NAMES[@]}"; do
		at=${LAYOUT[ndm_tuning.${key,,}]-}
		if [[ ! $at ]] || ! read_value "$BPF_STATE/parameters/${key,,}" || [[ ! $REPLY =~ ^[0-9]{1,9}$ ]]; then continue; fi
		value=$((10#$REPLY))
		for i in 0 1 2 3; do
			if [[ $BYTE_ORDER == little ]]; then bytes[at + i]=$((value >> 8 * i & 255))
				else bytes[at + 3 - i]=$((value >> 8 * i & 255)); fi
		done
	done
	for name in "${OURS[@]}"; do
		is_registered "$name" || continue
		[[ -e $PINS/algorithms/$name/tuning ]] ||
			{ RUN_ERROR="the parameters of $name are not at $PINS/algorithms (ndmctl load)"; return 1; }
		run "$BPFTOOL" map update pinned "$PINS/algorithms/$name/tuning" key 0 0 0 0 value "${bytes[@]}" || return 1
	done
}

renew_bpf() { # after an upgrade
	local version
	is_bpf && ! is_container || return 0
	own_version
	version=$REPLY
	if is_bpf_outdated; then
		require_config
		require_bpffs
		write_record bpf/complete ''
		register_names replace_name
		pin_sockets
		write_tuning || explain_bpf 'writing the parameters'
		sum_of_objects
		write_record bpf/sums "$REPLY"
		write_record bpf/complete yes
	fi
	read_value "$BPF_STATE/version" || :
	[[ $REPLY == "$version" ]] || write_record bpf/version "$version"
}

unload_bpf() { # fails with the reason in RUN_ERROR, and all names in their place
	local name error
	require_bpffs
	if [[ ! $DRY_RUN ]]; then
		note_undo_call restore_names
		write_record bpf/complete ''
	fi
	for name in "${OURS[@]}"; do
		unregister_name "$name" && continue
		error=$RUN_ERROR
		restore_names || :
		write_record bpf/complete yes
		RUN_ERROR=$error
		return 1
	done
	if [[ $DRY_RUN ]]; then would "remove $PINS/algorithms and $PINS/sockets"; return 0; fi
	audit 'algorithms by BPF' registered 'not registered'
	keep_changes
	forget_bpf
}

restore_names() { # those that an unload has taken away before it was ended
	local name rc=0
	for name in "${OURS[@]}"; do
		is_registered "$name" || REPLACING=yes register_name "$name" || rc=1
	done
	write_tuning || rc=1
	return "$rc"
}

forget_bpf() { # what is left when no name is registered
	verbose "remove $PINS/algorithms and $PINS/sockets"
	rm -rf "${PINS:?}/algorithms" "$PINS/sockets" "${BPF_STATE:?}" 2>/dev/null ||
		note "note: $PINS/algorithms cannot be removed; nothing uses it any more"
	drop_empty_pins
}
