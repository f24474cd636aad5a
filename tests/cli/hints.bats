# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# A hint is tested by typing it: see machine.bash.
load helpers
load machine
setup() { make_machine; }

# bats test_tags=all
@test "hints: those of load lead home in every case, as those of doctor do" {
	CHAINS=load SET=ci run "$CLI/../run-bats" "$BATS_TEST_FILENAME"
	echo "$output"
	((status == 0))
}

@test "hints: nothing is wrong" {
	leads_home_by_both :
	leads_home 'put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm_v5'
	leads_home 'put "$R/etc/sysctl.conf" "net.ipv4.tcp_congestion_control = ndm_v5"'
}

@test "hints: headers: in the archive, no longer in the archive, with and without another kernel, with no list of packages" {
	leads_home_by_both 'unbuilt; without_headers 6.12.0-test; echo linux-headers-6.12.0-test >>"$R/fixture/archive"'
	leads_home 'unbuilt; without_headers 6.12.0-test'
	leads_home 'unbuilt; without_headers 6.12.0-test; put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm_v5'
	leads_home 'unbuilt; without_headers 6.12.0-test; has_kernel 6.14.0-new'
	leads_home 'unbuilt; without_headers 6.12.0-test; has_kernel 6.14.0-new; type_in "dkms install ndm-tcp/0.1.0 -k 6.14.0-new"'
	leads_home 'unbuilt; without_headers 6.12.0-test; rm -r "$R/var/lib/apt" "$R/fixture/lists"'
	leads_home 'unbuilt; rm -r "$R/lib/modules/6.12.0-test"; has_kernel 6.14.0-new'
}

@test "hints: the cure is a reboot, or the metapackage, and it is named" {
	unbuilt
	without_headers 6.12.0-test
	next_is 'apt update && apt install linux-image-test linux-headers-test'
	ndmctl load
	refuses 1 'no headers for 6.12.0-test, so DKMS could not build tcp_ndm'
	type_in 'apt update && apt install linux-image-test linux-headers-test'
	next_is 'systemctl reboot'
	put "$R/fixture/lists" $'linux-headers-amd64\nlinux-image-amd64'    # of another origin than the running kernel
	rm -r "$R/lib/modules/6.20.1-test"
	ndmctl doctor
	says 'apt does not know linux-headers-6.12.0-test'
	[[ $output != *'apt install'* ]] || fail 'a package that apt does not know, or the kernel of another system'
	put "$R/fixture/lists" proxmox-headers-6.12.0-test
	next_is 'apt update && apt install proxmox-headers-6.12.0-test'
	put "$R/fixture/lists" pve-headers-6.12.0-test    # its name until Linux 6.2
	next_is 'apt update && apt install pve-headers-6.12.0-test'
	put "$R/fixture/lists" proxmox-headers-6.12.0-test
	sed -i "s/'%s:\\\\n  Installed/'%s:amd64:\\\\n  Installed/" "$R/fixture/apt-cache"    # of another architecture than that of apt
	next_is 'apt update && apt install proxmox-headers-6.12.0-test'
	sed -i 's,file:/srv ./ Packages,/var/lib/dpkg/status,' "$R/fixture/apt-cache"    # installed from a file, and in no archive
	ndmctl doctor
	says 'apt does not know linux-headers-6.12.0-test'
}

@test "hints: the headers of the running kernel come by the metapackage of its flavour, unless that has other ones" {
	unbuilt
	without_headers 6.12.0-test
	echo linux-headers-6.12.0-test | tee -a "$R/fixture/archive" "$R/fixture/lists" >"$R/fixture/depends-linux-headers-test"
	next_is 'apt update && apt install linux-headers-test'
	type_in 'apt update && apt install linux-headers-test'
	[ -d "$R/lib/modules/6.12.0-test/build/include/generated/autoconf.h" ]
	unbuilt
	without_headers 6.12.0-test
	rm "$R/fixture/depends-linux-headers-test"
	next_is 'apt update && apt install linux-headers-6.12.0-test'
}

