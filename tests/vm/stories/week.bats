#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# shellcheck disable=SC2016  # commands in single quotes are for the guest's shell
# A week of a busy server, in a guest whose clock leaps over the time in which it is idle: 1,000 connections live through the day and
# send each hour; policies, reloads, namespaces, logs and another version come and go as in `week`. The tests judge what it wrote down.
# One guest.

load helpers

DAYS=${DAYS:-7}

setup_file() {
	"$VM_TOP/.ci/need" apt-utils
	build_other_packages old 0.0.9
	start_guest week
	put_programs
	offer_both
	ok 'apt-get install -q -y ndm-tcp=0.0.9-1 ndm-tcp-dkms=0.0.9-1 logrotate'
	write_units
	ok 'echo METRICS=yes >/etc/ndm-tcp/conf.d/20-week.conf; mkdir -p /var/lib/prometheus/node-exporter
		systemctl enable -q ndm-tcp'
	boot_leaping
	ok "systemd-run -q --unit=week week play $DAYS"
	vm_disconnect
	await_end
	vm_connect
	vm_run 'tar -C /root/week -c .' | tar -C "$BATS_FILE_TMPDIR" -xm
}

setup() {
	cd "$BATS_FILE_TMPDIR" || return
}

# judge AWK-PROGRAM FILE...: on the host; what it prints is then in output.
judge() {
	output=$(awk -v days="$DAYS" "$@")
	printf '$ awk %s\n%s\n' "${*:2}" "$output"
}

put_programs() {
	local name
	for name in crowd week; do vm_put "$VM_TOP/tests/vm/guest/$name" /usr/local/sbin; done
}

