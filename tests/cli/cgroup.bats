# SPDX-License-Identifier: GPL-2.0
# ndmctl cgroup, on a made-up tree whose bpftool only remembers. What connections really get is shown in tests/vm/stories/cgroup.bats.
load helpers
setup() {
	make_root
	add_cgroups /a.slice /a.slice/b.slice
	load_now
}

@test "cgroup: set attaches and records, list and show tell everybody" {
	ndmctl cgroup set /a.slice ndm
	exits 0
	attached_is 'ndm /a.slice'
	equals "$(stat -c %a "$R/run/ndm-tcp/cgroups")" 644
	list_is cgroup $'/a.slice\tndm\truntime\tactive'
	ndmctl cgroup list
	says '/a.slice'
	ndmctl cgroup list --json
	json_is '.policies[0].cgroup' /a.slice
	json_is '.policies[0].state' active
	ndmctl cgroup show /a.slice/b.slice --json
	json_is .policy null
	json_is .cc ndm
	json_is .from /a.slice
	ndmctl cgroup show a.slice --json
	json_is .policy ndm
	json_is .set 5
	json_is .not_registered 6
	ndmctl cgroup show /a.slice
	says 'policy      ndm    (runtime, active)'
	ndmctl cgroup show /system.slice --plain
	says $'cc\tcubic'
	says $'from\tdefault'
}

@test "cgroup: another name replaces, the new program first" {
	ndmctl cgroup set /a.slice ndm
	ndmctl cgroup set /a.slice ndm_v4
	attached_is 'ndm_v4 /a.slice'
	equals "$(grep -E 'attach|detach' "$R/run/commands.log" | tail -n 2 | cut -d ' ' -f 3)" $'attach\ndetach'
	if [[ -e $R/sys/fs/bpf/ndm/cc/ndm ]]; then fail 'the unused program stays pinned'; fi
}

@test "cgroup: clear; the last one leaves no trace" {
	ndmctl cgroup set /a.slice ndm
	ndmctl cgroup set /a.slice/b.slice ndm_v1
	ndmctl cgroup clear /a.slice
	exits 0
	attached_is 'ndm_v1 /a.slice/b.slice'
	ndmctl cgroup clear /a.slice/b.slice
	exits 0
	attached_is
	absent run/ndm-tcp/cgroups
	absent sys/fs/bpf/ndm
	ndmctl cgroup list
	equals "$output" ''
	complains 'no cgroup has a policy'
}

@test "cgroup: a policy somebody else removed or a cgroup made anew: set repairs, list says lost or gone, clear forgets" {
	ndmctl cgroup set /a.slice ndm
	: >"$R/fixture/attached"
	ndmctl cgroup set /a.slice ndm
	attached_is 'ndm /a.slice'
	mv "$G/a.slice" "$G/old"
	ndmctl cgroup list --plain
	says $'\tgone'
	put "$G/a.slice/cgroup.procs" ''
	ndmctl cgroup list --plain
	says $'\tlost'
	ndmctl cgroup show /a.slice --json
	json_is .state lost
	json_is .cc cubic
	rm -r "$G/a.slice"
	ndmctl cgroup clear /a.slice
	exits 0
	absent run/ndm-tcp/cgroups
}

@test "cgroup: the path may be given in three ways; a process names its own" {
	local path
	for path in /a.slice a.slice "$G/a.slice" /a.slice/; do
		ndmctl cgroup set "$path" ndm
		attached_is 'ndm /a.slice'
		ndmctl cgroup clear "$path"
		attached_is
	done
	put "$R/proc/77/cgroup" $'1:name=systemd:/x\n0::/a.slice/b.slice'
	put "$R/proc/self/cgroup" '0::/a.slice/.control'
	ndmctl cgroup set --pid 77 ndm
	attached_is 'ndm /a.slice/b.slice'
	ndmctl cgroup set ndm --self
	attached_is 'ndm /a.slice/b.slice' 'ndm /a.slice'
	ndmctl cgroup show --pid=77
	says /a.slice/b.slice
	ndmctl cgroup clear --self
	ndmctl cgroup clear --pid 77
	attached_is
}

