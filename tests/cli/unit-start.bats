# SPDX-License-Identifier: GPL-2.0
# ndmctl unit: starts and restarts, systemd that detaches, masked units, sockets that come later. On a made-up tree, see unit.bats.
load helpers
setup() {
	make_root
	add_systemd
	load_now
}

@test "unit: service attach waits for a unit that is about to start, without the lock, and not for one that ended" {
	ndmctl unit set web ndm
	ndmctl cgroup clear /system.slice/web.service
	add_unit web.service loaded ControlGroup= ActiveState=inactive
	service attach web.service
	exits 0
	attached_is
	add_unit web.service loaded ControlGroup= ActiveState=inactive Job=7
	timeout 60 "$ON_SERVICE" attach web.service 3>&- &
	local waiter=$!
	ndmctl cgroup set /system.slice ndm_v4
	exits 0
	attached_is 'ndm_v4 /system.slice'
	add_unit web.service loaded ControlGroup=/system.slice/web.service ActiveState=activating Job=7
	wait "$waiter"
	attached_is 'ndm_v4 /system.slice' 'ndm /system.slice/web.service'
}

systemd_attaches() { # DIR: the copy of the program that is systemd's, as at the start of a unit
	printf '%s %s\n' "$(<"$R/sys/fs/bpf/ndm/cc/ndm/start")" "$G$1" >>"$R/fixture/attached"
}

@test "unit: what systemd has attached at a start, ndmctl replaces by its own copy" {
	service attach web.service
	exits 0
	attached_is
	ndmctl unit set batch.slice ndm
	service units
	[[ $(<"$R/sys/fs/bpf/ndm/cc/ndm/start") != $(<"$R/sys/fs/bpf/ndm/cc/ndm/prog") ]] || fail 'no copy'
	grep -q 'prog load .*/start map name ndm_cc_name pinned .*/ndm/ndm_cc_name map name ndm_cc_count pinned .*/ndm/ndm_cc_count$' "$R/run/commands.log"
	: >"$R/fixture/attached"
	systemd_attaches /batch.slice
	service attach batch.slice
	exits 0
	attached_is 'ndm /batch.slice'
	equals "$(wc -l <"$R/fixture/attached")" 1
	service stop
	put "$R/fixture/bpftool.err" 'Operation not permitted'
	service attach batch.slice
	refuses 1 'batch.slice runs without a program of ndmctl'
	add_unit batch.slice loaded ControlGroup=    # it has ended meanwhile
	service attach batch.slice
	exits 0
	put "$R/$PERSISTENT/batch.slice.d/$FILE" '# ndmctl: ../x persistent; see ndmctl(8), unit'
	service attach batch.slice
	refuses 2 "'?'"
}

@test "unit: a daemon-reload of ndmctl detaches nothing, and doctor names units that run without their program" {
	put "$R/sys/kernel/btf/vmlinux" x
	ndmctl unit set web ndm
	service units
	ndmctl cgroup clear /system.slice/web.service
	systemd_attaches /system.slice/web.service
	put "$R/fixture/systemd-detaches" "$(<"$R/sys/fs/bpf/ndm/cc/ndm/start")"
	ndmctl unit set batch.slice ndm_v4
	exits 0
	attached_is 'ndm /system.slice/web.service' 'ndm_v4 /batch.slice'
	ndmctl doctor --plain
	[[ $output == *$'policies\tok\t'* ]] || fail "$output"
	: >"$R/fixture/attached"
	ndmctl doctor --plain
	[[ $output == *$'policies\twarn\tunits that run without the program of their policy, which somebody has detached: batch.slice, web.service\tndmctl load'* ]] || fail "$output"
	rm -r "$G/batch.slice"
	ndmctl doctor --plain
	[[ $output == *'detached: web.service'* ]] || fail "$output"
	ndmctl load
	attached_is 'ndm /system.slice/web.service'
}

@test "unit: the record of a unit's own copy is no change of an administrator" {
	ndmctl unit set web ndm
	journal
	ndmctl cgroup clear /system.slice/web.service    # this one is
	journal_has "policy of the cgroup /system.slice/web.service: from 'ndm' to 'none'"
	: >"$R/fixture/journal"
	service attach web.service
	list_is cgroup $'/system.slice/web.service\tndm\tunit\tactive'
	equals "$(<"$R/fixture/journal")" ''
	ndmctl cgroup set /system.slice/web.service ndm_v4
	journal_has "policy of the cgroup /system.slice/web.service: from 'ndm' to 'ndm_v4'"
	list_is cgroup $'/system.slice/web.service\tndm_v4\truntime\tactive'
	ndmctl unit set web ndm
	journal_has "policy of the cgroup /system.slice/web.service: from 'ndm_v4' to 'ndm'"
	# A cgroup of the same name, as in a container, is not that unit.
	mkdir -p "$G/machine.slice/web.service"
	: >"$G/machine.slice/web.service/cgroup.procs"
	ndmctl cgroup set /machine.slice/web.service ndm
	journal_has "policy of the cgroup /machine.slice/web.service: from 'none' to 'ndm'"
}

