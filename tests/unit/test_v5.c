// SPDX-License-Identifier: GPL-2.0
/* v5 by its callbacks: the clock, growth, verdicts and how long their evidence holds. */
#include "play.h"

/* cwnd after @n rounds that follow a cut from @cwnd packets. */
static u32 after_a_cut(u64 start_us, u32 rtt_us, u32 cwnd, u32 n)
{
	struct conn c;

	begin(&c, "ndm_v5", start_us, rtt_us, cwnd);
	rounds(&c, 3, rtt_us, 0);
	ecn_event(&c, rtt_us);
	rounds(&c, n, rtt_us, 0);
	cwnd = c.tp.snd_cwnd;
	end(&c, "after a cut");
	return cwnd;
}

static void wraps_of_the_clock(void)
{
	static const struct {
		u64 us;
		const char *name;
	} wraps[] = {
		{ 1ULL << 32, "2^32 us of uptime, 71.6 minutes" },
		{ 5ULL << 32, "5 * 2^32 us" },
		{ 1ULL << 42, "2^42 us, 51 days" },
	};
	u32 plain = after_a_cut(START_US, 50 * MS, 912, 40), i;

	ok(plain < 1012, "growth: 2 s after a cut from 1012 packets cwnd is below (%u)", plain);
	/* Where rounds fall in ticks differs by one, and so may a packet. */
	for (i = 0; i < 3; i++) {
		u32 wrapped = after_a_cut(wraps[i].us - SECOND, 50 * MS, 912, 40);

		ok(wrapped + 1 >= plain && wrapped <= plain + 1, "the same across %s (%u, %u)",
		   wraps[i].name, wrapped, plain);
	}
}

static void short_rtts(void)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 200, 100);
	rounds(&c, 20, 200, 0);
	ecn_event(&c, 200);
	rounds(&c, 20, 200, 0);
	cwnd = c.tp.snd_cwnd;
	lazy_rounds(&c, 20, 200, 10);
	rounds(&c, 13, 200, 0);
	/* 7 ms are 0.53 packets a round. */
	ok(c.tp.snd_cwnd <= cwnd + 15, "RTT 200 us: 20 rounds below cwnd do not let it run away (%u to %u)",
	   cwnd, c.tp.snd_cwnd);
	end(&c, "RTT 200 us");
}

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

static void acks_of_nothing_new(void)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 50 * MS, 10);
	rounds(&c, 3, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	sack(&c, 1, 50 * MS, 0);
	sack(&c, 1, 50 * MS, 0);
	is(c.tp.snd_cwnd, cwnd, "duplicate ACKs with SACK do not grow cwnd");
	c.tp.snd_cwnd_cnt = 1000;
	v5(&c)->cubic.acked_pkts = 2;
	watch_cong_avoid(&c, 0);
	is(c.tp.snd_cwnd, cwnd, "an ACK of what SACK had told of does not grow cwnd");
	end(&c, "ACKs of nothing new");
}

static void idle_times(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, 50 * MS, 40);
	rounds(&c, 20, 50 * MS, 0);
	fall_silent(&c, 50 * MS);
	model_wait(&c, 60 * SECOND);
	model_send(&c, 1 << 20);
	is(c.tp.packets_out, 10, "after a minute of silence ten packets leave at once");
	is(v5(&c)->rounds.base_us, 0, "and what was known of the path is forgotten");
	end(&c, "idle");

	begin(&c, "ndm_v5", START_US, 50 * MS, 40);
	c.net.ipv4.sysctl_tcp_slow_start_after_idle = 0;
	rounds(&c, 20, 50 * MS, 0);
	fall_silent(&c, 50 * MS);
	model_wait(&c, (1ULL << 32) - 1000);
	model_send(&c, 1 << 20);
	is(v5(&c)->rounds.base_us, 0, "without tcp_slow_start_after_idle too, also after 2^32 us");
	model_wait(&c, 50 * MS);
	loss_event(&c, 1, 50 * MS);
	is(verdict(&c), NDM_NO_DATA, "a loss then has no data");
	end(&c, "idle without restart");
}

