# SPDX-License-Identifier: GPL-2.0
load helpers
setup() { make_root; }

@test "default: set-default ndm loads the module, sets and persists" {
	ndmctl set-default ndm
	exits 0
	equals "$output" ''
	default_is ndm
	holds run/ndm-tcp/default $'previous=cubic\nset=ndm'
	holds run/commands.log 'modprobe tcp_ndm'
	grep -qx DEFAULT=ndm "$R/$DROP_IN"
	complains 'systemctl enable ndm-tcp'
	ndmctl -v set-default ndm
	complains 'already so: the default is ndm'
	put "$R/etc/systemd/system/multi-user.target.wants/ndm-tcp.service" '[Unit]'    # it is enabled
	ndmctl set-default ndm_v4
	exits 0
	[[ $stderr != *systemctl* ]]
}

@test "default: a name with - for _ is a typo, and a module that was there before is never removed" {
	ndmctl load
	ndmctl set-default ndm-v1
	refuses 2 'did you mean ndm_v1?'
	[ -d "$R/sys/module/tcp_ndm" ]
	mkdir -p "$R/sys/module/tcp_diag"
	sed -i 's/^tcp_bbr)/tcp_diag) : ;;\n&/' "$R/fixture/modprobe"
	ndmctl set-default diag
	exits 1
	[ -d "$R/sys/module/tcp_diag" ]
	run ! grep -q 'modprobe -r' "$R/run/commands.log"
}

@test "default: who sets ndm learns which variant that is, and what v5 would do instead" {
	ndmctl set-default ndm --runtime
	exits 0
	complains 'ndm is v1 here'
	complains 'ndmctl set-default ndm_v5'
	ndmctl set-default ndm --runtime
	[[ $stderr != *'ndm is'* ]]
	put "$R/etc/ndm-tcp/ndm-tcp.conf" VARIANT=v5
	ndmctl set-default cubic --runtime
	ndmctl set-default ndm --runtime
	[[ $stderr != *'ndm is'* ]]
}

@test "default: --runtime leaves the configuration, --persist the running system" {
	ndmctl set-default ndm --runtime
	exits 0
	default_is ndm
	absent "$DROP_IN"
	make_root
	ndmctl set-default ndm_v4 --persist
	exits 0
	absent run/ndm-tcp/default
	grep -qx DEFAULT=ndm_v4 "$R/$DROP_IN"
	ndmctl set-default ndm --runtime --persist
	refuses 2 'exclude each other'
	remember
	ndmctl set-default bbrr --persist
	refuses 1 'no module tcp_bbrr'
	unchanged
}

@test "default: --revert puts back, twice as well, and keeps the other keys of the drop-in and its comments" {
	put "$R/$DROP_IN" $'# mine\nKEEP_NOISE=700'
	ndmctl set-default ndm
	ndmctl set-default --revert
	exits 0
	default_is cubic
	holds "$DROP_IN" $'# mine\nKEEP_NOISE=700'
	absent run/ndm-tcp/default
	ndmctl set-default --revert
	exits 0
	complains 'nothing to revert'
	default_is cubic
}

@test "default: --revert --runtime and --revert --persist do one half" {
	ndmctl set-default ndm
	ndmctl set-default --revert --runtime
	default_is cubic
	grep -qx DEFAULT=ndm "$R/$DROP_IN"
	ndmctl set-default ndm
	ndmctl set-default --revert --persist
	default_is ndm
	absent "$DROP_IN"
}

@test "default: what somebody else set becomes the previous, and revert does not touch it" {
	ndmctl set-default ndm --runtime
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" reno
	ndmctl set-default ndm_v1 --runtime
	holds run/ndm-tcp/default $'previous=reno\nset=ndm_v1'
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" cubic
	ndmctl set-default --revert
	exits 0
	default_is cubic
	complains 'which ndmctl did not set'
}

@test "default: a previous one that is gone falls back to what the kernel has" {
	ndmctl set-default ndm --runtime
	put "$R/run/ndm-tcp/default" $'previous=vanished\nset=ndm'
	ndmctl set-default --revert
	exits 0
	default_is cubic
	complains 'vanished is no longer registered'
	ndmctl set-default ndm --runtime
	put "$R/run/ndm-tcp/default" $'previous=vanished\nset=ndm'
	put "$R/proc/sys/net/ipv4/tcp_available_congestion_control" 'reno ndm'
	ndmctl set-default --revert
	default_is reno
}

