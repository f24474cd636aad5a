# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034,SC2016  # SC2034: names used by other files; SC2016: $ belongs to awk
# sockets.sh: TCP connections by algorithm, and who holds the module.

# ss -tinOH prints one line a socket: STATE RECVQ SENDQ LOCAL PEER [users:(...)] [cgroup:PATH] [flags] ALGORITHM key:value...
# PATH may hold blanks; the algorithm is the last word before the first key:value.
# An ndm socket carries its state in the DCTCP attribute: dctcp:(ce_state:VERDICT,alpha:ENTROPY,ab_ecn:GROWTH,ab_tot:PLASTICITY)
# parse_ss is the only reader of it, in one pass. It prints tab-separated STATE LOCAL PEER ALGORITHM CWND RTT VERDICT ENTROPY GROWTH PLASTICITY USERS;
# "parse_ss count" prints only COUNT ALGORITHM CGROUP, for all cgroups together with an empty CGROUP.
parse_ss() { # [count]
	awk -v OFS='\t' -v only_count="${1-}" '
		BEGIN {
			split("ts sack ecn ecnseen accecn fastopen usec_ts", words, " ")
			for (i in words) flag[words[i]]
			split("no-data congestion noise queue late loss-share plateau bound ecn timeout", verdict, " ")  # enum ndm_verdict, from 1
		}
		function field(name,    at) {        # number after "name:" in the attribute
			at = index(info, name ":")
			return at ? substr(info, at + length(name) + 1) + 0 : "-"
		}
		{
			cgroup = ""
			if (match($0, / cgroup:/)) {
				head = substr($0, 1, RSTART - 1)
				cgroup = substr($0, RSTART + 8)
				if (match(cgroup, / [^ ]+ (wscale|rto|rtt|ato|mss|cwnd):/)) {
					tail = substr(cgroup, RSTART)
					cgroup = substr(cgroup, 1, RSTART - 1)
				} else tail = ""
				while (match(cgroup, / (ts|sack|ecn|ecnseen|accecn|fastopen|usec_ts)$/)) cgroup = substr(cgroup, 1, RSTART - 1)
				if (only_count && match(tail, /^ [A-Za-z0-9][A-Za-z0-9_-]* /)) {
					cc = substr(tail, 2, RLENGTH - 2)
					count[cc "\t"]++
					count[cc "\t" cgroup]++
					next
				}
				$0 = head tail
			}
		}
		$1 == "State" || NF < 5 { next }
		{
			gsub(/\t/, " ")
			if (/[^ -~]/) gsub(/[^ -~]/, "?")       # process names may hold anything, terminals must not
			users = "-"
			if (match($0, /users:\(\(.*fd=[0-9]+\)\)/)) {
				users = substr($0, RSTART + 6, RLENGTH - 6)
				$0 = substr($0, 1, RSTART - 1) substr($0, RSTART + RLENGTH)
			}
			cc = cwnd = rtt = judged = entropy = growth = plasticity = "-"
			for (i = 6; i <= NF; i++) {
				if (cc == "-") {
					if ($i !~ /^[A-Za-z0-9][A-Za-z0-9_-]*$/ || $i in flag) continue
					cc = $i
					if (only_count) { count[cc "\t"]++; next }
				} else if (index($i, "rtt:") == 1) rtt = substr($i, 5) + 0
				else if (index($i, "cwnd:") == 1) { cwnd = substr($i, 6) + 0; break }
			}
			if (only_count) next
			if ((cc == "ndm" || cc == "ndm_v1" || cc == "ndm_v4" || cc == "ndm_v5") && match($0, /dctcp:\([^)]*\)/)) {
				info = substr($0, RSTART, RLENGTH)
				judged = field("ce_state")
				judged = (judged + 1 in verdict) ? verdict[judged + 1] : "-"
				entropy = field("alpha"); growth = field("ab_ecn"); plasticity = field("ab_tot")
			}
			print $1, $4, $5, cc, cwnd, rtt, judged, entropy, growth, plasticity, users
		}
		END { for (cc in count) print count[cc], cc }'
}

require_ss() { has_tool ss || die 5 'the program ss is not installed' 'apt install iproute2'; }

