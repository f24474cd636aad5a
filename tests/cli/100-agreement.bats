# SPDX-License-Identifier: GPL-2.0
# The tables in ndmctl, its help, its completion, its man pages and its exit codes say the same.
load helpers

table() { "$NDMCTL" help --plain | awk -F '\t' -v kind="$1" '$1 == kind' | cut -f 2-; }

setup() { MAN=$CLI/../../man; }

@test "agreement: golden help" {
	run "$NDMCTL" help
	golden help.txt
}

@test "agreement: golden help of every command" {
	run bash -c 'for command; do "$0" help "$command"; echo; done' "$NDMCTL" $(table command | cut -f 1)
	golden help-commands.txt
}

@test "agreement: golden table" {
	run "$NDMCTL" help --plain
	golden help-plain.txt
}

@test "agreement: every command of the table has a handler and is in help and man page" {
	local verb
	for verb in $(table command | cut -f 1); do
		"$NDMCTL" help | grep -q "^  $verb " || fail "help lacks $verb"
		grep -q "^\.It Cm $verb\b" "$MAN/ndmctl.8" || fail "man page lacks $verb"
		run "$NDMCTL" help "$verb"
		is "$status" 0
	done
}

@test "agreement: the man page has no other commands" {
	local verb
	for verb in $(sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/s/^\.It Cm \([a-z-]*\).*/\1/p' "$MAN/ndmctl.8" | sort -u); do
		table command | cut -f 1 | grep -qx -- "$verb" || fail "only in the man page: $verb"
	done
}

@test "agreement: words of config and service, options, in the man page" {
	local subject word option
	while read -r subject word _; do
		sed -n '/^\.Sh COMMANDS/,/^\.Sh OPTIONS/p' "$MAN/ndmctl.8" | grep -Eq "^\.It Cm $subject .*\b$word\b" || fail "$subject $word"
	done < <(table word)
	for option in $(table option | cut -f 2 | sort -u); do
		grep -q "Fl -${option#--}\b" "$MAN/ndmctl.8" || fail "man page lacks $option"
	done
	for option in $(grep -o 'Fl -[a-z-]*' "$MAN/ndmctl.8" | sed 's/Fl /-/' | sort -u); do
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
	is "$(grep -c '^\.It Cm [A-Z]' "$MAN/ndm-tcp.conf.5")" "$( (table key; table list) | wc -l)"
}

@test "agreement: exit codes stand alike in script and man page" {
	local from_script from_man
	from_script=$(sed -n 's/^#   \([0-9]\)  .*/\1/p' "$CLI/../../ndmctl/ndmctl")
	from_man=$(sed -n '/^\.Sh EXIT STATUS/,/^\.El/s/^\.It \([0-9]\)$/\1/p' "$MAN/ndmctl.8")
	is "$from_script" $'0\n1\n2\n3\n4\n5\n6'
	is "$from_man" "$from_script"
	local used
	for used in $(grep -rhoE '\b(die|exit) [0-9]\b' "$CLI/../../ndmctl" | awk '{ print $2 }' | sort -u); do
		grep -qx "$used" <<<"$from_script" || fail "exit code $used is not listed"
	done
}

@test "agreement: man pages are clean" {
	run mandoc -T lint -W warning "$MAN/ndmctl.8" "$MAN/ndm-tcp.conf.5"
	is "$output" ''
	run awk '/^\.Sh/ { name = $2 } { lines[name]++; if (lines[name] > most) { most = lines[name]; longest = name } } END { print longest }' "$MAN/ndmctl.8"
	is "$output" EXAMPLES
}

@test "agreement: examples of the man page are accepted by the parser" {
	make_root
	local words
	while IFS= read -r words; do
		words=${words#[#$] ndmctl}
		words=${words%%[|&]*}
		words=${words/--root \/mnt/}
		[[ $words != *' exec '* ]] || words="${words%% -- *} -- true"    # what is run there need not be installed here
		# shellcheck disable=SC2086  # words of a command
		ndmctl --dry-run $words
		[[ $status != [24] || $words == *' 1000' ]] || fail "ndmctl$words"
	done < <(sed -n '/^\.Sh EXAMPLES/,$p' "$MAN/ndmctl.8" | grep '^[#$] ndmctl')
}

complete_line() { # WORD...: what completion offers for the last one
	bash -c 'source "$0"; compopt() { :; }; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); PATH=; _ndmctl; printf "%s\n" "${COMPREPLY[@]}"' \
		"$CLI/../../ndmctl/completion/ndmctl" "$@" 2>&1
}

same_words() { # A B, in any order
	is "$(sort <<<"$1")" "$(sort <<<"$2")"
}

@test "agreement: completion offers what the tables hold, and starts no program" {
	same_words "$(complete_line ndmctl '')" "$(table command | cut -f 1)"
	same_words "$(complete_line ndmctl help '')" "$(table command | cut -f 1)"
	local subject
	for subject in $(table word | cut -f 1 | sort -u); do
		same_words "$(complete_line ndmctl "$subject" '')" "$(table word | awk -v subject="$subject" '$1 == subject { print $2 }')"
	done
	same_words "$(complete_line ndmctl config get '')" "$(table key | cut -f 1)"
	same_words "$(complete_line ndmctl --json config set '')" "$(table key | cut -f 1)"
	local verb
	for verb in $(table command | cut -f 1); do
		same_words "$(complete_line ndmctl "$verb" -- | sed 's/=$//')" "$(table option | awk -F '\t' -v verb="$verb" '$1 == "*" || $1 == verb { print $2 }')"
	done
}

@test "agreement: completion runs nothing that the name of a cgroup, namespace or unit says" {
	local tree=$BATS_TEST_TMPDIR/cgroup copy=$BATS_TEST_TMPDIR/ndmctl
	mkdir -p "$tree/plain.slice" "$tree/a\\x2db.slice" "$tree/\$(touch ran)" "$tree/\`touch ran\`" "$tree/x;touch ran" "$tree/a b" "$tree/*"
	sed "s,/sys/fs/cgroup,$tree,; s,/run/netns,$tree," "$CLI/../../ndmctl/completion/ndmctl" >"$copy"
	cd "$BATS_TEST_TMPDIR"
	for words in 'cgroup show /' 'cgroup clear /' 'set-default --netns'; do
		read -ra words <<<"$words"
		[[ ${words[-1]} == / ]] || words+=('')
		run bash -c 'source "$0"; compopt() { :; }; COMP_WORDS=(ndmctl "$@") COMP_CWORD=$#; _ndmctl; printf "%s\n" "${COMPREPLY[@]}"' "$copy" "${words[@]}"
		echo "$output"
		[[ $output == *plain.slice* && $output == *'a\\x2db.slice'* ]]
		[[ $output != *touch* && $output != *' '* && $output != *'*'* ]]
	done
	[ ! -e ran ]
}

@test "agreement: completion of values" {
	same_words "$(complete_line ndmctl --color = '')" $'auto\nalways\nnever'
	same_words "$(complete_line ndmctl config set VARIANT '')" $'v1\nv4\nv5'
	complete_line ndmctl set-default '' | grep -qx ndm_v4
	complete_line ndmctl unload --force-default '' | grep -qx ndm
	complete_line ndmctl config set DEFAULT y | grep -qx yes
	complete_line ndmctl route set default '' | grep -qx ndm
	complete_line ndmctl exec --cc '' | grep -qx ndm_v1
	complete_line ndmctl set-default --netns a | grep -qx all
	is "$(complete_line ndmctl --root /x stat | paste -sd ' ')" 'status stats'
	(($(wc -l <"$CLI/../../ndmctl/completion/ndmctl") <= 120))
}

@test "agreement: nothing of other slices is promised" {
	run grep -rnwE 'netns set|watch|bench|--fix' "$CLI/../../ndmctl" "$MAN/ndmctl.8" "$MAN/ndm-tcp.conf.5"
	is "$output" ''
}

@test "agreement: no file is too long, every script is clean" {
	local file
	for file in "$CLI"/../../ndmctl/{ndmctl,lib/*.sh,completion/ndmctl} "$CLI"/*.bats "$CLI/helpers.bash"; do
		(($(wc -l <"$file") < 600)) || fail "$file"
	done
	run shellcheck "$CLI"/../../ndmctl/{ndmctl,lib/*.sh,completion/ndmctl} "$CLI"/fixtures/mod* "$CLI/run"
	is "$output" ''
}
