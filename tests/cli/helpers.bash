# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2154  # names for the tests; status and output are set by bats
# helpers.bash: a made-up system in the test's own directory, and few words to say what must hold.
#
# R        the made-up system: etc, proc, sys, run; the programs that ndmctl finds there are those in R/fixture
# ON_R     a copy of ndmctl for it: the same libraries, with R in place of / and these programs in place of the host's

bats_require_minimum_version 1.5.0
CLI=$(cd "${BASH_SOURCE[0]%/*}" && pwd)
((EUID)) || [[ $BATS_TEST_DIRNAME != "$CLI" ]] || { echo 'these tests are an ordinary user'"'"'s: tests/as-ordinary-user bats tests/cli' >&2; exit 1; }
NDMCTL=$CLI/../../ndmctl/ndmctl
DROP_IN=etc/ndm-tcp/conf.d/50-ndmctl.conf

put() { # PATH TEXT
	mkdir -p "${1%/*}"
	printf '%s\n' "$2" >"$1"
}

# A system that has the module on disk, not loaded, with Cubic as the default: a copy of one that is made once.
make_root() {
	once root
	R=$BATS_TEST_TMPDIR/root
	rm -rf "${R:?}"
	cp -a "$BATS_RUN_TMPDIR/root" "$R"
	copy_for_root "$NDMCTL"
}

once() { # NAME: make_first_NAME makes a directory for all tests, of which two may run at once
	local R=$BATS_RUN_TMPDIR/$1.$BASHPID
	if [[ -d $BATS_RUN_TMPDIR/$1 ]]; then return 0; fi
	"make_first_$1"
	mv -T "$R" "$BATS_RUN_TMPDIR/$1" 2>/dev/null || rm -r "$R"
}

make_first_root() {
	mkdir -p "$R"/{run,boot,sys/module,etc/ndm-tcp/conf.d,lib/modules/6.12.0-test/build/include/generated/autoconf.h,fixture}
	put "$R/proc/modules" ''
	put "$R/proc/self/mountinfo" '29 1 0:25 / / rw - ext4 /dev/vda rw'    # which a chroot does not have
	put "$R/proc/sys/kernel/osrelease" 6.12.0-test
	put "$R/proc/sys/net/ipv4/tcp_congestion_control" cubic
	put "$R/proc/sys/net/ipv4/tcp_available_congestion_control" 'reno cubic'
	cp "$CLI/fixtures/modprobe" "$CLI/fixtures/modinfo" "$R/fixture/"
	put "$R/fixture/version" 0.1.0
	put "$R/fixture/dkms.txt" 'ndm-tcp/0.1.0, 6.12.0-test, x86_64: installed'
	make_loaded "$R/fixture/loaded"
}

