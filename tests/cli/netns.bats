# SPDX-License-Identifier: GPL-2.0
# Network namespaces: which there are, and their defaults.
load helpers
setup() {
	make_root
	put "$R/proc/sys/net/ipv4/tcp_allowed_congestion_control" 'reno cubic ndm ndm_v1 ndm_v4'
	add_netns host cubic self
	add_netns host cubic 1 systemd
	add_netns web cubic 900 nginx
	add_netns web cubic 90 docker-proxy
	add_netns lab reno
	name_netns lab blue
}

netns_is() { holds "netns/$1" "$2"; }

@test "netns: list has each once, our own first, with the oldest process and every name; or one" {
	ndmctl status --netns blue
	equals "$output" reno
	ndmctl status --netns 90 --json
	json_is .default cubic
	name_netns web 'we"b'
	name_netns lab .hidden
	add_netns old reno 7 old
	ndmctl status --netns all --plain
	exits 0
	equals "$output" "$(netns_number host)	cubic	1	systemd	-
$(netns_number old)	reno	7	old	-
$(netns_number web)	cubic	90	docker-proxy	we\"b
$(netns_number lab)	reno	-	-	blue/.hidden"
	ndmctl status --netns all
	equals "$(wc -l <<<"$output")" 5
	says 'blue .hidden'
	ndmctl status --netns all --json
	json_is '.namespaces[0].own' true
	json_is '.namespaces[2] | [.pid, .command, .default, .own, .names[0]] | join(" ")' '90 docker-proxy cubic false we"b'
	json_is '.namespaces[3] | [.pid, .command] | tostring' '[null,null]'
	json_is '.namespaces[3].names | join(" ")' 'blue .hidden'
}

@test "netns: set-default by name and by PID, now only; twice changes nothing more; --revert puts back" {
	local target
	for target in web:90 web:900 lab:blue; do
		remember
		ndmctl set-default ndm --netns "${target#*:}"
		exits 0
		equals "$output" ''
		complains 'lasts as long as the network namespace'
		netns_is "${target%:*}" ndm
		default_is cubic
		absent run/ndm-tcp/default
		absent "$DROP_IN"
		ndmctl -v set-default ndm --netns "${target#*:}"
		exits 0
		complains 'already so: the default of network namespace'
		ndmctl set-default --revert --netns "${target#*:}"
		exits 0
		"$R/fixture/modprobe" -r tcp_ndm
		unchanged
		ndmctl set-default --revert --netns "${target#*:}"
		exits 0
		complains 'nothing to revert'
	done
}

@test "netns: all of them, and back to what each had" {
	remember
	ndmctl set-default ndm_v4 --netns all
	exits 0
	netns_is web ndm_v4
	netns_is lab ndm_v4
	default_is ndm_v4
	ndmctl set-default --revert --netns all
	exits 0
	"$R/fixture/modprobe" -r tcp_ndm
	unchanged
}

@test "netns: the record of one that has ended is not taken for another's" {
	ndmctl set-default ndm --netns blue
	local record
	record=run/ndm-tcp/netns-$(netns_number lab)
	holds "$record" $'previous=reno\nset=ndm'
	rm "${R:?}/run/netns/blue"
	ndmctl set-default ndm --netns 90
	exits 0
	absent "$record"
}

@test "netns: bad targets are refused before anything changes" {
	local target
	name_netns lab 90
	mkdir -p "$R/proc/77" # a process that has ended, before its parent has asked how
	remember
	for target in '' . .. ../lab a/b /run/netns/blue; do
		ndmctl set-default ndm "--netns=$target"
		refuses 2 'neither a name' 'ndmctl status --netns all'
	done
	ndmctl set-default ndm --netns 90
	refuses 2 'both a name and a PID'
	for target in 4711 nosuch "$(printf 'x%.0s' {1..255})" $'e\e[31m' "q'\"" $'new\nline' '$(id)' -1 0x5a; do
		ndmctl set-default ndm "--netns=$target"
		refuses 1 'no network namespace and no process'
		[[ $stderr != *$'\e'* ]] || fail 'escape sequence printed'
		ndmctl status "--netns=$target"
		refuses 1
	done
	ndmctl set-default ndm --netns 77
	refuses 1 'has ended'
	unchanged
	absent run/commands.log
}

@test "netns: an algorithm that only the host may have as its default: EPERM explained, all put back" {
	put "$R/proc/sys/net/ipv4/tcp_available_congestion_control" 'reno cubic vegas'
	remember
	ndmctl set-default vegas --netns all
	refuses 1 'Operation not permitted' "tcp_allowed_congestion_control='reno cubic ndm ndm_v1 ndm_v4 vegas'" 'everything was put back'
	unchanged
	ndmctl set-default nosuch --netns all
	refuses 1 'no module tcp_nosuch'
	unchanged
}

