# SPDX-License-Identifier: GPL-2.0
load helpers
setup() { make_root; MAIN=etc/ndm-tcp/ndm-tcp.conf; }

@test "config: get shows every key with its origin" {
	put "$R/$MAIN" KEEP_NOISE=700
	ndmctl config get
	exits 0
	equals "$(wc -l <<<"$output")" 16
	says "$R/$MAIN:1"
	ndmctl config get KEEP_NOISE
	equals "$output" 700
	ndmctl config get KEEP_NOSE
	refuses 2 'did you mean KEEP_NOISE'
	ndmctl config get --plain
	says $'KEEP_NOISE\t700\t'"$R/$MAIN:1"
	says $'VARIANT\tv1\tdefault'
	ndmctl config get --json
	json_is .keys.KEEP_NOISE.value 700
	json_is '.keys.KEEP_NOISE.value|type' number
	json_is .keys.VARIANT.origin null
	ndmctl config get VARIANT --json
	json_is '.keys|length' 1
}

@test "config: later files win, in the order of their names" {
	put "$R/$MAIN" $'KEEP_NOISE=600\nVARIANT=v4'
	put "$R/etc/ndm-tcp/conf.d/10-a.conf" KEEP_NOISE=610
	put "$R/etc/ndm-tcp/conf.d/90-z.conf" KEEP_NOISE=690
	put "$R/etc/ndm-tcp/conf.d/95-z.conf.dpkg-old" KEEP_NOISE=1
	ndmctl config get KEEP_NOISE
	equals "$output" 690
	ndmctl config set KEEP_NOISE 650
	exits 0
	complains '90-z.conf:1 overrides it'
	ndmctl config get KEEP_NOISE
	equals "$output" 690
	ndmctl config validate
	complains 'files: 4'
}

@test "config: what a line may look like" {
	printf '\n#c\n  # é \001 is fine in a comment\nKEEP_NOISE = 700  \n\tVARIANT="v4"\t\nDEFAULT='"'ndm'"'\r\nKEEP_CONGESTION=450' >"$R/$MAIN"
	ndmctl config validate
	exits 0
	ndmctl config get --plain
	says $'KEEP_NOISE\t700'
	says $'VARIANT\tv4'
	says $'DEFAULT\tndm'
	says $'KEEP_CONGESTION\t450'
}

@test "config: set writes the drop-in only and applies to the loaded module, and no other parameter" {
	load_now
	put "$R/sys/module/tcp_ndm/parameters/keep_congestion" 600
	put "$R/$MAIN" '# theirs'
	ndmctl config set KEEP_NOISE 700
	exits 0
	parameter_is keep_noise 700
	holds "$MAIN" '# theirs'
	equals "$(tail -n 1 "$R/$DROP_IN")" KEEP_NOISE=700
	equals "$(stat -c %a "$R/$DROP_IN")" 644
	ndmctl config set KEEP_NOISE 710
	equals "$(grep -c KEEP_NOISE "$R/$DROP_IN")" 1
	parameter_is keep_noise 710
	parameter_is keep_congestion 600
}

@test "config: set DEFAULT is for the boot and says so" {
	load_now
	ndmctl config set DEFAULT ndm
	exits 0
	default_is cubic
	complains 'applied at boot'
	complains 'systemctl enable ndm-tcp'
	ndmctl config set DEFAULT no METRICS no
	exits 0
	[[ $stderr != *enable* ]] || fail 'a unit that nothing needs'
}

@test "config: unset goes back and removes an empty drop-in" {
	load_now
	ndmctl config set KEEP_NOISE 700
	ndmctl config set VARIANT v4
	ndmctl config unset KEEP_NOISE
	exits 0
	parameter_is keep_noise 333
	parameter_is variant v4
	ndmctl config unset VARIANT
	absent "$DROP_IN"
	parameter_is variant v1
}

