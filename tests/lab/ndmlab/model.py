# SPDX-License-Identifier: GPL-2.0
"""What a scenario is, and the words for a path of several hosts."""
from dataclasses import dataclass, field, replace

PACKET = 1514  # bytes that a queue counts for a full one
SPREAD = 2  # seconds; a CUBIC of 10 Mbit/s and 50 ms reduces cwnd about that often

# On a path without loss by chance all seeds would have the same result: it delays by chance instead, by less than a packet takes.
SCATTER = "0.1ms rate 1gbit"
# Twenty flows open 50 ms apart in the mean. Their TCP_INFO is read each 100 ms: each 10 ms, as of one flow, took a third of a cell's time.
CROWD = "spacing=50 sample=100"


def delay_of(seed):
    """By how many seconds, 0 to SPREAD, this seed moves the moments of a scenario. The golden ratio spreads a few seeds evenly."""
    return round(seed * 0.6180339887 % 1 * SPREAD, 2)


class Moment:
    """A word of Scenario.traffic: seconds, of which chance moves the given part; as f"{Moment(0.5, 1):6}" is "6.5"."""

    def __init__(self, seconds, sign):
        self.by = sign * seconds

    def __format__(self, seconds):
        return f"{float(seconds) + self.by:.2f}"


@dataclass(frozen=True)
class Scenario:
    """One path and what is sent over it.

    path:      shell line of guest/*.sh that builds the path
    seconds:   how long the measured flow sends
    about:     one line for people
    published: what the project's author measured, by algorithm: (Mbit/s, retransmissions, seconds)
    traffic:   shell lines; {cc} is the algorithm, {seconds} the duration, {trace} 0 or 1, {seed} the cell's; {later:6} is
                6 s and what the seed adds to it (delay_of), {sooner:14} is 14 s less that
    rtt:       of the path when its queue is empty, milliseconds; 0: not of interest
    event:     when the path changed for the worse and when for the better, seconds, without the seed's; recovery is measured from then
    chance:    whether seeds differ; where all is the same for each, two are enough to show it
    link:      the recorded link of the path, a name in links.py; empty: none
    uptime:    seconds that the guest's kernel has run when traffic begins; 0: as it comes
    harms:     the flows of another host are of one algorithm in all cells, so that harm to them can be measured
    """
    name: str
    path: str
    seconds: float
    about: str
    published: dict = field(default_factory=dict)
    traffic: str = "flows cc={cc} seconds={seconds:g} trace={trace}"
    rtt: float = 0
    event: tuple = ()
    chance: bool = True
    harms: bool = False
    uptime: float = 0
    link: str = ""

    def seeds(self, wanted):
        return wanted if self.chance else wanted[:2]

    def varied(self, words=(), uptime=0):
        """The same with further words NAME=VALUE for its path, in the place of its own, and another uptime."""
        if words and not self.path.split("\n")[-1].startswith("path_router "):
            raise ValueError(f"{self.name} is a loopback path; only paths through a router take words such as {words[0]}")
        return replace(self, path=" ".join([self.path, *(f"'{word}'" for word in words)]), uptime=uptime or self.uptime)


def fifo(rate, rtt, products):
    """A FIFO of so many bandwidth-delay products (Mbit/s, ms); at least one packet fits."""
    return f"bfifo limit {max(PACKET, round(rate * rtt * 125 * products))}"


def router(rate, rtt, queue=1, forward="", back="", more="", **words):
    """Shell line for path_router: Mbit/s, ms there and back, a FIFO in bandwidth-delay products or another qdisc's words.

    forward, back: netem's words instead of half the delay each; more: added to those forward.
    """
    queue = queue if isinstance(queue, str) else fifo(rate, rtt, queue)
    half = f"delay {rtt / 2:g}ms"
    words = {"rate": f"{rate:g}mbit", "queue": queue, "forward": f"{forward or half} {more}".strip(), "back": back or half} | words
    return "path_router " + " ".join(f"'{name}={value}'" for name, value in words.items() if value != "")
