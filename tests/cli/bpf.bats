# SPDX-License-Identifier: GPL-2.0
# BACKEND: the algorithms by BPF, where the kernel takes no module.
load helpers
setup() { make_root; without_module; }

ALL='ndm ndm_v1 ndm_v4 ndm_v5'

tuning_is() { # FIELD VALUE, in the map of ndm_v5
	local at bytes
	at=$(sed -n "s/^ndm_tuning.$1 //p" "$CLI/../../build/bpf/layout")
	read -ra bytes < <(cat "$R/sys/fs/bpf/ndm/algorithms/ndm_v5/tuning"; echo)
	equals "$((bytes[at] + bytes[at + 1] * 256))" "$2"
}

all_are_registered() { # in whatever order
	equals "$(tr ' ' '\n' <"$R/proc/sys/net/ipv4/tcp_available_congestion_control" | grep ndm | sort | paste -sd ' ')" "$ALL"
}

object_is() { # NAME OBJECT: which one is registered by that name
	equals "$(awk -v name="$1" '$2 == name { print $3 }' "$R/fixture/ops")" "$2"
}

nothing_is_left() {
	registered_are
	absent sys/fs/bpf/ndm
	absent run/ndm-tcp/bpf
	[[ ! -s $R/fixture/ops ]] || fail "registered: $(<"$R/fixture/ops")"
}

@test "bpf: auto takes it where there is no module, says why, and what it does not do" {
	ndmctl load
	exits 0
	complains 'the algorithms are BPF programs, and v5 as BPF does nothing about reordering'
	complains 'not installed for kernel 6.12.0-test'
	registered_are $ALL
	object_is ndm ndm-v1
	object_is ndm_v5 ndm_v5
	ndmctl load
	exits 0
	equals "$stderr" ''
	ndmctl status
	says 'BPF programs of version'
	says 'v5 as BPF does nothing about reordering'
	says 'problems    none'
	ndmctl status --json
	json_is '.backend, .module.loaded' $'bpf\ntrue'
	ndmctl status --check
	exits 0
	ndmctl unload
	exits 0
	nothing_is_left
	ndmctl status --check
	exits 3
	ndmctl status
	says 'the algorithms are not loaded; BPF would carry them    (ndmctl load)'
}

@test "bpf: auto takes it where the kernel refuses the signature; the module where it may be loaded" {
	put "$R/fixture/version" 0.1.0
	put "$R/fixture/modprobe.err" "modprobe: ERROR: could not insert 'tcp_ndm': Key was rejected by service"
	ndmctl load
	exits 0
	complains 'accepts only modules signed'
	object_is ndm_v4 ndm_v4
	ndmctl unload
	rm "$R/fixture/modprobe.err"
	ndmctl load
	exits 0
	[[ -d $R/sys/module/tcp_ndm && ! -s $R/fixture/ops ]] || fail 'not by the module'
	ndmctl status --json
	json_is .backend module
}

@test "bpf: what an administrator has forbidden, or spoilt, is told and not got round" {
	put "$R/fixture/version" 0.1.0
	put "$R/etc/modprobe.d/no.conf" 'install tcp_ndm /bin/false'
	ndmctl load
	refuses 1 'disabled by a line of modprobe.d'
	nothing_is_left
	rm "$R/etc/modprobe.d/no.conf"
	put "$R/proc/sys/kernel/modules_disabled" 1
	ndmctl load
	refuses 1 'modules_disabled=1'
	nothing_is_left
	rm "$R/proc/sys/kernel/modules_disabled"
	put "$R/fixture/modprobe.err" "modprobe: ERROR: could not insert 'tcp_ndm': Exec format error"
	ndmctl load
	refuses 1 'built for another kernel'
	nothing_is_left
}

@test "bpf: BACKEND=module does without it, BACKEND=bpf without a module that could be loaded" {
	ndmctl config set BACKEND module
	ndmctl load
	refuses 1 'not installed for kernel'
	nothing_is_left
	rm "$R/fixture/modprobe.err"
	put "$R/fixture/version" 0.1.0
	ndmctl config set BACKEND bpf
	ndmctl load
	exits 0
	equals "$stderr" ''
	object_is ndm ndm-v1
	absent sys/module/tcp_ndm
}

