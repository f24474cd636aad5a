# SPDX-License-Identifier: GPL-2.0
# One command on trial, on a made-up system. With cgroups and programs of a real kernel: ../cli-root/exec.bats.
load helpers
setup() {
	make_root
	load_now
}

@test "exec: bad words are refused, with the codes that a shell would use for the command" {
	add_cgroups
	ndmctl exec true
	refuses 2 'needs the name of an algorithm' 'ndmctl exec --cc ndm_v5 -- true'
	ndmctl exec --cc 'a b' -- true
	refuses 2 'algorithm name'
	ndmctl exec --cc ndm
	refuses 2 'lacks its COMMAND'
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
	refuses 2 'exec needs the name of an algorithm, before the command'
	equals "$("$ON_R" exec sh --cc ndm 2>&1 | tail -n 1)" 'hint: ndmctl exec --cc ndm_v5 -- sh --cc ndm'
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
	chmod a-w "$G"
	ndmctl exec --cc ndm -- true
	chmod u+w "$G"
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

@test "exec: gives the code of its command also when the lock is busy at the end, and what stays goes with load or stop" {
	local end
	for end in load 'service stop'; do
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
	ndmctl exec --cc ndm -- "$ON_SERVICE" stop
	exits 0
	complains 'somebody removed the policy while the command ran'
}

@test "exec: load leaves a trial alone whose ndmctl runs, also where that process is hidden" {
	local trial=/system.slice/ndm-exec.$$.0.5
	add_cgroups "$trial"
	load_now
	ndmctl cgroup set "$trial" ndm
	absent "proc/$$"    # as in the sandbox of the service
	ndmctl load
	exits 0
	attached_is "ndm $trial"
}

@test "exec: where cgroups cannot be written to, a dead trial loses its policy and is named" {
	local trial=/system.slice/ndm-exec.999999999.0.5
	add_cgroups "$trial"
	load_now
	ndmctl cgroup set "$trial" ndm
	fake sleep <<<'exit 9'    # there is nothing to wait for
	chmod -R a-w "$G"
	ndmctl load
	chmod -R u+w "$G"
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
