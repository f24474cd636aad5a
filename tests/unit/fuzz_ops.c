// SPDX-License-Identifier: GPL-2.0
/*
 * Random connections through the real callbacks: what a path, an application and
 * an administrator may do, in any order that the kernel allows. Each connection
 * follows from its seed alone and is run twice, at two times of the clock.
 */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <linux/module.h>

#include "../../src/module/v5/v5.h"
#include "claims.h"
#include "invariants.h"
#include "model.h"

/* Situations that a run has to meet: one that no seed reaches tests nothing. */
enum seen {
	SEEN_VERDICT, SEEN_STATE = SEEN_VERDICT + NDM_VERDICTS, SEEN_UNDO = SEEN_STATE + 5,
	SEEN_UNDO_LOSS, SEEN_KEPT, SEEN_CUT_LATE, SEEN_SWITCH, SEEN_IDLE_HOURS = SEEN_SWITCH + 5,
	SEEN_REORDERED, SEEN_ASSISTED, SEEN_RTO_AMID_RECOVERY, SEEN_RTO_AGAIN, SEEN_MTU,
	SEEN_NO_SACK, SEEN_LARGE, SEEN_CLAMPED, SEEN_PROBE, SEEN_RACK_TIMER, SEEN_OLD_ACK,
	SEEN_ASKING_CUT, SEEN_QUEUE_OWN, SEEN_QUEUE_OTHERS, SEEN_ALL
};

static u64 seen[SEEN_ALL];
static const char *program;	/* as it was called */

static const char *const seen_names[SEEN_ALL] = {
	"no data", "(v1)", "noise", "queue", "own", "loss share", "plateau", "bound", "ECN", "timeout",
	"Open", "Disorder", "CWR", "Recovery", "Loss", "undo", "undo in Loss", "cwnd kept",
	"cut after all", "switch in Open", "in Disorder", "in CWR", "in Recovery", "in Loss",
	"hours of idle", "reordering", "RACK assisted", "RTO amid Recovery", "RTO repeated",
	"MTU fell", "no SACK", "2^19 packets", "cwnd at the clamp", "tail loss probe", "RACK timer",
	"reordered ACK", "question about a queue cut short", "queue of its own", "queue of others",
};

/* Random numbers (splitmix64): of a seed alone, and quick. */
static u64 random_state;

static u32 below(u32 n)
{
	u64 x = random_state += 0x9e3779b97f4a7c15ULL;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return (u32)((x ^ x >> 31) >> 32) % n;
}

static bool chance(u32 of)
{
	return !below(of);
}

/* Any order of magnitude is as likely as any other. */
static u32 magnitude(u32 least, u32 most)
{
	u32 bits = 0;

	while (most >> bits > least)
		bits++;
	bits = below(bits + 1);
	return min(most, (least << bits) + below(max(least << bits, 1U)));
}

/* What a connection has to do with; "one in so many" each. */
static struct {
	u32 rtt_us, jitter_us, queue_us, aggregate, rate_pkts;	/* rate_pkts: an RTT */
	u32 loss, burst, reorder, ece, spurious, events, no_sample;
	bool bulk, own;		/* the queue is of its own: it goes where less than half of ssthresh is in flight */
	bool yields;
} path;

static u32 draw_rtt(void)
{
	u32 rtt = path.rtt_us + below(path.jitter_us + 1);

	if (chance(64) && !path.own)
		path.queue_us = chance(2) ? 0 : below(path.rtt_us + 1);
	return min(rtt + (path.own && path.yields ? 0 : path.queue_us), 4200000U);
}

static void draw_path(void)
{
	path.rtt_us = magnitude(20, 4000000);
	path.jitter_us = chance(2) ? path.rtt_us / 64 : below(2 * path.rtt_us);
	path.rate_pkts = magnitude(2, 1 << 20);
	path.aggregate = magnitude(1, 64);
	path.loss = magnitude(8, 4096);
	path.burst = magnitude(1, 64);
	path.reorder = chance(2) ? 100000 : magnitude(2, 64);
	path.ece = chance(4) ? magnitude(16, 1024) : 100000;
	path.spurious = magnitude(2, 64);
	path.no_sample = chance(4) ? 2 : 50;
	path.events = magnitude(64, 4096);
	path.bulk = !chance(4);
	path.own = path.rtt_us % 2;	/* draws nothing */
	path.queue_us = path.own ? path.rtt_us + path.rtt_us / 2 : 0;
	path.yields = false;
}

