// SPDX-License-Identifier: GPL-2.0
/* States of the kernel's TCP sender: reductions, losses, undo; see model.h. */
#include "model_parts.h"

/* Reductions of cwnd and their undoing ---------------------------------------------- */

static void init_undo(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	tp->undo_marker = tp->snd_una;
	tp->undo_retrans = tp->retrans_out + (tp->tlp_high_seq && tp->tlp_retrans);
	if (!tp->undo_retrans)
		tp->undo_retrans = -1;
}

static void begin_reduction(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	tp->high_seq = tp->snd_nxt;
	tp->tlp_high_seq = 0;
	tp->snd_cwnd_cnt = 0;
	tp->prior_cwnd = tp->snd_cwnd;
	tp->prr_delivered = 0;
	tp->prr_out = 0;
	tp->snd_ssthresh = watch_ssthresh(c);
}

/* PRR (RFC 6937). */
void reduce(struct conn *c, u32 delivered, u32 newly_lost, bool advanced)
{
	struct tcp_sock *tp = &c->tp;
	s64 flight = tcp_packets_in_flight(tp), below = (s64)tp->snd_ssthresh - flight, more;

	if (!delivered || !tp->prior_cwnd)
		return;
	tp->prr_delivered += delivered;
	if (below < 0) {
		u64 share = (u64)tp->snd_ssthresh * tp->prr_delivered + tp->prior_cwnd - 1;

		more = (s64)(share / tp->prior_cwnd) - tp->prr_out;
	} else {
		more = max((s64)tp->prr_delivered - tp->prr_out, (s64)delivered);
		more += advanced && !newly_lost;
		more = min(below, more);
	}
	more = max(more, (s64)!tp->prr_out);
	tcp_snd_cwnd_set(tp, flight + more);
}

static void end_reduction(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	if (ops_of(c)->cong_control)
		return;
	if (tp->snd_ssthresh < TCP_INFINITE_SSTHRESH &&
	    (model_state(c) == TCP_CA_CWR || tp->undo_marker)) {
		tcp_snd_cwnd_set(tp, tp->snd_ssthresh);
		tp->snd_cwnd_stamp = model_jiffies(c);
		watch_reduction_end(c);
	}
	if (ops_of(c)->cwnd_event)
		watch_event(c, CA_EVENT_COMPLETE_CWR);
}

static void undo(struct conn *c, bool unmark)
{
	struct tcp_sock *tp = &c->tp;

	if (unmark) {
		tp->lost_out = 0;
		/* Their retransmissions are under way and count as packets of their own. */
		tp->retrans_out = min(tp->retrans_out, tp->packets_out - tp->sacked_out);
	}
	if (tp->prior_ssthresh) {
		tcp_snd_cwnd_set(tp, watch_undo_cwnd(c));
		tp->snd_ssthresh = max(tp->snd_ssthresh, tp->prior_ssthresh);
	}
	tp->undo_marker = 0;
	tp->rack.advanced = 1;
}

static bool delayed(const struct conn *c, const struct ack *ack)
{
	if (c->tp.retrans_stamp)
		return ack->original;
	return tcp_is_sack(&c->tp) || before(c->tp.snd_una, c->tp.high_seq);
}

static bool may_undo(const struct conn *c, const struct ack *ack)
{
	return c->tp.undo_marker && (!c->tp.undo_retrans || delayed(c, ack));
}

static void keep_open(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;
	u8 state = tp->sacked_out + tp->lost_out || tp->retrans_out ? TCP_CA_Disorder :
								      TCP_CA_Open;

	if (model_state(c) == state)
		return;
	set_state(c, state);
	tp->high_seq = tp->snd_nxt;
}

static void enter_cwr(struct conn *c)
{
	c->tp.prior_ssthresh = 0;
	watch_network_said();
	if (model_state(c) >= TCP_CA_CWR)
		return;
	c->tp.undo_marker = 0;
	begin_reduction(c);
	set_state(c, TCP_CA_CWR);
}

void model_local_congestion(struct conn *c)
{
	enter_cwr(c);
}

static void try_to_open(struct conn *c, bool ece)
{
	if (!c->tp.retrans_out)
		c->tp.retrans_stamp = false;
	if (ece)
		enter_cwr(c);
	if (model_state(c) != TCP_CA_CWR)
		keep_open(c);
}

static void enter_recovery(struct conn *c, bool ece)
{
	struct tcp_sock *tp = &c->tp;

	if (!tp->retrans_out)
		tp->retrans_stamp = false;
	tp->prior_ssthresh = 0;
	init_undo(c);
	if (!reducing(c)) {
		if (!ece)
			tp->prior_ssthresh = ssthresh_to_keep(c);
		begin_reduction(c);
	}
	set_state(c, TCP_CA_Recovery);
}

/* Without SACK a duplicate ACK of the data behind must not begin it anew. */
static bool hold_state(struct conn *c)
{
	if (tcp_is_sack(&c->tp) || c->tp.snd_una != c->tp.high_seq)
		return false;
	if (!c->tp.retrans_out)
		c->tp.retrans_stamp = false;
	return true;
}

