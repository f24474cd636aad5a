# SPDX-License-Identifier: GPL-2.0
# What doctor says of the default after the next boot: which files are read then, in which order, and what keeps them from their effect.
load helpers
load machine
setup() { make_machine; }

@test "hints: sysctl: what is in use stays in use" {
	local arrangement
	for arrangement in 'sets etc/sysctl.conf ndm_v5' 'sets etc/sysctl.conf bbr; sets usr/lib/sysctl.d/50-x.conf bbr' 'sets etc/sysctl.d/10-a.conf ndm_v5; sets etc/sysctl.d/99-b.conf bbr' \
		'sets etc/sysctl.d/10-a.conf bbr; sets etc/sysctl.d/99-b.conf ndm_v5' 'sets etc/sysctl.d/a.conf ndm_v5; ln -s /dev/null "$R/etc/systemd/system/systemd-sysctl.service"' \
		'sets usr/lib/sysctl.d/a.conf ndm_v5; ln -s /dev/null "$R/etc/sysctl.d/a.conf"' 'put "$R/proc/cmdline" sysctl.net.ipv4.tcp_congestion_control=bbr'; do
		mkdir -p "$R/etc/systemd/system"
		leads_home "runs ndm_v5; $arrangement"
	done
}

@test "hints: sysctl: a line that is not applied yet is applied, and stays" {
	sets etc/sysctl.d/10-a.conf ndm_v5
	follow_doctor
	default_is ndm_v5
	holds etc/sysctl.d/10-a.conf 'net.ipv4.tcp_congestion_control = ndm_v5'
	absent "$DROP_IN"
	sets etc/sysctl.d/10-a.conf 'x;touch ran'
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" cubic
	next_is "sed -i '1s/^/# /' $R/etc/sysctl.d/10-a.conf"
}

@test "doctor: where the default comes from, that which lives already as well" {
	runs bbr
	put "$R/proc/cmdline" 'quiet sysctl.net.ipv4.tcp_congestion_control=bbr'
	ndmctl doctor
	says 'the default is bbr, as the kernel line says'
	sets etc/sysctl.d/10-a.conf bbr
	ndmctl doctor
	says "the default is bbr, as $R/etc/sysctl.d/10-a.conf:1 says"
}

@test "hints: what sets another default over DEFAULT: a file of sysctl goes first; else the places that could" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm_v5
	sets etc/sysctl.d/50-bbr.conf bbr
	runs bbr
	ndmctl doctor
	says "the configuration says ndm_v5, the default is bbr, by $R/etc/sysctl.d/50-bbr.conf:1"
	says "next: sed -i '1s/^/# /' $R/etc/sysctl.d/50-bbr.conf"
	follow_doctor
	default_is ndm_v5
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" bbr
	put "$R/etc/NetworkManager/dispatcher.d/50-x" $'#!/bin/sh\n# sysctl net.ipv4.tcp_congestion_control=bbr\necho bbr >/proc/sys/net/ipv4/tcp_congestion_control'
	put "$R/usr/lib/tmpfiles.d/x.conf" 'w /proc/sys/net/ipv4/tcp_congestion_control - - - - bbr'
	put "$R/etc/cron.d/y" '@reboot root sysctl -w net.ipv4.tcp_congestion_control=reno'
	ndmctl doctor
	says "the default is bbr, maybe by $R/etc/NetworkManager/dispatcher.d/50-x:3, $R/usr/lib/tmpfiles.d/x.conf:1"$'\n'
	says 'next: ndmctl load'
}

at_boot() { # NAME [STATE]: doctor says so of the default, with what runs as ndm_v5
	ndmctl doctor --json
	equals "$(jq -r '.findings[] | select(.check == "default") | .state' <<<"$output")" "$2"
	if [[ $1 ]]; then equals "$(jq -r '.findings[] | select(.check == "default") | .text' <<<"$output" | sed 's/, as [^ ]* says$//')" "$1"; fi
}

