# SPDX-License-Identifier: GPL-2.0
"""Set recorded: links whose capacity and delay vary as those of real mobile and satellite links did, and which keep packets in order.

A cell begins at a place of the recording that its seed chooses, the same for every algorithm.
"""
from ..judge import metrics
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, RIVAL, SHORT, SPURIOUS
from ..judge.goals import at_least, at_most, completion, constant, harmless, times
from ..lab_set import Part, Set
from ..run.links import LINKS
from ..model import Scenario

# What may wait before the link, in milliseconds at its mean rate, and further words for it. Mobile networks have deep queues.
QUEUES = {"tail": (200, ""), "codel": (2000, " codel=1"), "deep": (2000, "")}
SATELLITE_QUEUES = {"tail": (50, ""), "codel": (500, " codel=1"), "deep": (500, ""), "brief": (10, "")}
# Sockets as on a host with 2 GB or more; the guest has less memory and would give them less.
BUFFERS = "'sysctls=tcp_rmem=4096,131072,6291456 tcp_wmem=4096,16384,4194304'"
# Starlink's, as its recorders set it; the others lose nothing, as their networks send again what the radio lost.
LOSS = {"starlink": " loss=0.0001 back_loss=0.002"}
REAL = [name for name in LINKS if name != "starlink-uplink"]
SECONDS = 30


def over(name, kind, about, traffic, queue="deep", harms=False, seconds=SECONDS, loss=""):
    """`traffic` over that link; Starlink's recording has most of its delay in it."""
    link = LINKS[name]
    queue_ms, more = (SATELLITE_QUEUES if "starlink" in name else QUEUES)[queue]
    way = "delay 5ms" if name in ("starlink", "starlink-uplink") else "delay 20ms"
    rival = " rival=rival" if harms else ""
    path = f"path_router 'forward={way}' 'back={way}' 'link=queue={max(15000, round(link.mean * queue_ms * 125))}{more}{loss or LOSS.get(name, '')}' {BUFFERS}{rival}"
    return Scenario(f"{name}-{kind}", path, seconds, f"{link.about}; a queue of {queue_ms / 1000:g} s{', CoDel' * bool(more)}: {about}", traffic=traffic, harms=harms, link=name)


def bulk(name, queue):
    return over(name, f"bulk-{queue}", "one transfer of 30 s", "flows cc={cc} label=test seconds={seconds:g} trace={trace}", queue)


TIMING = f"seconds={SECONDS} from=5"
BESIDE_CUBIC = f"tested cc={{cc}} {TIMING} trace={{trace}}\nrivals cc=cubic {TIMING}\ntogether"


def pair(name, queue):
    return over(name, f"pair-{queue}", "beside one Cubic", BESIDE_CUBIC, queue, harms=True)


def short(name):
    """A third of what the link carries in the mean, at most 1.2 Mbit/s."""
    spacing_ms = max(200, round(800 / LINKS[name].mean))
    return over(name, "short", f"short flows, 30 KB, one each {spacing_ms} ms in the mean", f"tested cc={{cc}} start=1 flows=40 bytes=30000 spacing={spacing_ms} "
                "seed={seed} summary=1 sample=5 seconds={seconds:g} trace={trace}\ntogether")


def video(name):
    """Half of what the link carries in the mean, a chunk each 4 s: its server pauses in between."""
    size = round(LINKS[name].mean * 1e6 / 8 * 4 * 0.5)
    return over(name, "video", f"a video of {LINKS[name].mean / 2:.2g} Mbit/s in chunks of 4 s",
                f"tested cc={{cc}} seconds={{seconds:g}} chunk={size} every=4 trace={{trace}}\ntogether", seconds=59.5)  # the last chunk has its time


UPLINK = over("starlink-uplink", "bulk", "one transfer of 60 s, 0.2 % loss", "flows cc={cc} label=test seconds={seconds:g} trace={trace}", "tail", seconds=60, loss=" loss=0.002")
RECORDED = [scenario for name in REAL
            for scenario in (*(bulk(name, queue) for queue in QUEUES), pair(name, "tail"), pair(name, "deep"), short(name), video(name))]
