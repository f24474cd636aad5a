# SPDX-License-Identifier: GPL-2.0
# ndmctl unit, on a made-up tree with a systemctl that only answers. Real services are in tests/vm/stories/cgroup.bats.
load helpers
setup() {
	make_root
	add_systemd
	load_now
}

@test "unit: set writes the drop-in, reloads systemd and attaches to what runs" {
	ndmctl unit set web ndm
	exits 0
	holds "$PERSISTENT/web.service.d/$FILE" '# ndmctl: ndm persistent; see ndmctl(8), unit
[Unit]
Wants=ndm-tcp-units.service ndm-tcp-policy@%n.service
After=ndm-tcp-units.service ndm-tcp.service
Before=ndm-tcp-policy@%n.service
[Service]
BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/ndm/start'
	equals "$(stat -c %a "$R/$PERSISTENT/web.service.d/$FILE")" 644
	grep -qx 'systemctl daemon-reload' "$R/run/commands.log"
	attached_is 'ndm /system.slice/web.service'
	list_is cgroup $'/system.slice/web.service\tndm\tunit\tactive'
	list_is unit $'web.service\tndm\tpersistent\t'"$R/$PERSISTENT/web.service.d/$FILE"
	ndmctl unit list --json
	json_is '.units[0].unit' web.service
	json_is '.units[0].cc' ndm
	ndmctl unit list
	says web.service
	ndmctl unit set web ndm_v4
	attached_is 'ndm_v4 /system.slice/web.service'
	equals "$(grep -c ndm_v4 "$R/$PERSISTENT/web.service.d/$FILE")" 2
	add_unit once.service loaded Type=oneshot    # it has ended before anything after it could begin
	ndmctl unit set once ndm
	run -1 grep Before= "$R/$PERSISTENT/once.service.d/$FILE"
}

@test "unit: clear removes drop-in and program, also when the unit is gone" {
	mkdir -p "$R/$PERSISTENT/sock.service.d"
	put "$R/$PERSISTENT/sock.service.d/other.conf" '[Service]'
	ndmctl unit set web ndm
	ndmctl unit set sock ndm
	ndmctl unit clear web
	exits 0
	absent "$PERSISTENT/web.service.d"
	rm "$R/fixture/units/sock.service"
	ndmctl unit clear sock.service
	exits 0
	absent "$PERSISTENT/sock.service.d/$FILE"
	[[ -e $R/$PERSISTENT/sock.service.d/other.conf ]] || fail 'a file of somebody else is gone'
	ndmctl unit clear sock.socket
	attached_is
	absent sys/fs/bpf/ndm
	absent "$PERSISTENT/sock.socket.d"
}

@test "unit: what an administrator has set on the cgroup of another unit stays when systemd reads its files again" {
	ndmctl unit set batch.slice cubic
	ndmctl cgroup set /batch.slice ndm
	exits 0
	local command
	for command in 'unit set sock ndm' 'unit clear sock'; do
		ndmctl $command
		exits 0
		ndmctl cgroup show /batch.slice --json
		[[ $output == *'"policy":"ndm","origin":"runtime","state":"active"'* ]] || fail "$command"
	done
}

@test "unit: --runtime writes below /run, and says when a persistent one hides it" {
	ndmctl unit set web ndm --runtime
	exits 0
	absent "$PERSISTENT/web.service.d"
	equals "$(head -n 1 "$R/$RUNTIME/web.service.d/$FILE")" '# ndmctl: ndm runtime; see ndmctl(8), unit'
	ndmctl unit set web ndm_v1
	ndmctl unit set web ndm_v4 --runtime
	complains 'decides at the next start'
	ndmctl unit clear web
	absent "$PERSISTENT/web.service.d"
	absent "$RUNTIME/web.service.d"
}

