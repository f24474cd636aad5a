# SPDX-License-Identifier: GPL-2.0
# CGROUP= and UNIT= in the configuration: read strictly, applied by load, removed by stop, compared by config get --diff.
load helpers
setup() {
	make_root
	add_systemd
	MAIN=$R/etc/ndm-tcp/ndm-tcp.conf
	SITE=$R/etc/ndm-tcp/conf.d/20-site.conf
}

@test "policies: load applies them, again changes nothing, stop removes every trace" {
	put "$MAIN" $'CGROUP = "/batch.slice:ndm"\nUNIT=web.service:ndm_v1\nUNIT=sock.service:ndm'
	ndmctl load --json
	exits 0
	json_is .changed true
	attached_is 'ndm /batch.slice' 'ndm_v1 /system.slice/web.service' 'ndm /system.slice/sock.socket'
	ndmctl cgroup list --plain
	equals "$(grep -v unit <<<"$output")" $'/batch.slice\tndm\tconfig\tactive'
	ndmctl unit list --plain
	equals "$(cut -f 1-3 <<<"$output")" $'sock.service\tndm\tconfig\nsock.socket\tndm\tconfig\nweb.service\tndm_v1\tconfig'
	equals "$(find "$R/etc/systemd" "$R/run/systemd" -name 50-ndm-tcp.conf 2>/dev/null | grep -c "^$R/run")" 3
	remember
	ndmctl load --json
	json_is .changed false
	unchanged
	ndmctl config get --diff
	exits 0
	service stop
	exits 0
	attached_is
	equals "$(find "$R/run/systemd" "$R/sys/fs/bpf" "$R/run/ndm-tcp" -type f ! -name lock)" ''
}

@test "policies: UNIT= with an alias is for the unit itself" {
	put "$R/fixture/units/alias.service" "$(cat "$R/fixture/units/web.service")"
	put "$MAIN" UNIT=alias.service:ndm
	ndmctl load
	exits 0
	ndmctl unit list --plain
	equals "$(cut -f 1-3 <<<"$output")" $'web.service\tndm\tconfig'
	attached_is 'ndm /system.slice/web.service'
	ndmctl config get --diff
	exits 0
	ndmctl unit clear alias
	exits 0
	complains 'still has ndm for it'
	list_is unit ''
}

@test "policies: UNIT= does not take the place of what an administrator has set for a running unit" {
	put "$MAIN" UNIT=web.service:ndm
	ndmctl load
	ndmctl unit set web cubic
	attached_is 'cubic /system.slice/web.service'
	ndmctl load
	exits 0
	attached_is 'cubic /system.slice/web.service'
}

@test "policies: without the module, what needs none is applied, and what is missing is named" {
	put "$R/fixture/modprobe.err" "modprobe: ERROR: could not insert 'tcp_ndm': Operation not permitted"
	put "$R/proc/sys/kernel/modules_disabled" 1
	put "$R/sys/kernel/btf/vmlinux" ''
	put "$MAIN" $'DEFAULT=reno\nMETRICS=yes\nCGROUP=/batch.slice:cubic\nCGROUP=/system.slice:ndm\nUNIT=web.service:reno'
	ndmctl load
	refuses 1 'modules_disabled=1' '1 of the configured policies could not be applied' 'not all of the configuration is applied'
	holds proc/sys/net/ipv4/tcp_congestion_control reno
	attached_is 'cubic /batch.slice' 'reno /system.slice/web.service'
	[[ -s $R/run/ndm-tcp/metrics ]] || fail 'nothing is counted'
	ndmctl config get --diff
	exits 1
	complains 'its parameters were not compared'
	equals "$output" 'CGROUP=/system.slice configured ndm             live none'
	printf cubic >"$R/proc/sys/net/ipv4/tcp_congestion_control"
	ndmctl status
	says 'the configuration says reno, the default is cubic    (ndmctl load)'
}

