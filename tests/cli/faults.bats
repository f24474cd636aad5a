# SPDX-License-Identifier: GPL-2.0
# No rights, no space, no patience: what a change does when it cannot go on.
load helpers
setup() {
	make_root
	load_now
	put "$R/$DROP_IN" KEEP_NOISE=600
	BEFORE=$(snapshot)
}

unchanged() { equals "$(snapshot)" "$BEFORE"; }

no_leftovers() { equals "$(find "$R/etc" -name '.*')" ''; }

interruptible() { # ARG...: ndmctl, whose children know its number and can send it signals
	# shellcheck disable=SC2016  # expanded by the inner shell, in whose place ndmctl comes
	run --separate-stderr env --default-signal=INT,QUIT bash -c 'export NDMCTL_PID=$$; exec "$0" "$@"' "$ON_R" "$@"
}

@test "faults: every changing command without root ends with 4 and the sudo line" {
	copy_ndmctl
	local command
	for command in 'set-default ndm' 'set-default --revert' load unload reload 'config set KEEP_NOISE 700' 'config unset KEEP_NOISE' 'service stop'; do
		# shellcheck disable=SC2086  # words of a command
		as_nobody "$NDMCTL" $command
		refuses 4 'needs root' "hint: sudo ndmctl $command"
	done
	as_nobody "$NDMCTL" set-default 'a b'
	complains 'sudo ndmctl set-default a\ b'
	as_nobody "$NDMCTL" -n load
	[[ $status != 4 ]] || fail 'a dry run needs no root'
}

@test "faults: below --root the permissions of the tree decide" {
	copy_ndmctl
	chmod -R a+rX "$R"
	as_nobody env NDMCTL_LOCK_WAIT=1 "$NDMCTL" --root "$R" config set KEEP_NOISE 700
	if ((EUID)); then exits 0
	else refuses 1 'cannot'; unchanged; fi
}

@test "faults: read-only /etc" {
	if ((EUID)); then chmod a-w "$R/etc/ndm-tcp/conf.d"
	else mount --bind "$R/etc" "$R/etc" && mount -o remount,bind,ro "$R/etc"; fi
	ndmctl set-default ndm
	local first=$status:$output:$stderr
	ndmctl config set KEEP_NOISE 700
	if ((EUID)); then chmod u+w "$R/etc/ndm-tcp/conf.d"; else umount "$R/etc"; fi
	refuses 1 'cannot write' 'the old file is unchanged'
	[[ $first == 1::*'cannot write'*hint:* ]] || fail "$first"
	unchanged
	no_leftovers
}

@test "faults: a unit's policy on a read-only /etc: the hint names --runtime, which works" {
	((EUID == 0)) || skip 'mounting read-only needs root'
	add_systemd
	mount --bind "$R/etc" "$R/etc"
	mount -o remount,bind,ro "$R/etc"
	ndmctl unit set web ndm
	local first=$status:$stderr
	ndmctl unit set web ndm --runtime
	umount "$R/etc"
	exits 0
	[[ $first == 1:*Read-only*'hint: df '*'--runtime needs no /etc'* ]] || fail "$first"
}

@test "faults: no space left on /etc" {
	((EUID == 0)) || skip 'mounting a full file system needs root'
	mount -t tmpfs -o size=4k none "$R/etc/ndm-tcp/conf.d"
	echo KEEP_NOISE=600 >"$R/$DROP_IN" || :
	ndmctl set-default ndm
	local first=$status:$output:$stderr kept leftovers
	ndmctl config set KEEP_NOISE 700
	kept=$(cat "$R/$DROP_IN") leftovers=$(find "$R/etc" -name '.*')
	umount "$R/etc/ndm-tcp/conf.d"
	refuses 1 'No space left on device' 'the old file is unchanged'
	equals "$kept" KEEP_NOISE=600
	equals "$leftovers" ''
	[[ $first == 1::*'No space left'* ]] || fail "$first"
	unchanged
}

@test "faults: no space left in /run" {
	((EUID == 0)) || skip 'mounting a full file system needs root'
	mount -t tmpfs -o size=4k none "$R/run"
	mkdir -p "$R/run/ndm-tcp"
	head -c 4096 /dev/zero >"$R/run/fill" || :
	ndmctl set-default ndm
	umount "$R/run"
	refuses 1 cannot
	unchanged
	no_leftovers
}

@test "faults: the rename fails after the sysctl was written" {
	fake mv <<<'echo "mv: cannot move: Read-only file system" >&2; exit 1'
	ndmctl set-default ndm
	refuses 1 'Read-only file system' 'everything was put back'
	unchanged
	no_leftovers
}

