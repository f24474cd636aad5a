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


# Everything is lost for 250 ms: the probe that the kernel sends after two round trips, too, but not what the timeout sends.
def check_timeout(course, packet, from_state):
    before, step = course.entering(LOSS, course.time_of("dark", packet))
    check("state before", before.state, from_state)
    check("timeouts", course.count("rtos"), 1)
    check("plasticity's rise", step.plasticity - before.plasticity, 150)
    check("window", step.cwnd, 1)
    return before, step


@event
def timeout_scattered(player, cc):
    """everything lost for a while, scattered RTT: the congestion share at most"""
    for share in (333, 667):
        course = player.play(cc, f"{SCATTERED} dark=500:250", parameters=f"keep_noise={share}")
        before, step = check_timeout(course, 500, OPEN)
        check("verdict", step.verdict, NOISE)
        check(f"ssthresh from {before.cwnd}", step.ssthresh, keep(before.cwnd, min(share, course.parameter("keep_congestion"))))
        check("losses on noise", course.count("loss_noise"), 1)


@event
def timeout_in_recovery(player, cc):
    """a loss on noise, and its recovery ends in a timeout: the larger share is taken back"""
    course = player.play(cc, f"{SCATTERED} drop=500 dark=536:300", parameters="keep_noise=667")
    uncut, cut = course.entering(RECOVERY, course.time_of("drop", 500))
    check(f"ssthresh from {uncut.cwnd}", cut.ssthresh, keep(uncut.cwnd, course.parameter("keep_noise")))
    _, step = check_timeout(course, 536, RECOVERY)
    check("ssthresh after the timeout", step.ssthresh, keep(uncut.cwnd, course.parameter("keep_congestion")))


def check_undone(player, cc, timestamps):
    """Packet 500 comes 30 ms late: after three others (they make the sender send it again), before what is sent again."""
    packet = PACKET if timestamps else PACKET + 12
    course = player.play(cc, f"{QUIET} late=500:30 bytes={700 * packet}", sysctls=f"set_ipv4 tcp_timestamps {timestamps}")
    before, step = course.entering(RECOVERY, course.time_of("late"))
    check(f"ssthresh from {before.cwnd}", step.ssthresh, keep(before.cwnd, course.parameter("keep_congestion")))
    check("retransmissions", step.retrans - before.retrans, 1)
    # The kernel keeps tcp_current_ssthresh(): 3/4 of a cwnd above ssthresh. DSACK comes after recovery.
    after = [item for item in course.steps if item.t > step.t and item.ssthresh != step.ssthresh][0]
    check("window and ssthresh restored", (after.cwnd, after.ssthresh), (before.cwnd, max(before.ssthresh, before.cwnd // 2 + before.cwnd // 4)))
    check_true("plasticity is no higher than before", after.plasticity <= before.plasticity)
    check("undone cuts", course.count("undos"), 1)
    check("undone because of DSACK", course.counts["TCPDSACKUndo"], 1 - timestamps)


@event
def undo_eifel(player, cc):
    """a packet thought lost was late, timestamps tell: all is as before"""
    check_undone(player, cc, 1)


@event
def undo_dsack(player, cc):
    """a packet considered lost was late, as DSACK shows: all is as before"""
    check_undone(player, cc, 0)


def check_cut_by_mark(course, verdict, share):
    """One mark: cwnd falls to `share` of it (a function), without a retransmission."""
    before, step = course.entering(CWR, course.time_of("mark"))
    check("verdict", step.verdict, verdict)
    check(f"ssthresh from {before.cwnd}", step.ssthresh, share(before.cwnd))
    check("retransmissions", course.steps[-1].retrans - before.retrans, 0)
    _, after = course.entering(OPEN, step.t)
    check("window afterwards", after.cwnd, step.ssthresh)
    return before, step


def check_mark(player, cc, words, verdict):
    course = player.play(cc, f"{words} mark=500", sysctls="set_ipv4 tcp_ecn 1")
    before, step = check_cut_by_mark(course, verdict, lambda cwnd: keep(cwnd, course.parameter("keep_congestion")))
    check("cuts for ECN", course.count("ecn_reductions"), 1)
    check("cuts", course.count("reductions"), 2)  # the other one ended slow start
    check("plasticity's rise", step.plasticity - before.plasticity, 100)


@event
def ecn_scattered(player, cc):
    """one ECN mark, scattered RTT: the congestion share nevertheless"""
    check_mark(player, cc, SCATTERED, NOISE)


def check_restarted(before, after, initial):
    """RFC 5681, 4.1: half for each timeout that passed, but the initial window at least; ssthresh stays, or is 3/4 of cwnd."""
    check("window", after.cwnd, initial)
    check("ssthresh", after.ssthresh, max(before.ssthresh, before.cwnd // 2 + before.cwnd // 4))


@event
def idle_restart(player, cc):
    """three idle seconds: all samples are forgotten, cwnd restarts at the kernel's restart window"""
    course = player.play(cc, f"{SCATTERED} pause={400 * PACKET}:3000", packets=500, route="initcwnd 16")
    again = course.time_of("pause") + 3000
    before = [step for step in course.steps if step.t < again][-1]
    after = [step for step in course.steps if step.t >= again][0]
    check("verdict before", before.verdict, NOISE)
    check_true("plasticity is not what it starts with", before.plasticity != 300)
    check_true("the window is larger than the initial one", before.cwnd > 16)
    check("verdict, entropy, growth", (after.verdict, after.entropy, after.growth), (NO_DATA, 0, 0))
    check("plasticity", after.plasticity, 300)
    check_restarted(before, after, 16)


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


@event
def delayed_acks(player, cc):
    """small messages, acknowledged by the receiver's timer: no sample of them is kept"""
    course = player.play(cc, f"delay=25 trickle=0:{10 ** 9} write=100 every=120 busy=1 bytes=6000")
    # 60 messages are 7 updates. The first 16 are acknowledged at once, the others after 40 ms or more.
    check_true("the smoothed RTT has the 40 ms of the timer", course.steps[-1].srtt_us > 85000)
    check("updates", course.count("updates"), 7)
    check("verdicts", {step.verdict for step in course.steps}, {NO_DATA})
    check("entropies", {step.entropy for step in course.steps}, {0})


@event
def delayed_acks_of_pairs(player, cc):
    """pairs of full packets are acknowledged at once: these samples are kept"""
    course = player.play(cc, f"delay=25 trickle=0:{10 ** 9} write={2 * PACKET} every=120", packets=60)
    check("verdict", course.steps[-1].verdict, CONGESTION)


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
