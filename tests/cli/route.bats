# SPDX-License-Identifier: GPL-2.0
# Routes with an algorithm of their own.
load helpers
setup() {
	make_root
	cp "$CLI/fixtures/ip" "$R/fixture/"
	put "$R/fixture/routes4" 'main 0 unicast default via 192.0.2.1 dev eth0 proto dhcp scope global src 192.0.2.9 mtu lock 1400
main 0 unicast 192.0.2.0/24 dev eth0 proto kernel scope link
main 0 blackhole 198.51.100.0/24 proto boot scope global
main 10 unicast 203.0.113.0/24 via 192.0.2.7 dev eth0 proto static scope global metric 10
main 20 unicast 203.0.113.0/24 via 192.0.2.8 dev eth0 proto static scope global metric 20 congctl lock bbr
isp 0 unicast default via 192.0.2.2 dev eth1 proto static scope global'
	put "$R/fixture/routes6" 'main 1024 unicast default via fe80::1 dev eth0 proto ra scope global metric 1024 expires 1700sec pref medium'
	ROUTES=$(routes)
}

routes() { cat "$R/fixture/routes4" "$R/fixture/routes6"; }

route_has() { # PATTERN: exactly one route
	equals "$(routes | grep -c -- "$1")" 1
}

untouched() { equals "$(routes)" "$ROUTES"; }

@test "route: set and clear change nothing but congctl; each twice is once" {
	ndmctl route set default ndm
	exits 0
	equals "$output" ''
	route_has '^main 0 unicast default via 192.0.2.1 dev eth0 proto dhcp scope global src 192.0.2.9 mtu lock 1400 congctl ndm$'
	equals "$(routes | grep -c congctl)" 2
	holds run/commands.log "modprobe tcp_ndm
ip -4 route change unicast default via 192.0.2.1 dev eth0 proto dhcp scope global src 192.0.2.9 mtu lock 1400 table main congctl ndm"
	ndmctl -v route set default ndm
	complains 'already so: the route default has congctl ndm'
	ndmctl route clear default
	exits 0
	untouched
	absent run/ndm-tcp/routes
	ndmctl -v route clear default
	exits 0
	complains 'already so'
	untouched
}

@test "route: the notes say how long it lasts, and name what keeps it" {
	ndmctl route set default ndm
	complains 'at the latest at the next boot'
	complains 'TCPCongestionControlAlgorithm=ndm'
	complains 'up ip -4 route change unicast default via 192.0.2.1 dev eth0'
	complains 'DHCP created this route'
	complains 'ndmctl route set ::/0 ndm'
	ndmctl route set 203.0.113.0/24 ndm --metric 10 --lock
	exits 0
	[[ $stderr != *TCPCongestionControlAlgorithm* && $stderr != *DHCP* && $stderr != *::/0* ]] || fail 'a note that is not true'
	ndmctl route set ::/0 ndm
	complains 'router advertisements renew this route'
	ndmctl -q route set ::/0 ndm_v4
	equals "$stderr" ''
}

@test "route: --lock, --metric and --table; clear gives back the congctl that was there before" {
	ndmctl route set 203.0.113.0/24 ndm --metric 20
	route_has '^main 20 .* metric 20 congctl ndm$'
	ndmctl route set 203.0.113.0/24 ndm --metric 20 --lock
	route_has '^main 20 .* metric 20 congctl lock ndm$'
	ndmctl route set default ndm_v4 --table isp
	route_has '^isp 0 unicast default .* congctl ndm_v4$'
	ndmctl route clear default --table isp
	ndmctl route clear 203.0.113.0/24 --metric 20
	exits 0
	untouched
	ndmctl route clear 203.0.113.0/24 --metric 20
	exits 0
	complains 'congctl lock bbr, which ndmctl did not set; it stays'
	untouched
}

@test "route: what somebody else made of it since then becomes what was there before" {
	ndmctl route set default ndm
	sed -i 's/congctl ndm/congctl reno/' "$R/fixture/routes4"
	ndmctl route clear default
	complains 'which ndmctl did not set'
	route_has 'congctl reno'
	ndmctl route set default ndm
	ndmctl route clear default
	route_has 'congctl reno'
}

