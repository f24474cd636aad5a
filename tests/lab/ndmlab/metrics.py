# SPDX-License-Identifier: GPL-2.0
"""From results to figures: metrics of a cell, means with 95 % intervals, comparisons paired by seed."""
import math
import random
import statistics


def goodput(result):
    """Mbit/s that the receiver acknowledged, all measured flows together."""
    return sum(flow["bytes"] * 8 / flow["seconds"] / 1e6 for flow in result["flows"])


def retransmissions(result):
    return sum(flow["retrans"] for flow in result["flows"])


def megabytes_per_retransmission(result):
    """None when nothing was retransmitted."""
    count = retransmissions(result)
    return sum(flow["bytes"] for flow in result["flows"]) / 1e6 / count if count else None


def drops(result):
    return sum(item["drops"] for items in result["qdisc"].values() for item in items)


def spurious_ratio(result):
    """Retransmissions beyond what the path dropped, over segments sent. Drops of ACKs count as drops, so it may be negative."""
    segments = sum(flow["segments"] for flow in result["flows"])
    return (retransmissions(result) - drops(result)) / segments if segments else 0.0


def srtt(result, quantile):
    """Milliseconds; `quantile` is 50 or 95."""
    return statistics.fmean(flow[f"srtt_p{quantile}_us"] for flow in result["flows"]) / 1000


def jain(shares):
    """Jain's fairness index of some rates: 1 when equal, 1/n when one takes all."""
    total = sum(shares)
    return total * total / (len(shares) * sum(share * share for share in shares)) if total else 0.0


# Two-sided 97.5 % quantiles of Student's t for 1 to 30 degrees of freedom; beyond, the normal one serves.
STUDENT = [12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131, 2.120, 2.110,
           2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042]


def mean_interval(values):
    """Mean and half the width of its 95 % interval (Student's t over seeds)."""
    values = list(values)
    mean = statistics.fmean(values)
    if len(values) < 2:
        return mean, 0.0
    quantile = STUDENT[len(values) - 2] if len(values) - 2 < len(STUDENT) else 1.96
    return mean, quantile * statistics.stdev(values) / math.sqrt(len(values))


def paired_ratio(ours, theirs):
    """Geometric mean of the ratios, seed by seed, with a 95 % bootstrap interval over seeds: (ratio, low, high)."""
    logs = [math.log(max(a, 1e-9) / max(b, 1e-9)) for a, b in zip(ours, theirs, strict=True)]
    chance = random.Random(1)  # the same resamples in every run
    means = sorted(statistics.fmean(chance.choices(logs, k=len(logs))) for _ in range(2000))
    return math.exp(statistics.fmean(logs)), math.exp(means[49]), math.exp(means[1949])
