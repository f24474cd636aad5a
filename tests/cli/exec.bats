# SPDX-License-Identifier: GPL-2.0
# One command on trial. What it refuses is shown on a made-up root; what it does, with the real kernel where this host allows.
load helpers
setup_file() { export BATS_NO_PARALLELIZE_WITHIN_FILE=true; } # they look for what the others would leave

setup() {
	make_root
	load_now
}

@test "exec: bad words are refused, with the codes that a shell would use for the command" {
	add_cgroups
	ndmctl exec true
	refuses 2 'needs the name of an algorithm' 'ndmctl exec --cc ndm -- COMMAND'
	ndmctl exec --cc 'a b' -- true
	refuses 2 'algorithm name'
	ndmctl exec --cc ndm
	refuses 2 'COMMAND is missing'
	local word
	for word in nosuch '' $'\e[31m' "q'\"" "$(printf 'x%.0s' {1..255})" ../nosuch; do
		run -127 --separate-stderr "$ON_R" exec --cc ndm -- "$word"
		refuses 127 'there is no command'
		[[ $stderr != *$'\e'* ]] || fail 'escape sequence printed'
	done
	run -126 --separate-stderr "$ON_R" exec --cc ndm -- "$R/proc/modules"
	refuses 126 'cannot be run'
	equals "$(ls "$G")" $'cgroup.procs\nsystem.slice'
}

@test "exec: what follows the command is the command's, with or without --" {
	add_cgroups
	local words
	for words in '--cc ndm sh -c true' '--cc ndm -- sh -c true' '--cc=ndm sh -c true'; do
		# shellcheck disable=SC2086  # words of a command
		ndmctl -n exec $words
		exits 0
		says 'would: run sh -c true in it'
	done
	ndmctl exec sh --cc ndm
	refuses 2 'exec needs the name of an algorithm' 'ndmctl exec --cc ndm -- COMMAND'
}

@test "exec: no root, no bpftool, no bpffs, cgroup v1 only" {
	add_cgroups
	rm "${R:?}/fixture/bpftool"
	ndmctl exec --cc ndm -- true
	refuses 5 'apt install bpftool'
	add_cgroups
	put "$R/proc/self/mountinfo" '30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw'
	ndmctl exec --cc ndm -- true
	refuses 5 'mount -t bpf'
	put "$R/proc/self/mountinfo" '30 1 0:26 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu'
	ndmctl exec --cc ndm -- true
	refuses 5 'cgroup2'
	copy_ndmctl
	as_nobody "$NDMCTL" exec --cc reno -- true
	refuses 4 'sudo ndmctl exec --cc reno -- true'
}

@test "exec: an unregistered algorithm, and a kernel that refuses: nothing is left" {
	add_cgroups
	remember
	ndmctl exec --cc nosuch -- true
	refuses 1 'no module tcp_nosuch'
	unchanged
	put "$R/fixture/bpftool.err" 'failed to attach program: Operation not permitted'
	ndmctl exec --cc ndm -- true
	refuses 5 'not permitted'
	unchanged
	equals "$(ls "$G")" $'cgroup.procs\nsystem.slice'
}

@test "exec: where no cgroup can be made" {
	add_cgroups
	if ((EUID)); then chmod a-w "$G"; else mount --bind "$G" "$G" && mount -o remount,bind,ro "$G"; fi
	ndmctl exec --cc ndm -- true
	if ((EUID)); then chmod u+w "$G"; else umount "$G"; fi
	refuses 5 'cannot create a cgroup here'
}

@test "exec: dry run, also without rights" {
	add_cgroups
	remember
	ndmctl -n exec --cc ndm -- sh -c 'exit 3'
	exits 0
	says "would: make the cgroup $G/ndm-exec."
	says 'would: run sh -c exit 3 in it'
	unchanged
}