# The guest's packages, ours of both versions, and logrotate, which the image lacks.
offer_both() {
	local repo=$VM_DIR/both
	mkdir "$repo"
	cp "$VM_TOP"/build/deb/*.deb "$VM_TOP"/build/vm/old/*.deb "$("$VM_TOP/tests/vm/host/guest-debs" "$SUITE" logrotate)"/*.deb "$repo"
	(cd "$repo" && apt-ftparchive packages . >Packages)
	vm_put "$repo" /srv
	ok 'rm /etc/apt/sources.list.d/ndm-tcp.list; echo "deb [trusted=yes] file:/srv/both ./" >/etc/apt/sources.list.d/both.list; apt-get update -qq'
}

# Without what wakes an idle kernel twice a second, without watchdogs, whose time may leap, and with each slab in its own name.
boot_leaping() {
	export VM_CLOCK=leaping VM_SMP=1
	vm_boot init=/usr/local/sbin/week nowatchdog tsc=nowatchdog psi=0 slab_nomerge systemd.service_watchdogs=0
}

# What it says of each day is passed on.
await_end() {
	local deadline=$((SECONDS + 7200)) shown=0 days
	until grep -q '^week: \(over\|failed\)' "$VM_DIR/console"; do
		((SECONDS < deadline)) && _vm_is_alive || { vm_fail 'the week does not end'; return 1; }
		days=$(grep -c '^week: day [0-9]*:' "$VM_DIR/console" || :)
		[ "$days" = "$shown" ] || grep '^week: day [0-9]*:' "$VM_DIR/console" | tail -n 1 | sed 's/^/# /' | tr -d '\r' >&3
		shown=$days
		sleep 2 # between two looks at the console
	done
	if grep '^week: failed' "$VM_DIR/console"; then return 1; fi
}

# The clocks of connections wrap each 71 minutes (microseconds in 32 bits), and 5 minutes after the boot (jiffies).
@test "so many days have passed, and connections lived through the wraps of all clocks" {
	judge '{ print ($1 < 300) }' opened; is 1
	ok 'cut -d . -f 1 /proc/uptime'; [ "$output" -ge $((DAYS * 86400)) ]
	judge 'END { print (FNR == days * 24) }' hours; is 1
	[ "$(compgen -G 'metrics.*.*' | wc -l)" = $((DAYS * 4)) ]
	kernel_is_content
}

# Fields of hours: day, hour, uptime, acks, updates, these by entropy, sockets of 4 algorithms, what crowd said. The path takes 17 ms and
# more there and back, and no queue of it is ever long.
@test "each hour each connection delivers; RTTs stay those of the path; bursts take as long on the last day as on the second" {
	judge 'NF != 21 || $14 < 17000 || $16 > 1000000 || $19 < 1' hours; is ''
	judge '$1 == 2 { first += $11 } $1 == days { last += $11 } END { print first, last, (first > 0 && last < first * 1.5 && first < last * 1.5) }' hours
	echo "# s of the guest's clock for the bursts of the second and of the last day, and whether they agree: $output" >&3
	[[ $output == *' 1' ]]
}

@test "the module counts without a jump: never backwards, all connections, each update once by its entropy" {
	judge '$1 == day && ($4 <= acks || $5 <= updates) || $5 != $6 || $4 < $5 || $7 $8 $9 $10 != "200200200200"
		{ day = $1; acks = $4; updates = $5 }' hours
	is ''
}

# Other connections of the machine have cubic and ndm_v4, so of these there may be more.
@test "what ndmctl metrics counted by algorithm is on each day what TCP_INFO of the connections said when they ended" {
	local day
	for ((day = 1; day <= DAYS; day++)); do
		judge -F '[\t ]' -v names='ended_connections acked_bytes sent_segments retransmitted_segments dsacks reorderings' '
			BEGIN { split(names, name, " ") }
			FNR == NR { for (i = 2; i <= 7; i++) said[$1, name[i - 1]] = $i; next }
			$1 ~ /^ndm_tcp_.*_total$/ && $2 ~ /^cc=/ {
				figure = substr($1, 9, length($1) - 14); split($2, part, "\""); cc = part[2]
				if (!((cc, figure) in said)) next
				seen++
				if (cc ~ /^(cubic|ndm_v4)$/ ? $3 < said[cc, figure] : $3 != said[cc, figure]) print cc, figure, said[cc, figure], $3
			}
			END { print seen, said["cubic", name[1]], said["ndm_v5", name[1]], (said["ndm_v5", name[2]] > 2000000), (said["ndm_v5", name[4]] > 0) }' "crowd.$day" "metrics.$day"
		is '30 1200 200 1 1'
	done
}

@test "no counter of ndmctl metrics goes back within a day, and each histogram's last bucket is its count" {
	local day
	for ((day = 1; day <= DAYS; day++)); do
		judge -F '\t' '$1 ~ /_(total|bucket|count|sum)$/ { if ($3 + 0 < last[$1, $2] + 0) print FILENAME, $0; last[$1, $2] = $3; seen++ }
			$2 ~ /le="\+Inf"/ { infinite = $3 } $1 ~ /_count$/ && $3 != infinite { print FILENAME, $0 }
			END { print (seen > 400) }' "metrics.$day".{3,9,15,21} "metrics.$day"
		is 1
	done
}

# kept NAME-PATTERN: exactly as many on the last day as on the second.
kept() {
	judge -v pattern="^($1)$" '$1 ~ pattern { if (FNR == NR) second[$1] = $2; else if ($2 != second[$1]) print $1, second[$1], $2; seen++ }
		END { if (seen < 2) print "nothing is compared" }' measured.2 "measured.$DAYS"
	is ''
}

# grew_below NAME BYTES: from the second to the last day, by so many at most.
grew_below() {
	judge -v name="$1" -v most="$2" '$1 == name { if (FNR == NR) second = $2; else last = $2; seen++ }
		END { print second, last, (seen == 2 && (last - second) * (name ~ /_kb$/ ? 1024 : 1) <= most) }' measured.2 "measured.$DAYS"
	echo "# $1, second and last day, and whether it is flat: $output" >&3
	[[ $output == *' 1' ]]
}

@test "nothing of what came and went stays: namespaces, programs, cgroups, sockets, references, files, units" {
	kept 'namespaces|slab_(net_namespace|TCP|TCPv6|tw_sock_TCP|tw_sock_TCPv6)|module_references|bpf_(progs|maps|links)|cgroups_nr_descendants|systemd_(files|units)|files:.*'
	grew_below cgroups_nr_dying_descendants 10 # the kernel keeps some for the pages that they had; each six hours end a dozen
	judge '/^module_references|^slab_tw/ && $2 != 0' "measured.$DAYS"; is ''
}

# Twenty times six hours and 10,000 ends of connections lie between the two evenings. What is printed first is for whoever has to find a leak.
@test "memory is flat: of the kernel, per CPU, and of systemd" {
	judge 'FNR > 2 { if (FNR == NR) before[$1] = $2 * $4; else if ($2 * $4 - before[$1] > 8192) print $1, $2 * $4 - before[$1] }' slabinfo.2 "slabinfo.$DAYS"
	grew_below sunreclaim_kb 1048576 # 52 KB in six hours, or 105 bytes an end of a connection; a day without a leak changes it by 120 KB
	grew_below kmalloc_bytes 262144  # 13 KB in six hours; 13 KB a day
	grew_below percpu_kb 16384
	grew_below kernelstack_kb 131072
	grew_below systemd_pss_anon_kb 524288 # 26 KB in six hours
}

@test "after it all is as on the first day: status, doctor, no difference from the configuration, nothing failed" {
	ok 'ndmctl status --check; ndmctl config get --diff'; is ''
	ok 'ndmctl doctor --plain'; lacks $'\tfail' $'\twarn'
	ok 'ndmctl status'; has loaded 'policies    none' 'problems    none'
	ok 'systemctl --failed --no-legend'; is ''
	ok 'ndmctl cgroup list --plain; ndmctl unit list --plain; find /etc/systemd /run/systemd/system -name 50-ndm-tcp.conf'; lacks ndm_v4
}
