# SPDX-License-Identifier: GPL-2.0
"""The goals of variant v5 on recorded links, with Cubic for comparison."""
from . import metrics
from .goals import Goal, at_least, at_most, completion, constant, times
from .scenarios.recorded import RECORDED


def wait(quantile):
    return lambda result: metrics.link_wait(result, quantile)


def own_part(result):
    """Of half of what both get, what the flow under test has."""
    return 2 * metrics.goodput(result) / max(metrics.goodput(result) + metrics.rival_goodput(result), 1e-9)


def goals_of(scenario):
    path = scenario.name
    if scenario.harms:
        yield Goal(path, "harm; Cubic's + 0.05", None, -1, lambda figures: figures.harm("cubic") + 0.05)
        yield at_least(path, "its own part of its fair share; 0.6", own_part, constant(0.6))
        yield at_most(path, "p95 of the queue, ms; 1.05 x Cubic's", wait(95), times(1.05, "cubic", wait(95)))
    elif "bulk" in path:
        yield at_least(path, "Mbit/s; 0.97 of Cubic's", metrics.goodput, times(0.97, "cubic", metrics.goodput))
        yield at_most(path, "retransmissions; 1.05 x Cubic's", metrics.retransmissions, times(1.05, "cubic", metrics.retransmissions))
        for quantile in (50, 95):
            yield at_most(path, f"p{quantile} of the queue, ms; 1.05 x Cubic's", wait(quantile), times(1.05, "cubic", wait(quantile)))
    else:  # short flows and chunks of a video
        for quantile in (50, 95):
            yield at_most(path, f"completion p{quantile}, ms; 1.1 x Cubic's", completion(quantile), times(1.1, "cubic", completion(quantile)))
        yield at_most(path, "p95 of the queue, ms; 1.05 x Cubic's", wait(95), times(1.05, "cubic", wait(95)))


GOALS = [goal for scenario in RECORDED for goal in goals_of(scenario)]
