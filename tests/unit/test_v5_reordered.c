// SPDX-License-Identifier: GPL-2.0
/* v5 on a path that reorders and loses packets: how it repairs, and what its RTTs then say. */
#include "play.h"

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
	one_repair_at_a_time(false);
	one_repair_at_a_time(true);
	queues_amid_reordering();
	return tap_done();
}
