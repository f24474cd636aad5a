# SPDX-License-Identifier: GPL-2.0
"""Set v5: the paths that variant v5 is judged by, most of them those of other sets."""
from dataclasses import replace

from .cases import CASES
from .model import router
from .router import ROUTER
from .share import SHARE

NAMED = {scenario.name: scenario for scenario in (*ROUTER, *SHARE, *CASES)}

# Socket buffers that the path needs: while the slowest packet is under way, a window of overtaken ones waits behind it.
WIDE = "'sysctls=tcp_rmem=4096,131072,16777216 tcp_wmem=4096,16384,16777216'"


def wide(name):
    """That scenario with such buffers, counted after five seconds."""
    scenario = NAMED[name]
    return replace(scenario, name=f"{name.removesuffix('-routed')}-wide", path=f"{scenario.path} {WIDE}", traffic=f"{scenario.traffic} from=5",
                   about=f"{scenario.about}; socket buffers of 16 MB, counted after 5 s")


V5 = [wide("moderate-routed"), wide("extreme-routed")]
