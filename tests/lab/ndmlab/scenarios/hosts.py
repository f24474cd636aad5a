# SPDX-License-Identifier: GPL-2.0
"""Set hosts: what a host meets that a short run on a calm path does not: clocks that wrap, pauses, short round trips, offload, a past."""
from dataclasses import replace

from .difficulties import case
from ..model import Scenario, router
from .coexistence import shared
from .v5 import WIDE


def clocks():
    for name, uptime, about in (("clock-early", 300, "from 300 s of uptime on"), ("clock-wrap", 4290, "from 4,290 s of uptime on: 2^32 us are 4,295 s")):
        yield Scenario(name, f"{router(100, 50)} {WIDE}", 20, f"100 Mbit/s, 50 ms, FIFO of 1 BDP, {about}", rtt=50, uptime=uptime, chance=False)


def days():
    """A day with pauses, each long enough for the window to be stale."""
    for name, words, about in (("day-bulk", "on=2 off=600 sample=1000", "writes for 2 s, pauses for 600 s"),
                               ("day-limited", "rate=1000 on=20 off=600 sample=100", "writes 1 Mbit/s for 20 s, pauses for 600 s")):
        yield replace(case(name, f"10 Mbit/s, 50 ms, 24 hours: {about}", 86400, test=words), chance=False)


def lans():
    """A switch with room for 1,000 packets, or for 100."""
    for rtt_us in (50, 200, 1000):
        for room in (1000, 100):
            for more, words in (("", {}), ("-segmentation", {"segmentation": "on"})):
                yield replace(case(f"lan-{rtt_us}us-{room}{more}", f"1 Gbit/s, {rtt_us} us, FIFO of {room} packets{', segmentation offload on' * bool(more)}", 2,
                                   rate=1000, rtt=rtt_us / 1000, queue=f"pfifo limit {room}", **words), chance=False)
        yield replace(case(f"lan-{rtt_us}us-limited", f"1 Gbit/s, {rtt_us} us, the application writes 100 Mbit/s, each millisecond", 4, rate=1000, rtt=rtt_us / 1000,
                           queue="pfifo limit 100", test="rate=100000 sample=1"), chance=False)


# A sender that paces by fq and builds bursts of up to 64 KB, as hosts do.
REAL = ("segmentation=on", "sender_queue=fq")
REAL_OF = "moderate-wide lte-routed loss-1 vs-cubic vs-cubic-0.06 vs-cubic-0.25 fifo-1 fifo-50m-40ms-0.25".split()


def real(scenarios):
    for name in REAL_OF:
        yield replace(scenarios[name].varied(REAL), name=f"{name}-real", about=f"{scenarios[name].about}; fq, segmentation offload on")


# FIFOs of so many BDP that two flows share.
QUEUES = (0.06, 0.1, 0.25, 1)
PAST = {"seconds": 30, "warm_up": 10}  # the episode is over at 5 s


def past(kind, about, episode):
    """Two flows of which the first had an episode of reordering from 2 to 5 s, or both had it, where they are of one kind.

    episode: pairs (seconds, netem words) for the sender's own way
    """
    # A tenth of a millisecond of jitter that keeps the order, so that seeds differ.
    access = {"sender_access": "delay 0ms", "forward": "delay 25ms 0.1ms rate 1gbit"}
    for queue in QUEUES:
        lines = [f'after {at:g} shape router from-sender "{words}"' for at, words in episode]
        yield ending(shared(f"{kind}-{queue:g}", f"FIFO of {queue:g} BDP, {about} until 5 s, counted from 10 s on, beside one Cubic", queue, path=access, **PAST), lines)
        lines += [f'after {at:g} shape router from-rival "{words}"' for at, words in episode]
        yield ending(shared(f"{kind}-itself-{queue:g}", f"FIFO of {queue:g} BDP, {about} of both until 5 s, counted from 10 s on, beside itself", queue, rival="cc={cc}",
                            harms=False, path={**access, "rival_access": "delay 0ms"}, **PAST), lines)


def ending(scenario, lines):
    """That scenario with further lines before the last, which waits."""
    *first, last = scenario.traffic.splitlines()
    return replace(scenario, traffic="\n".join([*first, *lines, last]))


def pasts():
    yield from past("reordered", "a quarter of its packets come 10 ms late from 2 s", [(2, "delay 10ms reorder 75%"), (5, "delay 0ms")])
    # Each second step is shorter, so that what was sent after it overtakes what was sent before.
    yield from past("switched", "its path is 20 ms longer every other half second from 2 s",
                    [(2 + step / 2, f"delay {20 if step % 2 == 0 else 0}ms") for step in range(6)])


JITTERS = (2, 6, 12)  # ms, beyond the delay


def orderly(rtt, jitter):
    """netem's words for the way there; with a rate it lets no packet overtake another."""
    return f"delay {rtt / 2 + jitter / 2:g}ms {jitter / 2:g}ms rate 1gbit"


def jitters():
    """Jitter that keeps the order."""
    for rate, rtt in ((20, 30), (10, 50)):
        for jitter in JITTERS:
            for queue in QUEUES:
                path = {"forward": orderly(rtt, jitter)}
                about = f"{rate} Mbit/s, {rtt} ms, 0 to {jitter} ms of jitter that keeps the order, FIFO of {queue:g} BDP, beside"
                name = f"{rate}m-{jitter}ms-{queue:g}"
                yield shared(f"orderly-{name}", f"{about} one Cubic", queue, path=path, rate=rate, rtt=rtt, base=rtt)
                yield shared(f"orderly-itself-{name}", f"{about} itself", queue, rival="cc={cc}", harms=False, path=path, rate=rate, rtt=rtt, base=rtt)


def changes():
    """An algorithm that comes in the middle, as `cgroup set --existing` or a server after accept() sets it."""
    words = {"sender_queue": "fq", "segmentation": "on"}
    for first in ("cubic", "bbr"):
        yield case(f"from-{first}", f"50 Mbit/s, 50 ms, fq and offload, begun by {first}, changed at 3 s, counted from 5 s on", 15, rate=50,
                   test=f"first={first} until=3 from=5", more="loss 0.01%", **words)
    yield replace(case("accepted", "100 Mbit/s, 50 ms, fq and offload, set 60 ms after it was opened", 15, rate=100, test="first=cubic until=0.06", **words), chance=False)
    yield replace(case("uncapped", "50 Mbit/s, 50 ms, fq and offload, SO_MAX_PACING_RATE of 4 Mbit/s for 4 s, counted from 6 s on", 16, rate=50,
                       test="cap=4000 capped=4 from=6", **words), chance=False)


LANS = [scenario.name for scenario in lans()]
JITTERED = [f"{rate}m-{jitter}ms-{queue:g}" for rate in (20, 10) for jitter in JITTERS for queue in QUEUES]


def crowds():
    yield case("flows-10000", "10,000 connections, opened over 10 s, each writes for 0.1 s every 8 s; together more than the link's 200 Mbit/s", 24, rate=200,
               test="flows=10000 spacing=1 seed={seed} on=0.1 off=7.9 sample=1000 summary=1", sysctls="tcp_max_syn_backlog=16384")


def hosts_set(scenarios):
    """scenarios: those of other sets"""
    return [*clocks(), *pasts(), *lans(), case("satellite-0.2", "10 Mbit/s, 600 ms, 0.2 % loss", rtt=600, more="loss 0.2%", seconds=60),
            *jitters(), *real({scenario.name: scenario for scenario in scenarios}), *days(), *changes(), *crowds()]