@test "default: a damaged or empty record is named, and --revert falls back to what the kernel has built in" {
	local text
	for text in 'previous=../../x\nset=\001\n' '' 'previous=cubic' 'garbage'; do
		ndmctl set-default ndm --runtime
		printf "$text" >"$R/run/ndm-tcp/default"
		ndmctl set-default --revert
		exits 0
		complains 'damaged'
		complains 'the previous default is not known, so the default becomes cubic'
		default_is cubic
		absent run/ndm-tcp/default
	done
	# not of a default that is nobody's business
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" reno
	mkdir -p "$R/run/ndm-tcp"
	: >"$R/run/ndm-tcp/default"
	ndmctl set-default --revert
	default_is reno
}

@test "default: a file that decides at boot is named, with what rightly helps against it" {
	put "$R/etc/ndm-tcp/conf.d/90-site.conf" DEFAULT=ndm
	ndmctl set-default reno
	complains '90-site.conf:1 overrides it'
	ndmctl set-default --revert
	complains "DEFAULT=ndm in $R/etc/ndm-tcp/conf.d/90-site.conf:1 still applies at boot; against it: sed -i '1s/^/# /' $R/etc"
	[[ $stderr != *'config set DEFAULT no'* ]] || fail 'advice that does not help'
	mv "$R/etc/ndm-tcp/conf.d/90-site.conf" "$R/etc/ndm-tcp/conf.d/10-site.conf"
	ndmctl set-default --revert
	complains 'against it: ndmctl config set DEFAULT no'
}

@test "default: dry run prints the same steps and changes nothing; -v says each" {
	remember
	ndmctl -n set-default ndm
	exits 0
	equals "$output" "would: run modprobe tcp_ndm
would: write previous=cubic set=ndm > $R/run/ndm-tcp/default
would: write ndm > $R/proc/sys/net/ipv4/tcp_congestion_control
would: write ndm > $R/run/ndm-tcp/applied
would: write DEFAULT=ndm > $R/$DROP_IN"
	unchanged
	absent run/ndm-tcp
	absent run/commands.log
	ndmctl -v set-default ndm
	complains 'run modprobe tcp_ndm'
}

@test "default: what no kernel of a chroot has is set there, and said" {
	local name
	rm -rf "$R/lib/modules"
	put "$R/lib/modules/6.1/modules.builtin" kernel/net/ipv4/tcp_cubic.ko
	put "$R/lib/modules/6.1/modules.dep" kernel/net/ipv4/tcp_bbr.ko.xz:
	mkdir -p "$R/proc/1"
	ln -s "$BATS_TEST_TMPDIR" "$R/proc/1/root"
	for name in nosuch cubi; do
		ndmctl set-default "$name" --persist
		exits 0
		complains "note: no kernel in $R/lib/modules has an algorithm $name"
	done
	for name in bbr cubic reno ndm_v5; do
		ndmctl set-default "$name" --persist
		exits 0
		[[ $stderr != *'no kernel'* ]] || fail "$name"
	done
}

@test "default: a command that was killed between record and sysctl does not lose the default of before" {
	load_now
	ndmctl set-default ndm --runtime
	default_is ndm
	patch_copy <<<'write_default() { builtin kill -KILL $$; }'
	ndmctl set-default ndm_v5 --runtime
	exits 137
	default_is ndm
	copy_for_root "$NDMCTL"
	ndmctl status --plain
	cp -r "$R" "$R.killed"
	ndmctl set-default --revert --runtime
	default_is cubic
	rm -r "${R:?}"
	mv "$R.killed" "$R"
	ndmctl set-default ndm_v4 --runtime
	holds run/ndm-tcp/default $'previous=cubic\nset=ndm_v4'
	# what is no longer being changed is not ndmctl's when somebody else sets it
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" ndm
	ndmctl set-default --revert --runtime
	default_is ndm
	complains 'which ndmctl did not set; it stays'
}
