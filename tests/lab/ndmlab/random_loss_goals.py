# SPDX-License-Identifier: GPL-2.0
"""The goals of variant v5 where losses are chance: it fills the path, and costs others no more than Cubic does."""
from . import metrics
from .goals import Goal, at_least, at_most, constant, excess, packets_per_second, times
from .scenarios.random_loss import BESIDE, BESIDE_FAST, ITSELF


def alone():
    yield at_least("loss-1-fast", "Mbit/s; 60 of 100", metrics.goodput, constant(60))
    yield at_most("loss-1-fast", "retr. per drop; 1.1", excess, constant(1.1))
    for path, part in (("loss-0.1-fast", 0.8), ("loss-5-fast", 0.5), ("bursts-fast", 0.6), ("bursts-slow", 0.6)):
        yield at_least(path, f"Mbit/s; {part} of BBR's", metrics.goodput, times(part, "bbr", metrics.goodput))
    yield at_least("satellite-random", "Mbit/s; 6 of 10", metrics.goodput, constant(6))
    yield at_most("satellite-random", "retr. per drop; 1.2", excess, constant(1.2))
    yield at_least("lte-jitter", "Mbit/s; 35 of 50", metrics.goodput, constant(35))
    yield at_most("lte-jitter", "retr. per drop; 1.5", excess, constant(1.5))
    yield at_least("5g-jitter", "Mbit/s; 125 of 150", metrics.goodput, constant(125))
    yield at_most("5g-jitter", "retr. per drop; 3", excess, constant(3))
    yield at_least("short-queue", "Mbit/s; Cubic's", metrics.goodput, times(1, "cubic", metrics.goodput))
    yield at_most("policer-loss", "drops; 2 x Cubic's", metrics.drops, times(2, "cubic", metrics.drops))
    yield at_most("loss-25-fast", "packets a second; 1.5 x Cubic's", packets_per_second, times(1.5, "cubic", packets_per_second))


def beside():
    for scenario in (*BESIDE, *BESIDE_FAST):
        yield Goal(scenario.name, "harm; Cubic's + 0.05", None, -1, lambda figures: figures.harm("cubic") + 0.05)
    for scenario in ITSELF:
        yield at_least(scenario.name, "Jain's index; 0.95", metrics.fairness, constant(0.95))


GOALS = [*alone(), *beside()]
