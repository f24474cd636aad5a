// SPDX-License-Identifier: GPL-2.0
/* v5 on a path that reorders and loses packets: how it repairs, and what its RTTs then say. */
#include "play.h"

#include "../../src/module/v5/hold.h"
#include "../../src/module/v5/judge.h"

/* RTTs of 18 to 30 ms, and packets that overtake each other. */
static void begin_reordered(struct conn *c, bool timestamps)
{
	begin(c, "ndm_v5", START_US, 24 * MS, 100);
	c->tp.rx_opt.tstamp_ok = timestamps;
	reordered_rounds(c, 8, 18 * MS, 12 * MS, 30 * MS);
	ok(v5(c)->reordering.rounds && v5(c)->assisted, "RACK waits, as the path reorders");
}

/* Where RACK does not run, v5 does nothing about reordering: no larger share of losses, no search. */
static void without_rack(bool sacks)
{
	const char *what = sacks ? "tcp_recovery=0" : "no SACK";
	struct conn c;
	u32 rtt_us;

	begin(&c, "ndm_v5", START_US, 24 * MS, 100);
	c.tp.rx_opt.sack_ok = sacks;
	c.net.ipv4.sysctl_tcp_recovery = sacks ? 0 : TCP_RACK_LOSS_DETECTION;
	reordered_rounds(&c, 8, 18 * MS, 12 * MS, 30 * MS);
	rtt_us = c.tp.rack.rtt_us;
	ok(c.tp.reord_seen && !v5(&c)->reordering.rounds && !v5(&c)->searched, "%s: reordering does not count", what);
	ok(!v5(&c)->assisted && c.tp.rack.reo_wnd_steps == 1 && rtt_us == c.rack_rtt_us, "%s: RACK's fields stay", what);
	end(&c, what);
}

/* A packet is missing for as long as RACK waits. */
static void lose(struct conn *c)
{
	sack(c, 10, 24 * MS, 0);
	model_wait(c, MS);
	model_ack(c, (struct ack){ .sacked = 1, .rtt_us = 24 * MS, .rack_us = v5(c)->hold.wait << NDM_V5_UNIT_SHIFT, .lost = 1 });
	is(model_state(c), TCP_CA_Recovery, "a packet is lost");
}

/* Nothing is sent until what was sent before has probably arrived. */
static void quiet_before_a_repair(void)
{
	struct conn c;
	u32 jitter_us, sent, i;

	begin_reordered(&c, true);
	lose(&c);
	jitter_us = v5(&c)->rounds.jitter_us;
	ok(jitter_us > 2 * MS && jitter_us < 8 * MS, "RTTs differ by %u us in the mean", jitter_us);
	sent = c.tp.packets_out;
	for (i = 0; i < 4; i++) {
		model_wait(&c, jitter_us * 2 / 5);
		sack(&c, 2, 24 * MS, 0);
	}
	ok(v5(&c)->hold.on && !c.tp.retrans_out && c.tp.packets_out == sent,
	   "with timestamps nothing is sent for 1.6 times that");
	model_wait(&c, jitter_us * 3 / 5);
	sack(&c, 2, 24 * MS, 0);
	ok(!v5(&c)->hold.on && c.tp.retrans_out == 1, "after more than twice that it is sent again");
	end(&c, "quiet before a repair");

	begin_reordered(&c, false);
	lose(&c);
	ok(!v5(&c)->hold.on && c.tp.retrans_out == 1, "without timestamps it is sent again at once");
	end(&c, "repair without timestamps");

	begin_reordered(&c, true);
	v5(&c)->rounds.jitter_us = 200 * MS;
	lose(&c);
	model_wait(&c, (c.tp.srtt_us >> 3) + 2 * MS);
	sack(&c, 2, 24 * MS, 0);
	ok(!v5(&c)->hold.on, "whatever the jitter, it is quiet for one smoothed RTT at most");
	end(&c, "quiet for an RTT");
}

/* What arrives first after a pause has small RTTs: the base must not become one of these. */
static void no_samples_after_a_pause(void)
{
	struct conn c;
	struct ndm_rounds *r = &v5(&c)->rounds;
	u32 base_us, mean_us, i;

	begin_reordered(&c, true);
	lose(&c);
	base_us = r->base_us;
	mean_us = r->mean_us;
	for (i = 0; i < 30 && v5(&c)->hold.on; i++) {
		model_wait(&c, MS);
		sack(&c, 1, 24 * MS, 0);
	}
	ok(!v5(&c)->hold.on && r->paused, "the repair has begun");
	for (i = 0; i < (c.tp.srtt_us >> 4) / MS; i++) {
		model_wait(&c, MS);
		sack(&c, 1, 10 * MS, 0);
	}
	ok(r->paused && !r->samples && r->base_us == base_us && r->mean_us == mean_us,
	   "for a while no sample is taken");
	for (i = 0; i < 60 && r->paused; i++) {
		model_wait(&c, MS);
		sack(&c, 1, 24 * MS, 0);
	}
	ok(!r->paused && i * MS <= c.tp.srtt_us >> 3, "nor much longer (%u ms)", i);
	model_wait(&c, MS);
	sack(&c, 1, 24 * MS, 0);
	ok(r->samples, "then they count again");
	end(&c, "no samples after a pause");
}

