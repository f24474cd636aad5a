# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
# stats.sh: /proc/net/tcp_ndm, the counters of this network namespace.

STAT_NAMES=()
declare -A STAT=()

read_stats() { # into STAT and STAT_NAMES; fails when the module does not offer them
	local name value file=$SYSTEM/proc/net/tcp_ndm
	STAT_NAMES=() STAT=()
	[[ -f $file && -r $file ]] || return 1
	while read -r name value; do
		[[ $name =~ ^[a-z0-9_]+$ ]] || continue
		STAT_NAMES+=("$name")
		STAT[$name]=$value
	done <"$file"
	[[ -v STAT[schema] ]]
}

add_up_congestion() { # loss_congestion becomes the sum of all losses judged as congestion, for any reason
	local name sum=0
	for name in "${VERDICTS[@]}"; do
		if [[ $name != @(nodata|noise) && ${STAT[loss_$name]-} =~ ^[0-9]{1,18}$ ]]; then
			sum=$((sum + 10#${STAT[loss_$name]}))
		fi
	done
	STAT[loss_congestion]=$sum
}
