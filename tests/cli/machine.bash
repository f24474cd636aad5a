# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154  # names for the tests; status and output are set by bats
# machine.bash: a made-up machine where the programs that hints name do what they do; and words to type each hint, until doctor
# and load have nothing more to say. A chain that comes back to where it was leads nowhere.

make_machine() {
	local program
	make_root
	put "$R/proc/cmdline" 'root=/dev/vda quiet'
	mkdir -p "$R"/run/systemd/system "$R/etc/modprobe.d" "$R/etc/sysctl.d" "$R/etc/modules-load.d" "$R/usr/src/ndm-tcp-0.1.0"
	mv "$R/fixture/modprobe" "$R/fixture/modprobe.plain"
	rm "$R/fixture/dkms.txt"
	for program in machine apt apt-cache dpkg-query dpkg-reconfigure dkms depmod dmesg update-grub systemctl reboot modprobe pgrep; do cp "$CLI/fixtures/machine" "$R/fixture/$program"; done
	fake ndmctl <<<"exec ${ON_R@Q} \"\$@\""
	fake service <<<"exec ${ON_SERVICE@Q} \"\$@\""
	put "$R/fixture/archive" $'linux-headers-test\nlinux-image-test\nndm-tcp-dkms'
	put "$R/usr/src/ndm-tcp-0.1.0/dkms.conf" ''
	has_kernel 6.12.0-test
	type_in 'apt update; dpkg-reconfigure ndm-tcp-dkms'
}

has_kernel() { # RELEASE, with headers
	add_kernel "$1"
	mkdir -p "$R/lib/modules/$1/build/include/generated/autoconf.h"
}

without_headers() { rm -r "$R/lib/modules/$1/build"; }

unbuilt() { # DKMS has the source, and no kernel has the module
	rm -rf "$R"/lib/modules/*/updates "$R/fixture/version"
	put "$R/fixture/dkms.txt" 'ndm-tcp/0.1.0: added'
}

type_in() { # COMMAND LINE, in the machine
	local said
	echo "typed: $1" >>"$BATS_TEST_TMPDIR/typed"
	HINTED=''
	said=$(cd "$R" && PATH=$R/fixture:$TOOLS bash -c "$1" 2>&1) || {
		echo "it fails: $said" >>"$BATS_TEST_TMPDIR/typed"
		HINTED=$(sed -n 's/^hint: //p' <<<"$said" | tail -n 1)
	}
}

next_is() { # COMMAND, by doctor
	ndmctl doctor --json
	json_is .next "$1"
}

remember_hint() { # HINT STATE: fails when both were there before
	[[ $SEEN != *$'\n'"$1|$2"$'\n'* ]] || fail "leads nowhere: $1; $(cat "$BATS_TEST_TMPDIR/typed")"
	SEEN+="$1|$2"$'\n'
}

follow_doctor() {
	local next HINTED='' AFTER='' SEEN=$'\n'
	for ((;;)); do
		ndmctl doctor --json
		next=$(jq -r .next <<<"$output")
		[[ $next != 'ndmctl status' ]] || break
		remember_hint "$next" "$(jq -c '[.findings[] | select(.state == "fail" or .state == "warn")]' <<<"$output")$AFTER"
		type_in "$next"
		AFTER=$HINTED    # where it fails with a hint, that as well, as anybody would
		if [[ $AFTER ]]; then type_in "$AFTER"; fi
	done
	json_is '[.findings[] | select(.state == "fail")] | length' 0
	ndmctl status --json
	json_is '.problems | length' 0
}

follow_load() { # [COMMAND]
	local next HINTED='' AFTER='' SEEN=$'\n'
	for ((;;)); do
		ndmctl ${1:-load}
		((status)) || break
		next=$(sed -n 's/^hint: //p' <<<"$stderr" | tail -n 1)
		remember_hint "$next" "$stderr"
		type_in "$next"
	done
}

# Each chain begins anew; in the end the module is in use, and by doctor the default is what was chosen, or ndm_v5. The hints
# of status are those of doctor (status.bats); those of load are made by the same functions: one case of a kind shows that
# they follow; CHAINS has them follow all.
leads_home() { # SETUP [CHAIN...]
	local chain chains chosen=ndm_v5
	read -ra chains <<<"${CHAINS:-${*:2}}"
	cp -a "$R" "$R.before"
	for chain in "${chains[@]:-doctor}"; do
		chain=follow_$chain
		eval "$1"
		$chain
		[[ -d $R/sys/module/tcp_ndm ]] || fail "$chain: the module is not loaded; $(cat "$BATS_TEST_TMPDIR/typed")"
		if [[ $chain == follow_doctor ]]; then default_is "$chosen"; fi
		rm -r "$R"
		cp -a "$R.before" "$R"
		: >"$BATS_TEST_TMPDIR/typed"
	done
	rm -r "$R.before"
}

leads_home_by_both() { leads_home "$1" doctor load; }

sets() { # FILE of sysctl NAME
	put "$R/$1" "net.ipv4.tcp_congestion_control = $2"
}

runs() { # NAME is the default now, and nobody of ndmctl set it
	load_now
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" "$1"
}
