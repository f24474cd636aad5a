// SPDX-License-Identifier: GPL-2.0
/* v5 by its callbacks: recoveries that keep cwnd, how long RACK waits, reordering, names and variants. */
#include "play.h"

#define RTT (50 * MS)

/* A connection whose next loss is noise: losses far apart. */
static void begin_noisy(struct conn *c)
{
	begin(c, "ndm_v5", START_US, RTT, 20);
	v5(c)->cubic.cut = true; /* else cwnd grows beyond the bound */
	random_losses(c, 40, RTT, NDM_NOISE);
	rounds(c, 2, RTT, 0);
}

/* A round of growth in recovery is that of what arrives in it. */
static void growth_amid_noise(void)
{
	struct conn c;
	u32 ssthresh;
	long updates;

	begin_noisy(&c);
	/* Far from its maximum CUBIC grows by half a packet for each. */
	v5(&c)->cubic.w_max_pkts = 100000;
	updates = model_counter[NDM_UPDATES];
	while (model_counter[NDM_UPDATES] == updates && !watch_failed()) {
		model_wait(&c, RTT / 20);
		ack(&c, 1, RTT);
	}
	model_wait(&c, RTT * 3 / 4);
	ack(&c, c.tp.packets_out - 8, RTT);
	sack(&c, 3, RTT, 1);
	is(verdict(&c), NDM_NOISE, "growth amid noise: a loss late in a round");
	ssthresh = c.tp.snd_ssthresh;
	model_wait(&c, RTT / 4);
	sack(&c, 4, RTT, 0);
	ok(c.tp.snd_ssthresh > ssthresh && c.tp.snd_ssthresh <= ssthresh + 3,
	   "growth amid noise: ssthresh rises by what arrived since (%u, %u)", ssthresh, c.tp.snd_ssthresh);
	end(&c, "growth amid noise");
}

/* In a recovery that keeps it cwnd is below ssthresh, but that is no slow start: an eighth more counts as a larger cwnd. */
static void stall_amid_noise(void)
{
	struct conn c;
	u32 i;

	begin_noisy(&c);
	sack(&c, 3, RTT, 1);
	is(verdict(&c), NDM_NOISE, "stall amid noise: a recovery keeps cwnd");
	v5(&c)->growth.stalls = 0;
	v5(&c)->growth.rate = 1 << 30;
	v5(&c)->growth.rate_cwnd = c.tp.snd_ssthresh * 5 / 6;
	for (i = 0; i < 20; i++) {
		model_wait(&c, RTT / 20);
		sack(&c, 1, RTT, 0);
	}
	ok(model_state(&c) == TCP_CA_Recovery && tcp_in_slow_start(&c.tp) && v5(&c)->growth.stalls == 1,
	   "stall amid noise: a sixth more brought no higher rate (%u)", v5(&c)->growth.stalls);
	end(&c, "stall amid noise");
}

/* The application writes a packet each 2.5 ms, 20 a round trip; there is always a recovery from noise. */
static void used_by_a_fifth(void)
{
	struct conn c;
	u32 i;

	begin_noisy(&c);
	for (i = 0; i < 2; i++) {
		loss_event(&c, 1, RTT);
		rounds(&c, 3, RTT, 0);
	}
	fall_silent(&c, RTT);
	for (i = 0; i < 40000 && !watch_failed(); i++) {
		model_wait(&c, RTT / 20);
		model_send(&c, 1);
		if (c.tp.packets_out <= 20)
			continue;
		if (i % 20 == 5 && model_state(&c) == TCP_CA_Open)
			sack(&c, 3, RTT, 1);
		else
			ack(&c, 1, RTT);
	}
	ok(c.tp.snd_ssthresh < 1000, "recoveries that keep cwnd do not raise what nobody uses (%u packets, ssthresh %u)",
	   c.tp.snd_cwnd, c.tp.snd_ssthresh);
	end(&c, "an application that is the limit");
}

static void names_and_variants(void)
{
	struct conn c;

	model_param_set("variant", "v5");
	begin(&c, "ndm", START_US, RTT, 20);
	is(model_counter[NDM_SOCKETS + NDM_ALGORITHM_CHOSEN], 1, "ndm: counted as ndm");
	model_param_set("variant", "v1");
	loss_event(&c, 1, RTT);
	is(c.tp.snd_ssthresh, 14, "a connection that began as v5 stays it");
	end(&c, "ndm");
	begin(&c, "ndm", START_US, RTT, 20);
	model_param_set("variant", "v5");
	loss_event(&c, 1, RTT);
	is(c.tp.snd_ssthresh, 10, "one that began as v1 does not become v5");
	end(&c, "ndm, v1");
	model_param_set("variant", "v1");
	model_open(&c, "ndm_v5", START_US, 1, 10);
	model_close(&c);
	ok(!watch_failed(), "a connection that never came up is released and not counted");
	ok(model_param_set("variant", "v6") == -EINVAL && model_param_set("rack_assist", "2") == -EINVAL,
	   "parameters out of range are refused");
}

