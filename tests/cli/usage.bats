# SPDX-License-Identifier: GPL-2.0
# The command line: what it does, what is refused, with which words.
load helpers
setup() { make_root; }

@test "usage: words and options that no command or this one does not take are refused, with the nearest" {
	local words cause hint
	while IFS='|' read -r words cause hint; do
		echo "$words"    # of a failure
		ndmctl $words
		refuses "${cause%% *}" "${cause#* }" "hint: $hint"
	done <<-'END'
		set-defualt ndm|2 unknown command 'set-defualt'|did you mean "ndmctl set-default"
		xyzzy|2 unknown command 'xyzzy'|ndmctl help
		config valdate|2 unknown command 'config valdate'|did you mean "ndmctl config validate"
		service strat|2 unknown command 'service strat'|/usr/lib/ndm-tcp/service start
		config|2 config needs one more word|ndmctl help config
		status --jsn|2 unknown option --jsn|did you mean --json
		load --short|2 load takes no option --short|
		sockets --cc|2 --cc needs a value|
		status --short=yes|2 --short takes no value|
		status --json --plain|2 exclude each other|
		load now|2 one word too many|
		-q load now|2 one word too many|
		set-default|2 needs a name|
		set-default ndm cubic|2 one word too many|
		set-default yes|2 not an algorithm|
		help --json|2 |ndmctl help --plain
		config set KEEP_NOISE|2 config set lacks its VALUE|ndmctl config set KEY VALUE ...
		config set KEEP_NOISE=700|2 config set takes KEY and VALUE as two words|ndmctl config set KEEP_NOISE 700
		config set =700|2 config set lacks its VALUE|
		set-default ndm_v9|1 has no module tcp_ndm_v9|did you mean ndm_v1?
		config get A B|2 one word too many|
		help load unload|2 one word too many|
	END
	ndmctl ''
	refuses 2 "unknown command ''"
	ndmctl config ''
	refuses 2 "unknown command 'config '"
	run --separate-stderr "$ON_R" service start
	refuses 2 "unknown command 'service'"
}

@test "usage: the bare command is status; options work before and after a command, and short ones in one word" {
	ndmctl
	exits 0
	local bare=$output
	ndmctl status
	equals "$bare" "$output"
	says 'tcp_ndm 0.1.0, not loaded'
	ndmctl --json status --short
	local before=$output
	ndmctl status --short --json
	equals "$output" "$before"
	ndmctl -nq set-default ndm
	exits 0
	says 'would: run modprobe tcp_ndm'
	equals "$stderr" ''
	ndmctl -nx load
	refuses 2 'unknown option -x'
}

@test "usage: algorithm names" {
	ndmctl set-default a23456789012345
	[[ $status != 2 ]] || fail '15 characters are allowed'
	ndmctl set-default a234567890123456
	refuses 2 'name of 16 characters, the kernel allows 15'
	rm -f "${R:?}/run/commands.log"
	local name
	for name in ../etc/passwd . .. -- 'a b' 'a/b' $'a\nb' $'a\eb' 'a;b' '$(id)' _ndm '' 'ä' 'a%s'; do
		ndmctl set-default -- "$name"
		refuses 2
		default_is cubic
		absent run/commands.log
		ndmctl config set DEFAULT "$name"
		refuses 2
		ndmctl sockets "--cc=$name"
		refuses 2
	done
}

@test "usage: a dry run of each change says what would be done and does nothing; done twice is done once" {
	local command
	make_changeable_root
	put "$R/sys/kernel/btf/vmlinux" ''
	for command in 'set-default ndm' 'set-default ndm_v4 --netns blue' 'config set KEEP_NOISE 700' 'config set METRICS yes' \
		'cgroup set /batch.slice ndm --persist' 'unit set sock ndm' 'route set 192.0.2.0/24 ndm' 'route clear 192.0.2.0/24' 'unit clear sock' \
		'cgroup clear /batch.slice --persist' 'config unset METRICS' 'config unset KEEP_NOISE' 'set-default --revert --netns blue' 'set-default --revert' \
		unload load; do
		echo "$command"    # of a failure
		remember
		ndmctl -n $command
		exits 0
		says 'would: '
		ndmctl --json -n $command
		json_is .changed true
		unchanged
		ndmctl --json $command
		json_is .changed true
		[[ $command == "$(jq -r .command <<<"$output")"* ]] || fail 'another command'
		remember
		ndmctl --json $command
		json_is .changed false
		unchanged
	done
}

@test "usage: control characters never reach the terminal" {
	local bad=$'x\e[31mred\a' words
	for words in "$bad" "config set $bad 1" "--$bad" "load $bad" "config get $bad $bad"; do
		ndmctl $words
		refuses 2
		[[ $stderr != *$'\e'* ]] || fail 'escape sequence printed'
	done
}

@test "usage: colour only on a terminal" {
	ndmctl status
	[[ $output != *$'\e'* ]] || fail 'colour in a pipe'
	on_terminal env TERM=xterm NO_COLOR= "$ON_R" status
	says $'\e['
	on_terminal env TERM=xterm NO_COLOR=1 "$ON_R" status
	[[ $output != *$'\e'* ]] || fail 'NO_COLOR ignored'
	on_terminal env TERM=dumb "$ON_R" status
	[[ $output != *$'\e'* ]] || fail 'TERM=dumb ignored'
}

@test "usage: the programs of the system are found, whatever PATH says" {
	run --separate-stderr env PATH=/nowhere /bin/bash "$NDMCTL" status
	exits 0
	equals "$stderr" ''
}

@test "usage: read commands run on this very system without rights" {
	local command
	for command in status 'config get' --version help 'help config' sockets 'route list'; do
		as_nobody "$NDMCTL" $command
		exits 0
	done
	as_nobody "$NDMCTL" doctor
	[[ $status == [01] ]] || fail "doctor ends with $status"
	says 'next: '
}

@test "usage: help of a command by three ways, and its table" {
	ndmctl help sockets
	local text=$output
	says 'usage: ndmctl sockets'
	ndmctl sockets --help
	equals "$output" "$text"
	ndmctl -h sockets
	equals "$output" "$text"
	ndmctl load --help --plain
	exits 0
	says $'command\tload\tchange'
}

@test "usage: version comes from the changelog in a checkout" {
	local version
	version=$(sed -n '1s/.*(\(.*\)).*/\1/p' "$CLI/../../debian/changelog")
	ndmctl --version
	equals "$output" "ndmctl $version"
	ndmctl --version --json
	json_is .ndmctl "$version"
}
