# SPDX-License-Identifier: GPL-2.0
"""The page RESULTS.md, written only from stored results; a missing one is an error."""
import itertools
from dataclasses import dataclass

from . import goals, host_goals, judge, metrics, recorded_goals, rfc9743, shares_goals, table
from .cells import seeds_of
from .scenarios import shares
from .scenarios.grid import RATES_MBIT, RTTS_US, POINTS
from .grid_figures import FIGURES
from .machine import TOP
from .stored import Incomplete

PAGE = TOP / "tests/lab/RESULTS.md"
OURS = goals.OURS
OLD = "ndm_v1"


@dataclass(frozen=True)
class Part:
    """One section: a set, the algorithms of its table, the seeds that it needs, what it says, the goals v5 is judged by, how it is shown.

    peers: further algorithms that goals of some paths need: pairs (algorithms, paths)
    """
    set: str
    title: str
    algorithms: tuple
    seeds: int
    about: str
    goals: tuple = ()
    shows: str = "table"
    peers: tuple = ()

    def groups(self):
        return [(self.algorithms, ()), *self.peers]


PEERS = (OURS, OLD, "cubic", "bbr")
PARTS = [
    Part("v5", "What v5 is judged by", (OURS, "cubic", "reno", "bbr"), 10, "Paths with jitter, reordering, loss, queues, neighbours and changes, each with the goal that v5 has to reach.",
         tuple(goals.GOALS)),
    Part("recorded", "Recorded links", (OURS, OLD, "ndm_v4", "cubic", "reno", "bbr"), 10,
         "Capacity and delay of the links are recorded from mobile and satellite links. The wait is the time in the link's queue, including times without capacity.", tuple(recorded_goals.GOALS)),
    Part("hosts", "What hosts meet", (OURS, "cubic"), 10, "Clocks that wrap, earlier reordering, LANs, offload, pauses, jitter that keeps the order.", tuple(host_goals.GOALS), "goals",
         ((("reno", "bbr"), ("moderate-wide-real", "lte-routed-real", "fifo-50m-40ms-0.25-real")),)),
    Part("shares", "Twenty flows, in shares", (OURS, "cubic"), 10, "Harm to the other flows, minus the harm of as many Cubic flows.", tuple(shares_goals.GOALS), "shares"),
    Part("coexistence", "Beside one other", PEERS, 10, "10 Mbit/s, 50 ms, FIFO of 1 BDP unless stated otherwise."),
    Part("impairments", "The published paths through a router, and queues", PEERS, 10, "1500-byte packets."),
    Part("difficulties", "One difficulty each", PEERS, 10, "10 Mbit/s, 50 ms, FIFO of 1 BDP unless stated otherwise."),
    Part("messages", "One-byte messages", PEERS, 10, "Milliseconds from writing a message to its arrival: mean / standard deviation / maximum, and retransmissions.", shows="messages"),
    Part("grid", "Round trips by rates", (OURS, "cubic"), 6, "One flow; a second one of the same algorithm joins halfway. A cell lasts 200 RTTs, or at least 24 where that is too long; "
         "the share of the link is that of the second quarter of the time.", shows="grid"),
    Part("published", "The author's five tests", (OLD, "ndm_v4", "cubic", "reno", "bbr"), 20, "One host's loopback, as published; in brackets what the author measured once.", shows="published"),
]


def decimals(value):
    """How many for three significant digits."""
    value = abs(value)
    return 0 if value >= 100 else 1 if value >= 10 else 2 if value >= 1 else 3


def show(values):
    """Mean and 95 % interval; a dash for nothing."""
    values = [value for value in values if value is not None]
    if not values:
        return "-"
    mean, half = metrics.mean_interval(values)
    digits = decimals(mean)
    text = f"{mean:,.{digits}f}"
    spread = f"{half:,.{digits}f}"
    return text if not float(spread.replace(",", "")) else f"{text} ±{spread}"


