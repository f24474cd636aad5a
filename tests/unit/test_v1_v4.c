// SPDX-License-Identifier: GPL-2.0
/* v1 and v4 by their callbacks: growth beside Reno's, cuts, undo, what they forget. */
#include <stdlib.h>

#include "../../src/module/v1_v4/flow.h"
#include "play.h"

#define RTT (50 * MS)

/* Scattered RTTs, so that the verdict is noise and growth is fullest. */
static void begin_scattered(struct conn *c, const char *algorithm)
{
	begin(c, algorithm, START_US, RTT, 40);
	rounds(c, 10, RTT, 100 * MS);
}

static void acks_of_nothing_new(const char *algorithm)
{
	struct conn c;
	u32 cwnd, i;

	begin_scattered(&c, algorithm);
	cwnd = c.tp.snd_cwnd;
	/* As a switch from v5 may leave it. */
	c.tp.snd_cwnd_cnt = 1000;
	for (i = 0; i < 1000; i++)
		watch_cong_avoid(&c, 0);
	ok(c.tp.snd_cwnd == cwnd, "%s: 1000 ACKs of what SACK had told of do not grow cwnd", algorithm);
	end(&c, algorithm);
}

/* cwnd after 100 rounds from 40 packets. */
static u32 grown(const char *algorithm, u32 jitter_us)
{
	struct conn c;
	u32 cwnd;

	begin(&c, algorithm, START_US, RTT, 40);
	rounds(&c, 100, RTT, jitter_us);
	cwnd = c.tp.snd_cwnd;
	end(&c, algorithm);
	return cwnd;
}

static void beside_reno(const char *algorithm)
{
	u32 jitter_us;

	for (jitter_us = 0; jitter_us <= 100 * MS; jitter_us += 20 * MS) {
		u32 ours, renos;

		tap_seed = 1;
		ours = grown(algorithm, jitter_us);
		tap_seed = 1;
		renos = grown("reno", jitter_us);
		ok(ours > 40 && ours <= renos, "%s: jitter of %u ms, 100 rounds: %u packets, Reno %u", algorithm,
		   jitter_us / MS, ours, renos);
	}
}

static void cuts(const char *algorithm)
{
	struct conn c;
	u32 cwnd, rtos;

	begin(&c, algorithm, START_US, RTT, 40);
	rounds(&c, 10, RTT, 0);
	cwnd = c.tp.snd_cwnd;
	loss_event(&c, 1, RTT);
	ok(c.tp.snd_cwnd == cwnd / 2, "%s: a loss on a quiet path leaves half", algorithm);
	rounds(&c, 10, RTT, 0);
	rtos = model_counter[NDM_RTOS];
	model_mtu_fell(&c, 10);
	ok(model_counter[NDM_RTOS] == rtos, "%s: a smaller path MTU is no timeout", algorithm);
	model_wait(&c, RTT);
	ack(&c, c.tp.packets_out, RTT);
	rounds(&c, 3, RTT, 0);
	model_wait(&c, SECOND);
	model_rto(&c);
	ok(model_counter[NDM_RTOS] == rtos + 1, "%s: a timeout is one", algorithm);
	end(&c, algorithm);
}

static struct ndm_flow *flow_of(struct conn *c)
{
	return inet_csk_ca(model_sk(c));
}