@test "hints: DKMS does not know the module: by apt, or by dpkg where the package came as a file" {
	leads_home_by_both 'unbuilt; rm "$R/fixture/dkms.txt"'
	leads_home 'unbuilt; rm "$R/fixture/dkms.txt"; sed -i /ndm-tcp/d "$R/fixture/archive" "$R/fixture/lists"'
	leads_home 'unbuilt'
	leads_home 'unbuilt; rm "$R/fixture/dkms" "$R/fixture/dkms.txt"'
}

@test "hints: DKMS: another module without its source, a source that is gone, the file of another kernel of EL" {
	touch "$R/fixture/dangling"
	: >"$BATS_TEST_TMPDIR/typed"
	follow_doctor
	! grep -q dkms "$BATS_TEST_TMPDIR/typed" || fail 'the module is installed'
	ndmctl unload
	leads_home_by_both 'unbuilt; put "$R/fixture/dkms.txt" "ndm-tcp/0.1.0: broken"'
	unbuilt
	put "$R/fixture/dkms.txt" 'ndm-tcp/0.1.0: broken'
	ndmctl doctor
	says 'dkms         DKMS lacks the source of ndm-tcp 0.1.0, /usr/src/ndm-tcp-0.1.0'
	ndmctl load
	refuses 1 'tcp_ndm is not installed for kernel 6.12.0-test: DKMS lacks the source'
	put "$R/fixture/version" 0.1.0
	put "$R/fixture/dkms.txt" 'ndm-tcp/0.1.0, 6.12.0-test, x86_64: installed-weak from 6.12.0-other'
	ndmctl doctor --json
	json_is '.findings[] | select(.check == "dkms") | .state' ok
}

breaks() { # TEXT: what make says; nobody has built the module
	unbuilt
	put "$R/fixture/breaks" "$1"
}

@test "hints: a build that fails is not told again: its log, its error, and what that asks for" {
	leads_home_by_both 'breaks "/bin/sh: 1: gcc-14: not found"; echo gcc-14 >>"$R/fixture/lists"'
	breaks $'make: Entering directory\n/bin/sh: 1: gcc-14: not found'
	echo gcc-14 >>"$R/fixture/lists"
	next_is 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	type_in 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	ndmctl doctor
	says 'the DKMS build of tcp_ndm failed, see /var/lib/dkms/ndm-tcp/0.1.0/build/make.log (/bin/sh: 1: gcc-14: not found)'
	says 'next: apt install gcc-14 && dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	breaks $'  CC [M]  tcp_ndm.o\ntcp_ndm.c:9:2: error: too few arguments to function\nmake: *** [Makefile:9] Error 2'
	type_in 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	ndmctl load
	refuses 1 'tcp_ndm.c:9:2: error: too few arguments' 'hint: read /var/lib/dkms/ndm-tcp/0.1.0/build/make.log; a newer version may know this kernel (apt update && apt install ndm-tcp-dkms)'
	breaks "gcc: fatal error: cannot execute 'cc1': posix_spawnp: Permission denied"
	type_in 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	rm "$R/fixture/breaks"    # mended meanwhile
	ndmctl load
	refuses 1 "cannot execute 'cc1'" 'hint: dkms install ndm-tcp/0.1.0 -k 6.12.0-test || tail -n 20 /var/lib/dkms/ndm-tcp/0.1.0/build/make.log'
	follow_load
	ndmctl unload
	breaks 'as: No space left on device'
	type_in 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	ndmctl status
	says '(make room (df -h /var/lib/dkms /tmp), then: dkms install ndm-tcp/0.1.0 -k 6.12.0-test)'
	has_kernel 6.14.0-new    # of which the log says nothing
	ndmctl doctor --json
	equals "$(jq -r '.findings[] | select(.check == "otherkernel") | .command' <<<"$output")" 'dkms install ndm-tcp/0.1.0 -k 6.14.0-new'
}

