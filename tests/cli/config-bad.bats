# SPDX-License-Identifier: GPL-2.0
# Files that are wrong: each is named with line, key, value and range; exit 6; nothing is applied.
load helpers
setup() {
	make_root
	load_now
	MAIN=$R/etc/ndm-tcp/ndm-tcp.conf
	put "$R/etc/ndm-tcp/conf.d/10-good.conf" KEEP_CONGESTION=450
}

rejected() { # PART...: by every command that would apply the configuration
	local command
	remember
	for command in 'config validate' load 'service start' 'set-default ndm' 'config set KEEP_NOISE 700' 'config get'; do
		ndmctl $command
		refuses 6 "$@"
	done
	unchanged
}

bad_line() { # LINE PART...
	printf '# first\n%s\n' "$1" >"$MAIN"
	shift
	ndmctl config validate
	refuses 6 "$MAIN:2: " "$@"
}

@test "bad config: one wrong value stops everything" {
	put "$MAIN" KEEP_NOISE=901
	rejected "$MAIN:1: KEEP_NOISE=901: out of range; allowed: 100..900"
	ndmctl unload
	rejected "$MAIN:1: KEEP_NOISE=901: out of range; allowed: 100..900"    # nor is the module loaded
}

@test "bad config: numbers" {
	bad_line KEEP_NOISE=0500 'leading zero' 'allowed: 100..900'
	bad_line KEEP_NOISE=00 'leading zero'
	bad_line KEEP_NOISE=+500 'no sign'
	bad_line KEEP_NOISE=-500 'no sign'
	bad_line KEEP_NOISE=0x1f4 'decimal'
	bad_line KEEP_NOISE=99999999999999999999 'out of range'
	bad_line KEEP_NOISE=18446744073709552116 'out of range'
	bad_line KEEP_NOISE=99 'out of range'
	bad_line KEEP_NOISE=5e2 'not a number'
	bad_line KEEP_NOISE=500.0 'not a number'
	bad_line KEEP_NOISE= 'not a number'
	bad_line 'KEEP_NOISE=""' 'not a number'
	bad_line 'KEEP_NOISE=500 # why' 'not a number'
	bad_line 'KEEP_NOISE=5 00' 'not a number'
	bad_line 'KEEP_NOISE="500' 'not a number'
}

@test "bad config: words" {
	bad_line VARIANT=v2 'no such choice' 'allowed: v1|v4|v5'
	bad_line 'VARIANT=v1|v4' 'no such choice'
	bad_line VARIANT= 'no such choice'
	bad_line VARIANT=V1 'no such choice'
	bad_line DEFAULT= 'empty name' 'allowed: yes|no|NAME'
	bad_line DEFAULT=../x 'only letters'
	bad_line DEFAULT=a234567890123456 'name of 16 characters'
}

@test "bad config: keys" {
	bad_line KEEP_NOSE=500 'unknown key, did you mean KEEP_NOISE?'
	bad_line keep_noise=500 'unknown key, did you mean KEEP_NOISE?'
	bad_line ENTIRELY_WRONG_THING=1 'unknown key'
	bad_line '=5' 'unknown key'
	bad_line 'export VARIANT=v1' 'unknown key'
	bad_line 'VARIANT' 'not KEY=VALUE'
	bad_line '[section]' 'not KEY=VALUE'
	bad_line 'a[0]=1' 'unknown key'
	bad_line '@=1' 'unknown key'
	bad_line '*=1' 'unknown key'
	bad_line "\$(touch $BATS_TEST_TMPDIR/ran)=1" 'unknown key'
	bad_line "x]\`touch $BATS_TEST_TMPDIR/ran\`[=1" 'unknown key'
	bad_line "KEEP_NOISE=a[\$(touch $BATS_TEST_TMPDIR/ran)]" 'not a number'
	[[ ! -e $BATS_TEST_TMPDIR/ran ]]
}

