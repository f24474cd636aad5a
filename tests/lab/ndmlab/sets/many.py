# SPDX-License-Identifier: GPL-2.0
"""Set many: twenty flows at one bottleneck for a minute and a half, of which the algorithm under test has 1, 10 or all: what grows step by step needs many, and time."""
from ..judge import metrics
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN_INTERVAL, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import at_least, constant, times
from ..lab_set import Part, Set
from ..model import CROWD, Scenario, router
from .random_loss import WIDE, of_loss

SLOW, FAST, RTT = 40, 120, 50  # Mbit/s, Mbit/s, ms: eight or 25 packets for each of the flows
FLOWS = 20
SECONDS, WARM_UP = 90, 30
POLICER, SAME = "policer", "{cc}"
# Full queues with and without loss, a policer; and links that Cubic's flows cannot fill.
PATHS = ((SLOW, 0.06, 0), (SLOW, 0.25, 1), (SLOW, POLICER, 0), (FAST, 0.06, 1), (FAST, 0.25, 0.1), (FAST, 1, 1))


def mixed(own, rival, rate, queue, loss):
    """They open one after another, 50 ms apart in the mean."""
    timing = f"seconds={SECONDS} from={WARM_UP} step=5000 {CROWD} seed={{seed}}"
    traffic = f"tested cc={{cc}} flows={own} {timing} trace={{trace}}\nrivals cc={rival} flows={FLOWS - own} {timing}7\ntogether"
    name, beside = ("itself", "as many of the same") if rival == SAME else (rival, f"{FLOWS - own} of {rival.capitalize()}")
    about = f"FIFO of {queue} BDP"
    words = {"queue": queue}
    if queue == POLICER:
        about = "a policer with a bucket of 80 KB"
        words = {"queue": "bfifo limit 1000000", "police": f"rate {rate}mbit burst 80k"}
    path = router(4 * rate if queue == POLICER else rate, RTT, rival="rival", **words, **of_loss(loss)) + f" {WIDE}"
    return Scenario(f"{own}-{name}-{rate}m-{queue}-loss-{loss:g}", path, SECONDS, f"{own} flows beside {beside}, {rate} Mbit/s, {about}, {loss:g} % loss",
                    traffic=traffic, rtt=RTT, harms=rival != SAME)


BESIDE = tuple(mixed(own, rival, *path) for own, rival in ((1, "reno"), (10, "reno"), (10, "cubic")) for path in PATHS)
ALIKE = tuple(mixed(FLOWS // 2, SAME, *path) for path in PATHS)


def goals():
    for scenario in BESIDE:
        part = 0.85 if POLICER in scenario.name else 0.9  # a policer has no queue to see
        yield at_least(scenario.name, f"the others' Mbit/s; {part} of theirs beside Cubic", metrics.rival_goodput, times(part, "cubic", metrics.rival_goodput))
    for scenario in ALIKE:
        yield at_least(scenario.name, "Jain's index; 0.9", metrics.fairness, constant(0.9))
    for queue in (0.06, 1):
        yield at_least(f"10-reno-{FAST}m-{queue}-loss-1", "Mbit/s; 70", metrics.goodput, constant(70))


ALGORITHMS = ("ndm_v5", "cubic")
SET = Set("many", BESIDE + ALIKE, ALGORITHMS, columns=(GOODPUT, RIVAL, JAIN_INTERVAL, *HARM, COUNT, SPURIOUS, DROPS, *QUEUE), goals=tuple(goals()),
          page=Part("Twenty flows for long", "50 ms, socket buffers of 16 MB. What counts are 60 s after the first 30.", ALGORITHMS, seeds=8))