# Three lines of the program differ: where a system begins, where programs are, and who asks: root, for its files are the tester's, who is
# an ordinary user. Nothing of this can be asked for from outside.
copy_for_root() { # NDMCTL: sets ON_R
	local copy=$BATS_TEST_TMPDIR/on-r/ndmctl here=${1%/*}
	ON_R=$copy/ndmctl TOOLS=$BATS_RUN_TMPDIR/tools
	once tools
	mkdir -p "$copy"
	ln -sfn "$here/lib" "$copy/lib"
	ln -sfn ndmctl "$copy/service"
	ON_SERVICE=$copy/service
	ln -sfn "$CLI/../../debian" "$CLI/../../build" "${copy%/*}"
	sed -e "s|^SYSTEM=''|SYSTEM=${R@Q}|; s|^PATH=[^ ]*|PATH=${R@Q}/fixture:$TOOLS|; s|^USER_ID=[^ ]*|USER_ID=\${ASKS_AS:-0}|" \
		"$1" >"$ON_R"
	chmod +x "$ON_R"
}

make_first_tools() { # what every Debian system has
	local tool
	mkdir "$R"
	for tool in awk bash cat chmod chown cp cut date dd diff dirname env find flock grep head id kill ln ls mkdir mktemp mv od printf readlink rm rmdir sha256sum \
		sed sh sleep sort stat sync tail tee timeout touch tr true uname uniq wc xargs; do
		ln -s "$(type -P "$tool")" "$R/$tool"
	done
}

# For each fixture/NAME.txt a program NAME that prints it.
link_answers() {
	local file
	for file in "$R"/fixture/*.txt; do
		if [[ -e $file && ! -e ${file%.txt} ]]; then ln -s "$CLI/fixtures/answer" "${file%.txt}"; fi
	done
	for file in "$R"/fixture/*; do
		if [[ -L $file && ! -e $file.txt ]]; then rm "$file"; fi
	done
}

make_loaded() { # DIR: what appears when the module is loaded
	local key range value meaning
	put "$1/sys/module/tcp_ndm/version" 0.1.0
	put "$1/sys/module/tcp_ndm/refcnt" 0
	mkdir -p "$1/proc/net" "$1/sys/module/tcp_ndm/parameters"
	awk -F '"' -v given='sockets_ndm 2 sockets_ndm_v4 1 acks 123456 updates 100 reductions 15 undos 2 slow_start_exits 5 loss_nodata 4 loss_congestion 1' \
		-v more='loss_noise 12 loss_queue 1 loss_own 1 rtos 1 entropy_2 5 entropy_6 20 entropy_7 25 entropy_9 50 queue_own 3 queue_others 1' '
		BEGIN {
			print "schema 1\nversion 0.1.0\nvariant v1"
			for (i = split(given " " more, word, " "); i > 1; i -= 2) value[word[i - 1]] = word[i]
		}
		/^NDM_COUNTER/ { print $2, value[$2] + 0 }' "$CLI/../../src/module/counters.h" >"$1/proc/net/tcp_ndm"
	while IFS=$'\t' read -r _ key range value meaning; do
		[[ $key == @(DEFAULT|METRICS|BACKEND) ]] || put "$1/sys/module/tcp_ndm/parameters/${key,,}" "$value"
	done < <("$NDMCTL" help --plain | grep ^key)
}

add_kernel() { # RELEASE: one that can be booted
	put "$R/boot/vmlinuz-$1" image
	put "$R/lib/modules/$1/modules.builtin" ''
}

in_container() { # of the made-up system, from now on
	mkdir -p "$R/proc/self/ns"
	ln -sf 'pid:[4026531836]' "$R/proc/self/ns/pid"
	ln -sf 'cgroup:[4026532999]' "$R/proc/self/ns/cgroup"
}

load_now() { "$R/fixture/modprobe" tcp_ndm; }

add_sockets() {
	cp "$CLI/fixtures/ss" "$CLI/fixtures/ss.txt" "$R/fixture/"
	put "$R/proc/812/comm" sshd
	put "$R/proc/900/comm" nginx
	put "$R/proc/901/comm" nginx
	put "$R/proc/77/comm" 'Web Content) x'
}

# A system with something for every command to show: module, units, sockets, a network namespace beside this one, routes.
make_full_root() { # DEFAULT of that network namespace, of process 90
	make_root
	load_now
	add_systemd
	add_sockets
	add_netns host cubic self
	add_netns web "$1" 90 nginx
	cp "$CLI/fixtures/ip" "$R/fixture/"
	: >"$R/fixture/routes6"
}

make_loaded_root() { # with a file of ndmctl's
	make_root
	load_now
	put "$R/$DROP_IN" KEEP_NOISE=600
	remember
}

make_changeable_root() { # a full one with all that changes may touch, and without ss: slow, and no part of them
	make_full_root cubic
	name_netns web blue
	put "$R/fixture/routes4" 'main 0 unicast 192.0.2.0/24 via 192.0.2.1 dev eth0 proto static scope global'
	put "$R/$DROP_IN" KEEP_NOISE=600
	rm "$R/fixture/ss"
}

add_netns() { # NAME-OF-FILE DEFAULT [PID COMMAND]: a network namespace, with a process in it; PID self is ndmctl's own
	cp "$CLI/fixtures/nsenter" "$R/fixture/"
	[[ -e $R/netns/$1 ]] || put "$R/netns/$1" "$2"
	[[ ${3-} ]] || return 0
	mkdir -p "$R/proc/$3/ns"
	ln -sf "$R/netns/$1" "$R/proc/$3/ns/net"
	put "$R/proc/$3/comm" "${4-}"
}

name_netns() { # NAME-OF-FILE NAME: as "ip netns add" does
	mkdir -p "$R/run/netns"
	ln -sf "$R/netns/$1" "$R/run/netns/$2"
}

netns_number() { stat -c %i "$R/netns/$1"; }

ndmctl() { # ARG...: on the made-up system; output in $output, $stderr, $status. In a list of commands, service is that program
	[[ ${1-} != service ]] || { "$@"; return; }
	link_answers
	run --separate-stderr "$ON_R" "$@"
}

service() { # ARG...: as the units of ndm-tcp call it
	link_answers
	run --separate-stderr "$ON_SERVICE" "$@"
}

patiently() { # COMMAND...: until it succeeds, for half a minute
	local tries
	for ((tries = 0; tries < 600; tries++)); do
		! "$@" || return 0
		sleep 0.05
	done
	fail "never: $*"
}

exits() { # CODE
	[[ $status == "$1" ]] || fail "exit code $status instead of $1"
}

fail() {
	printf '%s\nstdout: %s\nstderr: %s\n' "$1" "${output-}" "${stderr-}" | cat -v >&2
	return 1
}

equals() { # TEXT EXPECTED
	[[ $1 == "$2" ]] || fail "is '$1' instead of '$2'"
}

says() { # PART... of standard output
	local part
	for part; do [[ $output == *"$part"* ]] || fail "standard output lacks '$part'"; done
}

complains() { # PART... of standard error
	local part
	for part; do [[ $stderr == *"$part"* ]] || fail "standard error lacks '$part'"; done
}

refuses() { # CODE PART...: cause line, hint line, nothing on standard output, but for the same as JSON
	exits "$1"
	[[ $output == '{"schema":1,"command":"'*'"error":"'*"\"exit\":$1}" ]] || equals "$output" ''
	[[ $'\n'$stderr == *$'\n'ndmctl:* ]] || fail 'no line of cause'
	[[ $stderr == *$'\n'hint:* ]] || fail 'no hint'
	complains "${@:2}"
}

holds() { # PATH below the root, EXPECTED content
	equals "$(cat "$R/$1" 2>&1)" "$2"
}

absent() { # PATH below the root
	if [[ -e $R/$1 ]]; then fail "$1 exists"; fi
}

default_is() { holds proc/sys/net/ipv4/tcp_congestion_control "$1"; }

parameter_is() { holds "sys/module/tcp_ndm/parameters/$1" "$2"; }

json_is() { # FILTER EXPECTED
	equals "$(jq -r "$1" <<<"$output")" "$2"
}

snapshot() { # of everything that ndmctl may change: files, sysctls, the module, pins, what is attached, routes
	(cd "$R" && {
		find sys/fs/bpf -type d | sort
		find etc run netns proc/sys sys/module sys/fs/bpf fixture/attached fixture/routes? -type f ! -name lock ! -name commands.log -exec sha256sum {} + | sort -k2
	} 2>/dev/null)
}

remember() { BEFORE=$(snapshot); }

unchanged() { equals "$(snapshot)" "$BEFORE"; }

on_terminal() { # COMMAND...: on one of its own
	run python3 -c 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))' "$@"
	exits 0
}

# As a user without rights; so is who runs these tests, but for the copy of ndmctl that belongs to the made-up system.
as_nobody() { ASKS_AS=65534 run --separate-stderr "$@"; }

fake() { # PROGRAM, its script on standard input: found before the real one
	{ printf '#!/bin/bash\n'; cat; } >"$R/fixture/$1"
	chmod +x "$R/fixture/$1"
}

wrap() { # PROGRAM: what stands on standard input runs in its place, and calls the program itself as real
	[[ -e $R/fixture/$1.real ]] || mv "$R/fixture/$1" "$R/fixture/$1.real"
	fake "$1" < <(printf 'real() { bash "${0%%/*}/%s.real" "$@"; }\n' "$1"; cat)
}

# Changes the copy of ndmctl for the made-up system: what stands on standard input is read last.
patch_copy() {
	rm -rf "$BATS_TEST_TMPDIR/patched"
	cp -rL "$CLI/../../ndmctl" "$BATS_TEST_TMPDIR/patched"
	cat >"$BATS_TEST_TMPDIR/patched/lib/patch.sh"
	# shellcheck disable=SC2016  # not to be expanded here
	sed -i 's/^\tneeds "commands\/$VERB"$/&; needs patch/' "$BATS_TEST_TMPDIR/patched/ndmctl"
	copy_for_root "$BATS_TEST_TMPDIR/patched/ndmctl"
}

# A cgroup2 hierarchy, bpffs and a bpftool, for the policies.
add_cgroups() { # [PATH...] below the root
	local path
	G=$R/sys/fs/cgroup
	mkdir -p "$R/sys/fs/bpf" "$R/proc/self/ns" "$R/run/systemd/system"
	put "$R/proc/self/mountinfo" $'29 1 0:25 / / rw - ext4 /dev/vda rw\n30 1 0:26 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n31 1 0:27 / /sys/fs/bpf rw - bpf bpf rw'
	for path in '' /system.slice "$@"; do put "$G$path/cgroup.procs" ''; done
	cp "$CLI/fixtures/bpftool" "$R/fixture/"
	: >"$R/fixture/attached"
}

attached() { # what the fixture's bpftool has attached, lines NAME PATH; ? of a program without a pin
	local number dir pin
	while read -r number dir; do
		pin=$(grep -lx "$number" "$R"/sys/fs/bpf/ndm/cc/*/prog 2>/dev/null) || pin='?/prog'
		pin=${pin%/prog}
		printf '%s %s\n' "${pin##*/}" "${dir#"$G"}"
	done <"$R/fixture/attached" | sort
}