@test "unit: a service that sockets activate gets it for these too; a socket; a slice" {
	ndmctl unit set sock ndm
	exits 0
	equals "$(tail -n 2 "$R/$PERSISTENT/sock.socket.d/$FILE")" $'[Socket]\nTCPCongestion=ndm'
	attached_is 'ndm /system.slice/sock.socket'
	ndmctl unit clear sock
	complains 'systemctl restart sock.socket'
	absent "$PERSISTENT/sock.socket.d"
	attached_is
	ndmctl unit set sock.socket ndm
	equals "$(find "$R/$PERSISTENT" -name "$FILE" | wc -l)" 1
	ndmctl unit clear sock.socket
	ndmctl unit set batch.slice ndm_v1
	equals "$(tail -n 2 "$R/$PERSISTENT/batch.slice.d/$FILE")" $'[Slice]\nBPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/ndm_v1/start'
	attached_is 'ndm_v1 /batch.slice'
	ndmctl unit clear batch.slice
	rm -r "$G/batch.slice"    # as before anything runs in it
	add_unit batch.slice loaded ControlGroup=
	ndmctl unit set batch.slice ndm_v4 --runtime
	equals "$(tail -n 1 "$R/$RUNTIME/batch.slice.d/$FILE")" 'BPFProgram=sock_ops:/sys/fs/bpf/ndm/cc/ndm_v4/start'
	absent "$PERSISTENT/batch.slice.d"
	[[ -e $R/sys/fs/bpf/ndm/cc/ndm_v4/start ]] || fail 'no program for systemd'
}

@test "unit: before systemd 249, or on a hybrid hierarchy, ndmctl alone attaches the program" {
	put "$R/fixture/systemd-version" 247
	ndmctl unit set web ndm
	exits 0
	equals "$(tail -n 2 "$R/$PERSISTENT/web.service.d/$FILE")" $'Before=ndm-tcp-policy@%n.service\n[Service]'
	attached_is 'ndm /system.slice/web.service'
	ndmctl unit set sock.socket ndm
	equals "$(tail -n 1 "$R/$PERSISTENT/sock.socket.d/$FILE")" TCPCongestion=ndm
	remember
	ndmctl unit set batch.slice ndm
	refuses 5 'need systemd 249' 'ndmctl cgroup set /batch.slice ndm'
	put "$R/fixture/systemd-version" 08    # no number of bash's
	ndmctl unit set batch.slice ndm
	refuses 5 'need systemd 249' 'ndmctl cgroup set /batch.slice ndm'
	equals "${#stderr_lines[@]}" 2
	unchanged
	put "$R/fixture/systemd-version" 252
	mv "$G" "$G.unified"
	sed -i 's,/sys/fs/cgroup ,/sys/fs/cgroup.unified ,' "$R/proc/self/mountinfo"
	ndmctl unit set web ndm_v1
	! grep -q BPFProgram "$R/$PERSISTENT/web.service.d/$FILE" || fail 'BPFProgram= on a hybrid hierarchy'
}

@test "unit: one that does not exist, a template, a transient one, one too early, one that is no service" {
	add_unit run-1.service loaded Transient=yes
	add_unit hidden.service masked
	add_unit early.service loaded 'Before=sysinit.target shutdown.target'
	remember
	ndmctl unit set nosuch ndm
	refuses 1 'no unit nosuch.service' 'systemctl list-unit-files'
	ndmctl unit set 'tpl@.service' ndm
	refuses 2 template
	ndmctl unit set 'tpl@.a.service' ndm
	refuses 1 'no unit tpl@.a.service'
	ndmctl unit set run-1 ndm
	refuses 1 transient
	ndmctl unit set hidden ndm
	refuses 1 masked
	ndmctl unit set early ndm
	refuses 5 'before ndm-tcp.service'
	add_unit store.service loaded 'Before=local-fs.target shutdown.target'
	printf '%s\n' store.service '  local-fs.target' '    sysinit.target' '  shutdown.target' >"$R/fixture/units/store.service.before"
	ndmctl unit set store ndm
	refuses 5 'before ndm-tcp.service'
	add_unit user.slice loaded 'Before=slices.target'
	printf '%s\n' user.slice '  slices.target' '    basic.target' >"$R/fixture/units/user.slice.before"
	ndmctl unit set user.slice ndm
	refuses 5 'before ndm-tcp.service'
	put "$R/etc/ndm-tcp/conf.d/60-own.conf" $'UNIT=user.slice:ndm\nUNIT=early.service:ndm\nUNIT=web.service:ndm'
	ndmctl load
	exits 1
	complains '60-own.conf:1: user.slice starts before ndm-tcp.service can'
	complains '60-own.conf:2: early.service starts before'
	equals "$(cd "$R/run/systemd/system" && echo *.d)" web.service.d
	rm "$R/etc/ndm-tcp/conf.d/60-own.conf"
	ndmctl load
	ndmctl unload
	remember
	local unit
	for unit in web.timer session-1.scope ndm-tcp ndm-tcp-policy@web.service ../web 'a b' $'web\e[31m' "we'b" 'web"' '$(id)' '' "$(printf 'x%.0s' {1..255})" -.slice system.slice; do
		ndmctl unit set -- "$unit" ndm
		refuses 2
		[[ $stderr != *$'\e'* ]] || fail 'control characters'
	done
	ndmctl unit set web nosuch
	refuses 1 tcp_nosuch
	ndmctl unit set web 'a b'
	refuses 2
	ndmctl unit clear nosuch
	refuses 1 'no unit'
	rm -r "$R/run/systemd"
	ndmctl unit set web ndm
	refuses 5 'systemd does not run here' 'ndmctl cgroup set'
	unchanged
}

