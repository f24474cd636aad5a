# SPDX-License-Identifier: GPL-2.0
# The tables in ndmctl, its help, its completion, its man pages and its exit codes say the same.
load helpers

setup_file() { # what all tests read: the tables
	load helpers
	"$NDMCTL" help --plain >"$BATS_FILE_TMPDIR/tables"
}

setup() {
	MAN=$CLI/../../man BIN=$BATS_TEST_TMPDIR/bin
	mkdir "$BIN"
	printf '#!/bin/bash\nexec %q "$@"\n' "$NDMCTL" >"$BIN/ndmctl"
	chmod +x "$BIN/ndmctl"
}

table() { sed -n "s/^$1\t//p" "$BATS_FILE_TMPDIR/tables"; }

first_words() { table command | cut -f 1 | cut -d ' ' -f 1 | uniq; }

second_words() { table command | cut -f 1 | sed -n "s/^$1 //p"; }

@test "agreement: help names each option: of every command, and of that command" {
	local commands option command count=0 page=$BATS_TEST_TMPDIR/page
	"$NDMCTL" help >"$page-*"
	for command in $(first_words); do "$NDMCTL" help "$command" >"$page-$command"; done
	while IFS=$'\t' read -r commands option _; do
		count=$((count + 1))
		grep -qE -- "^  (-., )?$option\b" "$page-${commands%%[ ,]*}" || fail "$option of $commands"
	done < <(table option)
	[ "$count" -gt 20 ]
}