@test "sysctl: the order, the shadows and the masks of systemd" {
	runs ndm_v5
	sets etc/sysctl.d/10-a.conf bbr
	sets run/sysctl.d/99-b.conf ndm_v5
	at_boot 'the default is ndm_v5' ok
	sets usr/lib/sysctl.d/99-z.conf reno
	at_boot "default ndm_v5; the next boot sets another one: $R/usr/lib/sysctl.d/99-z.conf:1 (reno)" warn
	: >"$R/etc/sysctl.d/99-z.conf"
	at_boot 'the default is ndm_v5' ok
	put "$R/etc/sysctl.d/99-y.conf" 'net.ipv4.tcp_* = reno'    # a pattern gives way to a name
	at_boot 'the default is ndm_v5' ok
	rm "$R/etc/sysctl.d/10-a.conf" "$R/run/sysctl.d/99-b.conf"
	at_boot "default ndm_v5; the next boot sets another one: $R/etc/sysctl.d/99-y.conf:1 (reno)" warn
	rm "$R/etc/sysctl.d/99-y.conf"
	put "$R/etc/sysctl.conf" $'\n-net/ipv4/tcp_congestion_control=ndm_v5  '
	at_boot "default ndm_v5; the next boot does not set it: $R/etc/sysctl.conf:2 (ndm_v5) is not read" warn
	ln -s ../sysctl.conf "$R/etc/sysctl.d/99-sysctl.conf"    # Debian 12
	at_boot 'the default is ndm_v5' ok
}

@test "sysctl: lines that take back, patterns, a credential, a firewall, the kernel line" {
	runs ndm_v5
	put "$R/etc/sysctl.d/10-a.conf" $'net.ipv4.tcp_congestion_control = ndm_v5\nnet.* = 1\n*/ipv4/tcp_congestion_contro? = bbr'
	at_boot 'the default is ndm_v5' ok
	put "$R/etc/sysctl.d/20-b.conf" ' - net.ipv4.tcp_congestion_control'
	at_boot "default ndm_v5; the next boot does not set it: $R/etc/sysctl.d/10-a.conf:1 (ndm_v5) is overridden by $R/etc/sysctl.d/20-b.conf:1" warn
	put "$R/run/credentials/@system/sysctl.extra" 'net/ipv4/tcp_congestion_control=bbr'
	at_boot "default ndm_v5; the next boot sets another one: $R/run/credentials/@system/sysctl.extra:1 (bbr)" warn
	put "$R/etc/ufw/sysctl.conf" 'net/ipv4/tcp_congestion_control=ndm_v5'
	at_boot "default ndm_v5; the next boot sets another one: $R/run/credentials/@system/sysctl.extra:1 (bbr)" warn
	put "$R/etc/ufw/ufw.conf" ENABLED=yes
	at_boot 'the default is ndm_v5' ok
	rm -r "$R/etc/ufw" "$R/run/credentials" "$R"/etc/sysctl.d/*
	put "$R/proc/cmdline" sysctl.net.ipv4.tcp_congestion_control=ndm_v5
	at_boot 'default ndm_v5; the next boot does not set it: the kernel line (ndm_v5) is obeyed before modules can be loaded' warn
}

@test "sysctl: a module that is loaded only by hand is not there when sysctl names it" {
	runs ndm_v5
	sets etc/sysctl.d/a.conf ndm_v5
	put "$R/etc/modprobe.d/x.conf" 'blacklist tcp-ndm'
	at_boot "default ndm_v5; the next boot does not set it: $R/etc/sysctl.d/a.conf:1 (ndm_v5) cannot load its module, for that is left to modprobe by hand: $R/etc/modprobe.d/x.conf:1 (blacklist tcp-ndm)" warn
	rm "$R/etc/modprobe.d/x.conf"
	put "$R/proc/cmdline" modprobe.blacklist=a,tcp_ndm
	at_boot '' warn
	follow_doctor
	type_in 'systemctl reboot'
	default_is ndm_v5
}

@test "sysctl: a default that ndmctl set only for now was chosen as well" {
	sets etc/sysctl.d/a.conf bbr
	ndmctl set-default ndm_v5 --runtime
	at_boot "the default is ndm_v5, until the next boot; that sets bbr ($R/etc/sysctl.d/a.conf:1)" ok
}
