# SPDX-License-Identifier: GPL-2.0
"""The named sets, each a file, in the order of RESULTS.md."""
from . import coexistence, difficulties, few, hosts, peers, published, random_loss, recorded, rfc9743, v5

SETS = {module.SET.name: module.SET
        for module in (v5, peers, recorded, random_loss, few, hosts, coexistence, difficulties, published, rfc9743)}
