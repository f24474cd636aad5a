# SPDX-License-Identifier: GPL-2.0
# No rights, no space, no patience: what a change does when it cannot go on.
load helpers
setup() { make_loaded_root; }

no_leftovers() { equals "$(find "$R/etc" -name '.*')" ''; }

@test "faults: every changing command without root ends with 4 and the sudo line" {
	local command rights words count=0
	while IFS=$'\t' read -r _ command rights words _; do
		[[ $rights == change ]] || continue
		read -ra words <<<"$command ${words//[!A-Z ]/}"
		as_nobody "$NDMCTL" "${words[@]}"
		refuses 4 'needs root' "hint: sudo ndmctl ${words[*]}"
		count=$((count + 1))
	done < <("$NDMCTL" help --plain | grep ^command)
	((count > 8))
	as_nobody "$ON_SERVICE" -q stop
	refuses 4 'needs root' 'hint: sudo /usr/lib/ndm-tcp/service -q stop'
	as_nobody "$NDMCTL" set-default 'a b'
	complains 'sudo ndmctl set-default a\ b'
	as_nobody "$NDMCTL" -n load
	[[ $status != 4 ]] || fail 'a dry run needs no root'
}

@test "faults: read-only /etc" {
	chmod a-w "$R/etc/ndm-tcp/conf.d"
	ndmctl set-default ndm
	local first=$status:$output:$stderr
	ndmctl config set KEEP_NOISE 700
	chmod u+w "$R/etc/ndm-tcp/conf.d"
	refuses 1 'cannot write' 'the old file is unchanged'
	[[ $first == 1::*'cannot write'*hint:* ]] || fail "$first"
	unchanged
	no_leftovers
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
	flock -s 8
	NDMCTL_LOCK_WAIT=0.2 ndmctl config set KEEP_NOISE 700
	refuses 1 'another ndmctl' 'fuser'
	unchanged
	ndmctl status
	exits 0
	exec 8<&-
	ndmctl config set KEEP_NOISE 700
	exits 0
	fake flock <<<'echo "flock: 11: Permission denied" >&2; exit 71'
	ndmctl config set KEEP_NOISE 600
	refuses 1 'cannot lock' 'Permission denied' AppArmor
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
	chmod a-w "$sysctl"
	ndmctl set-default ndm
	chmod u+w "$sysctl"
	refuses 1 "cannot set the default to 'ndm'" 'set it on the host' 'everything was put back'
	[[ $stderr != *'could not'* ]] || fail 'what did not change needs no way back'
	unchanged
	no_leftovers
}

@test "faults: a signal of the terminal, which every process of the command gets, undoes the step of load" {
	local signal rc pid
	add_systemd
	put "$R/etc/ndm-tcp/conf.d/10-site.conf" 'CGROUP=/batch.slice:ndm_v4'
	fake stat <<-END
		if [[ -s \${0%/*}/attached && \$* == *%i* ]]; then : >"\${0%/*}/reached"; sleep 3; fi # in which the signal comes
		exec $(type -P stat) "\$@"
	END
	for signal in INT:130 QUIT:131 TERM:143 HUP:129; do
		rm -f "$R/fixture/reached"
		(ulimit -c 0; exec setsid env --default-signal=INT,QUIT "$ON_R" load) >/dev/null 2>"$R/fixture/said" &
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