@test "hints: while DKMS builds, nobody builds beside it, and the log of before is no cause" {
	breaks 'tcp_ndm.c:9:2: error: too few arguments to function'
	type_in 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
	put "$R/proc/812/comm" dkms
	ndmctl load
	refuses 1 'DKMS is at work, and has not installed tcp_ndm for kernel 6.12.0-test yet' 'hint: while pgrep -x dkms'
	: >"$BATS_TEST_TMPDIR/typed"
	follow_doctor
	[ -d "$R/sys/module/tcp_ndm" ]
	! grep -q 'typed: dkms' "$BATS_TEST_TMPDIR/typed" || fail 'a second build'
}

@test "hints: headers of another architecture, without their programs, incomplete; those of a kernel that was built here" {
	local said build='$R/lib/modules/6.12.0-test/build'
	echo linux-headers-6.12.0-test | tee -a "$R/fixture/archive" >>"$R/fixture/lists"
	for said in '/bin/sh: 1: scripts/basic/fixdep: Exec format error' '/bin/sh: line 1: ./scripts/mod/modpost: not found' 'make[2]: ./tools/objtool/objtool: Permission denied'; do
		leads_home_by_both 'breaks "# scripts/"$'"'\\n'"'"$said"'
		breaks "$said"$'\nmake[3]: *** [scripts/Makefile.build:229: tcp_ndm.o] Error 126'
		type_in 'dkms install ndm-tcp/0.1.0 -k 6.12.0-test'
		ndmctl doctor
		says "make.log ($said)"
		says 'next: apt update && apt install --reinstall linux-headers-6.12.0-test'
	done
	rm "$R/fixture/breaks"
	leads_home_by_both "unbuilt; rm -r $build/include/generated"
	unbuilt
	rm -r "$R/lib/modules/6.12.0-test/build/include/generated"
	echo linux-kbuild-6.12 >>"$R/fixture/lists"
	ndmctl doctor
	says 'the headers for 6.12.0-test are incomplete (include/generated/autoconf.h), so DKMS cannot build the module'
	says 'next: apt update && apt install --reinstall linux-headers-6.12.0-test linux-kbuild-6.12'
	put "$R/fixture/lists" linux-image-amd64
	put "$R/lib/modules/6.12.0-test/build/scripts/basic/fixdep.c" ''
	ndmctl load
	refuses 1 "hint: make -C $R/lib/modules/6.12.0-test/build modules_prepare && dkms install ndm-tcp/0.1.0 -k 6.12.0-test"
}

@test "hints: a module's file is one that depmod looks at, in any folder" {
	rm "$R/fixture/version" "$R/lib/modules/6.12.0-test/updates/dkms/tcp_ndm.ko"
	put "$R/lib/modules/6.12.0-test/updates/dkms/tcp_ndm.ko.old" 'version 0.1.0'
	ndmctl load
	refuses 1 'DKMS has installed tcp_ndm for kernel 6.12.0-test, but its file is gone' \
		'hint: dkms build --force ndm-tcp/0.1.0 -k 6.12.0-test && dkms install --force ndm-tcp/0.1.0 -k 6.12.0-test'
	put "$R/lib/modules/6.12.0-test/kernel/net/ipv4/tcp_ndm.ko.zst" 'version 0.1.0'
	next_is 'depmod -a 6.12.0-test'
}

@test "hints: the module's file is empty, cut, not listed, gone, of another kernel, of other symbol versions, of other BTF" {
	local file='$R/lib/modules/6.12.0-test/updates/dkms/tcp_ndm.ko'
	leads_home_by_both 'rm "$R/fixture/version"; touch "$R/fixture/listed"; : >'"$file"
	leads_home 'rm "$R/fixture/version"; touch "$R/fixture/listed"; echo half >'"$file"
	leads_home 'rm "$R/fixture/version"'
	leads_home 'rm "$R/fixture/version" '"$file"
	leads_home 'put "$R/fixture/vermagic" "6.1.0-9 SMP"'
	leads_home 'touch "$R/fixture/versions"'
	leads_home_by_both 'touch "$R/fixture/btf"'
	touch "$R/fixture/btf"
	ndmctl load
	refuses 1 'type information (BTF) of another kernel' '&& dkms build --force ndm-tcp/0.1.0 -k 6.12.0-test && dkms install --force'
	grep -q ' CONFIG_DEBUG_INFO_BTF_MODULES= modules"$' "$CLI/../../src/module/dkms.conf.in" || fail 'the same would be built again'
	rm "$R/fixture/btf" "$R/fixture/dmesg.log"
	touch "$R/fixture/versions"
	ndmctl load
	refuses 1 'other symbol versions' "hint: rm -f $R/lib/modules/6.12.0-test/updates/dkms/tcp_ndm.ko && dkms build --force ndm-tcp/0.1.0 -k 6.12.0-test && dkms install --force"
}