@test "faults: SIGTERM and SIGINT half-way through writing the file" {
	local signal rc
	for signal in TERM:143 INT:130 HUP:129 QUIT:131; do
		fake sync <<<"kill -${signal%:*} \$NDMCTL_PID"
		interruptible config set KEEP_NOISE 700
		rc=${signal#*:}
		exits "$rc"
		unchanged
		no_leftovers
	done
}

@test "faults: SIGTERM after the sysctl was written puts it back" {
	# a copy of ndmctl that is hit right after the write
	patch_copy <<'END'
write_default() {
	write_value "$SYSTEM$SYSCTL" "$1"
	kill -TERM $$
}
END
	run --separate-stderr "$ON_R" set-default ndm
	exits 143
	complains 'everything was put back'
	unchanged
	no_leftovers
}

@test "faults: SIGTERM during the rename takes even that back" {
	local real
	real=$(type -P mv)
	fake mv <<<"$real \"\$@\" && kill -TERM \$NDMCTL_PID"
	interruptible set-default ndm
	exits 143
	complains 'everything was put back'
	unchanged
	no_leftovers
}

@test "faults: SIGTERM while the module is being loaded unloads it again" {
	make_root
	put "$R/etc/ndm-tcp/ndm-tcp.conf" KEEP_NOISE=700
	BEFORE=$(snapshot)
	mv "$R/fixture/modprobe" "$R/fixture/modprobe.real"
	# shellcheck disable=SC2016  # expanded by the fixture
	printf '%s\n' '#!/bin/bash' 'bash "${0%/*}/modprobe.real" "$@" || exit' '[[ $1 == -r ]] || kill -TERM $NDMCTL_PID' >"$R/fixture/modprobe"
	chmod +x "$R/fixture/modprobe"
	interruptible set-default ndm
	exits 143
	absent sys/module/tcp_ndm
	default_is cubic
	unchanged
}

@test "faults: a leftover of a killed ndmctl is neither read nor in the way" {
	put "$R/etc/ndm-tcp/conf.d/.50-ndmctl.conf.1.new" 'GARBAGE'
	ndmctl config validate
	exits 0
	ndmctl config set KEEP_NOISE 700
	exits 0
	no_leftovers
}

@test "faults: two at once: the second waits, then says who is in the way" {
	mkdir -p "$R/run/ndm-tcp"
	: >"$R/run/ndm-tcp/lock"
	exec 8<"$R/run/ndm-tcp/lock"
	flock 8
	NDMCTL_LOCK_WAIT=0.2 ndmctl config set KEEP_NOISE 700
	refuses 1 'another ndmctl' 'fuser'
	unchanged
	ndmctl status
	exits 0
	exec 8<&-
	ndmctl config set KEEP_NOISE 700
	exits 0
}

@test "faults: many at once leave one consistent result" {
	local i
	for i in 1 2 3 4 5 6; do
		"$ON_R" config set KEEP_NOISE "60$i" &
		"$ON_R" config set KEEP_CONGESTION "40$i" &
		"$ON_R" -q set-default "$( ((i % 2)) && echo ndm || echo ndm_v4)" &
	done
	wait
	ndmctl config validate
	exits 0
	ndmctl config diff
	exits 0
	no_leftovers
	equals "$(grep -c = "$R/$DROP_IN")" 3
	grep -qx previous=cubic "$R/run/ndm-tcp/default"
}

@test "faults: the lock is not for users" {
	ndmctl config set KEEP_NOISE 700
	equals "$(stat -c %a "$R/run/ndm-tcp/lock")" 600
	equals "$(stat -c %a "$R/run/ndm-tcp")" 755
	ndmctl set-default ndm
	equals "$(stat -c %a "$R/run/ndm-tcp/default")" 644
}

@test "faults: /proc/sys read-only, as in a container" {
	local sysctl=$R/proc/sys/net/ipv4/tcp_congestion_control
	if ((EUID)); then chmod a-w "$sysctl"
	else mount --bind "$sysctl" "$sysctl" && mount -o remount,bind,ro "$sysctl"; fi
	ndmctl set-default ndm
	if ((EUID)); then chmod u+w "$sysctl"; else umount "$sysctl"; fi
	refuses 1 "cannot set the default to 'ndm'" 'set it on the host' 'everything was put back'
	[[ $stderr != *'could not'* ]] || fail 'what did not change needs no way back'
	unchanged
	no_leftovers
}

@test "faults: standard output closed or full" {
	run --separate-stderr bash -c '"$0" status >/dev/full' "$ON_R"
	[[ $status != 0 ]] || fail 'a full standard output went unnoticed'
}

@test "faults: the real /proc/sys of a network namespace: set, show, revert, refuse" {
	((EUID == 0)) || skip 'a network namespace of its own needs root'
	# shellcheck disable=SC2016  # expanded by the inner shell
	run --separate-stderr unshare -nm bash -c '
		mount -t tmpfs none /run
		was=$("$0" default)
		other=reno
		[[ $was != reno ]] || other=cubic
		"$0" set-default "$other" --runtime && [[ $("$0" default) == "$other" ]] || exit 10
		"$0" set-default --revert --runtime && [[ $("$0" default) == "$was" ]] || exit 11
		mount -t proc none /proc && mount -o remount,ro /proc || exit 12
		"$0" set-default "$other" --runtime && exit 13
		[[ $("$0" default) == "$was" && ! -e /run/ndm-tcp/default ]]' "$NDMCTL"
	exits 0
	complains 'Read-only file system'
	complains 'everything was put back'
}

@test "faults: a signal of the terminal, which every process of the command gets, undoes the step of a reload" {
	local signal rc pid
	add_systemd
	put "$R/etc/ndm-tcp/conf.d/10-site.conf" 'CGROUP=/batch.slice:ndm_v4'
	fake stat <<-END
		if [[ -s \${0%/*}/attached && \$* == *%i* ]]; then : >"\${0%/*}/reached"; sleep 3; fi # in which the signal comes
		exec $(type -P stat) "\$@"
	END
	for signal in INT:130 QUIT:131 TERM:143 HUP:129; do
		rm -f "$R/fixture/reached"
		(ulimit -c 0; exec setsid env --default-signal=INT,QUIT "$ON_R" reload) >/dev/null 2>"$R/fixture/said" &
		pid=$!
		patiently test -e "$R/fixture/reached"
		kill -s "${signal%:*}" -- "-$pid"
		rc=0
		wait "$pid" || rc=$?
		equals "$rc" "${signal#*:}"
		attached_is
		equals "$(find "$R/sys/fs/bpf" -type f)" ''
		grep -q 'everything was put back' "$R/fixture/said"
	done
}
