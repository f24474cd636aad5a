# SPDX-License-Identifier: GPL-2.0
"""Set v5: the paths that variant v5 is judged by, most of them those of other sets."""
from dataclasses import replace

from .difficulties import case
from .impairments import ALONE

# Of the other sets, in the order of the goals: jitter, reordering, loss, queues, neighbours, what breaks, short flows.
OTHERS = """moderate extreme constrained normal-routed pareto-routed reorder-25 lte-routed lte-no-timestamps loss-0.1 loss-1 loss-5 bursts
vs-cubic vs-cubic-0.06 vs-cubic-0.25 vs-cubic-4 vs-reno vs-itself late itself-late one-ten ten-one rtt-near rtt-far
policer loss-25 loss-50 loss-90 down-2s down-10s rate-step rtt-step fq_codel fq_codel-ecn fifo-0.06 short short-rivals short-tested""".split()

# Socket buffers that the path needs: while the slowest packet is under way, a window of overtaken ones waits behind it.
WIDE = "'sysctls=tcp_rmem=4096,131072,16777216 tcp_wmem=4096,16384,16777216'"

FIFOS = [replace(case("", f"{rate} Mbit/s, {rtt} ms, FIFO of {products:g} BDP", rate=rate, rtt=rtt, queue=products, seconds=seconds),
                 name=f"fifo-{rate}m-{rtt}ms-{products:g}", chance=False)
         for rate, seconds in ((10, 20), (50, 10)) for rtt in (10, 40, 200) for products in (0.25, 1, 4)]


# What a host with 2 GB gives a socket at most. The guest, with 256 MB, gives a quarter, and v5 fills that on the published paths.
ROOMY = "sysctls='tcp_rmem=4096,131072,6291456 tcp_wmem=4096,16384,4194304'"


def roomy(scenario):
    return replace(scenario, name=f"{scenario.name}-roomy", path=f"{ROOMY}\n{scenario.path}", published={},
                   about=f"{scenario.about}; socket buffers of up to 6 and 4 MB")


def wide(scenario):
    """That scenario with such buffers, counted after five seconds."""
    return replace(scenario, name=f"{scenario.name.removesuffix('-routed')}-wide", path=f"{scenario.path} {WIDE}", traffic=f"{ALONE} from=5",
                   about=f"{scenario.about}; socket buffers of 16 MB, counted after 5 s")


def v5_set(scenarios):
    named = {scenario.name: scenario for scenario in scenarios}
    return [*(roomy(named[name]) for name in ("moderate", "extreme", "constrained")), *(named[name] for name in OTHERS), *FIFOS,
            wide(named["moderate-routed"]), wide(named["extreme-routed"])]