@test "unit: an alias is resolved, an instance is a unit" {
	add_unit alias.service loaded
	put "$R/fixture/units/alias.service" $'Id=web.service\nLoadState=loaded\nControlGroup=/system.slice/web.service'
	ndmctl unit set alias ndm
	[[ -e $R/$PERSISTENT/web.service.d/$FILE ]] || fail 'no drop-in of web.service'
	add_unit 'tpl@1.service' loaded
	ndmctl unit set tpl@1.service ndm
	exits 0
	[[ -e $R/$PERSISTENT/tpl@1.service.d/$FILE ]] || fail 'no drop-in of the instance'
}

@test "unit: a unit that has become an alias of another: its drop-in is found by all its names" {
	add_unit old.service loaded
	ndmctl unit set old ndm
	put "$R/fixture/units/old.service" $'Id=web.service\nNames=web.service old.service\nLoadState=loaded\nControlGroup=/system.slice/web.service'
	cp "$R/fixture/units/old.service" "$R/fixture/units/web.service"
	local before=$(<"$R/$PERSISTENT/old.service.d/$FILE") name
	service attach web.service
	exits 0
	attached_is 'ndm /system.slice/web.service'
	for name in old web; do
		ndmctl unit clear $name
		exits 0
		absent "$PERSISTENT/old.service.d"
		attached_is
		put "$R/$PERSISTENT/old.service.d/$FILE" "$before"
		service attach web.service
	done
	ndmctl unit set web ndm_v4    # one file, not two of which one hides the other
	exits 0
	absent "$PERSISTENT/old.service.d"
	attached_is 'ndm_v4 /system.slice/web.service'
	put "$R/$PERSISTENT/old.service.d/$FILE" "$before"
	ndmctl load    # its own name's counts
	attached_is 'ndm_v4 /system.slice/web.service'
	ndmctl unit clear old
	attached_is
	ndmctl cgroup list
	complains 'no cgroup has a policy of its own'
	ndmctl unit list
	complains 'no unit has a policy'
}

@test "unit: when the kernel refuses, drop-in and systemd are as before" {
	remember
	put "$R/fixture/bpftool.err" 'Operation not permitted'
	ndmctl unit set web ndm
	refuses 5 'not permitted' 'everything was put back'
	unchanged
	equals "$(grep -c daemon-reload "$R/run/commands.log")" 2
}

