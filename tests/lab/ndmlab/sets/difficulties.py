# SPDX-License-Identifier: GPL-2.0
"""Set difficulties: the published paths as a real network would see them, queues, and what else RFC 9743 asks to look at, one difficulty each.

No goal decides; other sets take their paths from here."""
from ..algorithms import EVERY, PEERS
from ..show.columns import COUNT, CWND, DROPS, GOODPUT, JAIN, MARKS, PER, QUEUE, RECOVERY, SHORT, SPURIOUS
from ..lab_set import Part, Set
from ..model import SCATTER, SPREAD, Scenario, router

RATE, RTT = 10, 50  # Mbit/s, ms
ALONE = "flows cc={cc} label=test seconds={seconds:g} trace={trace}"
QUEUES = {"fifo-0.06": 0.06, "fifo-0.25": 0.25, "fifo-1": 1, "fifo-4": 4, "fq_codel": "fq_codel noecn", "fq_codel-ecn": "fq_codel ecn"}


def both_ways(rate, rtt, netem, **words):
    """The same impairment there and back, as the published loopback had it."""
    return router(rate, rtt, forward=netem, back=netem, **words)


# netem cuts a delay below zero off, so that the mean round trip of the first two is longer than twice the delay. Its correlated loss of
# 0.5 % is next to none: the mean with the last draw is rarely that small. Both are as published.
IMPAIRED = [
    Scenario("extreme-routed", both_ways(50, 200, "delay 100ms 200ms"), 40, "50 Mbit/s, pure jitter, 100 ms +- 200 ms each way", traffic=ALONE),
    Scenario("moderate-routed", both_ways(50, 100, "delay 50ms 100ms"), 30, "50 Mbit/s, pure jitter, 50 ms +- 100 ms each way", traffic=ALONE),
    Scenario("constrained-routed", both_ways(20, 100, "delay 50ms 50ms loss 0.5% 25% duplicate 1% reorder 25% 50%"), 15,
             "20 Mbit/s, +- 50 ms, 0.5 % correlated loss, duplication, reordering", traffic=ALONE),
    Scenario("lte-routed", both_ways(50, 100, "delay 50ms 20ms loss 5%"), 15, "50 Mbit/s, urban LTE, 50 ms +- 20 ms, 5 % loss each way", traffic=ALONE),
    Scenario("normal-routed", both_ways(50, 100, "delay 50ms 20ms distribution normal"), 15,
             "50 Mbit/s, 50 ms +- 20 ms each way, normal distribution", traffic=ALONE),
    Scenario("pareto-routed", both_ways(50, 100, "delay 50ms 20ms distribution pareto"), 15,
             "50 Mbit/s, 50 ms +- 20 ms each way, Pareto distribution", traffic=ALONE),
    Scenario("clean-routed", router(50, 20), 6, "50 Mbit/s, 20 ms, no impairment, FIFO of 1 BDP", traffic=ALONE, rtt=20),
]

QUEUED = [
    Scenario(name, router(20, 50, queue, sysctls="tcp_ecn=1" if name.endswith("ecn") else ""), 15,
             f"20 Mbit/s, 50 ms, queue: {queue if isinstance(queue, str) else f'FIFO of {queue:g} BDP'}", traffic=ALONE, rtt=50)
    for name, queue in QUEUES.items()
]
JITTERED = Scenario("jitter-fifo-1", both_ways(20, 50, "delay 25ms 5ms"), 15, "20 Mbit/s, 25 ms +- 5 ms each way, FIFO of 1 BDP", traffic=ALONE, rtt=50)


def case(name, about, seconds=12, test="", events=(), event=(), rate=RATE, rtt=RTT, **words):
    """One flow, or as `test` says; `events` are pairs (seconds, shell command)."""
    lines = [f"tested cc={{cc}} seconds={{seconds:g}} trace={{trace}} {test}".strip()]
    lines += [f"after {{later:{at:g}}} {command}" for at, command in events]
    return Scenario(name, router(rate, rtt, **words), seconds, about, traffic="\n".join([*lines, "together"]), rtt=rtt, event=event)


def steps(name, about, changes, seconds=18, **words):
    """A path that changes; `changes` are pairs (seconds, command), the last makes it good again. The seed delays all of them."""
    return case(name, about, seconds + SPREAD, test="step=250", events=changes, event=(changes[0][0], changes[-1][0]), **words)