static void lone_packets(void)
{
	struct conn c;
	u32 i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 40);
	rounds(&c, 20, 50 * MS, 0);
	c.backlog_pkts = 0;
	ack(&c, c.tp.packets_out, 50 * MS);
	for (i = 0; i < 50; i++) {
		c.backlog_pkts = 0;
		ack(&c, c.tp.packets_out, 50 * MS);
		model_send(&c, 1);
		model_wait(&c, 50 * MS);
	}
	is(v5(&c)->rounds.base_us, 0, "lone packets for 2.5 s: what was known before is forgotten");
	end(&c, "lone packets");
}

/* Losses as chance makes them, @n rounds apart and packets behind in time, until one is judged @wanted. */
static void random_losses(struct conn *c, u32 n, u32 rtt_us, u32 wanted)
{
	u32 events = 100;

	do {
		rounds(c, n, rtt_us, 0);
		loss_event(c, 1, rtt_us);
	} while (verdict(c) != wanted && --events);
}

static void verdicts(void)
{
	struct conn c;
	u32 cwnd, i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 20);
	loss_event(&c, 1, 50 * MS);
	is(verdict(&c), NDM_NO_DATA, "verdict: no data at first");
	is(c.tp.snd_cwnd, 14, "which leaves 0.7 of 20 packets");
	random_losses(&c, 40, 50 * MS, NDM_NOISE);
	is(verdict(&c), NDM_NOISE, "verdict: losses far apart, packets behind them in time, no queue: noise");
	rounds(&c, 2, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	sack(&c, 3, 50 * MS, 1);
	ok(c.tp.snd_ssthresh == cwnd && cwnd < TCP_INFINITE_SSTHRESH, "noise keeps cwnd");
	model_wait(&c, 50 * MS);
	ack(&c, c.tp.packets_out, 50 * MS);
	rounds(&c, 40, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	loss_event(&c, cwnd / 2, 50 * MS);
	is(verdict(&c), NDM_LOSS_SHARE, "verdict: half a window at once");
	rounds(&c, 40, 50 * MS, 0);
	rounds(&c, 1, 70 * MS, 0);
	loss_event(&c, 1, 70 * MS);
	is(verdict(&c), NDM_QUEUE, "verdict: a queue of 20 ms");
	model_rto(&c);
	is(verdict(&c), NDM_TIMEOUT, "verdict: a timeout");
	end(&c, "verdicts");

	begin(&c, "ndm_v5", START_US, 50 * MS, 20);
	random_losses(&c, 40, 50 * MS, NDM_NOISE);
	for (i = 0; i < 12; i++) {
		rounds(&c, 40, 50 * MS, 0);
		sack(&c, 1, 52 * MS, 0);
		loss_event(&c, 1, 52 * MS);
	}
	is(verdict(&c), NDM_LATE, "verdict: packets behind the lost ones 2 ms late");
	end(&c, "late packets");
}

/* 20 ms, and 50 ms of a FIFO that others keep full: it drops one of @share packets. */
static void full_all_the_time(struct conn *c, u32 share, u32 seconds)
{
	u64 end_us;

	begin(c, "ndm_v5", START_US, 20 * MS, 40);
	rounds(c, 3, 20 * MS, 0);
	for (end_us = c->tp.tcp_mstamp + seconds * SECOND; c->tp.tcp_mstamp < end_us;) {
		rounds(c, 1, 70 * MS, 0);
		loss_event(c, (2 * c->tp.snd_cwnd + share - 1) / share, 70 * MS);
	}
}

static void base_below_a_full_queue(void)
{
	struct conn c;
	u32 cwnd;

	full_all_the_time(&c, 12, 60);
	ok(v5(&c)->rounds.base_us < 30 * MS, "base: a queue that is full all the time does not become it (%u us)", v5(&c)->rounds.base_us);
	is(verdict(&c), NDM_QUEUE, "base: and losses are the queue's");
	end(&c, "a queue that is always full");

	/* A path that became longer, and loses 1 %: the base has to follow. */
	begin(&c, "ndm_v5", START_US, 20 * MS, 200);
	rounds(&c, 3, 20 * MS, 0);
	while (c.tp.tcp_mstamp < START_US + 60 * SECOND) {
		rounds(&c, 9, 70 * MS, 0);
		loss_event(&c, c.tp.snd_cwnd / 10, 70 * MS);
	}
	ok(v5(&c)->rounds.base_us > 69 * MS, "base: with 1 %% lost a longer path is believed (%u us)", v5(&c)->rounds.base_us);
	end(&c, "a longer path");

	/* A switch: 200 us, and 100 us more when it is full, which is no more than hosts vary. */
	begin(&c, "ndm_v5", START_US, 200, 20);
	rounds(&c, 20, 200, 0);
	for (cwnd = 0; cwnd < 12; cwnd++) {
		rounds(&c, 400, 300, 0);
		loss_event(&c, 1, 300);
	}
	is(verdict(&c), NDM_NO_DATA, "verdict: no loss is chance where RTTs of 200 us cannot tell");
	end(&c, "a LAN");
}

static void long_round_trips(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, 5 * SECOND, 20);
	rounds(&c, 8, 5 * SECOND, 0);
	rounds(&c, 2, 8 * SECOND, 0);
	ok(v5(&c)->queue, "RTT 5 s: 3 s more are a queue");
	loss_event(&c, 1, 8 * SECOND);
	is(verdict(&c), NDM_QUEUE, "RTT 5 s: and a loss is judged so");
	end(&c, "RTT 5 s");
}