@test "bpf: one backend at a time; both orders are told, with the way to the other" {
	ndmctl load
	ndmctl config set BACKEND module
	ndmctl status
	says 'BACKEND=module, and BPF programs carry the algorithms; v5 as BPF does nothing about reordering    (ndmctl unload && ndmctl load)'
	ndmctl load
	refuses 1 'registered by BPF' 'hint: ndmctl unload && ndmctl load'
	ndmctl unload
	rm "$R/fixture/modprobe.err"
	ndmctl load
	exits 0
	ndmctl config set BACKEND bpf
	ndmctl status
	says 'BACKEND=bpf, and the module is loaded    (ndmctl unload && ndmctl load)'
	ndmctl load
	exits 0
	complains 'ndmctl unload && ndmctl load'
	ndmctl unload
	ndmctl load
	exits 0
	object_is ndm ndm-v1
}

@test "bpf: what it lacks is named, with the cure" {
	ndmctl config set BACKEND bpf
	rm "$R/sys/kernel/btf/vmlinux"
	ndmctl load
	refuses 5 'no type information (BTF)' 'hint: ndmctl config set BACKEND module && ndmctl load'
	put "$R/sys/kernel/btf/vmlinux" ''
	mv "$R/boot/config-6.12.0-test" "$R/boot/hidden"
	ndmctl load
	refuses 5 'neither /boot/config-6.12.0-test nor /proc/config.gz' 'hint: cp /usr/lib/modules/6.12.0-test/config /boot/config-6.12.0-test'
	mv "$R/boot/hidden" "$R/boot/config-6.12.0-test"
	put "$R/proc/sys/kernel/osrelease" 5.10.0-test
	ndmctl load
	refuses 5 'kernel 5.10.0-test takes no congestion control by BPF, as Linux 5.13 and later do'
	put "$R/proc/sys/kernel/osrelease" 6.12.0-test
	mv "$R/fixture/bpftool" "$R/fixture/hidden"
	ndmctl load
	refuses 5 'bpftool is not installed' 'apt install bpftool'
	ndmctl status
	says 'the algorithms are not loaded: the program bpftool is not installed'
	mv "$R/fixture/hidden" "$R/fixture/bpftool"
	put "$R/proc/self/mountinfo" $'29 1 0:25 / / rw - ext4 /dev/vda rw\n30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw'
	ndmctl load
	refuses 5 'no BPF file system' 'mount -t bpf'
	nothing_is_left
}

@test "bpf: auto without what BPF needs tells why there is no module" {
	rm "$R/sys/kernel/btf/vmlinux"
	ndmctl load
	refuses 1 'not installed for kernel 6.12.0-test' 'hint: apt install --reinstall ndm-tcp-dkms'
}

@test "bpf: a name that the kernel's verifier refuses does not keep the others away, nor is it tried again and again; none is an error" {
	put "$R/fixture/refused" ndm_v5
	ndmctl load
	exits 0
	complains 'the kernel does not take ndm_v5 by BPF'
	registered_are ndm ndm_v1 ndm_v4
	ndmctl status
	says 'this kernel does not take ndm_v5'
	says 'problems    none'
	cp "$R/fixture/ops" "$R/fixture/before"
	ndmctl load
	ndmctl load
	ndmctl cgroup set /system.slice ndm_v5
	refuses 1 'the kernel does not take ndm_v5 by BPF'
	cmp "$R/fixture/ops" "$R/fixture/before"
	ndmctl unload
	printf '%s\n' $ALL >"$R/fixture/refused"
	ndmctl load
	refuses 1 'registering the algorithms by BPF failed'
	nothing_is_left
	put "$R/fixture/bpftool.err" 'Error: Operation not permitted'
	ndmctl load
	refuses 5 'is not permitted, by lockdown, a security module or a sandbox'
}

