# SPDX-License-Identifier: GPL-2.0
"""Set few: many flows at one bottleneck, with few packets for each.

Places where a FIFO has room for 1 to 30 packets of each flow, so that it is never empty for long: the base of v5's RTTs must not become that
of a full queue. Shares: of twenty flows 2, 10 or 18 are under test, through each kind of queue.
"""
from dataclasses import dataclass

from ..judge import metrics
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN_INTERVAL, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import at_least, at_most, constant, harmless
from ..lab_set import Part, Set
from ..model import CROWD, PACKET, Scenario, router

SAME = "{cc}"
MOST_PACKETS = 300e3  # in a cell, which takes some seconds of the host


@dataclass(frozen=True)
class Place:
    """One bottleneck: Mbit/s, us there and back, packets that the FIFO holds, flows of each side."""
    rate: int
    rtt_us: int
    room: int
    flows: int

    def per_flow(self):
        """Packets of each flow that fit in the path and a full FIFO."""
        return (self.rate * self.rtt_us / 8 / PACKET + self.room) / (2 * self.flows)

    def seconds(self):
        """More than 20 s, after which a base is forgotten, where that costs no more packets than a cell may; on a LAN some thousand round trips."""
        return round(min(40, max(MOST_PACKETS * PACKET * 8 / self.rate / 1e6, 0.5)), 1)


# 900 Mbit/s is what a link of 1 Gbit/s has for data; a switch has room for some dozen packets of a port.
PLACES = (Place(10_000, 10, 20, 2), Place(900, 200, 30, 4), Place(900, 200, 100, 20), Place(900, 2_000, 15, 2), Place(9_000, 2_000, 150, 2),
          Place(200, 60_000, 12, 2), Place(100, 20_000, 42, 50), Place(40, 40_000, 8, 4), Place(10, 50_000, 4, 2), Place(10, 200_000, 10, 50))


def mixed(place, rival):
    """They open one after another, within a fifth of the warm-up in the mean."""
    seconds, flows = place.seconds(), place.flows
    warm_up = round(seconds / 4, 2)
    timing = f"seconds={seconds:g} from={warm_up:g} spacing={warm_up * 200 / flows:.3g} sample={max(1, round(seconds * 2))} seed={{seed}}"
    traffic = f"tested cc={{cc}} flows={flows} {timing} trace={{trace}}\nrivals cc={rival} flows={flows} {timing}7\ntogether"
    name, beside = ("itself", "as many of the same") if rival == SAME else (rival, f"{flows} of {rival.capitalize()}")
    scatter = f"delay {place.rtt_us / 2:g}us {place.rtt_us / 100:g}us rate 40gbit"
    path = router(place.rate, place.rtt_us / 1000, f"pfifo limit {place.room}", forward=scatter, back=f"delay {place.rtt_us / 2:g}us", rival="rival", buffers=4194304)
    return Scenario(f"{name}-{place.rate}m-{place.rtt_us}us-{place.room}-{2 * flows}", path, seconds,
                    f"{place.rate:,} Mbit/s, {place.rtt_us / 1000:g} ms, FIFO of {place.room} packets, {flows} flows beside {beside}: {place.per_flow():.2g} packets each",
                    traffic=traffic, rtt=place.rtt_us / 1000, harms=rival != SAME)


BESIDE = tuple(mixed(place, "cubic") for place in PLACES)
ALIKE = tuple(mixed(place, SAME) for place in PLACES)

FLOWS = 20


def share(percent, rival, name, queue, queue_about):
    """They open one after another, 50 ms apart in the mean, and what counts begins when all are there."""
    own = FLOWS * percent // 100
    timing = f"seconds=20 from=8 {CROWD} seed={{seed}}"
    return Scenario(f"{percent}-percent-{rival}-{name}", router(40, 40, queue, rival="rival"), 20,
                    f"40 Mbit/s, 40 ms, {queue_about}, {own} flows beside {FLOWS - own} of {rival.capitalize()}",
                    traffic=f"tested cc={{cc}} flows={own} {timing} trace={{trace}}\nrivals cc={rival} flows={FLOWS - own} {timing}7\ntogether", rtt=40, harms=True)


QUEUES = {"0.06": (0.06, "FIFO of 0.06 BDP"), "0.25": (0.25, "FIFO of 0.25 BDP"), "1": (1, "FIFO of 1 BDP"), "4": (4, "FIFO of 4 BDP"),
          "fq_codel": ("fq_codel", "fq_codel"), "pie": ("pie", "PIE"), "cake": ("cake besteffort", "CAKE")}
SHARES = tuple(share(percent, rival, name, *queue)
               for rival, percents in (("cubic", (10, 50, 90)), ("reno", (50,)), ("bbr", (50,))) for percent in percents for name, queue in QUEUES.items())


def part(result):
    """Of what all get, what the flows under test have."""
    return metrics.goodput(result) / max(metrics.goodput(result) + metrics.rival_goodput(result), 1e-9)


def loss(result):
    """Packets that the path dropped, of a hundred that were sent."""
    return 100 * metrics.drops(result) / max(sum(flow["segments"] for flow in result["flows"]), 1)


def goals():
    for scenario in BESIDE:
        yield at_most(scenario.name, "its part of all; 0.55", part, constant(0.55))
    for scenario in (*BESIDE, *ALIKE):
        yield at_most(scenario.name, "% lost; 1.2 x Cubics' + 0.05", loss, lambda figures: 1.2 * figures("cubic", loss) + 0.05)
    for scenario in ALIKE:
        # Cubics themselves are unequal where each has one packet.
        yield at_least(scenario.name, "Jain's index; 0.9, or Cubics'", metrics.fairness, lambda figures: min(0.9, figures("cubic", metrics.fairness)))
    for scenario in SHARES:
        yield harmless(scenario.name)


ALGORITHMS = ("ndm_v5", "cubic")
SET = Set("few", BESIDE + ALIKE + SHARES, ALGORITHMS,
          columns=(GOODPUT, RIVAL, ("part", 14, lambda row: row.interval(part, 2)), ("% lost", 14, lambda row: row.interval(loss, 2)), *HARM, JAIN_INTERVAL, COUNT, SPURIOUS, DROPS, *QUEUE),
          goals=tuple(goals()),
          page=Part("Few packets each", "4 to 100 flows at one bottleneck, as in switches and in front of many users. Half of the flows are Cubic's, or other shares, or all are of one kind.", ALGORITHMS))
