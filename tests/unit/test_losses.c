// SPDX-License-Identifier: GPL-2.0
/* Loss events: how far apart, how many, what follows them; hand-worked answers. */
#include "ndm_losses.h"
#include "tap.h"

static void losses(void)
{
	struct ndm_losses l;
	u32 i, delivered = ~0U - 500;

	ndm_losses_forget(&l, delivered);
	is(ndm_losses_bound(&l, 20000), ~0U, "losses: none, no bound");
	ok(ndm_losses_late(&l), "losses: that packets behind them are in time has to be shown first");
	for (i = 0; i < 20; i++) {
		delivered += 100;
		ndm_losses_event(&l, delivered, 100, false);
	}
	is(l.interval_pkts, 100, "losses: 100 packets apart, where the count wraps, too");
	is(ndm_losses_bound(&l, 20000), 36, "losses: 100 apart, Reno has 12.2 packets, the bound is 36");
	ok(!ndm_losses_late(&l), "losses: packets behind them in time");
	for (i = 0; i < 3; i++)
		ndm_losses_event(&l, ++delivered, 100, true);
	is(ndm_losses_bound(&l, 20000) >= 10, 1, "losses: close together, the bound is 10 at least");
	for (i = 0; i < 40; i++)
		ndm_losses_event(&l, delivered += 100, 100, i & 3);
	ok(ndm_losses_late(&l), "losses: three of four followed by late packets");
	ndm_losses_event(&l, delivered + (1U << 31), ~0U, false);
	ok(ndm_losses_bound(&l, 1) < 65536, "losses: no event for 2^31 packets does not overflow");
	ok(ndm_losses_bound(&l, 4000000) > 1 << 19, "losses: nor with the longest RTT");

	l.interval_pkts = 100;
	ndm_losses_event(&l, delivered += 30000000, 36, false);
	for (i = 0; i < 12 && ndm_losses_bound(&l, 20000) > 2 * 36; i++)
		ndm_losses_event(&l, delivered += 100, 36, false);
	ok(i < 12, "losses: an hour without any is forgotten within a dozen (%u)", i);

	l.interval_pkts = 500;
	is(ndm_losses_bound(&l, 50000), 82, "losses: 500 apart and 50 ms, it is three times Reno's 27.4");
	ok(ndm_losses_bound(&l, 600000) / 4 == 56, "losses: 500 apart and 600 ms, three times CUBIC's 76 (%u)",
	   ndm_losses_bound(&l, 600000));

	ndm_losses_forget(&l, 0);
	for (i = 0; i < 40; i++)
		ndm_losses_round(&l, 20, 100);
	ok(!ndm_losses_many(&l), "losses: a sixth is not many");
	for (i = 0; i < 40; i++)
		ndm_losses_round(&l, 25, 100);
	ok(ndm_losses_many(&l), "losses: a fifth is many");
	for (i = 0; i < 200; i++)
		ndm_losses_round(&l, 0, 100);
	is(l.share, 0, "losses: the share decays to nothing");
	ndm_losses_round(&l, ~0U, 0);
	ndm_losses_round(&l, ~0U, ~0U);
	ok(l.share < 65536 / 4, "losses: rounds of any size do not overflow");
}

static void doubt(void)
{
	struct ndm_losses l;

	ndm_losses_forget(&l, 0);
	ndm_losses_doubt(&l);
	ok(!ndm_losses_late(&l) && !ndm_losses_in_time(&l), "losses: in doubt neither late nor in time");
	ndm_losses_event(&l, 100, 100, false);
	ok(!ndm_losses_late(&l) && ndm_losses_in_time(&l), "losses: one event decides, in time");
	ndm_losses_doubt(&l);
	ndm_losses_event(&l, 200, 100, true);
	ok(ndm_losses_late(&l), "losses: or late");
}

int main(void)
{
	losses();
	doubt();
	return tap_done();
}