@test "hints: modprobe succeeds without loading: install lines, patterns, continued lines, an alias, in every directory" {
	leads_home_by_both 'put "$R/etc/modprobe.d/cis.conf" "install tcp_ndm /bin/true"'
	leads_home 'put "$R/etc/modprobe.d/cis.conf" "install tcp_* /bin/false"'
	leads_home 'put "$R/etc/modprobe.d/cis.conf" $'"'# x\n\n install tcp-ndm \\\\\n  /bin/true'"
	leads_home 'put "$R/etc/modprobe.d/cis.conf" "alias tcp_ndm off"'
	leads_home 'put "$R/etc/modprobe.d/cis.conf" "install tcp_ndm /bin/true # not modprobe"'
	leads_home 'put "$R/usr/lib/modprobe.d/cis.conf" "install tcp_ndm /bin/true"; put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm_v5'
	put "$R/etc/modprobe.d/cis.conf" $'# CIS\ninstall tcp_ndm /bin/true'
	ndmctl load
	refuses 1 "$R/etc/modprobe.d/cis.conf:2 (install tcp_ndm /bin/true)" "hint: sed -i '2s/^/# /' $R/etc/modprobe.d/cis.conf"
	put "$R/etc/modprobe.d/cis.conf" $'install tcp_ndm /sbin/modprobe -i tcp_ndm && logger loaded\ninstall tcp_bbr /bin/true'
	next_is 'ndmctl load'
	absent sys/module/tcp_ndm
}

@test "hints: a line that a file of the same name hides is no cause" {
	put "$R/usr/lib/modprobe.d/cis.conf" 'install tcp_ndm /bin/true'
	ln -s /dev/null "$R/etc/modprobe.d/cis.conf"
	next_is 'ndmctl load'
}

@test "hints: refused options, of modprobe.d and of the kernel line" {
	leads_home_by_both 'put "$R/etc/modprobe.d/x.conf" "options tcp_ndm keep_noise=333 variant=v9"'
	leads_home 'put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"quiet tcp_ndm.variant=v9\""; put "$R/proc/cmdline" "quiet tcp_ndm.variant=v9"'
}

@test "hints: options against the configuration: what was chosen stays" {
	local command
	put "$R/etc/modprobe.d/x.conf" $'options tcp_ndm variant=v4 keep_noise=700\noptions tcp_ndm variant=v5'
	for command in 'load -n' load; do
		put "$R/fixture/loaded/sys/module/tcp_ndm/parameters/keep_noise" 700
		ndmctl $command
		exits 0
		complains "x.conf:1 gives tcp_ndm the option keep_noise=700; ndmctl replaces it by KEEP_NOISE="
	done
	ndmctl unload
	ndmctl doctor --json
	json_is '[.findings[] | select(.id == "option-other") | .command] | join("; ")' 'ndmctl config set VARIANT v5; ndmctl config set KEEP_NOISE 700'
	follow_doctor
	ndmctl config get VARIANT
	equals "$output" v5
	ndmctl config get KEEP_NOISE
	equals "$output" 700
	ndmctl load
	equals "$stderr" ''
	rm "$R/etc/modprobe.d/x.conf"
	put "$R/proc/cmdline" 'quiet tcp_ndm.variant=v4'
	ndmctl doctor
	says "the kernel line gives tcp_ndm the option variant=v4; ndmctl replaces it by VARIANT=v5 ($R/$DROP_IN:"
	says 'next: boot without tcp_ndm.variant=v4 on the kernel line'
}