@test "bpf: parameters are written into the maps, shown as those of the module, and put back when a command fails" {
	ndmctl config set QUEUE_MS 300
	ndmctl load
	tuning_is queue_ms 300
	tuning_is keep_noise 333
	ndmctl status
	says 'queue_ms 300 (default 200)'
	ndmctl config set KEEP_NOISE 600
	exits 0
	tuning_is keep_noise 600
	object_is ndm_v5 ndm_v5
	equals "$(grep -c . "$R/fixture/ops")" 4    # none was replaced
	ndmctl config get --diff
	exits 0
	put "$R/run/ndm-tcp/bpf/parameters/keep_noise" 500
	ndmctl config get --diff --plain
	exits 1
	says $'KEEP_NOISE\t600\t500'
	ndmctl load
	tuning_is keep_noise 600
	patch_copy <<<"write_drop_in() { die 1 'no room today' 'df'; }"
	ndmctl config set QUEUE_MS 400 KEEP_NOISE 700
	refuses 1 'no room today'
	tuning_is keep_noise 600
	tuning_is queue_ms 300
}

@test "bpf: another VARIANT is another program; the defaults of every network namespace move to it" {
	add_netns host cubic self
	add_netns web ndm 90 nginx
	ndmctl load
	ndmctl set-default ndm
	ndmctl config set VARIANT v5 --verbose
	exits 0
	complains 'write ndm > /proc/sys/net/ipv4/tcp_congestion_control of network namespace'
	object_is ndm ndm-v5
	registered_are ndm_v1 ndm_v4 ndm_v5 ndm
	default_is ndm
	holds netns/web ndm
	ndmctl status
	says 'ndm    (variant v5'
	fake nsenter <<<'exit 1'
	ndmctl config set VARIANT v4
	exits 0
	complains 'the defaults of other network namespaces could not follow: ndmctl load'
	object_is ndm ndm-v5
	holds run/ndm-tcp/bpf/parameters/variant v5
}

@test "bpf: an upgrade takes the new programs; the connections of the old ones are left alone" {
	ndmctl load
	ndmctl set-default ndm_v5 --runtime
	put "$R/run/ndm-tcp/bpf/sums" 'other sums'
	ndmctl status
	says 'they are of another version, '
	service upgrade
	exits 0
	equals "$(grep -c . "$R/fixture/old-ops")" 4
	object_is ndm_v5 ndm_v5
	default_is ndm_v5
	ndmctl status
	says 'problems    none'
	service upgrade
	equals "$(grep -c . "$R/fixture/old-ops")" 4
}

@test "bpf: unload names what holds them; connections do not. stop and remove leave nothing" {
	add_sockets
	ndmctl set-default ndm_v5 --runtime
	exits 0
	ndmctl unload
	refuses 1 'in use: the default of this network namespace is ndm_v5' 'ndm, by BPF stays loaded' 'hint: ndmctl set-default cubic --runtime && ndmctl unload'
	ndmctl set-default cubic --runtime
	ndmctl unload
	exits 0
	default_is cubic
	nothing_is_left
	ndmctl set-default ndm --runtime
	ndmctl cgroup set /system.slice ndm_v4
	exits 0
	service stop
	exits 0
	default_is cubic
	nothing_is_left
	ndmctl set-default ndm_v1 --runtime
	service remove
	nothing_is_left
}

@test "bpf: in the sandbox of the service a user that cannot be seen keeps them" {
	ndmctl load
	fake nsenter <<<'exit 1'
	put "$R/fixture/users-ndm_v5" 3
	service stop
	exits 0
	complains '2 connections or network namespaces, which cannot be seen from here, have ndm_v5'
	registered_are $ALL
	put "$R/fixture/users-ndm_v5" 1
	service stop
	nothing_is_left
}

