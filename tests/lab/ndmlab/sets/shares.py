# SPDX-License-Identifier: GPL-2.0
"""Set shares: twenty flows at one bottleneck, of which the algorithm under test has 2, 10 or 18, beside Cubic, Reno or BBR, through each kind of queue."""
from ..judge import metrics
from ..show import page, table
from ..algorithms import OURS
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN_INTERVAL, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import harmless
from ..lab_set import Part, Set
from ..model import CROWD, Scenario, router

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
    timing = f"seconds={SECONDS} from={WARM_UP} {CROWD} seed={{seed}}"
    traffic = f"tested cc={{cc}} flows={own} {timing} trace={{trace}}\nrivals cc={rival} flows={FLOWS - own} {timing}7\ntogether"
    return Scenario(f"{percent}-percent-{rival}-{name}", router(RATE, RTT, queue, rival="rival"), SECONDS,
                    f"{own} flows beside {FLOWS - own} of {rival.capitalize() if rival != 'bbr' else 'BBR'}, {RATE} Mbit/s, {RTT} ms, {about}", traffic=traffic, rtt=RTT, harms=True)


SCENARIOS = tuple(mixed(percent, rival, name) for rival in RIVALS for percent in PERCENTS for name in QUEUES)


def tables(part, cells, results):
    """One line for a rival and a queue, a column for each share."""
    rows = {row.scenario.name: row for row in table.rows_of(cells, results) if row.algorithm == OURS}
    lines = []
    for rival in RIVALS:
        for queue in QUEUES:
            fields = []
            for percent in PERCENTS:
                row = rows[mixed(percent, rival, queue).name]
                fields.append(f"{page.show(row.values(row.harm_beyond))}; {page.show(row.values(metrics.goodput))} : {page.show(row.values(metrics.rival_goodput))}")
            lines.append([rival, QUEUES[queue][1], *fields])
    return page.markdown(["beside", "queue", *(f"{percent} % of the flows: harm beyond Cubic's; Mbit/s : others'" for percent in PERCENTS)], lines)


ALGORITHMS = ("ndm_v5", "cubic")
SET = Set("shares", SCENARIOS, ALGORITHMS, columns=(GOODPUT, RIVAL, JAIN_INTERVAL, *HARM, COUNT, SPURIOUS, DROPS, *QUEUE),
          goals=tuple(harmless(scenario.name) for scenario in SCENARIOS),
          page=Part("Twenty flows, in shares", "Harm to the other flows, minus the harm of as many Cubic flows.", ALGORITHMS, shows=tables))