@test "hints: a file that is read after that of ndmctl" {
	leads_home_by_both 'put "$R/etc/ndm-tcp/conf.d/90-site.conf" BACKEND=bpf; add_cgroups'
	leads_home_by_both 'put "$R/etc/ndm-tcp/conf.d/90-site.conf" DEFAULT=nosuch'
	leads_home_by_both 'put "$R/etc/ndm-tcp/conf.d/90-site.conf" METRICS=yes; add_cgroups'
}

@test "hints: the kernel line: a blacklist, alone or in a list, modules_disabled, a masked unit" {
	leads_home_by_both 'put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"quiet module_blacklist=tcp_ndm\""; put "$R/proc/cmdline" "quiet module_blacklist=tcp_ndm"'
	leads_home 'put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"quiet module_blacklist=a,tcp_ndm,b\""; put "$R/proc/cmdline" "quiet module_blacklist=a,tcp_ndm,b"'
	leads_home 'put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"sysctl.kernel.modules_disabled=1\""; put "$R/proc/cmdline" "sysctl.kernel.modules_disabled=1"; put "$R/proc/sys/kernel/modules_disabled" 1'
	leads_home 'put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm_v5; put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"systemd.mask=ndm-tcp.service\""
		put "$R/proc/cmdline" "systemd.mask=ndm-tcp.service"; mkdir -p "$R/run/systemd/generator.early"; ln -s /dev/null "$R/run/systemd/generator.early/ndm-tcp.service"'
	put "$R/proc/cmdline" 'module_blacklist=a,tcp_ndm,b'
	put "$R/etc/default/grub" 'GRUB_CMDLINE_LINUX="module_blacklist=a,tcp_ndm,b"'
	ndmctl load
	refuses 1 'module_blacklist=a,tcp_ndm,b on the kernel line'
	[[ $stderr != *CAP_SYS_MODULE* ]] || fail 'root is told that he lacks a right'
	type_in "$(sed -n 's/^hint: //p' <<<"$stderr")"
	holds etc/default/grub 'GRUB_CMDLINE_LINUX="module_blacklist=a,b"'
	put "$R/proc/cmdline" 'module_blacklist=a,tcp_ndm,b'
	ndmctl load
	refuses 1 'hint: boot without module_blacklist=a,tcp_ndm,b on the kernel line'
}

@test "hints: the kernel line: the function that begins the module, as it is written there; a name that is not ours" {
	leads_home 'put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"initcall-blacklist=x,ndm_register\""; put "$R/proc/cmdline" "initcall-blacklist=x,ndm_register"'
	put "$R/proc/cmdline" 'module_blacklist=tcp-ndm,xtcp_ndm initcall_blacklist=tcp_ndm'    # the kernel compares names
	next_is 'ndmctl load'
}

@test "hints: the kernel line: a boot that goes to a shell only does not apply the configuration" {
	ndmctl set-default ndm_v5
	type_in 'systemctl enable ndm-tcp'
	put "$R/proc/cmdline" 'quiet systemd.unit=rescue.target'
	put "$R/etc/default/grub" 'GRUB_CMDLINE_LINUX="quiet systemd.unit=rescue.target"'
	ndmctl doctor
	says 'DEFAULT=ndm_v5 is not applied at boot'
	says "next: sed -i 's;systemd\\.unit=rescue\\.target;;' $R/etc/default/grub && update-grub && systemctl reboot"
	follow_doctor
	put "$R/proc/cmdline" 'rescue 3'    # the last one counts
	ndmctl doctor
	says 'DEFAULT=ndm_v5 is applied at boot'
	ln -s /lib/systemd/system/rescue.target "$R/etc/systemd/system/default.target"
	put "$R/proc/cmdline" quiet
	next_is 'systemctl set-default multi-user.target'
}

