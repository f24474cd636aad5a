# SPDX-License-Identifier: GPL-2.0
"""Set random-loss: paths that lose packets by chance, alone and beside others; and the same paths without that loss."""
from dataclasses import replace

from ..judge import metrics
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN_INTERVAL, QUEUE, RIVAL, SPURIOUS
from ..judge.goals import at_least, at_most, constant, excess, fair, harmless, packets_per_second, times
from ..lab_set import Part, Set
from ..model import SCATTER
from .coexistence import shared
from .difficulties import case
from .recorded import BESIDE_CUBIC, over
from .v5 import WIDE

FAST = 100  # Mbit/s
LOSSES = (0, 0.1, 1)  # percent
# Two packets of a path of 10 Mbit/s and 50 ms are 0.06 BDP.
QUEUES = (0.06, 0.1, 0.25, 1, 4)
SCATTERED = {"forward": f"delay 25ms {SCATTER}"}
BURSTS = "loss gemodel 0.5% 20%"


def of_loss(percent):
    return {"more": f"loss {percent:g}%"} if percent else SCATTERED


def alone(name, about, loss, seconds=60, rate=FAST, **words):
    return case(name, f"{rate} Mbit/s, {about}", seconds, rate=rate, more=f"loss {loss:g}%" if isinstance(loss, (int, float)) else loss, **words)


def between(name, about, rate, one_way, jitter, loss, **words):
    """Delay that reorders, each way."""
    return case(name, f"{rate} Mbit/s, {one_way}+-{jitter} ms each way, {loss:g} % loss: {about}", 60, rate=rate, rtt=2 * one_way,
                forward=f"delay {one_way}ms {jitter}ms loss {loss:g}%", back=f"delay {one_way}ms {jitter}ms", **words)


ALONE = [*(alone(f"loss-{percent:g}-fast", f"50 ms, {percent:g} % loss", percent) for percent in (0.1, 1, 5)),
         alone("bursts-fast", "50 ms, Gilbert-Elliott: 0.5 % of the packets begin a burst, 20 % end it", BURSTS),
         alone("bursts-slow", "50 ms, the same bursts", BURSTS, rate=10),
         alone("satellite-random", "600 ms, 0.2 % loss", 0.2, rate=10, rtt=600),
         alone("short-queue", "50 ms, 1 % loss, FIFO of 0.06 BDP", 1, queue=0.06),
         alone("policer-loss", "a policer of 10 Mbit/s with a bucket of 20 KB, 1 % loss", 1, queue="bfifo limit 1000000", police="rate 10mbit burst 20k"),
         alone("loss-25-fast", "50 ms, 25 % loss", 25),
         *(between(f"{name}-jitter{more}", f"{about}{also}", *figures, **words)
           for name, about, figures in (("lte", "LTE", (50, 25, 10, 5)), ("5g", "5G", (150, 12, 6, 0.3)))
           for more, also, words in (("", "", {}), ("-no-timestamps", ", timestamps off", {"timestamps": "off"})))]
BESIDE = [shared(f"vs-{rival}-{queue:g}-loss-{loss:g}", f"beside one {rival.capitalize()}, FIFO of {queue:g} BDP, {loss:g} % loss", queue, rival=f"cc={rival}",
                 seconds=30, warm_up=10, path=of_loss(loss)) for rival in ("cubic", "reno") for queue in QUEUES for loss in LOSSES]
BESIDE_FAST = [shared(f"vs-cubic-fast-{queue:g}-loss-{loss:g}", f"{FAST} Mbit/s, beside one Cubic, FIFO of {queue:g} BDP, {loss:g} % loss", queue, rate=FAST,
                      seconds=30, warm_up=10, path=of_loss(loss)) for queue in (0.06, 0.25, 1) for loss in LOSSES]
# Beside a Cubic whose packets keep their order: a last hop that reorders, in front of a queue that both share.
HOP = {"sender_access": "delay 8ms 6ms loss 0.3%", "sender_extra": "delay 8ms 6ms"}
BESIDE_REORDERED = [shared(f"vs-cubic-reordered-{queue:g}", f"50 Mbit/s, 20 ms, beside one Cubic, FIFO of {queue:g} BDP; only v5's packets are delayed by 8+-6 ms each way and 0.3 % of them lost", queue,
                           rate=50, base=20, rtt=50, seconds=25, warm_up=8, path=HOP) for queue in (0.25, 1, 4)]