static void draw_settings(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	tp->rx_opt.sack_ok = !chance(8);
	tp->rx_opt.tstamp_ok = path.rtt_us % 4 != 0;	/* draws nothing */
	seen[SEEN_NO_SACK] += !tp->rx_opt.sack_ok;
	if (chance(3))
		tp->snd_cwnd_clamp = magnitude(2, 1 << 20);
	tp->snd_cwnd = min(magnitude(1, 64), tp->snd_cwnd_clamp);
	if (chance(4))
		tp->snd_ssthresh = magnitude(2, 1 << 16);
	c->net.ipv4.sysctl_tcp_reordering = chance(4) ? 1 + below(20) : 3;
	tp->reordering = chance(8) ? 1 + below(300) : (u32)c->net.ipv4.sysctl_tcp_reordering;
	c->net.ipv4.sysctl_tcp_slow_start_after_idle = chance(2);
	c->sndbuf_full = chance(4);
	c->tx_start_op = path.rtt_us % 2;	/* draws nothing */
	c->net.ipv4.sysctl_tcp_recovery = path.rtt_us % 16 != 1;	/* nor does this */
}

static void traffic(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;
	u32 flight, n;
	struct ack ack = { .rtt_us = -1 };
	long undos;
	u8 before;

	if (!tp->packets_out) {
		model_send(c, path.bulk ? 1 << 20 : magnitude(1, 256));
		model_wait(c, draw_rtt());
		if (!tp->packets_out)
			return;
	}
	flight = tp->packets_out;
	path.yields = flight < tp->snd_ssthresh / 2;
	n = chance(16) ? 1 + below(flight) : 1 + below(path.aggregate) + below(flight / 64 + 1);
	n = min(n, flight);
	/* Later than that the RTO would have fired. */
	model_wait(c, min((u64)draw_rtt() * n / min(flight, path.rate_pkts) + below(3),
			  (u64)jiffies_to_usecs(tp->inet_conn.icsk_rto)));
	if (path.bulk ? c->backlog_pkts < 1 << 19 : chance(8))
		model_send(c, path.bulk ? 1 << 20 : magnitude(1, 256));

	ack.rack_us = draw_rtt();
	if (!chance(path.no_sample))
		ack.rtt_us = chance(200) ? 0 : (s32)ack.rack_us;
	ack.runt = chance(32);
	ack.ece = chance(path.ece);
	ack.acked_lost = below(257);
	/* Behind a hole nothing but SACKs come until it is filled. */
	if ((tp->sacked_out || tp->lost_out) && below(4))
		ack.sacked = n;
	else
		ack.acked = n;
	if (chance(path.loss)) {
		ack.sacked = max(ack.sacked, 1U);
		ack.acked = chance(2) ? ack.acked : 0;
		ack.lost = chance(8) ? 1 + below(flight) : 1 + below(path.burst);
		if (chance(16))
			ack.lost_again = below(flight);
	}
	if (chance(path.reorder)) {
		ack.sacked = max(ack.sacked, below(8));
		ack.reordered = 1 + below(chance(4) ? 64 : 4);
		ack.distance = magnitude(1, 400);
	}
	if (model_state(c) >= TCP_CA_CWR || tp->undo_marker) {
		ack.original = chance(path.spurious);
		ack.frto = chance(path.spurious);
		if (chance(path.spurious))
			ack.dsack = chance(2) && tp->undo_retrans > 0 ? tp->undo_retrans : 1 + below(3);
	}
	ack.old = chance(64);
	seen[SEEN_OLD_ACK] += ack.old;
	before = model_state(c);
	undos = model_counter[NDM_UNDOS];
	model_ack(c, ack);
	seen[before == TCP_CA_Loss ? SEEN_UNDO_LOSS : SEEN_UNDO] += model_counter[NDM_UNDOS] - undos;
}

/* All is acknowledged, the application falls silent, and speaks again. */
static void idle(struct conn *c)
{
	static const u64 wrap_us = 1ULL << 32;
	u64 us = magnitude(1, 1 << 30);

	c->backlog_pkts = 0;
	while (c->tp.packets_out && !watch_failed()) {
		model_wait(c, draw_rtt());
		model_ack(c, (struct ack){ .acked = c->tp.packets_out, .rtt_us = draw_rtt(),
					   .rack_us = path.rtt_us });
		c->backlog_pkts = 0;
	}
	if (chance(2))
		us = (u64)magnitude(1, 4) * path.rtt_us;
	else if (chance(4))
		us = wrap_us * (1 + below(3)) + below(path.rtt_us);
	model_wait(c, us);
	seen[SEEN_IDLE_HOURS] += us > wrap_us;
	model_send(c, path.bulk ? 1 << 20 : 1 + below(20));
	model_wait(c, draw_rtt());
}

