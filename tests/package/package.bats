#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# The packages as files: what lintian says, what they hold, whether two builds give the same bytes.

load ../helpers
load own_tests

setup_file() {
	.ci/need bats llvm mandoc pyflakes3 shellcheck groff-base
	debian/build . build/deb > "$BATS_FILE_TMPDIR/log"
}

setup() {
	version=$(.ci/version)
	deb_version=$(.ci/version package)
	tools=build/deb/ndm-tcp_${deb_version}_all.deb
	dkms=build/deb/ndm-tcp-dkms_${deb_version}_all.deb
	bench=build/deb/ndm-tcp-bench_${deb_version}_all.deb
}

# files_of DEB: the paths of the files it holds, sorted.
files_of() {
	dpkg-deb --fsys-tarfile "$1" | tar -t | grep -v '/$' | sed 's/^\.//' | sort
}

@test "lintian finds nothing, not even information tags; every override has a reason" {
	ok 'tests/package/lintian'
	[[ ! "$output" =~ (^|$'\n')[EWIP]: ]]
}

@test "without the package's own tests, as DEB_BUILD_OPTIONS=nocheck says, none ran" {
	ok 'grep -c "^1\.\.[0-9]" build/deb/build.log || :'; is 0
}

@test "the packages are there, in the version of the tree, and serve every architecture" {
	for deb in "$tools" "$dkms" "$bench"; do
		[ "$(dpkg-deb -f "$deb" Version)" = "$deb_version" ]
		[ "$(dpkg-deb -f "$deb" Multi-Arch)" = foreign ]
	done
	dpkg-deb -f "$dkms" Depends | grep -q "ndm-tcp (= $deb_version)"
	dpkg-deb -f "$dkms" Depends | grep -qw dkms
}

@test "the source package: upstream's tarball, which is the tree, and debian/ beside it" {
	[ "$(sed -n 's/^Format: //p' "build/deb/ndm-tcp_$deb_version.dsc")" = '3.0 (quilt)' ]
	.ci/archive . "ndm-tcp-$version" | gzip -9n >"$BATS_TEST_TMPDIR/tree.tar.gz"
	cmp "$BATS_TEST_TMPDIR/tree.tar.gz" "build/deb/ndm-tcp_$version.orig.tar.gz"
	dpkg-source --no-check -x "build/deb/ndm-tcp_$deb_version.dsc" "$BATS_TEST_TMPDIR/x" >/dev/null
	[ "$(cat "$BATS_TEST_TMPDIR/x/debian/source/format")" = '3.0 (quilt)' ]
	[ -x "$BATS_TEST_TMPDIR/x/debian/rules" ]
	diff <(tar -tzf "$BATS_TEST_TMPDIR/tree.tar.gz" | grep -v '/$' | cut -d / -f 2- | sort) <(git ls-files -co --exclude-standard | sort)
}

@test "the tree is text, but for recorded links" {
	ok 'comm -23 <(git ls-files -s | sed "/^120000/d; s/.*\t//" | sort) <(git grep -lI "" | sort) | grep -v "^tests/lab/links/.*[.]xz$" || :'; is ''
}

@test "debian/control lists every package that the package's own tests need" {
	local package wanted
	wanted=$(needs_of_own_tests)
	echo "$wanted"
	[ "$(wc -w <<<"$wanted")" -gt 5 ]
	for package in $wanted; do
		case $package in gcc | libc6-dev | mount | util-linux) continue ;; esac # build-essential or essential
		grep -qE "^(Build-Depends-Indep:)? +$package <!nocheck>,?\$" debian/control || { echo "not in debian/control: $package"; return 1; }
	done
}

# bats test_tags=all
@test "a unit test that fails makes the package's build fail, unless DEB_BUILD_OPTIONS has nocheck" {
	broken_build_fails debian/build
	ok 'debian/build "$BATS_TEST_TMPDIR/tree" "$BATS_TEST_TMPDIR/out"'
}