static void large_windows(void)
{
	struct conn c;

	begin(&c, "ndm_v5", START_US, 50 * MS, 300000);
	random_losses(&c, 2, 50 * MS, NDM_NOISE);
	rounds(&c, 2, 50 * MS, 0);
	loss_event(&c, c.tp.snd_cwnd / 16 * 7, 50 * MS);
	is(verdict(&c), NDM_LOSS_SHARE, "verdict: 44 %% of 300,000 packets at once are many");
	end(&c, "a large window");
}

/* In a round of @pkts packets @reordered are reordered. */
static bool is_reordering(u32 pkts, u32 reordered, const char *assist)
{
	struct conn c;
	bool found;

	model_param_set("rack_assist", assist);
	begin(&c, "ndm_v5", START_US, 50 * MS, pkts);
	rounds(&c, 2, 50 * MS, 0);
	sack(&c, 3, 50 * MS, 0);
	model_ack(&c, (struct ack){ .acked = 4, .rtt_us = 50 * MS, .rack_us = 50 * MS, .reordered = reordered, .distance = 20 });
	rounds(&c, 1, 50 * MS, 0);
	found = v5(&c)->reordering.rounds;
	end(&c, "reordering in a window");
	model_param_set("rack_assist", "1");
	return found;
}

static void shares_of_reordering(void)
{
	ok(!is_reordering(600000, 130, "1"), "reordering: 130 of 600,000 packets, as of any two links, are none");
	ok(is_reordering(12800, 2560, "1"), "reordering: a fifth of 12,800 is");
	ok(is_reordering(300, 30, "1"), "reordering: a tenth of 300 is");
	ok(!is_reordering(300, 30, "0"), "reordering: where RACK cannot wait for it, nothing is done about it");
}

static void tail_losses(void)
{
	struct conn c;
	long before = model_counter[NDM_ECN_REDUCTIONS];

	begin(&c, "ndm_v5", START_US, 50 * MS, 40);
	rounds(&c, 20, 50 * MS, 0);
	c.tp.prior_ssthresh = 0;
	c.backlog_pkts = 0;
	ack(&c, c.tp.packets_out - 2, 50 * MS);
	c.backlog_pkts = 0;
	model_tail_loss_probe(&c);
	model_wait(&c, 100 * MS);
	model_send(&c, 3);
	ack(&c, c.tp.packets_out, 50 * MS);
	ok(verdict(&c) != NDM_ECN, "a loss that a probe repaired is judged as a loss, not counted as ECN (%u)", verdict(&c));
	is(model_counter[NDM_ECN_REDUCTIONS], before, "and /proc says so");
	end(&c, "tail losses");
}

/* The ACK that tells of the repaired tail has an ECN-Echo as well. */
static void tail_loss_with_ecn(void)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 50 * MS, 40);
	random_losses(&c, 40, 50 * MS, NDM_NOISE);
	loss_event(&c, 1, 50 * MS);
	rounds(&c, 3, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	v5(&c)->tail = true;
	c.tp.prior_ssthresh = 0;
	ok(watch_ssthresh(&c) >= cwnd, "a tail loss by chance keeps cwnd");
	ok(watch_ssthresh(&c) < cwnd, "an ECN-Echo of the same ACK cuts it");
	is(verdict(&c), NDM_ECN, "and counts as ECN");
	model_close(&c);
}

