# SPDX-License-Identifier: GPL-2.0
"""The tables that `lab run` prints: for each set the columns that matter for it, a row for each scenario and algorithm."""
import statistics

from . import metrics


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

    def worst(self, key, scale, digits):
        """The largest over the seeds."""
        return f"{max(metrics.tested(result)[0].get(key, 0) for result in self.results) / scale:.{digits}f}"


def completion(quantile):
    return lambda row: row.mean(lambda result: metrics.completion(result, quantile), 0)


def seconds_of_transfer(row):
    """Of one transfer of a fixed size, else a dash."""
    return row.of_flow("seconds", 1, 2) if " bytes=" in row.scenario.traffic and " flows=" not in row.scenario.traffic else "-"


# Heading, width, what to print.
RATE = ("Mbit/s", 16, lambda row: row.interval(metrics.goodput, 2))
COUNT = ("retransmissions", 19, lambda row: row.interval(metrics.retransmissions, 1))
PER = ("MB/retr", 9, Row.per)
SPURIOUS = ("spurious", 10, lambda row: row.mean(metrics.spurious_ratio, 3))
DROPS = ("drops", 8, lambda row: row.mean(metrics.drops, 0))
SRTT = ("srtt p50", 10, lambda row: row.mean(lambda result: metrics.srtt(result, 50), 1))
QUEUE = [("queue p50", 11, lambda row: row.queue(50)), ("p95 ms", 8, lambda row: row.queue(95))]
MARKS = ("marks", 7, lambda row: row.mean(metrics.marks, 0))
SHORT = [("FCT p50", 9, completion(50)), ("p95 ms", 8, completion(95))]
def beside(figure, digits):
    """Of the cells that have a rival."""
    return lambda row: row.interval(lambda result: figure(result) if metrics.rivals(result) else None, digits)


COLUMNS = {
    "published": [RATE, COUNT, PER, SPURIOUS, SRTT],
    "impairments": [RATE, COUNT, PER, SPURIOUS, DROPS, MARKS, SRTT, *QUEUE],
    "coexistence": [RATE, ("rival Mbit/s", 16, lambda row: row.interval(metrics.rival_goodput, 2)), ("Jain", 7, lambda row: row.mean(metrics.fairness, 3)),
              ("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)),
              ("to delay", 10, lambda row: row.mean(row.delay_harm, 2)), ("converged s", 12, lambda row: row.mean(metrics.convergence, 2)), COUNT, SPURIOUS, DROPS, *QUEUE, *SHORT],
    "difficulties": [RATE, COUNT, PER, SPURIOUS, DROPS, *QUEUE, ("cwnd max", 10, lambda row: row.of_flow("cwnd_max", 1, 0)),
              ("recovery s", 11, lambda row: row.mean(lambda result: metrics.recovery(metrics.tested(result)[0], row.scenario.event), 2)),
              ("done s", 8, seconds_of_transfer), *SHORT, ("Jain", 7, lambda row: row.mean(metrics.fairness, 3))],
    "v5": [RATE, ("rival Mbit/s", 16, lambda row: row.interval(metrics.rival_goodput, 2)), ("Jain", 7, lambda row: row.mean(metrics.fairness, 3)),
           ("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)), COUNT, PER, SPURIOUS, DROPS,
           MARKS, *QUEUE, ("recovery s", 11, lambda row: row.mean(lambda result: metrics.recovery(metrics.tested(result)[0], row.scenario.event), 2)), *SHORT],
    "hosts": [RATE, ("rival Mbit/s", 16, lambda row: row.interval(metrics.rival_goodput, 2)), ("Jain", 15, lambda row: row.interval(metrics.fairness, 3)),
              ("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)), COUNT, SPURIOUS, DROPS, *QUEUE,
              ("cwnd max", 10, lambda row: row.of_flow("cwnd_max", 1, 0)), ("reord_seen", 12, lambda row: row.of_flow("reord_seen", 1, 1))],
    "shares": [RATE, ("rival Mbit/s", 16, lambda row: row.interval(metrics.rival_goodput, 2)), ("Jain", 15, lambda row: row.interval(metrics.fairness, 3)),
               ("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)), COUNT, SPURIOUS, DROPS, *QUEUE],
    "random-loss": [RATE, ("rival Mbit/s", 16, beside(metrics.rival_goodput, 2)), ("Jain", 15, beside(metrics.fairness, 3)), COUNT, SPURIOUS, DROPS,
                    ("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)), *QUEUE],
    "grid": [RATE, ("rival Mbit/s", 16, lambda row: row.interval(metrics.rival_goodput, 2)), ("Jain", 7, lambda row: row.mean(metrics.fairness, 3)), COUNT, PER, SPURIOUS, *QUEUE],
    "recorded": [RATE, ("of link", 9, lambda row: row.mean(metrics.link_share, 2)),
                 ("rival Mbit/s", 16, beside(metrics.rival_goodput, 2)),
                 ("wait p50", 16, lambda row: row.interval(lambda result: metrics.link_wait(result, 50), 0)),
                 ("p95 ms", 18, lambda row: row.interval(lambda result: metrics.link_wait(result, 95), 0)), COUNT, SPURIOUS, DROPS,
                 ("harm", 7, lambda row: row.mean(row.harm, 2)), ("- Cubic's", 15, lambda row: row.interval(row.harm_beyond, 2)), *SHORT],
    "messages": [("mean", 10, lambda row: row.of_flow("delay_mean_us", 1000, 3)), ("sd", 9, lambda row: row.of_flow("delay_sd_us", 1000, 3)),
                 ("p99", 9, lambda row: row.of_flow("delay_p99_us", 1000, 2)), ("worst ms", 10, lambda row: row.worst("delay_max_us", 1000, 2)),
                 ("gap mean", 10, lambda row: row.of_flow("gap_mean_us", 1, 1)), ("sd", 9, lambda row: row.of_flow("gap_sd_us", 1, 1)),
                 ("worst us", 10, lambda row: row.worst("gap_max_us", 1, 0)), ("segments", 10, lambda row: row.of_flow("segments", 1, 0)), COUNT, DROPS],
}


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


def print_table(set_name, cells, results):
    columns = COLUMNS[set_name]
    wide = max(20, *(len(cell.scenario.name) + 2 for cell in cells))
    print(f"{'scenario':<{wide}}{'algorithm':<16}" + "".join(f"{heading:>{width}}" for heading, width, _ in columns))
    for row in rows_of(cells, results):
        print(f"{row.scenario.name:<{wide}}{row.algorithm:<16}" + "".join(f"{show(row):>{width}}" for _, width, show in columns))
