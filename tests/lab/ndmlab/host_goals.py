# SPDX-License-Identifier: GPL-2.0
"""The goals of variant v5 on the paths of set hosts."""
from dataclasses import replace

from . import goals, metrics
from .goals import BEFORE, Goal, at_least, at_most, times
from .scenarios.hosts import JITTERED, QUEUES, REAL_OF, LANS

NEAR = 0.02  # what "like Cubic" means: that share of Cubic's figure


def largest_cwnd(result):
    return metrics.tested(result)[0]["cwnd_max"]


def like_cubic(path):
    yield at_least(path, "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_most(path, "retransmissions; 1.02 x Cubic's", metrics.retransmissions, times(1 + NEAR, "cubic", metrics.retransmissions))


def clocks():
    yield from like_cubic("clock-early")
    yield from like_cubic("clock-wrap")
    yield replace(at_least("clock-wrap", "Mbit/s; 0.98 of those before the wrap", metrics.goodput, times(1 - NEAR, BEFORE, metrics.goodput)), before="clock-early")
    yield replace(at_most("clock-wrap", "retransmissions; those before the wrap + 0.02 x Cubic's", metrics.retransmissions,
                          lambda figures: figures(BEFORE, metrics.retransmissions) + NEAR * figures("cubic", metrics.retransmissions)), before="clock-early")


def harmless(kind, name):
    yield Goal(f"{kind}-{name}", "harm; Cubic's + 0.05", None, -1, lambda figures: figures.harm("cubic") + 0.05)
    yield at_least(f"{kind}-itself-{name}", "Jain's index; 0.95", metrics.fairness, goals.constant(0.95))


def pairs():
    for kind in ("reordered", "switched"):
        for queue in QUEUES:
            yield from harmless(kind, f"{queue:g}")
    for name in JITTERED:
        yield from harmless("orderly", name)


def alone():
    for path in LANS:
        yield from like_cubic(path)
        if path.endswith("-limited"):
            yield at_most(path, "largest cwnd; 2 x Cubic's", largest_cwnd, times(2, "cubic", largest_cwnd))
    yield at_least("satellite-0.2", "Mbit/s; Cubic's", metrics.goodput, times(1, "cubic", metrics.goodput))
    for path in ("day-bulk", "day-limited"):
        yield from like_cubic(path)
    for path in ("from-cubic", "from-bbr", "accepted", "uncapped"):
        yield at_least(path, "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_least("flows-10000", "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_most("flows-10000", "retr. per MB; 1.02 x Cubic's", goals.per_megabyte, times(1 + NEAR, "cubic", goals.per_megabyte))


def real():
    """The goals that hold without fq and offload, and those of set v5 for the path of set impairments that has none."""
    for goal in goals.GOALS:
        if goal.path in REAL_OF:
            yield replace(goal, path=f"{goal.path}-real")
    yield at_least("fifo-1-real", "Mbit/s; 0.97 of Cubic's", metrics.goodput, times(0.97, "cubic", metrics.goodput))
    yield at_most("fifo-1-real", "retransmissions; 1.05 x Cubic's", metrics.retransmissions, times(1.05, "cubic", metrics.retransmissions))


GOALS = [*clocks(), *pairs(), *alone(), *real()]
