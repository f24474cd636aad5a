# SPDX-License-Identifier: GPL-2.0
"""What a set is; each file of sets/ builds one."""
from dataclasses import dataclass
from typing import Callable

from .show import page


@dataclass(frozen=True)
class Part:
    """The section of RESULTS.md about a set.

    title, about: its heading, and what it says of the paths
    algorithms:   those of its table
    peers:        further algorithms that the goals of some paths need: pairs (algorithms, paths)
    seeds:        how many it needs
    shows:        (part, cells, results) -> text, the tables; None where the goals say enough
    """
    title: str
    about: str
    algorithms: tuple
    peers: tuple = ()
    seeds: int = 8
    shows: Callable | None = page.plain

    def groups(self):
        return [(self.algorithms, ()), *self.peers]


@dataclass(frozen=True)
class Set:
    """Scenarios and algorithms, with all that is particular to them.

    algorithms: those that `lab run` runs unless others are asked for
    columns:    of the table of `lab run`; see columns.py
    goals:      what v5 is judged by
    """
    name: str
    scenarios: tuple
    algorithms: tuple
    columns: tuple
    page: Part
    goals: tuple = ()
