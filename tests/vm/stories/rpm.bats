#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# The rpm packages, installed and removed by dnf and rpm themselves: by name from a repository, used, downgraded and
# upgraded in use, with a build that fails, without headers, erased. One guest, in order, each test going on from the last.
#
# Not in the default list, for the guest is Debian's: `make check-vm STORIES=rpm`. What stands in there for Fedora's own
# packages is said in the output.

load helpers

setup_file() {
	[ "$SUITE" != bullseye ] || skip 'bookworm and trixie show it; bullseye only has the story of the policies'
	prepare >&2
	start_guest rpm
	install_dnf
	install_repositories
}

teardown() { kernel_is_content; }

# Made once for all suites that run: the repository, one with an older version of the same tree, and the stand-ins.
prepare() {
	local old=$VM_TOP/build/vm/old-rpm capabilities
	exec 8>"$VM_TOP/build/vm/rpm.lock"
	flock 8
	make -s -C "$VM_TOP" rpm
	createrepo_c -q "$VM_TOP/build/rpm"
	"$VM_TOP/rpm/build" "$VM_TOP" "$old" 0.0.9
	createrepo_c -q "$old"
	capabilities=$("$VM_TOP/tests/vm/host/stand-ins" | paste -sd ' ')
	printf '# %s: stands in for Fedora: a Debian guest; empty rpms provide %s; Debian builds, boots and runs\n' "$SUITE" "$capabilities" >&3
	exec 8>&-
}

