// SPDX-License-Identifier: GPL-2.0
/* v1 and v4 by their callbacks: growth beside Reno's, cuts, undo. */
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

int main(void)
{
	static const char *const algorithms[] = { "ndm_v1", "ndm_v4" };
	u32 i;

	model_module_init();
	for (i = 0; i < 2; i++) {
		acks_of_nothing_new(algorithms[i]);
		beside_reno(algorithms[i]);
		cuts(algorithms[i]);
	}
	return tap_done();
}