@test "policies: doctor says whose programs another version has loaded" {
	ndmctl cgroup set /batch.slice ndm
	ndmctl cgroup set /system.slice cubic
	ndmctl doctor
	[[ $output != *'another version'* ]] || fail 'none has'
	sed -i '/^ndm /s/[0-9a-f]*$/0123/' "$R/run/ndm-tcp/programs"
	ndmctl doctor
	says 'warn  policies     policies of ndm use programs of another version'
	sed -i '/^ndm /s/ [0-9a-f]*$//' "$R/run/ndm-tcp/programs"    # one that noted no sum
	ndmctl doctor
	says 'warn  policies     policies of ndm use'
	ndmctl cgroup clear /batch.slice
	ndmctl doctor
	[[ $output != *'another version'* ]] || fail 'it is gone'
}

@test "policies: what the configuration no longer names goes, what an administrator set stays" {
	put "$MAIN" $'CGROUP=/batch.slice:ndm\nUNIT=web.service:ndm'
	ndmctl load
	ndmctl cgroup set /system.slice ndm_v4
	ndmctl unit set sock.socket ndm_v4
	put "$MAIN" '# empty'
	ndmctl load
	exits 0
	attached_is 'ndm_v4 /system.slice' 'ndm_v4 /system.slice/sock.socket'
	absent run/systemd/system/web.service.d
	put "$MAIN" $'CGROUP=/system.slice:ndm'
	ndmctl load
	attached_is 'ndm_v4 /system.slice' 'ndm_v4 /system.slice/sock.socket'
	ndmctl config get --diff
	exits 1
	says 'CGROUP=/system.slice configured ndm             live ndm_v4'
	ndmctl cgroup clear /system.slice
	ndmctl load
	attached_is 'ndm /system.slice' 'ndm_v4 /system.slice/sock.socket'
	service stop
	attached_is
	[[ -e $R/etc/systemd/system/sock.socket.d/50-ndm-tcp.conf ]] || fail 'the drop-in of unit set is gone'
	service start
	attached_is 'ndm /system.slice' 'ndm_v4 /system.slice/sock.socket'
}

@test "policies: many that go at once; many units that were restarted meanwhile" {
	local i
	for i in 1 2 3 4 5; do
		put "$G/many$i/cgroup.procs" ''
		put "$G/u$i.service/cgroup.procs" ''
		add_unit "u$i.service" loaded "ControlGroup=/u$i.service"
		printf 'CGROUP=/many%s:ndm\nUNIT=u%s.service:ndm\n' $i $i >>"$MAIN"
	done
	ndmctl load
	exits 0
	equals "$(wc -l <"$R/fixture/attached")" 10
	for i in 1 2 4 5; do rm -r "${G:?}/u$i.service"; sed -i "\\,/u$i.service\$,d" "$R/fixture/attached"; done
	put "$MAIN" $'CGROUP=/many3:ndm\nUNIT=u3.service:ndm'
	ndmctl load
	exits 0
	attached_is 'ndm /many3' 'ndm /u3.service'
	equals "$(cut -f 4 "$R/run/ndm-tcp/cgroups" | sort | paste -sd ' ')" '/many3 /u3.service'
}

@test "policies: a later file decides, no takes away" {
	put "$MAIN" $'CGROUP=/batch.slice:ndm\nCGROUP=/system.slice:ndm\nUNIT=web.service:ndm'
	ndmctl load
	attached_is 'ndm /batch.slice' 'ndm /system.slice' 'ndm /system.slice/web.service'
	put "$SITE" $'CGROUP=/batch.slice:ndm_v4\nCGROUP=/system.slice:no\nUNIT=web.service:no'
	ndmctl config get --diff --plain
	exits 1
	equals "$output" $'CGROUP=/batch.slice\tndm_v4\tndm\nCGROUP=/system.slice\tno\tndm\nUNIT=web.service\tno\tndm'
	ndmctl load
	attached_is 'ndm_v4 /batch.slice'
	absent run/systemd/system/web.service.d
	ndmctl config get --diff
	exits 0
}