/* With scattered RTTs: a loss keeps @keep_noise of 1000; marks and timeouts the share of congestion, 500, at most. */
static void cuts_on_noise(const char *algorithm, const char *keep_noise)
{
	u32 share = strtoul(keep_noise, NULL, 10), least = min(share, 500U), cwnd, rise;
	struct conn c;

	model_param_set("keep_noise", keep_noise);
	begin_scattered(&c, algorithm);
	cwnd = c.tp.snd_cwnd;
	rise = flow_of(&c)->plasticity;
	sack(&c, 3, RTT, 1);
	is(verdict(&c), NDM_NOISE, "noise: a loss");
	is(c.tp.snd_ssthresh, cwnd * share / 1000, "noise: keep_noise is left");
	is(flow_of(&c)->plasticity - rise, 100, "noise: plasticity rises by 100");
	model_wait(&c, SECOND);
	model_rto(&c);
	is(c.tp.snd_ssthresh, cwnd * least / 1000, "noise: a timeout amid that recovery takes back what is more than 500");
	end(&c, algorithm);

	begin_scattered(&c, algorithm);
	cwnd = c.tp.snd_cwnd;
	rise = flow_of(&c)->plasticity;
	model_wait(&c, SECOND);
	model_rto(&c);
	is(c.tp.snd_ssthresh, cwnd * least / 1000, "noise: a timeout leaves 500 at most");
	is(flow_of(&c)->plasticity - rise, 150, "noise: and plasticity rises by 150");
	end(&c, algorithm);

	begin_scattered(&c, algorithm);
	cwnd = c.tp.snd_cwnd;
	model_ack(&c, (struct ack){ .acked = 1, .ece = true, .rtt_us = RTT, .rack_us = RTT });
	ok(model_state(&c) == TCP_CA_CWR && c.tp.snd_ssthresh == cwnd / 2, "noise: a mark leaves half nevertheless (%u of %u)",
	   c.tp.snd_ssthresh, cwnd);
	end(&c, algorithm);
	model_param_set("keep_noise", "333");
}

/* The loss was none, as timestamps tell. */
static void undone(const char *algorithm)
{
	struct conn c;
	u32 cwnd, rise;

	begin(&c, algorithm, START_US, RTT, 40);
	rounds(&c, 10, RTT, 0);
	cwnd = c.tp.snd_cwnd;
	rise = flow_of(&c)->plasticity;
	sack(&c, 3, RTT, 1);
	is(c.tp.snd_ssthresh, cwnd / 2, "an undo: of a cut to half");
	model_wait(&c, RTT / 5);
	c.tp.retrans_out = 0;
	model_ack(&c, (struct ack){ .acked = c.tp.packets_out - c.tp.sacked_out, .rtt_us = RTT, .rack_us = RTT, .original = true });
	ok(c.tp.snd_cwnd >= cwnd && flow_of(&c)->plasticity <= rise, "an undo: cwnd is back (%u of %u), and plasticity", c.tp.snd_cwnd, cwnd);
	end(&c, algorithm);
}

/* What is sampled: not the ACK of less than a packet, which waits for a timer; nothing from before an idle time. */
static void samples(const char *algorithm)
{
	struct conn c;
	u32 i;

	begin_scattered(&c, algorithm);
	fall_silent(&c, RTT);
	model_wait(&c, 3 * SECOND);
	model_send(&c, 2);
	ok(!flow_of(&c)->history.count && flow_of(&c)->plasticity == 300, "idle: what was known is forgotten");
	for (i = 0; i < 20; i++) {
		model_wait(&c, RTT + 40 * MS);
		c.backlog_pkts = 0;
		model_ack(&c, (struct ack){ .acked = 1, .rtt_us = RTT + 40 * MS, .rack_us = RTT, .runt = true });
		model_send(&c, 1);
	}
	is(flow_of(&c)->history.count, 0, "messages of less than a packet give no sample");
	for (i = 0; i < 20; i++) {
		model_wait(&c, RTT);
		c.backlog_pkts = 0;
		ack(&c, c.tp.packets_out, RTT);
		model_send(&c, 2);
	}
	is(verdict(&c), NDM_CONGESTION, "pairs of packets do");
	end(&c, algorithm);
}

int main(void)
{
	static const char *const algorithms[] = { "ndm_v1", "ndm_v4" };
	u32 i;

	model_module_init();
	for (i = 0; i < 2; i++) {
		acks_of_nothing_new(algorithms[i]);
		beside_reno(algorithms[i]);
		cuts(algorithms[i]);
		cuts_on_noise(algorithms[i], "333");
		cuts_on_noise(algorithms[i], "667");
		undone(algorithms[i]);
		samples(algorithms[i]);
	}
	return tap_done();
}
