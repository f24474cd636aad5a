// SPDX-License-Identifier: GPL-2.0
/* What src/module calls in the kernel, and counters in place of stats.c. */
#include <stdlib.h>
#include <string.h>

#include <linux/module.h>
#include <net/tcp.h>

#include "../model.h"

static struct tcp_congestion_ops *registered[8];
static struct kernel_param *params;

/* counters.h has as many lines as there are algorithms, verdicts and bins, in their order. */
_Static_assert(NDM_SOCKETS + NDM_ALGORITHM_V1 == NDM_SOCKETS_V1, "v1");
_Static_assert(NDM_SOCKETS + NDM_ALGORITHM_V4 == NDM_SOCKETS_V4, "v4");
_Static_assert(NDM_SOCKETS + NDM_ALGORITHMS == NDM_ACKS, "algorithms");
_Static_assert(NDM_LOSSES + NDM_CONGESTION == NDM_LOSSES_CONGESTION, "congestion");
_Static_assert(NDM_LOSSES + NDM_NOISE == NDM_LOSSES_NOISE, "noise");
_Static_assert(NDM_LOSSES + NDM_QUEUE == NDM_LOSSES_QUEUE, "queue");
_Static_assert(NDM_LOSSES + NDM_OWN == NDM_LOSSES_OWN, "own");
_Static_assert(NDM_LOSSES + NDM_LOSS_SHARE == NDM_LOSSES_SHARE, "share");
_Static_assert(NDM_LOSSES + NDM_PLATEAU == NDM_LOSSES_PLATEAU, "plateau");
_Static_assert(NDM_LOSSES + NDM_BOUND == NDM_LOSSES_BOUND, "bound");
_Static_assert(NDM_LOSSES + NDM_VERDICTS == NDM_ENTROPY, "verdicts");
_Static_assert(NDM_ENTROPY + NDM_ENTROPY_BINS == NDM_QUEUE_OWN, "bins");

long model_counter[NDM_COUNTERS];
u32 model_bad_cwnd;

void tcp_snd_cwnd_set(struct tcp_sock *tp, u32 packets)
{
	/* The kernel warns of these. */
	if (!packets || packets > INT32_MAX)
		model_bad_cwnd++;
	tp->snd_cwnd = packets;
}

/* One packet for each one acknowledged, up to ssthresh; returns those left over. */
u32 tcp_slow_start(struct tcp_sock *tp, u32 acked)
{
	u32 room = tp->snd_ssthresh - tp->snd_cwnd, step = min(acked, room);

	tcp_snd_cwnd_set(tp, min(tp->snd_cwnd + step, tp->snd_cwnd_clamp));
	return acked - step;
}

/* One packet for each @w acknowledged; what was saved at a larger @w counts once. */
void tcp_cong_avoid_ai(struct tcp_sock *tp, u32 w, u32 acked)
{
	u32 cwnd = tp->snd_cwnd;

	if (tp->snd_cwnd_cnt >= w) {
		tp->snd_cwnd_cnt = 0;
		cwnd++;
	}
	tp->snd_cwnd_cnt += acked;
	cwnd += tp->snd_cwnd_cnt / w;
	tp->snd_cwnd_cnt %= w;
	tcp_snd_cwnd_set(tp, min(cwnd, tp->snd_cwnd_clamp));
}

u32 tcp_reno_undo_cwnd(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd, tcp_sk(sk)->prior_cwnd);
}

static u32 reno_ssthresh(struct sock *sk)
{
	return max(tcp_sk(sk)->snd_cwnd / 2, 2U);
}

static void reno_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	struct tcp_sock *tp = tcp_sk(sk);

	if (!tcp_is_cwnd_limited(sk))
		return;
	if (tcp_in_slow_start(tp))
		acked = tcp_slow_start(tp, acked);
	if (acked)
		tcp_cong_avoid_ai(tp, tp->snd_cwnd, acked);
}

/*
 * As BBR: no ssthresh, no reduction, any cwnd. How much a test wants: to get to a
 * large cwnd at once is the other use of it.
 */
u32 model_bbr_cwnd = 100;

static void bbr_init(struct sock *sk)
{
	tcp_sk(sk)->snd_ssthresh = TCP_INFINITE_SSTHRESH;
}

static u32 bbr_ssthresh(struct sock *sk)
{
	return tcp_sk(sk)->snd_ssthresh;
}

static void bbr_control(struct sock *sk, const struct rate_sample *rs)
{
	tcp_snd_cwnd_set(tcp_sk(sk), min(model_bbr_cwnd, tcp_sk(sk)->snd_cwnd_clamp));
}

static u32 bbr_undo_cwnd(struct sock *sk)
{
	return tcp_sk(sk)->snd_cwnd;
}

static const struct tcp_congestion_ops others[] = {
	{
		.name = "reno",
		.ssthresh = reno_ssthresh,
		.cong_avoid = reno_cong_avoid,
		.undo_cwnd = tcp_reno_undo_cwnd,
	}, {
		.name = "bbr",
		.init = bbr_init,
		.ssthresh = bbr_ssthresh,
		.undo_cwnd = bbr_undo_cwnd,
		.cong_control = bbr_control,
	},
};

int tcp_register_congestion_control(struct tcp_congestion_ops *ops)
{
	size_t i;

	if (!ops->ssthresh || !ops->undo_cwnd || !(ops->cong_avoid || ops->cong_control))
		return -EINVAL;
	for (i = 0; i < sizeof(registered) / sizeof(*registered); i++)
		if (!registered[i]) {
			registered[i] = ops;
			return 0;
		}
	return -EBUSY;
}

void tcp_unregister_congestion_control(struct tcp_congestion_ops *ops)
{
	size_t i;

	for (i = 0; i < sizeof(registered) / sizeof(*registered); i++)
		if (registered[i] == ops)
			registered[i] = NULL;
}

const struct tcp_congestion_ops *model_ops(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(registered) / sizeof(*registered); i++)
		if (registered[i] && !strcmp(registered[i]->name, name))
			return registered[i];
	for (i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (!strcmp(others[i].name, name))
			return &others[i];
	return NULL;
}

void model_param_add(struct kernel_param *param)
{
	param->next = params;
	params = param;
}

int model_param_set(const char *name, const char *text)
{
	const struct kernel_param *param;

	for (param = params; param; param = param->next)
		if (!strcmp(param->name, name))
			return param->ops->set(text, param);
	return -ENOENT;
}

int kstrtou32(const char *text, unsigned int base, u32 *value)
{
	char *end;
	unsigned long long parsed = strtoull(text, &end, base);

	if (*end || end == text || *text == '-' || parsed > UINT32_MAX)
		return -EINVAL;
	*value = parsed;
	return 0;
}

bool sysfs_streq(const char *a, const char *b)
{
	size_t length = strcspn(a, "\n");

	return strlen(b) == length && !strncmp(a, b, length);
}

void ndm_count(const struct net *net, enum ndm_counter counter, long by)
{
	model_counter[counter] += by;
}

int ndm_stats_init(void)
{
	memset(model_counter, 0, sizeof(model_counter));
	return 0;
}

void ndm_stats_exit(void)
{
}
