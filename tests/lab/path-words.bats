#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# The words of --path, for other kinds of hosts: each has its effect.

load fast

cell() { tests/lab/lab cell difficulties loss-1 cubic 2 "$@"; }

# of_flow NAME: that figure of the flow on standard input.
of_flow() { sed -n "s/^flow .*\"$1\":\([0-9.]*\).*/\1/p"; }

# acks: number of packets in the direction of ACKs.
acks() { sed -n 's/^qdisc back .*"packets":\([0-9]*\).*/\1/p'; }

@test "segmentation=on and sender_queue= change the course, timestamps=off and mtu= the size of segments" {
	usual=$(cell | grep ^flow)
	for word in segmentation=on sender_queue=fq; do
		other=$(cell --path $word | grep ^flow)
		[ "$usual" ] && [ "$other" ] && [ "$usual" != "$other" ]
	done
	[ "$(cell | of_flow mss)" -eq 1448 ]
	[ "$(cell --path timestamps=off | of_flow mss)" -eq 1460 ]
	[ "$(cell --path mtu=1280 | of_flow mss)" -eq 1228 ]
	[ "$(cell --path mtu=9000 --path queue='bfifo limit 90000' | of_flow mss)" -eq 8948 ]
}

@test "sack=off disables DSACK; with ecn=on a queue marks instead of dropping" {
	reordered() { tests/lab/lab cell difficulties reorder-25 cubic 2 "$@" | of_flow dsack_dups; }
	[ "$(reordered)" -gt 0 ]
	[ "$(reordered --path sack=off)" -eq 0 ]
	mark() { tests/lab/lab cell difficulties fq_codel cubic 2 --path queue=fq_codel "$@" | sed -n 's/^qdisc bottleneck .*"ecn_mark":\([0-9]*\).*/\1/p'; }
	[ "$(mark)" -eq 0 ]
	[ "$(mark --path ecn=on)" -gt 0 ]
}

@test "buffers= limits the packets in flight, from 4 KB to 64 MB" {
	[ "$(cell --path buffers=4096 | of_flow unacked_max)" -le 4 ]
	wide() { tests/lab/lab cell difficulties satellite cubic 2 --path rate=100mbit --path queue='bfifo limit 20000000' "$@" | of_flow unacked_max; }
	[ "$(wide --path buffers=1048576)" -lt 800 ]
	[ "$(wide --path buffers=67108864)" -gt 3000 ]
}

@test "receivers: quickack=on doubles the ACKs, gro= leaves few ACKs, ack_slots= sends them in bursts" {
	fast() { tests/lab/lab cell v5 fifo-50m-10ms-1 cubic 2 "$@" > "$BATS_TEST_TMPDIR/cell"; }
	fast
	usual=$(acks < "$BATS_TEST_TMPDIR/cell") rtt_us=$(of_flow srtt_p50_us < "$BATS_TEST_TMPDIR/cell")
	fast --path quickack=on
	[ "$(acks < "$BATS_TEST_TMPDIR/cell")" -gt $((usual * 3 / 2)) ]
	fast --path gro=2000
	[ "$(acks < "$BATS_TEST_TMPDIR/cell")" -lt $((usual / 2)) ]
	# An ACK waits for its slot, on average half of the time between two slots.
	fast --path ack_slots=40ms
	[ "$(of_flow srtt_p50_us < "$BATS_TEST_TMPDIR/cell")" -gt $((rtt_us + 10000)) ]
}

@test "an invalid value is an error that names it" {
	for word in timestamps=maybe buffers=4K buffers=4095 mtu=70000; do
		fails 1 "cell --path $word"; has "${word%=*}"
	done
	fails 1 'cell --path bufer=1'; has 'there is no word bufer='
	fails 1 'tests/lab/lab cell published lte cubic 2 --path family=6'; has 'lte is a loopback path'
	fails 1 'tests/lab/lab cell recorded starlink-bulk-deep cubic 2 --path gro=200'; has 'not of a recorded link'
}
