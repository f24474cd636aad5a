# SPDX-License-Identifier: GPL-2.0
"""Set hosts: what a host meets that a short run on a calm path does not: clocks that wrap, pauses, short round trips, offload, a past."""
from dataclasses import replace

from ..judge import metrics
from ..show.columns import COUNT, CWND, DROPS, GOODPUT, HARM, JAIN_INTERVAL, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import BEFORE, at_least, at_most, constant, fair, harmless, per_megabyte, times
from ..lab_set import Part, Set
from ..model import SCATTER, Scenario, router
from . import difficulties, v5
from .coexistence import shared
from .difficulties import case


def clocks():
    for name, uptime, about in (("clock-early", 300, "from 300 s of uptime on"), ("clock-wrap", 4290, "from 4,290 s of uptime on: 2^32 us are 4,295 s")):
        yield Scenario(name, f"{router(100, 50)} {v5.WIDE}", 20, f"100 Mbit/s, 50 ms, FIFO of 1 BDP, {about}", rtt=50, uptime=uptime, chance=False)


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


# A sender that paces by fq and builds bursts of up to 64 KB, as hosts do.
REAL = ("segmentation=on", "sender_queue=fq")
REAL_OF = "moderate-wide lte-routed loss-1 vs-cubic vs-cubic-0.06 vs-cubic-0.25 fifo-1 fifo-50m-40ms-0.25".split()


def real():
    scenarios = {scenario.name: scenario for scenario in (*difficulties.SET.scenarios, *v5.SET.scenarios)}
    for name in REAL_OF:
        yield replace(scenarios[name].varied(REAL), name=f"{name}-real", about=f"{scenarios[name].about}; fq, segmentation offload on")


# FIFOs of so many BDP that two flows share.
QUEUES = (0.06, 0.25, 1)
PAST = {"seconds": 30, "warm_up": 10}  # the episode is over at 5 s


def past(kind, about, episode):
    """Two flows of which the first had an episode of reordering from 2 to 5 s, or both had it, where they are of one kind.

    episode: pairs (seconds, netem words) for the sender's own way
    """
    access = {"sender_access": "delay 0ms", "forward": f"delay 25ms {SCATTER}"}
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


JITTERS = (2, 12)  # ms, beyond the delay


def jitters():
    """Jitter that keeps the order, for with a rate netem lets no packet overtake another."""
    for jitter in JITTERS:
        for queue in QUEUES:
            words = {"path": {"forward": f"delay {15 + jitter / 2:g}ms {jitter / 2:g}ms rate 1gbit"}, "rate": 20, "rtt": 30, "base": 30}
            about = f"20 Mbit/s, 30 ms, 0 to {jitter} ms of jitter that keeps the order, FIFO of {queue:g} BDP, beside"
            yield shared(f"orderly-20m-{jitter}ms-{queue:g}", f"{about} one Cubic", queue, **words)
            yield shared(f"orderly-itself-20m-{jitter}ms-{queue:g}", f"{about} itself", queue, rival="cc={cc}", harms=False, **words)


def changes():
    """An algorithm that comes in the middle, as a server sets it after accept()."""
    words = {"sender_queue": "fq", "segmentation": "on"}
    for first in ("cubic", "bbr"):
        yield case(f"from-{first}", f"50 Mbit/s, 50 ms, fq and offload, begun by {first}, changed at 3 s, counted from 5 s on", 15, rate=50,
                   test=f"first={first} until=3 from=5", more="loss 0.01%", **words)
    yield replace(case("accepted", "100 Mbit/s, 50 ms, fq and offload, set 60 ms after it was opened", 15, rate=100, test="first=cubic until=0.06", **words), chance=False)
    yield replace(case("uncapped", "50 Mbit/s, 50 ms, fq and offload, SO_MAX_PACING_RATE of 4 Mbit/s for 4 s, counted from 6 s on", 16, rate=50,
                       test="cap=4000 capped=4 from=6", **words), chance=False)


HANDOVERS = {"5g": (150, 12, 6, 0.3), "lte": (50, 50, 25, 2)}  # Mbit/s, ms each way, ms of jitter, percent lost
LONGER_MS = (5, 20)
AT, AFTER = 20, 5  # seconds: when the path becomes longer, and how long v5 has then


def handovers():
    """Amid reordering the way there becomes longer, as when a phone changes its cell."""
    for name, (rate, one_way, jitter, loss) in HANDOVERS.items():
        for more in LONGER_MS:
            scenario = case(f"longer-{name}-{more}", f"{rate} Mbit/s, {one_way}+-{jitter} ms each way, {loss:g} % loss, {more} ms more from {AT} s on", AT + AFTER + 10,
                            rate=rate, rtt=2 * one_way, forward=f"delay {one_way}ms {jitter}ms loss {loss:g}%", back=f"delay {one_way}ms {jitter}ms")
            traffic = (f"tested cc={{cc}} seconds={{seconds:g}} trace={{trace}} step=250\n"
                       f'after {AT} shape router to-bottleneck "delay {one_way + more}ms {jitter}ms loss {loss:g}%"\ntogether')
            yield replace(scenario, path=f"{scenario.path} {v5.WIDE}", traffic=traffic)


def rate_kept(result):
    """Of the mean rate in the ten seconds before the change, the share that the time has which begins AFTER seconds behind it."""
    acked = [0, *metrics.tested(result)[0]["acked"]]
    steps = [acked[min(4 * second, len(acked) - 1)] for second in (AT - 10, AT, AT + AFTER, AT + AFTER + 10)]
    return (steps[3] - steps[2]) / max(steps[1] - steps[0], 1)


