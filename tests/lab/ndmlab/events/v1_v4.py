# SPDX-License-Identifier: GPL-2.0
"""Single events: one loss, one timeout, one mark ... on an otherwise quiet connection, and what v1 and v4 do about it.

What v5 does is in v5.py, where it is not the same; it has the same player.

A connection runs over the wire of guest/wire.c, where packets are lost, delayed or marked by their number and the kernel's own
figures are read after every acknowledgement. Expected values are computed here from the documented rules, in whole packets.
"""
import json
from types import SimpleNamespace

from ..run.cells import parse_output

PACKET = 1448  # bytes of data, with timestamps
OPEN, CWR, RECOVERY, LOSS = 0, 2, 3, 4  # the kernel's states of a connection
NO_DATA, CONGESTION, NOISE = 0, 1, 2
INFINITE = 2 ** 31 - 1  # ssthresh before the first cut

# A round trip of 50 ms, a packet each ms: 50 packets fill the wire without a queue. A loss among the first packets, while there is no
# data, ends slow start: 48 packets have become 24 then, and cwnd stays below 50 until after packet 500, so RTTs are equal.
QUIET = "delay=25 gap=1 quick=1 drop=9"
# The same with RTTs from 50 to 90 ms, evenly spread, no packet passing another.
SCATTERED = f"{QUIET} scatter=40"
ROUTE = "initcwnd 40"

EVENTS = {}


def events_of(variants, events):
    """A decorator: the function plays an event with each of these variants; kept in `events`."""
    def event(function):
        function.variants = variants
        events[function.__name__] = function
        return function
    return event


event = events_of(("ndm_v1", "ndm_v4"), EVENTS)


class Mismatch(Exception):
    """An event had another effect than the rules say."""


class Course:
    """What one connection went through. `steps` are its states in order, `events` what was done to packets."""

    def __init__(self, output):
        parsed = parse_output(output)
        self.counts = parsed["counts"]
        self.steps, self.events = [], []
        for line in output.splitlines():
            word, _, rest = line.partition(" ")
            if word in ("step", "event"):
                getattr(self, f"{word}s").append(SimpleNamespace(**json.loads(rest)))

    def parameter(self, name):
        return self.counts[f"parameter_{name}"]

    def count(self, name):
        return self.counts[f"ndm_{name}"]

    def time_of(self, what, packet=None):
        """When that was last done to a packet, or to this one; ms."""
        times = [item.t for item in self.events if item.what == what and packet in (None, item.packet)]
        if not times:
            raise Mismatch(f"nothing was made {what}")
        return times[-1]

    def entering(self, state, since):
        """The step that first shows this state after a time, and the step before it."""
        for before, step in zip(self.steps, self.steps[1:]):
            if step.t >= since and step.state == state:
                return before, step
        raise Mismatch(f"state {state} was never reached after {since} ms")

    def at(self, delivered):
        """The last step at which this many packets had been delivered, without the SYN."""
        return [step for step in self.steps if step.delivered <= delivered + 1][-1]


class Player:
    """Runs connections on a machine."""

    def __init__(self, machine):
        self.machine = machine

    def play(self, cc, words, packets=700, route=ROUTE, parameters="", sysctls=""):
        """`sysctls` may be any lines for the guest."""
        lines = ["use_seed 1", f"use_ndm {parameters}", f"path_wire {route}", sysctls, f"send_wire cc={cc} {words} bytes={packets * PACKET}"]
        return Course(self.machine.run("".join(f"{line}\n" for line in lines)))


def check(what, got, want):
    print(f"    {what}: {got}")
    if got != want:
        raise Mismatch(f"{what} is {got}, not {want}")


def check_true(what, truth):
    print(f"    {what}: {truth}")
    if not truth:
        raise Mismatch(f"not so: {what}")


