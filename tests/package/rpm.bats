#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=ci
# The rpm packages as files: what rpmlint says, that they hold what the Debian packages hold, that their scripts are whole.
# That they install and work is in tests/vm/stories/rpm.bats.

load ../helpers
load own_tests

setup_file() {
	.ci/need bats rpm rpmlint shellcheck cpio kmod
	rpm/build . build/rpm > "$BATS_FILE_TMPDIR/log"
	debian/build . build/deb >> "$BATS_FILE_TMPDIR/log"
	for package in ndm-tcp ndm-tcp-dkms ndm-tcp-bench; do
		mkdir -p "$BATS_FILE_TMPDIR"/{rpm,deb}/$package
		rpm2cpio build/rpm/$package-[0-9]*.noarch.rpm | (cd "$BATS_FILE_TMPDIR/rpm/$package" && cpio -id --quiet)
		dpkg-deb -x build/deb/${package}_*.deb "$BATS_FILE_TMPDIR/deb/$package"
	done
}

setup() {
	version=$(.ci/version)
	rpm_version=$(.ci/version package) # the packages of both kinds have the same revision
	tools=build/rpm/ndm-tcp-$rpm_version.noarch.rpm
	dkms=build/rpm/ndm-tcp-dkms-$rpm_version.noarch.rpm
	x=$BATS_FILE_TMPDIR
}

# files_below DIR: the files it holds, without what each kind of package has in its own way (on Debian a hook for kernels, and the preset that
# in Fedora is the distribution's), the unit where rpm has it.
files_below() {
	(cd "$1" && find . -type f) | grep -vE '^\./usr/share/(doc|licenses|lintian)/|^\./etc/kernel/|/system-preset/' |
		sed 's,^\./lib/,./usr/lib/,; s,/zsh/vendor-completions/,/zsh/site-functions/,' | sort
}

# script_of RPM NAME: one scriptlet, as a shell script.
script_of() { rpm -qp --qf "#!/bin/sh\n%{$2}\n" "$1"; }

# spec MACRO...: the spec as rpm reads it where these macros are defined.
spec() {
	local macro options=()
	for macro; do options+=(--define "$macro"); done
	rpmspec -P --load rpm/debian.macros "${options[@]}" build/rpm/ndm-tcp.spec
}

