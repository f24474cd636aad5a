# SPDX-License-Identifier: GPL-2.0
# load, unload, service; and why a module does not load.
load helpers
setup() { make_root; }

fails_with() { # MODPROBE_TEXT CODE PART...: set-default ndm fails so, and nothing is changed
	put "$R/fixture/modprobe.err" "$1"
	remember
	ndmctl set-default ndm
	shift
	refuses "$@"
	unchanged
	rm -f "${R:?}/fixture/modprobe.err"
}

NOT_FOUND='modprobe: FATAL: Module tcp_ndm not found in directory /lib/modules/6.12.0-test'

REBUILD='dkms build --force ndm-tcp/0.1.0 -k 6.12.0-test && dkms install --force ndm-tcp/0.1.0 -k 6.12.0-test'

@test "module: not loaded because of Secure Boot" {
	secure_boot_is 1
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Key was rejected by service" 1 'not signed' "hint: $REBUILD"
	put "$R/fixture/signer" 'DKMS module signing key'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Key was rejected by service" 1 'Secure Boot refuses' 'apt install mokutil && mokutil --import'
	put "$R/fixture/mokutil.txt" '/var/lib/dkms/mok.pub is already enrolled'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Key was rejected by service" 1 'not the enrolled key' "hint: $REBUILD"
	put "$R/fixture/mokutil.txt" '/var/lib/dkms/mok.pub is not enrolled'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Required key not available" 1 'Secure Boot' 'mokutil --import'
}

@test "module: mokutil that does not come back, as without CAP_SYS_ADMIN, does not hold up a boot" {
	secure_boot_is 1
	put "$R/fixture/signer" 'DKMS module signing key'
	fake mokutil <<<'exec sleep 1000'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Key was rejected by service" 1 'its key is not enrolled' 'hint: mokutil --import /var/lib/dkms/mok.pub'
	ndmctl doctor --plain
	[[ $output == *'mokutil does not say'* ]]
}

@test "module: not loaded because the kernel enforces signatures without Secure Boot, or by lockdown" {
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Key was rejected by service" 1 'not the key of' 'boot without module.sig_enforce=1'
	put "$R/sys/kernel/security/lockdown" 'none [integrity] confidentiality'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Operation not permitted" 1 lockdown 'cat /proc/cmdline'
}

@test "module: not loaded in a container" {
	in_container
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Operation not permitted" 5 'not permitted in this container' 'on the host'
	fails_with "$NOT_FOUND" 5 'a container uses the modules of its host'
	ndmctl set-default nosuch
	refuses 1 'no module tcp_nosuch' 'registered: reno cubic'
}

@test "module: not loaded without the capability, or after modules_disabled" {
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Operation not permitted" 1 CAP_SYS_MODULE
	put "$R/proc/sys/kernel/modules_disabled" 1
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Operation not permitted" 1 modules_disabled=1 "systemctl enable ndm-tcp && echo tcp_ndm >$R/etc/modules-load.d/ndm-tcp.conf && reboot"
}

@test "module: not loaded because it is of another kernel, disabled, or given bad options" {
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Exec format error" 1 'built for another kernel' "hint: $REBUILD"
	put "$R/fixture/dkms.txt" ''
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Exec format error" 1 'built for another kernel' 'hint: apt install --reinstall ndm-tcp-dkms'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Unknown symbol in module, or unknown parameter (see dmesg)" 1 'built for another kernel'
	fails_with "modprobe: ERROR: libkmod: Error running install command '/bin/false' for module tcp_ndm: retcode 1" 1 'install line in modprobe.d'
	put "$R/etc/modprobe.d/ndm.conf" 'options tcp_ndm variant=v9'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Invalid argument" 1 'refuses an option: variant=v9' "hint: sed -i '1s/^/# /' $R/etc/modprobe.d/ndm.conf"
	rm "$R/etc/modprobe.d/ndm.conf"
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Something new" 1 'Something new' 'hint: dmesg | tail -n 20'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': Cannot allocate memory" 1 'no memory' 'hint: free -m; dmesg | tail -n 20'
	fails_with "modprobe: ERROR: could not insert 'tcp_ndm': File exists" 1 'by a name of tcp_ndm' 'hint: bpftool struct_ops list; lsmod | grep ^tcp_'
}

@test "module: not loaded because modprobe is missing, or the kernel has no modules" {
	fails_with 'ndmctl/lib/core/tool.sh: line 12: modprobe: command not found' 5 'apt install kmod'
	rm "${R:?}/proc/modules"
	fails_with "$NOT_FOUND" 5 'cannot load modules'
}