static bool leave_recovery(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (may_undo(c, ack))
		undo(c, false);
	else
		tp->rack.reo_wnd_persist -= !!tp->rack.reo_wnd_persist;
	if (hold_state(c))
		return true;
	set_state(c, TCP_CA_Open);
	return false;
}

static bool undo_by_dsack(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	if (!tp->undo_marker || tp->undo_retrans)
		return false;
	tp->rack.reo_wnd_persist = min(16, tp->rack.reo_wnd_persist + 1);
	undo(c, false);
	return true;
}

static bool undo_loss(struct conn *c, const struct ack *ack, bool frto)
{
	if (!frto && !may_undo(c, ack))
		return false;
	undo(c, true);
	c->tp.inet_conn.icsk_retransmits = 0;
	if (!hold_state(c) && (frto || tcp_is_sack(&c->tp)))
		set_state(c, TCP_CA_Open);
	return true;
}

/* Losses ------------------------------------------------------------------------ */

static u32 mark_lost(struct conn *c, u32 pkts)
{
	struct tcp_sock *tp = &c->tp;

	pkts = min(pkts, tp->packets_out - tp->sacked_out - tp->lost_out);
	tp->lost_out += pkts;
	tp->lost += pkts;
	return pkts;
}

static u32 mark_lost_again(struct conn *c, u32 pkts)
{
	pkts = min(pkts, c->tp.retrans_out);
	c->tp.retrans_out -= pkts;
	c->tp.lost += pkts;
	return pkts;
}

/* True when a retransmission was found lost. */
static bool identify_losses(struct conn *c, struct ack *ack)
{
	u32 lost = ack->lost, again = ack->lost_again;

	if (!c->tp.packets_out)
		return false;
	if (tcp_is_sack(&c->tp)) {
		if (!c->tp.rack.advanced)
			return false;
		c->tp.rack.advanced = 0;
		ack->lost = 0;
		ack->lost_again = 0;
		mark_lost(c, lost);
		return mark_lost_again(c, again);
	}
	if ((model_state(c) < TCP_CA_Recovery && c->tp.sacked_out >= c->tp.reordering) ||
	    (model_state(c) == TCP_CA_Recovery && ack->acked))
		if (!c->tp.lost_out)
			mark_lost(c, 1);
	return false;
}

void model_rto(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;
	u32 sysctl = c->net.ipv4.sysctl_tcp_reordering;
	bool first = model_state(c) < TCP_CA_Recovery;

	if (!tcp_is_sack(tp))
		tp->sacked_out = 0;
	mark_lost_again(c, tp->retrans_out);
	mark_lost(c, tp->packets_out);
	if (model_state(c) <= TCP_CA_Disorder || !before(tp->snd_una, tp->high_seq) ||
	    (model_state(c) == TCP_CA_Loss && !tp->inet_conn.icsk_retransmits)) {
		tp->prior_ssthresh = ssthresh_to_keep(c);
		tp->prior_cwnd = tp->snd_cwnd;
		tp->snd_ssthresh = watch_ssthresh(c);
		if (ops_of(c)->cwnd_event)
			watch_event(c, CA_EVENT_LOSS);
		init_undo(c);
	}
	tcp_snd_cwnd_set(tp, tcp_packets_in_flight(tp) + 1);
	tp->snd_cwnd_cnt = 0;
	tp->snd_cwnd_stamp = model_jiffies(c);
	if (model_state(c) <= TCP_CA_Disorder && tp->sacked_out >= sysctl)
		tp->reordering = min(tp->reordering, sysctl);
	set_state(c, TCP_CA_Loss);
	watch_timeout(c);
	watch_void_reduction();
	tp->high_seq = tp->snd_nxt;
	tp->tlp_high_seq = 0;
	tp->frto = c->net.ipv4.sysctl_tcp_frto && (first || tp->inet_conn.icsk_retransmits);
	tp->inet_conn.icsk_retransmits = min(tp->inet_conn.icsk_retransmits + 1, 15);
	retransmitted(c, 1);
	tp->inet_conn.icsk_rto = min(tp->inet_conn.icsk_rto * 2, (u32)TCP_RTO_MAX);
}

void model_mtu_fell(struct conn *c, u32 lost)
{
	struct tcp_sock *tp = &c->tp;
	u8 state = model_state(c);
	u32 verdict;

	mark_lost(c, lost);
	if (!tp->lost_out)
		return;
	if (state != TCP_CA_Loss) {
		verdict = watch_info(c);
		tp->high_seq = tp->snd_nxt;
		tp->snd_ssthresh = ssthresh_to_keep(c);
		tp->prior_ssthresh = 0;
		tp->undo_marker = 0;
		watch_void_reduction();
		set_state(c, TCP_CA_Loss);
		watch_mtu_fell(c, state, verdict);
	}
	retransmit(c);
}

