// SPDX-License-Identifier: GPL-2.0
/* Invariants by name, and the report of them; see claims.h and invariants.h. */
#include <stdarg.h>
#include <stdio.h>

#include "claims.h"
#include "invariants.h"

#ifdef NDM_TEST_BPF
#define IS_BPF true
#else
#define IS_BPF false
#endif

static struct {
	const char *says;
	bool of_module;	/* BPF does nothing about reordering, so never comes there */
	u64 asked, broken;
} invariants[INVARIANTS] = {
	[CWND_RANGE] = { "where the module sets cwnd it is 1 at least and the clamp at most" },
	[CWND_SANE] = { "cwnd is never set to 0 or to what the kernel warns of" },
	[GROWTH_AVOIDANCE] = { "v5 beyond slow start: an ACK grows cwnd by half of its packets, and one" },
	[GROWTH_START] = { "slow start: an ACK grows cwnd by no more than its packets" },
	[GROWTH_SUM] = { "v5 beyond slow start: all ACKs grow cwnd by half of their packets, and one a round" },
	[GROWTH_NONE] = { "no packet acknowledged, no growth" },
	[GROWTH_RENO] = { "v1, v4: an ACK grows cwnd by no more than in Reno" },
	[SSTHRESH_FINITE] = { "ssthresh() is finite, 1 at least, and not above cwnd but for 2" },
	[SSTHRESH_NOISE] = { "v5: ssthresh() of noise is cwnd, 2 at least; many losses are no noise" },
	[SSTHRESH_CUT] = { "v5: ssthresh() of all else is 0.7 cwnd, 2 at least; where it asks about a queue cwnd, which is less" },
	[SSTHRESH_RAISED] = { "an ACK raises ssthresh only amid a recovery from noise, or to cwnd at most, to ask about a queue" },
	[AFTER_CUT] = { "cwnd after a recovery that was cut is not above that before" },
	[AFTER_NOISE] = { "cwnd after a recovery from noise is at most that before and half of what arrived" },
	[CUT_ONCE] = { "v5: one loss event cuts once" },
	[ECN_CUTS] = { "ECN-Echo always cuts, amid a recovery from noise too" },
	[ECN_TRUE] = { "v5: a verdict of ECN needs an ECN-Echo or a full queue of this host" },
	[TIMEOUT_CUTS] = { "v5: a timeout leaves an ssthresh of 0.7 cwnd at most, and says so" },
	[MTU_IS_NO_LOSS] = { "v5: a smaller path MTU is no loss and no timeout" },
	[NOISE_FRESH] = { "v5: a verdict of noise has an RTT sample younger than 2 srtt + RTO" },
	[NOISE_RTT] = { "v5: a verdict of noise has SACK, and a base of 1 ms at least: less cannot tell of a queue" },
	[REORDERING_FRESH] = { "v5: reordering counts for 16 rounds at most", .of_module = true },
	[IDLE_EPOCH] = { "v5: idle time never adds to CUBIC's epoch: a round adds two smoothed RTTs at most" },
	[RACK_WAIT] = { "RACK waits for the RTO at most, or as without v5" },
	[RACK_OFF] = { "where RACK does not run, and without rack_assist, RACK is by itself" },
	[UNDO_CWND] = { "an undo restores cwnd, and no more" },
	[ASKING_ENDS] = { "v5: a loss event or an undo ends a question about a queue, without a burst" },
	[GAUGES] = { "each connection is counted once, from init to release" },
	[CANARY] = { "nothing is written outside the private state" },
	[PRR_SHARE] = { "v5: amid a recovery ssthresh is at most cwnd before it, so that a cut sends no burst" },
	[FIELDS] = { "no field of the socket is written but those that may be" },
	[INFO] = { "get_info changes nothing and stays in range" },
	[CLAIM] = { "the same calls at another time of the clock: the same decisions" },
};

static const char *replay;
bool watch_trace, watch_all, hold_broken;

void watch_from(const char *how)
{
	replay = how;
}

void hold(enum invariant id, bool holds, const char *format, ...)
{
	va_list args;

	invariants[id].asked++;
	if (holds)
		return;
	hold_broken = true;
	if (invariants[id].broken++ >= 3)
		return;
	va_start(args, format);
	printf("# broken: %s\n#   ", invariants[id].says);
	vprintf(format, args);
	printf("%s%s\n", replay ? "\n#   again: " : "", replay ? replay : "");
	va_end(args);
}

int watch_report(const char *more, bool more_holds)
{
	u32 i, failed = !more_holds;

	for (i = 0; i < INVARIANTS; i++) {
		bool passed = !invariants[i].broken &&
			      (IS_BPF && invariants[i].of_module) == !invariants[i].asked;

		failed += !passed;
		printf("%sok %u - %s # asked %llu times%s\n", passed ? "" : "not ", i + 1,
		       invariants[i].says, (unsigned long long)invariants[i].asked,
		       invariants[i].broken ? ", broken" : "");
	}
	printf("%sok %u - %s\n1..%u\n", more_holds ? "" : "not ", i + 1, more, i + 1);
	return failed != 0;
}