/* Nothing shows a queue: how far cwnd gets in @n rounds after a cut from 100 packets, @chance: losses came without late packets. */
static u32 follow(u32 n, bool chance, u32 *cubic_pkts)
{
	struct conn c;
	u32 cwnd;

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 20, 50 * MS, 0);
	if (chance) {
		random_losses(&c, 40, 50 * MS, NDM_NOISE);
		loss_event(&c, 1, 50 * MS);
	}
	c.tp.snd_cwnd = 100;
	c.tp.snd_ssthresh = 100;
	ecn_event(&c, 50 * MS);
	rounds(&c, n, 50 * MS, 0);
	cwnd = c.tp.snd_cwnd;
	*cubic_pkts = v5(&c)->cubic.w_max_pkts;
	end(&c, "following");
	return cwnd;
}

static void growth_without_a_queue(void)
{
	u32 w_max, cwnd = follow(60, false, &w_max);

	ok(cwnd > 100 && cwnd <= (w_max + w_max / 8) * 21 / 20, "growth: no queue shows: an eighth more than CUBIC, and a twentieth, at most (%u packets, W_max %u)", cwnd, w_max);
	cwnd = follow(60, true, &w_max);
	ok(cwnd > 2 * w_max, "growth: nor do losses come with one: a twentieth a round, on and on (%u packets, W_max %u)", cwnd, w_max);
}

/* RTTs of one round alone tell that slow start has met a queue, four of them. */
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
	for (i = 0; i < 3; i++)
		ack(&c, 1, 70 * MS);
	ok(c.tp.snd_cwnd < c.tp.snd_ssthresh, "slow start: three RTTs of a queue do not end it, whatever the round before had");
	ack(&c, 1, 70 * MS);
	ok(c.tp.snd_cwnd >= c.tp.snd_ssthresh, "slow start: four do");
	end(&c, "samples of slow start");
}

static void noise_in_slow_start(void)
{
	struct conn c;

	/* Slow start, noise known from before. */
	begin(&c, "ndm_v5", START_US, 50 * MS, 20);
	random_losses(&c, 40, 50 * MS, NDM_NOISE);
	rounds(&c, 2, 50 * MS, 0);
	c.tp.snd_ssthresh = TCP_INFINITE_SSTHRESH;
	sack(&c, 3, 50 * MS, 1);
	is(verdict(&c), NDM_NOISE, "a loss in slow start may be noise");
	ok(c.tp.snd_ssthresh < 10000, "a loss kept in slow start leaves an ssthresh (%u)", c.tp.snd_ssthresh);
	end(&c, "slow start");
}

/* @n rounds in which @packets of each hundred are reordered by @distance packets. */
static void reordering(struct conn *c, u32 n, u32 rtt_us, u32 packets, u32 distance)
{
	while (n--) {
		rounds(c, 1, rtt_us, 0);
		sack(c, 3, rtt_us, 0);
		model_ack(c, (struct ack){ .acked = 4, .rtt_us = rtt_us, .rack_us = rtt_us,
					   .reordered = packets, .distance = distance });
	}
}

