# SPDX-License-Identifier: GPL-2.0
"""Whether the two engines give the same figures: a dozen scenarios on both, goodput and retransmissions over seeds.

A seed is another course of chance on each engine, so the samples are independent: the difference of their means has an interval of its
own (Welch). That so many of these intervals all hold, each is of 99.9 %. An engine's CPU takes time and the other's takes none, so
means need not be equal to the last digit: MARGIN says how much of a difference is none.
"""
import math
import statistics

from . import metrics
from ..run.cells import Cell
from ..sets import SETS

# One of each kind: loss, policer, jitter, reordering, queues, neighbours, short flows, what breaks, a loopback.
SCENARIOS = {name: set_name for set_name, names in {
    "difficulties": ("loss-1", "reorder-25", "policer", "down-2s", "short"),
    "impairments": ("lte-routed", "extreme-routed", "normal-routed", "fq_codel"),
    "coexistence": ("vs-cubic", "one-ten"),
    "v5": ("fifo-10m-40ms-1",),
    "published": ("lte",)}.items() for name in names}
ALGORITHMS = ("cubic", "ndm_v5")
# Heading, metric, what difference is none: a share of the larger mean, and at least so much.
FIGURES = (("Mbit/s", metrics.goodput, 0.03, 0.0), ("retransmissions", metrics.retransmissions, 0.05, 2.0))


def t_quantile(freedom):
    """Two-sided 99.9 % of Student's t, from the normal quantile by Cornish and Fisher's expansion; from 4 degrees of freedom within 6 %."""
    z = statistics.NormalDist().inv_cdf(0.9995)
    terms = [z, (z ** 3 + z) / 4, (5 * z ** 5 + 16 * z ** 3 + 3 * z) / 96, (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / 384]
    return sum(term / freedom ** power for power, term in enumerate(terms))


def difference(one, other):
    """Mean of `one` minus mean of `other`, and half the width of its interval."""
    variances = [statistics.variance(sample) / len(sample) if len(sample) > 1 else 0.0 for sample in (one, other)]
    total = sum(variances)
    if not total:
        return statistics.fmean(one) - statistics.fmean(other), 0.0
    freedom = total ** 2 / sum(variance ** 2 / (len(sample) - 1) for variance, sample in zip(variances, (one, other)) if len(sample) > 1)
    return statistics.fmean(one) - statistics.fmean(other), t_quantile(freedom) * math.sqrt(total)


def agree(one, other, share, least):
    """Whether the interval of the difference reaches into what counts as none."""
    middle, half = difference(one, other)
    return abs(middle) - half <= max(share * max(statistics.fmean(one), statistics.fmean(other)), least)


def compare(stores, seeds, names=None):
    """Runs what is missing, prints a row for each scenario and algorithm; returns those that disagree."""
    groups = {}
    for name in names or SCENARIOS:
        [scenario] = [scenario for scenario in SETS[SCENARIOS[name]].scenarios if scenario.name == name]
        for algorithm in ALGORITHMS:
            groups[name, algorithm] = [Cell(scenario, algorithm, seed) for seed in scenario.seeds(seeds)]
    for engine, store in stores.items():
        store.run_all([cell for cells in groups.values() for cell in cells], f"compare, {engine}")
    print(f"{'scenario':<18}{'algorithm':<11}" + "".join(f"{f'{heading} {engine}':>24}" for heading, *_ in FIGURES for engine in stores) + "   means 95 %")
    wrong = []
    for (name, algorithm), cells in groups.items():
        row, verdicts = f"{name:<18}{algorithm:<11}", []
        for heading, metric, share, least in FIGURES:
            samples = [[metric(store.get(cell)) for cell in cells] for store in stores.values()]
            row += "".join(f"{'{:.2f} +- {:.2f}'.format(*metrics.mean_interval(sample)):>24}" for sample in samples)
            if not agree(*samples, share, least):
                verdicts.append(heading)
        print(row + ("   disagree: " + ", ".join(verdicts) if verdicts else "   agree"))
        wrong += [f"{name} {algorithm} {heading}" for heading in verdicts]
    return wrong
