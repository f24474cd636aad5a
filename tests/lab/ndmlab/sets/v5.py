# SPDX-License-Identifier: GPL-2.0
"""Set v5: the paths that variant v5 is judged by, most of them those of other sets."""
from dataclasses import replace

from ..judge import metrics
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN, MARKS, PER, QUEUE, RECOVERY, RIVAL, SHORT, SPURIOUS
from ..judge.goals import at_least, at_most, completion, constant, excess, fair, harmless, kept, packets_per_second, per_megabyte, queue_p95, recovery, times
from ..lab_set import Part, Set
from ..model import SCATTER
from . import coexistence, difficulties, published
from .difficulties import ALONE, case

# Of the other sets, in the order of the goals: jitter, reordering, loss, queues, neighbours, what breaks, short flows.
OTHERS = """moderate extreme constrained normal-routed pareto-routed reorder-25 lte-routed lte-no-timestamps loss-0.1 loss-1 loss-5 bursts
vs-cubic vs-cubic-0.06 vs-cubic-0.25 vs-cubic-4 vs-reno vs-itself late itself-late one-ten ten-one rtt-near rtt-far
policer loss-25 loss-50 loss-90 down-2s down-10s rate-step rtt-step fq_codel fq_codel-ecn fifo-0.06 short short-rivals short-tested""".split()

# Socket buffers that the path needs: while the slowest packet is under way, a window of overtaken ones waits behind it.
WIDE = "'sysctls=tcp_rmem=4096,131072,16777216 tcp_wmem=4096,16384,16777216'"

FIFOS = [replace(case("", f"{rate} Mbit/s, {rtt} ms, FIFO of {products:g} BDP", rate=rate, rtt=rtt, queue=products, seconds=seconds,
                      forward=f"delay {rtt / 2:g}ms {SCATTER}"),
                 name=f"fifo-{rate}m-{rtt}ms-{products:g}")
         for rate, seconds in ((10, 20), (50, 10)) for rtt in (10, 40, 200) for products in (0.25, 1, 4)
         # There the send buffer is the limit, whatever the FIFO: one path shows it.
         if (rate, rtt) != (50, 200) or products == 1]


# What a host with 2 GB gives a socket at most. The guest, with 256 MB, gives a quarter, and v5 fills that on the published paths.
ROOMY = "sysctls='tcp_rmem=4096,131072,6291456 tcp_wmem=4096,16384,4194304'"


def roomy(scenario):
    return replace(scenario, name=f"{scenario.name}-roomy", path=f"{ROOMY}\n{scenario.path}", published={},
                   about=f"{scenario.about}; socket buffers of up to 6 and 4 MB")


def wide(scenario):
    """That scenario with such buffers, counted after five seconds."""
    return replace(scenario, name=f"{scenario.name.removesuffix('-routed')}-wide", path=f"{scenario.path} {WIDE}", traffic=f"{ALONE} from=5",
                   about=f"{scenario.about}; socket buffers of 16 MB, counted after 5 s")


NAMED = {scenario.name: scenario for module in (published, coexistence, difficulties) for scenario in module.SET.scenarios}
SCENARIOS = (*(roomy(NAMED[name]) for name in ("moderate", "extreme", "constrained")), *(NAMED[name] for name in OTHERS), *FIFOS,
             wide(NAMED["moderate-routed"]), wide(NAMED["extreme-routed"]))


def jitter():
    for path in ("moderate", "extreme", "moderate-roomy", "extreme-roomy"):
        yield at_least(path, "Mbit/s; BBR's", metrics.goodput, times(1, "bbr", metrics.goodput))
        yield at_most(path, "retr. per MB; 0.1 of Reno's", per_megabyte, times(0.1, "reno", per_megabyte))
    for path, share in (("moderate-wide", 0.8), ("extreme-wide", 0.6)):
        yield at_least(path, f"Mbit/s; {share} of the link", metrics.goodput, constant(50 * share))
        yield at_least(path, "Mbit/s; 3 x BBR's", metrics.goodput, times(3, "bbr", metrics.goodput))
        yield at_most(path, "retr. per MB; 0.1 of Reno's", per_megabyte, times(0.1, "reno", per_megabyte))
        yield at_most(path, "spurious ratio; 1 %", metrics.spurious_ratio, constant(0.01))
    for path in ("normal-routed", "pareto-routed", "reorder-25"):
        yield at_least(path, "Mbit/s; BBR's", metrics.goodput, times(1, "bbr", metrics.goodput))
        yield at_most(path, "retr. per MB; Reno's", per_megabyte, times(1, "reno", per_megabyte))


