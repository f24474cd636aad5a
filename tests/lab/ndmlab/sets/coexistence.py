# SPDX-License-Identifier: GPL-2.0
"""Set coexistence: a bottleneck shared with flows of another host."""
from ..judge import metrics
from ..algorithms import EVERY, PEERS
from ..show.columns import COUNT, DROPS, GOODPUT, HARM, JAIN, QUEUE, RIVAL, SHORT, SPURIOUS
from ..lab_set import Part, Set
from ..model import Scenario, router

RATE, RTT = 10, 50  # Mbit/s, ms
SECONDS, WARM_UP = 20, 5
# One joins the other; what counts begins some seconds after, and each step says how far they are. When it joins, the seed says:
# two that begin at once, or always at the same point of the other's sawtooth, would have the same course with each seed.
FIRST, LATER = "seconds=20 from=10 step=250", "start={later:5} seconds={sooner:15} from=10 step=250"


def soon(algorithm):
    """The rival, begun within 2 s after the flow under test."""
    return f"cc={algorithm} start={{later:0}} seconds={{sooner:{SECONDS}}} from={WARM_UP}"


def shared(name, about, queue=1, test="", rival="cc=cubic", harms=True, seconds=SECONDS, warm_up=WARM_UP, path=None, rate=RATE, rtt=RTT, base=RTT):
    """Both hosts send for the whole time unless the words say otherwise; what counts begins after the warm-up.

    rate, base: of the path; rtt: that of the flow under test
    """
    timing = f"seconds={seconds} from={warm_up}"
    words = {word.split("=")[0] for word in rival.split()}
    command = "stream" if "rate" in words else "rivals"  # a constant rate is that of a UDP stream
    traffic = (f"tested cc={{cc}} {test or timing} trace={{trace}}\n"
               f"{command} {rival}{'' if 'seconds' in words or 'bytes' in words else f' {timing}'}\ntogether")
    return Scenario(name, router(rate, base, queue, rival="rival", **(path or {})), seconds, about, traffic=traffic, rtt=rtt, harms=harms)


SCENARIOS = (
    shared("vs-cubic", "10 Mbit/s, 50 ms, FIFO of 1 BDP, beside one Cubic", rival=soon("cubic")),
    shared("vs-cubic-0.06", "beside one Cubic, FIFO of 0.06 BDP (2 packets)", queue=0.06, rival=soon("cubic")),
    shared("vs-cubic-0.25", "beside one Cubic, FIFO of 0.25 BDP", queue=0.25, rival=soon("cubic")),
    shared("vs-cubic-4", "beside one Cubic, FIFO of 4 BDP", queue=4, rival=soon("cubic")),
    shared("vs-reno", "beside one Reno", rival=soon("reno")),
    shared("vs-bbr", "beside one BBR", rival=soon("bbr")),
    shared("vs-itself", "beside itself", rival=soon("{cc}"), harms=False),
    shared("early", "one Cubic joins it at 5 to 7 s; counted from 10 s on", test=FIRST, rival=f"cc=cubic {LATER}"),
    shared("late", "it joins one Cubic at 5 to 7 s; counted from 10 s on", test=LATER, rival=f"cc=cubic {FIRST}"),
    shared("itself-late", "it joins itself at 5 to 7 s; counted from 10 s on", test=LATER, rival=f"cc={{cc}} {FIRST}", harms=False),
    shared("vs-call", "beside a call: UDP, 80 kbit/s, 200 bytes each 20 ms", rival="rate=80 size=200"),
    shared("vs-picture", "beside a live picture: UDP, 4 Mbit/s, 1,200 bytes", rival="rate=4000 size=1200"),
    shared("one-ten", "1 against 10 Cubics", rival=soon("cubic flows=10")),
    shared("ten-one", "10 against 1 Cubic", test="flows=10 seconds=20 from=5", rival=soon("cubic")),
    shared("rtt-near", "beside one Cubic of 200 ms", rival=soon("cubic"), path={"rival_extra": "delay 150ms"}),
    shared("rtt-far", "of 200 ms, beside one Cubic of 50 ms", rival=soon("cubic"), path={"sender_extra": "delay 150ms"}, rtt=200),
    shared("rtt-itself", "beside itself of 200 ms", rival=soon("{cc}"), harms=False, path={"rival_extra": "delay 150ms"}),
    shared("short-rivals", "beside short flows of Cubic: 30 KB, one each 200 ms in the mean",
           rival="cc=cubic start=3 flows=80 bytes=30000 spacing=200 seed={seed} summary=1 sample=5"),
    shared("short-tested", "short flows of it, 30 KB, one each 200 ms in the mean, beside one Cubic",
           test="start=3 flows=80 bytes=30000 spacing=200 seed={seed} summary=1 sample=5"),
)

SET = Set("coexistence", SCENARIOS, EVERY,
          columns=(GOODPUT, RIVAL, JAIN, *HARM, ("to delay", 10, lambda row: row.mean(row.delay_harm, 2)), ("converged s", 12, lambda row: row.mean(metrics.convergence, 2)),
                   COUNT, SPURIOUS, DROPS, *QUEUE, *SHORT),
          page=Part("Beside one other", "10 Mbit/s, 50 ms, FIFO of 1 BDP unless stated otherwise.", PEERS))
