# SPDX-License-Identifier: GPL-2.0
"""Links made from a seed, with the statistics of recorded ones; and these statistics of any link.

A link is a list: how many packets of 1500 bytes could leave in each millisecond.
"""
import math
import random
import statistics
from dataclasses import dataclass

PACKET_BITS = 12000
BIN = 100  # ms


@dataclass(frozen=True)
class Kind:
    """What links of a kind have in common; all but the last three as measured of a recording, in bins of 100 ms.

    seconds:    how long the recording is
    mean:       Mbit/s
    variation:  standard deviation over mean
    memory:     autocorrelation after 0.1, 1 and 5 s
    silences:   of at least 50 ms, of at least 200 ms, the longest in ms
    active:     share of the milliseconds in which packets leave
    made_of:    processes whose sum is the rate's course: (weight, seconds of memory), fitted to `memory`; the rest is without memory
    span:       the share of each bin within which its packets leave; 0: no such place, they leave at any time
    pauses:     silences that are put in, so many a minute: the others come of themselves where the rate is low
    """
    seconds: int
    mean: float
    variation: float
    memory: tuple
    silences: tuple
    active: float
    made_of: tuple
    span: float
    pauses: float


KINDS = {
    "lte-a": Kind(120, 4.56, 1.04, (0.76, 0.41, 0.07), (148, 22, 1122), 0.25, ((0.75, 2.3), (0.13, 0.3)), 0, 8),
    "lte-b": Kind(200, 14.3, 0.81, (0.83, 0.60, 0.35), (395, 13, 1057), 0.24, ((0.68, 16), (0.24, 0.8)), 0.66, 3.5),
    "lte-c": Kind(140, 5.03, 0.71, (0.87, 0.68, 0.30), (94, 5, 1446), 0.29, ((0.84, 9), (0.11, 0.5)), 0, 2.5),
    "umts": Kind(200, 1.31, 1.33, (0.93, 0.82, 0.32), (263, 95, 5752), 0.08, ((1.0, 9),), 1, 20),
    "starlink": Kind(120, 48.7, 0.22, (0.79, 0.56, 0.24), (8, 0, 130), 0.30, ((0.76, 9), (0.22, 0.5)), 0, 3),
}


def course(kind, count, chance):
    """Normal numbers, one a bin, with the memory of that kind."""
    rest = math.sqrt(max(0, 1 - sum(weight for weight, _ in kind.made_of)))
    levels = [chance.gauss(0, 1) for _ in kind.made_of]
    for _ in range(count):
        yield sum(math.sqrt(weight) * level for (weight, _), level in zip(kind.made_of, levels)) + rest * chance.gauss(0, 1)
        for index, (_, seconds) in enumerate(kind.made_of):
            kept = math.exp(-BIN / 1000 / seconds)
            levels[index] = kept * levels[index] + math.sqrt(1 - kept * kept) * chance.gauss(0, 1)


def rates_of(kind, count, chance):
    """Packets of each bin: gamma distributed, for that is how recorded rates are, in the order of the course."""
    shape = kind.variation ** -2
    sizes = sorted(chance.gammavariate(shape, 1) for _ in range(count))
    mean = statistics.fmean(sizes)
    levels = list(course(kind, count, chance))
    rates = [0.0] * count
    for size, index in zip(sizes, sorted(range(count), key=levels.__getitem__), strict=True):
        rates[index] = size / mean * kind.mean * 1e3 * BIN / PACKET_BITS
    return rates


def silence(rates, kind, chance):
    """Puts pauses in, where the rate is below its median, and gives their packets to the other bins."""
    total = sum(rates)
    low = sorted(range(len(rates)), key=rates.__getitem__)[:len(rates) // 2]
    for _ in range(round(kind.pauses * len(rates) * BIN / 60000)):
        begin = chance.choice(low)
        # Most are short, few are long.
        longest = kind.silences[2] / BIN
        shortest = min(2, longest)
        length = shortest * (longest / shortest) ** chance.random() ** 2
        for index in range(begin, min(begin + round(length), len(rates))):
            rates[index] = 0.0
    kept = sum(rates)
    return [rate * total / kept for rate in rates]


def spread(packets, burst, span, chance):
    """One bin: that many packets, in bursts that are `burst` in the mean."""
    values = [0] * BIN
    count = min(BIN, max(1, round(packets / burst)))
    if not packets:
        places = []
    elif span:  # one burst in each of as many equal parts of the span
        width = max(count, round(span * BIN))
        begin = chance.randrange(BIN - width + 1)
        places = [begin + int((index + chance.random()) * width / count) for index in range(count)]
    else:
        places = chance.sample(range(BIN), count)
    for index in range(packets):
        values[places[index] if index < len(places) else chance.choice(places)] += 1
    return values


def make_link(name, seed):
    """The link of that kind and seed: the same everywhere."""
    kind = KINDS[name]
    chance = random.Random(f"{name} {seed}")
    rates = silence(rates_of(kind, kind.seconds * 1000 // BIN, chance), kind, chance)
    burst = kind.mean * 1e3 / PACKET_BITS / kind.active
    values, due = [], 0.0
    for rate in rates:
        due += rate
        packets = int(due)
        due -= packets
        values += spread(packets, burst, kind.span, chance)
    return values


def silences_of(link):
    """How long, in ms, each time was in which no packet could leave."""
    return [len(part) for part in "".join("x" if count else "." for count in link).split("x") if part]


def statistics_of(link):
    """The figures of a Kind that can be measured, as a dict."""
    rates = [sum(link[at:at + BIN]) * PACKET_BITS / 1e3 / BIN for at in range(0, len(link) - BIN + 1, BIN)]
    mean = statistics.fmean(rates)
    variance = statistics.pvariance(rates)
    memory = tuple(statistics.fmean((one - mean) * (other - mean) for one, other in zip(rates, rates[step:])) / variance for step in (1, 10, 50))
    quiet = silences_of(link)
    return {"seconds": len(link) / 1000, "mean": mean, "variation": math.sqrt(variance) / mean, "memory": memory,
            "silences": (sum(ms >= 50 for ms in quiet), sum(ms >= 200 for ms in quiet), max(quiet, default=0)),
            "active": sum(count > 0 for count in link) / len(link)}
