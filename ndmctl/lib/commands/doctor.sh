# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# doctor.sh: the checks. Each has a fixed id, a result (ok, warn, fail, skip), and the command that helps.

CHECKS=(backend headers dkms otherkernel secureboot lockdown registered default inuse config unit policies metrics conflicts)

cmd_doctor() {
	local CHECK
	if [[ -v OPT[--report] ]]; then
		write_report "${OPT[--report]}"
		return
	fi
	RESULTS=()
	own_kernel
	KERNEL=$REPLY
	module_version_on_disk
	ON_DISK=$REPLY
	for CHECK in "${CHECKS[@]}"; do "check_$CHECK"; done
	excuse_module
	choose_next
	in_format print_doctor
	[[ $WORST != fail ]] || exit 1
}

choose_next() { # the command to type: of the first failure, else of the first warning
	local i state
	WORST=ok NEXT='ndmctl status'
	current_default || :
	is_ours "$REPLY" || is_chroot || { chosen_name; NEXT="ndmctl set-default $REPLY"; }
	for state in warn fail; do
		for ((i = ${#RESULTS[@]} - 4; i >= 0; i -= 4)); do
			[[ ${RESULTS[i + 1]} == "$state" ]] || continue
			WORST=$state
			if [[ ${RESULTS[i + 3]} ]]; then NEXT=${RESULTS[i + 3]}; fi
		done
	done
}

print_doctor_text() {
	local i style
	for ((i = 0; i < ${#RESULTS[@]}; i += 4)); do
		case ${RESULTS[i + 1]} in
		ok) style=good ;; warn) style=care ;; fail) style=bad ;; *) style=none ;;
		esac
		paint $style "$(printf '%-4s' "${RESULTS[i + 1]}")"
		local state=$REPLY
		print_painted "$state" '  %-12s %s' "${RESULTS[i]}" "${RESULTS[i + 2]}"
	done
	print_line "next: $NEXT"
}

print_doctor_plain() { table_of_results; }

print_doctor_json() { table_of_results; }

table_of_results() {
	local i
	begin_table doctor checks 'id:str state:str text:str command:str'
	for ((i = 0; i < ${#RESULTS[@]}; i += 4)); do add_row "${RESULTS[@]:i:4}"; done
	end_table worst "$WORST" next "$NEXT"
}

check_backend() { # what carries the algorithms, or would
	local used wanted
	read_config || :
	wanted=${CONF_VALUE[BACKEND]-auto}
	backend_in_use
	used=$REPLY
	if is_container || is_chroot; then report skip 'the kernel that runs is that of the host'
	elif [[ $used == module && $wanted == bpf ]]; then report warn 'the configuration says BACKEND=bpf, and the module is loaded' "$(switch_command; printf '%s' "$REPLY")"
	elif [[ $used == module ]]; then report ok 'the module carries the algorithms'
	elif [[ $used == bpf ]]; then judge_bpf "$wanted"
	elif would_take_bpf; then report ok "BPF would carry the algorithms; $WITHOUT_RACK"
	elif [[ $wanted == bpf ]]; then report fail "BACKEND=bpf in ${CONF_ORIGIN[BACKEND]}: $CAUSE" "$HINT"
	else report ok 'the module would carry the algorithms'; fi
}

judge_bpf() { # WANTED backend
	local text="BPF programs carry the algorithms; $WITHOUT_RACK"
	read_mounts
	if [[ $1 == module ]]; then report warn "the configuration says BACKEND=module, and $text" "$(switch_command; printf '%s' "$REPLY")"
	elif ((USER_ID == 0)) && ! is_bpf_complete; then report warn "$text; not all of them are there, as after a load that was cut off" 'ndmctl load'
	elif is_bpf_outdated; then report warn "$text; they are of another version" 'ndmctl service upgrade'
	elif [[ $1 == auto ]] && ! is_module_refused; then report ok "$text; the next boot takes the module"
	else report ok "$text"; fi
}

excuse_module() { # where BPF carries the algorithms, what the module lacks is no failure; where nobody has installed it, it is nothing at all
	local i wanted=''
	dkms_state "$KERNEL"
	[[ $REPLY == absent || ${CONF_VALUE[BACKEND]-auto} == bpf ]] || wanted=yes
	is_bpf || { [[ ! $wanted ]] && ! is_loaded && would_take_bpf; } || return 0
	for ((i = 0; i < ${#RESULTS[@]}; i += 4)); do
		[[ ${RESULTS[i]} == @(headers|dkms|otherkernel|secureboot|lockdown) && ${RESULTS[i + 1]} != ok ]] || continue
		if [[ ! $wanted ]]; then RESULTS[i + 1]=skip RESULTS[i + 3]=''
		elif [[ ${RESULTS[i + 1]} == fail ]]; then RESULTS[i + 1]=warn; fi
	done
}

check_headers() {
	local meta=''
	if is_container; then report skip 'a container uses the modules of its host'
	elif [[ ! $KERNEL ]]; then report skip 'this chroot has no kernel yet'
	elif has_headers "$KERNEL"; then report ok "headers for $KERNEL are installed"
	else
		headers_word "$KERNEL"
		meta=${REPLY:+" ($REPLY brings those of each new kernel)"}
		headers_command "$KERNEL"
		if [[ $ON_DISK ]]; then report warn "no headers for $KERNEL; the module is installed, but cannot be built again$meta" "$REPLY"
		else report fail "no headers for $KERNEL, so DKMS cannot build the module$meta" "$REPLY"; fi
	fi
}

check_dkms() {
	if is_container; then report skip 'a container uses the modules of its host'
	elif [[ ! $KERNEL ]]; then report skip 'this chroot has no kernel yet'
	elif find_fault_of_file "$KERNEL"; then report fail "$CAUSE" "$HINT"
	elif ! has_tool dkms; then
		reinstall_command
		if [[ $ON_DISK ]]; then report skip 'dkms is not installed; the module came another way'
		else report fail 'neither dkms nor the module is installed' "$REPLY"; fi
	else
		dkms_state "$KERNEL"
		case $REPLY in
		installed) if [[ $ON_DISK ]]; then report ok "ndm-tcp $DKMS_VERSION is installed for $KERNEL"; return; fi ;;
		absent)
			reinstall_command
			report fail 'DKMS does not know ndm-tcp' "$REPLY"
			return ;;
		esac
		explain_unbuilt "$KERNEL"
		report fail "DKMS has ndm-tcp $DKMS_VERSION, but not for $KERNEL: $CAUSE" "$HINT"
	fi
}

check_otherkernel() { # the next boot usually takes the newest kernel
	local newest
	newest_kernel
	newest=$REPLY
	if is_container; then report skip 'a container boots no kernel'
	elif is_chroot; then report skip 'the kernel that runs is not that of this chroot'
	elif [[ ! $newest || $newest == "$KERNEL" ]]; then report ok 'the running kernel is the newest installed'
	elif has_module_for "$newest"; then report ok "the newest kernel $newest has the module too"
	else
		explain_unbuilt "$newest"
		report warn "the newest kernel $newest has no module: ndm will be missing after the next boot; $CAUSE" "$HINT"
	fi
}

check_secureboot() {
	local state=fail
	if is_container || is_chroot; then report skip 'the kernel that runs is that of the host'; return; fi
	secure_boot_state
	case $REPLY in
	off) report ok 'Secure Boot is off'; return ;;
	'') report ok 'no Secure Boot here'; return ;;
	esac
	if [[ ! $ON_DISK ]]; then report skip 'Secure Boot is on; there is no module to check'; return; fi
	judge_signature
	case $REPLY in
	enrolled) state=ok HINT='' ;; unknown) state=warn ;;
	esac
	report "$state" "Secure Boot is on and $CAUSE" "$HINT"
}

check_lockdown() {
	read_lockdown
	local lockdown=$REPLY enforced=''
	read_value "$SYSTEM/sys/module/module/parameters/sig_enforce" && enforced=$REPLY
	if is_container || is_chroot; then report skip 'the kernel that runs is that of the host'
	elif read_value "$SYSTEM/proc/sys/kernel/modules_disabled" && [[ $REPLY == 1 ]] && ! is_loaded && find_obstacle tcp_ndm; then
		report fail 'kernel.modules_disabled=1: no module can be loaded until the next boot' "$HINT"
	elif [[ ! -e $SYSTEM/proc/modules ]]; then
		newest_kernel
		if [[ $REPLY ]]; then reboot_command; else image_command; fi
		report fail 'this kernel cannot load modules' "$REPLY"
	elif ! only_signed_load; then report ok 'unsigned modules may load'
	else judge_enforcement "only signed modules load (lockdown ${lockdown:-none}, sig_enforce ${enforced:-N})"; fi
}

judge_enforcement() { # TEXT; with Secure Boot check_secureboot judges the key
	secure_boot_state
	if [[ $REPLY == on || ! $ON_DISK ]] || is_loaded; then report ok "$1"
	elif is_signed; then report warn "$1; tcp_ndm is signed, and to load it shows whether the kernel knows the key" 'ndmctl load'
	else
		explain_key tcp_ndm
		report fail "$1; tcp_ndm is not signed" "$HINT"
	fi
}

check_registered() {
	local loaded
	read_value "$MODULE/version" || :
	loaded=$REPLY
	if is_registered ndm && [[ $ON_DISK && $loaded && $loaded != "$ON_DISK" ]]; then
		gather_policies
		current_default || :
		PRESENT=$REPLY
		read_config || :
		configured_default
		report warn "the kernel lists ndm, of version $loaded; $ON_DISK is installed" "$(reload_command "$REPLY")"
	elif is_registered ndm; then report ok 'the kernel lists ndm'
	elif is_loaded; then report fail 'tcp_ndm is loaded but does not register ndm' 'ndmctl unload && ndmctl load'
	elif is_chroot; then report skip 'tcp_ndm is for the kernel of this chroot, which does not run'
	elif is_container; then report warn 'the host has not loaded tcp_ndm: ndmctl load there'
	elif would_take_bpf; then report warn 'the algorithms are not loaded; BPF would carry them' 'ndmctl load'
	elif [[ ${CONF_VALUE[BACKEND]-} == bpf ]]; then report fail "the algorithms are not loaded: $CAUSE" "$HINT"
	elif find_obstacle tcp_ndm; then report fail "tcp_ndm is not loaded: $CAUSE" "$HINT"
	elif [[ $ON_DISK ]]; then report warn 'tcp_ndm is installed, not loaded' 'ndmctl load'
	else
		explain_unbuilt "$KERNEL"
		report fail "no tcp_ndm for kernel $KERNEL: $CAUSE" "$HINT"
	fi
}

check_inuse() {
	if ! is_in_use; then
		report skip 'not loaded'
		return
	fi
	list_holders
	((${#HOLDERS[@]})) || { report ok 'nothing uses the algorithms'; return; }
	printf -v REPLY '%s; ' "${HOLDERS[@]}"
	report ok "in use: ${REPLY%; }"
}

check_policies() { # what policies of cgroups need, and whether those that were set are active
	local i cure='' lost='' damaged='' detached outdated masked=() bare=() without='' text
	read_policies
	list_unit_files
	for i in "${!UNIT_TARGETS[@]}"; do
		[[ ${UNIT_ORIGINS[i]} != damaged ]] || damaged=$i
	done
	read_states
	for i in "${!POLICY_PATHS[@]}"; do
		policy_state "$i"
		shown "${POLICY_PATHS[i]}"
		[[ ${POLICY_ORIGINS[i]} != unit && $REPLY != active ]] || continue
		[[ $lost ]] || cure="ndmctl cgroup set ${POLICY_PATHS[i]@Q} ${POLICY_NAMES[i]}"
		[[ $lost || $REPLY != gone ]] || cure="ndmctl cgroup clear ${POLICY_PATHS[i]@Q}"
		lost+="${lost:+, }$SHOWN"
	done
	list_detached
	detached=$REPLY
	list_outdated_programs
	outdated=$REPLY
	list_masked
	masked=("${REPLY_LIST[@]}")
	! has_systemd || { list_bare_sockets; read -ra bare <<<"${REPLY_LIST[0]-}"; }
	list_lost_routes
	for ((i = 0; i < ${#REPLY_LIST[@]}; i += 4)); do without+="${without:+, }${REPLY_LIST[i]}"; done
	text="routes that no longer have the algorithm that ndmctl gave them: $without"
	if [[ $damaged ]]; then report fail "${UNIT_PATHS[damaged]} is empty or damaged, so ${UNIT_TARGETS[damaged]} has no policy" "ndmctl unit set ${UNIT_TARGETS[damaged]} NAME"
	elif ((${#POLICY_PATHS[@]} + ${#UNIT_TARGETS[@]} + ${#WANTED_TARGETS[@]} == 0)); then
		if [[ $without ]]; then report warn "$text" 'ndmctl status'; else report ok 'no cgroup and no unit has a policy'; fi
	elif [[ ! $CGROUP_ROOT ]]; then report fail 'policies need a cgroup2 hierarchy, and none is mounted' 'mount -t cgroup2 none /sys/fs/cgroup/unified'
	elif ! find_bpftool; then
		bpftool_command
		report fail 'policies need bpftool, which is not installed' "$REPLY"
	elif [[ ! $BPF_MOUNTED ]]; then report fail 'policies need /sys/fs/bpf, which is not mounted' 'mount -t bpf -o mode=0700 bpf /sys/fs/bpf'
	elif [[ $lost ]]; then report warn "cgroups that lost their policy, because they were created again or removed, or somebody has detached its program: $lost" "$cure"
	elif [[ $without ]]; then report warn "$text" 'ndmctl status'
	elif ((${#masked[@]} && ${#UNIT_TARGETS[@]})); then report warn 'units with a policy have none after their next start: what they need then is masked' "$(unmask_command "${masked[@]}")"
	elif ((${#bare[@]})); then report warn "${bare[0]}, which activates ${bare[1]}, has no policy" "ndmctl unit set ${bare[1]} ${bare[2]}"
	elif [[ $detached ]]; then report warn "units that run without the program of their policy, which somebody has detached: $detached" 'ndmctl reload'
	elif [[ $outdated ]]; then report warn "policies of $outdated use programs that another version has loaded; they go on as before until they are cleared and set again, or the next boot" "$(reboot_command; printf '%s' "$REPLY")"
	elif [[ ! -e $SYSTEM/sys/kernel/btf/vmlinux ]]; then report warn 'this kernel has no type information (BTF): the outermost policy wins, also over applications'
	else report ok "${#POLICY_PATHS[@]} cgroup(s) and ${#UNIT_TARGETS[@]} unit(s) have a policy"; fi
}

check_metrics() { # what counting connections needs, and whether it goes on; whether those who ask for files get them
	local wanted=''
	! writes_textfiles || check_textfile
	[[ ${CONF_VALUE[METRICS]-} != yes ]] || wanted=yes
	counting_state
	if [[ ! $REPLY && ! $wanted ]]; then report ok 'connections are not counted by algorithm, and are not meant to be'
	elif [[ $REPLY == lost ]]; then report warn 'connections are no longer counted by algorithm: somebody has detached the program' 'ndmctl metrics --enable'
	elif [[ $REPLY == outdated ]]; then report warn 'connections are counted by a program of another version, whose totals may not be readable' 'ndmctl metrics --enable'
	elif [[ $REPLY ]]; then report ok 'connections are counted by algorithm'
	elif ! find_bpftool; then
		bpftool_command
		report fail 'METRICS=yes needs bpftool, which is not installed' "$REPLY"
	elif [[ ! -e $SYSTEM/sys/kernel/btf/vmlinux ]]; then report fail 'METRICS=yes needs type information of the kernel (BTF), which this one does not have' 'ndmctl config set METRICS no'
	else report warn "METRICS=yes in ${CONF_ORIGIN[METRICS]}, but connections are not counted" 'ndmctl reload'; fi
}

check_textfile() {
	local file dir read=() running='' root
	written_textfile
	file=$REPLY dir=${REPLY%/*}
	if read_textfiles; then running=yes root=$REPLY read=("${REPLY_LIST[@]}"); fi
	if [[ $running && ${#read[@]} -eq 0 ]]; then
		report warn "node_exporter reads no files of others, such as $file: it was started without --collector.textfile.directory=$dir"
	elif [[ $running && -d $SYSTEM$dir ]] && is_read_textfile "$dir" "$root" "${read[@]}"; then return 0
	elif [[ $running ]] && { [[ $dir != "${read[0]}" ]] || [[ $root != "$SYSTEM" ]]; }; then
		shown "${read[0]}"
		if [[ $root != "$SYSTEM" ]]; then report warn "ndm-tcp-metrics.timer writes $file, but node_exporter, in its container, reads $SHOWN: mount $dir there"
		elif [[ ${read[0]} == *[!A-Za-z0-9_./-]* ]]; then report warn "ndm-tcp-metrics.timer writes $file, but node_exporter reads $SHOWN; see ndmctl-metrics(8)"
		else report warn "ndm-tcp-metrics.timer writes $file, but node_exporter reads $SHOWN" "$(textfile_command "${read[0]}")"; fi
	elif [[ ! -d $SYSTEM$dir ]]; then
		report warn "ndm-tcp-metrics.timer is enabled, but writes nothing: there is no directory $dir (another one: ndmctl-metrics(8))" "mkdir -p $SYSTEM$dir"
	fi
}

list_detached() { # running units with a drop-in and without a program, into REPLY; only root may ask
	local unit found=''
	REPLY=''
	if ((USER_ID != 0)) || [[ ! $CGROUP_ROOT ]] || ! can_ask || ! find_bpftool; then return 0; fi
	for unit in "${UNIT_TARGETS[@]}"; do
		if [[ $unit == *.socket ]] || unit_has_program "$unit"; then continue; fi
		if [[ $REPLY && -d $CGROUP_ROOT$REPLY ]]; then found+="${found:+, }$unit"; fi
	done
	REPLY=$found
}
