# SPDX-License-Identifier: GPL-2.0
"""The figures of a point of set grid: of the first flow alone, and of both after a second flow of the same algorithm has joined."""
from dataclasses import dataclass
from typing import Callable

from . import goals, metrics
from .scenarios.grid import STEPS, queue_bytes


def moved(flow, begin, end):
    """Bytes acknowledged between two shares of the flow's steps."""
    acked = [0, *flow["acked"]]
    last = len(acked) - 1
    return acked[round(end * last)] - acked[round(begin * last)]


def efficiency(rate, rtt_us):
    """Of the rate, what the first flow has from a quarter to half of the time, when it is alone; headers are no loss."""
    def figure(result):
        flow = metrics.tested(result)[0]
        return moved(flow, 0.25, 0.5) * 8 / (flow["seconds"] * 0.25 * rate * 1e6)
    return figure


def late_fairness(rate, rtt_us):
    """Jain's index of both in the last quarter of the time."""
    def figure(result):
        [first], [second] = metrics.tested(result), metrics.rivals(result)
        return metrics.jain([moved(first, 0.75, 1), moved(second, 0.5, 1)])
    return figure


def queue(rate, rtt_us):
    """The 95th percentile of the first flow's queuing delay, as a share of that of a full queue."""
    return lambda result: (metrics.tested(result)[0]["srtt_p95_us"] - rtt_us) * rate / 8 / queue_bytes(rate, rtt_us)


@dataclass(frozen=True)
class Figure:
    name: str
    about: str
    of: Callable  # Mbit/s of the link, its round trip in us -> (result -> number)


FIGURES = [Figure("efficiency", "Share of the link that one flow has", efficiency),
           Figure("retransmissions", "Retransmissions per MB", lambda rate, rtt_us: goals.per_megabyte),
           Figure("queue", "p95 of the queuing delay, as a share of a full queue's", queue),
           Figure("fairness", "Jain's index when another of its kind joined, after half of its time", late_fairness)]
assert STEPS >= 40  # the quarters above are of whole steps