@test "unit: a file of that name that an administrator wrote stays, and has no policy" {
	local own=$PERSISTENT/web.service.d/$FILE
	put "$R/$own" $'[Service]\nEnvironment=MINE=1'
	mkdir -p "$R/$PERSISTENT/sock.socket.d"
	ln -s /dev/null "$R/$PERSISTENT/sock.socket.d/$FILE"
	list_is unit ''
	ndmctl unit set web ndm
	refuses 1 "$R/$own was not written by ndmctl" 'give it another name'
	ndmctl unit set sock ndm
	refuses 1 "sock.socket.d/$FILE was not written by ndmctl"
	ndmctl unit clear web
	exits 0
	service units
	exits 0
	ndmctl unit set web ndm --runtime
	exits 0
	complains "$own decides at the next start of the unit; ndmctl did not write it: give it another name"
	ndmctl unit clear web
	exits 0
	put "$R/etc/ndm-tcp/ndm-tcp.conf" UNIT=web.service:ndm
	put "$R/run/systemd/system/web.service.d/$FILE" '[Service]'
	ndmctl load
	refuses 1 "run/systemd/system/web.service.d/$FILE was not written by ndmctl"
	service stop
	exits 0
	holds "$own" $'[Service]\nEnvironment=MINE=1'
	holds "run/systemd/system/web.service.d/$FILE" '[Service]'
	equals "$(readlink "$R/$PERSISTENT/sock.socket.d/$FILE")" /dev/null
}

remove_by() { # SCRIPT ROOT-OF-PROCESS-1, of a package; only the roots say whether it runs in a chroot
	run --separate-stderr sh -c "ischroot() { [ $R != $2 ]; }
		stat() { case \$2 in /) echo a b c d e f $R ;; *) echo a b c d e f $2 ;; esac; }
		$(sed "s|\([ =]\)/etc/|\1$R/etc/|g; s| /run/| $R/run/|g; s|systemctl|true|" <<<"$1")"
	exits 0
}

@test "unit: removing the packages in a chroot leaves what is in /run; elsewhere the files of ndmctl go, also by a linked directory" {
	local script postrm spec
	postrm=$(sed '/^#DEBHELPER#/d' "$CLI/../../debian/ndm-tcp.postrm")
	spec=$(sed -n '/^%postun$/,/^%post dkms/p' "$CLI/../../rpm/ndm-tcp.spec" | sed -n '/^if \[ "$1" -eq 0 \]/,/^fi/p')
	[[ $spec == *50-ndm-tcp.conf* ]] || fail 'no scriptlet found'
	rm -r "$R/etc/ndm-tcp/conf.d"
	ln -s "$R/elsewhere" "$R/etc/ndm-tcp/conf.d"
	put "$R/elsewhere/50-ndmctl.conf" DEFAULT=ndm
	for script in "set -- purge; $postrm" "set -e -- 0; $spec"; do
		put "$R/$RUNTIME/web.service.d/$FILE" '# ndmctl: ndm config; see'
		remove_by "$script" /host
		holds "$RUNTIME/web.service.d/$FILE" '# ndmctl: ndm config; see'
		put "$R/$PERSISTENT/web.service.d/$FILE" $'[Service]\nEnvironment=MINE=1'
		put "$R/$PERSISTENT/batch.slice.d/$FILE" '# ndmctl: ndm persistent; see ndmctl(8), unit'
		put "$R/elsewhere/$FILE" '# ndmctl: ndm persistent; see ndmctl(8), unit'
		ln -s "$R/elsewhere" "$R/$PERSISTENT/db.service.d"
		put "$R/$PERSISTENT/killed.service.d/.$FILE.1.new" '# ndmctl: ndm' # of an ndmctl that was killed
		remove_by "$script" "$R"
		absent "$RUNTIME/web.service.d"
		holds "$PERSISTENT/web.service.d/$FILE" $'[Service]\nEnvironment=MINE=1'
		absent "elsewhere/$FILE"
		absent "$PERSISTENT/batch.slice.d"
		absent "$PERSISTENT/killed.service.d"
		rm "$R/$PERSISTENT/db.service.d"
	done
	absent elsewhere/50-ndmctl.conf
	[[ -d $R/elsewhere ]]
}

