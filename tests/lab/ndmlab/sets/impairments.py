# SPDX-License-Identifier: GPL-2.0
"""Set impairments: the published paths as a real network would see them, and queues."""
from ..algorithms import EVERY, PEERS
from ..show.columns import COUNT, DROPS, GOODPUT, MARKS, PER, QUEUE, SPURIOUS, SRTT
from ..lab_set import Part, Set
from ..model import Scenario, router

ALONE = "flows cc={cc} label=test seconds={seconds:g} trace={trace}"
QUEUES = {"fifo-0.06": 0.06, "fifo-0.25": 0.25, "fifo-1": 1, "fifo-4": 4, "fq_codel": "fq_codel noecn", "fq_codel-ecn": "fq_codel ecn"}


def both_ways(rate, rtt, netem, **words):
    """The same impairment there and back, as the published loopback had it."""
    return router(rate, rtt, forward=netem, back=netem, **words)


# netem cuts a delay below zero off, so that the mean round trip of the first two is longer than twice the delay. Its correlated loss of
# 0.5 % is next to none: the mean with the last draw is rarely that small. Both are as published.
IMPAIRED = [
    Scenario("extreme-routed", both_ways(50, 200, "delay 100ms 200ms"), 40, "50 Mbit/s, pure jitter, 100 ms +- 200 ms each way", traffic=ALONE),
    Scenario("moderate-routed", both_ways(50, 100, "delay 50ms 100ms"), 30, "50 Mbit/s, pure jitter, 50 ms +- 100 ms each way", traffic=ALONE),
    Scenario("constrained-routed", both_ways(20, 100, "delay 50ms 50ms loss 0.5% 25% duplicate 1% reorder 25% 50%"), 15,
             "20 Mbit/s, +- 50 ms, 0.5 % correlated loss, duplication, reordering", traffic=ALONE),
    Scenario("lte-routed", both_ways(50, 100, "delay 50ms 20ms loss 5%"), 15, "50 Mbit/s, urban LTE, 50 ms +- 20 ms, 5 % loss each way", traffic=ALONE),
    Scenario("normal-routed", both_ways(50, 100, "delay 50ms 20ms distribution normal"), 15,
             "50 Mbit/s, 50 ms +- 20 ms each way, normal distribution", traffic=ALONE),
    Scenario("pareto-routed", both_ways(50, 100, "delay 50ms 20ms distribution pareto"), 15,
             "50 Mbit/s, 50 ms +- 20 ms each way, Pareto distribution", traffic=ALONE),
    Scenario("clean-routed", router(50, 20), 6, "50 Mbit/s, 20 ms, no impairment, FIFO of 1 BDP", traffic=ALONE, rtt=20),
]

QUEUED = [
    Scenario(name, router(20, 50, queue, sysctls="tcp_ecn=1" if name.endswith("ecn") else ""), 15,
             f"20 Mbit/s, 50 ms, queue: {queue if isinstance(queue, str) else f'FIFO of {queue:g} BDP'}", traffic=ALONE, rtt=50)
    for name, queue in QUEUES.items()
]
JITTERED = Scenario("jitter-fifo-1", both_ways(20, 50, "delay 25ms 5ms"), 15, "20 Mbit/s, 25 ms +- 5 ms each way, FIFO of 1 BDP", traffic=ALONE, rtt=50)

SET = Set("impairments", (*IMPAIRED, *QUEUED, JITTERED), EVERY, columns=(GOODPUT, COUNT, PER, SPURIOUS, DROPS, MARKS, SRTT, *QUEUE),
          page=Part("The published paths through a router, and queues", "1500-byte packets.", PEERS))