# bats test_tags=all
@test "the package's own tests pass while it is built" {
	own_tests_pass debian/build
}

@test "nothing requires a newer dkms than that of Debian 12" {
	run ! bash -c "dpkg-deb -f '$dkms' Depends | grep -qE 'dkms \(>= 3'"
}

@test "the module's source is complete and nothing else is in its tree" {
	run files_of "$dkms"
	echo "$output"
	for file in src/module/*.[ch] src/module/*/*.[ch] src/module/Kbuild; do
		grep -qx "/usr/src/ndm-tcp-$version/${file#src/module/}" <<< "$output"
	done
	grep -qx "/usr/src/ndm-tcp-$version/dkms.conf" <<< "$output"
	[ "$(grep -c "^/usr/src/" <<< "$output")" -eq $(($(ls src/module/*.[ch] src/module/*/*.[ch] | wc -l) + 2)) ]
}

@test "kernel packages call the hook of this package, which never fails; the hook of DKMS then skips the module" {
	run files_of "$dkms"
	echo "$output"
	grep -qx /etc/kernel/postinst.d/10-ndm-tcp-dkms <<< "$output"
	grep -qx /etc/kernel/header_postinst.d/10-ndm-tcp-dkms <<< "$output"
	local dir # a hook that fails, as that of DKMS does for any module, keeps run-parts from those behind it
	dpkg-deb -x "$dkms" "$BATS_TEST_TMPDIR/hooks"
	for dir in "$BATS_TEST_TMPDIR"/hooks/etc/kernel/*.d; do
		touch "$dir"/{apt-auto-removal,dkms,initramfs-tools}
		chmod +x "$dir"/*
		ok 'run-parts --test "$dir" | head -n 1'; is "$dir/10-ndm-tcp-dkms"
	done
	dpkg-deb --fsys-tarfile "$dkms" | tar -xO "./usr/src/ndm-tcp-$version/dkms.conf" > "$BATS_TEST_TMPDIR/dkms.conf"
	local package
	for package in linux-image-6.1.0-1-amd64 linux-headers-6.1.0-1-amd64; do
		run env DPKG_MAINTSCRIPT_PACKAGE=$package bash -c ". '$BATS_TEST_TMPDIR/dkms.conf'; echo \"[\$AUTOINSTALL]\""
		[ "$output" = '[]' ]
	done
	run env DPKG_MAINTSCRIPT_PACKAGE=ndm-tcp-dkms bash -c ". '$BATS_TEST_TMPDIR/dkms.conf'; echo \"[\$AUTOINSTALL]\""
	[ "$output" = '[yes]' ]
	run env -u DPKG_MAINTSCRIPT_PACKAGE bash -c ". '$BATS_TEST_TMPDIR/dkms.conf'; echo \"[\$AUTOINSTALL]\""
	[ "$output" = '[yes]' ]
}

@test "the tools are where the README says" {
	run files_of "$tools"
	echo "$output"
	for path in /usr/bin/ndmctl /etc/ndm-tcp/ndm-tcp.conf /usr/share/bash-completion/completions/ndmctl \
		/usr/share/man/man8/ndmctl{,-bench,-metrics}.8.gz /usr/share/man/man7/ndmctl-{examples,policy}.7.gz \
		/usr/share/man/man5/ndm-tcp.conf.5.gz /usr/share/man/man7/tcp_ndm.7.gz \
		/usr/share/ndm-tcp/monitoring/ndm-tcp.rules.yml \
		/usr/lib/systemd/system/ndm-tcp{,-units,-policy@,-metrics}.service /usr/lib/systemd/system/ndm-tcp-metrics.timer \
		/usr/lib/systemd/system-preset/50-ndm-tcp.preset; do
		grep -qx "$path" <<< "$output"
	done
	run ! grep -E 'ansible|/bench/|\.py$' <<< "$output"
}

@test "what measures is in a package of its own, which needs Python; no other does" {
	ok 'files_of "$bench" | grep -v /usr/share/doc/ | sed "s,/[^/]*$,," | sort -u'; is /usr/share/ndm-tcp/bench
	ok 'dpkg-deb -f "$bench" Depends'; has python3 "ndm-tcp (= $deb_version)"
	for deb in "$tools" "$dkms"; do ok 'dpkg-deb -f "$deb" Depends Recommends'; lacks python3 ndm-tcp-bench; done
}

@test "ndmctl is in the PATH of every user, and nothing is below sbin, which is a link to bin elsewhere" {
	dpkg-deb -x "$tools" "$BATS_TEST_TMPDIR/x"
	ok 'env -i PATH="$BATS_TEST_TMPDIR/x/usr/local/bin:$BATS_TEST_TMPDIR/x/usr/bin:$BATS_TEST_TMPDIR/x/bin" /bin/sh -c "command -v ndmctl"'
	is "$BATS_TEST_TMPDIR/x/usr/bin/ndmctl"
	ok 'find "$BATS_TEST_TMPDIR/x" -path "*/sbin*"'; is ''
	ok 'grep -rhI "^Exec" "$BATS_TEST_TMPDIR/x/usr/lib/systemd"'; has '=/usr/lib/ndm-tcp/service start'
	is_link=$(readlink -f "$BATS_TEST_TMPDIR/x/usr/lib/ndm-tcp/service")
	[ "$is_link" = "$(readlink -f "$BATS_TEST_TMPDIR/x/usr/bin/ndmctl")" ]
}

