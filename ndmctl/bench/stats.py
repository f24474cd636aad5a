# SPDX-License-Identifier: GPL-2.0
"""How one algorithm compares with Cubic on one path. Each block gives one number: the logarithm of the ratio of their goodputs. So what
changes from block to block, such as the hour, cancels out."""
import itertools
import math
import random
import statistics

LEVEL = 0.05
MARGIN = math.log(1.02)   # a smaller difference matters to nobody, however sure it is
LEAST_BLOCKS = 6
EXACT_BLOCKS = 14         # up to here all sign flips are tried
RANDOM_FLIPS = 20000
RESAMPLES = 4000


def least_blocks(comparisons):
    """How many blocks it takes until Holm's first step can be passed: the smallest p of n blocks is 2 / 2^n."""
    blocks = LEAST_BLOCKS
    while 2.0 / 2 ** blocks * comparisons >= LEVEL:
        blocks += 1
    return blocks


def sign_flip_p(values):
    """Two-sided: how often a mean this far from 0 comes about when the sign of each block is chance."""
    if not values:
        return 1.0
    total = abs(math.fsum(values)) * (1 - 1e-12)    # equal sums, added in another order
    if len(values) <= EXACT_BLOCKS:
        flips = itertools.product((1, -1), repeat=len(values))
        hits = sum(abs(math.fsum(s * v for s, v in zip(signs, values))) >= total for signs in flips)
        return hits / 2 ** len(values)
    chance = random.Random(len(values))
    hits = sum(abs(math.fsum(chance.choice((1, -1)) * v for v in values)) >= total for _ in range(RANDOM_FLIPS))
    return (hits + 1) / (RANDOM_FLIPS + 1)


def bootstrap_interval(values):
    """95 % of the mean, by resampling blocks; the same each time for the same values."""
    if len(values) < 2:
        return None
    chance = random.Random(len(values))
    means = sorted(math.fsum(chance.choices(values, k=len(values))) / len(values) for _ in range(RESAMPLES))
    return means[int(RESAMPLES * 0.025)], means[int(RESAMPLES * 0.975)]


def holm(ps):
    """Adjusted for looking at several algorithms; the same order as ps."""
    adjusted, highest = [0.0] * len(ps), 0.0
    for rank, index in enumerate(sorted(range(len(ps)), key=lambda i: ps[i])):
        highest = max(highest, min(1.0, ps[index] * (len(ps) - rank)))
        adjusted[index] = highest
    return adjusted


def compare(values):
    """One algorithm: figures only, the verdict comes from judge."""
    log_ratio, interval = mean(values), bootstrap_interval(values)
    return {"blocks": len(values), "log_ratio": log_ratio, "ratio": math.exp(log_ratio), "log_ratio_low": interval and interval[0],
            "log_ratio_high": interval and interval[1], "p": sign_flip_p(values)}


def judge(comparisons):
    """Adds p_adjusted and verdict to those of all algorithms of a path: faster, slower, no difference seen, or too few blocks."""
    needed = least_blocks(len(comparisons))
    for comparison, adjusted in zip(comparisons, holm([c["p"] for c in comparisons])):
        comparison["p_adjusted"] = adjusted
        comparison["blocks_needed"] = needed
        if comparison["blocks"] < needed:
            comparison["verdict"] = "too few blocks"
        elif adjusted >= LEVEL or abs(comparison["log_ratio"]) < MARGIN or comparison["log_ratio_low"] <= 0 <= comparison["log_ratio_high"]:
            comparison["verdict"] = "no difference seen"
        else:
            comparison["verdict"] = "faster" if comparison["log_ratio"] > 0 else "slower"
    return comparisons


def mean(values):    # statistics.fmean, which the Python of EL 8 lacks
    return math.fsum(values) / len(values)


def middle(values):
    return statistics.median(values) if values else None
