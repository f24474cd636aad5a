# SPDX-License-Identifier: GPL-2.0
"""Set peers: what tells v5 from BBRv3 and Cubic, some paths of each kind: policers, random loss, short and deep queues, recorded links, jitter."""
from dataclasses import replace

from ..judge import metrics
from ..judge.goals import at_least, at_most, completion, constant, times
from ..lab_set import Part, Set
from ..model import CROWD, SCATTER, SPREAD
from ..show.columns import COUNT, DROPS, GOODPUT, JAIN_INTERVAL, QUEUE, RIVAL, SHORT, SRTT
from . import few, hosts, random_loss, recorded
from .coexistence import shared
from .difficulties import case
from .v5 import WIDE

RATE = 20  # Mbit/s, of a policer and of most queues
SCATTERED = {"forward": f"delay 25ms {SCATTER}"}
POLICER = {"queue": "bfifo limit 1000000", "police": f"rate {RATE}mbit burst 20k"}
PAIR = {"seconds": 30, "warm_up": 10}
SAME = "{cc}"


def wide(scenario):
    return replace(scenario, path=f"{scenario.path} {WIDE}")


def policed(own, others, rival="cubic", rate=RATE, bucket_kb=20):
    """So many flows beside so many others at a policer, in order."""
    beside = "the same" if rival == SAME else rival.capitalize()
    timing = f"seconds={PAIR['seconds']} from={PAIR['warm_up']}"
    later = f"start={{later:0}} seconds={{sooner:{PAIR['seconds']}}} from={PAIR['warm_up'] - SPREAD}"
    if own + others > 5:
        timing = later = f"{timing} {CROWD} seed={{seed}}"
    name = f"policer-{own}-{others}-{'itself' if rival == SAME else rival}" + (f"-{rate}m" if rate != RATE else "")
    return wide(shared(name, f"policer of {rate} Mbit/s, bucket of {bucket_kb} KB, {own} beside {others} of {beside}",
                      POLICER["queue"], test=f"flows={own} {timing}", rival=f"cc={rival} flows={others} {later}", harms=rival != SAME, rate=5 * rate,
                      path={"police": f"rate {rate}mbit burst {bucket_kb}k"}, **PAIR))


def beside(name, about, queue, own=1, others=1, rate=RATE, rtt=50, jitter=SCATTER, **timing):
    timing = PAIR | timing
    words = f"seconds={timing['seconds']} from={timing['warm_up']}"
    return wide(shared(name, f"{rate} Mbit/s, {rtt:g} ms, {about}, {own} beside {others} of Cubic", queue, test=f"flows={own} {words}", rival=f"cc=cubic flows={others} {words}",
                      rate=rate, base=rtt, rtt=rtt, path={"forward": f"delay {rtt / 2:g}ms {jitter}"}, **timing))


def alone(name, about, **words):
    return wide(case(name, about, **({"seconds": 30} | words)))


def lossy(percent, rtt=50, rate=100):
    return alone(f"loss-{percent:g}-{rtt}ms", f"{rate} Mbit/s, {rtt} ms, {percent:g} % loss", rate=rate, rtt=rtt, more=f"loss {percent:g}%")


def longer(milliseconds):
    return f"delay {milliseconds}ms {SCATTER} loss 3%"


def from_sets(*names):
    """Scenarios of other sets, by their names."""
    known = {scenario.name: scenario for module in (few, hosts, random_loss, recorded) for scenario in module.SET.scenarios}
    return [known[name] for name in names]


