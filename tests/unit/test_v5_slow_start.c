// SPDX-License-Identifier: GPL-2.0
/* v5 by its callbacks: slow start, what ends it, and what does not. */
#include "play.h"

/* Slow start to an ssthresh that is known: @empty round trips of 50 ms, @queued ones of @rtt_us. */
static void start_to(struct conn *c, u32 ssthresh, u32 empty, u32 queued, u32 rtt_us)
{
	model_open(c, "ndm_v5", START_US, 1, 10);
	model_established(c, 50 * MS);
	c->tp.snd_ssthresh = ssthresh;
	model_send(c, 1 << 20);
	burst_rounds(c, empty, 50 * MS);
	burst_rounds(c, queued, rtt_us);
}

/* Whether a packet @gap_us ahead of the others is a straggler; @min_us is the smallest RTT, @status that of pacing. */
static bool straggles(u32 min_us, u32 rtt_us, u32 gap_us, u32 status)
{
	struct conn c;
	bool train;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	c.tp.inet_conn.sk.sk_pacing_status = status;
	model_established(&c, min_us);
	model_send(&c, 1 << 20);
	split_rounds(&c, 4, rtt_us, 20, 0, 0);
	ack(&c, 1, rtt_us);
	model_wait(&c, gap_us);
	ack(&c, 1, rtt_us);
	train = v5(&c)->start.train;
	end(&c, "a packet ahead");
	return train;
}

/*
 * 100 Mbit/s, 50 ms. A receiver delays the ACK of an odd packet for 40 ms, so that it arrives shortly
 * before the ACKs of the next round trip, and so do those of the packets that it lets be sent.
 */
static void stragglers(void)
{
	struct conn c;
	u32 i, pkts, began;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, 50 * MS);
	model_send(&c, 1 << 20);
	for (i = 0; i < 8 && c.tp.snd_cwnd < c.tp.snd_ssthresh; i++)
		split_rounds(&c, 1, 50 * MS, 120, c.tp.packets_out / 64, 4500);
	ok(c.tp.snd_ssthresh > 500 && c.tp.snd_ssthresh < 600,
	   "slow start: stragglers ahead of a train of half an RTT do not hide it (%u packets)", c.tp.snd_ssthresh);
	end(&c, "stragglers");

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, 50 * MS);
	model_send(&c, 1 << 20);
	split_rounds(&c, 5, 50 * MS, 120, 1, 0);
	split_rounds(&c, 1, 50 * MS, 120, 60, 4500);
	ok(c.tp.snd_cwnd < c.tp.snd_ssthresh, "slow start: a fifth of cwnd ahead is a delay that varies (%u packets)", c.tp.snd_cwnd);
	end(&c, "trains of varying delays");

	ok(straggles(50 * MS, 50 * MS, 4500, SK_PACING_NONE), "slow start: a packet 4.5 ms ahead is a straggler");
	ok(!straggles(50 * MS, 50 * MS, 14 * MS, SK_PACING_NONE), "slow start: more than a quarter RTT ahead it is none");
	ok(!straggles(50 * MS, 50 * MS, 4500, SK_PACING_FQ), "slow start: nor where pacing makes the gaps");
	ok(!straggles(7 * MS, 8500, 1900, SK_PACING_NONE), "slow start: nor where any two packets may be so far apart");

	/* The application writes a packet each 5 ms. */
	model_open(&c, "ndm_v5", START_US, 1, 320);
	model_established(&c, 50 * MS);
	pkts = v5(&c)->round_start_pkts;
	for (i = 0; i < 40; i++) {
		model_send(&c, 2);
		model_wait(&c, 5 * MS);
		ack(&c, 1, 50 * MS);
	}
	ok(v5(&c)->round_start_pkts - pkts >= 20, "a sender without cwnd as its limit has rounds in slow start, too (%u packets)",
	   v5(&c)->round_start_pkts - pkts);
	end(&c, "rounds of a slow sender");

	/* Beyond slow start: ACKs in clumps, as Wi-Fi sends them, ten a round trip. */
	begin(&c, "ndm_v5", START_US, 50 * MS, 200);
	rounds(&c, 2, 50 * MS, 0);
	for (i = 0, began = 0; i < 200; i++) {
		pkts = v5(&c)->round_start_pkts;
		model_wait(&c, 5 * MS);
		ack(&c, c.tp.snd_cwnd / 10, 50 * MS);
		model_send(&c, 1 << 20);
		began += v5(&c)->round_start_pkts != pkts;
	}
	ok(began > 20, "beyond slow start clumps of ACKs do not make rounds longer (%u in 20 round trips)", began);
	end(&c, "clumps of ACKs");
}