def far():
    """Round trips of more than 4 s, as of UMTS with a deep queue: ten packets a second."""
    for flows in (1, 4):
        yield shared(f"far-{flows}", f"0.12 Mbit/s, 4.5 s, FIFO of 1 BDP, {flows} beside {flows} of Cubic", rate=0.12, rtt=4500, base=4500, seconds=900, warm_up=300,
                     test=f"flows={flows} seconds=900 from=300 sample=1000", rival=f"cc=cubic flows={flows} seconds=900 from=300 sample=1000")


def own_part(result):
    return metrics.goodput(result) / max(metrics.goodput(result) + metrics.rival_goodput(result), 1e-9)


LANS = [scenario.name for scenario in lans()]
JITTERED = [f"20m-{jitter}ms-{queue:g}" for jitter in JITTERS for queue in QUEUES]


def crowds():
    # Full send buffers of the usual size would not fit in the guest's memory.
    yield case("flows-10000", "10,000 connections, opened over 10 s, each writes for 0.1 s every 8 s; together more than the link's 200 Mbit/s", 24, rate=200,
               test="flows=10000 spacing=1 seed={seed} on=0.1 off=7.9 sample=1000 summary=1", sysctls="tcp_max_syn_backlog=16384 tcp_wmem=4096,16384,32768")


SCENARIOS = (*clocks(), *pasts(), *lans(), case("satellite-0.2", "10 Mbit/s, 600 ms, 0.2 % loss", rtt=600, more="loss 0.2%", seconds=60),
             *jitters(), *handovers(), *far(), *real(), *days(), *changes(), *crowds())

NEAR = 0.02  # what "like Cubic" means: that share of Cubic's figure


def like_cubic(path):
    yield at_least(path, "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_most(path, "retransmissions; 1.02 x Cubic's", metrics.retransmissions, times(1 + NEAR, "cubic", metrics.retransmissions))


def across_the_wrap():
    yield from like_cubic("clock-early")
    yield from like_cubic("clock-wrap")
    yield replace(at_least("clock-wrap", "Mbit/s; 0.98 of those before the wrap", metrics.goodput, times(1 - NEAR, BEFORE, metrics.goodput)), before="clock-early")
    yield replace(at_most("clock-wrap", "retransmissions; those before the wrap + 0.02 x Cubic's", metrics.retransmissions,
                          lambda figures: figures(BEFORE, metrics.retransmissions) + NEAR * figures("cubic", metrics.retransmissions)), before="clock-early")


def pairs():
    for kind, names in (("reordered", [f"{queue:g}" for queue in QUEUES]), ("switched", [f"{queue:g}" for queue in QUEUES]), ("orderly", JITTERED)):
        for name in names:
            yield harmless(f"{kind}-{name}")
            yield fair(f"{kind}-itself-{name}")


def alone():
    for path in LANS:
        yield from like_cubic(path)
    yield at_least("satellite-0.2", "Mbit/s; Cubic's", metrics.goodput, times(1, "cubic", metrics.goodput))
    for path in ("day-bulk", "day-limited"):
        yield from like_cubic(path)
    for name in HANDOVERS:
        for more in LONGER_MS:
            yield at_least(f"longer-{name}-{more}", f"the rate {AFTER} s later; 0.8 of that before", rate_kept, constant(0.8))
    for flows in (1, 4):
        yield at_least(f"far-{flows}", "its part of all; 0.4", own_part, constant(0.4))
        yield at_most(f"far-{flows}", "its part of all; at most 0.6", own_part, constant(0.6))
    for path in ("from-cubic", "from-bbr", "accepted", "uncapped"):
        yield at_least(path, "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_least("flows-10000", "Mbit/s; 0.98 of Cubic's", metrics.goodput, times(1 - NEAR, "cubic", metrics.goodput))
    yield at_most("flows-10000", "retr. per MB; 1.02 x Cubic's", per_megabyte, times(1 + NEAR, "cubic", per_megabyte))


def as_without():
    """The goals that hold without fq and offload, and those of set v5 for the path of set difficulties that has none."""
    for goal in v5.SET.goals:
        if goal.path in REAL_OF:
            yield replace(goal, path=f"{goal.path}-real")
    yield at_least("fifo-1-real", "Mbit/s; 0.97 of Cubic's", metrics.goodput, times(0.97, "cubic", metrics.goodput))
    yield at_most("fifo-1-real", "retransmissions; 1.05 x Cubic's", metrics.retransmissions, times(1.05, "cubic", metrics.retransmissions))


SET = Set("hosts", SCENARIOS, ("ndm_v5", "cubic"),
          columns=(GOODPUT, RIVAL, JAIN_INTERVAL, *HARM, COUNT, SPURIOUS, DROPS, *QUEUE, CWND, ("reord_seen", 12, lambda row: row.of_flow("reord_seen", 1, 1))),
          goals=(*across_the_wrap(), *pairs(), *alone(), *as_without()),
          page=Part("What hosts meet", "Clocks that wrap, earlier reordering, LANs, offload, pauses, jitter that keeps the order.", ("ndm_v5", "cubic"),
                    ((("reno", "bbr"), ("moderate-wide-real", "lte-routed-real", "fifo-50m-40ms-0.25-real")),), shows=None))
