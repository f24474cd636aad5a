# SPDX-License-Identifier: GPL-2.0
# A program that a change calls to write, load or attach fails once, at each of the calls, as with EIO: then the change is whole, or all
# is as before and a message says why. So it is when ndmctl gets SIGTERM at that call.
# bats file_tags=all
load helpers

setup() {
	make_changeable_root
	# These stand before the others in PATH, count the calls by ndmctl itself, and fail at one of them.
	local tool
	WRAPPERS=$BATS_TEST_TMPDIR/wrappers
	mkdir "$WRAPPERS"
	for tool in mv sync rm mkdir rmdir dd modprobe bpftool systemctl ip nsenter; do
		put "$WRAPPERS/$tool" "#!/bin/bash
if [[ \$* != *@(show|list|tree|dump|version|is-|' cat ')* && \$(tr '\\0' ' ' </proc/\$PPID/cmdline) == *-failing* ]]; then
	printf '%s\n' '$tool' >>'$BATS_TEST_TMPDIR/calls'
	if [[ \$(wc -l <'$BATS_TEST_TMPDIR/calls') == \"\${FAIL_AT-}\" ]]; then
		[[ \$HOW == signal ]] || { echo '$tool: Input/output error' >&2; exit 1; }
		kill -TERM \$FAILING_PID
	fi
fi
PATH=\${PATH#*:}
exec $tool \"\$@\""
		chmod +x "$WRAPPERS/$tool"
	done
	HOWS=(fails signal)
	FAILING=$ON_R-failing
	sed "s|^PATH=|&$WRAPPERS:|" "$ON_R" >"$FAILING"
	chmod +x "$FAILING"
}

dirs() { find "$R/etc" -type d | sort; }

fails_well() { # the words of ndmctl
	local calls at how before dirs_before after got tree=$BATS_TEST_TMPDIR/tree name
	rm -rf "$tree"
	cp -a "$R" "$tree"
	link_answers
	before=$(everything) dirs_before=$(dirs)
	rm -f "$BATS_TEST_TMPDIR/calls"
	"$FAILING" "$@"
	cp "$BATS_TEST_TMPDIR/calls" "$BATS_TEST_TMPDIR/names"
	calls=$(wc -l <"$BATS_TEST_TMPDIR/names")
	find "$R/sys/fs/bpf" -mindepth 1 -type d -empty -delete
	((calls)) || fail "no call of another program: $*"
	after=$(everything)
	[[ $before != "$after" ]] || fail "it changes nothing: $*"
	for ((at = 1, how = 0; how < ${#HOWS[@]}; at = at % calls + 1, how += at == 1)); do
		HOW=${HOWS[how]}
		name="$HOW, call $at of $calls, $(sed -n "${at}p" "$BATS_TEST_TMPDIR/names"): $*"
		put_back "$tree"
		rm -f "$BATS_TEST_TMPDIR/calls"
		FAIL_AT=$at HOW=$HOW run --separate-stderr bash -c 'export FAILING_PID=$$; exec "$0" "$@"' "$FAILING" "$@"
		[[ $stderr != *'line '* ]] || fail "an error of bash by $name: $stderr"
		[[ $stderr || $status == @(0|143) ]] || fail "without a word: $name"
		[[ $stderr != *'could not put back'* ]] || fail "$name: $stderr"
		find "$R/sys/fs/bpf" -mindepth 1 -type d -empty -delete
		got=$(everything)
		# Programs that nothing uses any more go last, when the change is whole, or with the next one.
		if [[ $stderr == *'which nothing uses'* || ($status == 143 && $got != "$before") ]]; then
			"$ON_R" cgroup clear /system.slice
			find "$R/sys/fs/bpf" -mindepth 1 -type d -empty -delete
			got=$(everything)
			[[ $got == "$after" ]] || { diff <(echo "$after") <(echo "$got") || :; fail "not as after it: $name: $stderr"; }
		elif ((status == 0)); then
			[[ $got == "$after" ]] || { diff <(echo "$after") <(echo "$got") || :; fail "done, but not whole: $name: $stderr"; }
		else
			[[ $got == "$before" && $(dirs) == "$dirs_before" ]] || { diff <(echo "$before") <(echo "$got") || :; fail "not as before: $name: $stderr"; }
		fi
	done
	echo "# $*: $calls calls, 0 lost" >&3
	put_back "$tree"
	"$ON_R" "$@" # for what comes next
}

@test "errors: set-default, for this boot, for good, in all network namespaces, and back" {
	fails_well set-default ndm
	fails_well set-default ndm_v4 --runtime
	fails_well set-default ndm --netns all
	fails_well set-default --revert
}

@test "errors: config set and unset" {
	fails_well config set KEEP_NOISE 700 DEFAULT ndm
	fails_well config unset KEEP_NOISE
	put "$R/sys/kernel/btf/vmlinux" ''
	fails_well config set METRICS yes
}

@test "errors: policies of cgroups" {
	fails_well cgroup set /batch.slice ndm --persist
	fails_well cgroup clear /batch.slice --persist
}

@test "errors: policies of units" {
	fails_well unit set sock ndm
	fails_well unit clear sock
}

@test "errors: routes" {
	fails_well route set 192.0.2.0/24 ndm
	fails_well route clear 192.0.2.0/24
}