def loss():
    yield at_least("lte-routed", "Mbit/s; 10 x Cubic's", metrics.goodput, times(10, "cubic", metrics.goodput))
    yield at_most("lte-routed", "retr. per MB; BBR's", per_megabyte, times(1, "bbr", per_megabyte))
    yield at_most("lte-no-timestamps", "retr. per drop; 1.05", excess, constant(1.05))
    for path, factor in (("loss-0.1", 1), ("loss-1", 2), ("loss-5", 2), ("bursts", 2)):
        yield at_least(path, f"Mbit/s; {factor} x Cubic's", metrics.goodput, times(factor, "cubic", metrics.goodput))
        yield at_most(path, "retr. per drop; 1.05", excess, constant(1.05))
    for path in ("constrained", "constrained-roomy"):
        yield at_least(path, "Mbit/s; 0.97 of the link", metrics.goodput, constant(20 * 0.97))
        yield at_most(path, "retr. per MB; a third of Cubic's", per_megabyte, times(1 / 3, "cubic", per_megabyte))


def queues():
    for scenario in FIFOS:
        delay = queue_p95(scenario.rtt)
        yield at_least(scenario.name, "Mbit/s; 0.97 of the best of Reno and Cubic", metrics.goodput,
                       lambda figures: 0.97 * max(figures("reno", metrics.goodput), figures("cubic", metrics.goodput)))
        yield at_most(scenario.name, "retransmissions; 1.05 x Cubic's", metrics.retransmissions, times(1.05, "cubic", metrics.retransmissions))
        yield at_most(scenario.name, "p95 of the queue, ms; Cubic's", delay, times(1, "cubic", delay))


def neighbours():
    # The share of all that would be fair for the other side: by flows.
    for path, part in (("vs-cubic", 1 / 2), ("vs-cubic-0.06", 1 / 2), ("vs-cubic-0.25", 1 / 2), ("vs-cubic-4", 1 / 2), ("vs-reno", 1 / 2), ("late", 1 / 2),
                       ("one-ten", 10 / 11), ("ten-one", 1 / 11), ("rtt-near", 1 / 2), ("rtt-far", 1 / 2)):
        yield harmless(path)
        least = 0.4 if path.endswith("0.06") else 0.6
        yield at_least(path, f"the other's part of its fair share; {least}", kept(part), constant(least))
    for path in ("vs-itself", "itself-late"):
        yield fair(path)


def changes():
    yield at_most("policer", "drops; 4 x Cubic's", metrics.drops, times(4, "cubic", metrics.drops))
    for path in ("fq_codel", "fq_codel-ecn"):
        yield at_least(path, "Mbit/s; 0.97 of Cubic's", metrics.goodput, times(0.97, "cubic", metrics.goodput))
        yield at_most(path, "drops; 2 x Cubic's", metrics.drops, times(2, "cubic", metrics.drops))
    for percent in (25, 50, 90):
        yield at_most(f"loss-{percent}", "packets a second; 2 x Cubic's", packets_per_second, times(2, "cubic", packets_per_second))
    for scenario in difficulties.SET.scenarios:
        if scenario.event:
            yield at_most(scenario.name, "recovery, s; 1.2 x Cubic's", recovery(scenario.event), times(1.2, "cubic", recovery(scenario.event)))
    for path in ("short", "short-tested", "short-rivals"):
        for quantile in (50, 95):
            yield at_most(path, f"completion p{quantile}, ms; 1.1 x Cubic's", completion(quantile), times(1.1, "cubic", completion(quantile)))


# Where packets overtake each other, Cubic with the setting that waits for them is the peer.
NORACK = ("normal-routed", "pareto-routed", "reorder-25", "lte-routed", "moderate-wide", "extreme-wide")
SET = Set("v5", SCENARIOS, ("ndm_v5", "ndm_v5_alone", "ndm_v1", "cubic", "reno", "bbr"),
          columns=(GOODPUT, RIVAL, JAIN, *HARM, COUNT, PER, SPURIOUS, DROPS, MARKS, *QUEUE, RECOVERY, *SHORT),
          goals=(*jitter(), *loss(), *queues(), *neighbours(), *changes()),
          page=Part("What v5 is judged by", "Paths with jitter, reordering, loss, queues, neighbours and changes, each with the goal that v5 has to reach.",
                    ("ndm_v5", "cubic", "reno", "bbr"), ((("cubic_norack",), NORACK),)))
