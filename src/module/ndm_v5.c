// SPDX-License-Identifier: GPL-2.0
/* Variant v5, the integer core; see ndm_v5.h. */
#include "ndm_v5.h"

/*
 * Above a sixth lost, no verdict: whoever loses that much sends too much. With
 * a fifth, chance lets 25 % pass too often: 2.4 times Cubic's packets a second.
 */
#define NDM_V5_LOSS_MOST ((1U << NDM_V5_LOSS_SHIFT) / 6)

/*
 * Reno's window at a loss share p is about 1.22 / sqrt(p). With p in 2^-16 that
 * is 312 / sqrt(p); on a quiet path noise is believed up to three times that.
 */
#define NDM_V5_FRIENDLY 312
#define NDM_V5_BOUND_FACTOR 3
#define NDM_V5_SMALL_WINDOW 10

#define NDM_V5_REORDERED 2		/* events beyond which reordering is proven */
#define NDM_V5_STALLS 3
#define NDM_V5_LATE_US 250		/* less is timing of hosts */

/* Growth per acknowledged packet while searching, as struct ndm_cubic.gain: 1/4. */
#define NDM_V5_SEARCH_GAIN ((1U << NDM_CUBIC_GAIN_SHIFT) / 4)

/*
 * As HyStart has them: a queue of 1/8 RTT, 16 ms at most; ACKs 2 ms apart. At
 * least 2 ms and four samples, where HyStart has 4 and eight: on a path of 10 ms
 * these come when the queue is full.
 */
#define NDM_V5_QUEUE_LEAST_US 2000
#define NDM_V5_QUEUE_MOST_US 16000
#define NDM_V5_QUEUE_SAMPLES 4
#define NDM_V5_TRAIN_GAP_US 2000

void ndm_v5_restart(struct ndm_v5 *v)
{
	u32 algorithm = v->algorithm, counted = v->counted;

	memset(v, 0, sizeof(*v));
	v->algorithm = algorithm;
	v->counted = counted;
}

static void ndm_v5_count_loss(struct ndm_v5 *v, u32 lost, u32 delivered)
{
	u32 share;

	lost = ndm_min(lost, 65535);
	delivered = ndm_min(delivered, 1U << 20);
	share = lost ? (lost << 16) / (lost + delivered) : 0;
	if (share >= v->loss)
		v->loss += (share - v->loss) >> 3;
	else
		v->loss -= (v->loss - share + 7) >> 3;
}

/* More window that brings no more rate only fills queues. */
static void ndm_v5_watch_rate(struct ndm_v5 *v, const struct ndm_v5_round *round,
			      u32 took)
{
	u32 rate = (ndm_min(round->delivered, 1U << 21) << 10) / took;
	u32 part = round->slow_start ? 2 : 3, more = round->slow_start ? 2 : 4;

	if (!v->limited || !ndm_v5_has(NDM_V5_PLATEAU))
		return;
	if (!v->rate || rate > v->rate + (v->rate >> more)) {
		v->rate = rate;
		v->rate_window = round->window;
		v->stalls = 0;
	} else if (round->window > v->rate_window + (v->rate_window >> part)) {
		/* Compare with this one: the best may have been luck. */
		v->rate = rate;
		v->rate_window = round->window;
		v->stalls = ndm_min(v->stalls + 1, NDM_V5_STALLS);
	}
}

/*
 * On a path that scatters, losses have stopped growth for no reason. While the
 * mean stays where it is and more window still brings more rate, there is room.
 */
static bool ndm_v5_searching(const struct ndm_v5 *v)
{
	return ndm_v5_has(NDM_V5_SEARCH) &&
	       v->rounds.base && ndm_rounds_noisy(&v->rounds) &&
	       v->stalls < NDM_V5_STALLS && v->loss <= NDM_V5_LOSS_MOST && !v->shifted;
}

void ndm_v5_cut(struct ndm_v5 *v, u32 window)
{
	ndm_cubic_cut(&v->cubic, window);
	v->rate = 0;
	v->stalls = 0;
	v->shifts = 0;
}