@test "bad config: twice in a file names both lines, twice in two files is how overriding works" {
	put "$MAIN" $'KEEP_NOISE=700\n\nKEEP_NOISE=701'
	rejected "$MAIN:3: KEEP_NOISE=701: second KEEP_NOISE in this file, the first is in line 1"
}

@test "bad config: control characters" {
	bad_line $'KEEP_NOISE=5\e[31m00' 'control or non-ASCII'
	[[ $stderr != *$'\e'* ]] || fail 'escape sequence printed'
	bad_line $'KEEP\001NOISE=500' 'control or non-ASCII'
	bad_line $'KEEP_NOISE=5\r00' 'control or non-ASCII'
	bad_line $'# an old editor\rKEEP_NOISE=500' 'carriage return'
	bad_line 'KEEP_NOISE=５００' 'control or non-ASCII'
}

@test "bad config: NUL bytes" {
	printf 'VARIANT=v4\nKEEP_NOISE=5\00000\n' >"$MAIN"
	rejected "$MAIN: NUL byte in line 2"
	printf '# only a comment \000\n' >"$MAIN"
	rejected 'NUL byte in line 1'
}

@test "bad config: lines and files without end" {
	printf '#%600s\n' x >"$MAIN"
	rejected "$MAIN:1: line of 601 characters, the most is 512"
	yes '# comment' | head -c 70000 >"$MAIN"
	rejected 'larger than 65536 bytes'
}

@test "bad config: all errors at once" {
	put "$MAIN" $'A=1\nKEEP_NOISE=1\nVARIANT=x'
	put "$R/etc/ndm-tcp/conf.d/20-b.conf" 'B'
	rejected "$MAIN:1:" "$MAIN:2:" "$MAIN:3:" '20-b.conf:1:'
}

@test "bad config: a directory, a device, a fifo or a dangling link in its place" {
	mkdir "$MAIN"
	rejected "$MAIN: is a directory, not a file"
	rmdir "$MAIN"
	mkfifo "$MAIN"
	rejected "$MAIN: not a regular file"
	rm "$MAIN"
	ln -s /dev/zero "$MAIN"
	rejected "$MAIN: not a regular file"
	rm "$MAIN"
	ln -s /nowhere/at/all "$MAIN"
	rejected "$MAIN: is a link to nothing"
	rm "$MAIN"
	mkdir "$R/etc/ndm-tcp/conf.d/30-dir.conf"
	rejected '30-dir.conf: is a directory, not a file'
}

@test "bad config: a file or a dangling link where a directory should be" {
	rm -r "${R:?}/etc/ndm-tcp/conf.d"
	put "$R/etc/ndm-tcp/conf.d" x
	rejected 'conf.d: not a directory'
	rm "$R/etc/ndm-tcp/conf.d"
	ln -s /not/mounted "$R/etc/ndm-tcp/conf.d"
	rejected 'conf.d: not a directory, but a link to nothing'
	rm -r "${R:?}/etc/ndm-tcp"
	ln -s /not/mounted "$R/etc/ndm-tcp"
	rejected 'etc/ndm-tcp: not a directory, but a link to nothing'
	ndmctl doctor
	exits 1
	ndmctl config set KEEP_NOISE 400
	refuses 6 'etc/ndm-tcp: not a directory'
}

@test "bad config: an unreadable file or directory" {
	copy_for_root "$NDMCTL" # whose libraries this user can read, wherever the tree is
	put "$MAIN" VARIANT=v4
	chmod 0 "$MAIN"
	chmod a+rx "$R" "$R/etc" "$R/etc/ndm-tcp" "$R/etc/ndm-tcp/conf.d"
	as_nobody "$ON_R" config validate
	refuses 6 "$MAIN: cannot be read: permission denied"
	chmod 644 "$MAIN"
	chmod 0 "$R/etc/ndm-tcp/conf.d"
	as_nobody "$ON_R" config validate
	chmod 755 "$R/etc/ndm-tcp/conf.d"
	refuses 6 'conf.d: cannot be read: permission denied'
	chmod 0 "$R/etc/ndm-tcp"
	as_nobody "$ON_R" config validate
	chmod 755 "$R/etc/ndm-tcp"
	refuses 6 'etc/ndm-tcp: cannot be read: permission denied'
}