cmd_sockets() {
	local name=${OPT[--cc]-} rc=0
	[[ ! -v OPT[--cc] ]] || require_name "$name"
	require_ss
	tool ss -tinOH 2>/dev/null | parse_ss | print_sockets "$name" || rc=$?
	# 141: the reader of our output, such as head, has seen enough
	((rc == 0 || rc == 141)) || die 1 'ss failed' 'ss -tin shows why'
}

print_sockets() { # ALGORITHM, empty for all
	awk -F '\t' -v only="$1" -v format="$FORMAT" '
		function number(text) { return text == "-" ? "null" : text }
		function quoted(text) { gsub(/["\\]/, "?", text); return text == "-" ? "null" : "\"" text "\"" }
		BEGIN {
			if (format == "json") printf "{\"schema\":1,\"command\":\"sockets\",\"sockets\":["
			row = "%-11s %-28s %-28s %-8s %6s %9s %-10s %7s %6s %10s\n"
			if (format == "text")
				printf row, "STATE", "LOCAL", "PEER", "CC", "CWND", "RTT ms", "VERDICT", "ENTROPY", "GROWTH", "PLASTICITY"
		}
		only != "" && $4 != only { next }
		{ count[$4]++ }
		format == "plain" { print $1 "\t" $2 "\t" $3 "\t" $4 "\t" $5 "\t" $6 "\t" $7 "\t" $8 "\t" $9 "\t" $10 }
		format == "text" { printf row, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 }
		format == "json" {
			printf "%s{\"state\":%s,\"local\":%s,\"peer\":%s,\"cc\":%s,\"cwnd\":%s,\"rtt_ms\":%s,\"verdict\":%s,\"entropy\":%s,\"growth\":%s,\"plasticity\":%s}",
				(comma++ ? "," : ""), quoted($1), quoted($2), quoted($3), quoted($4), number($5), number($6), quoted($7), number($8), number($9), number($10)
		}
		END { if (format == "json") print "]}" }'
}

count_sockets() { # lines COUNT ALGORITHM CGROUP of the connections in this network namespace, tab-separated, most first
	has_tool ss || return 0
	{ tool ss -tinOH --cgroup 2>/dev/null || tool ss -tinOH 2>/dev/null; } | parse_ss count | sort -t $'\t' -k1,1nr -k2
}

# Who holds the module, one line each, into HOLDERS. quick asks only the kernel's own count.
list_holders() { # [quick]
	local line count=''
	HOLDERS=()
	read_value "$ROOT/sys/module/tcp_ndm/refcnt" && count=$REPLY
	[[ $count != 0 ]] || return 0
	if [[ ${1-} == quick && $count ]]; then
		HOLDERS=("$count references")
		return 0
	fi
	current_default || :
	! is_ours "$REPLY" || HOLDERS+=("the default of this network namespace is $REPLY")
	while IFS= read -r line; do HOLDERS+=("$line"); done < <(list_other_netns; list_holding_sockets)
	((${#HOLDERS[@]})) || [[ ! $count ]] || HOLDERS=("$count references that cannot be seen from here, such as another network namespace")
}

list_holding_sockets() { # listeners hold the module as well, hence -a
	has_tool ss || return 0
	tool ss -tinpOHa 2>/dev/null | parse_ss | awk -F '\t' '
		$4 == "ndm" || $4 == "ndm_v1" || $4 == "ndm_v4" || $4 == "ndm_v5" {
			process = "no process (closing)"
			if (match($11, /"[^"]*",pid=[0-9]+/)) {
				process = substr($11, RSTART + 1, RLENGTH - 1)
				sub(/",pid=/, " (pid ", process)
				process = process ")"
			} else if ($1 != "FIN-WAIT-1" && $1 != "LAST-ACK" && $1 != "CLOSING")
				process = "a process that only root may see"
			count[$4 " of " process]++
		}
		END { for (who in count) print count[who] " socket(s) " who }' | sort -nr
}

list_other_netns() { # those with one of our algorithms as the default
	local id default
	list_netns
	for id in ${NETNS_LIST[@]+"${NETNS_LIST[@]}"}; do
		if [[ $id == "$NETNS_OWN" ]] || ! netns_default "$id" || ! is_ours "$REPLY"; then continue; fi
		default=$REPLY
		describe_netns "$id"
		printf 'network namespace %s has the default %s\n' "$REPLY" "$default"
	done
}