static void one_repair_at_a_time(bool timestamps)
{
	struct conn c;
	u32 wait_us, more_us, rto_us, i;

	begin_reordered(&c, timestamps);
	wait_us = ndm_hold_wait_us(model_sk(&c), v5(&c));
	lose(&c);
	c.tp.inet_conn.icsk_rto = HZ;
	rto_us = jiffies_to_usecs(c.tp.inet_conn.icsk_rto);
	for (i = 0; i < 30 && v5(&c)->hold.on; i++) {
		model_wait(&c, MS);
		sack(&c, 1, 24 * MS, 0);
	}
	model_wait(&c, MS);
	sack(&c, 1, 24 * MS, 0);
	more_us = timestamps ? wait_us : wait_us / 4;
	ok(rack_wait(&c) >= wait_us + more_us - wait_us / 8 && rack_wait(&c) <= wait_us + more_us + wait_us / 8,
	   "timestamps %u: in a recovery RACK waits for %u ms, outside of one for %u", timestamps,
	   rack_wait(&c) / MS, wait_us / MS);
	c.tp.inet_conn.icsk_rto = HZ;
	is(ndm_hold_next_us(model_sk(&c), rto_us * 7 / 10), rto_us * 3 / 4, "for 3/4 of the RTO at most");
	is(ndm_hold_next_us(model_sk(&c), rto_us), rto_us, "but never for less than outside of one");
	end(&c, "one repair at a time");
}

/* With a packet missing, the mean RTT is larger without a queue. */
static void queues_amid_repairs(void)
{
	struct conn c;
	struct ndm_v5 *v = v5(&c);

	begin_reordered(&c, true);
	v->rounds.samples = 0;
	v->rounds.jitter_us = 3 * MS;
	v->rounds.base_us = 16 * MS;
	v->rounds.mean_us = 23 * MS;
	ok(ndm_judge_queue(v, false), "7 ms above a base of 16: a queue");
	ok(!ndm_judge_queue(v, true), "but none while a packet is missing");
	v->reordering.rounds = 0;
	ok(ndm_judge_queue(v, true), "unless nothing is reordered");
	v->reordering.rounds = 16;
	v->rounds.mean_us = 25 * MS;
	ok(ndm_judge_queue(v, true), "9 ms are one there, too");
	v->rounds.mean_us = 23 * MS;
	v->question.share = 0;
	ok(ndm_judge(model_sk(&c), v) == NDM_NOISE, "and a loss is judged so");
	end(&c, "queues amid repairs");
}

/* Even the fastest packet of a round met a queue. */
static void all_late(void)
{
	struct conn c;
	struct ndm_v5 *v = v5(&c);

	begin_reordered(&c, true);
	v->rounds.jitter_us = 5 * MS;
	v->rounds.base_us = 20 * MS;
	v->start.least = (22 * MS) >> NDM_V5_UNIT_SHIFT;
	ok(ndm_judge_all_late(v, 16), "all of 16 packets took longer than the base, a mean: a queue");
	ok(!ndm_judge_all_late(v, 15), "fewer packets show nothing");
	v->reordering.rounds = 0;
	ok(!ndm_judge_all_late(v, 16), "it is for paths that reorder");
	v->reordering.rounds = 16;
	v->start.least = (19 * MS) >> NDM_V5_UNIT_SHIFT;
	ok(!ndm_judge_all_late(v, 16), "one that took less shows that there is none");
	v->rounds.samples = 0;
	v->rounds.mean_us = v->rounds.base_us;
	v->question.share = 0;
	v->queue = true;
	is(ndm_judge(model_sk(&c), v), NDM_QUEUE, "the queue of the round before makes a loss congestion");
	v->queue = false;
	is(ndm_judge(model_sk(&c), v), NDM_NOISE, "without it this loss is noise");
	end(&c, "all late");

	begin_reordered(&c, true);
	rounds(&c, 3, 120 * MS, 4 * MS);
	ok(v->reordering.rounds && v->queue, "rounds find such a queue");
	end(&c, "rounds with a queue");
}

/* Repairs that follow each other must not leave v5 without samples. */
static void repairs_in_a_row(void)
{
	struct conn c;
	struct ndm_rounds *r = &v5(&c)->rounds;

	begin_reordered(&c, true);
	r->paused = 1;
	lose(&c);
	ok(v5(&c)->hold.on, "a second repair in a row waits, too");
	is(r->paused, 1, "but rounds without samples end as if it did not");
	end(&c, "repairs in a row");
}

int main(void)
{
	model_module_init();
	model_param_set("rack_assist", "1");
	quiet_before_a_repair();
	no_samples_after_a_pause();
	one_repair_at_a_time(false);
	one_repair_at_a_time(true);
	queues_amid_repairs();
	all_late();
	repairs_in_a_row();
	without_rack(true);
	without_rack(false);
	return tap_done();
}
