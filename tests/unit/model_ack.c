// SPDX-License-Identifier: GPL-2.0
/* An ACK in the kernel's TCP sender: scoreboard, RTT, growth; see model.h. */
#include "model_parts.h"

/* Takes @ack->acked packets off the scoreboard; returns how many are news. */
static u32 take_acked(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;
	u32 left = tp->packets_out - ack->acked;
	u32 plain = tp->packets_out - tp->sacked_out - tp->lost_out;
	u32 lost, sacked, lost_least, sacked_least;

	if (!tcp_is_sack(tp)) {
		u32 news = max_t(s32, (s32)(ack->acked - tp->sacked_out), 1);

		tp->sacked_out -= min(tp->sacked_out, ack->acked - 1);
		tp->packets_out = left;
		tp->sacked_out = min(tp->sacked_out, left);
		tp->lost_out = min(tp->lost_out, left - tp->sacked_out);
		tp->retrans_out = min(tp->retrans_out, left - tp->sacked_out);
		return news;
	}
	/* Of lost and SACKed ones at least what the rest has no room for; the first left is not SACKed. */
	sacked_least = tp->sacked_out - min(tp->sacked_out, left ? left - 1 : 0);
	lost_least = tp->lost_out - min(tp->lost_out, left);
	lost = min(tp->lost_out, ack->acked - min(ack->acked, sacked_least));
	lost = max(min(lost, (ack->acked * ack->acked_lost) >> 8), lost_least);
	sacked = ack->acked - min(ack->acked, lost + plain);
	sacked = max(sacked, sacked_least);
	sacked = max(sacked, min(tp->sacked_out, (ack->acked - min(ack->acked, lost)) / 2));
	sacked = min(sacked, ack->acked);
	lost = min(lost, ack->acked - sacked);
	tp->packets_out = left;
	tp->sacked_out -= sacked;
	tp->lost_out -= lost;
	tp->lost_out = min(tp->lost_out, left - tp->sacked_out);
	tp->retrans_out = min(tp->retrans_out, tp->lost_out);
	return ack->acked - sacked;
}

static void note_reordering(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (!ack->reordered || !(tp->sacked_out || !tcp_is_sack(tp)))
		return;
	if (ack->distance > tp->reordering)
		tp->reordering = min(ack->distance, (u32)c->net.ipv4.sysctl_tcp_max_reordering);
	tp->reord_seen += ack->reordered;
}

/* RACK: as long ago was the newest packet sent that has arrived. */
static void advance_rack(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (!ack->rack_us || !tcp_is_sack(tp))
		return;
	/* Too short for a retransmission. */
	if (ack->rtt_us < 0 && ack->rack_us < tcp_min_rtt(tp))
		return;
	tp->rack.rtt_us = ack->rack_us;
	tp->rack.advanced = 1;
	c->rack_rtt_us = ack->rack_us;
}

static void take_dsack(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (!ack->dsack || !tcp_is_sack(tp))
		return;
	tp->rack.dsack_seen = 1;
	tp->delivered += ack->dsack;
	if (tp->undo_marker && tp->undo_retrans > 0)
		tp->undo_retrans -= min_t(u32, tp->undo_retrans, ack->dsack);
}

/* RACK's window follows DSACKs; once it is left alone it is one step again. */
static void adapt_rack(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	if (tp->rack.dsack_seen) {
		tp->rack.dsack_seen = 0;
		tp->rack.reo_wnd_steps = min(tp->rack.reo_wnd_steps + 1, 255);
		tp->rack.reo_wnd_persist = 16;
	} else if (!tp->rack.reo_wnd_persist) {
		tp->rack.reo_wnd_steps = 1;
	}
}

static void take_sacked(struct conn *c, struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;
	u32 plain = tp->packets_out - tp->sacked_out - tp->lost_out;

	if (!tcp_is_sack(tp))
		return;
	/* Never the first one, which would have been acknowledged. */
	ack->sacked = min(ack->sacked, plain - (plain && !tp->lost_out));
	tp->sacked_out += ack->sacked;
	tp->delivered += ack->sacked;
	if (ack->sacked)
		advance_rack(c, ack);
}

/* It says less than what is known, but its SACKs may say more. */
static void take_old_ack(struct conn *c, struct ack *ack)
{
	u8 state = model_state(c);

	ack->acked = 0;
	take_dsack(c, ack);
	take_sacked(c, ack);
	if ((ack->sacked || ack->dsack || state != TCP_CA_Open) && alert(c, ack))
		retransmit(c);
}

static void take_queue(struct conn *c, struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;
	struct ack_sample sample = { .pkts_acked = ack->acked, .rtt_us = -1 };
	u32 bytes = ack->acked * tp->mss_cache, runt = ack->runt ? tp->mss_cache / 2 : 0;

	if (ack->acked) {
		tp->delivered += take_acked(c, ack);
		tp->snd_una = tp->packets_out ? tp->snd_una + bytes - runt : tp->snd_nxt;
		if (!tp->packets_out) {
			tp->sacked_out = 0;
			tp->lost_out = 0;
			tp->retrans_out = 0;
		}
		advance_rack(c, ack);
	}
	if ((ack->acked || ack->sacked) && ack->rtt_us >= 0) {
		take_rtt(c, ack->rtt_us);
		sample.rtt_us = ack->rtt_us;
	}
	if (ops_of(c)->pkts_acked)
		watch_pkts_acked(c, &sample);
	adapt_rack(c);
}

void model_ack(struct conn *c, struct ack ack)
{
	struct tcp_sock *tp = &c->tp;
	u32 delivered = tp->delivered, lost = tp->lost;
	bool again = false;

	ack.acked = min(ack.acked, tp->packets_out);
	if (ack.old) {
		take_old_ack(c, &ack);
		return;
	}
	if (ack.acked)
		tp->inet_conn.icsk_retransmits = 0;
	note_reordering(c, &ack);
	take_dsack(c, &ack);
	take_sacked(c, &ack);
	if (!tp->packets_out) {
		if (ack.dsack)
			alert(c, &ack);
		if (tp->tlp_high_seq)
			take_probe_ack(c, &ack);
		return;
	}
	take_queue(c, &ack);
	if (tp->tlp_high_seq)
		take_probe_ack(c, &ack);
	if (!ack.acked || ack.sacked || ack.dsack || ack.ece || model_state(c) != TCP_CA_Open)
		again = alert(c, &ack);
	delivered = tp->delivered - delivered;
	if (ops_of(c)->cong_control)
		ops_of(c)->cong_control(model_sk(c), NULL);
	else if (reducing(c))
		reduce(c, delivered, tp->lost - lost, ack.acked);
	else if (ack.acked || (ack.sacked && tp->reordering >
			       (u32)c->net.ipv4.sysctl_tcp_reordering))
		watch_cong_avoid(c, delivered);
	if (again)
		retransmit(c);
	transmit(c);
}