@test "the BPF programs are there for both byte orders, with type information and without debugging text" {
	dpkg-deb -x "$tools" "$BATS_TEST_TMPDIR/x"
	for order in bpfel bpfeb; do
		for program in ndm_cc ndm_cc_plain ndm_count ndm_v{1,4,5} ndm-v{1,4,5}; do
			ok 'llvm-readelf -hS "$BATS_TEST_TMPDIR/x/usr/lib/ndm-tcp/bpf/$order/$program.o"'
			[[ $output == *EM_BPF* && $output == *' .BTF '* && $output == *' .maps '* && $output != *.debug_* ]]
			[[ $order == bpfel && $output == *'little endian'* || $order == bpfeb && $output == *'big endian'* ]]
		done
	done
	ok 'cat "$BATS_TEST_TMPDIR/x/usr/lib/ndm-tcp/bpf/layout"'; has 'totals.srtt_us ' 'SRTT_BOUNDS '
	run ! grep -rqa "$PWD" "$BATS_TEST_TMPDIR/x/usr/lib/ndm-tcp"
}

@test "the author of NDM-TCP and the developers are named; README.Debian has Secure Boot and why dh_dkms is not used" {
	for deb in "$tools" "$dkms"; do
		dpkg-deb --fsys-tarfile "$deb" | tar -xO --wildcards './usr/share/doc/*/copyright' >"$BATS_TEST_TMPDIR/copyright"
		grep -q 'The ndm-tcp developers' "$BATS_TEST_TMPDIR/copyright"
		grep -q 'Muhammed Shafin P' "$BATS_TEST_TMPDIR/copyright"
	done
	dpkg-deb --fsys-tarfile "$dkms" | tar -xO --wildcards './usr/share/doc/*/README.Debian*' | zcat -f >"$BATS_TEST_TMPDIR/readme"
	for text in 'mokutil --import' 'MOK manager' dh_dkms 'ndmctl set-default --revert'; do grep -q -- "$text" "$BATS_TEST_TMPDIR/readme"; done
}

@test "every file that debian/copyright names exists" {
	local pattern
	ok "sed -n '/^Files:/,/^Copyright:/{s/^Files://; /^Copyright:/d; p}' debian/copyright"; has starlink
	for pattern in $output; do
		compgen -G "$pattern" >/dev/null || { echo "there is no $pattern"; return 1; }
	done
}

@test "only the config file is a conffile" {
	run dpkg-deb --ctrl-tarfile "$tools"
	[ "$(dpkg-deb -I "$tools" conffiles)" = /etc/ndm-tcp/ndm-tcp.conf ]
}

