# SPDX-License-Identifier: GPL-2.0
# What root does where directories, links and pins are another user's.
load helpers

setup() {
	make_root
	load_now
	OUTSIDE=$BATS_TEST_TMPDIR/outside
	mkdir -p "$OUTSIDE/ndm-tcp/conf.d"
}

@test "files: config set keeps the owner and the group" {
	put "$R/$DROP_IN" KEEP_NOISE=600
	chown 12:34 "$R/$DROP_IN"
	ndmctl config set KEEP_NOISE 700
	exits 0
	equals "$(stat -c '%u:%g' "$R/$DROP_IN")" 12:34
}

@test "files: a configuration below a directory of another user is not written to" {
	local theirs=$BATS_TEST_TMPDIR/theirs
	put "$theirs/mine.conf" VARIANT=v1
	put "$theirs/victim" secret
	chown 65534:65534 "$theirs" "$theirs/mine.conf"
	chmod 600 "$theirs/victim"
	ln -s "$theirs/mine.conf" "$R/$DROP_IN"
	fake cp <<-END
		ln -sf "$theirs/victim" "\$(ls -d "$theirs"/.*.new)"
		exec "$(type -P cp)" "\$@"
	END
	ndmctl config set VARIANT v4
	equals "$(stat -c '%U %a' "$theirs/victim")" 'root 600'
	refuses 1 "the directory $theirs belongs to the user 65534"
	holds "$DROP_IN" VARIANT=v1
	parameter_is variant v1
}

# The directory belongs to somebody else, who changes it while root works on it: here, at the moment before PROGRAM runs.
swap_before() { # PROGRAM
	fake "$1" <<-END
		new=\$(ls -d "$R"/etc/ndm-tcp/conf.d/.*.new 2>/dev/null) && [[ ! -L \$new ]] && ln -sf "$OUTSIDE/victim" "\$new"
		exec "$(type -P "$1")" "\$@"
	END
}

@test "files: who owns the directory cannot have the owner or mode of a file elsewhere changed" {
	local checked
	put "$OUTSIDE/victim" secret
	chmod 600 "$OUTSIDE/victim"
	for checked in yes ''; do # the file is held by its descriptor, also without the refusal of such directories
		[[ $checked ]] || patch_copy <<<'refuse_dirs_of_others() { :; }'
		put "$R/$DROP_IN" VARIANT=v1
		chown -R 65534:65534 "$R/etc/ndm-tcp"
		swap_before cp
		ndmctl config set VARIANT v4
		equals "$(stat -c '%U %a' "$OUTSIDE/victim")" 'root 600'
		rm -rf "${R:?}/$DROP_IN" "$R/fixture/cp" "$R"/etc/ndm-tcp/conf.d/.??*
		swap_before chmod
		ndmctl config set VARIANT v4
		equals "$(stat -c '%U %a' "$OUTSIDE/victim")" 'root 600'
		rm -f "$R/fixture/chmod" "$R"/etc/ndm-tcp/conf.d/.??*
	done
}

@test "files: a directory that others may change is refused, anywhere on the way; a sticky one is not" {
	local dir
	for dir in "$R" "$R/etc" "$R/etc/ndm-tcp" "$R/etc/ndm-tcp/conf.d"; do
		chown 65534 "$dir"
		ndmctl config set VARIANT v4
		refuses 1 "the directory $dir belongs to the user 65534" "chown root:root '$dir'" 'setpriv --reuid=65534'
		chown 0:12 "$dir"
		chmod 775 "$dir"
		ndmctl config set VARIANT v4
		refuses 1 "the directory $dir can be written to by others" "chmod go-w '$dir'"
		chmod 1777 "$dir"
		ndmctl config set VARIANT v4
		exits 0
		rm "${R:?}/$DROP_IN"
		chmod 755 "$dir"
	done
}

@test "files: who moves his directory away while it is looked at, or makes a link of it, does not get through" {
	local public=$BATS_TEST_TMPDIR/public program target
	mkdir -m 1777 "$public"
	mkdir -p "$public/theirs/conf.d"
	chown 65534 "$public/theirs"
	rm -rf "$R/etc/ndm-tcp/conf.d"
	ln -s "$public/theirs/conf.d" "$R/etc/ndm-tcp/conf.d"
	for program in stat readlink; do
		fake "$program" <<-END
			mv "$public/theirs" "$public/away"
			answer=\$("$(type -P "$program")" "\$@")
			rc=\$?
			mv "$public/away" "$public/theirs"
			if [[ \$answer ]]; then printf '%s\\n' "\$answer"; fi
			exit \$rc
		END
		ndmctl config set VARIANT v4
		refuses 1 'hint:'
		equals "$(find "$public" -type f)" ''
		rm "$R/fixture/$program"
	done
	# In a directory of his own or in everybody's.
	for target in / "$OUTSIDE"; do
		rm -rf "$public/theirs/conf.d"
		ln -sfn "$target" "$public/theirs/conf.d"
		ndmctl config set VARIANT v4
		refuses 1 "the directory $public/theirs belongs to the user 65534"
		ln -sfn "$target" "$public/link"
		chown -h 65534 "$public/link"
		ln -sfn "$public/link" "$R/etc/ndm-tcp/conf.d"
		ndmctl config set VARIANT v4
		refuses 1 'a link leads to another directory, and others than root may have made it'
		ln -sfn "$public/theirs/conf.d" "$R/etc/ndm-tcp/conf.d"
	done
	equals "$(find "$OUTSIDE" -type f)" ''
}