/* Request and answer of a packet each: ACKs, but no RTT to learn from. */
static void lone_packets(struct conn *c)
{
	u32 n = below(64);

	while (n-- && !watch_failed()) {
		c->backlog_pkts = 0;
		if (!c->tp.packets_out)
			model_send(c, 1);
		model_wait(c, draw_rtt() + (chance(4) ? magnitude(1, 1 << 24) : 0));
		model_ack(c, (struct ack){ .acked = c->tp.packets_out, .rtt_us = draw_rtt(),
					   .rack_us = path.rtt_us, .runt = true });
	}
	if (path.bulk)
		model_send(c, 1 << 20);
}

static u32 late(void)
{
	return chance(4) ? magnitude(1, 1 << 24) : 0;
}

static void timeout(struct conn *c)
{
	u32 n = chance(4) ? 1 + below(4) : 1;

	while (n-- && c->tp.packets_out) {
		seen[SEEN_RTO_AMID_RECOVERY] += model_state(c) == TCP_CA_Recovery;
		seen[SEEN_RTO_AGAIN] += model_state(c) == TCP_CA_Loss;
		/* Timers may be late: a host sleeps, a socket is locked. */
		model_wait(c, jiffies_to_usecs(c->tp.inet_conn.icsk_rto) + late());
		model_rto(c);
	}
	model_wait(c, draw_rtt());
}

static const char *const queues[] = { "0", "1", "20", "200" };

static void administer(struct conn *c)
{
	static const char *const algorithms[] = { "ndm", "ndm_v1", "ndm_v4", "ndm_v5", "ndm_v5",
						  "reno", "bbr" };
	static const char *const variants[] = { "v1", "v4", "v5", "v5" };

	switch (below(4)) {
	case 0:
		model_param_set("variant", variants[below(4)]);
		break;
	case 1:
		model_param_set("rack_assist", chance(3) ? "0" : "1");
		model_param_set("queue_ms", queues[below(4)]);
		break;
	case 2:
		c->net.ipv4.sysctl_tcp_reordering = 1 + below(10);
		c->net.ipv4.sysctl_tcp_slow_start_after_idle = chance(2);
		break;
	case 3:
		seen[SEEN_SWITCH + model_state(c)]++;
		model_bbr_cwnd = magnitude(4, 1 << 20);
		model_switch(c, algorithms[below(7)]);
		break;
	}
}

static void event(struct conn *c)
{
	switch (below(10)) {
	case 0:
		timeout(c);
		break;
	case 1:
		idle(c);
		break;
	case 2:
		lone_packets(c);
		break;
	case 3:
		seen[SEEN_MTU] += c->tp.packets_out > 0;
		model_mtu_fell(c, magnitude(1, 64));
		break;
	case 4:
		model_local_congestion(c);
		break;
	case 5:
		seen[SEEN_PROBE] += c->tp.packets_out > 0;
		model_tail_loss_probe(c);
		break;
	case 6:
	case 7:
		if (c->tp.sacked_out) {
			seen[SEEN_RACK_TIMER]++;
			model_wait(c, draw_rtt() / 4 + late());
			model_rack_timer(c, magnitude(1, 64));
		}
		break;
	default:
		administer(c);
	}
}

static void note(struct conn *c)
{
	const struct ndm_v5 *v = inet_csk_ca(model_sk(c));
	static bool was_noise, was_asking;

	seen[SEEN_STATE + model_state(c)]++;
	seen[SEEN_LARGE] += c->tp.packets_out > 1 << 19;
	seen[SEEN_CLAMPED] += c->tp.snd_cwnd == c->tp.snd_cwnd_clamp;
	if (strncmp(c->tp.inet_conn.icsk_ca_ops->name, "ndm", 3) || !v->id.v5)
		return;
	seen[SEEN_VERDICT + v->verdict]++;
	seen[SEEN_REORDERED] += v->reorder.rounds > 0;
	seen[SEEN_ASSISTED] += c->tp.rack.rtt_us > c->rack_rtt_us;
	seen[SEEN_KEPT] += v->noise;
	seen[SEEN_CUT_LATE] += was_noise && !v->noise && model_state(c) == TCP_CA_Recovery;
	was_noise = v->noise;
	seen[SEEN_ASKING_CUT] += was_asking && v->question.asking == NDM_ASKING_NOT && model_state(c) >= TCP_CA_CWR;
	was_asking = v->question.asking == NDM_ASKING_QUEUE;
	seen[SEEN_QUEUE_OWN] += model_counter[NDM_QUEUE_OWN];
	seen[SEEN_QUEUE_OTHERS] += model_counter[NDM_QUEUE_OTHERS];
}

