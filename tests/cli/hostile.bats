# SPDX-License-Identifier: GPL-2.0
# What a day of hostile use found, each by its symptom. What concerns one command stands in the file of that command.
load helpers
setup() {
	make_root
	load_now
	cp "$CLI/fixtures/ss" "$R/fixture/"
	: >"$R/fixture/ss.txt"
}

@test "hostile: SHELLOPTS, functions and POSIXLY_CORRECT of the environment change nothing" {
	put "$R/etc/ndm-tcp/conf.d/10-a.conf" KEEP_NOISE=601
	for word in SHELLOPTS=noglob SHELLOPTS=noexec SHELLOPTS=posix POSIXLY_CORRECT=1 'BASH_FUNC_printf%%=() { echo forged; }' BASH_ENV=/dev/stdin GLOBIGNORE='*'; do
		run --separate-stderr env "$word" "$ON_R" config get KEEP_NOISE <<<'echo forged'
		equals "$output" 601
		exits 0
	done
}

@test "hostile: NDMCTL_LOCK_WAIT that is no number" {
	local wait
	for wait in abc '' -1 1e9 '1 2' $'1\n' 99999999; do
		NDMCTL_LOCK_WAIT=$wait ndmctl load
		[[ $wait ]] || continue
		refuses 2 'NDMCTL_LOCK_WAIT' 'unset NDMCTL_LOCK_WAIT'
	done
}

@test "hostile: DEFAULT that does not exist is refused at once, and doctor sees one that was deployed" {
	ndmctl config set DEFAULT nosuch
	refuses 1 "there is no algorithm 'nosuch'"
	absent "$DROP_IN"
	ndmctl config set DEFAULT bbr
	exits 0
	put "$R/$DROP_IN" DEFAULT=nosuch
	ndmctl doctor --plain
	says $'default\tfail\tDEFAULT=nosuch in '
	exits 1
	ndmctl config set KEEP_NOISE 700
	refuses 1 "there is no algorithm 'nosuch'"
	ndmctl config set DEFAULT no
	exits 0
}

