# SPDX-License-Identifier: GPL-2.0
"""How an ambiguous constant was chosen: every candidate on the published paths, on odd seeds, against the published relations."""
from . import metrics
from .cells import Cell
from .sets import SETS

# The share kept on noise is 2/3 in the words of the prototype and 1/3 in its effect; between and around them all is tried.
CANDIDATES = {"keep_noise": [200, 250, 333, 400, 500, 600, 667, 800]}
# Where nothing is left to chance there is no loss and no noise, so the constant does not act.
PATHS = [scenario for scenario in SETS["published"].scenarios if scenario.chance]
PEERS = ["cubic", "reno", "bbr"]
# Least goodput of v1, as a share of Cubic's: what the author published, rounded down.
GOODPUT_GOALS = {"extreme": 0.95, "constrained": 0.95, "lte": 0.62}


def sweep_cells(name, seeds):
    """Cells by (candidate, scenario, algorithm); the peers have no candidate."""
    cells = {}
    for scenario in PATHS:
        for peer in PEERS:
            cells[None, scenario.name, peer] = [Cell(scenario, peer, seed) for seed in seeds]
        for value in CANDIDATES[name]:
            for variant in ("ndm_v1", "ndm_v4"):
                cells[value, scenario.name, variant] = [Cell(scenario, variant, seed, ((name, str(value)),)) for seed in seeds]
    return cells


def figures(store, cells):
    """Mean goodput (Mbit/s) and mean retransmissions of each group of cells."""
    return {key: tuple(metrics.mean_interval(metric(store.get(cell)) for cell in group)[0]
                       for metric in (metrics.goodput, metrics.retransmissions))
            for key, group in cells.items()}


def relations(means, value):
    """The published relations of one candidate, each with whether it holds."""
    held = {}
    for scenario, goal in GOODPUT_GOALS.items():
        rate, count = means[value, scenario, "ndm_v1"]
        held[f"{scenario}: fewest"] = all(count < means[None, scenario, peer][1] for peer in PEERS)
        held[f"{scenario}: goodput"] = rate >= goal * means[None, scenario, "cubic"][0]
    v1, v4 = means[value, "moderate", "ndm_v1"], means[value, "moderate", "ndm_v4"]
    held["moderate: v4 below v1"] = v4[0] < v1[0] and v4[1] < v1[1]
    return held


def print_sweep(name, means):
    """A table in Markdown, as it stands in README.md."""
    names = [scenario.name for scenario in PATHS]
    print("Each field: Mbit/s / retransmissions.\n")
    print("| | " + " | ".join(names) + " | relations that hold |")
    print("|---|" + "---|" * (len(names) + 1))

    def fields(value, algorithm):
        return " | ".join("{:.2f} / {:.1f}".format(*means[value, scenario, algorithm]) for scenario in names)

    for peer in PEERS:
        print(f"| {peer} | {fields(None, peer)} | |")
    for value in CANDIDATES[name]:
        held = relations(means, value)
        broken = ", not " + "; ".join(key for key, holds in held.items() if not holds) if not all(held.values()) else ""
        print(f"| v1, {name}={value} | {fields(value, 'ndm_v1')} | {sum(held.values())} of {len(held)}{broken} |")
        print(f"| v4, {name}={value} | {fields(value, 'ndm_v4')} | |")