@test "agreement: every command of the table is a function, and is in help, once, and man page" {
	local command words synopsis overview all
	all=$("$NDMCTL" help all)
	overview=$("$NDMCTL" help | awk '/^  [^ ]/ { printf "\n" } { printf "%s ", $0 }')    # what was wrapped is one line
	synopsis=$(sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/p' "$MAN/ndmctl.8" | grep '^\.It Cm')
	while IFS=$'\t' read -r command _; do
		grep -rq "^cmd_${command//[ -]/_}()" "$CLI/../../ndmctl/lib" || fail "no function for $command"
		read -ra words <<<"$command"
		[[ $command == help ]] || grep -q "^  ${words[0]} .*${words[1]-}" <<<"$overview" || fail "help lacks $command"
		grep -Eq "^\.It Cm $command\b|^\.It Cm ${words[0]} .*\b${words[1]-}\b" <<<"$synopsis" || fail "man page lacks $command"
		run "$NDMCTL" help "${words[@]}"
		equals "$status" 0
		[[ $output == "usage: ndmctl $command"* ]] || fail "help $command"
		grep -qE "^usage: ndmctl $command( |$)" <<<"$all" || fail "help all lacks $command"
	done < <(table command)
	equals "$(grep -c '^usage: ' <<<"$all")" "$(table command | wc -l)"
	same_words "$(sed -n 's/^  \([a-z][a-z-]*\) .*/\1/p' <<<"$overview" | sed /ndmctl/d)" "$(first_words | sed /help/d)"
}

@test "agreement: the man page has no other commands, and the same options" {
	local words option
	while IFS= read -r words; do
		table command | cut -f 1 | grep -qx -- "$words" || table command | cut -f 1 | grep -qx -- "${words% *}" || fail "only in the man page: $words"
	done < <(sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Cm \([a-z-]*\( [a-z]*\)\{0,1\}\).*/\1/p' "$MAN/ndmctl.8" | sed 's/ $//' | sort -u)
	for option in $(table option | cut -f 2 | sort -u); do
		grep -q "Fl -${option#--}\b" "$MAN"/ndmctl*.8 || fail "man page lacks $option"
	done
	for option in $(grep -oh 'Fl -[a-z-]*' "$MAN"/ndmctl*.[78] | sed 's/Fl /-/' | sort -u); do
		table option | cut -f 2 | grep -qx -- "$option" || fail "only in the man page: $option"
	done
}

@test "agreement: keys, ranges and defaults in ndm-tcp.conf(5)" {
	local key range default entry
	while IFS=$'\t' read -r key range default _; do
		entry=$(awk -v key="$key" '$1 == ".It" { on = $3 == key } on' "$MAN/ndm-tcp.conf.5" | sed '/^\.El/,$d')
		[[ $entry ]] || fail "no $key"
		[[ $range != *..* || $entry == *"Ar $range"* ]] || fail "$key: $range"
		[[ $entry == *"Default $default."* || $entry == *$'Default\n.Cm '"$default ."* ]] || fail "$key: default $default"
	done < <(table key)
	for key in $(table list | cut -f 1); do grep -q "^\.It Cm $key Ns" "$MAN/ndm-tcp.conf.5" || fail "no $key"; done
	equals "$(grep -c '^\.It Cm [A-Z]' "$MAN/ndm-tcp.conf.5")" "$( (table key; table list) | wc -l)"
}

@test "agreement: exit codes stand alike in script and man page" {
	local from_script from_man
	from_script=$(sed -n 's/^#   \([0-9]\)  .*/\1/p' "$CLI/../../ndmctl/ndmctl")
	from_man=$(sed -n '/^\.Sh EXIT STATUS/,/^\.El/s/^\.It \([0-9]\)$/\1/p' "$MAN/ndmctl.8")
	equals "$from_script" $'0\n1\n2\n3\n4\n5\n6'
	equals "$from_man" "$from_script"
	local used
	for used in $(grep -rhoE '\b(die|exit) [0-9]\b' "$CLI/../../ndmctl" | awk '{ print $2 }' | sort -u); do
		grep -qx "$used" <<<"$from_script" || fail "exit code $used is not listed"
	done
}

@test "agreement: the man page has examples first, and an end" {
	# an administrator reads examples first, and to the end
	equals "$(grep '^\.Sh' "$MAN/ndmctl.8" | sed -n 4p)" '.Sh FIRST STEPS'
	equals "$(sed -n '/^\.Sh FIRST STEPS/,/^\.Sh COMMANDS/p' "$MAN/ndmctl.8" | grep -c '^\.Bd')" 5
	(($(mandoc -T ascii -O width=78 "$MAN/ndmctl.8" | wc -l) <= 500)) || fail 'the page is too long'
}

@test "agreement: examples of the man page are accepted by the parser" {
	make_root
	local words
	while IFS= read -r words; do
		words=${words#[#$] ndmctl}
		words=${words%%[|&]*}
		ndmctl --dry-run $words
		[[ $status != [24] || $words == *' 1000' ]] || fail "ndmctl$words"
	done < <(grep -h '^[#$] ndmctl' "$MAN"/ndmctl*.[78] | sort -u)
}

complete_line() { # WORD...: what completion offers for the last one; bash gives it the words split at = : and @
	PATH=$BIN:$PATH bash -c 'source "$0"; compopt() { :; }; COMP_LINE=$*
		for word; do
			while [[ $word =~ ^([^=:@]*)([=:@]+)(.*)$ ]]; do
				[[ ! ${BASH_REMATCH[1]} ]] || COMP_WORDS+=("${BASH_REMATCH[1]}")
				COMP_WORDS+=("${BASH_REMATCH[2]}") word=${BASH_REMATCH[3]}
			done
			[[ ! $word && ${COMP_WORDS[-1]-} == *[=:@] ]] || COMP_WORDS+=("$word")
		done
		COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _ndmctl; printf "%s\n" "${COMPREPLY[@]}"' "$CLI/../../ndmctl/completion/ndmctl" "$@" 2>&1
}

same_words() { # A B, in any order
	equals "$(sort <<<"$1")" "$(sort <<<"$2")"
}

@test "agreement: completion offers what the tables hold" {
	same_words "$(complete_line ndmctl '')" "$(first_words)"
	same_words "$(complete_line ndmctl help '')" "$(printf '%s\n' all $(first_words))"
	same_words "$(complete_line ndmctl help config '')" "$(second_words config)"
	local command words
	for command in $(first_words); do
		if [[ $(second_words "$command") ]]; then same_words "$(complete_line ndmctl "$command" '')" "$(second_words "$command")"; fi
	done
	same_words "$(complete_line ndmctl config get '')" "$(table key | cut -f 1)"
	same_words "$(complete_line ndmctl --json config set '')" "$(table key | cut -f 1)"
	same_words "$(complete_line ndmctl config set VARIANT v4 '')" "$(table key | cut -f 1)"
	while IFS=$'\t' read -r command _; do
		read -ra words <<<"$command"
		same_words "$(complete_line ndmctl "${words[@]}" -- | sed 's/=$//')" \
			"$(table option | awk -F '\t' -v command="$command" '$1 == "*" || index("," $1 ",", "," command ",") { print $2 }')"
	done < <(table command)
}

complete_by_zsh() { # WORD...
	run zsh -f -c 'zmodload zsh/zutil; compset() { : }; compadd() { print -l -- ${@:#-*} }; _describe() { print -rl -- ${(P)2} }; _files() { print files }
		completion=$1; shift; words=(ndmctl "$@") CURRENT=$#words; set --; source "$completion"' zsh "$CLI/../../ndmctl/completion/_ndmctl" "$@"
	equals "$status" 0
}

@test "agreement: zsh and fish complete commands, values of keys and options, and names of units" {
	PATH=$BIN:$PATH
	printf '#!/bin/sh\nprintf "%%s loaded active\\n" web.service at@0.service "x\\\\x2dy.slice"\n' >"$BIN/systemctl"
	chmod +x "$BIN/systemctl"
	by_fish() { run fish --no-config -c "source $CLI/../../ndmctl/completion/ndmctl.fish; complete -C 'ndmctl $1'"; output=$(cut -f 1 <<<"$output"); }
	complete_by_zsh config ''
	same_words "$(cut -d : -f 1 <<<"$output")" "$(second_words config)"
	by_fish 'config '
	equals "$status" 0
	same_words "$output" "$(second_words config)"
	by_fish 'set-default --pe'    # fish 4 also offers what only has the letters, as --help for --p
	equals "$output" --persist
	complete_by_zsh config set VARIANT ''
	same_words "$output" $'v1\nv4\nv5'
	by_fish 'config set VARIANT '
	same_words "$output" $'v1\nv4\nv5'
	complete_by_zsh unit set w
	equals "$output" web.service
	complete_by_zsh set-default --netns=al
	equals "$output" --netns=all
	by_fish 'set-default --netns=al'
	equals "$output" --netns=all
	equals "$(complete_line ndmctl unit set at@)" 0.service
	equals "$(complete_line ndmctl unit set 'x\\x')" 'x\\x2dy.slice'
	by_fish 'unit set w'
	equals "$output" web.service
}

@test "agreement: help is 80 columns wide, and says the common options once" {
	local page
	for page in '' $(first_words); do
		run "$NDMCTL" help $page
		awk -v page="$page" 'length > 80 { print page ": " $0; bad = 1 } END { exit bad }' <<<"$output"
		equals "$(grep -c -- '--quiet' <<<"$output")" "$([[ $page ]] && echo 0 || echo 1)"
	done
	run "$NDMCTL" help
	[[ $output == *$'\n  -n, --dry-run '* ]] || fail "$output"
}

@test "agreement: completion runs nothing that the name of a cgroup, namespace or unit says" {
	make_root
	add_cgroups
	mkdir -p "$G/plain.slice" "$G/a\\x2db.slice" "$G/\$(touch ran)" "$G/\`touch ran\`" "$G/x;touch ran" "$G/a b" "$G/*"
	rm -rf "$R/run/netns"
	ln -s "$G" "$R/run/netns"
	fake ndmctl <<<"exec '$ON_R' \"\$@\""
	BIN=$R/fixture
	cd "$BATS_TEST_TMPDIR"
	for words in 'cgroup show /' 'cgroup clear /' 'set-default --netns'; do
		read -ra words <<<"$words"
		[[ ${words[-1]} == / ]] || words+=('')
		run complete_line ndmctl "${words[@]}"
		echo "$output"
		[[ $output == *plain.slice* && $output == *'a\\x2db.slice'* ]]
		[[ $output != *touch* && $output != *' '* && $output != *'*'* ]]
	done
	[ ! -e ran ]
}

@test "agreement: completion of values" {
	equals "$(complete_line ndmctl set-default --netns=a)" all
	equals "$(complete_line ndmctl unit set getty@tty1.service ndm_v1)" ndm_v1
	equals "$(complete_line ndmctl route set 2001:db8::/32 ndm_v1)" ndm_v1
	equals "$(complete_line ndmctl cgroup set --self ndm_v1)" ndm_v1
	equals "$(complete_line ndmctl cgroup set --pid=1 ndm_v1)" ndm_v1
	equals "$(complete_line ndmctl cgroup show --self '')" ''
	same_words "$(complete_line ndmctl config set VARIANT '')" $'v1\nv4\nv5'
	complete_line ndmctl set-default '' | grep -qx ndm_v4
	complete_line ndmctl set-default '' | grep -qx "$(awk '{ print $1 }' /proc/sys/net/ipv4/tcp_available_congestion_control)"
	complete_line ndmctl config set DEFAULT y | grep -qx yes
	complete_line ndmctl route set default '' | grep -qx ndm
	complete_line ndmctl sockets --cc '' | grep -qx ndm_v1
	complete_line ndmctl set-default --netns a | grep -qx all
	equals "$(complete_line ndmctl --quiet stat | paste -sd ' ')" status
}

@test "agreement: every file is in one layer, and needs what it uses of others and no more, of no layer behind it; no circles" {
	local dir=$CLI/../../ndmctl/lib layers=' core probes checks steps commands ' file other
	grep -q "^# ${layers:1:-1}$" "$CLI/../../ndmctl/ndmctl"
	equals "$(cd "$dir" && find . -name '*.sh' ! -path './*/*.sh'; cd "$dir" && ls | sort)" "$(tr ' ' '\n' <<<"$layers" | sed '/^$/d' | sort)"
	python3 "$CLI/calls.py" "$dir" >"$BATS_TEST_TMPDIR/uses"
	run -1 grep ^twice "$BATS_TEST_TMPDIR/uses"
	(($(wc -l <"$BATS_TEST_TMPDIR/uses") > 400))
	while read -r file other; do
		other=${other%%/*}
		[[ ${layers#*" ${file%%/*} "} != *" $other "* ]] || fail "$file uses what lies behind it, in $other"
	done <"$BATS_TEST_TMPDIR/uses"
	run tsort "$BATS_TEST_TMPDIR/uses"    # which names what goes in a circle
	equals "$(grep ^tsort <<<"$output")" ''
	# list.sh calls the checks by their names; core is always there.
	equals "$(cd "$dir" && grep -oE '\bneeds( [a-z]+/[a-z_-]+)+' ./*/*.sh | sed 's,^\./,,; s,\.sh:needs,,' | while read -r file other; do
		for other in $other; do echo "$file $other"; done
	done | grep -v '^checks/list checks/' | sort)" "$(grep -v ' core/' "$BATS_TEST_TMPDIR/uses" | sort)"
}

@test "agreement: only output.sh knows the format of the output" {
	run grep -nE '\bFORMAT\b' "$CLI"/../../ndmctl/lib/{probes,checks,steps,commands}/*.sh "$CLI"/../../ndmctl/lib/core/{[!op]*,pat*}.sh
	equals "$output" ''
}