@test "config: bounds of every key; without a module only the file is written" {
	local key range least most
	while IFS=$'\t' read -r _ key range _; do
		[[ $range == *..* ]] || continue
		least=${range%..*} most=${range#*..}
		ndmctl config set "$key" "$least"
		exits 0
		ndmctl config set "$key" "$most"
		exits 0
		ndmctl config set "$key" $((most + 1))
		refuses 2 "$key=$((most + 1)): out of range" "allowed: $range"
		if ((least > 0)); then
			ndmctl config set "$key" $((least - 1))
			refuses 2 'out of range'
		fi
		equals "$(grep "^$key=" "$R/$DROP_IN")" "$key=$most"
	done < <("$NDMCTL" help --plain | grep ^key)
	absent run/commands.log
}

@test "config: validate of one file, of a directory, of standard input, and of none" {
	put "$BATS_TEST_TMPDIR/mine" $'A=1\nVARIANT=v3"y\\'
	ndmctl config validate "$BATS_TEST_TMPDIR/mine"
	refuses 6 "$BATS_TEST_TMPDIR/mine:2: VARIANT=v3\"y\\: no such choice; allowed: v1|v4|v5"
	ndmctl config validate "$BATS_TEST_TMPDIR/mine" --json
	exits 6
	json_is '.valid, (.errors | length)' $'false\n2'
	ndmctl config validate "$R"
	refuses 1 'is a directory'
	ndmctl config validate - <<<VARIANT=v5
	exits 0
	complains 'configuration valid; files: 1'
	ndmctl config validate - < <(printf 'VARIANT=v5\nKEEP_NOSE=7\n')
	refuses 6 'standard input:2: KEEP_NOSE=7: unknown key, did you mean KEEP_NOISE?'
	ndmctl config validate - < <(printf 'VARIANT=v5\0\n')
	refuses 6 'standard input: NUL byte in line 1'
	ndmctl config validate "$BATS_TEST_TMPDIR/none"
	refuses 1 'does not exist' 'standard input'
	rm -r "${R:?}/etc"
	ndmctl config validate
	exits 0
	ndmctl config validate --json
	json_is .valid true
}

@test "config: diff" {
	ndmctl config get --diff
	refuses 1 'not loaded'
	load_now
	ndmctl config get --diff
	exits 0
	equals "$output" ''
	put "$R/$MAIN" $'KEEP_NOISE=700\nDEFAULT=yes'
	ndmctl config get --diff
	exits 1
	says 'KEEP_NOISE           configured 700             live 333'
	says 'DEFAULT              configured ndm             live cubic'
	complains 'ndmctl load'
	ndmctl config get --diff --plain
	says $'KEEP_NOISE\t700\t333'
	ndmctl config get --diff --json
	json_is '.differences|length' 2
	json_is '.differences[1].live' 333
	ndmctl load
	ndmctl config get --diff
	exits 0
}

@test "config: the shipped file is valid, and names every key with its default" {
	ndmctl config validate "$CLI/../../ndmctl/ndm-tcp.conf"
	exits 0
	local key default
	while IFS=$'\t' read -r _ key _ default _; do
		grep -qx "#$key=$default" "$CLI/../../ndmctl/ndm-tcp.conf" || fail "$key"
	done < <("$NDMCTL" help --plain | grep ^key)
	sed 's/^#\([A-Z0-9_]*=\)/\1/' "$CLI/../../ndmctl/ndm-tcp.conf" >"$R/$MAIN"
	ndmctl config validate
	exits 0
	ndmctl config get DEFAULT
	equals "$output" no
}

@test "config: set takes several keys, all or none" {
	load_now
	ndmctl config set KEEP_NOISE 700 VARIANT v4 KEEP_NOISE 600
	refuses 2 'KEEP_NOISE stands there twice' 'hint: ndmctl config set KEEP_NOISE 600'
	ndmctl -v config set KEEP_NOISE 700 VARIANT v4 KEEP_CONGESTION 400
	exits 0
	complains 'write KEEP_NOISE=700 VARIANT=v4 KEEP_CONGESTION=400 >'
	equals "$(grep -v '^#' "$R/$DROP_IN" | paste -sd ' ')" 'KEEP_NOISE=700 VARIANT=v4 KEEP_CONGESTION=400'
	parameter_is keep_noise 700
	parameter_is variant v4
	ndmctl config set KEEP_NOISE 600 VARIANT v9
	refuses 2 'VARIANT=v9'
	parameter_is keep_noise 700
	ndmctl config set KEEP_NOISE 600 VARIANT
	refuses 2 "'VARIANT' lacks its VALUE"
	ndmctl config unset KEEP_NOISE VARIANT KEEP_CONGESTION
	exits 0
	absent "$DROP_IN"
	parameter_is keep_noise 333
}