@test "hostile: a process chooses its name, not its number" {
	put "$R/proc/77/comm" 'x",pid=1'
	put "$R/proc/78/comm" '",pid=1,fd=3),('
	put "$R/fixture/ss.txt" 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:1 users:(("x",pid=1",pid=77,fd=3)) cgroup:/a  ndm wscale:7,7 rtt:1/1 cwnd:10
ESTAB 0 0 192.0.2.1:2 192.0.2.9:2 users:(("",pid=1,fd=3),(",pid=78,fd=3)) cgroup:/a  ndm wscale:7,7 rtt:1/1 cwnd:10'
	put "$R/sys/module/tcp_ndm/refcnt" 2
	ndmctl unload
	refuses 1 'ndm of x",pid=1 (pid 77)' '(pid 78)'
	[[ $stderr != *'(pid 1)'* ]] || fail 'a forged number'
	ndmctl sockets --json
	json_is '[.sockets[].pid] | join(" ")' '77 78'
	json_is '.sockets[0].process' 'x",pid=1'
}

@test "hostile: a line break in the name of a process forges no connection, and hides none" {
	local name
	put "$R/sys/module/tcp_ndm/refcnt" 2
	put "$R/proc/77/comm" name
	for name in $'x cubic rto:1\n' $'y ndm cwnd:9\n' $'\nE 0 0 1:1 2:2 ' $'\nState ' $'\nESTAB 0 0 : :' $'\n\n\n' $',\n,pid=1,fd=3))' \
		$'\nAB 0 0 :1 :1\n' $':*\nAB 0 0 *:1 *'; do
		# What follows the name belongs to it: ss prints it as it is.
		{
			printf 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:1 users:(("%s",pid=77,fd=3)) ndm wscale:7,7 rtt:1/1 cwnd:10\n' "$name"
			printf 'ESTAB 0 0 192.0.2.1:2 192.0.2.9:2 users:(("%s",pid=77,fd=4),("%s",pid=77,fd=4)) cubic wscale:7,7 rtt:1/1 cwnd:10\n' "$name" "$name"
		} >"$R/fixture/processes.txt"
		put "$R/fixture/ss.txt" 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:1  ndm wscale:7,7 rtt:1/1 cwnd:10
ESTAB 0 0 192.0.2.1:2 192.0.2.9:2  cubic wscale:7,7 rtt:1/1 cwnd:10'
		fake ss <<<'[[ " $* " != *p* ]] || exec cat "${0%/*}/processes.txt"; exec cat "${0%/*}/ss.txt"'
		ndmctl sockets --json
		json_is '.sockets | map([.local, .cc, .cwnd, .pid] | join(" ")) | join(", ")' '192.0.2.1:1 ndm 10 77, 192.0.2.1:2 cubic 10 77'
		ndmctl unload
		refuses 1 'in use: 1 socket(s) ndm of name (pid 77)'
	done
}

@test "hostile: a cgroup chooses its name, not its algorithm, process or connection" {
	put "$R/proc/812/comm" sshd
	put "$R/fixture/ss.txt" 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:1 users:(("sshd",pid=812,fd=3)) cgroup:/evil ndm rto:1 x  cubic wscale:7,7 rtt:1/1 cwnd:10
ESTAB 0 0 192.0.2.1:2 192.0.2.9:2 users:(("sshd",pid=812,fd=3)) cgroup:/evil users:(("init",pid=1,fd=3))  cubic wscale:7,7 rtt:1/1 cwnd:10
ESTAB 0 0 192.0.2.1:3 192.0.2.9:3 users:(("sshd",pid=812,fd=3)) cgroup:/victim ts  ts sack cubic wscale:7,7 rtt:1/1 cwnd:10'
	ndmctl status --json
	json_is .sockets.ndm null
	json_is .sockets.cubic 3
	json_is '[.cgroups[].cgroup] | sort | join("|")' '/evil ndm rto:1 x|/evil users:(("init",pid=1,fd=3))|/victim ts'
	ndmctl sockets --json
	json_is '[.sockets[].cc] | unique | join(" ")' cubic
	json_is '[.sockets[].pid] | unique | join(" ")' 812
	json_is '.sockets[1].cgroup' '/evil users:(("init",pid=1,fd=3))'
}

@test "hostile: no name of others reaches the terminal raw, in any command and format" {
	local bad=$'\e]0;x\a\t\x9b31m\xc3\xa9\\"' command format
	add_systemd
	mkdir -p "$G/$bad"
	: >"$G/$bad/cgroup.procs"
	# as a record, and as cgroups, processes, network namespaces, interfaces and files of configuration
	mkdir -p "$R/run/ndm-tcp"
	printf 'ndm\truntime\t%s\t/%s\n' "$(stat -c %i "$G/$bad")" "$bad" >"$R/run/ndm-tcp/cgroups"
	add_netns host cubic self
	add_netns web reno 90 "$bad"
	name_netns web "$bad"
	cp "$CLI/fixtures/ip" "$R/fixture/"
	printf 'main 0 unicast 192.0.2.0/24 dev %s proto static scope global congctl bbr\n' "$bad" >"$R/fixture/routes4"
	: >"$R/fixture/routes6"
	put "$R/fixture/ss.txt" "ESTAB 0 0 192.0.2.1%$bad:1 192.0.2.9:1 users:((\"$bad\",pid=90,fd=3)) cgroup:/$bad  ndm wscale:7,7 rtt:1/1 cwnd:10"
	put "$R/etc/ndm-tcp/conf.d/$bad"$'\n.conf' KEEP_NOISE=700
	printf '%s\n' "$bad" >"$R/proc/sys/net/ipv4/tcp_congestion_control"
	put "$R/sys/module/tcp_ndm/refcnt" 2
	for command in status 'status --short' 'status --counters' sockets 'status --netns all' 'route list' 'cgroup list' 'unit list' doctor 'config get' \
		'config get --diff' 'config validate' unload 'unload -n' help 'help config' --version load "cgroup show /$bad"; do
		for format in --plain --json --quiet; do
			if [[ $command == 'cgroup show'* ]]; then ndmctl "$format" cgroup show "${command#cgroup show }"
			else
				ndmctl "$format" $command
			fi
			[[ $format == --plain ]] || [[ $output$stderr != *$'\t'* ]] || fail "a tab in $command $format"
			[[ ${output//$'\t'/}$stderr != *[!\ -~$'\n']* ]] || fail "raw bytes in $command $format"
			[[ $format != --json || ! $output ]] ||
				jq -es --arg line "$command" 'length == 1 and .[0].schema == 1 and (.[0].command as $first | $line | ltrimstr("--") | startswith($first))' <<<"$output" ||
				fail "no JSON of $command"
		done
	done
	equals "$(ndmctl status --netns all --plain; awk -F '\t' 'NF != 5' <<<"$output")" ''
}

@test "hostile: 40 network namespaces: status asks few, status --netns all each" {
	local i
	add_netns host cubic self
	for i in {1..40}; do add_netns "n$i" reno $((1000 + i)) x; done
	wrap nsenter <<<'echo >>"${0%/*}/asked"; real "$@"'
	ndmctl status
	exits 0
	equals "$(wc -l <"$R/fixture/asked")" 20
	says 'netns 20 more: ?    (ndmctl status --netns all asks all of them)'
	ndmctl status --netns all --plain
	equals "$(grep -c reno <<<"$output")" 40
}

@test "hostile: packages removed in a chroot leave the policies and the module of the host alone" {
	add_cgroups
	ndmctl set-default ndm
	ndmctl cgroup set /system.slice ndm
	mkdir -p "$R/proc/1/root"    # of the host
	remember
	service remove
	exits 0
	complains 'within a chroot'
	unchanged
	default_is ndm
	rmdir "$R/proc/1/root"
	ln -s "$R" "$R/proc/1/root"
	service remove
	exits 0
	attached_is
	default_is cubic
	absent sys/module/tcp_ndm
}

@test "hostile: the scripts of the packages call service remove when they are removed" {
	local script name spec=$CLI/../../rpm/ndm-tcp.spec
	mkdir -p "$R/bin"
	for name in service ndmctl dkms systemctl deb-systemd-invoke; do
		printf '%s\n' '#!/bin/sh' "echo $name \"\$@\" \${NDMCTL_LOCK_WAIT:+after \$NDMCTL_LOCK_WAIT s} >>'$R/called'" >"$R/bin/$name"
		chmod +x "$R/bin/$name"
	done
	for script in "$(grep -v '^#DEBHELPER#' "$CLI/../../debian/ndm-tcp.prerm")" "$(grep -v '^#DEBHELPER#' "$CLI/../../debian/ndm-tcp-dkms.prerm")" \
		"$(sed -n '/^%preun$/,/^%postun$/p' "$spec" | sed '/^%/d')" "$(sed -n '/^%preun dkms$/,/^%files/p' "$spec" | sed '/^%/d')"; do
		script=${script//'"$1" -eq 0'/'"$1" = remove'}
		script=${script//'%{_prefix}'/\/usr}
		script=${script//'/usr/lib/ndm-tcp/service'/service}
		script=${script//' && [ -d /sys/module/tcp_ndm ]'/' && [ "${MODULE-yes}" ]'}
		rm -f "$R/called"
		PATH=$R/bin:$PATH run sh -ec "$script" sh remove
		exits 0
		grep -qx 'service remove after 120 s' "$R/called" || fail "not called by: $script"
		if [[ $script == *MODULE* ]]; then # of the module's package, where BPF stands for it
			: >"$R/called"
			PATH=$R/bin:$PATH MODULE='' run sh -ec "$script" sh remove
			exits 0
			! grep '^service' "$R/called" || fail "it is called by: $script"
		fi
		: >"$R/called"
		PATH=$R/bin:$PATH run sh -ec "$script" sh upgrade
		exits 0
		! grep -q '^service' "$R/called" || fail "called on an upgrade by: $script"
	done
}