@test "maintainer scripts carry no placeholder and pass shellcheck" {
	for deb in "$tools" "$dkms"; do
		for script in preinst postinst prerm postrm; do
			dpkg-deb -I "$deb" "$script" > "$BATS_TEST_TMPDIR/$script" 2> /dev/null || continue
			run ! grep -qE '#(VERSION|DEBHELPER)#' "$BATS_TEST_TMPDIR/$script"
			# 2235, 2268 and such are debhelper's own style
			shellcheck -S warning "$BATS_TEST_TMPDIR/$script"
		done
	done
}

@test "the hook of kernels builds the newest of several versions" {
	local calls=$BATS_TEST_TMPDIR/calls version
	mkdir -p "$BATS_TEST_TMPDIR/bin"
	printf '#!/bin/sh\necho "$@" >>%s\n' "$calls" >"$BATS_TEST_TMPDIR/bin/dkms"
	chmod +x "$BATS_TEST_TMPDIR/bin/dkms"
	for version in 0.9.0 0.10.0~git20261128013916.abc1234 0.10.0 0.10.0+git20261129013916.abc1234; do
		mkdir -p "$BATS_TEST_TMPDIR/src/ndm-tcp-$version"
		touch "$BATS_TEST_TMPDIR/src/ndm-tcp-$version/dkms.conf"
		: >"$calls"
		sed "s,/usr/src,$BATS_TEST_TMPDIR/src,; s,/lib/modules/,$BATS_TEST_TMPDIR/modules/,; s,/etc/dkms/,/nonexistent/,; s,^log=.*,log=/nonexistent," debian/kernel-hook >"$BATS_TEST_TMPDIR/hook"
		mkdir -p "$BATS_TEST_TMPDIR/modules/6.1/build/include"
		ok 'PATH=$BATS_TEST_TMPDIR/bin:$PATH sh "$BATS_TEST_TMPDIR/hook" 6.1; cat "$calls"'
		has "install -m ndm-tcp -v $version -k 6.1"
	done
}

@test "no script asks for a reboot" {
	for deb in "$tools" "$dkms" "$bench"; do ok 'dpkg-deb --ctrl-tarfile "$deb" | tar -xO | grep -a "^[^#]*reboot-required" || true'; is ''; done
}

@test "removed in a chroot, the tools leave /run alone, also where only the mounts tell the chroot from a host" {
	((EUID == 0)) || skip 'a chroot needs root'
	script=$BATS_TEST_TMPDIR/postrm
	dpkg-deb -I "$tools" postrm >"$script"
	ok 'removed_in host "$script" ischroot "exit 1"'; is ''
	ok 'removed_in host "$script" ischroot "exit 2"'; is ''
	ok 'removed_in chroot "$script" ischroot "exit 2"'; is ndm-tcp
	ok 'removed_in chroot "$script" ischroot "exit 0"'; is ndm-tcp
}