@test "route: list as text, plain and JSON, IPv6 too, of all tables" {
	ndmctl route set ::/0 ndm --lock
	ndmctl route set default ndm --table isp
	ndmctl route list
	equals "$(wc -l <<<"$output")" 4
	list_is route $'4\t203.0.113.0/24\tmain\t20\teth0\tlock bbr
4\tdefault\tisp\t0\teth1\tndm
6\t::/0\tmain\t1024\teth0\tlock ndm'
	ndmctl route list --json
	json_is '.routes[2] | [.family, .destination, .table, .metric, .device, .cc, .lock] | tostring' '[6,"::/0","main",1024,"eth0","ndm",true]'
	: >"$R/fixture/routes4"
	: >"$R/fixture/routes6"
	ndmctl route list --json
	json_is '.routes | length' 0
}

@test "route: several with one destination: each is named, none is changed" {
	ndmctl route set 203.0.113.0/24 ndm
	refuses 1 '2 routes have the destination' 'via 192.0.2.7' 'via 192.0.2.8' 'ndmctl route set 203.0.113.0/24 ndm --metric 20'
	untouched
	sed -i 's/^main 20/main 10/; s/metric 20/metric 10/' "$R/fixture/routes4"
	ROUTES=$(routes)
	ndmctl route set 203.0.113.0/24 ndm --metric 10
	refuses 1 'cannot tell them apart'
	untouched
}

@test "route: bad destinations, tables, metrics and names" {
	local word
	for word in '' foo -- -4 'default via' '10.0.0.0/8;id' $'10\n' $'\e[31m' "'" '"' ../x /24 "$(printf '1%.0s' {1..255})z"; do
		ndmctl route set -- "$word" ndm
		refuses 2
		[[ $stderr != *$'\e'* ]] || fail 'escape sequence printed'
		ndmctl route set default ndm "--table=$word"
		[[ $status != 0 ]] || fail "$word"
		ndmctl route set default ndm "--metric=$word"
		refuses 2 'not a number'
	done
	ndmctl route set default 'a b'
	refuses 2 'algorithm name'
	ndmctl route set default nosuch
	refuses 1 'no module tcp_nosuch' 'reno cubic'
	ndmctl route set 198.51.100.0/24 ndm
	refuses 1 'type blackhole'
	ndmctl route set 203.0.113.0/25 ndm
	refuses 1 'no route 203.0.113.0/25 in table main'
	ndmctl route clear 203.0.113.0/24 --metric 30
	refuses 1 'with metric 30'
	untouched
	rm "$R/fixture/ip"
	ndmctl route set default ndm
	refuses 5 'apt install iproute2'
	local command
	fake ip <<<'echo "ip: invalid option -- d" >&2; exit 1'    # that of busybox
	for command in 'set default ndm' 'clear default' list; do
		ndmctl route $command
		refuses 5 'apt install iproute2'
	done
}

@test "route: an address in a network is not taken for the network, nor a word for a table" {
	local dest found
	for dest in 192.0.2.5/24 0.0.0.1/0; do    # as ip finds them
		if [[ $dest == 0* ]]; then found=default; else found=192.0.2.0/24; fi
		wrap ip <<<"words=(); for word; do [[ \$word != $dest ]] || word=$found; words+=(\"\$word\"); done; real \"\${words[@]}\""
		ndmctl route set "$dest" ndm --table main
		refuses 2 "'$dest' is not the name of a route; it is in the route $found" \
			"hint: ndmctl route set $found ndm --table main"
		untouched
		ndmctl route clear "$dest"
		refuses 2 "hint: ndmctl route clear $found"
	done
	for dest in 10.0.2.0/255.255.255.0 10.0.2.0/x; do
		ndmctl route set "$dest" ndm
		refuses 2 'the length of a prefix is a number'
	done
	for dest in all cache unspec 0; do
		ndmctl route set default ndm --table "$dest"
		refuses 2 "--table $dest is not one table"
	done
	untouched
}

@test "route: the kernel refuses, or ip shows what it does not take: all put back, no record" {
	put "$R/fixture/refusal" 'RTNETLINK answers: Network is down'
	ndmctl route set default ndm
	refuses 1 'cannot change the route default: RTNETLINK answers: Network is down' 'everything was put back'
	untouched
	absent run/ndm-tcp/routes
	rm "$R/fixture/refusal"
	wrap ip <<<'if [[ "$*" == *change*congctl* ]]; then all="$*"; real ${all/mtu lock 1400/}; else real "$@"; fi'
	ndmctl route set default ndm
	refuses 1 'cannot restore all properties' 'change it by hand: ip -4 route change'
	absent run/ndm-tcp/routes
}

before_is_bbr() { # the made-up system with one route that somebody else gave bbr
	add_netns own cubic self
	put "$R/fixture/routes4" 'main 0 unicast default via 10.0.2.2 dev eth0 congctl bbr'
	: >"$R/fixture/routes6"
	load_now
}

