/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The counters, once, in the order of the lines of /proc/net/tcp_ndm: append only.
 * From this come enum ndm_counter, the names, and where BPF keeps them. Whoever
 * includes this defines NDM_COUNTER(ID, name).
 */
/* connections now, by enum ndm_algorithm */
NDM_COUNTER(SOCKETS, "sockets_ndm")
NDM_COUNTER(SOCKETS_V1, "sockets_ndm_v1")
NDM_COUNTER(SOCKETS_V4, "sockets_ndm_v4")
NDM_COUNTER(SOCKETS_V5, "sockets_ndm_v5")
NDM_COUNTER(ACKS, "acks")
/* recomputations of entropy and growth; v5: rounds */
NDM_COUNTER(UPDATES, "updates")
/* reductions of ssthresh, for any reason, and those undone as spurious */
NDM_COUNTER(REDUCTIONS, "reductions")
NDM_COUNTER(UNDOS, "undos")
NDM_COUNTER(SLOW_START_EXITS, "slow_start_exits")
/* loss events, ECN and RTOs, by enum ndm_verdict */
NDM_COUNTER(LOSSES, "loss_nodata")
NDM_COUNTER(LOSSES_CONGESTION, "loss_congestion")
NDM_COUNTER(LOSSES_NOISE, "loss_noise")
NDM_COUNTER(LOSSES_QUEUE, "loss_queue")
NDM_COUNTER(LOSSES_OWN, "loss_own")
NDM_COUNTER(LOSSES_SHARE, "loss_share")
NDM_COUNTER(LOSSES_PLATEAU, "loss_plateau")
NDM_COUNTER(LOSSES_BOUND, "loss_bound")
NDM_COUNTER(ECN_REDUCTIONS, "ecn_reductions")
NDM_COUNTER(RTOS, "rtos")
/* v1, v4: updates by entropy, in bins of 100 */
NDM_COUNTER(ENTROPY, "entropy_0")
NDM_COUNTER(ENTROPY_1, "entropy_1")
NDM_COUNTER(ENTROPY_2, "entropy_2")
NDM_COUNTER(ENTROPY_3, "entropy_3")
NDM_COUNTER(ENTROPY_4, "entropy_4")
NDM_COUNTER(ENTROPY_5, "entropy_5")
NDM_COUNTER(ENTROPY_6, "entropy_6")
NDM_COUNTER(ENTROPY_7, "entropy_7")
NDM_COUNTER(ENTROPY_8, "entropy_8")
NDM_COUNTER(ENTROPY_9, "entropy_9")
/* v5: tests that found no other in a queue, and those that found others */
NDM_COUNTER(QUEUE_OWN, "queue_own")
NDM_COUNTER(QUEUE_OTHERS, "queue_others")

#undef NDM_COUNTER