attached_is() { # "NAME PATH"...: of policies
	equals "$(attached | sed '/^?/d')" "$( (($# == 0)) || printf '%s\n' "$@" | sort)"
}

list_is() { # cgroup|unit|route TEXT, as --plain
	ndmctl "$1" list --plain
	exits 0
	equals "$output" "$2"
}

# Where the drop-ins of units are.
# shellcheck disable=SC2034  # tests read them
PERSISTENT=etc/systemd/system RUNTIME=run/systemd/system FILE=50-ndm-tcp.conf

# Nothing but BPF can carry the algorithms: there is no module, and all that BPF needs is there.
without_module() {
	add_cgroups
	put "$R/sys/kernel/btf/vmlinux" ''
	put "$R/boot/config-6.12.0-test" CONFIG_HZ=250
	rm -f "$R/fixture/version"
	put "$R/fixture/dkms.txt" 'v4l2loopback/0.12.7, 6.12.0-test, x86_64: installed'
	put "$R/fixture/modprobe.err" 'modprobe: FATAL: Module tcp_ndm not found in directory /lib/modules/6.12.0-test'
}

registered_are() { # NAME... beside those of the kernel
	holds proc/sys/net/ipv4/tcp_available_congestion_control "reno cubic${*:+ $*}"
}

add_systemd() { # with the services web and sock, sock.socket, the slice batch
	add_cgroups /system.slice/web.service /system.slice/sock.socket /batch.slice
	cp "$CLI/fixtures/systemctl" "$R/fixture/"
	put "$R/fixture/systemd-version" 252
	add_unit web.service loaded ControlGroup=/system.slice/web.service
	add_unit sock.service loaded TriggeredBy=sock.socket
	add_unit sock.socket loaded ControlGroup=/system.slice/sock.socket
	add_unit batch.slice loaded ControlGroup=/batch.slice
}

