# SPDX-License-Identifier: GPL-2.0
# ndmctl exec with cgroups and programs of this kernel.
load helpers
setup_file() { export BATS_NO_PARALLELIZE_WITHIN_FILE=true; } # they look for what the others would leave

# $1: what is done where reno is not the default; prints nothing when all is well. `trial` runs ndmctl exec, `algorithms` prints
# what listener, connecting and accepted socket have, over IPv4 and IPv6.
on_real_cgroups() {
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
		was=$(cat /proc/sys/net/ipv4/tcp_congestion_control)
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