@test "cgroup: --persist writes one line, which the other commands keep" {
	put "$R/$DROP_IN" KEEP_NOISE=600
	ndmctl cgroup set /a.slice ndm --persist
	exits 0
	complains 'systemctl enable ndm-tcp'
	ndmctl cgroup set /a.slice/b.slice ndm_v1 --persist
	ndmctl cgroup set /a.slice ndm_v4 --persist
	equals "$(grep -v '^#' "$R/$DROP_IN")" $'KEEP_NOISE=600\nCGROUP=/a.slice/b.slice:ndm_v1\nCGROUP=/a.slice:ndm_v4'
	ndmctl config unset KEEP_NOISE
	ndmctl cgroup clear /a.slice
	complains '50-ndmctl.conf:2 still has ndm_v4'
	ndmctl load
	attached_is 'ndm_v1 /a.slice/b.slice' 'ndm_v4 /a.slice'
	ndmctl cgroup clear /a.slice --persist
	equals "$(grep -c CGROUP "$R/$DROP_IN")" 1
	ndmctl cgroup clear /a.slice/b.slice --persist
	absent "$DROP_IN"
	attached_is
}

@test "cgroup: no cgroup, or out of the tree" {
	local path
	put "$G/file" ''
	remember
	for path in .. /.. /a.slice/../.. ../../etc /a.slice/./b.slice "$G/../../etc" /a.slice//b.slice; do
		ndmctl cgroup set "$path" ndm
		refuses 2 hint
		unchanged
	done
	ndmctl cgroup set /nosuch ndm
	refuses 1 'there is no cgroup /nosuch'
	ndmctl cgroup set /file ndm
	refuses 1 'is not a cgroup'
	ndmctl cgroup set '' ndm
	refuses 2 empty
	ndmctl cgroup clear /nosuch
	refuses 1 'there is no cgroup'
	unchanged
}

@test "cgroup: hostile names reach no terminal, no file and no program" {
	local path
	remember
	for path in $'/a\nb' $'/a\e[31mb' $'/a\tb' "/$(printf 'x%.0s' {1..255})" "/$(printf 'x%.0s' {1..5000})" '/a"b' "/a'b" '/$(touch /tmp/x)' '/`id`' '/a]b[$(id)]' '/-n'; do
		ndmctl cgroup set "$path" ndm
		[[ $status == [12] ]] || fail "$status"
		[[ $stderr != *$'\e'* && $stderr != *$'\t'* ]] || fail 'control characters'
		unchanged
		ndmctl cgroup show "$path"
		[[ $status == [12] ]] || fail "$status"
	done
	# such a cgroup may exist; only the configuration file cannot hold its name
	for path in "/a'b\"c \$(x) [y]" '/a\x2db.slice' $'/\xc3\xa9'; do
		put "$G$path/cgroup.procs" ''
		ndmctl cgroup set "$path" ndm
		exits 0
		attached_is "ndm $path"
		ndmctl cgroup list --json
		exits 0
		jq -e . <<<"$output" >/dev/null
		ndmctl cgroup clear "$path"
		attached_is
	done
	ndmctl cgroup set $'/\xc3\xa9' ndm --persist
	refuses 2 ASCII
	ndmctl cgroup set /a.slice ../x
	refuses 2
	unchanged
}

@test "cgroup: an algorithm that is not registered" {
	ndmctl cgroup set /a.slice nosuch
	refuses 1 'no module tcp_nosuch'
	attached_is
	absent sys/fs/bpf/ndm
	ndmctl cgroup set /a.slice bbr
	exits 0
	attached_is 'bbr /a.slice'
}

@test "cgroup: cgroup v1 only, hybrid, no bpffs, no bpftool" {
	put "$R/proc/self/mountinfo" '30 1 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory'
	remember
	ndmctl cgroup set /a.slice ndm
	refuses 5 'no cgroup2 hierarchy'
	ndmctl cgroup list
	exits 0
	put "$R/proc/self/mountinfo" $'30 1 0:26 / /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory
31 1 0:27 / /sys/fs/cgroup\\040x rw - cgroup2 cgroup2 rw
32 1 0:28 / /run/cilium/bpffs rw - bpf bpf rw'
	mkdir -p "$R/sys/fs/cgroup x/h"
	touch "$R/sys/fs/cgroup x/h/cgroup.procs"
	ndmctl cgroup set /h ndm
	refuses 5 'no BPF file system' 'mount -t bpf -o mode=0700 bpf /sys/fs/bpf'
	unchanged
	G="$R/sys/fs/cgroup x"
	printf '33 1 0:29 / /sys/fs/bpf rw - bpf bpf rw\n' >>"$R/proc/self/mountinfo"
	ndmctl cgroup set /h ndm
	exits 0
	attached_is 'ndm /h'
	rm "${R:?}/fixture/bpftool"
	ndmctl cgroup set /h ndm_v1
	refuses 5 'bpftool is not installed' 'apt install bpftool'
	ndmctl cgroup list --plain
	says active
}