@test "bpf: the counters and what is known of each connection" {
	local map=$R/fixture/counted number key='' byte value=() at i counters
	add_netns host cubic self
	ndmctl load
	number=$(netns_number host)
	for i in 0 8 16 24; do printf -v byte '"0x%02x"' $((number >> i & 255)); key+=${key:+,}$byte; done
	counters=$(grep -c ^counter. "$CLI/../../build/bpf/layout")
	for ((i = 0; i < 8 * counters; i++)); do value+=('"0x00"'); done
	at=$(sed -n 's/^counter.acks //p' "$CLI/../../build/bpf/layout")
	value[at]='"0x05"' value[at + 1]='"0x01"'
	at=$(sed -n 's/^counter.sockets_ndm_v5 //p' "$CLI/../../build/bpf/layout")
	for i in 0 1 2 3 4 5 6 7; do value[at + i]='"0xff"'; done    # one that another CPU has counted
	IFS=,
	printf '[{"key":[%s],"values":[{"cpu":0,"value":[%s]},{"cpu":1,"value":[%s]}]},{"key":["0x01","0x00","0x00","0x00"],"values":[{"cpu":0,"value":[%s]}]}]' "$key" "${value[*]}" "${value[*]}" "${value[*]}" >"$map"
	unset IFS
	ndmctl status --counters --plain
	exits 0
	says $'acks\t2088'    # 261, of two CPUs and four algorithms
	says $'sockets_ndm_v5\t-8'
	says $'variant\tv1'
	equals "$(cut -f 1 <<<"$output" | sort)" "$(tail -n +2 "$R/fixture/loaded/proc/net/tcp_ndm" | cut -d ' ' -f 1 | sort)"    # all but the schema
	ndmctl status
	says 'since load  acks 2088'
	add_sockets
	sed -i 's/ dctcp:(ce_state[^)]*)//' "$R/fixture/ss.txt"
	wrap ss <<-'END'
		if [[ $* != *-tneOH* ]]; then real "$@"; exit; fi
		echo 'ESTAB 0 0 192.0.2.1:443 192.0.2.9:50001 uid:0 ino:1 sk:1f0a <->'
		echo 'ESTAB 0 0 192.0.2.1:443 192.0.2.9:50002 uid:0 ino:1 sk:1f0b <->'
	END
	put "$R/sys/fs/bpf/ndm/sockets" $'1f0a 2 812 333 150\n1f0c 1 1 1 1'
	ndmctl sockets --plain
	says $'192.0.2.9:50001\tndm\t42\t20.25\tnoise\t812\t333\t150'
	says $'192.0.2.9:50002\tndm\t12\t21\t-\t-\t-\t-'
}

@test "bpf: metrics, doctor and the journal say which backend it is" {
	journal
	ndmctl load
	journal_has 'algorithms by BPF' registered
	ndmctl metrics
	says 'backend="bpf"'
	says 'ndm_tcp_loaded 1'
	ndmctl doctor --plain
	says $'backend\tok\tBPF programs carry the algorithms; v5 as BPF does nothing about reordering'
	[[ $output != *$'\tfail\t'* ]] || fail 'it does without the module'
	says $'dkms\tskip'
	put "$R/etc/sysctl.d/a.conf" 'net.ipv4.tcp_congestion_control = ndm_v5'
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" ndm_v5
	ndmctl doctor --plain
	says "default ndm_v5; the next boot does not set it: $R/etc/sysctl.d/a.conf:1 (ndm_v5) is read before BPF programs can be there"$'\tndmctl set-default ndm_v5'
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" cubic
	ndmctl unload
	ndmctl doctor --plain
	says $'registered\twarn\tthe algorithms are not loaded; BPF would carry them\tndmctl load'
}

@test "bpf: a user without rights is told who may see the counters" {
	ndmctl load
	rm -r "$R/sys/fs/bpf/ndm/algorithms"
	ndmctl status --counters
	refuses 1 'the counters of the BPF programs cannot be read' 'hint: ndmctl load'
	ndmctl load
	exits 0
	ndmctl status --counters
	[[ $status == 1 ]] || fail "without a row there is no network namespace to show"
}

defaults_follow() { # COMMAND...: it sets the default of the network namespace "web" again
	touch -d @1 "$R/netns/web"
	ndmctl "$@"
	[[ $(stat -c %Y "$R/netns/web") != 1 ]] || fail 'the default of web has the old program'
}

@test "bpf: a command that fails half-way takes back what it did, and nothing away that was there before it" {
	add_netns host cubic self
	add_netns web ndm 90 nginx
	patch_copy <<<'pin_sockets() { die 1 "no pins today" "try again"; }'
	ndmctl load
	refuses 1 'no pins today'
	nothing_is_left
	copy_for_root "$NDMCTL"
	ndmctl load
	ndmctl set-default ndm_v5 --runtime
	put "$R/run/ndm-tcp/bpf/sums" other
	patch_copy <<<'pin_sockets() { die 1 "no pins today" "try again"; }'
	service upgrade
	registered_are $ALL
	copy_for_root "$NDMCTL"
	rm -r "$R/sys/fs/bpf/ndm/algorithms/ndm_v1"
	patch_copy <<<'pin_sockets() { die 1 "no pins today" "try again"; }'
	ndmctl load
	refuses 1 'no pins today'
	registered_are $ALL
	copy_for_root "$NDMCTL"
	ndmctl load
	exits 0
	patch_copy <<<"write_drop_in() { die 1 'no room today' 'df'; }"
	defaults_follow config set VARIANT v5
	refuses 1 'no room today'
	object_is ndm ndm-v1
}

