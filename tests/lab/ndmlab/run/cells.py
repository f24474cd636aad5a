# SPDX-License-Identifier: GPL-2.0
"""Cells and their results: run on both cores, kept as JSON lines, never run twice."""
import concurrent.futures
import dataclasses
import json
import os
import threading

from tqdm import tqdm

from . import links
from ..algorithms import ALGORITHMS
from .machine import BUILD, digest
from ..model import Moment, delay_of

WORKERS = int(os.environ.get("NDM_LAB_WORKERS", "2"))


def cell_text(scenario, algorithm, seed, parameters=None, trace=False):
    """The guest's script for one cell. `parameters` are those of the module that differ from its defaults."""
    chosen = ALGORITHMS[algorithm]
    delay = delay_of(seed)
    words = " ".join(f"{name}={value}" for name, value in sorted((parameters or {}).items()))
    lines = [f"use_seed {seed}", f"use_ndm {words}".rstrip() if chosen.ours else "", chosen.prepare,
             f"use_link {links.LINKS[scenario.link].digest}" if scenario.link else "", scenario.path,
             f"reach_uptime {scenario.uptime}" if scenario.uptime else "", scenario.traffic.format(
                 cc=chosen.cc, seconds=scenario.seconds, trace=int(trace), seed=seed, later=Moment(delay, 1), sooner=Moment(delay, -1)), "report"]
    return "".join(f"{line}\n" for line in lines if line)


@dataclasses.dataclass(frozen=True)
class Cell:
    """One run: everything its result depends on, but for machine and module."""
    scenario: object
    algorithm: str
    seed: int
    parameters: tuple = ()  # of pairs (name, value)

    def text(self, trace=False):
        return cell_text(self.scenario, self.algorithm, self.seed, dict(self.parameters), trace)

    def extra(self):
        """The file that goes into the guest with it, None for none; its text names the file's digest."""
        return links.file_of(self.scenario.link) if self.scenario.link else None


def seeds_of(count, parity):
    """`count` seeds: odd ones to tune on, even ones to publish."""
    first = {"even": 2, "odd": 1}[parity]
    return [first + 2 * index for index in range(count)]


def cells_of(scenarios, algorithms, seeds, parameters=()):
    """Cells of these scenarios, with those that harm is compared with."""
    def run_on(scenario):
        return [*algorithms, *(name for name in ("cubic", "none") if scenario.harms and name not in algorithms)]
    return [Cell(scenario, algorithm, seed, parameters if ALGORITHMS[algorithm].ours else ())
            for scenario in scenarios for seed in scenario.seeds(seeds) for algorithm in run_on(scenario)]


def parse_output(text):
    """What a cell printed, as a dict: flows, trace, qdisc and counts."""
    result = {"flows": [], "trace": [], "qdisc": {}, "counts": {}}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word == "flow":
            result["flows"].append(json.loads(rest))
        elif word == "trace":
            result["trace"].append(json.loads(rest))
        elif word == "qdisc":
            name, _, value = rest.partition(" ")
            result["qdisc"][name] = [{key: item.get(key, 0) for key in ("kind", "packets", "bytes", "drops", "overlimits", "ecn_mark")}
                                     for item in json.loads(value)]
        elif word == "count":
            name, _, value = rest.partition(" ")
            result["counts"][name] = int(value) if value.isdigit() else value
    return result


def read_results(path):
    """Those of a file of JSON lines."""
    for line in path.read_text().splitlines():
        try:
            yield json.loads(line)
        except ValueError:
            continue  # the end of an interrupted write


class Store:
    """Results of one machine, as JSON lines; the key says all that repeats a cell."""

    def __init__(self, machine):
        self.machine = machine
        self.module = machine.kernel.source
        self.path = BUILD / "results.jsonl"
        self.lock = threading.Lock()
        self.results = {result["key"]: result for result in read_results(self.path)} if self.path.exists() else {}

    def key(self, cell):
        algorithm = ALGORITHMS[cell.algorithm]
        module = self.module if algorithm.ours else ""
        return digest(self.machine.key, module, cell.text())

    def get(self, cell):
        """The result, None when there is none."""
        return self.results.get(self.key(cell))

    def run(self, cell):
        parsed = parse_output(self.machine.run(cell.text(), cell.extra()))
        parsed.pop("trace")
        result = {"key": self.key(cell), "scenario": cell.scenario.name, "algorithm": cell.algorithm, "seed": cell.seed,
                  "parameters": dict(cell.parameters), "kernel": self.machine.kernel.release, "engine": self.machine.engine, "machine": self.machine.key,
                  "module": self.module if ALGORITHMS[cell.algorithm].ours else None, "cell": cell.text(), **parsed}
        with self.lock:
            self.results[result["key"]] = result
            with self.path.open("a") as file:
                file.write(json.dumps(result) + "\n")
        return result

    def run_all(self, cells, about):
        """Run those cells that have no result yet. Interrupting loses at most the cells that are running."""
        for cell in cells:
            self.machine.refuse(cell.text())
        missing = [cell for cell in cells if self.get(cell) is None]
        for cell in missing:
            cell.extra()  # fetched before anything runs
        done = len(cells) - len(missing)
        with tqdm(total=len(cells), initial=done, desc=about, unit="cell", smoothing=0.05) as bar, \
                concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
            futures = [pool.submit(self.run, cell) for cell in missing]
            try:
                for future in concurrent.futures.as_completed(futures):
                    future.result()
                    bar.update()
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise
        return [self.get(cell) for cell in cells]

    def export(self, cells, path):
        """The results of these cells in their order: the same cells give the same bytes, whoever ran them and when."""
        # Two scenarios may be one for some algorithm (beside itself, beside Reno), and then share a result: the name is the cell's.
        path.write_text("".join(json.dumps(self.get(cell) | {"scenario": cell.scenario.name}, sort_keys=True) + "\n" for cell in cells))
