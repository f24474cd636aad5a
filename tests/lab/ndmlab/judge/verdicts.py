# SPDX-License-Identifier: GPL-2.0
"""Which goals of a set v5 reaches: the same judge for all sets, by intervals over the seeds.

Each goal has a margin, negative where the limit is not reached. So many margins are looked at that of some the 95 % interval excludes 0 by
chance alone. Holm's method decides which do not: of all goals judged together, the chance to call even one of them wrong is 5 %.
"""
import math
import statistics
from typing import NamedTuple

from scipy import stats

from . import metrics
from ..show import table
from ..algorithms import OURS
from .goals import BEFORE, Figures, Goal

LEVEL = 0.05
WORDS = ("reached", "missed", "undecided")
RULE = "Holm's method over all goals of the set decides whether one is reached or missed, so a margin whose 95 % interval excludes 0 can be undecided."


class Judgement(NamedTuple):
    """half: half of the margin's own 95 % interval, 0 where seeds do not differ, None where they are too few to have one"""
    goal: Goal
    own: float
    limit: float
    margin: float
    half: float | None
    word: str


def holm(values, level=LEVEL):
    """For each p value whether it is rejected: the smallest at level / count, the next at level / (count - 1), up to the first that is not.
    (statsmodels has it, and would bring pandas for these seven lines.)"""
    rejected = [False] * len(values)
    for rank, index in enumerate(sorted(range(len(values)), key=values.__getitem__)):
        if values[index] > level / (len(values) - rank):
            break
        rejected[index] = True
    return rejected


def margin_of(goal, results):
    """(v5's figure, the limit, margin) of these results; None where there is none. Raises KeyError for a peer that was not run."""
    figures = Figures(results)
    own = figures(OURS, goal.figure) if goal.figure else figures.harm(OURS)
    limit = goal.limit(figures)
    return None if own is None or limit is None else (own, limit, goal.sign * (own - limit))


def spread(goal, results, margin):
    """(half of the margin's 95 % interval, p value of a margin of 0): Student's t over what each seed adds (jackknife), which for a difference of
    means is the paired interval. Without variance there is no p value, without a second seed no interval either."""
    count = len(results[OURS])
    if count < 2:
        return None, None
    parts = [margin_of(goal, {name: rows[:seed] + rows[seed + 1:] for name, rows in results.items()}) for seed in range(count)]
    if None in parts:  # only one seed has the figure
        return None, None
    values = [count * margin - (count - 1) * part for *_, part in parts]
    error = statistics.stdev(values) / math.sqrt(count)
    return metrics.mean_interval(values)[1], 2 * stats.t.sf(abs(margin / error), count - 1) if error else None


def word_of(margin, half, rejected):
    """Where seeds do not differ there is no chance, and the sign decides; a margin of exactly 0 is enough."""
    if half == 0 or rejected:
        return "reached" if margin >= 0 else "missed"
    return "undecided"


def judge(goals, results):
    """results: (path, algorithm) -> results in the order of the seeds. A Judgement of each goal for which all is known."""
    found = []
    for goal in goals:
        own = {algorithm: rows for (path, algorithm), rows in results.items() if path == goal.path}
        if (goal.before, OURS) in results:
            own[BEFORE] = results[goal.before, OURS]
        try:
            figures = margin_of(goal, own)
            if figures:
                found.append((goal, *figures, *spread(goal, own, figures[2])))
        except KeyError:  # an algorithm that was not run here
            continue
    tested = [index for index, (*_, p) in enumerate(found) if p is not None]
    rejected = {index for index, said in zip(tested, holm([found[index][-1] for index in tested]), strict=True) if said}
    return [Judgement(*row[:-1], word_of(*row[3:5], index in rejected)) for index, row in enumerate(found)]


def counts_of(judged):
    return {word: sum(row.word == word for row in judged) for word in WORDS}


def figure_of_cubic(goal, results):
    """Cubic's own figure, for people."""
    if ("cubic" not in results) or (not goal.figure and "none" not in results):
        return "-"
    figures = Figures(results)
    value = figures("cubic", goal.figure) if goal.figure else figures.harm("cubic")
    return "-" if value is None else f"{value:.4g}"


def print_goals(goals, cells, results):
    """Returns how many were judged."""
    by_path = table.by_path(cells, results)
    judged = judge(goals, by_path)
    broad, wide = (max((len(text) for text in texts), default=0) + 2 for texts in ([row.goal.path for row in judged], [row.goal.what for row in judged]))
    print(f"\n{RULE}\n{'path':<{broad}}{'figure':<{wide}}{'v5':>9}{'Cubic':>9}  {'goal':>11}  margin (negative: missed)")
    for goal, own, limit, margin, half, word in judged:
        rows = {algorithm: rows for (path, algorithm), rows in by_path.items() if path == goal.path}
        print(f"{goal.path:<{broad}}{goal.what:<{wide}}{own:>9.4g}{figure_of_cubic(goal, rows):>9}  {'>=' if goal.sign > 0 else '<='} {limit:<8.4g}  "
              f"{margin:>8.3g} +- {'-' if half is None else f'{half:.3g}':<8} {word}")
    print(", ".join(f"{count} {word}" for word, count in counts_of(judged).items())
          + f" of {len(judged)} goals; {len(goals) - len(judged)} not judged, as they or their peers were not run")
    return len(judged)
