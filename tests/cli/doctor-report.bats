# SPDX-License-Identifier: GPL-2.0
# What doctor --report says, and what it must not say.
load helpers
setup() {
	make_root
	load_now
}

# Each source of the report says something that may be known, and a password in one of the ways in which such are written.
@test "report: no source brings a secret" {
	local title
	add_systemd
	put "$R/proc/cmdline" 'BOOT_IMAGE=/vmlinuz root=UUID=SECRET01 tcp_ndm.variant=v5 systemd.set_credential=demo:SECRET02 x="b SECRET03" rd.luks.key=/SECRET04'
	put "$R/etc/os-release" $'ID=debian\nPASSWORD="a SECRET05"'
	put "$R/etc/ndm-tcp/conf.d/10-a.conf" $'# the password is SECRET06\nKEEP_NOISE=700\nTOKEN=SECRET07'
	put "$R/fixture/version" '0.1.0 token: SECRET08'
	put "$R/sys/module/tcp_ndm/version" '0.1.1 secret=SECRET09'
	printf 'passwd=SECRET10 5\n' >>"$R/proc/net/tcp_ndm"
	put "$R/fixture/dkms.txt" $'ndm-tcp/0.1.0, 6.12.0-test, x86_64: installed\nsudo: https://alice:SECRET11@example.net/'
	put "$R/proc/sys/net/core/default_qdisc" 'fq --password SECRET12'
	ndmctl cgroup set '/batch.slice' ndm_v4
	mkdir -p "$G/psk:SECRET13"
	: >"$G/psk:SECRET13/cgroup.procs"
	rm "$R/etc/ndm-tcp/conf.d/10-a.conf"    # an invalid one, which doctor and config must name
	ndmctl cgroup set '/psk:SECRET13' ndm
	put "$R/etc/ndm-tcp/conf.d/10-a.conf" $'# the password is SECRET06\nKEEP_NOISE=700\nTOKEN=SECRET07'
	put "$R/$PERSISTENT/key=SECRET14.service.d/$FILE" $'# ndmctl: ndm persistent; see ndmctl(8), unit\n[Service]'
	put "$R/run/ndm-tcp/netns-1" $'previous=cubic\napi_key=SECRET15'
	fake journalctl <<<'echo "alice set this: --password=SECRET16 Authorization: Bearer SECRET17 $*"'
	fake dmesg <<<"echo '[0.1] Kernel command line: tcp_ndm.variant=v5 systemd.set_credential=demo:SECRET02 y=\"c SECRET18\"'; echo '[0.2] tcp_ndm: demo SECRET02 again'"
	fake modinfo <<<'echo "version: 0.1.0"; echo "parm: credentials=SECRET19"'
	put "$R/var/lib/dkms/ndm-tcp/0.1.0/build/make.log" $'make: tcp_ndm\nGITHUB_TOKEN=SECRET20\ncurl -u alice:SECRET22 https://example.net\ncurl -H "Cookie: SECRET21"\nghp_SECRET23abcdefgh\n-----BEGIN RSA PRIVATE KEY-----\nSECRET24\n-----END RSA PRIVATE KEY-----'
	ndmctl doctor --report -
	exits 0
	! grep -n SECRET <<<"$output" || fail 'a secret'
	for title in version system doctor status 'status --counters' 'config get' 'config get --diff' "$R/etc/ndm-tcp/conf.d/10-a.conf" 'unit list' 'cgroup list' dkms modinfo sysctl records \
		'journal of ndm-tcp.service' 'journal of ndmctl' 'kernel log' 0.1.0/build/make.log; do
		grep -qxF "== $title" <<<"$output" || fail "no $title"
	done
	says 'tcp_ndm.variant=v5 systemd.set_credential=...'
	says 'kernel line: systemd.set_credential=...'
	says ID=debian
	says KEEP_NOISE=700
	says previous=cubic
	equals "$(grep -c '^== ' <<<"$output")" 18    # a new source is planted here, too
}

@test "report: what is no secret stays readable" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'VARIANT=v5\nCGROUP=/user.slice:ndm_v4'
	fake dmesg <<<"echo '[1] tcp_ndm: version magic should be 6.12 SMP'"
	fake journalctl <<<"echo \"user=alice loginuid=1000 command='set-default ndm': default: from 'cubic' to 'ndm'\""
	ndmctl doctor --report -
	says VARIANT=v5
	says CGROUP=/user.slice:ndm_v4
	says '[1] tcp_ndm: version magic should be 6.12 SMP'
	says "user=... loginuid=1000 command='set-default ndm': default: from 'cubic' to 'ndm'"
	says 'acks               123456'
}

@test "report: no name of this host, of its users, no address in any form; a place in a source is none" {
	fake uname <<<'echo Box7.corp.example'
	put "$R/var/lib/dkms/ndm-tcp/0.1.0/build/make.log" "tcp_ndm.c:123:45: error: too few arguments
make on box7.corp.example, BOX7 and box7; boxes stay
peers ::ffff:192.0.2.77, 2001:db8::192.0.2.78 (2001:db8:0:0:0:0:0:9) fe80::1%eth0/64 192.0.2.79 52:54:00:12:34:56 enx02005e100001
AWS_SECRET_ACCESS_KEY SECRET25
user=alice"
	ndmctl doctor --report -
	says 'tcp_ndm.c:123:45: error: too few arguments
make on HOST, HOST and HOST; boxes stay
peers ADDRESS, ADDRESS (ADDRESS) ADDRESS%eth0/64 ADDRESS ETHERNET enxETHERNET
AWS_SECRET_ACCESS_KEY ...
user=...'
}
