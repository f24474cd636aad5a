#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# What users' machines do to it, as public bug reports of others have it: each is recreated, then the command that ndmctl prints is typed,
# until nothing is left. One guest; each test puts back what it changed.

load helpers

setup_file() {
	start_installed_guest hints
	ok 'dkms status ndm-tcp | sed -n "s,^ndm-tcp/\([^,]*\).*,\1,p" >/root/version'
	ok 'ndmctl config set BACKEND module # else BPF programs would stand for a module that is gone'
}

teardown() { kernel_is_content; }

# The chain of a command: what it prints as the next one is typed, until it succeeds. A command that comes again leads nowhere.
follow() { # COMMAND
	local seen=$'\n' next
	run_command "$1"
	while [ "$status" -ne 0 ]; do
		next=$(sed -n 's/^hint: //p' <<<"$output" | tail -n 1)
		[[ $next && $seen != *$'\n'"$next"$'\n'* ]] || complain "leads nowhere: '$next'"
		seen+=$next$'\n'
		ok "$next"
		run_command "$1"
	done
}

@test "the module of another package cannot be built: this one is, once, when the headers arrive" {
	ok 'mkdir -p /usr/src/aabroken-1.0; cd /usr/src/aabroken-1.0; echo "#error on purpose" >aabroken.c; echo "obj-m := aabroken.o" >Kbuild
		printf "%s\n" PACKAGE_NAME=aabroken PACKAGE_VERSION=1.0 "BUILT_MODULE_NAME[0]=aabroken" "DEST_MODULE_LOCATION[0]=/updates" AUTOINSTALL=yes \
			"MAKE[0]=\"make -C \${kernel_source_dir} M=\${dkms_tree}/aabroken/1.0/build\"" CLEAN=true >dkms.conf
		dkms add aabroken/1.0'
	ok 'apt-get remove -y linux-headers-amd64 linux-headers-$(uname -r); dkms remove ndm-tcp/$(cat /root/version) -k $(uname -r); dkms add ndm-tcp/$(cat /root/version) || :'
	fails 1 'ndmctl doctor'; lacks make.log
	run_command 'apt-get install -y /var/lib/headers/*.deb' # the hook of DKMS fails, because of the other module
	has 'failed for module(s) aabroken'
	output=$(grep -c '^Installing .*tcp_ndm.ko' <<<"$output"); is 1
	ok 'dkms status ndm-tcp'; has ': installed'
	ok 'ndmctl doctor'; lacks fail
	ok 'dkms remove aabroken/1.0 --all; rm -r /usr/src/aabroken-1.0; dpkg --configure -a'
	ok 'dpkg --audit'; is ''
}

@test "damaged files, those that depmod has not listed, bad options: the cause is named, the hints mend it" {
	local damage
	for damage in ': >"$f"' 'truncate -s 3000 "$f"' 'rm "$f"' 'rm /lib/modules/$(uname -r)/modules.dep*' 'echo options tcp_ndm variant=v9 >/etc/modprobe.d/bad.conf'; do
		ok "f=\$(modinfo -n tcp_ndm); $damage"
		fails 1 'ndmctl load'
		fails 1 'ndmctl doctor'
		follow 'ndmctl load'
		ok 'ndmctl unload; rm -f /etc/modprobe.d/bad.conf'
	done
}

@test "other symbol versions: the kernel is asked, and the module built anew" {
	ok 'f=$(modinfo -n tcp_ndm); cp "$f" /root/; cd /root; case $f in *.xz) unxz -f "${f##*/}" ;; *.zst) unzstd --rm -f "${f##*/}" ;; esac
		objcopy --dump-section __versions=versions tcp_ndm.ko && printf "\1\2\3\4" | dd of=versions conv=notrunc status=none
		objcopy --update-section __versions=versions tcp_ndm.ko; rm "$f"; cp tcp_ndm.ko "${f%%.ko*}.ko"; depmod -a'
	fails 1 'ndmctl load'; has 'other symbol versions'
	follow 'ndmctl load'
	ok 'ndmctl unload'
}

@test "sysctl files: doctor says what the next boot has, and its hints keep what is in use" {
	ok 'echo net.ipv4.tcp_congestion_control=reno >/etc/sysctl.d/10-a.conf; echo net.ipv4.tcp_congestion_control=ndm_v5 >/etc/sysctl.d/99-b.conf
		sysctl -q -p /etc/sysctl.d/99-b.conf'
	default_is ndm_v5
	ok 'ndmctl doctor'; has 'the default is ndm_v5'; lacks 'next boot'
	vm_reboot
	default_is ndm_v5
	# Not read by systemd where no link in sysctl.d leads to it: Debian 13.
	ok 'rm /etc/sysctl.d/10-a.conf /etc/sysctl.d/99-b.conf; echo net.ipv4.tcp_congestion_control=ndm_v5 >/etc/sysctl.conf; ndmctl doctor'
	if vm_run 'test -e /etc/sysctl.d/99-sysctl.conf'; then has 'the default is ndm_v5'
	else
		has '/etc/sysctl.conf:1 (ndm_v5) is not read' 'next: ndmctl set-default ndm_v5'
		ok 'ndmctl set-default ndm_v5; ndmctl doctor'; has 'next: systemctl enable ndm-tcp'
		ok 'systemctl enable ndm-tcp; ndmctl doctor'; has 'next: ndmctl status'
	fi
	vm_reboot
	default_is ndm_v5
	ok 'rm /etc/sysctl.conf; ndmctl -q set-default --revert; sysctl -q -w net.ipv4.tcp_congestion_control=cubic; systemctl disable --now ndm-tcp || :'
}
