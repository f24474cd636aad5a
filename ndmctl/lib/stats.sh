# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034  # SC2034: names set here are used by the other files
# stats.sh: /proc/net/tcp_ndm, the counters of this network namespace.

STAT_NAMES=()
declare -A STAT=()

read_stats() { # into STAT and STAT_NAMES; fails when the module does not offer them
	local name value file=$ROOT/proc/net/tcp_ndm
	STAT_NAMES=() STAT=()
	[[ -f $file && -r $file ]] || return 1
	while read -r name value; do
		[[ $name =~ ^[a-z0-9_]+$ ]] || continue
		STAT_NAMES+=("$name")
		STAT[$name]=$value
	done <"$file"
	[[ -v STAT[schema] ]]
}

add_up_congestion() { # loss_congestion becomes the sum of all losses that were taken for congestion, for whichever reason
	local name sum=0
	for name in congestion queue late share plateau bound; do
		[[ ! ${STAT[loss_$name]-} =~ ^[0-9]{1,18}$ ]] || sum=$((sum + 10#${STAT[loss_$name]}))
	done
	STAT[loss_congestion]=$sum
}

cmd_stats() {
	local name
	read_stats || die 1 'no counters: tcp_ndm is not loaded' 'sudo ndmctl load'
	[[ ${STAT[schema]} == 1 ]] || say "note: the module writes schema ${STAT[schema]}, this ndmctl knows 1"
	case $FORMAT in
	json) print_stats_json ;;
	plain) for name in "${STAT_NAMES[@]}"; do printf '%s\t%s\n' "$name" "${STAT[$name]}"; done ;;
	*) print_stats_text ;;
	esac
}

print_stats_json() {
	local name out=''
	for name in "${STAT_NAMES[@]}"; do
		[[ $name != schema ]] || continue
		json_value "${STAT[$name]}"
		out+=",\"$name\":$REPLY"
	done
	printf '{"schema":1,"command":"stats"%s}\n' "$out"
}

print_stats_text() {
	local name bin count share total=0
	for name in "${STAT_NAMES[@]}"; do
		[[ $name == schema || $name == entropy_[0-9] ]] || printf '%-18s %s\n' "$name" "${STAT[$name]}"
	done
	for bin in {0..9}; do
		[[ ${STAT[entropy_$bin]-} =~ ^[0-9]{1,18}$ ]] || STAT[entropy_$bin]=0
		total=$((total + 10#${STAT[entropy_$bin]}))
	done
	printf '%-18s %s\n' entropy 'updates   share  (per mille, 1000 is pure noise)'
	for bin in {0..9}; do
		count=${STAT[entropy_$bin]}
		share=$((total ? 10#$count * 100 / total : 0))
		printf '  %3d..%-4d        %-9s %3d%%  %s\n' $((bin * 100)) $((bin * 100 + (bin == 9 ? 100 : 99))) "$count" "$share" "$(draw_bar "$share")"
	done
}

draw_bar() { # PERCENT as up to 25 signs
	local bar
	printf -v bar '%*s' $(($1 / 4)) ''
	printf '%s' "${bar// /#}"
}
