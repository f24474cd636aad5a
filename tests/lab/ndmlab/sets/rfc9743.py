# SPDX-License-Identifier: GPL-2.0
"""Set rfc9743: for each criterion of RFC 9743 paths of other sets, and what v5 does on them beside Cubic with the same seeds.

A set of its own, so that the table can be made with only the cells that its rows name.
"""
import statistics
from dataclasses import dataclass
from typing import Callable

from ..judge import goals, metrics
from ..show import page, table
from ..algorithms import OURS
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN, RIVAL, SPURIOUS
from ..lab_set import Part, Set
from . import coexistence, difficulties, few, hosts, recorded, v5

PEER = "cubic"
OTHERS = {other.SET.name: {scenario.name: scenario for scenario in other.SET.scenarios} for other in (v5, recorded, few, coexistence, difficulties, hosts)}


@dataclass(frozen=True)
class Row:
    """One criterion. figure: (set's results by path and algorithm) -> text; a text stands for itself."""
    number: str
    criterion: str
    set: str
    paths: tuple
    figure: Callable | str

    def command(self):
        return f"tests/lab/lab run {self.set}" + "".join(f" --scenario {path}" for path in self.paths if len(self.paths) <= 6)


def mean(results, figure):
    values = [value for value in map(figure, results) if value is not None]
    return statistics.fmean(values) if values else None


def span(values, what):
    """The least and the most over the paths, each with its path."""
    values = {path: value for path, value in values.items() if value is not None}
    if not values:
        raise ValueError(f"no path has a figure: {what}")
    least, most = min(values, key=values.get), max(values, key=values.get)
    if least == most:
        return f"{what}: {values[least]:.2f} ({least})"
    return f"{what}: {values[least]:.2f} ({least}) to {values[most]:.2f} ({most})"


def over_cubic(figure, what):
    """v5's mean over Cubic's of that figure, path by path."""
    def text(by_path, paths):
        ratios = {}
        for path in paths:
            own, peer = (mean(by_path[path, name], figure) for name in (OURS, PEER))
            if own is not None and peer:
                ratios[path] = own / peer
        return span(ratios, f"{what}, v5 over Cubic")
    return text


def own(figure, what):
    return lambda by_path, paths: span({path: mean(by_path[path, OURS], figure) for path in paths}, f"{what} of v5")


def harm(of=metrics.harm, what="harm"):
    """Beyond what Cubic does in the same place."""
    def text(by_path, paths):
        def mean_harm(path, name):
            return statistics.fmean(of(alone, beside) for alone, beside in zip(by_path[path, "none"], by_path[path, name], strict=True))
        return span({path: mean_harm(path, OURS) - mean_harm(path, PEER) for path in paths}, f"{what} beyond Cubic's")
    return text


def recovery(events):
    """events: path -> when it changed"""
    def text(by_path, paths):
        return span({path: mean(by_path[path, OURS], goals.recovery(events[path])) / mean(by_path[path, PEER], goals.recovery(events[path])) for path in paths},
                    "time to recover, v5 over Cubic")
    return text


def queue(by_path, paths):
    """p95 of the queue's delay; the paths' own round trips are in their names' scenarios."""
    rtts = {scenario.name: scenario.rtt for scenario in v5.FIFOS}
    return span({path: mean(by_path[path, OURS], goals.queue_p95(rtts[path])) / mean(by_path[path, PEER], goals.queue_p95(rtts[path])) for path in paths},
                "p95 of the queue's delay, v5 over Cubic")


