# SPDX-License-Identifier: GPL-2.0
# What a command costs: the programs that it starts, and the files of its own that it reads.
load helpers
load machine

programs_of() { # WORD...: ndmctl with these; how many programs it started, into COUNT
	local dir program
	if [[ ! -d $R/counted ]]; then
		link_answers
		mkdir "$R/counted"
		for program in "$TOOLS"/* "$R"/fixture/*; do
			[[ -x $program && -f $program ]] || continue
			printf '#!/bin/sh\necho %s >>%q\nexec %q "$@"\n' "${program##*/}" "$R/count" "$program" >"$R/counted/${program##*/}"
			chmod +x "$R/counted/${program##*/}"
		done
		sed -i "s|^PATH=.*|PATH=${R@Q}/counted|" "$ON_R"
	fi
	: >"$R/count"
	run --separate-stderr "$ON_R" "$@"
	COUNT=$(wc -l <"$R/count")
}

at_most() { # COUNT of programs
	((COUNT > 0 && COUNT <= $1)) || fail "it starts $COUNT programs: $(sort "$R/count" | uniq -c | sort -rn | paste -sd ' ')"
}

@test "cost: on a machine that is well, status starts 55 programs at most, doctor 80, and neither asks apt" {
	make_full_root ndm
	add_kernel 6.12.0-test
	put "$R/fixture/apt-cache.txt" ''
	put "$R/sys/kernel/btf/vmlinux" ''
	put "$R/etc/ndm-tcp/ndm-tcp.conf" DEFAULT=ndm
	put "$R/etc/systemd/system/multi-user.target.wants/ndm-tcp.service" '[Unit]'
	: >"$R/fixture/routes4"
	ndmctl load
	ndmctl unit set web ndm
	ndmctl cgroup set /batch.slice ndm_v4
	exits 0
	programs_of status
	says 'problems    none'
	at_most 55
	programs_of doctor
	exits 0
	at_most 80
	run -1 grep apt "$R/count"
	put "$R/fixture/routes4" 'main 0 unicast default via 192.0.2.1 dev eth0'
	ndmctl route set default ndm
	exits 0
	programs_of doctor
	equals "$(grep -cx ip "$R/count")" 2    # IPv4 and IPv6, though four ask for routes
}

@test "cost: where packages are missing, doctor asks apt one question; status, which names doctor, and metrics none" {
	make_machine
	unbuilt
	without_headers 6.12.0-test
	put "$R/fixture/lists" $'linux-headers-test\nlinux-image-test\nndm-tcp-dkms'
	has_kernel 6.14.0-test
	without_headers 6.14.0-test
	ndmctl doctor
	exits 1
	says 'next: apt update && apt install linux-'
	equals "$(grep -c . "$R/fixture/asked")" 1
	rm "$R/fixture/asked"
	ndmctl status
	exits 0
	says 'DKMS cannot build the module    (ndmctl doctor)'
	ndmctl metrics
	exits 0
	says 'ndm_tcp_problems{state="fail"} '
	absent fixture/asked
}

@test "cost: a command reads the files that it needs, and not those of others" {
	make_root
	sed -i 's/^\t\tsource .*/&\n\t\techo "$file" >>"$SYSTEM\/read"/' "$ON_R"
	ndmctl help sockets
	exits 0
	run -1 grep -E '^(probes|checks|steps)/' "$R/read"
	ndmctl status --short
	exits 0
	grep -q ^probes/backend "$R/read"
	run -1 grep ^steps/struct_ops "$R/read"
	: >"$R/read"
	ndmctl doctor
	grep -q checks/conflicts "$R/read"
	equals "$(sort "$R/read" | uniq -d)" ''
}

@test "cost: for 2000 connections each command starts as many programs as for one, and counts them all" {
	local words few
	make_full_root ndm
	sed -n 2p "$CLI/fixtures/ss.txt" >"$R/one"
	for words in status 'status --json' 'sockets --plain' metrics 'cgroup set /batch.slice ndm_v4 -n'; do
		cp "$R/one" "$R/fixture/ss.txt"
		programs_of $words
		few=$COUNT
		awk '{ for (i = 1; i <= 2000; i++) { sub(/50[0-9]*/, 50000 + i); print } }' "$R/one" >"$R/fixture/ss.txt"
		programs_of $words
		exits 0
		[[ $words != status ]] || says '2000 ndm'
		[[ $words != sockets* ]] || equals "$(wc -l <<<"$output")" 2000
		equals "$words: $COUNT" "$words: $few"
	done
}
