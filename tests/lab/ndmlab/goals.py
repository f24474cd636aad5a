# SPDX-License-Identifier: GPL-2.0
"""The goals of variant v5: for each path of set v5 a figure, and the limit that it must reach, often from other algorithms with the same seeds."""
import statistics
from dataclasses import dataclass
from typing import Callable

from . import metrics
from .scenarios.difficulties import DIFFICULTIES
from .scenarios.v5 import FIFOS

OURS = "ndm_v5"
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
    return lambda result: metrics.recovery(metrics.tested(result)[0], event)


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


def jitter():
    for path in ("moderate", "extreme", "moderate-roomy", "extreme-roomy"):
        yield at_least(path, "Mbit/s; BBR's", metrics.goodput, times(1, "bbr", metrics.goodput))
        yield at_most(path, "retr. per MB; 0.1 of Reno's", per_megabyte, times(0.1, "reno", per_megabyte))
    for path, share in (("moderate-wide", 0.8), ("extreme-wide", 0.6)):
        yield at_least(path, f"Mbit/s; {share} of the link", metrics.goodput, constant(50 * share))
        yield at_least(path, "Mbit/s; 3 x BBR's", metrics.goodput, times(3, "bbr", metrics.goodput))
        yield at_most(path, "retr. per MB; 0.1 of Reno's", per_megabyte, times(0.1, "reno", per_megabyte))
        yield at_most(path, "spurious ratio; 1 %", metrics.spurious_ratio, constant(0.01))
    for path in ("normal-routed", "pareto-routed", "reorder-25"):
        yield at_least(path, "Mbit/s; BBR's", metrics.goodput, times(1, "bbr", metrics.goodput))
        yield at_most(path, "retr. per MB; Reno's", per_megabyte, times(1, "reno", per_megabyte))


def loss():
    yield at_least("lte-routed", "Mbit/s; 10 x Cubic's", metrics.goodput, times(10, "cubic", metrics.goodput))
    yield at_most("lte-routed", "retr. per MB; BBR's", per_megabyte, times(1, "bbr", per_megabyte))
    yield at_most("lte-no-timestamps", "retr. per drop; 1.05", excess, constant(1.05))
    for path, factor in (("loss-0.1", 1), ("loss-1", 2), ("loss-5", 2), ("bursts", 2)):
        yield at_least(path, f"Mbit/s; {factor} x Cubic's", metrics.goodput, times(factor, "cubic", metrics.goodput))
        yield at_most(path, "retr. per drop; 1.05", excess, constant(1.05))
    for path in ("constrained", "constrained-roomy"):
        yield at_least(path, "Mbit/s; 0.97 of the link", metrics.goodput, constant(20 * 0.97))
        yield at_most(path, "retr. per MB; a third of Cubic's", per_megabyte, times(1 / 3, "cubic", per_megabyte))


def queues():
    for scenario in FIFOS:
        delay = queue_p95(scenario.rtt)
        yield at_least(scenario.name, "Mbit/s; 0.97 of the best of Reno and Cubic", metrics.goodput,
                       lambda figures: 0.97 * max(figures("reno", metrics.goodput), figures("cubic", metrics.goodput)))
        yield at_most(scenario.name, "retransmissions; 1.05 x Cubic's", metrics.retransmissions, times(1.05, "cubic", metrics.retransmissions))
        yield at_most(scenario.name, "p95 of the queue, ms; Cubic's", delay, times(1, "cubic", delay))


def neighbours():
    # The share of all that would be fair for the other side: by flows.
    for path, fair in (("vs-cubic", 1 / 2), ("vs-cubic-0.06", 1 / 2), ("vs-cubic-0.25", 1 / 2), ("vs-cubic-4", 1 / 2), ("vs-reno", 1 / 2), ("late", 1 / 2),
                       ("one-ten", 10 / 11), ("ten-one", 1 / 11), ("rtt-near", 1 / 2), ("rtt-far", 1 / 2)):
        yield Goal(path, "harm; Cubic's + 0.05", None, -1, lambda figures: figures.harm("cubic") + 0.05)
        least = 0.4 if path.endswith("0.06") else 0.6
        yield at_least(path, f"the other's part of its fair share; {least}", kept(fair), constant(least))
    for path in ("vs-itself", "itself-late"):
        yield at_least(path, "Jain's index; 0.95", metrics.fairness, constant(0.95))


def changes():
    yield at_most("policer", "drops; 2 x Cubic's", metrics.drops, times(2, "cubic", metrics.drops))
    for path in ("fq_codel", "fq_codel-ecn"):
        yield at_least(path, "Mbit/s; 0.97 of Cubic's", metrics.goodput, times(0.97, "cubic", metrics.goodput))
        yield at_most(path, "drops; 2 x Cubic's", metrics.drops, times(2, "cubic", metrics.drops))
    for percent in (25, 50, 90):
        yield at_most(f"loss-{percent}", "packets a second; 2 x Cubic's", packets_per_second, times(2, "cubic", packets_per_second))
    for scenario in DIFFICULTIES:
        if scenario.event:
            yield at_most(scenario.name, "recovery, s; 1.2 x Cubic's", recovery(scenario.event), times(1.2, "cubic", recovery(scenario.event)))
    for path in ("short", "short-tested", "short-rivals"):
        for quantile in (50, 95):
            yield at_most(path, f"completion p{quantile}, ms; 1.1 x Cubic's", completion(quantile), times(1.1, "cubic", completion(quantile)))


GOALS = [*jitter(), *loss(), *queues(), *neighbours(), *changes()]