@test "policies: each bad line is named with file, line and reason; nothing is applied" {
	local line reason
	while IFS='|' read -r line reason; do
		put "$SITE" "DEFAULT=ndm"$'\n'"$line"
		ndmctl load
		refuses 6 "$SITE:2" "$reason"
		absent sys/module/tcp_ndm
		default_is cubic
		attached_is
	done <<'END'
CGROUP=/batch.slice|no algorithm
CGROUP=batch.slice:ndm|begins with /
CGROUP=/a/../b:ndm|must not leave the tree
CGROUP=/a//b:ndm|empty name
CGROUP=:ndm|begins with /
CGROUP=/a:|empty name
CGROUP=/a:a b|only letters
CGROUP=/a:aaaaaaaaaaaaaaaa|16 characters
UNIT=web:ndm|a unit is named with its type, as web.service
UNIT=web@.service:ndm|template
UNIT=x y.service:ndm|only letters
UNIT=system.slice:ndm|ndm-tcp.service
UNIT=web.timer:ndm|only a service
CGRUOP=/a:ndm|did you mean CGROUP
END
	put "$SITE" $'UNIT=web.service:ndm\nCGROUP=/a:ndm\nUNIT=web.service:ndm_v1'
	ndmctl config validate
	refuses 6 "$SITE:3" 'second UNIT of web.service' 'line 1'
	ndmctl config set CGROUP /a:ndm
	refuses 2 'its own commands' 'ndmctl help cgroup'
}

@test "policies: names with colons, backslashes and blanks" {
	local path
	for path in '/a:b' '/a\x2db.slice' '/a b'; do
		put "$R/sys/fs/cgroup$path/cgroup.procs" ''
		put "$SITE" "CGROUP=$path:ndm"
		ndmctl load
		attached_is "ndm $path"
	done
}

@test "policies: a cgroup or unit that is not there now is said and no failure" {
	put "$MAIN" $'CGROUP=/later.slice:ndm\nUNIT=later.service:ndm'
	service start
	exits 0
	complains 'cgroup /later.slice does not exist'
	complains 'later.service is not-found'
	ndmctl config get --diff --plain
	exits 1
	equals "$output" $'CGROUP=/later.slice\tndm\tnone\nUNIT=later.service\tndm\tnone'
	ndmctl config get --diff --json
	json_is '.differences[0].key' CGROUP=/later.slice
	mkdir -p "$R/sys/fs/cgroup/later.slice"
	: >"$R/sys/fs/cgroup/later.slice/cgroup.procs"
	ndmctl load
	attached_is 'ndm /later.slice'
}

@test "policies: one that fails leaves the others, and the command fails" {
	put "$MAIN" $'CGROUP=/batch.slice:nosuch\nCGROUP=/system.slice:ndm\nUNIT=web.service:nosuch\nDEFAULT=ndm'
	service start
	refuses 1 "$MAIN:1: CGROUP=/batch.slice:nosuch is not applied" 'web.service is not applied' '2 of the configured policies'
	attached_is 'ndm /system.slice'
	default_is ndm
	rm "$R/fixture/bpftool"
	service start
	refuses 5 'bpftool is not installed'
	default_is ndm
	service stop
	exits 0
	complains 'without bpftool'
	default_is cubic
}

@test "policies: without systemd the lines for units are said to be left out" {
	rm -r "$R/run/systemd"
	put "$MAIN" $'CGROUP=/batch.slice:ndm\nUNIT=web.service:ndm'
	service start
	refuses 1 'UNIT=web.service:ndm needs systemd'
	attached_is 'ndm /batch.slice'
}