static void before_the_first_cut(void)
{
	struct conn c;
	u32 cwnd, i;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, 50 * MS);
	model_send(&c, 1 << 20);
	burst_rounds(&c, 4, 50 * MS);
	is(c.tp.snd_cwnd, 160, "slow start: 160 packets after four round trips");
	ok(c.tp.snd_cwnd < c.tp.snd_ssthresh, "slow start: it goes on");
	for (i = 0; i < 20 && c.tp.snd_cwnd < c.tp.snd_ssthresh; i++)
		burst_rounds(&c, 1, 60 * MS);
	cwnd = c.tp.snd_cwnd;
	ok(c.tp.snd_cwnd >= c.tp.snd_ssthresh && i < 3, "slow start: a queue of 10 ms ends it (%u packets)", cwnd);
	rounds(&c, 10, 60 * MS, 0);
	ok(c.tp.snd_cwnd <= cwnd + 10, "growth: no 5 %% a round before the first cut with a queue (%u to %u)", cwnd,
	   c.tp.snd_cwnd);
	end(&c, "before the first cut");

	model_open(&c, "ndm_v5", START_US, 1, 40);
	model_established(&c, 50 * MS);
	model_send(&c, 1 << 20);
	rounds(&c, 2, 50 * MS, 0);
	ok(c.tp.snd_cwnd >= c.tp.snd_ssthresh, "slow start: ACKs that fill the round trip end it (%u packets)",
	   c.tp.snd_cwnd);
	end(&c, "a train of ACKs");

	/* Packets each 28 us, as hosts send bursts of half a millisecond and more. */
	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, 1 * MS);
	model_send(&c, 1 << 20);
	for (i = 0; i < 6 && c.tp.snd_cwnd < c.tp.snd_ssthresh; i++)
		line_rounds(&c, 1, 1 * MS, 28);
	ok(c.tp.snd_cwnd >= 72, "slow start: a train of half an RTT of 1 ms does not end it (%u packets)",
	   c.tp.snd_cwnd);
	end(&c, "slow start on a LAN");

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 20, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	ok(cwnd >= 240 && cwnd <= 270, "growth: without a queue it is (100 to %u in 20 rounds)", cwnd);
	ecn_event(&c, 50 * MS);
	rounds(&c, 3, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	rounds(&c, 10, 50 * MS, 0);
	ok(c.tp.snd_cwnd < cwnd * 5 / 4, "growth: nor after a cut (%u to %u in 10 rounds)", cwnd, c.tp.snd_cwnd);
	end(&c, "no slow start");

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	c.tp.reord_seen = 1;
	rounds(&c, 20, 50 * MS, 0);
	ok(c.tp.snd_cwnd <= 127, "growth: where packets overtook each other an eighth more than CUBIC's (100 to %u)", c.tp.snd_cwnd);
	end(&c, "seen reordering");

	start_to(&c, 300, 2, 3, 70 * MS);
	ok(c.tp.snd_cwnd >= 300 && c.tp.snd_ssthresh == 300, "slow start: a known ssthresh is its end (%u packets)", c.tp.snd_cwnd);
	end(&c, "a known ssthresh");
	start_to(&c, 3000, 4, 2, 105 * MS);
	ok(c.tp.snd_ssthresh < 500, "slow start: a queue of an RTT is, too (%u packets)", c.tp.snd_ssthresh);
	end(&c, "too large an ssthresh");
}

/* RTTs of one round alone tell that slow start has met a queue, eight of them. */
static void slow_start_samples(void)
{
	struct conn c;
	u32 i;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_established(&c, 50 * MS);
	model_send(&c, 1 << 20);
	burst_rounds(&c, 3, 50 * MS);
	model_wait(&c, 46 * MS);
	ack(&c, 1, 70 * MS);	/* a round begins */
	for (i = 0; i < 7; i++)
		ack(&c, 1, 70 * MS);
	ok(c.tp.snd_cwnd < c.tp.snd_ssthresh, "slow start: seven RTTs of a queue do not end it, whatever the round before had");
	ack(&c, 1, 70 * MS);
	ok(c.tp.snd_cwnd >= c.tp.snd_ssthresh, "slow start: eight do");
	end(&c, "samples of slow start");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	before_the_first_cut();
	stragglers();
	slow_start_samples();
	return tap_done();
}