add_unit() { # NAME LOADSTATE [PROPERTY...]
	put "$R/fixture/units/$1" "$(printf '%s\n' "Id=$1" "LoadState=$2" "${@:3}")"
}

secure_boot_is() { # 1 or 0, as the firmware's variable has it behind four bytes of attributes
	local variable=$R/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c
	mkdir -p "${variable%/*}"
	printf '\6\0\0\0%b' "\\$1" >"$variable"
}

journal() { # from now on: what ndmctl tells the journal is in fixture/journal
	: >"$R/fixture/journal"
	fake logger <<<'[[ $* == *"-t ndmctl"* ]] && cat >>"${0%/*}/journal"'
}

journal_has() { # PART... of one line
	local part found
	for part; do
		found=$(grep -F -- "$part" "$R/fixture/journal") || fail "the journal lacks $part: $(<"$R/fixture/journal")"
	done
}

# All that an administrator would look at, and what is in /etc.
everything() {
	local question
	for question in 'config get --plain' 'config get --diff' 'cgroup list --plain' 'unit list --plain' 'route list --plain' 'status --netns all --plain'; do
		ndmctl $question
		[[ $stderr != *'line '* ]] || fail "an error of bash by $question"
		printf '%s: %s %s\n' "$question" "$status" "$output"
	done
	(cd "$R" && find etc -type f -exec sha256sum {} + | sort -k 2)
	attached
	ls "$R/sys/module"
	cat "$R/proc/sys/net/ipv4/tcp_congestion_control" "$R/run/ndm-tcp/default" 2>/dev/null
	find "$R/sys/fs/bpf" "$R/run/ndm-tcp" ! -name lock ! -name programs -printf '%P\n' 2>/dev/null | sort
}

put_back() { # TREE: all but cgroups and network namespaces, which are known by their inodes
	local file
	find "$R" -mindepth 1 -maxdepth 1 ! -name sys ! -name netns -exec rm -r {} +
	rm -r "$R/sys/module" "$R/sys/fs/bpf"
	(cd "$1" && cp -a -- ./[!ns]* "$R" && cp -a sys/module "$R/sys" && cp -a sys/fs/bpf "$R/sys/fs")
	for file in "$1"/netns/*; do cat "$file" >"$R/netns/${file##*/}"; done
}
