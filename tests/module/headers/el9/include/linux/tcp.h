/* SPDX-License-Identifier: GPL-2.0 */
/* With all of RACK that we write. */
struct tcp_sock {
	u32 snd_cwnd, snd_cwnd_clamp, undo_marker, prior_ssthresh;
	struct { u32 rtt_us; unsigned char reo_wnd_steps : 5, reo_wnd_persist : 5; } rack;
	struct { struct { u32 v; } s[3]; } rtt_min;
	u32 reord_seen;
};
