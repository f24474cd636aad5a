# SPDX-License-Identifier: GPL-2.0
"""Set grid: round trips of 20 us to 2 s by rates of 1 Mbit/s to 10 Gbit/s. One flow, which another of its kind joins halfway.

The virtual clock has no limit of CPU; what limits is the guest's memory, so that the largest products of rate and round trip are left out.
"""
from dataclasses import dataclass
from typing import Callable

from ..judge import metrics
from ..show import page, table
from ..show.columns import COUNT, GOODPUT, JAIN, PER, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import per_megabyte
from ..lab_set import Part, Set
from ..model import PACKET, Scenario, router

RTTS_US = (20, 200, 2_000, 20_000, 200_000, 2_000_000)
RATES_MBIT = (1, 10, 100, 1_000, 10_000)
MOST_BYTES = 30e6     # in flight
MOST_PACKETS = 400e3  # in a cell, which takes some ten seconds of the host
LEAST_QUEUE = 32      # packets, where the product is less
STEPS = 80            # of a cell's time, for convergence


def seconds_of(rate, rtt_us):
    """Two hundred round trips, two seconds and 600 packets at least, but no more packets than a cell may cost, and then 24 round trips at least."""
    rtt = rtt_us / 1e6
    wanted = max(2, 200 * rtt, 600 * PACKET * 8 / rate / 1e6)
    return max(min(wanted, MOST_PACKETS * PACKET * 8 / rate / 1e6), min(wanted, 24 * rtt))


def queue_bytes(rate, rtt_us):
    return max(LEAST_QUEUE * PACKET, round(rate * rtt_us / 8))


def point(rate, rtt_us):
    seconds = round(seconds_of(rate, rtt_us), 3)
    step_ms = max(1, round(seconds * 1000 / STEPS))
    half = f"delay {rtt_us / 2:g}us"
    path = router(rate, rtt_us / 1000, f"bfifo limit {queue_bytes(rate, rtt_us)}", forward=half, back=half, rival="rival", buffers=67108864)
    traffic = (f"tested cc={{cc}} seconds={seconds:g} step={step_ms} sample={max(1, min(10, step_ms))} trace={{trace}}\n"
               f"rivals cc={{cc}} start={seconds / 2:g} seconds={seconds / 2:g} step={step_ms} sample={max(1, min(10, step_ms))}\ntogether")
    return Scenario(f"grid-{rate}m-{rtt_us}us", path, seconds, f"{rate:,} Mbit/s, {rtt_us / 1000:g} ms, FIFO of 1 BDP or {LEAST_QUEUE} packets, another of its kind joins halfway",
                    traffic=traffic, rtt=rtt_us / 1000)


POINTS = {(rate, rtt_us): point(rate, rtt_us) for rate in RATES_MBIT for rtt_us in RTTS_US if rate * rtt_us / 8 <= MOST_BYTES}


# The figures of a point: of the first flow alone, and of both after the second has joined.

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
           Figure("retransmissions", "Retransmissions per MB", lambda rate, rtt_us: per_megabyte),
           Figure("queue", "p95 of the queuing delay, as a share of a full queue's", queue),
           Figure("fairness", "Jain's index when another of its kind joined, after half of its time", late_fairness)]
assert STEPS >= 40  # the quarters above are of whole steps


def tables(part, cells, results):
    rows = {(row.scenario.name, row.algorithm): row for row in table.rows_of(cells, results)}
    texts = []
    for figure in FIGURES:
        for name in part.algorithms:
            lines = [[f"{rtt_us / 1000:g} ms", *(page.show(rows[POINTS[rate, rtt_us].name, name].values(figure.of(rate, rtt_us))) if (rate, rtt_us) in POINTS else "not played" for rate in RATES_MBIT)]
                     for rtt_us in RTTS_US]
            texts.append(f"{figure.about}, {name}:\n\n" + page.markdown(["RTT", *(f"{rate:,} Mbit/s" for rate in RATES_MBIT)], lines))
    return "\n\n".join(texts)


ALGORITHMS = ("ndm_v5", "cubic")
SET = Set("grid", tuple(POINTS.values()), ALGORITHMS, columns=(GOODPUT, RIVAL, JAIN, COUNT, PER, SPURIOUS, *QUEUE),
          page=Part("Round trips by rates", "One flow; a second one of the same algorithm joins halfway. A cell lasts 200 RTTs, or at least 24 where that is too long; "
                    "the share of the link is that of the second quarter of the time.", ALGORITHMS, seeds=6, shows=tables))
