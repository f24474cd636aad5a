# SPDX-License-Identifier: GPL-2.0
load helpers
setup() { make_root; }

@test "status: --short and --check through the three states" {
	ndmctl status --short
	equals "$output" absent
	ndmctl status --check
	exits 3
	equals "$output$stderr" ''
	load_now
	ndmctl status --short --json
	json_is .state loaded
	ndmctl status --check
	exits 0
	equals "$output$stderr" ''
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" ndm_v4
	ndmctl status --short
	equals "$output" default
}

@test "status: text, --plain and JSON of a loaded module with sockets, counters and a changed parameter" {
	ndmctl set-default ndm --runtime
	add_sockets
	put "$R/sys/module/tcp_ndm/parameters/entropy_threshold" 650
	put "$R/sys/module/tcp_ndm/refcnt" 4
	ndmctl status
	exits 0
	equals "$output" "module      tcp_ndm 0.1.0, loaded, 4 references
default     ndm    (variant v1, was cubic)
parameters  entropy_threshold 650 (default 700)
policies    none
sockets     2 ndm, 1 cubic, 1 dctcp, 1 ndm_v4    (5 TCP in this network namespace)
            /system.slice/nginx.service: 2 ndm
            /system.slice/ssh.service: 1 cubic
            unreachable:b3c: 1 dctcp
            /user.slice/a cubic \"b: 1 ndm_v4
since load  acks 123456, losses judged noise 12, congestion 3, no data 4, undos 2
problems    none"
	ndmctl status --plain
	says $'loaded\tyes' $'default\tndm' $'sockets.ndm\t2'
	[[ $(grep -cv $'\t' <<<"$output") == 0 ]] || fail 'line without a tab'
	ndmctl status --json
	json_is '.module.loaded' true
	json_is '.module.references|type' number
	json_is '.sockets.ndm' 2
	json_is '.parameters.entropy_threshold' 650
	json_is .default ndm
	json_is .previous_default cubic
	json_is '.counters.acks' 123456
}

add_policies() { # of every kind; network namespace and route of hostile names
	cp "$CLI/fixtures/ip" "$R/fixture/"
	put "$R/fixture/routes4" 'main 0 unicast default via 192.0.2.1 dev eth0 proto static scope global congctl lock bbr'
	put "$R/fixture/routes6" 'isp 1024 unicast default via fe80::1 dev eth0 proto ra scope global metric 1024 congctl ndm'
	add_netns host ndm self
	add_netns web reno 90 nginx
	add_netns lab vegas
	add_netns same ndm 91 same
	name_netns lab $'4\e"2'
	add_systemd
	ndmctl -q cgroup set '/batch.slice' ndm_v4
	ndmctl -q unit set web ndm
}

@test "status: policies of routes and network namespaces, and those without effect" {
	load_now
	ndmctl set-default ndm --runtime
	add_policies
	ndmctl status
	exits 0
	equals "$(grep -A 5 ^policies <<<"$output")" "policies    cgroup /batch.slice: ndm_v4    (runtime, active)
            unit web.service: ndm    (persistent)
            netns $(netns_number web): reno    (pid 90)
            netns 4\\u001b\"2: vegas
            route default: bbr    (table main, metric 0, lock)
            route ::/0: ndm    (table isp, metric 1024)"
	says 'the policy of route default has no effect: bbr is not registered    (modprobe tcp_bbr)'
	says ': vegas is not registered'
	ndmctl status --plain
	says $'policy\troute\t::/0\tndm\ttable isp, metric 1024'
	[[ $output != *$'\e'* ]] || fail 'escape sequence printed'
	add_sockets
	ndmctl status --json
	json_is '[.policies[] | .kind, .cc] | join(" ")' 'cgroup ndm_v4 unit ndm netns reno netns vegas route bbr route ndm'
	json_is '.policies[3].target + .policies[4].remark' $'4\e"2table main, metric 0, lock'
	json_is '[.cgroups[] | .cgroup, .cc, .sockets] | join(" ")' \
		'/system.slice/nginx.service ndm 2 /system.slice/ssh.service cubic 1 unreachable:b3c dctcp 1 /user.slice/a cubic "b ndm_v4 1'
	json_is '[.problems[] | .id, .command] | join(" ")' 'policy-without-effect modprobe tcp_vegas policy-without-effect modprobe tcp_bbr'
}

@test "status: the cgroups with the most sockets; --plain has all" {
	local i
	for i in 1 2 3 4 5 6 7; do
		sed "s,cgroup:[^ ]*,cgroup:/s$i," "$CLI/fixtures/ss.txt" | head -n $((i > 3 ? 3 : i))
	done >"$R/fixture/ss.txt"
	ndmctl status
	equals "$(grep -c '^            /s' <<<"$output")" 5
	says 'and in 2 more cgroups    (ndmctl status --plain)'
	ndmctl status --plain
	equals "$(grep ^cgroup <<<"$output" | cut -f 2 | sort -u | wc -l)" 7
}

@test "status: an ss with --cgroup, and one without" {
	add_sockets
	printf '%s\n' '#!/bin/sh' '[ "$2" = --cgroup ] || exec sed "s,cgroup:[^ ]* ,," "${0%/*}/ss.txt"' 'exec cat "${0%/*}/ss.txt"' >"$R/fixture/ss"
	chmod +x "$R/fixture/ss"
	ndmctl status --json
	json_is .sockets.ndm 2
	json_is '.cgroups | length' 4
	sed -i '$s/.*/exit 255/' "$R/fixture/ss"
	ndmctl status --json
	json_is .sockets.ndm 2
	json_is '.cgroups | length' 0
}