@test "route: a second set, or a clear, that is killed does not lose what the route had before" {
	before_is_bbr
	ndmctl route set default ndm
	patch_copy <<<'change_route() { builtin kill -KILL $$; }'
	ndmctl route set default ndm_v5
	exits 137
	ndmctl route clear default
	exits 137
	copy_for_root "$NDMCTL"
	ndmctl doctor --plain
	[[ $output != *'gives its connections ndm'* ]] || fail 'our own route is a conflict'
	ndmctl route clear default
	holds fixture/routes4 'main 0 unicast default via 10.0.2.2 dev eth0 congctl bbr'
	absent run/ndm-tcp/routes
}

@test "route: it is the same one by each name and by the number of its table" {
	local table
	before_is_bbr
	put "$R/etc/iproute2/rt_tables" $'# comment\n255\tlocal\n0x64 isp\n100 provider'
	put "$R/fixture/routes4" $'main 0 unicast default via 10.0.2.2 dev eth0 congctl bbr\nprovider 0 unicast default via 10.0.3.2 dev eth1 congctl bbr'
	wrap ip <<<'declare -A name=([254]=main [0xfe]=main [100]=provider [0144]=provider [isp]=provider)
		args=("$@")
		for ((i = 1; i < $#; i++)); do [[ ${args[i - 1]} != table || ! ${name[${args[i]}]-} ]] || args[i]=${name[${args[i]}]}; done
		real "${args[@]}"'
	for table in 254 0xfe; do
		ndmctl route set default ndm
		exits 0
		ndmctl route set default ndm_v5 --table $table
		exits 0
		ndmctl route clear default
		ndmctl route clear default --table $table
		equals "$(head -n 1 "$R/fixture/routes4")" 'main 0 unicast default via 10.0.2.2 dev eth0 congctl bbr'
	done
	for table in 100 0144 isp; do
		ndmctl route set default ndm --table provider
		exits 0
		ndmctl route set default ndm_v5 --table $table
		exits 0
		ndmctl route clear default --table provider
		equals "$(tail -n 1 "$R/fixture/routes4")" 'provider 0 unicast default via 10.0.3.2 dev eth1 congctl bbr'
	done
}

@test "route: a table whose name has odd signs" {
	local name
	for name in isp:1 a+b wan@1 '$(id)' 'a[1]' '*'; do
		put "$R/etc/iproute2/rt_tables" "105 $name"
		put "$R/fixture/routes4" "$name 0 unicast default via 192.0.2.2 dev eth1 proto static"
		wrap ip <<<'args=("$@") name=$(cut -d" " -f1 "${0%/*}/routes4")
			for ((i = 1; i < $#; i++)); do [[ ${args[i - 1]}/${args[i]} != table/105 ]] || args[i]=$name; done
			real "${args[@]}"'
		ndmctl route set default ndm --table 105
		exits 0
		ndmctl -q doctor
		[[ $output != *"gives its connections"* ]] || fail "$name: that of somebody else"
		service remove
		exits 0
		! grep congctl "$R/fixture/routes4" || fail "$name: it stays"
	done
	put "$R/etc/iproute2/rt_tables" '105 isp:1'
	put "$R/fixture/routes4" 'isp:1 0 unicast default via 192.0.2.2 dev eth1 proto static'
	ndmctl route set default ndm --table isp:1
	exits 0
	ndmctl route set default ndm --table isp:2
	refuses 2 'neither a number nor a name'
}

@test "route: an interface called congctl has no policy" {
	before_is_bbr
	put "$R/fixture/routes4" 'main 0 unicast default via 10.0.2.2 dev congctl proto dhcp'
	ndmctl route list --json
	json_is '.routes | length' 0
	put "$R/fixture/routes4" 'main 0 unicast default via 10.0.2.2 dev congctl proto dhcp congctl bbr'
	ndmctl route list --json
	json_is '.routes[0].cc' bbr
}

@test "route: before the package is removed, each that has what ndmctl gave it goes back; others stay" {
	local dest
	ndmctl route set 192.0.2.0/24 ndm
	ndmctl route set 203.0.113.0/24 ndm --metric 20
	ndmctl route set default ndm_v4 --table isp
	ndmctl route set ::/0 ndm
	ndmctl route set default ndm
	sed -i '/dhcp/s/congctl ndm/congctl reno/' "$R/fixture/routes4" # somebody's since then
	service stop
	equals "$(grep -c congctl "$R/fixture/routes4")" 4
	service remove
	exits 0
	equals "$(routes | grep -v dhcp)" "$(grep -v dhcp <<<"${ROUTES/1700sec/1700}")"
	route_has 'proto dhcp.*congctl reno'
}

@test "route: what ip hides because its algorithm is not registered is cleared, and its predecessor is not lost" {
	add_netns host cubic self
	: >"$R/fixture/routes6"
	local next
	for next in 'clear 192.0.2.0/24' 'set 192.0.2.0/24 ndm_v1'; do
		put "$R/fixture/routes4" 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0 congctl reno'
		ndmctl route set 192.0.2.0/24 ndm_v5
		"$R/fixture/modprobe" -r tcp_ndm    # by hand: the kernel keeps the number of the algorithm, and has no name for it
		put "$R/fixture/routes4" 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0'
		ndmctl route $next
		exits 0
		[[ $next == clear* ]] || ndmctl route clear 192.0.2.0/24
		holds fixture/routes4 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0 congctl reno'
		absent run/ndm-tcp/routes
	done
}

@test "route: a line of ip that was cut off is no error of bash" {
	local line
	for line in unicast 'unicast 192.0.2.0/24 via' 'unicast 192.0.2.0/24 via 192.0.2.1 dev eth0 table main congctl' \
		'unicast 192.0.2.0/24 dev' 'unicast 192.0.2.0/24 table main rto_min lock' 'unicast 192.0.2.0/24 table'; do
		fake ip <<<"printf '%s\n' '$line'"
		ndmctl route list
		[[ $stderr != *'line '* ]] || fail "an error of bash by: $line"
		ndmctl route clear 192.0.2.0/24
		[[ $stderr != *'line '* ]] || fail "an error of bash by: $line"
	done
}

@test "route: what lost its algorithm is a problem of status and doctor, a metric, and forgotten by clear" {
	ndmctl route set default ndm
	ndmctl route set 203.0.113.0/24 ndm_v4 --metric 20 --lock
	ndmctl route set ::/0 ndm
	ndmctl route set default ndm --table isp
	ndmctl status
	[[ $output != *lost* && $output != *'no longer has'* ]] || fail 'nothing is lost'
	ndmctl metrics
	says 'ndm_tcp_policies_lost 0'
	put "$R/fixture/routes4" "$(sed '/dhcp/s/ congctl ndm//; /metric 20/s/ congctl lock ndm_v4/ congctl cubic/; /^isp/d' "$R/fixture/routes4")"
	sed -i 's/ congctl ndm//' "$R/fixture/routes6"
	ndmctl status
	says 'route 203.0.113.0/24: ndm_v4    (table main, metric 20, lock, lost)'
	says 'created again, changed or removed; route clear forgets that    (ndmctl route set default ndm)'
	says '(ndmctl route set 203.0.113.0/24 ndm_v4 --metric 20 --lock)'
	says '(ndmctl route set ::/0 ndm --metric 1024)'
	says '(ndmctl route set default ndm --table isp)'
	ndmctl doctor
	says 'warn  policies     the route 203.0.113.0/24 (table main, metric 20, lock) lost its algorithm'
	ndmctl metrics
	says 'ndm_tcp_policies_lost 4'
	ndmctl route set default ndm
	ndmctl route clear default --table isp --dry-run    # which is gone
	exits 0
	[[ $stderr != *forgotten* ]] || fail 'nothing is forgotten yet'
	ndmctl route clear default --table isp
	exits 0
	complains 'no longer exists; what ndmctl knew of it is forgotten'
	ndmctl route clear default --table isp
	exits 1
	complains 'there is no route default in table isp'
	ndmctl route clear ::/0
	ndmctl route clear 203.0.113.0/24 --metric 20
	complains 'which ndmctl did not set; it stays'
	ndmctl status
	[[ $output != *lost* && $output != *'no longer has'* ]] || fail 'something is lost still'
	ndmctl route clear default
	absent run/ndm-tcp/routes
}

@test "route: where ip tells nothing, list fails, and nothing is lost" {
	ndmctl route set default ndm
	put "$R/fixture/refused" ''
	wrap ip <<<'if [ -e "${0%/*}/refused" ] && [ "$1" != -V ]; then echo "Cannot open netlink socket: Address family not supported by protocol" >&2; exit 1; fi; real "$@"'
	ndmctl route list
	exits 1
	complains 'ip does not tell the routes'
	equals "$output" ''
	ndmctl status
	[[ $output != *lost* ]] || fail 'what cannot be read is not lost'
	rm "$R/fixture/refused"
	ndmctl route list
	exits 0
}
