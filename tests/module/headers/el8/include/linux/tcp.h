/* SPDX-License-Identifier: GPL-2.0 */
/* Without what RACK remembers of its steps. */
struct tcp_sock {
	u32 backported_cwnd, snd_cwnd_clamp, undo_marker, prior_ssthresh;
	struct { u32 rtt_us; } rack;
	struct { struct { u32 v; } s[3]; } rtt_min;
	u32 reord_seen;
};