def delay(milliseconds):
    return f'shape router to-bottleneck "delay {milliseconds}ms"'


LOSS = [case(f"loss-{percent:g}", f"{percent:g} % loss", more=f"loss {percent:g}%", seconds=seconds)
        for percent, seconds in ((0.1, 12), (1, 15), (5, 15), (25, 20), (50, 30), (90, 60))]

REORDERING = [case(f"reorder-{percent}", f"{percent} % of the packets overtake 20 ms of others", more=f"reorder {percent}%",
                   forward="delay 20ms", back="delay 30ms")
              for percent in (1, 25, 50)]

OTHERS = [
    case("bursts", "bursty loss, Gilbert-Elliott: 0.5 % of the packets begin a burst, 20 % end it", more="loss gemodel 0.5% 20%"),
    case("asymmetric", "the way back has 1/50 of the rate", back="delay 25ms rate 200kbit limit 50"),
    case("ack-loss-10", "10 % of the ACKs are lost", back="delay 25ms loss 10%"),
    case("ack-loss-50", "half of the ACKs are lost", back="delay 25ms loss 50%"),
    steps("down-2s", "the path is down from 8 s to 10 s", [(8, "cut_path"), (10, "heal_path")]),
    steps("down-10s", "the path is down from 8 s to 18 s", [(8, "cut_path"), (18, "heal_path")], seconds=36),
    steps("rate-step", "a tenth of the rate from 8 s to 13 s", [(8, "set_rate 1mbit"), (13, "set_rate 10mbit")]),
    steps("rtt-step", "50 ms, 150 ms from 8 s to 13 s, 50 ms", [(8, delay(125)), (13, delay(25))]),
    case("policer", "a policer of 10 Mbit/s with a bucket of 20 KB", queue="bfifo limit 1000000", rate=100, police="rate 10mbit burst 20k",
         forward=f"delay 25ms {SCATTER}"),
    case("satellite", "10 Mbit/s, 600 ms", rtt=600, seconds=20),
    case("satellite-loss", "10 Mbit/s, 600 ms, 0.5 % loss", rtt=600, more="loss 0.5%", seconds=25),
    case("thin", "64 kbit/s, 500 ms, FIFO of 4 BDP", rate=0.064, rtt=500, queue=4, seconds=60),
    case("ipv6", "IPv6", family=6),
    case("no-timestamps", "timestamps off", sysctls="tcp_timestamps=0"),
    case("lte-no-timestamps", "50 Mbit/s, 50 ms +- 20 ms, 5 % loss each way, timestamps off", rate=50, rtt=100,
         forward="delay 50ms 20ms loss 5%", back="delay 50ms 20ms loss 5%", sysctls="tcp_timestamps=0"),
    case("segmentation", "segmentation offload on: bursts of up to 64 KB", segmentation="on"),
    case("app-limited", "the application writes 2 Mbit/s", test="rate=2000"),
    case("idle", "the application writes for 2 s, pauses for 3 s, and so on", test="on=2 off=3", seconds=25),
    case("bulk-5mb", "one transfer of 5 MB", test="bytes=5000000", seconds=60),
    case("short", "short flows alone: 30 KB, one each 200 ms in the mean", seconds=20,
         test="flows=80 bytes=30000 spacing=200 seed={seed} summary=1 sample=5"),
    case("flows-1000", "1,000 flows, opened over 3 s, 20 Mbit/s", rate=20, test="flows=1000 spacing=3 seed={seed} sample=200 summary=1", seconds=10,
         sysctls="tcp_max_syn_backlog=4096 tcp_wmem=4096,16384,32768"),
]


def seconds_of_transfer(row):
    """Of one transfer of a fixed size, else a dash."""
    return row.of_flow("seconds", 1, 2) if " bytes=" in row.scenario.traffic and " flows=" not in row.scenario.traffic else "-"


SET = Set("difficulties", (*IMPAIRED, *QUEUED, JITTERED, *LOSS, *REORDERING, *OTHERS), EVERY,
          columns=(GOODPUT, COUNT, PER, SPURIOUS, DROPS, MARKS, *QUEUE, CWND, RECOVERY, ("done s", 8, seconds_of_transfer), *SHORT, JAIN),
          page=Part("One difficulty each", "The published paths through a router, with 1500-byte packets; queues; else 10 Mbit/s, 50 ms, FIFO of 1 BDP unless stated otherwise.", PEERS))
