# SPDX-License-Identifier: GPL-2.0
"""Set shares: twenty flows at one bottleneck, of which the algorithm under test has 2, 10 or 18, beside Cubic, Reno or BBR, through each kind of queue."""
from ..model import Scenario, router

RATE, RTT = 40, 40  # Mbit/s, ms: seven packets for each of the flows
FLOWS = 20
PERCENTS = (10, 50, 90)
RIVALS = ("cubic", "reno", "bbr")
QUEUES = {"0.06": (0.06, "a FIFO of 0.06 BDP"), "0.25": (0.25, "a FIFO of 0.25 BDP"), "1": (1, "a FIFO of 1 BDP"), "4": (4, "a FIFO of 4 BDP"),
          "fq_codel": ("fq_codel", "fq_codel"), "pie": ("pie", "PIE"), "cake": ("cake besteffort", "CAKE")}
SECONDS, WARM_UP = 20, 8


def mixed(percent, rival, name):
    """They open one after another, 50 ms apart in the mean, and what counts begins when all are there."""
    queue, about = QUEUES[name]
    own = FLOWS * percent // 100
    timing = f"seconds={SECONDS} from={WARM_UP} spacing=50 seed={{seed}}"
    traffic = f"tested cc={{cc}} flows={own} {timing} trace={{trace}}\nrivals cc={rival} flows={FLOWS - own} {timing}7\ntogether"
    return Scenario(f"{percent}-percent-{rival}-{name}", router(RATE, RTT, queue, rival="rival"), SECONDS,
                    f"{own} flows beside {FLOWS - own} of {rival.capitalize() if rival != 'bbr' else 'BBR'}, {RATE} Mbit/s, {RTT} ms, {about}", traffic=traffic, rtt=RTT, harms=True)


SHARES = [mixed(percent, rival, name) for rival in RIVALS for percent in PERCENTS for name in QUEUES]
