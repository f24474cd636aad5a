# SPDX-License-Identifier: GPL-2.0
"""The engines that run cells, by name."""
from .engine_fast import FastMachine, endless_path
from .engine_stock import StockMachine
from .machine import LabError

ENGINES = {"stock": StockMachine, "fast": FastMachine}


def machine_of(engine, kernel=""):
    """A machine of that engine; `kernel` is the source package that the fast one's kernel is built from."""
    if engine == "fast":
        return FastMachine(kernel)
    if kernel:
        raise LabError(f"--kernel {kernel} is for the fast engine: the stock one takes the newest kernel whose linux-headers package is installed")
    return StockMachine()


def default_engine(scenarios):
    """The fast one where it can play all of these."""
    return "stock" if any(endless_path(scenario.path) for scenario in scenarios) else "fast"