@test "policies: who may not see what is attached, as below a profile of AppArmor, changes nothing and says so" {
	local command
	put "$R/sys/kernel/btf/vmlinux" ''
	ndmctl cgroup set /batch.slice ndm
	ndmctl unit set web ndm_v1
	put "$R/fixture/denied" ''
	remember
	for command in 'cgroup set /batch.slice ndm_v4' 'cgroup clear /batch.slice' 'unit set web ndm' 'unit clear web' 'config set METRICS yes'; do
		ndmctl $command
		refuses 5 'not permitted to this process (no CAP_SYS_ADMIN)' 'outside of any container or sandbox'
		unchanged
		ndmctl -n $command
		exits 0
	done
	service stop
	refuses 1 'so these policies of cgroups stay'
	attached_is 'ndm /batch.slice' 'ndm_v1 /system.slice/web.service'
	ndmctl cgroup list --plain
	equals "$(cut -f 4 <<<"$output" | sort -u)" active
	rm "$R/fixture/denied"
	service stop
	exits 0
	attached_is
}

@test "policies: none configured and none set needs neither bpftool nor cgroups" {
	rm -r "${R:?}/fixture/bpftool" "$R/proc/self"
	service start
	exits 0
	service stop
	exits 0
	equals "$stderr" ''
}

@test "policies: doctor names what they lack" {
	doctor_says() { # STATE PART
		ndmctl doctor --plain
		local line
		line=$(grep '^policies' <<<"$output")
		[[ $line == $'policies\t'"$1"$'\t'*"$2"* ]] || fail "$line"
	}
	doctor_says ok 'no cgroup and no unit'
	put "$MAIN" CGROUP=/batch.slice:ndm
	doctor_says ok BTF
	put "$R/sys/kernel/btf/vmlinux" x
	ndmctl load
	doctor_says ok 'cgroups with a policy: 1, units: 0'
	rm -r "${G:?}/batch.slice"
	doctor_says warn /batch.slice
	rm "$R/fixture/bpftool"
	doctor_says fail 'apt install bpftool'
}

@test "policies: the name of a cgroup hides no program from stop and doctor" {
	local name
	ndmctl load
	for name in $'a"b\\c\td],{"cgroup":"e' '","programs":[]},{"cgroup":"x' 'a b\x41' '\t' 'x]'; do
		put "$G/batch.slice/$name/cgroup.procs" ''
		printf '77 %s\n' "$G/batch.slice/$name" >>"$R/fixture/attached"
	done
	service stop
	exits 0
	equals "$(cat "$R/fixture/attached")" ''
}

@test "policies: a cgroup whose path is too long for bpftool hides none of ours from unload and stop" {
	load_now
	ndmctl cgroup set /batch.slice ndm
	ndmctl unit set web ndm_v1
	sed -i '/web.service/d' "$R/run/ndm-tcp/cgroups"    # restarted, it has its program from systemd
	: >"$R/fixture/deep"
	ndmctl doctor
	says 'as far as can be seen (not'
	ndmctl cgroup clear /batch.slice
	ndmctl unload
	refuses 1 'in use: the policy of the unit web.service is ndm_v1'
	ndmctl cgroup set /batch.slice ndm
	service remove
	exits 0
	equals "$(cat "$R/fixture/attached")" ''
	absent sys/module/tcp_ndm
}

@test "policies: unload leaves the module where systemd or bpftool does not say that no unit uses it" {
	load_now
	ndmctl unit set web ndm
	rm "$R/run/ndm-tcp/cgroups"    # restarted, it has its program from systemd
	put "$R/fixture/systemd-busy" show
	ndmctl unload
	refuses 1 'in use: the policy of the unit web.service is ndm'
	rm "$R/fixture/systemd-busy"
	: >"$R/fixture/blind"
	ndmctl unload
	refuses 1 'in use: the policy of the unit web.service is ndm'
	rm "$R/fixture/blind"
	mv "$R/fixture/bpftool" "$R/fixture/bpftool.away"
	ndmctl unload
	refuses 1 'in use: the policy of the unit web.service is ndm'
	service stop
	exits 0
	complains 'tcp_ndm stays loaded'
	mv "$R/fixture/bpftool.away" "$R/fixture/bpftool"
	attached_is 'ndm /system.slice/web.service'
	rm -r "$R/fixture/attached" "$R/sys/fs/bpf/ndm"    # as after a boot without bpftool
	rm "$R/fixture/bpftool"
	ndmctl unload
	exits 0
}