# $1: what is done where reno is not the default; prints nothing when all is well. `trial` runs ndmctl exec, `algorithms` prints
# what listener, connecting and accepted socket have, over IPv4 and IPv6.
on_real_cgroups() {
	[[ -e $CLI/../../build/bpf ]] || skip 'the BPF programs are not built: make bpf'
	findmnt -t cgroup2 >/dev/null || skip 'no cgroup2 here'
	[[ $(cat /proc/sys/net/ipv4/tcp_congestion_control) != reno ]] || skip 'reno is the default here'
	# shellcheck disable=SC2016  # expanded by the inner shell
	in_own_system '
		mount -t bpf bpf /sys/fs/bpf
		groups=$(findmnt -fno TARGET -t cgroup2)
		cat >/run/algorithms.py <<END
import socket, sys
for host, family in (("127.0.0.1", socket.AF_INET), ("::1", socket.AF_INET6)):
    server = socket.create_server((host, 0), family=family)
    if len(sys.argv) > 1: server.setsockopt(6, 13, sys.argv[1].encode())
    client = socket.socket(family)
    if len(sys.argv) > 1: client.setsockopt(6, 13, sys.argv[1].encode())
    client.connect(server.getsockname()[:2])
    print(*(s.getsockopt(6, 13, 16).strip(b"\0").decode() for s in (client, server.accept()[0])), end=" ")
END
		algorithms() { "${@:2}" python3 /run/algorithms.py $1; }
		trial() { "$0" exec --cc reno -- "$@"; }
		was=$("$0" default)
		left() { find "$groups" -name "ndm-exec.*"; ls -A /sys/fs/bpf | grep ndm || :; ls /run/ndm-tcp | grep -v lock || :; }
		'"$1"'
		if [[ $(left) ]]; then say "left behind: $(left)"; fi' "$NDMCTL"
	equals "$output" ''
	exits 0
}

@test "exec: its connections use the algorithm, those of others do not, nothing is left; an application's choice stays" {
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_cgroups '
		[[ $(trial python3 /run/algorithms.py) == "reno reno reno reno " ]] || say "in: $(trial python3 /run/algorithms.py)"
		[[ $(python3 /run/algorithms.py) == "$was $was $was $was " ]] || say "outside"
		[[ $(trial python3 /run/algorithms.py $was) == "$was $was $was $was " ]] || say "the choice of the application was lost"
		trial sh -c "sleep 1000 & echo \$! >/run/pid"
		[[ $(sed -n "s/^0:://p" /proc/$(cat /run/pid)/cgroup) == $(sed -n "s/^0:://p" /proc/self/cgroup) ]] || say "what goes on is not back"
		kill $(cat /run/pid)
		trial "$0" -q exec --cc $was -- python3 /run/algorithms.py >/run/nested
		[[ $(cat /run/nested) == "$was $was $was $was " ]] || say "a trial in a trial: $(cat /run/nested)"'
}

