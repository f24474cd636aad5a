#!/usr/bin/env bats
# SPDX-License-Identifier: GPL-2.0
# bats file_tags=all
# Recorded links: how link/lab_link.c treats packets; see test_replay.py and ndmlab/sets/recorded.py.

load fast

replay() { # NAME...: these tests of test_replay.py
	ok "/usr/bin/python3 -B tests/lab/test_replay.py ${*/#/Replay.test_}"
}

@test "recorded link: capacity of a packet each millisecond, small and large packets, an empty queue keeps no opportunity" {
	replay a_packet_each_millisecond a_large_packet_takes_several_opportunities an_empty_queue_waits_for_the_next_millisecond_only
}

@test "recorded link: a full queue drops its tail, and its packets leave in order; CoDel drops by its control law" {
	replay the_tail_is_dropped_and_what_waits_waits_its_turn codel_drops_by_its_law
}

@test "recorded link: packets keep their order when the delay falls; the configured share is lost" {
	replay order_is_kept_where_the_delay_becomes_shorter the_share_that_is_lost
}

@test "recorded link: the seed selects where it begins; an invalid recording is an error" {
	replay the_seed_chooses_the_place a_recording_that_is_cut_off_is_an_error
}

@test "recorded link: a set with the link that is here needs no download and has its goals judged" {
	set=(tests/lab/lab run recorded --seeds 2 --scenario starlink-bulk-tail --algorithm ndm_v5 --algorithm bbr)
	other=$BATS_TEST_TMPDIR/lab
	mkdir -p "$other"
	ln -s "$PWD"/build/lab/kernel-linux-source-*[0-9a-f] "$other"
	NDM_LAB_BUILD=$other "${set[@]}" > "$BATS_TEST_TMPDIR/table"
	[ "$(wc -l < "$other/recorded.jsonl")" -eq 4 ]
	[ ! -e "$other/links/mahimahi-traces" ]
	cat "$BATS_TEST_TMPDIR/table"
	[ "$(grep -cE '(reached|missed|undecided)$' "$BATS_TEST_TMPDIR/table")" -eq 2 ]
}