@test "rpmlint finds nothing that rpm/*.rpmlintrc does not give a reason for" {
	for spec in rpm/*.spec; do
		name=$(basename "$spec" .spec)
		ok 'rpmlint -r "rpm/$name.rpmlintrc" $(rpms_of "$name") "build/rpm/$name.spec"'
		has ' 0 errors, 0 warnings'
	done
}

# rpms_of SPEC: the packages that were built from it.
rpms_of() {
	local rpm
	for rpm in build/rpm/*.rpm; do
		[[ $(rpm -qp --qf '%{SOURCERPM}' "$rpm") == "$1-$version-"* || $rpm == "build/rpm/$1-$rpm_version.src.rpm" ]] && echo "$rpm"
	done
}

@test "the version is that of the tree, the changelog that of debian/changelog" {
	[ -e "$tools" ] && [ -e "$dkms" ] && [ -e "build/rpm/ndm-tcp-$rpm_version.src.rpm" ]
	run rpm -qp --changelog "$tools"
	echo "$output"
	[[ ${lines[0]} == *"- $rpm_version" ]]
	[ "$(grep -c '^- ' <<< "$output")" -eq "$(grep -c '^  \* ' debian/changelog)" ]
	[[ $output == *"$(sed -n 's/^  \* //p' debian/changelog | head -n 1)"* ]]
	run ! grep -rIl '@VERSION@\|#MODULE_VERSION#' "$x/rpm"
}

@test "they hold the files of the Debian packages, no more and no less" {
	for package in ndm-tcp ndm-tcp-dkms ndm-tcp-bench; do
		diff <(files_below "$x/deb/$package") <(files_below "$x/rpm/$package")
		[ "$(files_below "$x/rpm/$package" | wc -l)" -gt 12 ]
	done
	ok 'find "$x/rpm" -name "*preset*"'; is ''
}

@test "where /usr/sbin is a link to bin, as in Fedora from 42 on, they are installed without a conflict" {
	local root=$BATS_TEST_TMPDIR/root
	mkdir -p "$root/usr/bin"
	ln -s bin "$root/usr/sbin"
	ok 'unshare -r rpm -i --force-debian --root "$root" --nodeps --noscripts build/rpm/*.noarch.rpm'
	ok 'unshare -r rpm --root "$root" -V --nodeps ndm-tcp ndm-tcp-dkms ndm-tcp-bench'; is ''
	[ -x "$root/usr/sbin/ndmctl" ]
}

@test "each folder of theirs below /usr/share that no basic package has is their own" {
	local dir
	for dir in $(rpm -qpl "$tools" | grep -E '^/usr/share/(bash-completion|fish|zsh|ndm-tcp)/' | xargs -n 1 dirname | sort -u); do
		while [ "$dir" != /usr/share ]; do
			rpm -qpl "$tools" | grep -qx "$dir" || complain "nobody has $dir"
			dir=${dir%/*}
		done
	done
}

@test "the files have the same bytes and modes, except for package names in the advice of ndmctl" {
	for package in ndm-tcp ndm-tcp-dkms; do
		files_below "$x/rpm/$package" | while IFS= read -r file; do
			theirs=$x/deb/$package/$file
			[ -e "$theirs" ] || theirs=${theirs/site-functions/vendor-completions}
			[ -e "$theirs" ] || theirs=$x/deb/$package/${file#./usr/}
			ours=$x/rpm/$package/$file
			echo "$file"
			[ "$(stat -c %a "$theirs")" = "$(stat -c %a "$ours")" ]
			case $file in
			*/lib/probes/packages.sh) cmp rpm/packages.sh "$ours" ;;
			*/share/ndm-tcp/* | */share/man/*) cmp <(zcat -f "$theirs" | sed -f rpm/dnf.sed) <(zcat -f "$ours") ;;
			*) cmp "$theirs" "$ours" ;;
			esac
		done
	done
}

@test "nothing in them tells an administrator to use apt" {
	find "$x"/rpm/ndm-tcp/usr/{share/ndm-tcp,share/man,bin} -type f -exec zcat -f {} + > "$BATS_TEST_TMPDIR/text"
	run grep -nE '\bapt(-get)? |dpkg|linux-headers|iproute2([^/]|$)' "$BATS_TEST_TMPDIR/text"
	echo "$output"
	[ "$status" -eq 1 ]
	grep -q 'dnf install kernel-devel-' "$x/rpm/ndm-tcp/usr/share/ndm-tcp/lib/probes/packages.sh"
}

@test "the words of dnf are the same functions as those of apt, and a hint that repeats itself leads to another kernel" {
	functions_of() { sed -n 's/^\([a-z_]*\)() {.*/\1/p' "$1" | sort; }
	is_subset=$(comm -23 <(functions_of rpm/packages.sh) <(functions_of ndmctl/lib/probes/packages.sh))
	[ -z "$is_subset" ]
	for name in $(functions_of ndmctl/lib/probes/packages.sh); do
		! grep -qw -- "$name" $(ls ndmctl/lib/*/*.sh | grep -v /packages.sh) || functions_of rpm/packages.sh | grep -qx "$name"
	done
	ok 'needs() { :; }; . rpm/packages.sh; newest_kernel() { REPLY=2; }; has_module_for() { false; }; has_headers() { false; }; headers_command 1; echo "$REPLY"'
	is 'dnf install kernel-devel-1 || dnf upgrade kernel kernel-devel'
	ok 'needs() { :; }; . rpm/packages.sh; newest_kernel() { REPLY=2; }; has_module_for() { true; }; headers_command 1; echo "$REPLY"'
	is 'systemctl reboot'
	mkdir -p "$BATS_TEST_TMPDIR/lib/modules/1/build"    # incomplete
	ok 'needs() { :; }; . rpm/packages.sh; SYSTEM=$BATS_TEST_TMPDIR; build_command() { REPLY="dkms install x"; }; headers_command 1; echo "$REPLY"'
	is 'dnf reinstall kernel-devel-1 && dkms install x'
}

@test "only the configuration is a config file, and is never replaced" {
	[ "$(rpm -qpc "$tools")" = /etc/ndm-tcp/ndm-tcp.conf ]
	[ "$(rpm -qp --qf '[%{FILENAMES} %{FILEFLAGS:fflags}\n]' "$tools" | awk '$2 ~ /n/ { print $1 }')" = /etc/ndm-tcp/ndm-tcp.conf ]
	[ -z "$(rpm -qpc "$dkms")" ]
}

@test "the module's package requires dkms and the tools of its version, and conflicts with other packages of the module" {
	run rpm -qp --requires "$dkms"
	[[ $output == *"ndm-tcp = $rpm_version"* && $output == *$'\ndkms\n'* ]]
	run rpm -qp --conflicts "$dkms"
	[[ $output == *akmod-ndm-tcp* && $output == *kmod-ndm-tcp* ]]
	run rpm -qp --provides "$dkms"
	[[ $output == *"ndm-tcp-kmod = $version"* ]]
}

@test "scriptlets carry no macro, pass shellcheck, and do not fail when every command in them does" {
	count=0
	for rpm in "$tools" "$dkms"; do
		for name in PREIN POSTIN PREUN POSTUN POSTTRANS; do
			[ "$(rpm -qp --qf "%{$name}" "$rpm")" != '(none)' ] || continue
			count=$((count + 1))
			script=$BATS_TEST_TMPDIR/$count-$name
			script_of "$rpm" $name > "$script"
			cat "$script"
			run ! grep -E '^[^#]*%[^s]' "$script"
			shellcheck -S warning "$script"
			for installed in 0 1 2; do
				env -i PATH=/nonexistent /bin/sh "$script" $installed > /dev/null 2>&1
			done
		done
	done
	[ "$count" -eq 6 ]
}

@test "on an upgrade the old version's %preun and %postun touch neither DKMS nor the unit" {
	mkdir "$BATS_TEST_TMPDIR/bin"
	for command in dkms service systemctl rm modprobe; do
		printf '#!/bin/sh\necho "%s $*" >> %s/calls\n' $command "$BATS_TEST_TMPDIR" > "$BATS_TEST_TMPDIR/bin/$command"
	done
	chmod +x "$BATS_TEST_TMPDIR"/bin/*
	calls() { # INSTALLED
		: > "$BATS_TEST_TMPDIR/calls"
		for rpm in "$tools" "$dkms"; do
			for name in PREUN POSTUN; do
				[ "$rpm-$name" != "$dkms-POSTUN" ] || continue # it has none
				script_of "$rpm" $name | sed "s,/usr/lib/ndm-tcp/service,service," | env PATH="$BATS_TEST_TMPDIR/bin:$PATH" sh -s "$1"
			done
		done
		cat "$BATS_TEST_TMPDIR/calls"
	}
	run calls 1
	echo "$output"
	[ "$output" = 'systemctl daemon-reload' ]
	# The other way round, to see that the stand-ins are called.
	run calls 0
	echo "$output"
	[[ $output == *"dkms remove -m ndm-tcp -v $version --all"* && $output == *'service remove'* ]]
	[[ $output == *'systemctl stop ndm-tcp-metrics.timer ndm-tcp-metrics.service ndm-tcp.service'* && $output == *'systemctl reset-failed ndm-tcp-units.service '* ]]
}

@test "what is each distribution's comes from the macros of the rpm that builds, and the spec asks for no distribution" {
	ok 'spec "systemd_post() MACRO-post %*" "systemd_preun() MACRO-preun %*" "systemd_postun() MACRO-postun %*" "_unitdir /elsewhere/units" "dist .fc43"'
	for name in post preun postun; do
		[ "$(grep -c "^MACRO-$name ndm-tcp.service ndm-tcp-metrics.timer$" <<< "$output")" -eq 1 ]
	done
	has $'\n/elsewhere/units/ndm-tcp.service\n' $'\nRelease:\t1.fc43\n' $'\nBuildRequires:\tsystemd-rpm-macros\n'
	lacks 'systemctl --no-reload'
	ok 'grep "^%if" rpm/ndm-tcp.spec || :'; is ''
}

# text_of FILE: what a description says, in one line for each paragraph, whatever the kind of package.
text_of() { sed 's/^ //; s/^\.$//' "$1" | awk -v RS= '{ $1 = $1; print }'; }

@test "descriptions say the same as those of the Debian packages, and name every algorithm" {
	for package in ndm-tcp ndm-tcp-bench ndm-tcp-dkms; do
		dpkg-deb -f build/deb/${package}_*.deb Description >"$BATS_TEST_TMPDIR/deb"
		rpm -qp --qf '%{SUMMARY}\n%{DESCRIPTION}\n' "build/rpm/$package-$rpm_version.noarch.rpm" >"$BATS_TEST_TMPDIR/rpm"
		diff <(text_of "$BATS_TEST_TMPDIR/deb") <(text_of "$BATS_TEST_TMPDIR/rpm")
	done
	for name in ndm, ndm_v1, ndm_v4 ndm_v5; do grep -qw -- "$name" "$BATS_TEST_TMPDIR/rpm"; done
}

@test "every program that the scripts and ndmctl call has its package among the requirements" {
	for package in bash coreutils findutils gawk grep iproute kmod sed util-linux; do rpm -qp --requires "$tools" | grep -qx "$package"; done
}

# bats test_tags=all
@test "a unit test that fails makes the build fail where %check runs" {
	broken_build_fails rpm/build
}

# The same tests as those of cli/, five minutes more.
# bats test_tags=all
@test "the package's own tests pass where %check runs" {
	own_tests_pass rpm/build
}

# What an erase leaves, with the scriptlet's own paths, in a mount namespace where both folders are empty but for this.
@test "an erase removes the drop-ins that ndmctl wrote, at boot and at run time, and no other file; an upgrade keeps them" {
	script_of "$tools" POSTUN >"$BATS_TEST_TMPDIR/postun"
	for installed in 1 0; do
		run unshare -m sh -eu -c 'mount -t tmpfs none /run; mount -t tmpfs none /etc/systemd
			for dir in /run/systemd/system /etc/systemd/system; do
				mkdir -p $dir/web.service.d $dir/own.service.d $dir/same.service.d
				for unit in web own; do echo "# ndmctl: $unit" >$dir/$unit.service.d/50-ndm-tcp.conf; done
				touch $dir/own.service.d/60-own.conf $dir/same.service.d/50-ndm-tcp.conf
			done
			sh "$1" "$2"
			cd / && find run/systemd etc/systemd -name "*.d" -o -name "*.conf" | sort' sh "$BATS_TEST_TMPDIR/postun" $installed
		echo "$output"
		[ "$status" -eq 0 ]
		if [ $installed -eq 1 ]; then [ "${#lines[@]}" -eq 14 ]
		else
			diff - <(echo "$output") <<-END
				etc/systemd/system/own.service.d
				etc/systemd/system/own.service.d/60-own.conf
				etc/systemd/system/same.service.d
				etc/systemd/system/same.service.d/50-ndm-tcp.conf
				run/systemd/system/own.service.d
				run/systemd/system/own.service.d/60-own.conf
				run/systemd/system/same.service.d
				run/systemd/system/same.service.d/50-ndm-tcp.conf
			END
		fi
	done
}

@test "erased in a chroot, the tools leave /run alone, also where only the mounts tell the chroot from a host" {
	((EUID == 0)) || skip 'a chroot needs root'
	script=$BATS_TEST_TMPDIR/postun
	{ echo 'set -- 0'; script_of "$tools" POSTUN; } >"$script"
	ok 'removed_in host "$script" stat "exit 1"'; is ''
	ok 'removed_in chroot "$script" stat "exit 1"'; is ndm-tcp
	ok 'removed_in chroot "$script" stat "echo \$* x x x x x \$2 x"'; is ndm-tcp
}

# Debian has no kmodtool; this does the part of it that a spec sees. That Fedora's agrees is not shown here.
stand_in_kmodtool() { # FILE KERNEL HEADERS
	cat > "$1" <<-END
		#!/bin/sh
		echo '%global kernel_versions $2___$3'
		echo '%global kmodinstdir_prefix /lib/modules'
		echo '%global kmodinstdir_postfix extra/ndm-tcp'
		printf '%s\n' "%package -n kmod-ndm-tcp-$2" "Summary: asked: \$*" "%description -n kmod-ndm-tcp-$2" . \\
			"%files -n kmod-ndm-tcp-$2" /lib/modules/$2/extra/ndm-tcp
	END
	chmod +x "$1"
}

# bats test_tags=all
@test "the source package for akmods alone builds the module for a kernel (with a stand-in for kmodtool)" {
	.ci/need make gcc libc6-dev linux-headers-amd64
	headers=$(printf '%s\n' /usr/src/linux-headers-*-amd64 | sort -V | tail -n 1)
	kernel=${headers#*headers-}
	mkdir "$BATS_TEST_TMPDIR/bin"
	stand_in_kmodtool "$BATS_TEST_TMPDIR/bin/kmodtool" "$kernel" "$headers"
	run env PATH="$BATS_TEST_TMPDIR/bin:$PATH" rpmbuild --rebuild --nodeps --define "_topdir $BATS_TEST_TMPDIR/top" \
		--define "kernels $kernel" "build/rpm/ndm-tcp-kmod-$rpm_version.src.rpm"
	echo "$output"
	[ "$status" -eq 0 ]
	kmod=$(ls "$BATS_TEST_TMPDIR"/top/RPMS/*/kmod-ndm-tcp-"$kernel"-*.rpm)
	[[ $(rpm -qp --qf '%{SUMMARY}' "$kmod") == *"--akmod --for-kernels $kernel"* ]]
	rpm2cpio "$kmod" | (cd "$BATS_TEST_TMPDIR" && cpio -id --quiet)
	[ "$(modinfo -F version "$BATS_TEST_TMPDIR/lib/modules/$kernel/extra/ndm-tcp/tcp_ndm.ko")" = "$version" ]
	[[ $(modinfo -F vermagic "$BATS_TEST_TMPDIR/lib/modules/$kernel/extra/ndm-tcp/tcp_ndm.ko") == "$kernel "* ]]
	# What its packages demand of ours, and that ours exclude them.
	rpm -qp --provides "$tools" | grep -qx "ndm-tcp-kmod-common = $version"
	rpm -qp --conflicts "$dkms" | grep -qx akmod-ndm-tcp
}

# bats test_tags=all
@test "two builds, elsewhere, by another user, with another umask, time zone and locale, give the same bytes" {
	ok 'tests/package/build-again rpm/build build/rpm rpm'
	[[ "$output" =~ ([0-9]+)' files are the same twice'$ ]]
	[ "${BASH_REMATCH[1]}" -ge 4 ]
}

# bats test_tags=all
@test "packages of both kinds are built once for a tree, and anew when it has changed" {
	mkdir "$BATS_TEST_TMPDIR/tree"
	.ci/archive . x | tar -C "$BATS_TEST_TMPDIR/tree" --strip-components=1 -x
	for build in debian/build rpm/build; do
		ok "$build \$BATS_TEST_TMPDIR/tree \$BATS_TEST_TMPDIR/out"; has 'built '
		ok "$build \$BATS_TEST_TMPDIR/tree \$BATS_TEST_TMPDIR/out"; is ''
		echo '# changed' >>"$BATS_TEST_TMPDIR/tree/ndmctl/ndm-tcp.conf"
		ok "$build \$BATS_TEST_TMPDIR/tree \$BATS_TEST_TMPDIR/out"; has 'built '
	done
}
