/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numeric parameters, once: name, lowest and highest value, default, meaning.
 * From this come struct ndm_tuning, the module's parameters, where BPF keeps them
 * (src/bpf/layout.c), and ndmctl's keys, which are the names in capitals. Whoever
 * includes this defines NDM_PARAMETER, and NDM_PARAMETER_OF_RACK for what a kernel
 * without RACK's fields has not.
 *
 * A share is at most 900, because a smaller reduction hardly yields to others. A
 * divisor is at least 1000, full growth, because with less cwnd would grow faster
 * than Reno's.
 */
#ifndef NDM_PARAMETER_OF_RACK
#define NDM_PARAMETER_OF_RACK NDM_PARAMETER
#endif

/*
 * With 16 samples in 16 bins the entropy of uniform jitter is about 800, that of a
 * queue that grows by a packet per RTT is below 500.
 */
NDM_PARAMETER(entropy_threshold, 0, 1000, 700,
	      "v1, v4: RTT entropy above which a loss is judged as noise, in thousandths")
/* RFC 5681, section 3.1 */
NDM_PARAMETER(keep_congestion, 100, 900, 500,
	      "v1, v4: share of cwnd left after a loss judged as congestion, in thousandths")
/*
 * The author's prototype documents two thirds, and its code keeps one. In the lab
 * (tests/lab/NOTES.md) the published results hold from 250 to 400, within chance,
 * and not from 500 on. The published goodput under extreme delay holds with no
 * value.
 */
NDM_PARAMETER(keep_noise, 100, 900, 333,
	      "v1, v4: share of cwnd left after a loss judged as noise, in thousandths")
/* Half of the growth that the network computes. */
NDM_PARAMETER(congestion_divisor, 1000, 32000, 2000,
	      "v1, v4: divisor of growth while the verdict is congestion")
NDM_PARAMETER(noise_divisor, 1000, 32000, 1000,
	      "v1, v4: divisor of growth while the verdict is noise")
/* v4, as published: 4 ms and 5 ms per sample, 1.8 times the minimum RTT */
NDM_PARAMETER(v4_start_gradient, 0, 1000, 400,
	      "v4: RTT gradient (100 per ms) above which slow start grows at half speed")
NDM_PARAMETER(v4_delay_high, 0, 1000, 800,
	      "v4: queuing delay (per mille of the smallest RTT) for V4_DELAY_DIVISOR")
NDM_PARAMETER(v4_gradient_high, 0, 1000, 500,
	      "v4: RTT gradient (100 per ms) above which V4_GRADIENT_DIVISOR applies")
NDM_PARAMETER(v4_delay_divisor, 1000, 32000, 3000,
	      "v4: divisor of growth while the queuing delay is high")
NDM_PARAMETER(v4_gradient_divisor, 1000, 32000, 4000,
	      "v4: divisor of growth while the gradient is high")
/* Without it v5 does nothing about reordering; see v5/reorder.c. */
NDM_PARAMETER_OF_RACK(rack_assist, 0, 1, 1,
		      "v5: 1 makes loss detection wait while there is reordering, 0 does not")
/* tests/lab/NOTES.md has what other values cost. */
NDM_PARAMETER(queue_ms, 0, 1000, 200,
	      "v5: queue (ms) that a connection keeps where it is alone in it, 0 for any")

#undef NDM_PARAMETER
#undef NDM_PARAMETER_OF_RACK