@test "cgroup: pins that another user made are not used" {
	add_cgroups
	load_now
	mkdir "$R/sys/fs/bpf/ndm"
	chown 65534 "$R/sys/fs/bpf/ndm" # as anybody can in a BPF file system of the mode 1777
	ndmctl cgroup set /system.slice ndm
	refuses 1 "$R/sys/fs/bpf/ndm belongs to another user" "chmod 700 $R/sys/fs/bpf"
	attached_is
	rmdir "$R/sys/fs/bpf/ndm"
	mkdir "$R/theirs"
	ln -s "$R/theirs" "$R/sys/fs/bpf/ndm"
	ndmctl cgroup set /system.slice ndm
	refuses 1 'belongs to another user'
	rm "$R/sys/fs/bpf/ndm"
	fake mkdir <<<"$(type -P mkdir) \"\$@\"; [[ \$* != */sys/fs/bpf/ndm* ]] || chown 65534 '$R/sys/fs/bpf/ndm'"    # made just before
	ndmctl cgroup set /system.slice ndm
	refuses 1 'belongs to another user'
	attached_is
}

@test "cgroup: a link that another user has put in the place of the pins is not followed to remove something" {
	local command victim=$BATS_TEST_TMPDIR/victim
	add_cgroups /a.slice
	mkdir -p "$victim"/{cc,new,old,count}/ours
	ln -s "$victim" "$R/sys/fs/bpf/ndm"
	chown -h 65534 "$R/sys/fs/bpf/ndm"
	for command in 'service stop' 'service remove' 'config set METRICS no' 'config set METRICS yes' 'cgroup set /a.slice ndm'; do
		ndmctl $command
		equals "$(find "$victim" -name ours | wc -l)" 4
	done
}

@test "doctor: --report goes where it was told to, whoever owns the directories" {
	load_now
	mkdir -p "$R/theirs/in" "$R/victim"
	chown 1000 "$R/theirs"
	ndmctl doctor --report "$R/theirs/in/report"
	exits 0
	mv "$R/theirs/in" "$R/theirs/away"
	ln -s "$R/victim" "$R/theirs/in"
	ndmctl doctor --report "$R/theirs/in/report"
	refuses 1 'a link leads to another directory'
	equals "$(ls -A "$R/victim")" ''
}

@test "metrics: --output goes where it was told to, whoever owns the directories" {
	local dir=$R/theirs/node-exporter
	mkdir -p "$dir" "$R/victim" "$R/mine"
	chown 1000 "$R/theirs"
	ndmctl metrics -o "$dir/ndm.prom"
	exits 0
	grep -q ndm_tcp_loaded "$dir/ndm.prom"
	ln -sf /etc/shadow "$dir/ndm.prom"
	(cd "$R/theirs" && "$ON_R" metrics -o node-exporter/ndm.prom)
	equals "$(stat -c '%U %a %F' "$dir/ndm.prom")" 'root 644 regular file'
	mv "$dir" "$dir.away"
	ln -s "$R/victim" "$dir"
	ndmctl metrics -o "$dir/ndm.prom"
	refuses 1 'a link leads to another directory, and others than root may have made it'
	equals "$(ls -A "$R/victim")" ''
	# A name is no code, whatever lines it has.
	ln -s "$R/victim" "$R/theirs/x"$'\n''PATH[$(id>$HOME${PATH:0:1}pwn)] 0 755 q'
	HOME=$R ndmctl metrics -o "$R/theirs/x"$'\n''PATH[$(id>$HOME${PATH:0:1}pwn)] 0 755 q/ndm.prom'
	refuses 1 'a link leads to another directory'
	if [[ -e $R/pwn ]]; then fail "it ran: $(<"$R/pwn")"; fi
	equals "$(ls -A "$R/victim")" ''
	# Nor a link of root's below it: where all above may be exchanged, nobody knows whose it is.
	mkdir "$R/theirs/sub"
	ln -s "$R/victim" "$R/theirs/sub/link"
	ndmctl metrics -o "$R/theirs/sub/link/ndm.prom"
	refuses 1 'a link leads to another directory'
	# By way of a link of root's own, too.
	ln -s "$dir" "$R/mine/more"
	ndmctl metrics -o "$R/mine/more/ndm.prom"
	refuses 1 'a link leads to another directory'
	equals "$(ls -A "$R/victim")" ''
}

@test "metrics: --output below the root of another mount namespace is refused" {
	local pid
	unshare -m sleep 60 3>&- & pid=$!
	ndmctl metrics --output "/proc/$pid/root$BATS_TEST_TMPDIR/x.prom"
	kill "$pid"
	refuses 1 'a link of /proc leads where no path does'
	if [[ -e $BATS_TEST_TMPDIR/x.prom ]]; then fail 'it was written'; fi
}
