// SPDX-License-Identifier: GPL-2.0
/* A connection's decisions: verdicts, growth, cuts, and what must never happen. */
#include "../../src/module/v1_v4/flow.h"
#include "tap.h"

#define MS 1000u
#define PRIV_SIZE_EL8 88	/* bytes; 104 on mainline kernels since 5.8 */

static const struct ndm_tuning defaults = {
	.entropy_threshold = 700, .keep_congestion = 500, .keep_noise = 333,
	.congestion_divisor = 2000, .noise_divisor = 1000,
	.v4_start_gradient = 400, .v4_delay_high = 800, .v4_gradient_high = 500,
	.v4_delay_divisor = 3000, .v4_gradient_divisor = 4000,
};

static struct ndm_flow flow_with(const u32 *rtt_us, int n)
{
	struct ndm_flow flow = { 0 };
	int i;

	ndm_flow_restart(&flow);
	for (i = 0; i < n; i++)
		ndm_flow_sample(&flow, rtt_us[i], i * 10 * MS, 0);
	return flow;
}

static struct ndm_flow constant_flow(int n)
{
	u32 rtt[16], i;

	for (i = 0; i < 16; i++)
		rtt[i] = 50 * MS;
	return flow_with(rtt, n);
}

static struct ndm_flow scattered_flow(u32 lowest_us)
{
	u32 rtt[16], i;

	for (i = 0; i < 16; i++)
		rtt[i] = lowest_us + (i * 7 % 16) * 5 * MS;
	return flow_with(rtt, 16);
}

static void update(struct ndm_flow *flow, bool v4)
{
	ndm_flow_update(flow, v4, &defaults, 50 * MS, false);
}

static void verdicts(void)
{
	struct ndm_flow flow = constant_flow(7);
	struct ndm_tuning edge = defaults;

	update(&flow, false);
	is(flow.verdict, NDM_NO_DATA, "7 samples: no data");
	is(ndm_flow_credit(&flow, 5), 5, "no data: every packet counts, as in Reno");
	flow = constant_flow(8);
	update(&flow, false);
	is(flow.verdict, NDM_CONGESTION, "8 equal samples: congestion");
	is(flow.entropy, 0, "8 equal samples: entropy 0");
	flow = scattered_flow(50 * MS);
	update(&flow, false);
	is(flow.verdict, NDM_NOISE, "scattered samples: noise");
	is(flow.entropy, 1000, "scattered samples: entropy 1000");
	edge.entropy_threshold = 1000;
	ndm_flow_update(&flow, false, &edge, 50 * MS, false);
	is(flow.verdict, NDM_CONGESTION, "at the threshold itself: congestion");
}

static void sampling(void)
{
	struct ndm_flow flow = { 0 };

	ndm_flow_restart(&flow);
	ndm_flow_sample(&flow, 50 * MS, 0xffffff00, 3 * MS);
	ndm_flow_sample(&flow, 60 * MS, 0xffffff00 + 2 * MS, 3 * MS);
	is(flow.history.count, 1, "a sample too soon is left out, across a clock wrap");
	ndm_flow_sample(&flow, 60 * MS, 0xffffff00 + 3 * MS, 3 * MS);
	is(flow.history.count, 2, "a sample after the spacing is taken");
	ok(!ndm_flow_acked(&flow, 7), "7 packets: no update yet");
	ok(ndm_flow_acked(&flow, 1), "8 packets: update");
	ok(ndm_flow_acked(&flow, UINT32_MAX), "a huge ACK: update, no overflow");
}

static void plasticity(void)
{
	struct ndm_flow flow = constant_flow(16);
	int i;

	is(flow.plasticity, 300, "plasticity starts at 300");
	ndm_flow_loss(&flow, false);
	is(flow.plasticity, 400, "+100 on a loss event");
	ndm_flow_loss(&flow, true);
	is(flow.plasticity, 550, "+150 on a timeout");
	update(&flow, false);
	is(flow.plasticity, 547, "x 995/1000 on an update");
	ok(!flow.loss_seen, "an update forgets the loss it has seen");
	for (i = 0; i < 10; i++)
		ndm_flow_loss(&flow, true);
	is(flow.plasticity, 1000, "capped at 1000");
	for (i = 0; i < 2000; i++)
		update(&flow, false);
	is(flow.plasticity, 100, "decays to the floor of 100");
	ndm_flow_restart(&flow);
	is(flow.plasticity, 300, "back to 300 after an idle restart");
	is(flow.history.count, 0, "an idle restart forgets the history");
}

static void undo(void)
{
	struct ndm_flow flow = constant_flow(16);

	ndm_flow_loss(&flow, false);
	ndm_flow_undo(&flow);
	is(flow.plasticity, 300, "a loss undone takes its plasticity back");
	ok(!flow.loss_seen, "a loss undone was not seen");
	ndm_flow_loss(&flow, true);
	ndm_flow_undo(&flow);
	is(flow.plasticity, 300, "so does a timeout undone");
	ndm_flow_loss(&flow, false);
	flow.plasticity = 120;
	ndm_flow_undo(&flow);
	is(flow.plasticity, 100, "never below the floor");
}