@test "cgroup: where the cgroups of the system are hidden, as below ip netns exec, nothing is taken for gone" {
	add_systemd
	load_now
	ndmctl cgroup set /batch.slice ndm
	ndmctl unit set web ndm
	mkdir -p "$R/proc/1"
	mv "$R/proc/self/mountinfo" "$R/proc/1/mountinfo"
	sed -i /web.service/d "$R/run/ndm-tcp/cgroups"    # restarted, it has its program from systemd
	put "$R/proc/self/mountinfo" '29 1 0:25 / /sys rw - sysfs web rw'
	remember
	ndmctl cgroup list --plain
	says $'/batch.slice\tndm\truntime\tunknown'
	ndmctl cgroup set /batch.slice ndm
	refuses 5 'cannot be seen from here' 'nsenter -t 1 -m -C ndmctl cgroup set /batch.slice ndm'
	ndmctl unload
	refuses 1 'in use: the policy of the cgroup /batch.slice is ndm' 'the policy of the unit web.service is ndm'
	service stop
	exits 0
	complains 'no cgroup can be seen from here'
	unchanged
	[[ -d $R/sys/module/tcp_ndm ]] || fail 'the module went'
	mv "$R/proc/1/mountinfo" "$R/proc/self/mountinfo"
	service stop
	attached_is
}

@test "cgroup: a process that has ended, that is ending, that is everywhere" {
	remember
	ndmctl cgroup set --pid 4242 ndm
	refuses 1 'there is no process 4242 (any more)'
	mkdir -p "$R/proc/4242"
	ndmctl cgroup set --pid 4242 ndm
	refuses 1 'has ended'
	put "$R/proc/4242/cgroup" '0::/a.slice (deleted)'
	ndmctl cgroup set --pid 4242 ndm
	refuses 1 'its cgroup is gone'
	put "$R/proc/4242/cgroup" '0::/'
	ndmctl cgroup set --pid 4242 ndm
	refuses 1 'the whole system'
	put "$R/proc/4242/cgroup" '0::/../../x'
	ndmctl cgroup set --pid 4242 ndm
	refuses 2 'must not leave the tree'
	local pid
	for pid in 0 -1 x 1e3 99999999999 ''; do
		ndmctl cgroup set --pid "$pid" ndm
		refuses 2 'not the number of a process'
	done
	ndmctl cgroup set --pid 1 --self ndm
	refuses 2 exclude
	unchanged
}

@test "cgroup: when the kernel refuses, all is as before and the words say why" {
	ndmctl cgroup set /a.slice/b.slice ndm
	remember
	put "$R/fixture/bpftool.err" 'failed to attach program: Operation not permitted'
	ndmctl cgroup set /a.slice/b.slice ndm_v1
	refuses 5 'not permitted'
	unchanged
	in_container
	remember
	ndmctl cgroup set /a.slice ndm
	refuses 5 'in this container'
	unchanged
	put "$R/fixture/bpftool.err" 'something else'
	if [[ -e $R/sys/fs/bpf/ndm/new || -e $R/sys/fs/bpf/ndm/cc/ndm_v1 ]]; then fail 'something of the program is left'; fi
	ndmctl cgroup set /a.slice ndm
	refuses 1 'something else'
	unchanged
}

@test "cgroup: without BTF the plain program serves, and ndmctl says what it cannot do" {
	: >"$R/fixture/no-btf"
	ndmctl cgroup set /a.slice ndm
	exits 0
	complains BTF
	attached_is 'ndm /a.slice'
	ndmctl cgroup show /a.slice
	says 'outermost policy wins'
	ndmctl cgroup show /a.slice --json
	json_is .program plain
}

@test "cgroup: a name that ends with a blank keeps its policy" {
	add_cgroups '/user.slice/evil '
	load_now
	ndmctl cgroup set '/user.slice/evil ' ndm
	exits 0
	ndmctl cgroup list --json
	json_is '.policies[0].state' active
	ndmctl unload
	refuses 1 'in use: the policy of the cgroup /user.slice/evil  is ndm' 'hint: ndmctl cgroup clear /user.slice/evil\  && ndmctl unload'
}

@test "cgroup: advice can be pasted, whatever the name of the cgroup" {
	local name='/x; touch $(id)'
	add_cgroups "$name"
	load_now
	ndmctl cgroup set /system.slice ndm    # the program is loaded, so that attaching is what fails
	put "$R/fixture/bpftool.err" 'failed to attach program: No space left'
	ndmctl cgroup set "$name" ndm
	refuses 1 "bpftool cgroup tree '$G$name'"
	put "$R/fixture/bpftool.err" 'failed to attach program: Operation not permitted'
	ndmctl cgroup set "$name" ndm
	refuses 5 "bpftool cgroup tree '$G$name'"
}

