# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh disable=SC2034  # loads and reads are of stories
# The machine with one CPU, User Mode Linux: KASAN, UBSAN, lockdep, kmemleak ...

kmemleak=/sys/kernel/debug/kmemleak
loads=1000
reads=500

# The folder that the host started it in.
take_story() { mount -t hostfs none /host -o /proc/self/cwd; }

# kmemleak takes an object for lost when it is older than five seconds and was seen by two scans.
scan_leaks() {
	sleep 6
	echo scan > $kmemleak || fail 'kmemleak is off'
	sleep 1
	echo scan > $kmemleak
	while IFS= read -r line; do echo "$line" > /dev/kmsg; done < $kmemleak
}

end_story() {
	scan_leaks
	grep -q 'debug_locks: *1' /proc/lockdep_stats || fail 'lockdep has turned itself off'
}

end_machine() { poweroff -f; }