@test "policies: a policy is not forgotten when bpftool does not say what is attached" {
	load_now
	ndmctl cgroup set /batch.slice ndm
	: >"$R/fixture/blind"
	remember
	ndmctl cgroup clear /batch.slice
	refuses 1 'bpftool does not list the programs of'
	ndmctl cgroup set /batch.slice ndm_v4
	refuses 1 'bpftool does not list the programs of'
	service remove
	refuses 1 'so these policies of cgroups stay' 'not everything was put back'
	rm "$R/run/ndm-tcp/removing"
	unchanged
	rm "$R/fixture/blind"
	ndmctl cgroup clear /batch.slice
	exits 0
	attached_is
}

@test "policies: a stop that learns neither from bpftool nor from systemd what is attached forgets nothing" {
	load_now
	ndmctl unit set web ndm
	rm "$R/run/ndm-tcp/cgroups"    # restarted, it has its program from systemd
	: >"$R/fixture/deep"
	put "$R/fixture/systemd-busy" show
	remember
	service stop
	complains 'systemd does not describe web.service'
	refuses 1 'so these policies of cgroups stay' 'not everything was put back'
	unchanged
	rm "$R/fixture/systemd-busy"
	service stop
	attached_is
}

@test "policies: records of more cgroups than fit a command line make none look gone" {
	load_now
	ndmctl cgroup set /batch.slice ndm
	python3 -c 'for i in range(1000): print("ndm", "runtime", i, "/" + "pod/" * 900 + str(i), sep="\t")' >>"$R/run/ndm-tcp/cgroups"
	ndmctl cgroup list --plain
	says $'/batch.slice\tndm\truntime\tactive'
	equals "$(grep -c gone <<<"$output")" 1000
}

@test "policies: a dry run of a start says once that the module is loaded" {
	add_unit web.service loaded ControlGroup=/system.slice/web.service
	put "$R/etc/ndm-tcp/conf.d/60-a.conf" $'VARIANT=v4\nDEFAULT=ndm\nCGROUP=/batch.slice:ndm_v1\nUNIT=web.service:ndm'
	service -n start
	exits 0
	equals "$(grep -c 'run modprobe' <<<"$output")" 1
	equals "$(grep -c 'parameters/variant' <<<"$output")" 1
	service -nv start
	[[ $output$stderr != *u0009* ]] || fail 'a tab as \u0009'
	service -v start
	exits 0
	[[ $stderr != *u0009* ]] || fail 'a tab as \u0009'
}

@test "policies: a stop without bpftool forgets nothing, so that a later one takes them back" {
	add_systemd
	load_now
	ndmctl cgroup set /system.slice ndm
	remember
	mv "$R/fixture/bpftool" "$R/fixture/bpftool.away"
	service stop
	exits 0
	complains 'apt install bpftool && /usr/lib/ndm-tcp/service stop'
	unchanged
	ndmctl status
	says 'cgroup /system.slice: ndm'
	mv "$R/fixture/bpftool.away" "$R/fixture/bpftool"
	service stop
	attached_is
	absent sys/module/tcp_ndm
}

@test "policies: a dry run of clear and stop names the programs and the module that go" {
	add_systemd
	ndmctl cgroup set /system.slice ndm
	ndmctl unit set batch.slice ndm_v4
	remember
	ndmctl -n cgroup clear /system.slice
	says "would: remove $R/sys/fs/bpf/ndm/cc/ndm"
	ndmctl -n unit clear batch.slice
	says "would: remove $R/sys/fs/bpf/ndm/cc/ndm_v4"
	[[ $output$'\n' != *cc/ndm$'\n'* ]] || fail 'one that stays'
	service -n stop
	says "would: remove $R/sys/fs/bpf/ndm"
	says 'would: run modprobe -r tcp_ndm, unless it is in use'
	unchanged
	[[ -d $R/sys/module/tcp_ndm ]]
}