@test "load: applies parameters and the default, twice is fine" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'ENTROPY_THRESHOLD=650\nDEFAULT=ndm'
	ndmctl load
	exits 0
	parameter_is entropy_threshold 650
	parameter_is keep_noise 333
	default_is ndm
	ndmctl -v load
	exits 0
	complains 'already so'
	equals "$(grep -c modprobe "$R/run/commands.log")" 1
}

@test "load: dry run names each parameter that would be written" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" KEEP_NOISE=700
	ndmctl -n load
	equals "$output" "would: run modprobe tcp_ndm
would: write 700 > $R/sys/module/tcp_ndm/parameters/keep_noise"
}

@test "load: a module without one of the parameters is named" {
	rm "${R:?}/fixture/loaded/sys/module/tcp_ndm/parameters/v4_delay_high"
	ndmctl load
	exits 0
	complains 'no parameter v4_delay_high'
}

@test "unload: a socket that listens is named so, and the hint is not to wait for it" {
	ndmctl load
	add_sockets
	put "$R/fixture/ss.txt" 'LISTEN 0 511 0.0.0.0:443 0.0.0.0:* users:(("nginx",pid=900,fd=5)) cgroup:/system.slice/nginx.service  ndm cwnd:10'
	put "$R/sys/module/tcp_ndm/refcnt" 1
	ndmctl unload
	refuses 1 'in use: 1 listening socket(s) ndm of nginx (pid 900)' 'restart the programs that listen'
}

@test "unload: refuses with the list of holders; what its error names frees it, though sockets may keep it a while" {
	ndmctl set-default ndm --runtime
	add_sockets
	put "$R/sys/module/tcp_ndm/refcnt" 4
	ndmctl unload
	refuses 1 'in use: the default of this network namespace is ndm' 'in use: 1 socket(s) ndm of nginx (pid 900)' 'in use: 1 socket(s) ndm of nginx (pid 901)' \
		'in use: 1 socket(s) ndm_v4 of Web Content) x (pid 77)' 'hint: ndmctl set-default cubic --runtime && ndmctl unload'
	[[ $stderr != *cubic\ of* && $stderr != *sshd* ]] || fail 'sockets of other algorithms listed'
	[[ -d $R/sys/module/tcp_ndm ]]
	default_is ndm
	ndmctl set-default cubic --runtime
	ndmctl unload
	refuses 1 'in use: 1 socket(s) ndm' 'wait until these are closed'
	put "$R/sys/module/tcp_ndm/refcnt" 0
	put "$R/fixture/ss.txt" ''
	ndmctl unload
	exits 0
	default_is cubic
	absent sys/module/tcp_ndm
}

@test "unload: names the default of another network namespace" {
	load_now
	put "$R/sys/module/tcp_ndm/refcnt" 1
	add_netns host cubic self
	add_netns container ndm 812 containerd-shim
	add_netns other cubic 813 other
	add_netns named ndm_v4
	name_netns named blue
	ndmctl unload
	refuses 1 "network namespace $(netns_number container) (pid 812, containerd-shim) has the default ndm" \
		'network namespace blue has the default ndm_v4' 'ndmctl set-default cubic --netns NAME'
	[[ $stderr != *other* ]] || fail 'one with another default is listed'
}

@test "unload: references that nobody shows are said to be so" {
	load_now
	put "$R/sys/module/tcp_ndm/refcnt" 3
	ndmctl unload
	refuses 1 '3 references that cannot be seen'
}

@test "unload: also a module whose file is gone, as after an upgrade whose build failed, or that modprobe -r does not unload" {
	load_now
	wrap modprobe <<<'echo "modprobe: FATAL: Module tcp_ndm not found." >&2; exit 1'
	fake rmmod <<<'[[ $* == tcp_ndm ]] && exec bash "${0%/*}/modprobe.real" -r tcp_ndm'
	ndmctl unload --json
	json_is .changed true
	absent sys/module/tcp_ndm
	"$R/fixture/modprobe.real" tcp_ndm
	fake modprobe <<<:    # a line "remove" of modprobe.d
	ndmctl unload
	exits 0
	absent sys/module/tcp_ndm
}

@test "unload: the module got busy between the look and modprobe" {
	load_now
	touch "$R/fixture/busy"
	ndmctl unload
	refuses 1 'Module tcp_ndm is in use'
}

@test "load: parameters that no file names go back to their defaults" {
	load_now
	put "$R/sys/module/tcp_ndm/parameters/keep_noise" 800
	put "$R/etc/ndm-tcp/ndm-tcp.conf" KEEP_CONGESTION=450
	ndmctl load
	exits 0
	parameter_is keep_noise 333
	parameter_is keep_congestion 450
	default_is cubic
}