void model_tail_loss_probe(struct conn *c)
{
	struct tcp_sock *tp = &c->tp;

	if (!tp->packets_out || tp->tlp_high_seq || model_state(c) != TCP_CA_Open)
		return;
	tp->tlp_high_seq = tp->snd_nxt;
	tp->tlp_retrans = true;
}

void take_probe_ack(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (before(tp->snd_una, tp->tlp_high_seq))
		return;
	if (tp->tlp_retrans && !ack->dsack && before(tp->tlp_high_seq, tp->snd_una)) {
		begin_reduction(c);
		set_state(c, TCP_CA_CWR);
		end_reduction(c);
		keep_open(c);
	} else if (!tp->tlp_retrans || ack->dsack || !(ack->acked || ack->sacked)) {
		tp->tlp_high_seq = 0;
	}
}

u32 model_rack_window(const struct conn *c, u32 min_rtt_us, u32 steps)
{
	const struct tcp_sock *tp = &c->tp;

	if (!tp->reord_seen && (model_state(c) >= TCP_CA_Recovery ||
				tp->sacked_out >= tp->reordering))
		return 0;
	return min((min_rtt_us >> 2) * steps, tp->srtt_us >> 3);
}

void model_rack_timer(struct conn *c, u32 lost)
{
	struct tcp_sock *tp = &c->tp;

	if (!tcp_is_sack(tp))
		return;
	lost = mark_lost(c, lost);
	if (!lost)
		return;
	if (model_state(c) != TCP_CA_Recovery) {
		enter_recovery(c, false);
		if (!ops_of(c)->cong_control)
			reduce(c, 1, lost, false);
	}
	retransmit(c);
}

/* The state machine ---------------------------------------------------------- */

static bool undo_partly(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (!tp->undo_marker || !delayed(c, ack))
		return false;
	if (tp->retrans_out)
		return true;
	tp->retrans_stamp = false;
	undo(c, true);
	keep_open(c);
	return false;
}

/* CA_Loss: true when nothing more is to be done with this ACK. */
static bool process_loss(struct conn *c, struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;
	bool again;

	if (ack->acked && undo_loss(c, ack, false))
		goto out;
	if (tp->frto && ack->frto && undo_loss(c, ack, true))
		goto out;
	if (tp->frto && !before(tp->high_seq, tp->snd_nxt)) {
		if (ack->acked && before(tp->snd_una, tp->high_seq)) {
			tp->high_seq = tp->snd_nxt;
			tp->frto = 0;
		}
	}
	if (!before(tp->snd_una, tp->high_seq))
		leave_recovery(c, ack);
out:
	again = identify_losses(c, ack);
	return model_state(c) != TCP_CA_Open && !again;
}

/* Once data that was sent before the event is acknowledged, the event is over. */
static bool over(struct conn *c, const struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;

	if (model_state(c) == TCP_CA_Open) {
		tp->retrans_stamp = false;
		return false;
	}
	if (before(tp->snd_una, tp->high_seq))
		return false;
	if (model_state(c) == TCP_CA_CWR && tp->snd_una != tp->high_seq) {
		end_reduction(c);
		set_state(c, TCP_CA_Open);
	} else if (model_state(c) == TCP_CA_Recovery) {
		if (!tcp_is_sack(tp))
			tp->sacked_out = 0;
		if (leave_recovery(c, ack))
			return true;
		end_reduction(c);
	}
	return false;
}

static void add_duplicates(struct conn *c, struct ack *ack)
{
	struct tcp_sock *tp = &c->tp;
	u32 more = min(ack->sacked, tp->packets_out - tp->sacked_out - tp->lost_out);

	if (tcp_is_sack(tp))
		return;
	tp->sacked_out += more;
	tp->delivered += more;
	ack->sacked = 0;
}

/* The state machine; retransmits follow if it says so. */
bool alert(struct conn *c, struct ack *ack)
{
	if (ack->ece) {
		c->tp.prior_ssthresh = 0;
		watch_network_said();
	}
	if (over(c, ack))
		return false;
	switch (model_state(c)) {
	case TCP_CA_Recovery:
		if (!ack->acked)
			add_duplicates(c, ack);
		else if (undo_partly(c, ack))
			return false;
		if (undo_by_dsack(c))
			try_to_open(c, ack->ece);
		identify_losses(c, ack);
		if (model_state(c) != TCP_CA_Recovery) {
			if (!c->tp.lost_out)
				return false;
			enter_recovery(c, ack->ece);
		}
		return true;
	case TCP_CA_Loss:
		if (process_loss(c, ack))
			return true;
		break;
	}
	if (!tcp_is_sack(&c->tp) && ack->acked)
		c->tp.sacked_out = 0;
	add_duplicates(c, ack);
	if (model_state(c) <= TCP_CA_Disorder)
		undo_by_dsack(c);
	identify_losses(c, ack);
	if (!c->tp.lost_out) {
		try_to_open(c, ack->ece);
		return false;
	}
	enter_recovery(c, ack->ece);
	return true;
}