@test "status: another version on disk is a problem with a command that works, also where it is the default somewhere" {
	load_now
	put "$R/fixture/version" 0.2.0
	ndmctl status
	says 'version 0.1.0 is loaded, 0.2.0 is installed    (ndmctl unload && ndmctl load)'
	ndmctl set-default ndm --runtime
	ndmctl status --json
	json_is '.problems[0].command' 'ndmctl set-default cubic --runtime && ndmctl unload && ndmctl set-default ndm --runtime'
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=yes
	ndmctl status --json
	json_is '.problems[0].command' 'ndmctl set-default cubic --runtime && ndmctl unload && ndmctl load'
	add_netns lab ndm_v4
	name_netns lab blue
	ndmctl status
	says '(systemctl reboot)'
}

@test "status: where /sys/module is hidden, as in systemd-nspawn, the registered algorithms say what is loaded" {
	load_now
	rm -r "$R/sys/module"
	ndmctl status
	says 'module      tcp_ndm, loaded; what /sys/module says of it is hidden here' 'problems    none'
	ndmctl status --check
	exits 0
	ndmctl unload
	refuses 5 'tcp_ndm is the module of the host'
}

@test "status: an invalid configuration is a problem" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'DEFAULT=a b'
	ndmctl status
	exits 0
	says 'configuration invalid'
	says 'ndmctl config validate'
}

@test "status: a unit that another one requires, or that an image has enabled, is enabled" {
	local link
	load_now
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'DEFAULT=cubic'
	for link in etc/systemd/system/network.target.requires etc/systemd/system/a.service.upholds usr/lib/systemd/system/multi-user.target.wants; do
		ndmctl status
		says 'not applied at boot'
		put "$R/$link/ndm-tcp.service" '[Unit]'
		ndmctl status
		[[ $output != *'not applied at boot'* ]] || fail "$link: $output"
		rm -r "${R:?}/$link"
	done
}

@test "status: a masked unit is not enabled, though the link that enables it is there" {
	local masked
	load_now
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'DEFAULT=cubic'
	put "$R/etc/systemd/system/multi-user.target.wants/ndm-tcp.service" '[Unit]'
	for masked in etc run; do
		mkdir -p "$R/$masked/systemd/system"
		ndmctl status
		[[ $output != *'not applied at boot'* ]] || fail "$output"
		ln -s /dev/null "$R/$masked/systemd/system/ndm-tcp.service"
		ndmctl status
		says 'ndm-tcp.service is not enabled, so DEFAULT=cubic is not applied at boot'
		says 'systemctl unmask ndm-tcp && systemctl enable ndm-tcp'
		ndmctl metrics
		says 'ndm_tcp_enabled 0'
		ndmctl config set DEFAULT cubic
		complains 'systemctl unmask ndm-tcp'
		rm "$R/etc/ndm-tcp/conf.d/50-ndmctl.conf"
		rm "$R/$masked/systemd/system/ndm-tcp.service"
	done
}

@test "status: JSON of a module that is not loaded" {
	ndmctl status --json
	json_is '.module.loaded, .backend, .counting' $'false\nnone\nfalse'
	json_is .module.version null
	json_is '.counters.acks' null
	json_is '.problems[0].command' 'ndmctl load'
}

@test "status: answers although half of /proc is missing" {
	rm -r "${R:?}/proc"
	ndmctl status
	exits 0
	says 'default     unknown'
}

# What doctor and status say of the same machine: lines of --json, without those of the checks that status leaves to doctor.
findings_of() { # doctor|status
	ndmctl "$1" --json
	jq -c '(.findings // .problems)[] | select(.state == "fail" or .state == "warn") | select(.check | IN("dkms", "inuse", "conflicts") | not)' <<<"$output" | sort
}

@test "status: the problems are those of doctor, in its words, with its hints; metrics count them" {
	local doctor
	load_now
	put "$R/fixture/version" 0.2.0
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'DEFAULT=ndm\nMETRICS=yes'
	rm -r "$R/lib/modules/6.12.0-test/build"
	add_kernel 6.14.0-new
	add_cgroups
	doctor=$(findings_of doctor)
	equals "$(findings_of status)" "$doctor"
	equals "$(jq -r .id <<<"$doctor" | paste -sd ' ')" 'default-other headers-missing no-btf newest-unbuilt version-other not-at-boot'
	ndmctl metrics
	says $'ndm_tcp_problems{state="fail"} 1\n' 'ndm_tcp_problems{state="warn"} 5'
}

@test "status: --json has commands that can be typed as command, and all else as advice" {
	put "$R/sys/kernel/security/lockdown" 'none [integrity] confidentiality'
	ndmctl status --json
	json_is '.problems[] | select(.check == "lockdown") | .command' null
	json_is '.problems[] | select(.check == "lockdown") | .advice | startswith("boot without")' true
	json_is '.problems[] | select(.check == "registered") | .command' 'ndmctl load'
	ndmctl doctor --json
	json_is '[.findings[] | select(.command and .advice)] | length' 0
}