ITSELF = [shared(f"itself-{queue:g}-loss-{loss:g}", f"beside itself, FIFO of {queue:g} BDP, {loss:g} % loss", queue, rival="cc={cc}", harms=False,
                 seconds=30, warm_up=10, path=of_loss(loss)) for queue in (0.06, 0.25, 1) for loss in LOSSES]
# A link whose own delay moves, alone and beside one Cubic; and a queue that bursts of that link overflow, so that its losses look like chance.
EACH_WAY = " loss=0.002 back_loss=0.002"
STARLINK = over("starlink", "random-loss", "one transfer of 60 s, 0.2 % loss each way", "flows cc={cc} label=test seconds={seconds:g} trace={trace}", "tail", seconds=60, loss=EACH_WAY)
BESIDE_STARLINK = [over("starlink", "random-loss-pair", "beside one Cubic, 0.2 % loss each way", BESIDE_CUBIC, "tail", harms=True, loss=EACH_WAY),
                   over("starlink", "brief-pair", "beside one Cubic", BESIDE_CUBIC, "brief", harms=True)]
SCENARIOS = (*(replace(scenario, path=f"{scenario.path} {WIDE}") for scenario in (*ALONE, *BESIDE, *BESIDE_FAST, *BESIDE_REORDERED, *ITSELF)), STARLINK, *BESIDE_STARLINK)

# Mbit/s that v5 has to have alone.
OWN = {"loss-0.1-fast": 74, "loss-1-fast": 60, "loss-5-fast": 20, "bursts-fast": 60, "satellite-random": 6, "starlink-random-loss": 30,
       "lte-jitter": 31, "lte-jitter-no-timestamps": 43, "5g-jitter": 106, "5g-jitter-no-timestamps": 130}
PEERS_ALONE = ("bursts-slow", *OWN)


def more_harm(scenario):
    """Than Cubic's: what no RTT shows, in FIFOs of a few packets, costs more; BBR's harm there is 0.5 more, and 0.7 with 1 % loss."""
    if not any(f"-{queue:g}-" in scenario.name for queue in (0.06, 0.1)):
        return 0.05
    return 0.15 if scenario.name.endswith("loss-1") else 0.1


def goals():
    for path, least in OWN.items():
        yield at_least(path, f"Mbit/s; {least}", metrics.goodput, constant(least))
    yield at_least("bursts-slow", "Mbit/s; 0.6 of BBR's", metrics.goodput, times(0.6, "bbr", metrics.goodput))
    yield at_least("short-queue", "Mbit/s; Cubic's", metrics.goodput, times(1, "cubic", metrics.goodput))
    for path in ("loss-1-fast", "satellite-random", STARLINK.name):
        yield at_most(path, "retr. per drop; 1.1", excess, constant(1.1))
    yield at_most("policer-loss", "drops; 600", metrics.drops, constant(600))
    yield at_most("loss-25-fast", "packets a second; 1.5 x Cubic's", packets_per_second, times(1.5, "cubic", packets_per_second))
    for scenario in (*BESIDE, *BESIDE_FAST, *BESIDE_REORDERED, *BESIDE_STARLINK):
        yield harmless(scenario.name, more_harm(scenario))
    for scenario in ITSELF:
        yield fair(scenario.name)


SET = Set("random-loss", SCENARIOS, ("ndm_v5", "cubic", "reno", "bbr"), columns=(GOODPUT, RIVAL, JAIN_INTERVAL, COUNT, SPURIOUS, DROPS, *HARM, *QUEUE), goals=tuple(goals()),
          page=Part("Random loss", "Packets are lost by chance, not by congestion: alone, where v5 has to fill the path, and beside others, who may lose no more than beside Cubic. "
                    "Beside others 10 Mbit/s and 50 ms unless stated otherwise; socket buffers of 16 MB, on Starlink of a host.", ("ndm_v5", "cubic"), ((("bbr",), PEERS_ALONE), (("cubic_norack",), tuple(path for path in OWN if "jitter" in path)))))
