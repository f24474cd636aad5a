# SPDX-License-Identifier: GPL-2.0
load helpers

# The path is bench/path.py, the sender Cubic of this kernel.
# bats test_tags=all
@test "advise: of real transfers over paths of known kind" {
	[[ -w /dev/net/tun ]] || skip 'there is no /dev/net/tun'
	local kind path expected tries right=''
	while IFS='|' read -r kind path expected; do
		for tries in 1 2 3; do    # where this machine has no time for the path, that looks like a queue, or loses packets
			in_own_system "source '$CLI/bench/path.bash'; path_up $path; iperf3_up
				iperf3 -C cubic -c 10.9.0.2 -t 60 >/dev/null & sleep 10 # so much is advised from
				\"\$0\" advise --plain | head -n 1 | cut -f 1; kill %2 2>/dev/null || :"
			[[ $output != "$expected" ]] || break
		done
		printf '# %-16s expected %-12s said %s\n' "$kind" "$expected" "$output" >&3
		[[ $output != "$expected" ]] || right+=" $kind"
	done <<-'END'
		loss|--rate 20 --delay 40 --loss 1|random-loss
		queue|--rate 20 --delay 10 --queue 60|queue
		jitter|--rate 20 --delay 40 --jitter 20|reordering
		jitter-and-loss|--rate 20 --delay 40 --jitter 20 --loss 1|reordering
		clean|--rate 20 --delay 40 --queue 4000|calm
	END
	equals "$right" ' loss queue jitter jitter-and-loss clean'
}
