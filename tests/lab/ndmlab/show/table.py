# SPDX-License-Identifier: GPL-2.0
"""The table that `lab run` prints: a row for each scenario and algorithm, the columns of the set."""
import statistics

from ..judge import metrics


class Row:
    """The results of one scenario and algorithm, seed by seed; `find(algorithm, seed)` gives those of others in the same scenario."""

    def __init__(self, scenario, algorithm, find):
        self.scenario = scenario
        self.algorithm = algorithm
        self.find = find
        self.results = []

    def values(self, metric):
        """What the metric gives, without the seeds for which it has no answer."""
        return [value for value in map(metric, self.results) if value is not None]

    def mean(self, metric, digits):
        values = self.values(metric)
        return f"{statistics.fmean(values):.{digits}f}" if values else "-"

    def interval(self, metric, digits):
        values = self.values(metric)
        if not values:
            return "-"
        mean, half = metrics.mean_interval(values)
        return f"{mean:.{digits}f} +- {half:.{digits}f}"

    def harm(self, result, of=metrics.harm):
        alone = self.find("none", result["seed"])
        return of(alone, result) if self.scenario.harms and alone else None

    def delay_harm(self, result):
        return self.harm(result, metrics.delay_harm)

    def harm_beyond(self, result):
        """Harm minus that which Cubic does in the same seed."""
        cubic = self.find("cubic", result["seed"])
        own = self.harm(result)
        return own - self.harm(cubic) if own is not None and cubic else None

    def queue(self, quantile):
        return self.mean(lambda result: metrics.queue_delay(result, quantile, self.scenario.rtt), 1) if self.scenario.rtt else "-"

    def per(self):
        count = sum(map(metrics.retransmissions, self.results))
        return f"{sum(map(metrics.megabytes, self.results)) / count:.3f}" if count else "-"

    def of_flow(self, key, scale, digits):
        """The mean of a figure that the first flow under test has of itself."""
        return self.mean(lambda result: metrics.tested(result)[0].get(key, 0) / scale, digits)


def by_path(cells, results):
    """(path, algorithm) -> results in the order of the seeds."""
    groups = {}
    for cell, result in zip(cells, results, strict=True):
        groups.setdefault((cell.scenario.name, cell.algorithm), []).append(result)
    return groups


def rows_of(cells, results):
    known = {(cell.scenario.name, cell.algorithm, cell.seed): result for cell, result in zip(cells, results, strict=True)}
    rows = {}
    for cell, result in zip(cells, results, strict=True):
        name = cell.scenario.name
        if (name, cell.algorithm) not in rows:
            rows[name, cell.algorithm] = Row(cell.scenario, cell.algorithm,
                                             lambda algorithm, seed, name=name: known.get((name, algorithm, seed)))
        rows[name, cell.algorithm].results.append(result)
    return [row for row in rows.values() if row.algorithm != "none"]


def print_table(columns, cells, results):
    """columns: see columns.py"""
    wide = max(20, *(len(cell.scenario.name) + 2 for cell in cells))
    print(f"{'scenario':<{wide}}{'algorithm':<16}" + "".join(f"{heading:>{width}}" for heading, width, _ in columns))
    for row in rows_of(cells, results):
        print(f"{row.scenario.name:<{wide}}{row.algorithm:<16}" + "".join(f"{show(row):>{width}}" for _, width, show in columns))
