# SPDX-License-Identifier: GPL-2.0
# backend.sh: what has registered the algorithms: the module, or BPF programs of the same source. The names are the
# same, and the kernel takes each only once, so it is one of the two.

needs probes/boot probes/cgroup probes/config probes/environment probes/kernels probes/load-failure probes/module
needs probes/objects probes/signature

# for the programs what /sys/module/tcp_ndm is for the module: version, parameters/; last of all, complete
BPF_STATE=$SYSTEM/run/ndm-tcp/bpf
WITHOUT_RACK='v5 as BPF does nothing about reordering'
LIVE='' LIVE_PROGRAM='' USERS=''    # of find_live

is_bpf() { # with the host's module hidden, as in systemd-nspawn, nobody can tell
	[[ ! -d $MODULE && -d ${MODULE%/*} ]] && is_any_registered
}

is_any_registered() { # of our names
	local name
	for name in "${OURS[@]}"; do ! is_registered "$name" || return 0; done
	return 1
}

is_in_use() { is_loaded || is_bpf; }

backend_name() { # of what is in use, into REPLY
	if is_bpf; then REPLY='ndm, by BPF,'; else REPLY=tcp_ndm; fi
}

read_state() { # FILE as /sys/module/tcp_ndm has it, of the backend in use: its line into REPLY; fails without
	if is_loaded; then read_value "$MODULE/$1"
	elif is_bpf; then read_value "$BPF_STATE/$1"
	else REPLY=''; return 1; fi
}

# The registered map of a name into LIVE, one of its programs into LIVE_PROGRAM, how many connections and defaults
# refer to it into USERS. There may be other maps of that name, which only old connections use.
find_live() { # NAME
	local json entry
	LIVE='' LIVE_PROGRAM='' USERS=''
	json=$(tool "$BPFTOOL" -j struct_ops dump name "$1" 2>/dev/null) || return 1
	while [[ $json == *'"bpf_map_info":'* ]]; do
		json=${json#*'"bpf_map_info":'}
		entry=${json%%'"bpf_map_info":'*}
		[[ $entry == *BPF_STRUCT_OPS_STATE_INUSE* && $entry =~ \"id\":([0-9]+) ]] || continue
		LIVE=${BASH_REMATCH[1]}
		[[ ! $entry =~ \"counter\":([0-9]+) ]] || USERS=$((BASH_REMATCH[1] - 1))
		[[ ! $entry =~ pkts_acked/prog_id:([0-9]+) ]] || LIVE_PROGRAM=${BASH_REMATCH[1]}
	done
	[[ $LIVE ]]
}

# After read_mounts: were all names registered by this version, and pinned? Not after a kill amid that, nor where the
# pins are gone.
is_bpf_complete() {
	local name
	[[ -e $BPF_STATE/complete ]] || return 1
	for name in "${OURS[@]}"; do
		if is_refused_by_bpf "$name"; then continue; fi
		if ! is_registered "$name" || { [[ ! -e $PINS/algorithms/$name/tuning ]] && ! is_bpffs_hidden; }; then return 1; fi
	done
}

is_refused_by_bpf() { # NAME: the kernel did not take it when the others were registered
	read_value "$BPF_STATE/refused" && [[ " $REPLY " == *" $1 "* ]] && ! is_registered "$1"
}

is_bpf_outdated() { # by programs of another version
	local sum
	read_value "$BPF_STATE/sums" || :
	sum=$REPLY
	sum_of_objects
	[[ $sum != "$REPLY" ]]
}

sum_of_objects() { # into REPLY
	local name sums=''
	for name in ndm_v1 ndm_v4 ndm_v5 ndm_sockets; do
		object_sum "$name"
		sums+=${sums:+ }${REPLY:0:16}
	done
	REPLY=$sums
}

# What keeps BPF from carrying the algorithms here, into CAUSE, HINT and CODE; fails when nothing does.
find_bpf_obstacle() {
	local release
	kernel_release
	release=$REPLY
	CODE=5
	if is_chroot; then CAUSE='this is a chroot, whose kernel does not run' HINT=(enable_command)
	elif is_container; then CAUSE='the algorithms of a container are those of its host' \
		HINT=(advise 'on the host: ndmctl load')
	elif ! has_bpf_algorithms "$release"; then
		CAUSE="kernel $release takes no congestion control by BPF, as Linux 5.13 and later do" \
			HINT=(override_command BACKEND module ' && ndmctl load')
	elif [[ ! -e $SYSTEM/sys/kernel/btf/vmlinux ]]; then
		CAUSE="kernel $release has no type information (BTF), which congestion control by BPF needs" \
			HINT=(override_command BACKEND module ' && ndmctl load')
	elif [[ ! -r $SYSTEM/boot/config-$release && ! -r $SYSTEM/proc/config.gz ]]; then
		CAUSE="the configuration of kernel $release, in which libbpf looks for its HZ, is not to be found:"
		CAUSE+=" neither /boot/config-$release nor /proc/config.gz"
		HINT=("cp /usr/lib/modules/$release/config /boot/config-$release")
	elif ! find_bpffs_obstacle; then
		object_file ndm_v5
		[[ ! -r $REPLY ]] || return 1
		CODE=1 CAUSE="the BPF program $REPLY is missing" HINT=(advise \
			'apt install --reinstall ndm-tcp; in a checkout: make bpf')
	fi
}

has_bpf_algorithms() { # KERNEL: from 5.13 on a program may call what our algorithms call
	[[ $1 =~ ^([0-9]+)\.([0-9]+) ]] && ((BASH_REMATCH[1] > 5 || (BASH_REMATCH[1] == 5 && BASH_REMATCH[2] >= 13)))
}

# Will the kernel refuse the module for a reason that is none for BPF? The reason into CAUSE and HINT.
is_module_refused() {
	REFUSED=''
	if find_obstacle tcp_ndm; then [[ $REFUSED ]]; return; fi
	module_version_on_disk
	if [[ ! $REPLY ]]; then
		kernel_release
		explain_missing tcp_ndm "$REPLY"
	elif only_signed_load && ! is_signed; then explain_key tcp_ndm; fi
	[[ $REFUSED ]]
}

# Which backend would be taken, into REPLY; empty where none can be. After it CAUSE and HINT say why the module is not.
backend_to_take() {
	local cause cure=() wanted=${CONF_VALUE[BACKEND]-auto}
	case $wanted in
	module) REPLY=module ;;
	bpf) if find_bpf_obstacle; then REPLY=''; else REPLY=bpf; fi ;;
	auto)
		if ! is_module_refused; then REPLY=module; return 0; fi
		cause=$CAUSE cure=("${HINT[@]}")
		if find_bpf_obstacle; then REPLY=''; else REPLY=bpf; fi
		CAUSE=$cause HINT=("${cure[@]}") ;;
	esac
}

would_take_bpf() {
	backend_to_take
	[[ $REPLY == bpf ]]
}
