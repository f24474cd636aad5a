# SPDX-License-Identifier: GPL-2.0
"""What v5 is judged by in set shares: twenty flows, some of them its own."""
from .goals import Goal
from .scenarios.shares import SHARES

GOALS = [Goal(scenario.name, "harm; Cubic's + 0.05", None, -1, lambda figures: figures.harm("cubic") + 0.05) for scenario in SHARES]
