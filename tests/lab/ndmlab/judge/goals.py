# SPDX-License-Identifier: GPL-2.0
"""What the goals of v5 are made of: for a path a figure, and the limit that it must reach, often from other algorithms with the same seeds."""
import statistics
from dataclasses import dataclass
from typing import Callable

from . import metrics

BEFORE = "before"  # under this name a limit finds v5's figures on the path Goal.before


@dataclass(frozen=True)
class Goal:
    """One claim.

    path:   name of the scenario
    what:   the figure, for people
    figure: result of one cell -> number, None if it has none
    sign:   1: at least the limit; -1: at most
    limit:  Figures -> number, what the figure must reach
    before: another path; the limit needs v5's figures on it
    """
    path: str
    what: str
    figure: Callable
    sign: int
    limit: Callable
    before: str = ""


class Figures:
    """Means over the seeds of one path."""

    def __init__(self, results):
        self.results = results  # algorithm -> results in the order of the seeds

    def __call__(self, algorithm, figure):
        values = [value for value in map(figure, self.results[algorithm]) if value is not None]
        return statistics.fmean(values) if values else None

    def harm(self, algorithm):
        alone = self.results["none"]
        return statistics.fmean(metrics.harm(one, beside) for one, beside in zip(alone, self.results[algorithm], strict=True))


def per_megabyte(result):
    return metrics.retransmissions(result) / max(metrics.megabytes(result), 1e-9)


def excess(result):
    """Retransmissions for each packet that the path dropped."""
    return metrics.retransmissions(result) / max(metrics.drops(result), 1)


def packets_per_second(result):
    return sum(flow["segments"] / flow["seconds"] for flow in metrics.tested(result))


# Figures that need to know more of the path.

def queue_p95(base):
    return lambda result: metrics.queue_delay(result, 95, base)


def kept(fair):
    """The other side's part of what would be fair, `fair` being its share of all."""
    return lambda result: metrics.rival_goodput(result) / (metrics.goodput(result) + metrics.rival_goodput(result)) / fair


def recovery(event):
    return lambda result: metrics.recovery(result, event)


def completion(quantile):
    return lambda result: metrics.completion(result, quantile)


# What a goal is made of.

def times(factor, algorithm, figure):
    return lambda figures: factor * figures(algorithm, figure)


def constant(value):
    return lambda figures: value


def at_least(path, what, figure, limit):
    return Goal(path, what, figure, 1, limit)


def at_most(path, what, figure, limit):
    return Goal(path, what, figure, -1, limit)


def harmless(path, more=0.05):
    return Goal(path, f"harm; Cubic's + {more:.2f}", None, -1, lambda figures: figures.harm("cubic") + more)


def fair(path):
    return at_least(path, "Jain's index; 0.95", metrics.fairness, constant(0.95))