@test "unit: while the packages are removed, a unit that restarts loads neither module nor program" {
	ndmctl unit set web ndm
	service remove
	exits 0
	attached_is
	absent sys/module/tcp_ndm
	service units
	exits 0
	service attach web.service
	exits 0
	attached_is
	absent sys/module/tcp_ndm
	ndmctl load    # the removal did not come about
	absent run/ndm-tcp/removing
	service units
	service attach web.service
	exits 0
	attached_is 'ndm /system.slice/web.service'
}

@test "unit: a removal that cannot be noted, as with a full /run, puts back all the same" {
	ndmctl unit set web ndm
	ndmctl set-default ndm
	mkdir "$R/run/ndm-tcp/removing"
	service remove
	exits 0
	complains 'cannot write' 'may load the module again'
	default_is cubic
	attached_is
	absent sys/module/tcp_ndm
}

@test "unit: one whose drop-in would be that of many, or leaves no room for ndm-tcp-policy@UNIT.service, is refused" {
	local name
	add_unit pre-.service loaded
	ndmctl unit set pre-.service ndm
	refuses 2 'all units whose names begin with pre-'
	add_unit btrfs-scrub@-.service loaded
	ndmctl unit set btrfs-scrub@-.service ndm
	exits 0
	ndmctl unit set a--b.service ndm
	refuses 1 'there is no unit'
	printf -v name '%0224d.service' 1
	add_unit "$name" loaded
	ndmctl unit set "$name" ndm
	exits 0
	ndmctl unit set "1$name" ndm
	refuses 2 'longer than 255 characters'
}

@test "unit: masked units of ndmctl, without which a restart loses the policy, are named" {
	local unit
	mkdir -p "$R/etc/systemd/system"
	for unit in ndm-tcp-units.service ndm-tcp-policy@.service; do
		ln -s /dev/null "$R/etc/systemd/system/$unit"
		ndmctl unit set web ndm
		exits 0
		complains "systemctl unmask $unit"
		ndmctl doctor
		says 'warn  policies     units with a policy have none after their next start'
		says "systemctl unmask $unit"
		rm "$R/etc/systemd/system/$unit"
	done
	ndmctl unit set web ndm
	[[ $stderr != *unmask* ]] || fail "$stderr"
}

@test "unit: a socket that is installed and not started yet has the policy, too; one that came later is named" {
	add_unit late.service loaded
	add_unit late.socket loaded Triggers=late.service
	add_unit web.socket loaded Triggers=other.service
	ndmctl unit set late ndm
	ndmctl unit set web ndm
	equals "$(cd "$R/$PERSISTENT" && ls -d *.d)" $'late.service.d\nlate.socket.d\nweb.service.d'
	ndmctl doctor
	[[ $output != *'has no policy'* ]] || fail "$output"
	add_unit web.service loaded ControlGroup=/system.slice/web.service TriggeredBy=door.socket
	add_unit door.socket loaded Triggers=web.service
	ndmctl doctor
	says 'warn  policies     door.socket, which activates web.service, has no policy'
	says 'ndmctl unit set web.service ndm'
	ndmctl unit set web.service ndm
	ndmctl doctor
	[[ $output != *'has no policy'* ]] || fail "$output"
	# The same by the configuration, where one call of systemctl for each unit suffices, not one for each pair.
	ndmctl unit clear web
	ndmctl unit clear late
	local i
	for i in {1..8}; do
		add_unit "s$i.service" loaded "TriggeredBy=s$i.socket"
		add_unit "s$i.socket" loaded "Triggers=s$i.service"
		printf 'UNIT=s%s.service:ndm\n' "$i" >>"$R/etc/ndm-tcp/ndm-tcp.conf"
	done
	ndmctl load
	exits 0
	sed -i '2i echo "$*" >>"'"$R"'/fixture/calls"' "$R/fixture/systemctl"
	ndmctl config get --diff
	exits 0
	(($(wc -l <"$R/fixture/calls") <= 20)) || fail "$(wc -l <"$R/fixture/calls") calls"
}
