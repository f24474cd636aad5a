# SPDX-License-Identifier: GPL-2.0
# How files are replaced, and that what was read still holds when it is written.
load helpers
setup() {
	make_root
	load_now
}

@test "files: nothing is decided by what was read before the lock" {
	# every changing command, held back by the lock while the configuration changes: it must see the new one
	local command pid
	for command in 'config set KEEP_NOISE 700' 'set-default ndm' load 'config unset KEEP_NOISE'; do
		make_root
		load_now
		mkdir -p "$R/run/ndm-tcp"
		: >"$R/run/ndm-tcp/lock"
		exec 8<"$R/run/ndm-tcp/lock"
		flock 8
		"$ON_R" $command >"$R/said" 2>&1 8<&- & pid=$!
		patiently grep -q -- "-> FLOCK .*:$(stat -c %i "$R/run/ndm-tcp/lock") " /proc/locks    # it waits
		echo KEEP_NOISE=nonsense >"$R/etc/ndm-tcp/ndm-tcp.conf"
		exec 8<&-
		wait $pid && fail "$command succeeded"
		grep -q 'configuration invalid' "$R/said" || fail "$command: $(<"$R/said")"
	done
}

@test "files: config set keeps the mode, and replaces what a link points to, not the link" {
	mkdir -p "$R/srv"
	put "$R/$DROP_IN" KEEP_NOISE=600
	chmod 640 "$R/$DROP_IN"
	ndmctl config set KEEP_NOISE 700
	exits 0
	equals "$(stat -c '%a' "$R/$DROP_IN")" 640
	mv "$R/$DROP_IN" "$R/srv/real.conf"
	ln -s "$R/srv/real.conf" "$R/$DROP_IN"
	ndmctl config set VARIANT v4
	exits 0
	[[ -L $R/$DROP_IN ]] || fail 'the link was replaced'
	grep -qx VARIANT=v4 "$R/srv/real.conf"
	equals "$(stat -c '%a' "$R/srv/real.conf")" 640
	equals "$(ls -A "$R/srv" "$R/etc/ndm-tcp/conf.d" | grep -c new)" 0
}

@test "files: what is below /etc is on disk before it is in its place, and its directory after" {
	fake sync <<<'printf "sync %s\n" "${*: -1}" >>"${0%/*}/calls"'
	fake mv <<<"printf 'mv %s\n' \"\${*: -1}\" >>\"\${0%/*}/calls\"; exec $(type -P mv) \"\$@\""
	add_systemd
	ndmctl unit set web ndm
	exits 0
	equals "$(sed 's,/[^/]*$,,' "$R/fixture/calls" | grep etc | sed "s,$R/,,")" 'sync etc/systemd/system/web.service.d
mv etc/systemd/system/web.service.d
sync etc/systemd/system'
	rm "$R/fixture/calls"
	ndmctl config set KEEP_NOISE 700
	equals "$(sed "s,$R/,,; s,\.[0-9]*\.new,.N.new," "$R/fixture/calls")" 'sync etc/ndm-tcp/conf.d/.50-ndmctl.conf.N.new
mv etc/ndm-tcp/conf.d/50-ndmctl.conf
sync etc/ndm-tcp/conf.d'
}

@test "files: a directory that does not reach the disk is an error; a file system that cannot sync directories is none" {
	fake sync <<<'if [ -d "${*: -1}" ]; then echo "sync: error syncing: $(cat "${0%/*}/says")" >&2; exit 1; fi'
	put "$R/fixture/says" 'Invalid argument'
	ndmctl config set KEEP_NOISE 700
	exits 0
	equals "$stderr" ''
	put "$R/fixture/says" 'Input/output error'
	remember
	ndmctl config set KEEP_NOISE 710
	refuses 1 '50-ndmctl.conf: Input/output error' findmnt
	unchanged
}

@test "files: a record below /run is replaced whole" {
	fake mv <<<"[[ \${*: -1} != */run/ndm-tcp/default ]] || { cat \"\${*: -1}\" >\"\${0%/*}/seen\" 2>/dev/null; exit 1; }; exec $(type -P mv) \"\$@\""
	mkdir -p "$R/run/ndm-tcp"
	printf 'previous=reno\nset=cubic\n' >"$R/run/ndm-tcp/default"
	ndmctl set-default ndm --runtime
	exits 1
	equals "$(<"$R/fixture/seen")" $'previous=reno\nset=cubic'
	holds run/ndm-tcp/default $'previous=reno\nset=cubic'
}

@test "files: an empty drop-in of a unit is shown as what it is" {
	add_systemd
	ndmctl unit set web ndm
	: >"$R/etc/systemd/system/web.service.d/50-ndm-tcp.conf"
	ndmctl unit list --plain
	says $'web.service\t?\tdamaged\t'
	ndmctl doctor --plain
	says 'web.service.d/50-ndm-tcp.conf is empty or damaged'
	ndmctl unit set web ndm
	ndmctl unit list --plain
	says $'web.service\tndm\tpersistent\t'
}

@test "files: each change is a line of the journal: who, what, from what, to what" {
	journal
	SUDO_USER=alice ndmctl set-default ndm
	journal_has "user=alice" "command='set-default ndm': default: from 'cubic' to 'ndm'"
	journal_has "DEFAULT: from '' to 'ndm'"
	ndmctl config set KEEP_NOISE 700 VARIANT v4
	journal_has "KEEP_NOISE: from '' to '700'" "parameter keep_noise: from '333' to '700'" "VARIANT: from '' to 'v4'"
	add_systemd
	ndmctl cgroup set /batch.slice ndm_v4
	journal_has "policy of the cgroup /batch.slice: from 'none' to 'ndm_v4'"
	ndmctl unit set web ndm
	journal_has "drop-in of web.service: from 'none' to 'ndm'"
	ndmctl set-default --revert
	ndmctl unload
	: >"$R/fixture/journal"
	ndmctl -n set-default ndm
	ndmctl status
	put "$R/etc/ndm-tcp/ndm-tcp.conf" 'nonsense'
	ndmctl set-default reno
	equals "$(<"$R/fixture/journal")" ''
}

@test "files: a change that is taken back is not in the journal" {
	journal
	fake mv <<<'echo "mv: cannot move: Read-only file system" >&2; exit 1'
	ndmctl set-default ndm
	refuses 1 'everything was put back'
	equals "$(<"$R/fixture/journal")" ''
}
