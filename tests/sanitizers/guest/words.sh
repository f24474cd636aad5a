# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034  # stories use parameters
# What this layer's stories are made of, beside those of the lab (lab.sh, router.sh).

parameters=/sys/module/tcp_ndm/parameters

# mark TEXT: a line in the kernel's log; the tests look for it.
mark() { echo "story: $*" > /dev/kmsg; }

# at_least LEAST NAME: fails when what `NAME N` of /tmp/figures says is less. A story that did not do its work shows nothing.
at_least() {
	figure=$(awk -v name="$2" '$1 == name { sum += $2 } END { print sum + 0 }' /tmp/figures)
	echo "$2 $figure"
	[ "$figure" -ge "$1" ] || fail "$2 is $figure, expected at least $1"
}

# change_parameters FILE: each gets each value, good or bad, then what it had at first, until FILE is not empty.
change_parameters() {
	until [ -s "$1" ]; do
		for file in $parameters/*; do
			read -r first < "$file"
			for value in 0 1 2 99 100 333 700 900 901 1000 1001 32000 32001 4294967295 4294967296 -1 x ' ' \
				v1 v4 v5 v6 0x10 "$first"; do
				if echo "$value" 2> /dev/null > "$file"; then echo "accepted_${file##*/} 1"; else echo 'rejected 1'; fi
				read -r value < "$file"
			done
		done
	done
}

# ask FILE: what ss shows of the sender's connections until FILE is not empty; at last how often it named one of ours.
ask() {
	shown=0
	until [ -s "$1" ]; do
		shown=$((shown + $(on sender ss -tinmo | grep -c ' ndm' || :)))
	done
	echo "shown $shown"
}

# unload: ends what still uses the module, then removes it.
unload() {
	settle rmmod tcp_ndm
	if [ -e /sys/module/tcp_ndm ]; then fail 'the module cannot be removed'; fi
}

# scan_leaks: kmemleak takes an object for lost when it is older than five seconds and was seen by two scans.
scan_leaks() {
	kmemleak=/sys/kernel/debug/kmemleak
	sleep 6
	echo scan > $kmemleak || fail 'kmemleak is off'
	sleep 1
	echo scan > $kmemleak
	while IFS= read -r line; do echo "$line" > /dev/kmsg; done < $kmemleak
}

# end_story: what is asked of the kernel at the end of each.
end_story() {
	scan_leaks
	grep -q 'debug_locks: *1' /proc/lockdep_stats || fail 'lockdep has turned itself off'
}