@test "hints: the kernel line masks what policies of units need" {
	add_systemd
	mkdir -p "$R/run/systemd/generator.early"
	ln -s /dev/null "$R/run/systemd/generator.early/ndm-tcp-policy@.service"
	put "$R/proc/cmdline" 'systemd.mask=ndm-tcp-policy@.service'
	ndmctl unit set web ndm_v5
	complains 'boot without systemd.mask=ndm-tcp-policy@.service on the kernel line'
}

@test "hints: the kernel refuses what root may do: its own words, not a right that is missing" {
	put "$R/proc/self/status" $'Name:\tbash\nCapEff:\t000001ffffffffff'
	fake modprobe <<<'echo "modprobe: ERROR: could not insert '"'tcp_ndm'"': Operation not permitted" >&2; exit 1'
	put "$R/fixture/dmesg.log" '[9.1] LoadPin: kernel-module denied obj="/lib/modules/6.12.0-test/updates/dkms/tcp_ndm.ko" pid=77'
	ndmctl load
	refuses 1 'LoadPin: kernel-module denied' 'hint: cat /sys/kernel/security/lsm'
	put "$R/proc/self/status" $'Name:\tbash\nCapEff:\t000001fffffeffff'
	ndmctl load
	refuses 1 CAP_SYS_MODULE
}

@test "hints: modules_disabled, a masked unit" {
	leads_home_by_both 'put "$R/etc/sysctl.d/x.conf" "kernel.modules_disabled = 1"; put "$R/proc/sys/kernel/modules_disabled" 1; put "$R/etc/modprobe.d/x.conf" "blacklist tcp_ndm"'
	leads_home 'put "$R/etc/sysctl.d/x.conf" "kernel.modules_disabled = 1"; put "$R/proc/sys/kernel/modules_disabled" 1'
	leads_home 'put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm_v5; mkdir -p "$R/etc/systemd/system"; ln -s /dev/null "$R/etc/systemd/system/ndm-tcp.service"'
}

@test "hints: another version is installed; a cgroup lost its policy, or is gone" {
	load_now
	put "$R/fixture/version" 0.2.0
	put "$R/fixture/loaded/sys/module/tcp_ndm/version" 0.2.0
	follow_doctor
	holds sys/module/tcp_ndm/version 0.2.0
	add_cgroups /a.slice /b.slice
	ndmctl cgroup set /a.slice ndm_v5
	ndmctl cgroup set /b.slice ndm_v5
	rm -r "$G/a.slice" "$G/b.slice"
	mkdir "$G/keeps-the-inode"
	put "$G/a.slice/cgroup.procs" ''
	follow_doctor
	list_is cgroup $'/a.slice\tndm_v5\truntime\tactive'
}

@test "hints: names of files and words of the kernel line do nothing else in the shell" {
	put "$R/etc/modprobe.d/a b;touch ran.conf" 'install tcp_ndm /bin/true'
	put "$R/usr/lib/modprobe.d/x\$(touch ran).conf" 'install tcp_ndm /bin/true'
	put "$R/etc/default/grub" "GRUB_CMDLINE_LINUX=\"module_blacklist=tcp_ndm,x';touch\${IFS}ran;'\""
	ndmctl status
	put "$R/proc/cmdline" "module_blacklist=tcp_ndm,x';touch\${IFS}ran;'"
	ndmctl load
	refuses 1 'hint: boot without module_blacklist=tcp_ndm'
	put "$R/proc/cmdline" quiet
	follow_load
	if [[ -e $R/ran ]]; then fail 'it ran'; fi
}