def cell_of(row):
    """One algorithm on one path; see LEGEND."""
    if row.scenario.harms:
        return f"{show(row.values(metrics.goodput))} : {show(row.values(metrics.rival_goodput))}, {show(row.values(row.harm))}"
    if row.values(metrics.fairness) and len(metrics.rivals(row.results[0])):
        return f"{show(row.values(metrics.goodput))} : {show(row.values(metrics.rival_goodput))}, Jain {show(row.values(metrics.fairness))}"
    if row.values(lambda result: metrics.completion(result, 50)):
        times = " / ".join(show(row.values(lambda result, quantile=quantile: metrics.completion(result, quantile))) for quantile in (50, 95))
        return f"p50 / p95 {times} ms"
    text = f"{show(row.values(metrics.goodput))} / {show(row.values(metrics.retransmissions))}"
    if row.scenario.link:
        waits = " / ".join(show(row.values(lambda result, quantile=quantile: metrics.link_wait(result, quantile))) for quantile in (50, 95))
        return f"{text}, {waits} ms"
    if row.scenario.rtt:
        return f"{text}, {show(row.values(lambda result: metrics.queue_delay(result, 95, row.scenario.rtt)))} ms"
    return text


LEGEND = """Figures are the mean ± 95 % interval over the seeds (Student's t); without an interval, nothing is random. One flow: Mbit/s / retransmissions, and where
the queue matters, the 95th percentile of its delay (on recorded links p50 / p95). Beside other flows: its rate : their rate, and the harm, the share of their
goodput alone that they lose; beside the same algorithm, Jain's index. Short flows and chunks of a video: the time to complete.

A goal has a margin, negative where it is not reached, with its 95 % interval. """ + judge.RULE


def rows_by_path(cells, results):
    rows = table.rows_of(cells, results)
    for _, group in itertools.groupby(rows, lambda row: row.scenario.name):
        yield list(group)


def markdown(heading, lines):
    """A table; no line is an error, for an empty table says nothing."""
    lines = [[str(field).replace("|", "\\|") for field in line] for line in lines]
    if not lines:
        raise ValueError(f"a table without a line: {heading}")
    return "\n".join(f"| {' | '.join(line)} |" for line in [heading, ["---"] * len(heading), *lines])


def by_path(part, cells, results, text):
    """One line for a path, a column for each algorithm, in it text(row)."""
    lines = []
    for group in rows_by_path(cells, results):
        by_name = {row.algorithm: row for row in group}
        lines.append([f"`{group[0].scenario.name}`: {group[0].scenario.about}", *(text(by_name[name]) for name in part.algorithms)])
    return markdown(["path", *part.algorithms], lines)


def plain(part, cells, results):
    return by_path(part, cells, results, cell_of)


def published(part, cells, results):
    def text(row):
        there = row.scenario.published.get(row.algorithm)
        return cell_of(row) + (f" ({there[0]:g} / {there[1]:g} in {there[2]:g} s)" if there else "")
    return by_path(part, cells, results, text)


def messages(part, cells, results):
    def text(row):
        mean, deviation = (row.of_flow(key, 1000, 2) for key in ("delay_mean_us", "delay_sd_us"))
        return f"{mean} / {deviation} / {row.worst('delay_max_us', 1000, 1)}, {show(row.values(metrics.retransmissions))}"
    return by_path(part, cells, results, text)


def share_tables(part, cells, results):
    """One line for a rival and a queue, a column for each share."""
    rows = {row.scenario.name: row for row in table.rows_of(cells, results) if row.algorithm == OURS}
    lines = []
    for rival in shares.RIVALS:
        for queue in shares.QUEUES:
            fields = []
            for percent in shares.PERCENTS:
                row = rows[shares.mixed(percent, rival, queue).name]
                fields.append(f"{show(row.values(row.harm_beyond))}; {show(row.values(metrics.goodput))} : {show(row.values(metrics.rival_goodput))}")
            lines.append([rival, shares.QUEUES[queue][1], *fields])
    return markdown(["beside", "queue", *(f"{percent} % of the flows: harm beyond Cubic's; Mbit/s : others'" for percent in shares.PERCENTS)], lines)