@test "unit: where systemd does not answer in time, no policy is half set or half taken" {
	put "$R/fixture/systemd-busy" list-dependencies    # which would name an ordering cycle
	remember
	ndmctl unit set web ndm
	refuses 5 'web.service may start before ndm-tcp.service can'
	put "$R/etc/ndm-tcp/conf.d/60-own.conf" UNIT=web.service:ndm
	ndmctl load
	exits 1
	complains '60-own.conf:1: web.service may start before'
	rm "$R/etc/ndm-tcp/conf.d/60-own.conf" "$R/fixture/systemd-busy"
	put "$R/fixture/systemd-busy-then" show
	ndmctl unit set web ndm
	refuses 1 'systemd does not describe web.service'
	rm "$R/fixture/systemd-busy"
	absent "$PERSISTENT/web.service.d"
	attached_is
	ndmctl unit set sock ndm
	exits 0
	put "$R/fixture/systemd-busy" show
	ndmctl unit clear sock
	refuses 1 'systemd does not describe sock.service'
	rm "$R/fixture/systemd-busy"
	put "$R/fixture/systemd-busy-then" show
	ndmctl unit clear sock
	refuses 1 'systemd does not describe sock.service'
	rm "$R/fixture/systemd-busy"
	attached_is 'ndm /system.slice/sock.socket'
	ndmctl unit clear sock
	exits 0
	attached_is
}

@test "unit: a drop-in that an administrator copied to a template has its program, and holds nothing" {
	ndmctl unit set web ndm
	mkdir -p "$R/$PERSISTENT/tpl@.service.d"
	mv "$R/$PERSISTENT/web.service.d/$FILE" "$R/$PERSISTENT/tpl@.service.d/"
	ndmctl cgroup clear /system.slice/web.service
	ndmctl load
	exits 0
	[[ -e $R/sys/fs/bpf/ndm/cc/ndm/prog ]] || fail 'its program is not there'
	ndmctl unload
	exits 0
}

@test "unit: one whose drop-in somebody else has removed is shown, and clear ends its policy" {
	ndmctl unit set web ndm
	ndmctl unit set batch.slice ndm_v4
	rm -r "$R/$PERSISTENT/web.service.d"
	: >"$R/run/commands.log"
	ndmctl load
	attached_is 'ndm /system.slice/web.service' 'ndm_v4 /batch.slice'
	ndmctl status --plain
	says $'policy\tcgroup\t/system.slice/web.service\tndm\tunit, active'
	[[ $output != *$'cgroup\t/batch.slice'* ]] || fail 'a unit with a drop-in is shown as a cgroup, too'
	ndmctl unit clear web
	exits 0
	attached_is 'ndm_v4 /batch.slice'
	grep -q 'systemctl daemon-reload' "$R/run/commands.log"
	ndmctl status --plain
	[[ $output != *web.service* ]] || fail 'still shown'
	ndmctl unit clear web
	exits 0
	# One that is there, but is not that of ndmctl any more.
	ndmctl unit set web ndm
	sed -i '1i # managed by somebody else' "$R/$PERSISTENT/web.service.d/$FILE"
	sed -i "\$ a DropInPaths=/$PERSISTENT/web.service.d/$FILE" "$R/fixture/units/web.service"
	ndmctl load
	attached_is 'ndm /system.slice/web.service' 'ndm_v4 /batch.slice'
	ndmctl unit clear web
	exits 0
	complains "/$PERSISTENT/web.service.d/$FILE is no drop-in of ndmctl"
	attached_is 'ndm_v4 /batch.slice'
}

@test "unit: a socket whose name systemd quotes, for it has a backslash" {
	add_unit 'a\x2db.service' loaded 'TriggeredBy="a\\x2db.socket" web.path'
	add_unit 'a\x2db.socket' loaded
	ndmctl unit set 'a\x2db' ndm_v4
	exits 0
	[[ -e $R/$PERSISTENT/a\\x2db.service.d/$FILE && -e $R/$PERSISTENT/a\\x2db.socket.d/$FILE ]] || fail "$(find "$R/$PERSISTENT")"
	ndmctl unit clear 'a\x2db.service'
	equals "$(find "$R/$PERSISTENT" -name '*ndm*')" ''
	# installed, and not started yet
	add_unit 'a\x2db.service' loaded
	add_unit 'a\x2db.socket' loaded 'Triggers="a\\x2db.service"'
	ndmctl unit set 'a\x2db' ndm_v4
	[[ -e $R/$PERSISTENT/a\\x2db.socket.d/$FILE ]] || fail "$(find "$R/$PERSISTENT")"
	ndmctl unit clear 'a\x2db.service'
	equals "$(find "$R/$PERSISTENT" -name '*ndm*')" ''
}
