# SPDX-License-Identifier: GPL-2.0
"""Set coexistence: a bottleneck shared with flows of another host."""
from .. import metrics
from ..algorithms import EVERY, PEERS
from ..columns import COUNT, DROPS, GOODPUT, HARM, JAIN, QUEUE, RIVAL, SHORT, SPURIOUS
from ..lab_set import Part, Set
from ..model import Scenario, router

RATE, RTT = 10, 50  # Mbit/s, ms
SECONDS, WARM_UP = 20, 5
# One joins the other; what counts begins some seconds after, and each step says how far they are.
FIRST, LATER = "seconds=20 from=10 step=250", "start=6 seconds=14 from=10 step=250"


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
    shared("vs-cubic", "10 Mbit/s, 50 ms, FIFO of 1 BDP, beside one Cubic"),
    shared("vs-cubic-0.06", "beside one Cubic, FIFO of 0.06 BDP (2 packets)", queue=0.06),
    shared("vs-cubic-0.25", "beside one Cubic, FIFO of 0.25 BDP", queue=0.25),
    shared("vs-cubic-4", "beside one Cubic, FIFO of 4 BDP", queue=4),
    shared("vs-reno", "beside one Reno", rival="cc=reno"),
    shared("vs-bbr", "beside one BBR", rival="cc=bbr"),
    shared("vs-itself", "beside itself", rival="cc={cc}", harms=False),
    # The later one starts at 6 s; counted is from 10 s on.
    shared("early", "one Cubic joins it at 6 s", test=FIRST, rival=f"cc=cubic {LATER}"),
    shared("late", "it joins one Cubic at 6 s", test=LATER, rival=f"cc=cubic {FIRST}"),
    shared("itself-late", "it joins itself at 6 s", test=LATER, rival=f"cc={{cc}} {FIRST}", harms=False),
    shared("vs-call", "beside a call: UDP, 80 kbit/s, 200 bytes each 20 ms", rival="rate=80 size=200"),
    shared("vs-picture", "beside a live picture: UDP, 4 Mbit/s, 1,200 bytes", rival="rate=4000 size=1200"),
    shared("one-ten", "1 against 10 Cubics", rival="cc=cubic flows=10"),
    shared("ten-one", "10 against 1 Cubic", test="flows=10 seconds=20 from=5"),
    shared("rtt-near", "beside one Cubic of 200 ms", path={"rival_extra": "delay 150ms"}),
    shared("rtt-far", "of 200 ms, beside one Cubic of 50 ms", path={"sender_extra": "delay 150ms"}, rtt=200),
    shared("rtt-itself", "beside itself of 200 ms", rival="cc={cc}", harms=False, path={"rival_extra": "delay 150ms"}),
    shared("short-rivals", "beside short flows of Cubic: 30 KB, one each 200 ms in the mean",
           rival="cc=cubic start=3 flows=80 bytes=30000 spacing=200 seed={seed} summary=1 sample=5"),
    shared("short-tested", "short flows of it, 30 KB, one each 200 ms in the mean, beside one Cubic",
           test="start=3 flows=80 bytes=30000 spacing=200 seed={seed} summary=1 sample=5"),
)

SET = Set("coexistence", SCENARIOS, EVERY,
          columns=(GOODPUT, RIVAL, JAIN, *HARM, ("to delay", 10, lambda row: row.mean(row.delay_harm, 2)), ("converged s", 12, lambda row: row.mean(metrics.convergence, 2)),
                   COUNT, SPURIOUS, DROPS, *QUEUE, *SHORT),
          page=Part("Beside one other", "10 Mbit/s, 50 ms, FIFO of 1 BDP unless stated otherwise.", PEERS))