def grid_tables(part, cells, results):
    rows = {(row.scenario.name, row.algorithm): row for row in table.rows_of(cells, results)}
    texts = ["![the grid](pictures/grid.svg)"]
    for figure in FIGURES:
        for name in part.algorithms:
            lines = [[f"{rtt_us / 1000:g} ms", *(show(rows[POINTS[rate, rtt_us].name, name].values(figure.of(rate, rtt_us))) if (rate, rtt_us) in POINTS else "not played" for rate in RATES_MBIT)]
                     for rtt_us in RTTS_US]
            texts.append(f"{figure.about}, {name}:\n\n" + markdown(["RTT", *(f"{rate:,} Mbit/s" for rate in RATES_MBIT)], lines))
    return "\n\n".join(texts)


SHOWN = {"table": plain, "published": published, "messages": messages, "shares": share_tables, "grid": grid_tables, "goals": None}


def judged_text(part, cells, results):
    """How many goals are reached, and every one that is not."""
    judged = judge.judge(part.goals, table.by_path(cells, results))
    if len(judged) != len(part.goals):
        there = {(row.goal.path, row.goal.what) for row in judged}
        lost = next(goal for goal in part.goals if (goal.path, goal.what) not in there)
        raise Incomplete(f"of {len(part.goals)} goals of set {part.set} {len(judged)} can be judged; not, among others, {lost.path}: {lost.what}", f"tests/lab/lab run {part.set}")
    counts = judge.counts_of(judged)
    text = f"**{counts['reached']} of {len(judged)} goals are reached, {counts['undecided']} undecided, {counts['missed']} missed.**"
    open_ones = [[goal.path, goal.what, f"{own:.4g}", f"{'>=' if goal.sign > 0 else '<='} {limit:.4g}", f"{margin:+.3g} ±{'-' if half is None else f'{half:.2g}'}", word]
                 for goal, own, limit, margin, half, word in judged if word != "reached"]
    if open_ones:
        text += "\n\n" + markdown(["path", "what", "v5", "goal", "margin (negative: missed)", ""], open_ones)
    return text


def section(part, cells, results):
    texts = [f"## {part.title}", f"`tests/lab/lab run {part.set} --seeds {part.seeds} {' '.join(f'--algorithm {name}' for name in part.algorithms)}`: "
             f"{len({cell.scenario.name for cell in cells})} paths, {engine_of(results)}. {part.about}"]
    if part.goals:
        texts.append(judged_text(part, cells, results))
    if SHOWN[part.shows]:
        texts.append(SHOWN[part.shows](part, cells, results))
    return "\n\n".join(texts)


def engine_of(results):
    [(engine, kernel)] = {(result["engine"], result["kernel"]) for result in results}
    return f"engine `{engine}`, kernel {kernel}"


def write(stored, names=(), seeds=None):
    """The page's text: of all parts, or of those sets. Raises Incomplete with all that is missing."""
    parts = [part for part in PARTS if not names or part.set in names]
    chosen, missing = {}, []
    for part in parts:
        try:
            chosen[part.set] = stored.choose(part.set, part.groups(), seeds_of(seeds or part.seeds, "even"))
        except Incomplete as error:
            missing.append(error)
    if missing:
        raise Incomplete("\n     ".join(str(error).split("; run\n")[0] for error in missing), "\n     ".join(error.command for error in missing))
    texts = ["# Results of the lab", f"Written by `tests/lab/lab results` from stored results; not by hand. Module {stored.module}, even seeds. "
             "[How to run, read and extend the lab](README.md).", LEGEND]
    texts += [section(part, *chosen[part.set]) for part in parts]
    if not names:
        texts.append(rfc9743.section(chosen))
    return "\n\n".join(texts) + "\n"