@test "exec: exit code, standard input, environment, umask and signals are the command's" {
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_cgroups '
		rc=0; trial sh -c "exit 42" || rc=$?; [[ $rc == 42 ]] || say "exit code $rc"
		rc=0; trial sh -c "kill -KILL \$\$" 2>/run/said || rc=$?; [[ $rc == 137 ]] || say "exit code $rc of a killed one"
		if [[ -s /run/said ]]; then say "of a killed one: $(</run/said)"; fi
		[[ $(echo word | trial cat) == word ]] || say "standard input"
		[[ $(env -i A="x y" LC_ALL=C.UTF-8 PATH=/usr/bin:/bin "$0" exec --cc reno -- env | grep -v ^_= | sort | tr "\n" "|") == \
			"A=x y|LC_ALL=C.UTF-8|PATH=/usr/bin:/bin|PWD=$PWD|SHLVL="*"|" || \
			$(env -i A="x y" LC_ALL=C.UTF-8 PATH=/usr/bin:/bin "$0" exec --cc reno -- env | grep -v ^_= | sort | tr "\n" "|") == \
			"A=x y|LC_ALL=C.UTF-8|PATH=/usr/bin:/bin|" ]] || say "environment"
		cat >/run/bare.py <<END
import ctypes, os, sys
words = [w.encode() for w in ("ndmctl", "exec", "--cc", "reno", "--", "echo", "right")]
env = [("PATH=" + os.environ["PATH"]).encode(), b"reboot"]    # a word that is no variable
strings = lambda words: (ctypes.c_char_p * (len(words) + 1))(*words, None)
ctypes.CDLL(None).execve(sys.argv[1].encode(), strings(words), strings(env))
END
		[[ $(python3 /run/bare.py "$0") == right ]] || say "a word in the environment"
		# Variables that ndmctl or bash have a use for themselves; none but those of bash is an argument, which all users may read.
		odd=(BASH_COMPAT=x CDPATH=/ IFS=, LC_ALL=xx PPID=3 POLICIES=a RANDOM=b REPLY=c SECONDS=d SHELLOPTS=noglob SHLVL=7 TRIAL=e TMPDIR=/t UID=f VERSION=g
			_=h a=i entry=j rc=k type=l env=m "x.y=n" "PASSWORD=s e=c
ret" "PATH=/run/bin:$PATH")
		mkdir /run/bin && printf "#!/bin/bash -p\nprintf \"%%s\\\\n\" \"\$@\" >/run/arguments; exec /usr/bin/env \"\$@\"\n" >/run/bin/env && chmod +x /run/bin/env
		/usr/bin/env -i "${odd[@]}" "$0" exec --cc reno -- cat /proc/self/environ | tr "\0\n" "\n|" | sort >/run/was
		[[ -s /run/arguments ]] || say "env was not asked"
		! grep -q "PASSWORD\|secret\|s e=c\|TRIAL=\|REPLY=" /run/arguments || say "arguments: $(</run/arguments)"
		diff <(printf "%s\0" "${odd[@]}" | tr "\0\n" "\n|" | sort) /run/was >&2 || say "odd environment"
		mkdir /run/a=b && printf "#!/bin/sh\necho started\n" >/run/a=b/t && chmod +x /run/a=b/t
		[[ $(trial /run/a=b/t) == started ]] || say "a command with = in its path"
		[[ $(umask 077; trial sh -c umask) == 0077 ]] || say "umask"
		[[ $(trial grep ^SigIgn: /proc/self/status) == $(grep ^SigIgn: /proc/self/status) ]] || say "other signals are ignored than here"
		[[ $("$0" --json exec --cc reno -- sh -c "exit 3" || :) == "{\"schema\":1,\"command\":\"exec\",\"changed\":false,\"exit\":3}" ]] || say "JSON"
		for signal in TERM:143 HUP:129; do
			"$0" exec --cc reno -- sh -c "echo ready >/run/ready; exec sleep 1000" & pid=$!
			patiently test -e /run/ready
			kill -${signal%:*} $pid
			rc=0; wait $pid || rc=$?
			[[ $rc == ${signal#*:} ]] || say "exit code $rc after $signal"
			rm /run/ready
		done
		setsid env --default-signal=INT "$0" exec --cc reno -- sh -c "echo ready >/run/ready; exec sleep 1000" & pid=$!
		patiently test -e /run/ready
		kill -INT -- -$pid    # as a terminal does, to all of them
		rc=0; wait $pid || rc=$?
		[[ $rc == 130 ]] || say "exit code $rc after Ctrl-C"
		rm /run/ready
		"$0" exec --cc reno -- bash -c "trap \"exit 7\" TERM; echo >/run/ready; while :; do sleep 0.1; done" & pid=$!
		patiently test -e /run/ready
		kill -TERM $pid
		rc=0; wait $pid || rc=$?
		[[ $rc == 7 ]] || say "exit code $rc of a command that handles TERM"'
}

@test "exec: a trial that was killed is cleaned up after by the next" {
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_cgroups '
		"$0" exec --cc reno -- sh -c "echo \$\$ >/run/ready; exec sleep 1000" & pid=$!
		patiently test -s /run/ready
		kill -KILL $pid
		wait $pid || :
		[[ $("$0" cgroup list --plain | wc -l) == 1 ]] || say "no trial to clean up"
		trial true 2>/run/said
		grep -q "was killed; ndmctl cleans up after it" /run/said || say "not said"
		[[ $(sed -n "s/^0:://p" /proc/$(cat /run/ready)/cgroup) == $(sed -n "s/^0:://p" /proc/self/cgroup) ]] || say "its command is not back"
		kill $(cat /run/ready)'
}

@test "exec: gives the code of its command also when the lock is busy at the end, and what stays goes with reload or stop" {
	local end
	for end in reload 'service stop'; do
		make_root
		add_cgroups
		load_now
		put "$R/proc/self/cgroup" 0::/system.slice
		fake nice <<<'shift 3; exec "$@"'
		fake rmdir <<<"for dir in \"\${@:1}\"; do [[ \$dir != */ndm-exec.* ]] || rm -f \"\$dir/cgroup.procs\"; done; exec $(type -P rmdir) \"\$@\""
		fake hold <<-END
			( exec 9<"$R/run/ndm-tcp/lock"; flock 9; echo \$BASHPID >"$R/holder"; exec sleep 1000 ) >/dev/null 2>&1 3>&- &
			for ((i = 0; i < 600; i++)); do if [[ -s $R/holder ]]; then exit 7; fi; sleep 0.05; done
		END
		NDMCTL_LOCK_WAIT=0.5 ndmctl exec --cc ndm -- "$R/fixture/hold"
		kill "$(<"$R/holder")"
		exits 7
		complains 'another ndmctl is changing things, so the cgroup /system.slice/ndm-exec.'
		attached_is "ndm /$(cd "$G" && echo system.slice/ndm-exec.*)"
		# shellcheck disable=SC2086  # words of a command
		ndmctl $end
		exits 0
		complains 'was killed; ndmctl cleans up after it'
		attached_is
		equals "$(ls "$G/system.slice")" cgroup.procs
	done
}

@test "exec: says that its policy was removed while the command ran" {
	add_cgroups
	put "$R/proc/self/cgroup" 0::/system.slice
	fake nice <<<'shift 3; exec "$@"'
	fake rmdir <<<"for dir in \"\${@:1}\"; do [[ \$dir != */ndm-exec.* ]] || rm -f \"\$dir/cgroup.procs\"; done; exec $(type -P rmdir) \"\$@\""
	ndmctl exec --cc ndm -- true
	exits 0
	equals "$stderr" ''
	ndmctl exec --cc ndm -- "$ON_R" service stop
	exits 0
	complains 'somebody removed the policy while the command ran'
}

@test "exec: a reload leaves a trial alone whose ndmctl runs, also where that process is hidden" {
	local trial=/system.slice/ndm-exec.$$.0.5
	add_cgroups "$trial"
	load_now
	ndmctl cgroup set "$trial" ndm
	absent "proc/$$"    # as in the sandbox of the service
	ndmctl reload
	exits 0
	attached_is "ndm $trial"
}

@test "exec: in another PID namespace it leaves the trials of this one alone" {
	# shellcheck disable=SC2016  # expanded by the inner shell
	on_real_cgroups '
		"$0" exec --cc reno -- sh -c "echo \$\$ >/run/ready; exec sleep 1000" & pid=$!
		patiently test -s /run/ready
		before=$("$0" cgroup list --plain)
		unshare -pf --mount-proc "$0" exec --cc reno -- true 2>/run/said || say "it fails"
		[[ $before && $("$0" cgroup list --plain) == "$before" ]] || say "its policy is lost: $(</run/said)"
		kill $(cat /run/ready)
		wait $pid || :'
}

@test "exec: where cgroups cannot be written to, a dead trial loses its policy and is named" {
	((EUID == 0)) || skip 'needs root'
	local trial=/system.slice/ndm-exec.999999999.0.5
	add_cgroups "$trial"
	load_now
	ndmctl cgroup set "$trial" ndm
	fake sleep <<<'exit 9'    # there is nothing to wait for
	mount --bind "$G" "$G" && mount -o remount,bind,ro "$G"
	ndmctl reload
	umount "$G"
	exits 0
	complains "the cgroup $G$trial could not be removed; its policy was removed"
	attached_is
}

@test "exec: of several that overlap, the last unloads what the first loaded, unless more than exec needs it by then" {
	make_root
	add_systemd
	put "$R/proc/self/cgroup" 0::/batch.slice
	fake nice <<<'shift 3; exec "$@"'
	fake rmdir <<<"for dir in \"\${@:1}\"; do [[ \$dir != */ndm-exec.* ]] || rm -f \"\$dir/cgroup.procs\"; done; exec $(type -P rmdir) \"\$@\""
	fake first <<<": >'$R/one'; for ((i = 0; i < 600; i++)); do if [[ -e '$R/two' ]]; then exit 0; fi; sleep 0.05; done; exit 9"
	fake second <<<": >'$R/two'; for ((i = 0; i < 600; i++)); do [[ -e '$R/ended' ]] || { sleep 0.05; continue; }; [[ -d '$R/sys/module/tcp_ndm' ]]; exit; done; exit 9"
	link_answers
	"$ON_R" exec --cc ndm -- "$R/fixture/first" 3>&- & local pid=$!
	patiently test -e "$R/one"
	"$ON_R" exec --cc ndm_v4 -- "$R/fixture/second" 3>&- & local other=$!
	wait $pid
	: >"$R/ended"
	wait $other || fail 'the module went while the second needed it'
	absent sys/module/tcp_ndm
	absent run/ndm-tcp/exec
	cp "$R/fixture/modprobe" "$R/fixture/modprobe.real"
	# shellcheck disable=SC2016  # expanded by the fixture
	fake modprobe <<<'"$0.real" "$@"; kill -KILL "$(cut -d " " -f 4 "/proc/$PPID/stat")" "$PPID"'
	ndmctl exec --cc ndm -- true
	[[ -d $R/sys/module/tcp_ndm ]] || fail 'it was not loaded'
	mv "$R/fixture/modprobe.real" "$R/fixture/modprobe"
	ndmctl exec --cc ndm -- true
	absent sys/module/tcp_ndm
	fake set-policy <<<"'$ON_R' unit set web ndm; rm -r '$G/system.slice/web.service'; mkdir '$G/system.slice/web.service'; : >'$G/system.slice/web.service/cgroup.procs'"
	ndmctl exec --cc ndm -- "$R/fixture/set-policy"
	exits 0
	[[ -d $R/sys/module/tcp_ndm ]] || fail 'the module of a policy went'
	ndmctl unit clear web
	ndmctl unload
	fake load <<<"'$ON_R' load"
	ndmctl exec --cc ndm -- "$R/fixture/load"
	[[ -d $R/sys/module/tcp_ndm ]] || fail 'the module went, in spite of load'
}

@test "exec: the journal does not have what follows the command" {
	add_cgroups
	journal
	ndmctl -n exec --cc ndm -- true
	fake nice <<<'shift 3; exec "$@"'
	ndmctl exec --cc ndm -- true --password s3cr3t
	exits 0
	journal_has "command='exec --cc ndm -- true ...': policy of the cgroup"
	! grep -q s3cr3t "$R/fixture/journal" || fail 'a password in the journal'
}

@test "exec: an empty cgroup of one that was killed before its record goes with the next" {
	add_cgroups
	put "$R/proc/self/cgroup" 0::/system.slice
	mkdir -p "$G/system.slice/ndm-exec.999999999.0.7" "$G/system.slice/ndm-exec.12.0.7" "$G/system.slice/ndm-exec.own" "$R/proc/12"
	fake nice <<<'shift 3; exec "$@"'
	fake rmdir <<<"for dir in \"\${@:1}\"; do [[ \$dir != */ndm-exec.* ]] || rm -f \"\$dir/cgroup.procs\"; done; exec $(type -P rmdir) \"\$@\""
	ndmctl exec --cc ndm -- true
	exits 0
	equals "$(ls "$G/system.slice")" $'cgroup.procs\nndm-exec.12.0.7\nndm-exec.own'
}
