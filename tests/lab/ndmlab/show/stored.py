# SPDX-License-Identifier: GPL-2.0
"""Results that were stored by earlier runs, chosen so that a page of them says one thing: of one module, each set of one machine, and whole."""
import collections

from ..algorithms import ALGORITHMS
from ..run.cells import cells_of, read_results
from ..run.machine import LabError
from ..sets import SETS


class Incomplete(LabError):
    """Results are missing; `command` makes them."""

    def __init__(self, text, command):
        super().__init__(f"{text}; run\n     {command}")
        self.command = command


def command_of(set_name, groups, seeds):
    """What runs these groups, a line each; see Stored.choose. seeds: how many"""
    return "\n     ".join(f"tests/lab/lab run {set_name} --seeds {seeds}{''.join(f' --scenario {name}' for name in names)} "
                          f"{' '.join(f'--algorithm {name}' for name in algorithms)}" for algorithms, names in groups)


class Stored:
    """All results of some files of JSON lines, by the cell's text.

    module: hash of the module whose results count
    """

    def __init__(self, paths, module):
        self.module = module
        self.by_text = collections.defaultdict(list)
        for path in paths:
            for result in read_results(path):
                self.by_text[result["cell"]].append(result)

    def candidates(self, cell):
        """Results of that cell by machine; where the module takes part, of the module that counts."""
        ours = ALGORITHMS[cell.algorithm].ours
        return {result["machine"]: result for result in self.by_text[cell.text()] if not ours or result["module"] == self.module}

    def choose(self, set_name, groups, seeds, scenarios=None):
        """(cells, results), all of one machine; Incomplete where one is missing.

        groups: pairs (algorithms, names of the scenarios that they are wanted on, or none for all of the set)
        """
        scenarios = SETS[set_name].scenarios if scenarios is None else scenarios
        command = command_of(set_name, groups, len(seeds))
        # A group's own peers for harm may be of another group already.
        cells = list({(cell.scenario.name, cell.algorithm, cell.seed): cell for algorithms, names in groups
                      for cell in cells_of([scenario for scenario in scenarios if not names or scenario.name in names], algorithms, seeds)}.values())
        if not cells:
            raise LabError(f"set {set_name} has no cells: no path, no algorithm or no seed")
        found = [self.candidates(cell) for cell in cells]
        machines = collections.Counter(name for results in found for name in results)
        if not machines:
            raise Incomplete(f"set {set_name} has no result of module {self.module}", command)
        # The one with the most; of two the first by name, so that the choice is the same everywhere.
        [(machine, count)] = sorted(machines.items(), key=lambda item: (-item[1], item[0]))[:1]
        if count < len(cells):
            missing = next(cell for cell, results in zip(cells, found, strict=True) if machine not in results)
            raise Incomplete(f"set {set_name} has {count} of {len(cells)} results of module {self.module} and machine {machine}; missing is, among others, "
                             f"{missing.scenario.name} with {missing.algorithm}, seed {missing.seed}", command)
        # Two scenarios may be one for some algorithm and share a result: the name is the cell's.
        return cells, [results[machine] | {"scenario": cell.scenario.name} for cell, results in zip(cells, found, strict=True)]