# A queue that CoDel keeps short: where the delay wanders, v5 allows two rounds above the base. One of 10 ms is in random_loss.py.
WANDERING = [pair("starlink", "codel")]
SCENARIOS = (*RECORDED, UPLINK, *WANDERING)


def wait(quantile):
    return lambda result: metrics.link_wait(result, quantile)


def own_part(result):
    """Of half of what both get, what the flow under test has."""
    return 2 * metrics.goodput(result) / max(metrics.goodput(result) + metrics.rival_goodput(result), 1e-9)


def of(name, figure, factor, peer, sign):
    """What v5 must reach, or not exceed, of another's figure."""
    make, words = (at_least, "") if sign > 0 else (at_most, " at most")
    return lambda path: make(path, f"{name};{words} {factor:g} x {PEERS_NAMES[peer]}'s", figure, times(factor, peer, figure))


PEERS_NAMES = {"bbr": "BBR", "cubic": "Cubic"}
KINDS = {"starlink": "satellite", "lte": "mobile", "umts": "slow", "evdo": "slow"}


def bulk_goals(path):
    """By the kind of link and of queue; BBR is what an operator of such links would take instead."""
    kind = KINDS[path.split("-")[0]]
    wait95, goodput = ("p95 of the queue, ms", wait(95)), ("Mbit/s", metrics.goodput)
    if path.endswith("codel"):
        if kind == "slow":
            yield of(*wait95, 1.2, "bbr", -1)(path)
        else:
            yield of(*goodput, 0.88 if kind == "satellite" else 0.65, "bbr", 1)(path)
            yield of(*wait95, 0.5, "bbr", -1)(path)
        return
    yield of(*goodput, 0.97 if kind == "satellite" else 0.95, "bbr", 1)(path)
    yield of(*wait95, {"satellite": 0.85, "mobile": 1, "slow": 1.2}[kind], "bbr", -1)(path)
    if kind == "satellite":
        yield of("retransmissions", metrics.retransmissions, 1, "cubic", -1)(path)
    elif kind == "mobile":
        yield at_most(path, "retransmissions; a fifth of BBR's, or 3", metrics.retransmissions,
                      lambda figures: max(figures("bbr", metrics.retransmissions) / 5, 3))


def goals_of(scenario):
    path = scenario.name
    if scenario.harms:
        yield harmless(path)
        yield at_least(path, "its own part of its fair share; 0.8", own_part, constant(0.8))
    elif path.startswith("starlink-uplink"):
        yield of("Mbit/s", metrics.goodput, 0.97, "bbr", 1)(path)
        yield of("srtt p50, ms", lambda result: metrics.srtt(result, 50), 0.75, "bbr", -1)(path)
    elif "bulk" in path:
        yield from bulk_goals(path)
    else:  # short flows and chunks of a video
        peer = "bbr" if path.startswith("lte") and path.endswith("video") else "cubic"
        for quantile in (50, 95):
            yield of(f"completion p{quantile}, ms", completion(quantile), 1.1 if path.endswith("short") else 1.05, peer, -1)(path)


ALGORITHMS = ("ndm_v5", "cubic", "bbr")
SET = Set("recorded", SCENARIOS, ALGORITHMS,
          columns=(GOODPUT, ("of link", 9, lambda row: row.mean(metrics.link_share, 2)), RIVAL, ("wait p50", 16, lambda row: row.interval(wait(50), 0)),
                   ("p95 ms", 18, lambda row: row.interval(wait(95), 0)), COUNT, SPURIOUS, DROPS, *HARM, *SHORT),
          goals=tuple(goal for scenario in SCENARIOS for goal in goals_of(scenario)),
          page=Part("Recorded links", "Capacity and delay of the links are recorded from mobile and satellite links. The wait is the time in the link's queue, including times without "
                    "capacity.", ALGORITHMS))