void ndm_v5_round(struct ndm_v5 *v, const struct ndm_v5_round *round)
{
	u32 now = round->now_us >> NDM_CUBIC_TIME_SHIFT;
	u32 took = ndm_max((round->now_us - v->round_start) >> NDM_CUBIC_TIME_SHIFT, 1);
	u32 usual;

	ndm_v5_count_loss(v, round->lost, round->delivered);
	v->limit = ndm_v5_bound(v);
	ndm_v5_watch_rate(v, round, took);
	ndm_rounds_end(&v->rounds, round->now_us);
	/* A pause of the sender is no time to grow, nor one to look ahead. */
	usual = v->rounds.mean >> NDM_CUBIC_TIME_SHIFT;
	if (usual && took > 2 * usual) {
		if (v->cubic.epoch)
			v->cubic.epoch += took - usual;
		took = usual;
	}
	if (!round->slow_start)
		ndm_cubic_round(&v->cubic, now, took, round->window,
				round->delivered, v->limited);
	v->shifted = ndm_rounds_noisy(&v->rounds) &&
		     ndm_rounds_shifted(&v->rounds, true);
	if (v->shifted) {
		ndm_cubic_slow(&v->cubic, round->window);
	} else if (ndm_v5_searching(v)) {
		v->cubic.gain = ndm_max(v->cubic.gain, NDM_V5_SEARCH_GAIN >> v->stalls);
		v->searched = true;
	}
	v->least = 0;
	v->limited = false;
	v->round_start = round->now_us;
	v->train = round->now_us;
}

u32 ndm_v5_drained(struct ndm_v5 *v, u32 window)
{
	u32 share;

	if (!ndm_v5_has(NDM_V5_DRAIN) || !v->searched || !v->shifted)
		return window;
	v->searched = false;
	/* Down to where the queue could be seen; 512 is all, a quarter goes at most. */
	share = ((v->rounds.base + (v->rounds.base >> 2)) << 9) / v->rounds.mean;
	return (u64)window * ndm_clamp(share, 384, 512) >> 9;
}

void ndm_v5_sample(struct ndm_v5 *v, u32 rtt_us)
{
	u32 rtt = ndm_min(rtt_us >> NDM_V5_LEAST_SHIFT, 65534) + 1;

	if (!v->least || rtt < v->least)
		v->least = rtt;
	ndm_rounds_sample(&v->rounds, rtt_us);
}

/* The shortest of a round: what stood in a queue that each packet met. */
static bool ndm_v5_queue_builds(const struct ndm_v5 *v, u32 min_rtt_us)
{
	u32 beyond = ndm_clamp(min_rtt_us >> 3, NDM_V5_QUEUE_LEAST_US,
			       NDM_V5_QUEUE_MOST_US);

	return v->rounds.samples >= NDM_V5_QUEUE_SAMPLES &&
	       (u32)v->least << NDM_V5_LEAST_SHIFT > min_rtt_us + beyond;
}

bool ndm_v5_start_over(struct ndm_v5 *v, u32 now_us, u32 min_rtt_us)
{
	if (!ndm_v5_has(NDM_V5_START))
		return false;
	/* Where RTTs scatter a doubling is seen too late: search instead. */
	if (v->stalls >= NDM_V5_STALLS || ndm_rounds_noisy(&v->rounds) ||
	    ndm_v5_queue_builds(v, min_rtt_us))
		return true;
	if (now_us - v->train > NDM_V5_TRAIN_GAP_US)
		return false;
	v->train = now_us;
	return now_us - v->round_start > min_rtt_us >> 1;
}

bool ndm_v5_noisy(const struct ndm_v5 *v, u32 reordered)
{
	return reordered > NDM_V5_REORDERED || ndm_rounds_noisy(&v->rounds);
}

u32 ndm_v5_bound(const struct ndm_v5 *v)
{
	u32 window = NDM_V5_FRIENDLY * NDM_V5_BOUND_FACTOR /
		     ndm_max(ndm_sqrt(v->loss), 1);

	return ndm_clamp(window, NDM_V5_SMALL_WINDOW, 65535);
}

bool ndm_v5_behind_queue(const struct ndm_v5 *v)
{
	const struct ndm_rounds *r = &v->rounds;

	return ndm_v5_has(NDM_V5_LATE) &&
	       r->newest > r->base + ndm_max(r->jitter >> 1, NDM_V5_LATE_US);
}

bool ndm_v5_is_noise(const struct ndm_v5 *v, u32 window, u32 reordered)
{
	const struct ndm_rounds *r = &v->rounds;
	bool noisy = ndm_v5_noisy(v, reordered);

	if (!ndm_v5_has(NDM_V5_VERDICT) || !r->base ||
	    r->samples + (r->mean ? NDM_SAMPLES_MIN : 0) < NDM_SAMPLES_MIN)
		return false;
	if (v->loss > NDM_V5_LOSS_MOST || (!noisy && v->stalls >= NDM_V5_STALLS))
		return false;
	if (ndm_v5_has(NDM_V5_SHIFT) && ndm_rounds_shifted(r, noisy))
		return false;
	return noisy || window <= v->limit || !ndm_v5_has(NDM_V5_BOUND);
}