@test "bad config: a link to where the sandbox of the unit has no files is an error by hand, too" {
	put "$R/root/site.conf" KEEP_NOISE=700
	put "$R/srv/site.conf" KEEP_NOISE=701
	ln -s "$R/root/site.conf" "$R/etc/ndm-tcp/conf.d/30-site.conf"
	ndmctl config validate
	refuses 6 'conf.d/30-site.conf: leads to /root/site.conf, where ndm-tcp.service cannot read it'
	ndmctl doctor
	says 'fail  config'
	ln -sf "$R/srv/site.conf" "$R/etc/ndm-tcp/conf.d/30-site.conf"
	ndmctl config get KEEP_NOISE
	equals "$output" 701
}

@test "bad config: garbage in the drop-in itself stops config set, a bad value of the same key does not" {
	put "$R/$DROP_IN" 'KEEP_NOISE=9999'
	ndmctl config set KEEP_NOISE 700
	exits 0
	holds "$DROP_IN" KEEP_NOISE=700
	printf 'KEEP_NOISE=5\000\n' >"$R/$DROP_IN"
	ndmctl config set KEEP_NOISE 700
	refuses 6 'NUL byte'
	ln -sf nowhere "$R/$DROP_IN"
	ndmctl config set KEEP_NOISE 700
	refuses 6 '50-ndmctl.conf: is a link to nothing'
}

@test "bad config: standard input may be a socket, as that of ssh, and is judged; a closed one or a directory is refused" {
	link_answers
	local line
	for line in VARIANT=v4:0 VARIANT=v9:6; do
		run --separate-stderr python3 -c '
import socket, subprocess, sys
ours, theirs = socket.socketpair()
ours.sendall(sys.argv[2].encode())
ours.close()
sys.exit(subprocess.run([sys.argv[1], "config", "validate", "-"], stdin=theirs).returncode)' "$ON_R" "${line%:*}"
		exits "${line#*:}"
	done
	ndmctl config validate - </etc
	refuses 1 'standard input is closed, or a directory'
	run --separate-stderr timeout 60 bash -c 'exec "$0" config validate - <&-' "$ON_R"    # run would give it another
	refuses 1 'standard input is closed, or a directory'
}

@test "bad config: a file that cannot be opened after all is an error, not an empty file" {
	put "$R/etc/ndm-tcp/ndm-tcp.conf" KEEP_NOISE=700
	patch_copy <<<'eval "real_$(declare -f file_problem)"; file_problem() { ! real_file_problem "$1" || return 0; rm -f -- "$1"; return 1; }'
	ndmctl config validate
	refuses 6 "$R/etc/ndm-tcp/ndm-tcp.conf: cannot be read"
}

@test "bad config: a file of the allowed size, full of unknown keys, is judged within the time a service has" {
	local i said
	for ((i = 0; i < 1500; i++)); do printf 'abcdefghijklmnopqrstuvwxyzabcdefghijklmn=1\n'; done >"$R/etc/ndm-tcp/conf.d/90-x.conf"
	# counted, not timed: the comparing of words is what takes long
	patch_copy <<-END
		eval "real_\$(declare -f nearest)"
		nearest() { echo x >>"$R/compared"; real_nearest "\$@"; }
	END
	ndmctl config validate
	refuses 6 'unknown key' 'and 1480 more'
	equals "$(wc -l <"$R/compared")" 20
	printf 'KEEP_NOSE=1\n' >"$R/etc/ndm-tcp/conf.d/90-x.conf"
	ndmctl config validate
	refuses 6 'did you mean KEEP_NOISE?'
}