SCENARIOS = (
    alone("policer-alone", f"policer of {RATE} Mbit/s, bucket of 20 KB", rate=100, **POLICER),
    policed(1, 1), policed(1, 4), policed(5, 5), policed(10, 10), policed(10, 10, SAME),
    *(lossy(percent) for percent in (0.1, 1, 2, 5)), *(replace(lossy(percent, 180), seconds=60) for percent in (1, 3)),
    *from_sets("bursts-fast", "satellite-random"),
    *from_sets("starlink-bulk-tail", "starlink-uplink-bulk", "starlink-random-loss", "starlink-pair-codel"),
    alone("jitter", "50 Mbit/s, 30+-60 ms each way", rate=50, rtt=60, forward="delay 30ms 60ms", back="delay 30ms 60ms"),
    *from_sets("lte-jitter", "5g-jitter", "longer-5g-20", "longer-lte-20"),
    alone("lte-1", "50 Mbit/s, 50+-25 ms each way, 1 % loss", rate=50, rtt=100, forward="delay 50ms 25ms loss 1%", back="delay 50ms 25ms"),
    # what packets overtake by is less than the queue holds
    alone("overtaken", "50 Mbit/s, 25+-4 ms there, FIFO of 0.4 BDP", rate=50, queue=0.4, forward="delay 25ms 4ms"),
    beside("beside-overtaken", "+-4 ms, FIFO of 0.4 BDP", 0.4, rate=50, jitter="4ms"),
    replace(lossy(1), name="loss-1-120s", seconds=120),
    alone("longer-loss-3", "100 Mbit/s, 50 ms, 3 % loss, 6 ms more from 20 s on", seconds=60, rate=100, forward=longer(25), events=[(20, f'shape router to-bottleneck "{longer(31)}"')]),
    alone("wifi", "20 Mbit/s, 10+-5 ms each way, 0.5 % loss", rate=20, rtt=20, forward="delay 10ms 5ms loss 0.5%", back="delay 10ms 5ms"),
    alone("queue-1", f"{RATE} Mbit/s, 50 ms, FIFO of 1 BDP", rate=RATE, queue=1, **SCATTERED),
    alone("queue-6", f"{RATE} Mbit/s, 50 ms, FIFO of 6 BDP", rate=RATE, queue=6, **SCATTERED),
    beside("beside-0.06", "FIFO of 0.06 BDP", 0.06, rate=10), beside("beside-0.18", "FIFO of 0.18 BDP", 0.18, rate=10), beside("beside-1", "FIFO of 1 BDP", 1.0),
    beside("beside-200m", "FIFO of 0.06 BDP", 0.06, rate=200), policed(1, 1, rate=100, bucket_kb=1000),
    beside("beside-6", "FIFO of 6 BDP", 6.0, seconds=60, warm_up=20),
    beside("two-two-0.18", "FIFO of 0.18 BDP", 0.18, own=2, others=2),
    *from_sets("cubic-900m-2000us-15-4", "cubic-200m-60000us-12-4"),
    shared("short-full", "flows of 1 MB beside a full queue: 20 Mbit/s, 50 ms, FIFO of 1 BDP", test="start=3 flows=10 bytes=1000000 spacing=3000 seed={seed} summary=1 sample=5",
           rate=RATE, path=SCATTERED, seconds=45, warm_up=3),
)
ALGORITHMS = ("ndm_v5", "cubic", "bbr")


def median_rtt(result):
    return metrics.srtt(result, 50)


def goals():
    for own, others, part in ((1, 1, 0.85), (1, 4, 0.8)):
        yield at_least(f"policer-{own}-{others}-cubic", f"Cubic's Mbit/s; {part} of that beside Cubic", metrics.rival_goodput, times(part, "cubic", metrics.rival_goodput))
    yield at_most("policer-alone", "drops; 3 x Cubic's", metrics.drops, times(3, "cubic", metrics.drops))
    yield at_least("policer-alone", "Mbit/s; Cubic's", metrics.goodput, times(1, "cubic", metrics.goodput))
    yield at_least("policer-10-10-itself", "Jain's index; 0.9", metrics.fairness, constant(0.9))
    for path, least in {"loss-0.1-50ms": 85, "loss-1-50ms": 66, "loss-2-50ms": 45, "loss-5-50ms": 22, "loss-1-180ms": 40, "loss-3-180ms": 15, "bursts-fast": 40,
                        "satellite-random": 7.4, "starlink-random-loss": 37}.items():
        yield at_least(path, f"Mbit/s; {least}", metrics.goodput, constant(least))
    yield at_most("queue-6", "median RTT, ms; 100", median_rtt, constant(100))
    yield at_least("cubic-200m-60000us-12-4", "Cubics' Mbit/s; 0.6 of those beside Cubics", metrics.rival_goodput, times(0.6, "cubic", metrics.rival_goodput))
    yield at_most("short-full", "completion p50, ms; 1.1 x Cubic's", completion(50), times(1.1, "cubic", completion(50)))


SET = Set("peers", SCENARIOS, ALGORITHMS, columns=(GOODPUT, RIVAL, JAIN_INTERVAL, COUNT, DROPS, SRTT, *QUEUE, *SHORT), goals=tuple(goals()),
          page=Part("Beside its peers", "Policers, random loss, short and deep queues, recorded links and jitter. Socket buffers of 16 MB, on recorded links of a host. "
                    "Where the kernel's name has bbr3, BBR is Google's version 3: by `--kernel trixie+bbr3-6.12.patch`, 6.12/0002-bbr3.patch of CachyOS/kernel-patches.", ALGORITHMS))