@test "bpf: a load after a kill amid a replacement sets the defaults again, and replaces nothing that is there" {
	add_netns host cubic self
	add_netns web ndm 90 nginx
	ndmctl load
	patch_copy <<<'register_name() { kill -KILL $BASHPID; }'
	put "$R/run/ndm-tcp/bpf/sums" other
	service upgrade
	registered_are ndm_v1 ndm_v4 ndm_v5
	cp "$R/fixture/ops" "$R/fixture/before"
	copy_for_root "$NDMCTL"
	defaults_follow load
	exits 0
	object_is ndm ndm-v1
	equals "$(grep -v ' ndm ' "$R/fixture/ops")" "$(<"$R/fixture/before")"
	rm -r "$R/sys/fs/bpf/ndm/algorithms/ndm_v1"
	cp "$R/fixture/ops" "$R/fixture/before"
	fake nsenter <<<'exit 1'
	service start
	exits 0
	cmp "$R/fixture/ops" "$R/fixture/before"
	[[ -e $R/sys/fs/bpf/ndm/algorithms/ndm_v1/tuning ]] || fail 'its maps have no name'
}

@test "bpf: an upgrade whose program the kernel refuses leaves the one before" {
	add_netns host cubic self
	add_netns web ndm_v5 90 nginx
	ndmctl load
	put "$R/run/ndm-tcp/bpf/sums" other
	put "$R/fixture/refused" ndm_v5
	defaults_follow service upgrade || :
	complains 'does not take this version of ndm_v5 by BPF, and the one before stays'
	all_are_registered
	rm "$R/fixture/refused"
	put "$R/run/ndm-tcp/bpf/sums" other
	defaults_follow service upgrade
}

@test "bpf: from a container those of the host are left alone" {
	ndmctl load
	cp "$R/fixture/ops" "$R/fixture/before"
	in_container
	ndmctl config set KEEP_NOISE 600
	refuses 5 'are those of the host'
	ndmctl config set VARIANT v5
	refuses 5 'are those of the host'
	ndmctl load
	exits 0
	ndmctl status
	[[ $output != *'ndmctl load'* && $output != *'service upgrade'* ]] || fail 'it proposes what cannot be done here'
	cmp "$R/fixture/ops" "$R/fixture/before"
}

@test "bpf: an unload that cannot end puts back what it took; one that was killed at its end is ended" {
	ndmctl load
	patch_copy <<<'unregister_name() { [[ $1 != ndm_v4 ]] || { RUN_ERROR=no; return 1; }; is_registered "$1" || return 0; find_live "$1" && run "$BPFTOOL" struct_ops unregister id "$LIVE"; }'
	service stop
	complains stays
	all_are_registered
	patch_copy <<<'forget_bpf() { kill -KILL $BASHPID; }'
	ndmctl unload
	copy_for_root "$NDMCTL"
	ndmctl unload
	exits 0
	nothing_is_left
}

@test "bpf: parameters without a map are told, not lost" {
	ndmctl load
	rm -r "$R/sys/fs/bpf/ndm/algorithms/ndm_v4"
	ndmctl config set KEEP_NOISE 600
	refuses 1 'the parameters of ndm_v4 are not at'
	holds run/ndm-tcp/bpf/parameters/keep_noise 333
}

@test "bpf: a network namespace that has copied the default does not keep them when the package goes" {
	add_netns host cubic self
	add_netns host cubic 1 systemd
	add_netns web ndm_v5 90 nginx
	add_netns blue ndm 91 mysqld
	ndmctl load
	service stop
	complains 'in use: network namespace'
	ndmctl set-default ndm_v5 --netns 91 # what comes back is a copy as well
	exits 0
	service remove
	exits 0
	holds netns/web cubic
	holds netns/blue cubic
	nothing_is_left
}
