# SPDX-License-Identifier: GPL-2.0
"""A short deterministic subset whose figures may move only within a stated band; guard.json beside the lab holds them."""
import json
import pathlib

from . import metrics
from ..run.cells import Cell
from ..sets import SETS

FILE = pathlib.Path(__file__).resolve().parents[2] / "guard.json"
SCENARIOS = ("extreme", "constrained", "clean", "lte")
ALGORITHMS = ("ndm_v1", "ndm_v4")
SEED_NUMBERS = tuple(range(2, 41, 2))  # as many as keep the bands narrow within three minutes
MORE_SEED_NUMBERS = tuple(range(2, 81, 2))  # for what is outside its band by these: chance, or more than that?

# How far the mean over seeds may move, as a share. Each instruction is a nanosecond, so any change of the module, and a new kernel of
# the suite, gives another course of chance. The bands are about four standard errors of a mean of these seeds: three of the
# difference between two such means. Without chance next to nothing may move: but what a packet costs the kernel does, with each of its
# updates, so there the goodput is the share of Reno's.
BANDS = {"extreme": {"goodput_mbps": 0.05, "retransmissions": 0.13},
         "constrained": {"goodput_mbps": 0.03, "retransmissions": 0.17},
         "clean": {"goodput_of_reno": 0.01, "retransmissions": 0.0},
         "lte": {"goodput_mbps": 0.18, "retransmissions": 0.15}}


def measure(store, numbers=SEED_NUMBERS, only=None):
    """Mean figures of each pair of a scenario and an algorithm, or of those in `only`, rounded as they are written."""
    by_name = {scenario.name: scenario for scenario in SETS["published"].scenarios}

    def cells(name, algorithm):
        return [Cell(by_name[name], algorithm, seed) for seed in by_name[name].seeds(numbers)]

    def mean(figure, name, algorithm):
        return metrics.mean_interval(figure(store.get(cell)) for cell in cells(name, algorithm))[0]

    def row(name, algorithm):
        goodput = mean(metrics.goodput, name, algorithm)
        if "goodput_of_reno" in BANDS[name]:
            goodput = {"goodput_of_reno": round(goodput / mean(metrics.goodput, name, "reno"), 4)}
        else:
            goodput = {"goodput_mbps": round(goodput, 2)}
        return {"scenario": name, "algorithm": algorithm, **goodput, "retransmissions": round(mean(metrics.retransmissions, name, algorithm), 1)}

    groups = only or [(name, algorithm) for name in SCENARIOS for algorithm in ALGORITHMS]
    needed = groups + [(name, "reno") for name in dict(groups) if "goodput_of_reno" in BANDS[name]]
    store.run_all([cell for group in needed for cell in cells(*group)], "guard")
    return [row(*group) for group in groups]


def check(store):
    """(rows, complaints): a row that is outside its band is measured with more seeds, and those decide."""
    stored, measured = load(), measure(store)
    doubtful = [(row["scenario"], row["algorithm"]) for row in measured for old in stored if is_same(old, row) and outside(old, row)]
    if doubtful:
        again = measure(store, MORE_SEED_NUMBERS, doubtful)
        measured = [next((other for other in again if is_same(other, row)), row) for row in measured]
    return measured, compare(stored, measured)


def is_same(one, other):
    return (one["scenario"], one["algorithm"]) == (other["scenario"], other["algorithm"])


def outside(old, new):
    """The figures of one row that left their band, as text."""
    return [f"{old['scenario']} {old['algorithm']}: {figure} was {old[figure]}, is {new[figure]}, may move by {band:.0%}"
            for figure, band in BANDS[old["scenario"]].items() if abs(new[figure] - old[figure]) > band * old[figure]]


def compare(stored, measured):
    """All complaints; a row that one side lacks is one, too."""
    def key(row):
        return row["scenario"], row["algorithm"]
    old, new = {key(row): row for row in stored}, {key(row): row for row in measured}
    complaints = [f"{' '.join(name)}: only in {'guard.json' if name in old else 'the measurement'}" for name in sorted(old.keys() ^ new.keys())]
    for name in sorted(old.keys() & new.keys()):
        complaints += outside(old[name], new[name])
    return complaints


def load():
    return json.loads(FILE.read_text())


def save(rows):
    FILE.write_text("[\n" + ",\n".join("  " + json.dumps(row) for row in rows) + "\n]\n")
