# SPDX-License-Identifier: GPL-2.0
"""Set few: many flows at one bottleneck, with few packets for each.

Places where a FIFO has room for 1 to 30 packets of each flow, so that it is never empty for long: the base of v5's RTTs must not become that
of a full queue. Shares: of twenty flows 2, 10 or 18 are under test, through each kind of queue. Long: twenty flows for a minute and a
half, 1, 10 or all of them under test, for what grows step by step.
"""
from dataclasses import dataclass

from ..judge import metrics
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN_INTERVAL, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import at_least, at_most, constant, harmless, times
from ..lab_set import Part, Set
from ..model import CROWD, PACKET, Scenario, router
from .random_loss import WIDE, of_loss

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


def twenty(name, about, own, rival, timing, path, rtt):
    """They open one after another, 50 ms apart in the mean, and what counts begins when all are there."""
    traffic = f"tested cc={{cc}} flows={own} {timing} {CROWD} seed={{seed}} trace={{trace}}\nrivals cc={rival} flows={FLOWS - own} {timing} {CROWD} seed={{seed}}7\ntogether"
    return Scenario(name, path, float(timing.split()[0].removeprefix("seconds=")), about, traffic=traffic, rtt=rtt, harms=rival != SAME)


QUEUES = {"0.06": (0.06, "FIFO of 0.06 BDP"), "0.25": (0.25, "FIFO of 0.25 BDP"), "1": (1, "FIFO of 1 BDP"), "4": (4, "FIFO of 4 BDP"),
          "fq_codel": ("fq_codel", "fq_codel"), "pie": ("pie", "PIE"), "cake": ("cake besteffort", "CAKE")}
SHARES = tuple(twenty(f"{percent}-percent-{rival}-{name}", f"40 Mbit/s, 40 ms, {about}, {FLOWS * percent // 100} flows beside {FLOWS - FLOWS * percent // 100} of {rival.capitalize()}",
                      FLOWS * percent // 100, rival, "seconds=20 from=8", router(40, 40, queue, rival="rival"), 40)
               for rival, percents in (("cubic", (10, 50, 90)), ("reno", (50,)), ("bbr", (50,))) for percent in percents for name, (queue, about) in QUEUES.items())

POLICER = "policer"


def lasting(own, rival, rate, queue, loss):
    """Mbit/s, and a FIFO in BDP or a policer with a bucket of 80 KB."""
    words, about = {"queue": queue}, f"FIFO of {queue} BDP"
    if queue == POLICER:
        words, about = {"queue": "bfifo limit 1000000", "police": f"rate {rate}mbit burst 80k"}, "a policer with a bucket of 80 KB"
    path = router(4 * rate if queue == POLICER else rate, 50, rival="rival", **words, **of_loss(loss)) + f" {WIDE}"
    name, beside = ("itself", "as many of the same") if rival == SAME else (rival, f"{FLOWS - own} of {rival.capitalize()}")
    return twenty(f"{own}-{name}-{rate}m-{queue}-loss-{loss:g}", f"{rate} Mbit/s, 50 ms, {about}, {loss:g} % loss, {own} flows beside {beside} for 90 s",
                  own, rival, "seconds=90 from=30 step=5000", path, 50)


# A full queue amid loss, a policer; and a link that Cubic's flows cannot fill.
PATHS = ((40, 0.25, 1), (40, POLICER, 0), (120, 0.06, 1))
LONG = tuple(lasting(own, "reno", *path) for own in (1, 10) for path in PATHS)
LONG_ALIKE = tuple(lasting(FLOWS // 2, SAME, *path) for path in PATHS)


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
    for scenario in LONG:
        of_theirs = 0.85 if POLICER in scenario.name else 0.9  # a policer has no queue to see
        yield at_least(scenario.name, f"the others' Mbit/s; {of_theirs} of theirs beside Cubic", metrics.rival_goodput, times(of_theirs, "cubic", metrics.rival_goodput))
    for scenario in LONG_ALIKE:
        yield at_least(scenario.name, "Jain's index; 0.9", metrics.fairness, constant(0.9))
    yield at_least("10-reno-120m-0.06-loss-1", "Mbit/s; 70", metrics.goodput, constant(70))


ALGORITHMS = ("ndm_v5", "cubic")
SET = Set("few", BESIDE + ALIKE + SHARES + LONG + LONG_ALIKE, ALGORITHMS,
          columns=(GOODPUT, RIVAL, ("part", 14, lambda row: row.interval(part, 2)), ("% lost", 14, lambda row: row.interval(loss, 2)), *HARM, JAIN_INTERVAL, COUNT, SPURIOUS, DROPS, *QUEUE),
          goals=tuple(goals()),
          page=Part("Few packets each", "4 to 100 flows at one bottleneck, as in switches and in front of many users. Half of the flows are Cubic's, or other shares, or all are of "
                    "one kind. Of those that last 90 s the last 60 count, with socket buffers of 16 MB.", ALGORITHMS))
