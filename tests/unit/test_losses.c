// SPDX-License-Identifier: GPL-2.0
/* Loss events: how many, what follows them, what an undo takes back; hand-worked answers. */
#include "losses.h"
#include "tap.h"

static void share(void)
{
	struct ndm_losses l;
	u32 i;

	ndm_losses_forget(&l);
	for (i = 0; i < 60; i++)
		ndm_losses_round(&l, 6, 94);
	ok(!ndm_losses_many(&l, false), "losses: 6 %% are not many");
	for (i = 0; i < 60; i++)
		ndm_losses_round(&l, 7, 93);
	ok(ndm_losses_many(&l, false), "losses: 7 %% are many, more than a sixteenth");
	ok(!ndm_losses_many(&l, true), "losses: with reordering they are not");
	for (i = 0; i < 60; i++)
		ndm_losses_round(&l, 16, 84);
	ok(!ndm_losses_many(&l, true), "losses: nor is a sixth");
	for (i = 0; i < 60; i++)
		ndm_losses_round(&l, 20, 80);
	ok(ndm_losses_many(&l, true), "losses: a fifth is many then, too");
	for (i = 0; i < 60; i++)
		ndm_losses_round(&l, 2, 98);
	ok(!ndm_losses_some(&l), "losses: 2 %% are what chance takes");
	for (i = 0; i < 60; i++)
		ndm_losses_round(&l, 3, 97);
	ok(ndm_losses_some(&l), "losses: 3 %% may be a full queue");
	for (i = 0; i < 200; i++)
		ndm_losses_round(&l, 0, 100);
	is(l.share, 0, "losses: the share decays to nothing");
	ndm_losses_round(&l, ~0U, 0);
	ndm_losses_round(&l, ~0U, ~0U);
	ok(l.share < 65536 / 4, "losses: rounds of any size do not overflow");
}

static void late(void)
{
	struct ndm_losses l;
	u32 i, before;

	ndm_losses_forget(&l);
	ok(ndm_losses_late(&l), "losses: that packets behind them are in time has to be shown first");
	ndm_losses_event(&l, false);
	ok(ndm_losses_late(&l), "losses: one does not show it");
	for (i = 0; i < 2; i++)
		ndm_losses_event(&l, false);
	ok(!ndm_losses_late(&l) && ndm_losses_in_time(&l), "losses: three packets behind them in time do");
	for (i = 0; i < 60; i++)
		ndm_losses_event(&l, i % 3 == 0);
	ok(!ndm_losses_late(&l), "losses: one of three late is chance");
	for (i = 0; i < 60; i++)
		ndm_losses_event(&l, i & 3);
	ok(ndm_losses_late(&l), "losses: three of four are not");
	ok(!ndm_losses_in_time(&l), "losses: nor are they in time");

	before = l.late;
	l.before = 10;
	ndm_losses_event(&l, false);
	ndm_losses_undo(&l, 12);
	ok(l.late == before && l.before == 12, "losses: an undo takes the loss event back, and what was lost in the round");
}

int main(void)
{
	share();
	late();
	return tap_done();
}
