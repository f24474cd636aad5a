# SPDX-License-Identifier: GPL-2.0
load helpers
setup() { make_root; }

@test "status: --short and --check through the three states" {
	ndmctl status --short
	is "$output" absent
	ndmctl status --check
	exits 3
	is "$output$stderr" ''
	load_now
	ndmctl status --short
	is "$output" loaded
	ndmctl status --check
	exits 0
	is "$output$stderr" ''
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" ndm_v4
	ndmctl status --short
	is "$output" default
}

@test "status: text of a loaded module with sockets, counters and a changed parameter" {
	ndmctl set-default ndm --runtime
	add_sockets
	put "$R/sys/module/tcp_ndm/parameters/entropy_threshold" 650
	put "$R/sys/module/tcp_ndm/refcnt" 4
	ndmctl status
	exits 0
	is "$output" "module      tcp_ndm 0.1.0, loaded, 4 references
default     ndm    (was cubic)
parameters  entropy_threshold 650 (default 700)
sockets     2 ndm, 1 cubic, 1 dctcp, 1 ndm_v4    (5 TCP in this network namespace)
since load  acks 123456, losses judged noise 12, congestion 3, no data 4, undos 2
problems    none"
}

@test "status: another version on disk is a problem with a command" {
	load_now
	put "$R/fixture/version" 0.2.0
	ndmctl status
	says 'version 0.1.0 is loaded, 0.2.0 is installed'
	says 'ndmctl unload && ndmctl reload'
}

@test "status: problems are an invalid configuration, a default that drifted, a unit that is not enabled" {
	load_now
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'DEFAULT=ndm'
	ndmctl status
	says 'the configuration says ndm, the default is cubic'
	says 'systemctl enable ndm-tcp'
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'DEFAULT=a b'
	ndmctl status
	exits 0
	says 'configuration invalid'
	says 'ndmctl config validate'
}

@test "status: not installed points to doctor" {
	rm "${R:?}/fixture/version"
	ndmctl status
	exits 0
	says 'not installed for kernel 6.12.0-test'
	says 'ndmctl doctor'
}

@test "status: JSON" {
	ndmctl status --json
	json_is .schema 1
	json_is .command status
	json_is .module.loaded false
	json_is .module.version null
	json_is '.counters.acks' null
	json_is '.problems[0].command' 'ndmctl load'
	ndmctl set-default ndm --runtime
	add_sockets
	put "$R/sys/module/tcp_ndm/parameters/variant" v4
	ndmctl status --json
	json_is '.module.loaded' true
	json_is '.module.references|type' number
	json_is '.sockets.ndm' 2
	json_is '.parameters.variant' v4
	json_is .default ndm
	json_is .previous_default cubic
	json_is '.counters.acks' 123456
}

@test "status: --plain is tab-separated" {
	ndmctl set-default ndm --runtime
	add_sockets
	ndmctl status --plain
	says $'loaded\tyes'
	says $'default\tndm'
	says $'sockets.ndm\t2'
	[[ $(grep -cv $'\t' <<<"$output") == 0 ]] || fail 'line without a tab'
}

@test "status: answers although half of /proc is missing" {
	rm -r "${R:?}/proc"
	ndmctl status
	exits 0
	says 'default     unknown'
	ndmctl default
	refuses 5
}

@test "status: hostile text in the sysctl stays valid JSON" {
	printf 'a"b\\c\001\xff\n' >"$R/proc/sys/net/ipv4/tcp_congestion_control"
	ndmctl default --json
	json_is .command default
	json_is '.default|length' 7
}