EVENTS = {"down-2s": (8, 10), "down-10s": (8, 18), "rate-step": (8, 13), "rtt-step": (8, 13)}
RATE = over_cubic(metrics.goodput, "Mbit/s")
BULK = tuple(scenario.name for scenario in recorded.SCENARIOS if "-bulk-" in scenario.name)
DEEP = tuple(scenario.name for scenario in v5.FIFOS if scenario.name.endswith("-4"))
LOSSES = ("loss-25", "loss-50", "loss-90")
# What is behind a cable: to the town or another continent, at the rates that access links have.
WIRED = tuple(scenario.name for scenario in v5.FIFOS if scenario.name.endswith("-1"))
ROWS = [
    Row("5.1.1", "congestion collapse", "v5", LOSSES, over_cubic(goals.packets_per_second, "packets a second under persistent loss")),
    Row("5.1.2", "bufferbloat", "v5", DEEP, queue),
    Row("5.1.2", "bufferbloat, mobile links", "recorded", BULK, over_cubic(lambda result: metrics.link_wait(result, 95), "p95 of the queue's delay")),
    Row("5.1.3", "high packet loss", "v5", ("policer", "fifo-0.06"), over_cubic(metrics.drops, "packets dropped")),
    Row("5.1.4", "fairness among its own", "v5", ("vs-itself", "itself-late"), own(metrics.fairness, "Jain's index")),
    Row("5.1.5", "short flows", "v5", ("short",), over_cubic(goals.completion(95), "p95 of completion")),
    Row("5.2.1", "other general-purpose algorithms", "few", tuple(scenario.name for scenario in few.SHARES), harm()),
    Row("5.2.2", "real-time traffic", "coexistence", ("vs-call", "vs-picture"), harm(metrics.delay_harm, "harm to its delay")),
    Row("5.2.3", "short and long flows", "v5", ("short-rivals", "short-tested"), over_cubic(goals.completion(95), "p95 of completion")),
    Row("5.3.1", "differences from the principles", "", (), "no cut where a loss is judged to be chance, bounded by the share lost; said in `man tcp_ndm`"),
    Row("5.3.2", "incremental deployment: old peers, middleboxes", "difficulties", ("no-timestamps", "ack-loss-50", "asymmetric"), RATE),
    Row("6.1", "tail-drop queues", "v5", tuple(scenario.name for scenario in v5.FIFOS), RATE),
    Row("6.2", "tunnels", "", (), "no signal is used that a tunnel changes, but CE marks, which are obeyed at that ACK; smaller packets: `tests/lab/lab run difficulties --path mtu=1280`"),
    Row("6.3", "wired paths", "v5", WIRED, RATE),
    Row("6.4", "wireless paths", "recorded", BULK, RATE),
    Row("7.1", "active queue management", "v5", ("fq_codel", "fq_codel-ecn"), RATE),
    Row("7.2", "circuit breakers", "v5", LOSSES, over_cubic(metrics.goodput, "Mbit/s under persistent loss")),
    Row("7.3", "varying delay", "v5", ("moderate-wide", "extreme-wide", "normal-routed", "pareto-routed"), RATE),
    Row("7.4", "constrained nodes and links", "difficulties", ("thin",), RATE),
    Row("7.5", "high delay", "difficulties", ("satellite", "satellite-loss"), RATE),
    Row("7.6", "misbehaving receivers", "", (), "ACKs in pieces gain nothing, forged reordering faster growth until a queue shows: `tests/unit/test_v5_receiver.c`"),
    Row("7.7", "extreme reordering", "v5", ("moderate-wide", "extreme-wide", "reorder-25"), own(metrics.spurious_ratio, "spurious ratio")),
    Row("7.8", "transient events", "v5", ("down-2s", "down-10s"), recovery(EVENTS)),
    Row("7.9", "sudden changes of the path", "v5", ("rate-step", "rtt-step"), recovery(EVENTS)),
    Row("7.10", "multipath transport", "", (), "**not evaluated**: coupling is MPTCP's matter; subflows are flows like others"),
    Row("7.11", "data centres", "hosts", tuple(hosts.LANS), RATE),
    Row("8", "security", "", (), "random connections and callbacks in userspace, each mutant found: `make fuzz-ops check-mutants`"),
]


def table_of(part, cells, results):
    """A row without a figure is an error."""
    by_path = table.by_path(cells, results)
    lines = [(row.number, row.criterion, row.figure if isinstance(row.figure, str) else row.figure(by_path, row.paths), len(row.paths) or "-",
              f"`{row.command()}`" if row.set else "-") for row in ROWS]
    return page.markdown(["section", "criterion", "outcome", "paths", "command"], lines)


# A path may serve several criteria.
SCENARIOS = tuple({path: OTHERS[row.set][path] for row in ROWS for path in row.paths}.values())
SET = Set("rfc9743", SCENARIOS, (OURS, PEER), columns=(GOODPUT, RIVAL, JAIN, *HARM, COUNT, SPURIOUS, DROPS),
          page=Part("RFC 9743", "One row a criterion, over the paths of the command beside it; 1.00 is Cubic. Intervals are in the parts above.", (OURS, PEER), shows=table_of))
