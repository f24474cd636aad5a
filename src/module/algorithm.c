// SPDX-License-Identifier: GPL-2.0
/* Which algorithm a connection has; see algorithm.h. */
#include <net/tcp.h>

#include "algorithm.h"
#include "params.h"
#include "stats.h"
#include "v1_v4/callbacks.h"
#include "v1_v4/flow.h"
#include "v5/v5.h"

static bool ndm_is_v5(const struct sock *sk)
{
	const struct ndm_id *id = inet_csk_ca(sk);

	return id->v5;
}

void ndm_begin(struct sock *sk, u32 algorithm)
{
	struct ndm_id *id = inet_csk_ca(sk);

	if (!id->counted) {
		id->algorithm = algorithm;
		id->v5 = (algorithm == NDM_ALGORITHM_CHOSEN ?
			  READ_ONCE(ndm_chosen) : algorithm) == NDM_ALGORITHM_V5;
		id->counted = true;
		ndm_count(sock_net(sk), NDM_SOCKETS + id->algorithm, 1);
	}
	if (id->v5)
		ndm_v5_init(sk);
	else
		ndm_flow_init(sk);
}

/* Linux before 6.17 also releases sockets that were never initialised. */
void ndm_release(struct sock *sk)
{
	struct ndm_id *id = inet_csk_ca(sk);

	if (!id->counted)
		return;
	id->counted = false;
	ndm_count(sock_net(sk), NDM_SOCKETS + id->algorithm, -1);
	if (!id->v5)
		ndm_flow_release(sk);
}

void ndm_info(const struct sock *sk, struct tcp_dctcp_info *info)
{
	if (ndm_is_v5(sk))
		ndm_v5_info(sk, info);
	else
		ndm_flow_info(sk, info);
}

void ndm_chosen_pkts_acked(struct sock *sk, const struct ack_sample *sample)
{
	if (ndm_is_v5(sk))
		ndm_v5_pkts_acked(sk, sample);
	else
		ndm_flow_pkts_acked(sk, sample);
}

void ndm_chosen_cong_avoid(struct sock *sk, u32 ack, u32 acked)
{
	if (ndm_is_v5(sk))
		ndm_v5_cong_avoid(sk, ack, acked);
	else
		ndm_flow_cong_avoid(sk, ack, acked);
}

u32 ndm_chosen_ssthresh(struct sock *sk)
{
	return ndm_is_v5(sk) ? ndm_v5_ssthresh(sk) : ndm_flow_ssthresh(sk);
}

void ndm_chosen_set_state(struct sock *sk, u8 new_state)
{
	if (ndm_is_v5(sk))
		ndm_v5_set_state(sk, new_state);
	else
		ndm_flow_set_state(sk, new_state);
}

u32 ndm_chosen_undo_cwnd(struct sock *sk)
{
	return ndm_is_v5(sk) ? ndm_v5_undo_cwnd(sk) : ndm_flow_undo_cwnd(sk);
}

void ndm_chosen_cwnd_event(struct sock *sk, enum tcp_ca_event event)
{
	/* v5 hears of pauses by the first ACK after them. */
	if (!ndm_is_v5(sk))
		ndm_flow_cwnd_event(sk, event);
}

u32 ndm_chosen_sndbuf_expand(struct sock *sk)
{
	return ndm_is_v5(sk) ? ndm_v5_sndbuf_expand(sk) : 2;
}
