# SPDX-License-Identifier: GPL-2.0
# Where output goes: full devices, closed descriptors, readers that have gone, limits; and what an environment may not change.
load helpers

setup() {
	make_full_root bbr
	put "$R/fixture/routes4" 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0 proto static scope global congctl bbr'
	link_answers
}

READING=(status 'status --short' 'status --counters' sockets --version help 'help config' doctor 'config get' 'config get VARIANT' 'status --netns all'
	'route list' 'cgroup show /batch.slice')

@test "output: a full device and a closed descriptor are said, in every command and format, with exit code 1" {
	local command format
	put "$R/etc/ndm-tcp/ndm-tcp.conf" VARIANT=v4
	for command in "${READING[@]}"; do
		for format in '' --json --plain; do
			[[ $command != help* || $format != --json ]] || continue
			run --separate-stderr bash -c '"$@" >/dev/full' bash "$ON_R" $command $format
			refuses 1 'ndmctl: standard output cannot be written'
			equals "$(grep -c . <<<"$stderr")" 2
		done
	done
	for command in 'cgroup list' 'unit list' 'config validate' 'config get --diff'; do # whose text has no rows here
		run --separate-stderr bash -c '"$@" --json >&-' bash "$ON_R" $command
		refuses 1 'ndmctl: standard output cannot be written'
	done
	run --separate-stderr bash -c '"$@" >/dev/full' bash "$ON_R" doctor --report -
	refuses 1 'ndmctl: standard output cannot be written'
	equals "$(grep -c . <<<"$stderr")" 2
}

@test "output: a reader that has seen enough is no error to speak of" {
	local command
	for command in status sockets 'status --netns all' help 'doctor --report -'; do
		run --separate-stderr bash -c '"$@" | true; exit "${PIPESTATUS[0]}"' bash "$ON_R" $command
		((status == 141 || status == 0)) || fail "exit code $status"
		equals "$stderr" ''
	done
}

@test "output: a change that succeeded stays when its JSON cannot be written, a dry run changes nothing" {
	run --separate-stderr bash -c '"$@" >/dev/full' bash "$ON_R" --json config set VARIANT v4
	refuses 1 'what the command has changed stays so'
	parameter_is variant v4
	run --separate-stderr bash -c '"$@" >/dev/full' bash "$ON_R" -n config set VARIANT v5
	refuses 1 'standard output cannot be written'
	parameter_is variant v4
}

@test "output: that standard error is closed or full, or its reader is gone, stops and undoes nothing" {
	local how
	for how in '2>&-' '2>/dev/full' '2> >(true)' '<&- >&- 2>&-'; do
		run bash -c "\"\$@\" $how" bash "$ON_R" -v set-default ndm
		exits 0
		default_is ndm
		run bash -c "\"\$@\" $how" bash "$ON_R" -v set-default --revert
		exits 0
		default_is cubic
		run bash -c "\"\$@\" $how" bash "$ON_R" set-default nosuch
		exits 1
	done
	run bash -c '"$@" 2>&1 | true; exit "${PIPESTATUS[0]}"' bash "$ON_SERVICE" -v stop
	exits 0
	absent sys/module/tcp_ndm
}

@test "output: a limit that ends a write is named, and all is put back" {
	run bash -c '(ulimit -f 0; "$@" 2>&1 | cat; exit "${PIPESTATUS[0]}")' bash "$ON_R" config set DEFAULT cubic
	exits 1
	says '50-ndmctl.conf: it was ended without a word, as by a limit (ulimit -a)'
	absent "$DROP_IN"
}

@test "environment: no variable that bash gives a meaning to changes an answer" {
	local expected word
	wrap nsenter <<<'sleep 1.2; real "$@"' # slower than TMOUT
	ndmctl status --json
	expected=$output
	json_is '[.policies[] | select(.kind == "netns") | .cc] | join(" ")' bbr
	for word in TMOUT=1 FUNCNEST=3 BASH_COMPAT=31 BASH_COMPAT=42 'EXECIGNORE=*' 'GLOBIGNORE=*' TMPDIR=/nonexistent COLUMNS=1; do
		run --separate-stderr env "$word" "$ON_R" status --json
		exits 0
		equals "$output" "$expected"
		equals "$stderr" ''
	done
}

@test "journal: each change is one line, whole, however long the names are" {
	local path=/batch.slice name socket=$BATS_TEST_TMPDIR/log
	name=$(printf '%0250d' 0)
	for _ in {1..14}; do path+=/$name; done
	path+="/x' user=root command='status': default: from 'ndm' to 'cubic"
	put "$G$path/cgroup.procs" ''
	cat >"$BATS_TEST_TMPDIR/receive" <<'END'
import socket, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind(sys.argv[1])
s.settimeout(30)
try:
    while True:
        print(s.recv(100000).decode(), flush=True)
        s.settimeout(1)
except socket.timeout:
    pass
END
	timeout 60 python3 "$BATS_TEST_TMPDIR/receive" "$socket" >"$BATS_TEST_TMPDIR/journal" 3>&- &
	patiently test -S "$socket"
	fake logger <<<"exec $(type -P logger) -u $socket \"\$@\"" # the real one, which begins a new line after 1 KiB unless told otherwise
	ndmctl cgroup set "$path" ndm_v4
	exits 0
	wait
	equals "$(grep -c . "$BATS_TEST_TMPDIR/journal")" 1
	[[ $(<"$BATS_TEST_TMPDIR/journal") == *"user="*"': policy of the cgroup $path: from 'none' to 'ndm_v4'" ]] || fail "$(<"$BATS_TEST_TMPDIR/journal")"
}

@test "environment: modprobe, ss and systemctl are not told to do or print something else" {
	local name
	for name in modprobe ss systemctl; do
		fake "$name" <<<"env | grep -E '^(MODPROBE_OPTIONS|PROC_|SYSTEMD_)' >>'$R/seen'; exit 1"
	done
	mkdir -p "$R/run/systemd/system"
	MODPROBE_OPTIONS=-n SYSTEMD_COLORS=1 SYSTEMD_OFFLINE=1 SYSTEMD_LOG_LEVEL=debug ndmctl load
	PROC_NET_TCP=/dev/null PROC_ROOT=/nosuch ndmctl sockets
	MODPROBE_OPTIONS=-n SYSTEMD_COLORS=1 SYSTEMD_OFFLINE=1 SYSTEMD_LOG_LEVEL=debug ndmctl unit set web ndm
	[[ -e $R/seen ]] || fail 'neither was called'
	equals "$(<"$R/seen")" ''
}

@test "output: with --json a command that fails says so in its one object, also to who reads no standard error" {
	local command
	for command in 'cgroup set /no.slice ndm' 'unit set nosuch ndm' 'config set KEEP_NOISE 1' 'set-default nosuch' 'route set 10.9.0.0/16 ndm'; do
		ndmctl --json $command
		equals "$(jq -s length <<<"$output")" 1
		json_is '[.schema, .exit] | join(" ")' "1 $status"
		[[ $stderr == *"ndmctl: $(jq -r .error <<<"$output")"*"hint: $(jq -r .hint <<<"$output")"* ]] || fail "another cause: $command"
	done
	ndmctl unload
	ndmctl --json config get --diff
	exits 1
	equals "$(jq -s length <<<"$output")" 1
	json_is .parameters_compared false
	run bash -c '"$@" --json cgroup show /no.slice >/dev/full' bash "$ON_R"
	exits 1
}