def keep(cwnd, share):
    """The same integers as ndm_flow_keep()."""
    return max(cwnd // 1000 * share + cwnd % 1000 * share // 1000, 2)


def check_one_loss(course, verdict, share):
    """The second packet dropped, number 500: cwnd keeps its share, one packet is retransmitted, one event is counted."""
    before, step = course.entering(RECOVERY, course.time_of("drop", 500))
    check("verdict", step.verdict, verdict)
    check(f"entropy {before.entropy} is above the threshold", before.entropy > course.parameter("entropy_threshold"), verdict == NOISE)
    check(f"ssthresh from {before.cwnd}", step.ssthresh, keep(before.cwnd, share))
    check("plasticity's rise", step.plasticity - before.plasticity, 100)
    check("retransmissions", course.steps[-1].retrans - before.retrans, 1)
    _, after = course.entering(OPEN, step.t)
    check("window after recovery", after.cwnd, step.ssthresh)
    check("losses by verdict", [course.count(f"loss_{name}") for name in ("nodata", "congestion", "noise")],
          [1, int(verdict == CONGESTION), int(verdict == NOISE)])
    check("timeouts, undone cuts, cuts for ECN", [course.count(name) for name in ("rtos", "undos", "ecn_reductions")], [0, 0, 0])


@event
def loss_constant(player, cc):
    """one loss, constant RTT: congestion, keep_congestion is kept"""
    course = player.play(cc, f"{QUIET} drop=500")
    check_one_loss(course, CONGESTION, course.parameter("keep_congestion"))


@event
def loss_scattered(player, cc):
    """one loss, scattered RTT: noise, keep_noise is kept"""
    course = player.play(cc, f"{SCATTERED} drop=500")
    check_one_loss(course, NOISE, course.parameter("keep_noise"))


@event
def loss_no_data(player, cc):
    """one loss before there are 8 samples: step for step as Reno"""
    # The initial window arrives at once: one sample per RTT.
    words = "delay=25 quick=1 drop=15"
    ours, reno = [player.play(name, words, packets=60, route="initcwnd 10") for name in (cc, "reno")]
    before, step = ours.entering(RECOVERY, ours.time_of("drop"))
    check("verdict", step.verdict, NO_DATA)
    check(f"ssthresh from {before.cwnd}", step.ssthresh, before.cwnd // 2)
    check("losses without data", ours.count("loss_nodata"), 1)

    def windows(course):
        seen = [(item.delivered, item.state, item.cwnd, item.ssthresh, item.retrans) for item in course.steps]
        return [item for at, item in enumerate(seen) if at == 0 or item[1:] != seen[at - 1][1:]]
    check("steps of Reno that differ", sum(one != other for one, other in zip(windows(ours), windows(reno), strict=True)), 0)


def check_cut_by_mark(course, verdict, share):
    """One mark: cwnd falls to `share` of it (a function), without a retransmission."""
    before, step = course.entering(CWR, course.time_of("mark"))
    check("verdict", step.verdict, verdict)
    check(f"ssthresh from {before.cwnd}", step.ssthresh, share(before.cwnd))
    check("retransmissions", course.steps[-1].retrans - before.retrans, 0)
    _, after = course.entering(OPEN, step.t)
    check("window afterwards", after.cwnd, step.ssthresh)
    return before, step


def check_restarted(before, after, initial):
    """RFC 5681, 4.1: half for each timeout that passed, but the initial window at least; ssthresh stays, or is 3/4 of cwnd."""
    check("window", after.cwnd, initial)
    check("ssthresh", after.ssthresh, max(before.ssthresh, before.cwnd // 2 + before.cwnd // 4))


@events_of(("ndm_v1", "ndm_v4", "ndm_v5"), EVENTS)
def application_limited(player, cc):
    """the application is the limit for 60 RTTs: cwnd stays, in slow start and after it"""
    # Slow start: 4 packets each 60 ms of RTT 50; twice 4 is less than 10.
    course = player.play(cc, f"delay=25 quick=1 trickle=0:{10 ** 9} write={4 * PACKET} every=60", packets=240, route="initcwnd 10")
    check("slow start: windows", {step.cwnd for step in course.steps if step.delivered}, {10})
    check("ssthresh", course.steps[-1].ssthresh, INFINITE)
    # Avoidance: 40 packets at once, one lost, then 8 packets each 60 ms.
    course = player.play(cc, f"{QUIET} pause={40 * PACKET}:200 trickle={40 * PACKET}:{10 ** 9} write={8 * PACKET} every=60", packets=520)
    start = course.time_of("pause") + 200
    # A step is recorded where something but the count of packets changes: of v5 nothing may.
    limited = {(step.cwnd, step.ssthresh) for step in [step for step in course.steps if step.t > start] or course.steps[-1:]}
    check("avoidance: windows", len(limited), 1)
    check("slow start ended before", limited.pop()[1] < INFINITE, True)


def check_all(machine, played):
    """Play these events, each with its variants; returns what went otherwise than the rules say."""
    player = Player(machine)
    wrong = []
    for function in played:
        for cc in function.variants:
            print(f"{cc}: {function.__name__}: {function.__doc__}", flush=True)
            try:
                function(player, cc)
            except Mismatch as error:
                wrong.append(f"{function.__name__} with {cc}: {error}")
    return wrong
