# SPDX-License-Identifier: GPL-2.0
# sockets.sh: TCP connections by algorithm.

needs probes/backend probes/cgroup probes/netns

SOCKETS_KNOWN='' SOCKET_COUNTS=() CGROUP_COUNTS=() COUNTS=''
# enum ndm_verdict, in the words of /proc/net/tcp_ndm
VERDICTS=(nodata congestion noise queue own share plateau bound ecn timeout)
CGROUPS='' PROCESSES='' COOKIES='' JUDGED=''    # files for parse_ss; not those of the environment

# "ss -tinOH" prints one line a socket: STATE RECVQ SENDQ LOCAL PEER [flags] ALGORITHM key:value...
# With -p users:(...) follows PEER, with --cgroup cgroup:... does. Names of processes, which may have line breaks, and
# of cgroups are somebody's choice. So ss is asked for each of them apart, and the answers are joined by the
# addresses. With --cgroup a line is read from its end, which the kernel writes: the algorithm is the last word before
# one of its keys. With -p it is the last ",pid=N,fd=N))", and what does not begin as a line of ss does, with two
# addresses, belongs to the one before: a name, of 15 bytes, is too short for that. An ndm socket carries its state in
# the DCTCP attribute: dctcp:(ce_state:VERDICT,alpha:ENTROPY,ab_ecn:GROWTH,ab_tot:PLASTICITY)
# shellcheck disable=SC2016  # the $ signs are awk's
SS_PARSER='
	BEGIN {
		OFS = "\t"
		flags = split("ts usec_ts sack ecn ecnseen accecn fastopen", flag, " ")
		split("'"${VERDICTS[*]}"'", verdict, " ")  # from 1
		for (i = 1; i < 256; i++) code[sprintf("%c", i)] = sprintf("\\u%04x", i)
	}
	function field(name,    at) {        # number after "name:" in the attribute
		at = index(attribute, name ":")
		return at ? substr(attribute, at + length(name) + 1) + 0 : ""
	}
	function escaped(text,    i, out, c) {    # as the inside of a JSON string
		if (text !~ /[^ -~]|["\\]/) return text
		for (i = 1; i <= length(text); i++) {
			c = substr(text, i, 1)
			out = out (c ~ /["\\]/ ? "\\" c : c ~ /[ -~]/ ? c : code[c])
		}
		return out
	}
	function dissect(    rest, offset, i, word) {    # $0 into head, cc and info
		cc = info = ""; head = rest = $0; offset = 0
		while (match(rest, / [A-Za-z0-9][A-Za-z0-9_-]* (wscale|rto|rtt|ato|mss|cwnd):/)) {
			offset += RSTART
			rest = substr(rest, RSTART + 1)
		}
		if (!offset) return
		head = substr($0, 1, offset - 1)
		info = substr($0, offset + 1)
		cc = info
		sub(/ .*/, "", cc)
		for (i = flags; i >= 1; i--) {    # each at most once, in this order
			word = " " flag[i]
			if (substr(head, length(head) - length(word) + 1) == word) head = substr(head, 1, length(head) - length(word))
		}
	}
	function number(name,    at) {    # in info, as "cwnd:10"
		at = index(info, " " name ":")
		return at ? substr(info, at + length(name) + 2) + 0 : ""
	}
	function total(name,    at) {         # the second number in info, as of "retrans:NOW/TOTAL"
		at = index(info, " " name ":")
		if (!at) return 0
		at = substr(info, at + length(name) + 2)
		return substr(at, index(at, "/") + 1) + 0
	}
	function is_poor() { return $6 ~ /^(rto|ato|qack|cwnd):/ }'    # see answered

# [ALGORITHM [NETNS]]: rows of render_table: STATE LOCAL PEER ALGORITHM CWND RTT VERDICT ENTROPY GROWTH PLASTICITY PID
# PROCESS CGROUP NETNS. What ss says of the cgroups is the file CGROUPS, of the processes PROCESSES, or nothing.
# Sockets may have the same addresses, as listeners have: they come in the same order. Algorithms by BPF print the
# state of their sockets, by cookie, into JUDGED; COOKIES is what ss says of these.
parse_ss() {
	PROC=$SYSTEM/proc awk -v only="${1-}" -v netns="${2-}" -v ours=" ${OURS[*]} " "$SS_PARSER"'
		function is_place(text) {    # ADDRESS:PORT
			return text ~ /^([0-9]+\.[0-9]+\.[0-9]+\.[0-9]+|\[[0-9a-fA-F:.]+\]|\*)(%[^ "()]+)?:([0-9]+|\*)$/
		}
		part == "cgroups" && match($0, / cgroup:/) { cgroup[$4 " " $5] = substr($0, RSTART + 8) }
		part == "processes" {
			if ($1 ~ /^[A-Z][A-Z0-9-]+$/ && $2 ~ /^[0-9]+$/ && $3 ~ /^[0-9]+$/ && is_place($4) && is_place($5)) {
				place = $4 " " $5
				place = place " " (++listed[place])
			}
			for (rest = $0; match(rest, /,pid=[0-9]+,fd=[0-9]+\)\)/); rest = substr(rest, RSTART + RLENGTH))
				owner[place] = substr(rest, RSTART + 5) + 0
		}
		part == "judged" { judgement[$1] = $2 " " $3 " " $4 " " $5 }
		part == "cookies" && match($0, / sk:[0-9a-f]+/) {
			place = $4 " " $5
			cookie[place " " (++known[place])] = substr($0, RSTART + 4, RLENGTH - 4)
		}
		part != "" || $1 == "State" || NF < 5 { next }
		{
			place = $4 " " $5
			place = place " " (++seen[place])
			dissect()
			if (only != "" && cc != only) next
			pid = process = judged = entropy = growth = plasticity = ""
			if (place in owner) {
				pid = owner[place]
				if (!(pid in comm)) {
					file = ENVIRON["PROC"] "/" pid "/comm"
					if ((getline comm[pid] < file) <= 0) comm[pid] = ""
					close(file)
				}
				process = comm[pid]
			}
			if (index(ours, " " cc " ") && match(info, /dctcp:\([^)]*\)/)) {
				attribute = substr(info, RSTART, RLENGTH)
				judged = field("ce_state")
				judged = (judged + 1 in verdict) ? verdict[judged + 1] : ""
				entropy = field("alpha"); growth = field("ab_ecn"); plasticity = field("ab_tot")
			}
			else if (place in cookie && cookie[place] in judgement) {
				split(judgement[cookie[place]], number_of, " ")
				judged = (number_of[1] + 1 in verdict) ? verdict[number_of[1] + 1] : ""
				entropy = number_of[2]; growth = number_of[3]; plasticity = number_of[4]
			}
			group = cgroup[$4 " " $5]
			sub(/ +$/, "", group)
			print escaped($1), escaped($4), escaped($5), cc, number("cwnd"), number("rtt"), judged, entropy, \
				growth, plasticity, \
				pid, escaped(process), escaped(group), netns
		}' part=cgroups "${CGROUPS:-/dev/null}" part=processes "${PROCESSES:-/dev/null}" \
		part=judged "${JUDGED:-/dev/null}" part=cookies "${COOKIES:-/dev/null}" part= -
}

# Where the kernel does not answer ss, as without its module tcp_diag, or in a sandbox without AF_NETLINK, ss prints
# what it finds in
# /proc/net/tcp. That has no algorithm, which else comes before all of these: so nothing is passed on, and this fails.
answered() { # COMMAND...: ss
	run_ss "$@" | awk "$SS_PARSER"' is_poor() { poor = 1; next } { print } END { exit poor }'
}

# COMMAND...: what ss prints. ss may name an error and exit 0. A cgroup that has gone meanwhile is none.
run_ss() {
	local errors
	{ errors=$(tool "$@" 2>&1 >&3) && ! grep -v cgroup2 <<<"$errors" | grep -q .; } 3>&1
}

refuse_ss() {
	die 1 'ss failed, or the kernel tells it no algorithms' \
		'modprobe tcp_diag; a sandbox needs AF_NETLINK; ss -tin shows why'
}

require_ss() { has_tool ss || die 5 'the program ss is not installed' 'apt install iproute2'; }

list_sockets() { # ALGORITHM, empty for all, ID...: rows of those in these network namespaces
	local name=$1 id into pin=''
	shift
	if is_bpf && read_mounts && ! are_pins_of_others && [[ -r $PINS/sockets ]]; then pin=$PINS/sockets; fi
	for id; do
		if [[ $id == "$NETNS_OWN" ]]; then into=(); else into=(nsenter --net="${NETNS_PATH[$id]}"); fi
		answered "${into[@]}" ss -tinOH |
			JUDGED=<([[ ! $pin ]] || tool "${into[@]}" cat "$pin" 2>/dev/null) \
				COOKIES=<([[ ! $pin ]] || tool "${into[@]}" ss -tneOH 2>/dev/null) \
			PROCESSES=<(tool "${into[@]}" ss -tnpOH 2>/dev/null) CGROUPS=<(tool "${into[@]}" ss -tnOH --cgroup 2>/dev/null) \
				parse_ss "$name" "$id" && continue
		[[ $id != "$NETNS_OWN" ]] || refuse_ss
		describe_netns "$id"
		[[ ${OPT[--netns]} == all ]] || die 1 "cannot enter the network namespace $REPLY, or ss failed in it" \
			"nsenter --net=${NETNS_PATH[$id]@Q} ss -tin"
		note "note: left out: network namespace $REPLY, which has ended or cannot be entered"
	done
}

# Connections are counted by other processes meanwhile: 10,000 take as long as all else of status.
start_counting_sockets() { exec {COUNTS}< <(! count_sockets || echo known); }

read_counts() { # those of count_sockets, then "known" if it did not fail
	local count cc cgroup
	while IFS=$'\t' read -r count cc cgroup; do
		if [[ $count == known ]]; then SOCKETS_KNOWN=yes
		elif [[ $cgroup ]]; then CGROUP_COUNTS+=("$cgroup" "$cc" "$count")
		else SOCKET_COUNTS+=("$cc" "$count"); fi
	done <&"$COUNTS"
	exec {COUNTS}<&-
}

# Lines COUNT ALGORITHM CGROUP of the connections in this network namespace, most first; CGROUP is empty for all
# together. Fails when they are not known.
count_sockets() {
	has_tool ss || return 1
	{ run_ss ss -tinOH --cgroup || run_ss ss -tinOH; } | awk "$SS_PARSER"'
		is_poor() { poor = 1 }
		poor || $1 == "State" || NF < 5 { next }
		{
			dissect()
			if (cc == "") next
			count[cc "\t"]++
			if (match(head, / cgroup:/)) {
				group = substr(head, RSTART + 8)
				gsub(/[^ -~]/, "?", group)
				count[cc "\t" group]++
			}
		}
		END { for (key in count) print count[key], key; exit poor }' | sort -t $'\t' -k1,1nr -k2
}