@test "netns: users see their own, and are told about the rest" {
	as_nobody "$NDMCTL" status --netns all --plain
	exits 0
	[[ $output == *$'\t'$(cat /proc/sys/net/ipv4/tcp_congestion_control)$'\t'* ]] || fail 'its own is missing'
	complains 'sudo ndmctl status --netns all'
	as_nobody "$ON_R" status --netns blue
	refuses 4 'only root sees' 'sudo ndmctl status --netns blue'
}

@test "netns: one whose number another has got meanwhile is not changed" {
	add_netns other cubic
	patch_copy <<-END
		eval "real_\$(declare -f enter_netns)"
		enter_netns() { ln -sf "$R/netns/other" "$R/proc/90/ns/net"; real_enter_netns "\$@"; }
	END
	ndmctl set-default reno --netns 90
	refuses 1 'has just ended'
	holds netns/other cubic
	holds netns/web cubic
}

@test "netns: called inside of one, ndmctl records that one, and the way back of the system stays" {
	ndmctl set-default ndm --runtime
	holds run/ndm-tcp/default $'previous=cubic\nset=ndm'
	add_netns inner cubic self
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" cubic
	ndmctl set-default ndm_v4 --runtime
	exits 0
	holds run/ndm-tcp/default $'previous=cubic\nset=ndm'
	holds "run/ndm-tcp/netns-$(netns_number inner)" $'previous=cubic\nset=ndm_v4'
	ndmctl set-default --revert --runtime
	default_is cubic
	absent "run/ndm-tcp/netns-$(netns_number inner)"
	holds run/ndm-tcp/default $'previous=cubic\nset=ndm'
	netns_is host cubic
	put "$R/netns/host" ndm
	ndmctl set-default --revert --netns 1 # from inside, the system's own
	netns_is host cubic
	absent run/ndm-tcp/default
}

@test "netns: before the package is removed each goes back, one that cannot leaves the others alone" {
	ndmctl set-default ndm --netns all
	put "$R/netns/web" reno # somebody's since then
	add_netns bad cubic 50 bad
	ndmctl set-default ndm --netns 50
	wrap nsenter <<-'END'
		[[ $2 != tee || ! ${1#--net=} -ef ${0%/*}/../netns/bad ]] || { echo "tee: x: Operation not permitted" >&2; exit 1; }
		real "$@"
	END
	service remove
	exits 0
	complains '(pid 50, bad) keeps its default'
	netns_is bad ndm
	default_is cubic
	netns_is web reno
	netns_is lab reno
	absent sys/module/tcp_ndm
	equals "$(ls "$R/run/ndm-tcp")" "lock
netns-$(netns_number bad)
removing"
}

@test "netns: more of them than files may be open: all or none are changed, and removal puts all back" {
	local i
	for i in {1..60}; do add_netns "n$i" cubic $((1000 + i)) x; done
	link_answers
	with_limit() { run --separate-stderr bash -c 'ulimit "$0" 55; exec "$@"' "$@"; }
	with_limit -n "$ON_R" set-default ndm --netns all
	refuses 1 'may open only 55 files'
	equals "$(cat "$R"/netns/n* | sort -u)" cubic
	with_limit -Sn "$ON_R" set-default ndm --netns all
	exits 0
	equals "$(cat "$R"/netns/n* | sort -u)" ndm
	with_limit -n "$ON_SERVICE" remove
	exits 0
	equals "$(cat "$R"/netns/n* | sort -u)" cubic
	equals "$(ls "$R/run/ndm-tcp")" $'lock\nremoving'
}

@test "netns: removal from inside of one, as rpm does, frees the module and puts the system's default back" {
	ndmctl set-default ndm --runtime
	put "$R/netns/host" ndm
	add_netns script ndm self # copied
	add_netns script ndm 70 sh
	service -v remove
	exits 0
	[[ $stderr$'\n' != *'modprobe tcp_'$'\n'* ]] || fail 'a module without a name'
	default_is cubic # of the script
	netns_is host cubic
	absent run/ndm-tcp/default
	absent sys/module/tcp_ndm
}

@test "netns: removal puts back what it can, policies and all, also where systemd is silent" {
	add_systemd
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'DEFAULT=yes\nUNIT=web.service:ndm\nCGROUP=/batch.slice:ndm'
	service start
	exits 0
	ndmctl set-default ndm --netns blue
	default_is ndm
	put "$R/fixture/systemd-busy" daemon-reload
	service remove
	refuses 1 'systemctl daemon-reload failed' 'not everything was put back; what is left ends with the next boot'
	default_is cubic
	netns_is lab reno
	attached_is
	absent sys/module/tcp_ndm
	rm "$R/fixture/systemd-busy"
	service remove
	exits 0
	absent run/systemd/system/web.service.d/50-ndm-tcp.conf
}