/* The ACK of a SYN that was sent again comes before init(), and is no reason to let RACK wait. */
static void before_init(void)
{
	struct ack_sample sample = { .pkts_acked = 2, .rtt_us = 20 * MS };
	struct conn c;

	model_open(&c, "ndm_v5", START_US, 1, 10);
	c.tp.srtt_us = 100 * MS << 3;
	c.tp.mdev_us = 50 * MS;
	c.tp.inet_conn.icsk_rto = HZ;
	c.tp.rack.rtt_us = 0;
	model_ops("ndm_v5")->pkts_acked(model_sk(&c), &sample);
	is(c.tp.rack.rtt_us, 0, "an ACK before init() leaves RACK alone");
}

/* How long RACK may wait is learnt, and forgotten. */
static void wait_is_learnt(void)
{
	struct conn c;
	u32 before;

	begin(&c, "ndm_v5", START_US, 200, 50);
	rounds(&c, 10, 200, 0);
	rounds(&c, 40, 200, 1000);
	before = v5(&c)->reorder.wait_us;
	rounds(&c, 5, 200, 0);
	ok(before > 1000 && v5(&c)->reorder.wait_us > before / 2,
	   "RTT 200 us: a wait of %u us is kept for some rounds", before);
	rounds(&c, 200, 200, 0);
	ok(v5(&c)->reorder.wait_us <= 600, "RTT 200 us: and falls to what the path needs (%u us)", v5(&c)->reorder.wait_us);
	end(&c, "a wait that was learnt");
}

/* RTTs of 18 to 30 ms, and packets that overtake each other. */
static void begin_reordered(struct conn *c, bool timestamps)
{
	begin(c, "ndm_v5", START_US, 24 * MS, 100);
	c->tp.rx_opt.tstamp_ok = timestamps;
	reordered_rounds(c, 8, 18 * MS, 12 * MS, 30 * MS);
	ok(v5(c)->reorder.rounds && rack_wait(c) > c->tp.srtt_us >> 3, "RACK waits, as the path reorders");
}

/* A packet is missing for as long as RACK waits. */
static void lose(struct conn *c)
{
	sack(c, 10, 24 * MS, 0);
	model_wait(c, MS);
	model_ack(c, (struct ack){ .sacked = 1, .rtt_us = 24 * MS, .rack_us = rack_wait(c), .lost = 1 });
	is(model_state(c), TCP_CA_Recovery, "a packet is lost");
}

/* In a recovery RACK waits for longer: with timestamps a repair costs what it overtakes. */
static void one_repair_at_a_time(bool timestamps)
{
	struct conn c;
	u32 wait_us, more_us;

	begin_reordered(&c, timestamps);
	wait_us = rack_wait(&c);
	lose(&c);
	c.tp.inet_conn.icsk_rto = HZ;
	model_wait(&c, MS);
	sack(&c, 1, 24 * MS, 0);
	more_us = timestamps ? wait_us : wait_us / 4;
	ok(rack_wait(&c) >= wait_us + more_us - wait_us / 8 && rack_wait(&c) <= wait_us + more_us + wait_us / 8,
	   "timestamps %u: in a recovery RACK waits for %u ms, outside of one for %u", timestamps,
	   rack_wait(&c) / MS, wait_us / MS);
	end(&c, "one repair at a time");
}

/* With a packet missing, the mean RTT is larger without a queue. */
static void queues_amid_reordering(void)
{
	struct conn c;
	struct ndm_v5 *v = v5(&c);

	begin_reordered(&c, true);
	v->rounds.samples = 0;
	v->rounds.jitter_us = 5 * MS;
	v->rounds.base_us = 16 * MS;
	v->rounds.mean_us = 23 * MS;
	ok(!ndm_queue_shows(v, NDM_ABOVE_HALF), "7 ms above a base of 16: no queue amid reordering");
	v->question.share = 0;
	sack(&c, 3, 24 * MS, 1);
	is(verdict(&c), NDM_NOISE, "and a loss is judged so");
	v->rounds.samples = 0;
	v->rounds.base_us = 16 * MS;
	v->rounds.mean_us = 23 * MS;
	v->reorder.rounds = 0;
	ok(ndm_queue_shows(v, NDM_ABOVE_HALF), "where nothing is reordered they are one");
	v->reorder.rounds = 16;
	v->rounds.mean_us = 25 * MS;
	ok(ndm_queue_shows(v, NDM_ABOVE_HALF), "9 ms are one there, too");
	end(&c, "queues amid reordering");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	growth_amid_noise();
	used_by_a_fifth();
	before_init();
	wait_is_learnt();
	names_and_variants();
	stall_amid_noise();
	one_repair_at_a_time(false);
	one_repair_at_a_time(true);
	queues_amid_reordering();
	return tap_done();
}
