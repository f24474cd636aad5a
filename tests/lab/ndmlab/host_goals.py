# SPDX-License-Identifier: GPL-2.0
"""The goals of variant v5 on the paths of set hosts: as in goals.py, with an interval over the seeds, so that chance does not count as a fault."""
from dataclasses import replace

from . import goals, metrics
from .goals import OURS, Goal, Figures, at_least, at_most, times
from .scenarios.hosts import JITTERED, QUEUES, REAL_OF, LANS

NEAR = 0.02  # what "like Cubic" means: that share of Cubic's figure
EARLY = "early"  # under this name a cell across the wrap finds v5's own figures before it


def largest_cwnd(result):
    return metrics.tested(result)[0]["cwnd_max"]


def like_cubic(path):
    yield at_least(path, "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_most(path, "retransmissions; 1.02 x Cubic's", metrics.retransmissions, times(1 + NEAR, "cubic", metrics.retransmissions))


def clocks():
    yield from like_cubic("clock-early")
    yield from like_cubic("clock-wrap")
    yield at_least("clock-wrap", "Mbit/s; 0.98 of those before the wrap", metrics.goodput, times(1 - NEAR, EARLY, metrics.goodput))
    yield at_most("clock-wrap", "retransmissions; those before the wrap + 0.02 x Cubic's", metrics.retransmissions,
                  lambda figures: figures(EARLY, metrics.retransmissions) + NEAR * figures("cubic", metrics.retransmissions))


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


def margin_of(goal, results):
    """(v5's figure, the goal, margin) of these results; None where there is none. Raises KeyError for a peer that was not run."""
    figures = Figures(results)
    own = figures(OURS, goal.figure) if goal.figure else figures.harm(OURS)
    limit = goal.limit(figures)
    return None if own is None or limit is None else (own, limit, goal.sign * (own - limit))


def half_width(goal, results):
    """Half of the 95 % interval of that: Student's t over what each seed adds (jackknife), which for a difference of means is the paired interval."""
    count = len(results[OURS])
    if count < 2:
        return None
    whole = margin_of(goal, results)[2]
    parts = [margin_of(goal, {name: rows[:seed] + rows[seed + 1:] for name, rows in results.items()})[2] for seed in range(count)]
    return metrics.mean_interval(count * whole - (count - 1) * part for part in parts)[1]


def state_of(margin, half):
    if half is None:
        return "undecided"
    if margin - half >= 0:
        return "reached"
    return "missed" if margin + half < 0 else "undecided"


def judge(results, which=None):
    """results: (path, algorithm) -> results in the order of the seeds; which: the goals, else those of set hosts. Yields (goal, figure, limit, margin, half, word)."""
    for goal in which or GOALS:
        own = {algorithm: rows for (path, algorithm), rows in results.items() if path == goal.path}
        if goal.path == "clock-wrap" and ("clock-early", OURS) in results:
            own[EARLY] = results["clock-early", OURS]
        try:
            found = margin_of(goal, own)
            if found is None:
                continue
            half = half_width(goal, own)
        except KeyError:  # an algorithm that was not run here
            continue
        yield goal, *found, half, state_of(found[2], half)


def figure_of_cubic(goal, rows):
    """Cubic's own figure, for people."""
    if not rows.get("cubic"):
        return "-"
    figures = Figures(rows)
    value = figures("cubic", goal.figure) if goal.figure else figures.harm("cubic")
    return "-" if value is None else f"{value:.4g}"


def print_goals(cells, results, which=None):
    """Returns how many were judged."""
    by_path = {}
    for cell, result in zip(cells, results, strict=True):
        by_path.setdefault((cell.scenario.name, cell.algorithm), []).append(result)
    judged = list(judge(by_path, which))
    print(f"\n{'path':<26}{'figure':<50}{'v5':>9}{'Cubic':>9}  {'goal':>11}  margin (negative: missed)")
    for goal, own, limit, margin, half, said in judged:
        rows = {algorithm: rows for (path, algorithm), rows in by_path.items() if path == goal.path}
        print(f"{goal.path:<26}{goal.what:<50}{own:>9.4g}{figure_of_cubic(goal, rows):>9}  {'>=' if goal.sign > 0 else '<='} {limit:<8.4g}  "
              f"{margin:>8.3g} +- {half or 0:<8.3g} {said}")
    counts = {said: sum(row[-1] == said for row in judged) for said in ("reached", "missed", "undecided")}
    print(", ".join(f"{count} {said}" for said, count in counts.items()) + f" of {len(judged)} goals; {len(which or GOALS) - len(judged)} not judged, as they or their peers were not run")
    return len(judged)