# run_scripts DEB "SCRIPT ARG..."...: its maintainer scripts in a /run of their own; prints what they asked systemd to start. With MODULE=1
# the source of the module is there.
run_scripts() {
	local deb=$1 fakes=$BATS_TEST_TMPDIR/fakes program script
	shift
	mkdir -p "$fakes"
	for program in ndmctl systemctl deb-systemd-helper dpkg-maintscript-helper; do printf '#!/bin/sh\n' >"$fakes/$program"; done
	printf '#!/bin/sh\necho "$@" >&9\n' >"$fakes/deb-systemd-invoke"
	for script in preinst postinst; do dpkg-deb -I "$deb" "$script" >"$fakes/$script"; done
	chmod +x "$fakes"/*
	# shellcheck disable=SC2016  # expanded in the namespace
	PATH=$fakes:$PATH unshare -m sh -ec 'exec 9>&1; mount -t tmpfs none /run; mkdir -p /run/systemd/system; mount -t tmpfs none /usr/src
		[ -z "${MODULE:-}" ] || mkdir "/usr/src/ndm-tcp-$version"
		for call; do $call >/dev/null 2>&1; done; find /run -name "*.first" >&9' sh "$@"
}

@test "what an administrator has enabled is started by an installation, also after a removal, and not by an upgrade" {
	((EUID == 0)) || skip 'a /run of its own needs root'
	local metrics='start ndm-tcp-metrics.timer'
	export version
	for was in '' ' 0.0.9-1'; do
		ok "run_scripts $dkms 'preinst install$was' 'postinst configure$was'"; is 'start ndm-tcp.service'
		ok "MODULE=1 run_scripts $tools 'preinst install$was' 'postinst configure$was'"; is "$metrics"
		# Where BPF stands for the module, nobody else starts the unit.
		ok "run_scripts $tools 'preinst install$was' 'postinst configure$was'"; is "$metrics"$'\n''start ndm-tcp.service'
	done
	for deb in "$dkms" "$tools"; do
		ok "run_scripts $deb 'preinst upgrade 0.0.9-1' 'postinst configure 0.0.9-1'"; is ''
	done
	ok "run_scripts $dkms 'postinst abort-remove'"; is 'start ndm-tcp.service'
	ok "MODULE=1 run_scripts $tools 'postinst abort-remove'"; is "$metrics"
	ok "run_scripts $tools 'postinst abort-remove'"; is "$metrics"$'\n''start ndm-tcp.service'
}

# bats test_tags=all
@test "two builds, elsewhere, by another user, with another umask, time zone and locale, give the same bytes" {
	ok 'tests/package/build-again debian/build build/deb deb dsc tar.gz tar.xz'
	has '6 files are the same twice'
}

@test "the manual pages are clean" {
	ok 'mandoc -T lint -W warning man/*'
}

# All files of ndmctl as the one program that they are, in the order in which it reads them.
whole_program() {
	local layer
	sed '/^# Each file begins/,$d' ndmctl/ndmctl
	for layer in core probes checks steps commands; do grep -hvE '^# shellcheck shell|^\t*needs ' "ndmctl/lib/$layer"/*.sh; done
	sed -n '/^main()/,$p' ndmctl/ndmctl
}

@test "every shell script of the project passes shellcheck" {
	git ls-files -z --cached --others --exclude-standard | while IFS= read -r -d '' file; do
		[ -f "$file" ] || continue
		case $file in
		ndmctl/lib/*/*.sh) ;; # parts of one program
		*.sh | *.bash) echo "$file" ;;
		*) head -c 40 "$file" | head -n 1 | grep -qaE '^#!.*\bbash|^#!/bin/sh' && echo "$file" || true ;;
		esac
	done > "$BATS_TEST_TMPDIR/scripts"
	[ "$(wc -l < "$BATS_TEST_TMPDIR/scripts")" -gt 10 ]
	xargs shellcheck -x -S warning < "$BATS_TEST_TMPDIR/scripts"
	shellcheck -e SC2034 -s bash ndmctl/completion/ndmctl
	# As one program, so that a name that is set and never used is found. in_own_shell is meant to lose what it changes.
	whole_program >"$BATS_TEST_TMPDIR/whole"
	[ "$(wc -l <"$BATS_TEST_TMPDIR/whole")" -gt 5000 ]
	shellcheck -e SC2030,SC2031 -s bash "$BATS_TEST_TMPDIR/whole"
}

@test "no file of ndmctl or of its tests is too long, and pyflakes finds nothing in bench" {
	ok 'awk "length > 120 { print FILENAME, FNR }" ndmctl/ndmctl ndmctl/lib/*/*.sh ndmctl/completion/*'; is ''
	ok 'wc -l ndmctl/ndmctl ndmctl/lib/*/*.sh ndmctl/completion/* ndmctl/bench/*.py tests/cli*/*.ba* | sort -rn | awk "\$1 >= 600 && \$2 != \"total\""'; is ''
	/usr/bin/python3 -m pyflakes ndmctl/bench/*.py tests/cli/bench/*.py
}