@test "hints: in a container doctor names nothing that it cannot have, and how its default lasts" {
	in_container
	runs cubic
	rm -r "$R/usr/src" "$R/lib/modules" "$R/fixture/version" "$R/fixture/dkms"
	ndmctl doctor
	exits 0
	[[ $output != *apt\ install* ]] || fail 'apt'
	put "$R/etc/ndm-tcp/conf.d/90-site.conf" METRICS=yes
	ndmctl doctor
	exits 0
	says 'next: on the host, for all its containers: ndmctl config set METRICS yes'
	rm "$R/etc/ndm-tcp/conf.d/90-site.conf"
	ndmctl set-default ndm_v5
	complains "echo net.ipv4.tcp_congestion_control=ndm_v5 >$R/etc/sysctl.d/90-ndm-tcp.conf"
	[[ $stderr != *systemctl* ]] || fail 'a unit that does not start in containers'
	follow_doctor
	default_is ndm_v5
	holds etc/sysctl.d/90-ndm-tcp.conf net.ipv4.tcp_congestion_control=ndm_v5
	rm -r "$R/run/systemd" "$R/etc/sysctl.d/90-ndm-tcp.conf"
	ndmctl doctor
	says '--sysctl net.ipv4.tcp_congestion_control=ndm_v5 (podman, docker)'
	says 'lxc.sysctl.net.ipv4.tcp_congestion_control = ndm_v5 (LXC, Proxmox)'
	rm -r "$R/sys/module/tcp_ndm"
	put "$R/proc/sys/net/ipv4/tcp_available_congestion_control" 'reno cubic'
	ndmctl doctor
	exits 0
	says 'the host has not loaded tcp_ndm' 'next: on the host: ndmctl load'
	ndmctl status
	says '(on the host: ndmctl load)'
}

@test "hints: in a chroot nothing is said of the kernel outside; what is chosen is for its own boot" {
	put "$R/proc/self/mountinfo" '31 1 0:27 / /dev rw - devtmpfs udev rw'
	put "$R/proc/sys/kernel/osrelease" 6.1.0-host
	rm "$R/fixture/version"
	put "$R/fixture/version-6.12.0-test" 0.1.0
	ndmctl doctor --json
	exits 0
	json_is .next 'ndmctl status'
	[[ $output != *6.1.0-host* ]] || fail 'the kernel of the host'
	put "$R/etc/ndm-tcp/conf.d/90-site.conf" $'METRICS=yes\nUNIT=web.service:ndm_v5'
	ndmctl doctor
	exits 1
	says 'METRICS=yes needs bpftool'
	says 'policies need bpftool'
	cp "$CLI/fixtures/bpftool" "$R/fixture/"
	ndmctl doctor
	exits 0
	[[ $output != *@(BTF|mounted)* ]] || fail 'what the kernel outside has not'
	rm "$R/etc/ndm-tcp/conf.d/90-site.conf"
	ndmctl set-default ndm_v5
	refuses 5 'this is a chroot' 'hint: ndmctl set-default ndm_v5 --persist'
	type_in 'ndmctl set-default ndm_v5 --persist'
	holds "$DROP_IN" $'# Written by ndmctl config set and ndmctl set-default; see ndm-tcp.conf(5).\nDEFAULT=ndm_v5'
	default_is cubic
	ndmctl load
	refuses 5 'this is a chroot' 'hint: systemctl enable ndm-tcp'
	without_headers 6.12.0-test
	ndmctl doctor
	says 'no headers for 6.12.0-test'
	mkdir -p "$R/proc/1"
	ln -s / "$R/proc/1/root"    # told by another root, too
	put "$R/proc/self/mountinfo" '31 1 0:27 / / rw - ext4 x rw'
	ndmctl load
	refuses 5 'this is a chroot'
	rm -r "$R/boot" "$R/lib/modules"
	ndmctl doctor
	exits 0
	says 'this chroot has no kernel yet'
}

@test "doctor: what is left of a kernel in /boot is no kernel" {
	put "$R/boot/vmlinuz-6.99.0-leftover" image
	put "$R/boot/vmlinuz-6.12.0-test.old" image
	: >"$R/boot/vmlinuz-6.98.0-empty"
	mkdir -p "$R/lib/modules/6.98.0-empty" "$R/lib/modules/6.99.0-leftover/updates"
	put "$R/lib/modules/6.97.0-headers/modules.builtin" ''
	ndmctl doctor --json
	equals "$(jq -r '.findings[] | select(.check == "otherkernel") | .state + " " + .text' <<<"$output")" 'ok the running kernel is the newest installed'
}