static void reordering_is_forgotten(void)
{
	struct conn c;
	u32 i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 20, 50 * MS, 0);
	reordering(&c, 3, 50 * MS, 30, 20);
	rounds(&c, 1, 50 * MS, 0);
	ok(v5(&c)->reordering.rounds, "reordering: 100 reordered packets count");
	rounds(&c, 17, 50 * MS, 0);
	is(v5(&c)->reordering.rounds, 0, "reordering: 17 rounds later they do not");
	ok(c.tp.reord_seen > 2 && c.tp.reordering > 3, "though the kernel remembers them for life");
	loss_event(&c, 1, 50 * MS);
	ok(verdict(&c) != NDM_NOISE, "and a loss is judged without them");
	end(&c, "reordering");

	begin(&c, "ndm_v5", START_US, 2 * SECOND, 100);
	rounds(&c, 10, 2 * SECOND, 0);
	reordering(&c, 2, 2 * SECOND, 130, 20);
	rounds(&c, 1, 2 * SECOND, 0);
	for (i = 0; i < 4 && v5(&c)->reordering.rounds; i++)
		rounds(&c, 1, 2 * SECOND, 0);
	ok(i > 0 && !v5(&c)->reordering.rounds, "reordering: where a round lasts 2 s it is forgotten after %u", i);
	end(&c, "reordering, RTT 2 s");

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	c.tp.reordering = 100;
	rounds(&c, 20, 50 * MS, 0);
	is(v5(&c)->reordering.rounds, 0, "reordering: what tcp_metrics remember of a host is no evidence");
	end(&c, "tcp_metrics");

	begin(&c, "ndm_v5", START_US, 50 * MS, 100);
	rounds(&c, 20, 50 * MS, 0);
	reordering(&c, 20, 50 * MS, 30, 1);
	is(v5(&c)->reordering.rounds, 0, "reordering: nor are ACKs in pieces");
	end(&c, "ACKs in pieces");
}

/* Beyond 49,152 packets @rate_cwnd cannot tell of a quarter more: no search. */
static void search_ends(void)
{
	struct conn c;
	u32 i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 60000);
	for (i = 0; i < 20; i++) {
		rounds(&c, 1, 50 * MS, 0);
		sack(&c, 3, 50 * MS, 0);
		model_ack(&c, (struct ack){ .acked = 4, .rtt_us = 50 * MS, .rack_us = 40 * MS,
					    .reordered = 2000, .distance = 20 });
	}
	ok(v5(&c)->reordering.rounds, "search: packets overtake each other");
	ok(c.tp.snd_cwnd < 70000, "search: none from 49,152 packets on (%u)", c.tp.snd_cwnd);
	end(&c, "search");
}

/* The kernel counts the peer's MSS and headers, rounded up to a power of two: where that leaves little room, three cwnd. */
static void send_buffers(void)
{
	static const struct {
		u32 headers, clamp, mss, cwnds;
	} cases[] = {
		{ 320, 1460, 1448, 2 }, { 256, 1460, 1448, 3 }, { 320, 1460, 1408, 2 }, { 256, 8960, 1448, 2 },
		{ 320, 1220, 1208, 3 }, { 320, 536, 524, 2 }, { 320, 0, 1208, 3 }, { 320, 900, 888, 3 },
	};
	struct conn c;
	u32 i;

	begin(&c, "ndm_v5", START_US, 50 * MS, 10);
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		model_max_tcp_header = cases[i].headers;
		c.tp.rx_opt.mss_clamp = cases[i].clamp;
		c.tp.mss_cache = cases[i].mss;
		ok(model_ops("ndm_v5")->sndbuf_expand(model_sk(&c)) == cases[i].cwnds, "send buffer: %u cwnds with headers of %u bytes, the peer's MSS %u, MSS %u",
		   cases[i].cwnds, cases[i].headers, cases[i].clamp, cases[i].mss);
	}
	model_max_tcp_header = cases[0].headers;
	c.tp.rx_opt.mss_clamp = 1460;
	v5(&c)->reordering.rounds = 1;
	ok(model_ops("ndm_v5")->sndbuf_expand(model_sk(&c)) == 3, "send buffer: three cwnds with reordering");
	v5(&c)->reordering.rounds = 0;
	end(&c, "send buffers");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	ok(!model_ops("ndm_v5")->cong_control,
	   "no cong_control: the kernel keeps the pacing rate, validates cwnd and ends recoveries");
	ok(sizeof(struct ndm_v5) <= ICSK_CA_PRIV_SIZE, "the state fits what the kernel gives");
	wraps_of_the_clock();
	short_rtts();
	before_the_first_cut();
	stragglers();
	acks_of_nothing_new();
	idle_times();
	lone_packets();
	verdicts();
	base_below_a_full_queue();
	noise_in_slow_start();
	long_round_trips();
	large_windows();
	shares_of_reordering();
	tail_losses();
	tail_loss_with_ecn();
	growth_without_a_queue();
	slow_start_samples();
	search_ends();
	reordering_is_forgotten();
	send_buffers();
	return tap_done();
}