/* Returns the calls made. */
static u32 connection(u64 seed, u64 start_us, u32 jiffies)
{
	static const char *const algorithms[] = { "ndm_v5", "ndm_v5", "ndm_v5", "ndm", "ndm_v1",
						  "ndm_v4", "bbr" };
	struct conn *c = malloc(sizeof(*c));
	u32 steps, i;

	random_state = seed;
	model_param_set("rack_assist", "1");
	model_param_set("queue_ms", queues[below(4)]);
	model_param_set("variant", chance(2) ? "v5" : "v1");
	model_bbr_cwnd = magnitude(4, 1 << 20);
	draw_path();
	model_open(c, algorithms[below(7)], start_us, jiffies, 10);
	draw_settings(c);
	if (chance(16)) {
		/* Closed before the handshake: released without init(). */
		watch_info(c);
		model_close(c);
		free(c);
		return 1;
	}
	model_established(c, chance(8) ? 0 : draw_rtt());
	if (chance(8) && c->tp.inet_conn.icsk_ca_ops->init)
		watch_init(c);
	steps = magnitude(64, 4096);
	for (i = 0; i < steps && !watch_failed(); i++) {
		if (chance(path.events))
			event(c);
		else
			traffic(c);
		if (chance(32))
			watch_info(c);
		note(c);
	}
	if (!watch_failed())
		model_close(c);
	free(c);
	return i;
}

/* Two starts whose difference is a multiple of all units of time in use. */
static u64 draw_start(u64 *other)
{
	static const u64 wraps[] = { 1ULL << 32, 1ULL << 42, 1ULL << 43, 7ULL << 32 };
	static const u64 unit = 125ULL << 20;	/* of 4000 us, and of 2^20 us */
	u64 start = wraps[below(4)] - (chance(2) ? below(1 << 25) : magnitude(1, 1 << 30));

	*other = start % unit + unit * 1000;
	return start;
}

static u32 both_clocks(u64 seed)
{
	u64 other, start, digest;
	char how[80];
	u32 calls;

	snprintf(how, sizeof(how), "%s --seed %llu --trace", program, (unsigned long long)seed);
	watch_from(how);
	random_state = ~seed;
	start = draw_start(&other);
	calls = connection(seed, start, -below(4000));
	digest = watch_digest();
	if (watch_failed())
		goto out;
	calls += connection(seed, other, 100000);
	if (!watch_failed())
		hold(CLAIM, watch_digest() == digest, "another history from %llu us than from %llu us",
		     (unsigned long long)start, (unsigned long long)other);
out:
	memset(model_counter, 0, sizeof(model_counter));
	watch_from(NULL);
	return calls;
}

/* Verdicts of v1, and of earlier versions; what BPF cannot do. */
static bool is_never_met(u32 situation)
{
#ifdef NDM_TEST_BPF
	if (situation == SEEN_ASSISTED || situation == SEEN_REORDERED)
		return true;
#endif
	return situation == SEEN_VERDICT + NDM_CONGESTION || situation == SEEN_VERDICT + NDM_PLATEAU ||
	       situation == SEEN_VERDICT + NDM_BOUND;
}

static bool report_seen(void)
{
	u32 i, missing = 0;

	for (i = 0; i < SEEN_ALL; i++)
		if (!seen[i] && !is_never_met(i)) {
			printf("# never met: %s\n", seen_names[i]);
			missing++;
		}
	return !missing;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "seed", required_argument, NULL, 's' }, { "from", required_argument, NULL, 'f' },
		{ "calls", required_argument, NULL, 'c' }, { "seconds", required_argument, NULL, 't' },
		{ "trace", no_argument, NULL, 'v' }, { "all", no_argument, NULL, 'a' }, { 0 },
	};
	u64 seed = 1, wanted = 3000000, calls = 0, first = 1;
	time_t end = 0;
	bool one = false;
	int option;

	program = argv[0];
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 's':
			one = true;
			/* fall through */
		case 'f':
			first = strtoull(optarg, NULL, 10);
			break;
		case 'c':
			wanted = strtoull(optarg, NULL, 10);
			break;
		case 't':
			end = time(NULL) + atol(optarg);
			break;
		case 'a':
			watch_all = true;
			break;
		case 'v':
			watch_trace = true;
			break;
		default:
			fprintf(stderr, "usage: fuzz_ops [--seed N [--trace]] [--from N] [--calls N | --seconds N] [--all]\n");
			return 2;
		}
	if (model_module_init())
		return 1;
	if (one) {
		both_clocks(first);
		return watch_failed();
	}
	for (seed = first; end ? time(NULL) < end : calls < wanted; seed++)
		calls += both_clocks(seed);
	printf("# %llu connections, %llu steps\n", (unsigned long long)(seed - first),
	       (unsigned long long)calls);
	return watch_report("every situation was met", report_seen());
}