static void cuts(void)
{
	is(ndm_flow_keep(100, NDM_CONGESTION, &defaults), 50, "congestion keeps half");
	is(ndm_flow_keep(100, NDM_NO_DATA, &defaults), 50, "no data keeps half");
	is(ndm_flow_keep(100, NDM_NOISE, &defaults), 33, "noise keeps 333 of 1000");
	is(ndm_flow_keep(3, NDM_CONGESTION, &defaults), 2, "never below 2");
	is(ndm_flow_keep(2000000000, NDM_NOISE, &defaults), 666000000, "no overflow");
}

static void delay_signals(void)
{
	u32 rtt[2] = { 50 * MS, 53200 };
	struct ndm_flow flow = flow_with(rtt, 2);

	update(&flow, true);
	/* 53200 and 50000 us in whole units of 64 us: 53184 and 49984 */
	is(flow.gradient, 320, "3.2 ms more: gradient 320");
	is(flow.queue_delay, 63, "53.2 over 50 ms: queuing delay 63 of 1000");
	rtt[1] = 2000 * MS;
	flow = flow_with(rtt, 2);
	update(&flow, true);
	is(flow.gradient, 1000, "gradient is held at 1000");
	is(flow.queue_delay, 1000, "queuing delay is held at 1000");
	rtt[0] = 4000 * MS;
	rtt[1] = 4190 * MS;
	flow = flow_with(rtt, 2);
	ndm_flow_update(&flow, true, &defaults, 4000 * MS, false);
	is(flow.queue_delay, 47, "queuing delay of a 4 s path does not overflow");
}

/* The order of cases in v4, as published (seed 000). */
static void v4_divisors(void)
{
	struct ndm_flow flow = { .verdict = NDM_NOISE, .queue_delay = 801 };

	is(ndm_variant_divisor(true, &flow, &defaults), 3000, "v4: noise and delay above 800");
	flow.queue_delay = 800;
	is(ndm_variant_divisor(true, &flow, &defaults), 1000, "v4: noise and delay of 800");
	flow.verdict = NDM_CONGESTION;
	flow.queue_delay = 1000;
	is(ndm_variant_divisor(true, &flow, &defaults), 2000, "v4: congestion");
	flow.gradient = 501;
	is(ndm_variant_divisor(true, &flow, &defaults), 4000, "v4: congestion and gradient above 500");
	flow.verdict = NDM_NO_DATA;
	ok(ndm_variant_starts_slowly(true, &flow, &defaults), "v4: slow start halves above gradient 400");
	flow.gradient = 400;
	ok(!ndm_variant_starts_slowly(true, &flow, &defaults), "v4: not at 400");
	flow.gradient = -1000;
	is(ndm_variant_starts_slowly(false, &flow, &defaults), 0, "v1: full slow start without congestion");
	flow.verdict = NDM_CONGESTION;
	is(ndm_variant_starts_slowly(false, &flow, &defaults), 1, "v1: half on congestion");
}

static void credit(void)
{
	struct ndm_flow flow = { .verdict = NDM_NOISE, .gain = 3 << (NDM_GAIN_SHIFT - 2) };
	u32 sum = 0, i;

	for (i = 0; i < 1000; i++)
		sum += ndm_flow_credit(&flow, 2);
	is(sum, 1500, "three quarters of 2000 packets, no fraction lost");
	flow.gain = 0;
	is(ndm_flow_credit(&flow, 10), 1, "at least 1");
	flow.carry = 0;
	for (sum = 0, i = 0; i < 1000; i++)
		sum += ndm_flow_half(&flow, 1);
	is(sum, 500, "half of single acked packets is half, not none");
}

static u32 growth_of(struct ndm_flow flow, bool v4, u32 min_rtt_us, bool slow_start)
{
	ndm_flow_update(&flow, v4, &defaults, min_rtt_us, slow_start);
	return flow.growth;
}

/* The same flow, judged with and without what tells of congestion. */
static void evidence(void)
{
	struct ndm_flow flow = constant_flow(16), scattered = scattered_flow(50 * MS), lossy, rising;
	u32 plain;

	flow.plasticity = 1000;
	lossy = rising = flow;
	lossy.loss_seen = true;
	ndm_flow_sample(&rising, 55 * MS, 200 * MS, 0);
	plain = growth_of(flow, false, 50 * MS, false);
	ok(growth_of(lossy, false, 50 * MS, false) < plain, "growth: less after a loss");
	ok(growth_of(flow, false, 45 * MS, false) < plain, "growth: less with a queue");
	ok(growth_of(flow, false, 50 * MS, true) > plain, "growth: more in slow start");
	ok(growth_of(scattered, false, 50 * MS, false) > plain, "growth: more where the verdict is noise");
	ok(growth_of(flow, true, 45 * MS, false) < growth_of(flow, false, 45 * MS, false), "growth: with a queue less in v4");
	ok(growth_of(rising, true, 55 * MS, false) < growth_of(rising, false, 55 * MS, false),
	   "growth: while the RTT rises too");
}

int main(void)
{
	ok(sizeof(struct ndm_flow) <= PRIV_SIZE_EL8,
	   "private state fits %d bytes: %zu", PRIV_SIZE_EL8, sizeof(struct ndm_flow));
	verdicts();
	sampling();
	plasticity();
	undo();
	cuts();
	delay_signals();
	v4_divisors();
	credit();
	evidence();
	return tap_done();
}