@test "load: a failing write restores all parameters" {
	load_now
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'ENTROPY_THRESHOLD=650\nV4_GRADIENT_DIVISOR=5000'
	# in place of the module's EINVAL: a file that nobody can write
	chmod a-w "$R/sys/module/tcp_ndm/parameters/v4_gradient_divisor"
	ndmctl load
	chmod u+w "$R/sys/module/tcp_ndm/parameters/v4_gradient_divisor"
	refuses 1 'cannot write' V4_GRADIENT_DIVISOR=5000 'everything was put back'
	parameter_is entropy_threshold 700
}

@test "service: start loads, applies and sets; stop puts back and unloads" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'DEFAULT=yes\nVARIANT=v4'
	service start
	exits 0
	default_is ndm
	parameter_is variant v4
	holds run/ndm-tcp/default $'previous=cubic\nset=ndm'
	absent "$DROP_IN"
	service start
	exits 0
	service stop
	exits 0
	default_is cubic
	absent sys/module/tcp_ndm
	service stop
	exits 0
}

@test "service: reload after DEFAULT became no reverts, but not what an administrator set" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm
	service start
	default_is ndm
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=no
	service start
	exits 0
	default_is cubic
	ndmctl set-default ndm_v1 --runtime
	service start
	default_is ndm_v1
}

@test "service: start with a DEFAULT that does not exist leaves the module to the applications, and names the way back" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" $'DEFAULT=nosuch\nKEEP_NOISE=700'
	service start
	refuses 1 'there is no such algorithm' 'hint: ndmctl config set DEFAULT no' 'to take back what is applied, and what was set by hand: /usr/lib/ndm-tcp/service stop'
	parameter_is keep_noise 700
	default_is cubic
	service stop
	exits 0
	absent sys/module/tcp_ndm
}

@test "service: stop while busy says who in one line and succeeds" {
	ndmctl set-default ndm --runtime
	put "$R/sys/module/tcp_ndm/refcnt" 3
	add_sockets
	service stop
	exits 0
	default_is cubic
	equals "$(wc -l <<<"$stderr")" 1
	complains '1 socket(s) ndm of nginx (pid 900)'
	put "$R/fixture/ss.txt" 'ESTAB 0 0 192.0.2.1:1 192.0.2.9:1  ndm wscale:7,7 rtt:1/1 cwnd:10'    # as in the sandbox
	service stop
	complains '1 socket(s) ndm of a process that is hidden from here'
}

@test "module: a name that is the alias of a module does not unload that module" {
	mkdir -p "$R/sys/module/tls"
	fake modprobe <<-END
		case \$* in # alias tcp-ulp-tls tls, which the kernel's own module brings
		tcp_ulp_tls) mkdir -p "$R/sys/module/tls" ;;
		'-r tcp_ulp_tls') rmdir "$R/sys/module/tls" ;;
		esac
	END
	ndmctl set-default ulp_tls
	refuses 1 "does not list the algorithm 'ulp_tls'"
	[[ -d $R/sys/module/tls ]] || fail 'the module tls is gone, which was there before'
}

@test "module: another algorithm loads its own; what a failed command has loaded goes again" {
	fake mv <<<'exit 1'
	ndmctl set-default bbr
	exits 1
	absent sys/module/tcp_bbr
	rm "$R/fixture/mv"
	ndmctl set-default bbr
	exits 0
	default_is bbr
	grep -qx DEFAULT=bbr "$R/$DROP_IN"
}

@test "unload: policies of routes, and of units that were restarted, keep the module" {
	add_systemd
	cp "$CLI/fixtures/ip" "$R/fixture/"
	put "$R/fixture/routes4" 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0'
	: >"$R/fixture/routes6"
	ndmctl unit set web ndm_v4
	mv "$G/system.slice/web.service" "$R/before"    # its restart: systemd attaches the program
	put "$G/system.slice/web.service/cgroup.procs" ''
	ndmctl unload
	refuses 1 'in use: the policy of the unit web.service is ndm_v4' 'hint: ndmctl unit clear web.service && ndmctl unload'
	ndmctl status
	[[ $output != *lost* ]] || fail 'a unit that was restarted is said to have lost its policy'
	says 'unit web.service: ndm_v4'
	ndmctl unit clear web
	ndmctl route set 192.0.2.0/24 ndm_v5
	ndmctl unload
	refuses 1 'in use: the route 192.0.2.0/24 of the table main has ndm_v5' 'ndmctl route clear DEST'
	ndmctl route clear 192.0.2.0/24
	ndmctl unload
	exits 0
	absent sys/module/tcp_ndm
}
