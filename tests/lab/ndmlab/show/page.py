# SPDX-License-Identifier: GPL-2.0
"""What the tables of RESULTS.md are made of."""
from ..judge import metrics
from . import table


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
    """One algorithm on one path; see HEAD of results.py."""
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


def markdown(heading, lines):
    """A table; no line is an error, for an empty table says nothing."""
    lines = [[str(field).replace("|", "\\|") for field in line] for line in lines]
    if not lines:
        raise ValueError(f"a table without a line: {heading}")
    return "\n".join(f"| {' | '.join(line)} |" for line in [heading, ["---"] * len(heading), *lines])


def by_path(part, cells, results, text):
    """One line for a path, a column for each algorithm, in it text(row)."""
    names = list(dict.fromkeys([*part.algorithms, *(name for algorithms, _ in part.peers for name in algorithms)]))
    paths = {}
    for row in table.rows_of(cells, results):
        paths.setdefault(row.scenario.name, {})[row.algorithm] = row
    lines = []
    for rows in paths.values():
        scenario = next(iter(rows.values())).scenario
        lines.append([f"`{scenario.name}`: {scenario.about}", *(text(rows[name]) if name in rows else "not played" for name in names)])
    return markdown(["path", *names], lines)


def plain(part, cells, results):
    return by_path(part, cells, results, cell_of)
