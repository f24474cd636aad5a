# SPDX-License-Identifier: GPL-2.0
"""Which flow comes when. Cubic has two flows in each block: they show what the path alone makes of the same algorithm."""
import random

BASE, AGAIN = "cubic", "cubic-again"
SKIPPED_SHARE = 0.25
PAUSE_SHARE = 0.1    # of the length of a flow
OVERHEAD_S = 0.5    # connecting, and what the far end says at the end; for the estimate only


def slots_of(algorithms):
    """The flows of a block."""
    return [BASE, AGAIN] + [name for name in algorithms if name != BASE]


def algorithm_of(slot):
    return BASE if slot == AGAIN else slot


class Plan:
    def __init__(self, algorithms, blocks, seconds, budget_bytes=None, seed=None):
        self.slots = slots_of(algorithms)
        self.blocks, self.seconds, self.budget_bytes = blocks, seconds, budget_bytes
        self.skipped_s, self.pause_s = seconds * SKIPPED_SHARE, seconds * PAUSE_SHARE
        self.seed = seed if seed is not None else random.SystemRandom().randrange(2 ** 31)

    def order(self):
        """A list of slots for each block."""
        chance = random.Random(self.seed)
        return [chance.sample(self.slots, len(self.slots)) for _ in range(self.blocks)]

    def flows(self):
        return self.blocks * len(self.slots)

    def estimated_s(self, flows):
        return flows * (self.seconds + self.pause_s + OVERHEAD_S)

    def as_json(self):
        return {"algorithms": [name for name in self.slots if name != AGAIN], "blocks": self.blocks, "seconds": self.seconds,
                "skipped_seconds": self.skipped_s, "pause_seconds": self.pause_s, "seed": self.seed, "budget_bytes": self.budget_bytes}