@test "cgroup: what a killed ndmctl was loading goes with the next change" {
	add_cgroups
	load_now
	put "$R/sys/fs/bpf/ndm/new/prog" 7
	ndmctl -n cgroup clear /system.slice
	[[ -e $R/sys/fs/bpf/ndm/new ]] || fail 'a dry run removed it'
	ndmctl cgroup clear /system.slice
	exits 0
	absent sys/fs/bpf/ndm
}

@test "cgroup: a policy whose program somebody has detached is lost, for root, wherever it is shown; setting it again mends it" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'CGROUP=/a.slice:ndm_v4'
	ndmctl load
	ndmctl cgroup set /a.slice/b.slice ndm
	ndmctl config get --diff
	exits 0
	: >"$R/fixture/attached"
	list_is cgroup $'/a.slice\tndm_v4\tconfig\tlost\n/a.slice/b.slice\tndm\truntime\tlost'
	ndmctl cgroup show /a.slice/b.slice --json
	json_is '.cc, .from' $'cubic\ndefault'
	ndmctl config get --diff
	exits 1
	says 'CGROUP=/a.slice'
	ndmctl metrics
	says 'ndm_tcp_policies_lost 2'
	ndmctl doctor
	says 'warn  policies     the cgroup /a.slice lost its policy' 'the cgroup /a.slice/b.slice lost its policy'
	ndmctl cgroup set /a.slice/b.slice ndm
	ndmctl load
	attached_is 'ndm /a.slice/b.slice' 'ndm_v4 /a.slice'
	ndmctl cgroup list --plain
	equals "$(cut -f 4 <<<"$output" | sort -u)" active
	# One set by hand that is lost no longer keeps the configuration away.
	ndmctl cgroup set /a.slice ndm
	sed -i "\\,$G/a.slice\$,d" "$R/fixture/attached"
	ndmctl load
	attached_is 'ndm /a.slice/b.slice' 'ndm_v4 /a.slice'
	# Who may not ask sees none as lost; nor does a bpftool that fails make one lost.
	: >"$R/fixture/attached"
	put "$R/fixture/denied" ''
	ndmctl cgroup list --plain
	equals "$(cut -f 4 <<<"$output" | sort -u)" active
}

@test "cgroup: in a container, what its own records do not name is the host's, and stays" {
	ndmctl cgroup set /a.slice ndm
	ndmctl config set METRICS yes
	rm "$R"/run/ndm-tcp/*
	# A file of an image makes no container, the kernel says what is one.
	put "$R/.dockerenv" ''
	ndmctl unload -n
	exits 0
	in_container
	remember
	ndmctl unload
	refuses 5 'tcp_ndm is the module of the host'
	for command in 'service stop' 'service remove'; do
		ndmctl $command
		exits 0
		complains 'tcp_ndm stays loaded: it is the module of the host'
		rm -f "$R/run/ndm-tcp/removing"
		unchanged
	done
}

@test "cgroup: a container that has the BPF file system of its host leaves there what it has not made" {
	put "$R/sys/kernel/btf/vmlinux" ''
	ndmctl cgroup set /a.slice ndm
	ndmctl config set METRICS yes
	exits 0
	rm "$R"/run/ndm-tcp/*
	in_container
	remember
	ndmctl cgroup set /a.slice/b.slice ndm
	refuses 5 'may be the BPF file system of the host'
	ndmctl config set METRICS yes
	refuses 5 'may be the BPF file system of the host'
	service stop
	exits 0
	unchanged
	# Its own come and go beside these.
	ndmctl cgroup set /a.slice/b.slice ndm_v1
	exits 0
	ndmctl cgroup clear /a.slice/b.slice
	exits 0
	absent sys/fs/bpf/ndm/cc/ndm_v1
	ndmctl cgroup set /a.slice/b.slice ndm_v1
	service stop
	exits 0
	absent sys/fs/bpf/ndm/cc/ndm_v1
	attached_is 'ndm /a.slice'
	# Nor by a record of the same name, which its /run may have kept.
	put "$R/run/ndm-tcp/programs" 'ndm 7 nearest 0'
	put "$R/run/ndm-tcp/metrics" '7 0'
	service stop
	ndmctl config set METRICS no
	[[ -e $R/sys/fs/bpf/ndm/cc/ndm/prog && -e $R/sys/fs/bpf/ndm/count/prog ]] || fail 'a name of the host is gone'
}