# Compiling Python ahead would take longer than all the Python that runs here.
install_dnf() {
	local debs
	debs=$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" rpm dnf)
	vm_put "$debs" /srv
	ok 'ln -s /bin/true /usr/local/sbin/py3compile
		dpkg -i --force-unsafe-io --no-triggers /srv/debs-*/*.deb >/root/dpkg.log 2>&1 || { tail -n 20 /root/dpkg.log; exit 1; }
		ldconfig; rm -r /srv/debs-*
		mkdir -p /usr/lib/systemd/system-preset; echo "disable *" >/usr/lib/systemd/system-preset/99-default-disable.preset # as in Fedora and EL
		rm -f /usr/lib/systemd/system-preset/9[0-8]-*'
}

install_repositories() {
	vm_put "$VM_TOP/build/vm/stand-ins" /srv
	vm_put "$VM_TOP/build/vm/old-rpm" /srv
	vm_put "$VM_TOP/build/rpm" /srv
	ok 'mkdir -p /etc/yum.repos.d; cp /srv/stand-ins/stand-ins.repo /etc/yum.repos.d
		printf "[%s]\nname=%s\nbaseurl=file:///srv/%s\nenabled=%s\ngpgcheck=0\n" ndm-tcp ndm-tcp rpm 1 old old old-rpm 0 >/etc/yum.repos.d/ndm-tcp.repo'
}

# dnf_does ARG...: dnf ends well, and no script of a package does otherwise.
dnf_does() {
	ok "dnf -y $* >/root/dnf.log 2>&1; rc=\$?; cat /root/dnf.log; exit \$rc"
	lacks 'scriptlet failed' 'Error'
}

# one_warning TEXT...: of ndm-tcp-dkms, in what dnf said last.
one_warning() {
	ok 'grep "^ndm-tcp-dkms: WARNING" /root/dnf.log'
	[ "$(wc -l <<<"$output")" -eq 1 ] || complain 'more than one line'
	has "$@"
}

# dkms_has VERSION STATE: for the running kernel, and nothing else.
dkms_has() {
	ok 'dkms status ndm-tcp 2>&1'
	has "ndm-tcp/$1" "$2"
	[ "$(wc -l <<<"$output")" -eq 1 ] || complain 'other versions or kernels, too'
}

version_here() { "$VM_TOP/.ci/version"; }

@test "install by name: DKMS builds, nothing is loaded, enabled or changed" {
	dnf_does install ndm-tcp-dkms; has 'ndm-tcp-dkms' 'stand-ins'; lacks WARNING
	dkms_has "$(version_here)" installed
	ok 'modinfo -F version tcp_ndm'; is "$(version_here)"
	ok 'rpm -V ndm-tcp ndm-tcp-dkms'; is ''
	fails 1 'test -e /sys/module/tcp_ndm'
	fails 1 'systemctl is-enabled ndm-tcp'; is disabled
	default_is cubic
	ok 'ndmctl --version; man -w ndmctl ndm-tcp.conf tcp_ndm'; has "$(version_here)" ndmctl.8
	ok 'ls /run/ndm-tcp-dkms.first 2>&1 || :'; has 'No such file'
}

@test "in use: enabled, default, configuration edited" {
	ok 'systemctl enable --now ndm-tcp && ndmctl set-default ndm; echo KEEP_NOISE=720 >>/etc/ndm-tcp/ndm-tcp.conf; ndmctl load'
	default_is ndm
	parameter_is keep_noise 720
	ok 'ndmctl status'; has "tcp_ndm $(version_here), loaded" 'problems    none'
}

@test "downgrade in use: the older one is built, the newer one stays loaded, default, unit and edits stay" {
	dnf_does --enablerepo=old downgrade ndm-tcp-0.0.9 ndm-tcp-dkms-0.0.9
	lacks WARNING
	downgraded=$output
	has "version $(version_here) stays loaded. 0.0.9 takes over"
	dkms_has 0.0.9 installed
	ok 'modinfo -F version tcp_ndm; cat /sys/module/tcp_ndm/version'; is "0.0.9
$(version_here)"
	ok "ls /usr/src; systemctl is-active ndm-tcp; systemctl is-enabled ndm-tcp"; has ndm-tcp-0.0.9; lacks "ndm-tcp-$(version_here)" disabled inactive
	default_is ndm
	parameter_is keep_noise 720
	advice=$(sed -n 's/^.*stays loaded.*after: //p' <<<"$downgraded")
	ok "$advice; cat /sys/module/tcp_ndm/version"; has 0.0.9
	default_is ndm
}

@test "upgrade in use, and the build fails: dnf succeeds with one warning; default, module, unit and edits stay" {
	ok 'cc1=$(gcc -print-prog-name=cc1); chmod -x "$cc1"; echo "$cc1" >/root/cc1'
	dnf_does upgrade ndm-tcp ndm-tcp-dkms
	has '0.0.9 stays loaded'
	ok 'chmod +x "$(cat /root/cc1)"'
	one_warning make.log 'dkms install ndm-tcp/' ' -k '
	ok 'rpm -q ndm-tcp ndm-tcp-dkms'; has "ndm-tcp-$(version_here)-1" "ndm-tcp-dkms-$(version_here)-1"
	ok 'dkms status ndm-tcp; ls /usr/src'; lacks 0.0.9 installed
	ok 'cat /sys/module/tcp_ndm/version; systemctl is-active ndm-tcp'; is $'0.0.9\nactive'
	ok 'grep KEEP_NOISE=720 /etc/ndm-tcp/ndm-tcp.conf'
	default_is ndm
}

@test "the command that doctor names builds it" {
	fails 1 'ndmctl doctor'; has 'fail  dkms' make.log
	command=$(sed -n 's/^next: //p' <<<"$output")
	ok "$command"
	dkms_has "$(version_here)" installed
	ok 'ndmctl set-default cubic --runtime && ndmctl unload && systemctl restart ndm-tcp; cat /sys/module/tcp_ndm/version'; has "$(version_here)"
	default_is ndm
}

@test "the same version again, without headers: one warning with the commands of Fedora; with headers the module is built" {
	ok 'mv "/lib/modules/$(uname -r)/build" /root/build-link'
	dnf_does reinstall ndm-tcp ndm-tcp-dkms
	ok 'mv /root/build-link "/lib/modules/$(uname -r)/build"'
	one_warning "no headers for" "dnf install kernel-devel-$(vm_run 'uname -r')"
	dnf_does reinstall ndm-tcp-dkms; lacks WARNING
	dkms_has "$(version_here)" installed
	ok 'rpm -V ndm-tcp-dkms'; is ''
	default_is ndm
}

@test "erasing only the module's package removes its default; after installing it again the enabled unit works" {
	dnf_does remove --noautoremove ndm-tcp-dkms
	default_is cubic
	ok 'dkms status ndm-tcp; ls /usr/src'; lacks ndm-tcp
	fails 1 'test -e /sys/module/tcp_ndm'
	fails 1 'modinfo tcp_ndm'
	ok 'systemctl is-enabled ndm-tcp'; is enabled
	dnf_does install ndm-tcp-dkms
	ok 'systemctl is-active ndm-tcp'; is active
	default_is ndm
}

@test "erase in use: the previous default is restored, the module unloaded; only the edited configuration stays" {
	# Units that nobody starts meanwhile: dnf itself asks for systemd-logind.
	ok 'for unit in kept runtime; do printf "[Service]\nExecStart=/bin/true\n" >/etc/systemd/system/$unit.service; done; systemctl daemon-reload
		ndmctl unit set kept ndm; ndmctl unit set runtime ndm --runtime; ls /etc/systemd/system/*/50-ndm-tcp.conf /run/systemd/system/*/50-ndm-tcp.conf'
	dnf_does remove ndm-tcp ndm-tcp-dkms
	ok 'find /etc/systemd /run/systemd -name "*ndm*"'; is ''
	default_is cubic
	fails 1 'test -e /sys/module/tcp_ndm'
	ok 'dkms status ndm-tcp; rpm -qa "ndm*"; ls -d /usr/src/ndm* /run/ndm-tcp* /usr/lib/ndm-tcp /usr/share/ndm-tcp /usr/bin/ndmctl \
		/usr/lib/systemd/system/ndm-tcp.service /etc/systemd/system/*/ndm-tcp.service "/lib/modules/$(uname -r)"/*/*/tcp_ndm* 2>/dev/null || :'
	is ''
	ok 'grep KEEP_NOISE=720 /etc/ndm-tcp/ndm-tcp.conf.rpmsave'
	ok 'systemctl daemon-reload; systemctl --failed --no-legend'; is ''
}
