# SPDX-License-Identifier: GPL-2.0
"""A short deterministic subset whose figures may move only within a stated band; guard.json beside the lab holds them."""
import json
import pathlib

from . import metrics
from .cells import Cell
from .sets import SETS

FILE = pathlib.Path(__file__).resolve().parents[1] / "guard.json"
SCENARIOS = ("extreme", "constrained", "clean", "lte")
ALGORITHMS = ("ndm_v1", "ndm_v4")
SEED_NUMBERS = tuple(range(2, 41, 2))  # as many as keep the bands narrow within three minutes

# How far the mean over seeds may move, as a share. Each instruction is a nanosecond, so any change of the module, and a new kernel of
# the suite, gives another course of chance. The bands are about four standard errors of a mean of these seeds: three of the
# difference between two such means. Without chance next to nothing may move.
BANDS = {"extreme": {"goodput_mbps": 0.05, "retransmissions": 0.13},
         "constrained": {"goodput_mbps": 0.03, "retransmissions": 0.17},
         "clean": {"goodput_mbps": 0.01, "retransmissions": 0.0},
         "lte": {"goodput_mbps": 0.18, "retransmissions": 0.15}}


def guard_cells():
    by_name = {scenario.name: scenario for scenario in SETS["published"].scenarios}
    return {(name, algorithm): [Cell(by_name[name], algorithm, seed) for seed in by_name[name].seeds(SEED_NUMBERS)]
            for name in SCENARIOS for algorithm in ALGORITHMS}


def measure(store):
    """Mean figures of each group, rounded as they are written."""
    groups = guard_cells()
    store.run_all([cell for cells in groups.values() for cell in cells], "guard")
    return [{"scenario": name, "algorithm": algorithm,
             "goodput_mbps": round(metrics.mean_interval(metrics.goodput(store.get(cell)) for cell in cells)[0], 2),
             "retransmissions": round(metrics.mean_interval(metrics.retransmissions(store.get(cell)) for cell in cells)[0], 1)}
            for (name, algorithm), cells in groups.items()]


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
