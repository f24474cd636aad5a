# SPDX-License-Identifier: GPL-2.0
"""Misbehaving receivers, see misbehaving_receiver.c, and what they gain from v5: its cwnd is compared with that of an honest course.
A gain is a larger cwnd when as many packets had been delivered."""
import os
import subprocess

from .v1_v4 import INFINITE, LOSS, RECOVERY, SCATTERED, check, check_true, events_of
from .v5 import QUEUE, QUIET, SLOW, check_counts, check_loss, kept
from ..run.machine import BUILD, TOP

EVENTS = {}
event = events_of(("ndm_v5",), EVENTS)


def build_misbehaving_receiver():
    program = BUILD / "misbehaving_receiver"
    part = BUILD / f"misbehaving_receiver.{os.getpid()}"
    subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-Werror", TOP / "tests/lab/misbehaving_receiver.c", "-o", part], check=True)
    subprocess.run(["strip", part], check=True)
    part.rename(program)
    return program


def play_misbehaving(player, cc, how, words, **more):
    """A course whose receiver misbehaves as the words say; without words it is honest."""
    lines = f'use_extra /misbehaving_receiver\nchmod +x /misbehaving_receiver\nwire() {{ /misbehaving_receiver {how} "$@"; }}'
    return player.play(cc, words, sysctls=lines, extra=build_misbehaving_receiver(), **more)


# Packets, more than a course has. It has as many digits as the other numbers, so that two courses have the same words but for these:
# then their clocks agree to the nanosecond until something differs. CUBIC grows by the clock, and a packet more at a tick is no gain.
NEVER = 999


def play_pair(player, cc, how, words, since=0, **more):
    """The course with an honest receiver, and the one whose receiver misbehaves when it has acknowledged `since` packets."""
    return [play_misbehaving(player, cc, f"{how} since={packets:03}", words, **more) for packets in (NEVER, since)]


def window_at(course, delivered):
    """The largest cwnd when this many packets had been delivered."""
    return max(step.cwnd for step in [course.at(delivered), *(step for step in course.steps if step.delivered == delivered + 1)])


def check_no_gain(honest, other, floor=0, slack=0):
    """At no count of delivered packets does the deceived sender allow more than the honest course plus `slack` packets, or than `floor`."""
    lies = sum(item.what == "lie" for item in other.events)
    check_true(f"lies: {lies}", lies > 0)
    windows = [(step.delivered - 1, step.cwnd, max(floor, window_at(honest, step.delivered - 1) + slack)) for step in other.steps if step.delivered]
    print(f"    {len(windows)} steps, highest window {max(item[1] for item in windows)}, honest {max(step.cwnd for step in honest.steps)}")
    check("steps with a larger window (packets, window, honest)", [item for item in windows if item[1] > item[2]][:3], [])


# Packets 500, 502 ... 510.
LOSSES = " ".join(f"drop={packet}" for packet in range(500, 512, 2))


@event
def v5_split_acks(player, cc):
    """each ACK arrives as 2 or as 8: no larger cwnd at any packet, in slow start and in avoidance"""
    for how in ("split=2", "split=8"):
        for words, route in (("delay=25 quick=1", "initcwnd 10"), ("delay=25 gap=1 quick=1", "initcwnd 40")):
            honest, other = play_pair(player, cc, how, words, packets=300, route=route)
            check_no_gain(honest, other)
            check("slow start ended", [course.steps[-1].ssthresh < INFINITE for course in (honest, other)], [route == "initcwnd 40"] * 2)


@event
def v5_split_acks_in_recovery(player, cc):
    """the same during recovery: no gain when cwnd is cut; when it is kept, cwnd may recover sooner, at most to its previous value"""
    for how in ("split=2", "split=8"):
        honest, other = play_pair(player, cc, how, f"{QUEUE} {LOSSES}", since=499)
        # A part of an ACK reaches the count of acknowledged packets that a packet of growth needs one packet before the whole ACK.
        check_no_gain(honest, other, slack=1)
        check_counts(other, congestion="queue", reductions=2)
        honest, other = play_pair(player, cc, how, f"{QUIET} {LOSSES}", since=499)
        before, _ = honest.entering(RECOVERY, honest.time_of("drop", 500))
        check_no_gain(honest, other, floor=before.cwnd)
        check_counts(other, noise=1)


@event
def v5_split_acks_before_loss(player, cc):
    """ACKs were split before a loss at a full queue: congestion as with whole ones"""
    check_loss(play_misbehaving(player, cc, "split=2 since=100", f"{QUEUE} drop=500"), "queue")


@event
def v5_forged_dsack(player, cc):
    """each ACK claims that a packet arrived twice, although none did: no effect, the kernel believes only as many as it retransmitted"""
    for words in (QUIET, QUEUE):
        honest, other = play_pair(player, cc, "dsack=every", f"{words} drop=500")
        # CUBIC grows by the clock: a claim's nanoseconds may move a packet of growth. An undone cut would be twelve.
        check_no_gain(honest, other, slack=1)
        check_true(f"claims came: {other.counts['TCPDSACKRecv']}", other.counts["TCPDSACKRecv"] > 600)
        names = ("loss_noise", "loss_queue", "reductions", "undos", "rtos")
        check(" ".join(names), *[[course.count(name) for name in names] for course in (other, honest)])


@event
def v5_forged_dsack_of_resent(player, cc):
    """a claim that the retransmitted packet was never lost: undoes that cut, as with any algorithm; cwnd is not larger than without the loss"""
    words = f"{QUEUE} drop=500"
    honest = play_misbehaving(player, cc, f"dsack=again since={NEVER}", f"{QUEUE} drop={NEVER}")
    other = play_misbehaving(player, cc, "dsack=again since=400", words)
    check_counts(other, congestion="queue", reductions=2, undos=1)
    check("undone because of DSACK", other.counts["TCPDSACKUndo"], 1)
    check_no_gain(honest, other)
    before, step = other.entering(RECOVERY, other.time_of("drop", 500))
    check(f"ssthresh from {before.cwnd}", step.ssthresh, kept(before.cwnd))
    check("ssthresh at last", other.steps[-1].ssthresh, before.ssthresh)


@event
def v5_forged_dsack_waiting(player, cc):
    """with reordering, while detection waits, forged claims do not make it wait longer than the RTO"""
    words = f"{SCATTERED} late=300:2.5 late=340:2.5 late=380:2.5 drop=500"
    for how in ("", "dsack=every", "dsack=again"):
        course = play_misbehaving(player, cc, how, words)
        lost = [item for item in course.events if item.what == "drop" and item.packet == 500][0]
        again = [item for item in course.events if item.what == "again" and item.offset == lost.offset][0]
        rto = [step.rto_us for step in course.steps if step.t <= again.t][-1] / 1000
        check_true(f"sent again after {again.t - lost.t:.0f} ms, the timeout is {rto:.0f}", again.t - lost.t <= rto)
        check("timeouts", course.count("rtos"), 0)


@event
def v5_optimistic_acks(player, cc):
    """acknowledges what has not arrived, and hides losses: at most what it had without losses, at the price of what it lacks then"""
    for ahead in (1, 8, 99999):
        honest = play_misbehaving(player, cc, f"ahead={ahead} since={NEVER}", f"{QUEUE} drop={NEVER}")
        other = play_misbehaving(player, cc, f"ahead={ahead} since=200", f"{QUEUE} drop=500")
        # With all acknowledged at once its RTT is half as long, so that it sees more round trips; an ACK ahead makes them a little shorter.
        check_no_gain(honest, other, slack=5)
        check("packets sent again for the lost one", other.steps[-1].retrans, other.at(490).retrans)


@event
def v5_acks_beyond(player, cc):
    """acknowledges more than was ever sent: the kernel does not believe it, and nothing changes"""
    honest, other = play_pair(player, cc, "beyond=1", f"{QUEUE} drop=500", since=100)
    check_no_gain(honest, other)
    check_counts(other, congestion="queue", reductions=2)


@event
def v5_forged_sack(player, cc):
    """says of every packet behind a lost one that it has arrived: no larger cwnd than before, and a queue that shows costs as much"""
    for words in (QUIET, QUEUE):
        honest, other = play_pair(player, cc, "sack=all", f"{words} {LOSSES}", since=499)
        before, _ = honest.entering(RECOVERY, honest.time_of("drop", 500))
        # The claims count as delivered before the loss is detected; and while no queue shows, cwnd grows by a twentieth a round.
        check_no_gain(honest, other, floor=before.cwnd * (16 if words == QUIET else 10) // 10)
        # Where no queue shows, noise leaves what cwnd was.
        if words == QUEUE:
            check_true("ssthresh at last is not above that of the honest course", other.steps[-1].ssthresh <= honest.steps[-1].ssthresh)


@event
def v5_forged_reordering(player, cc):
    """says that packets overtake each other: cwnd grows faster until a queue shows, which is congestion as ever; so is a timeout"""
    for packets in (700, 3000):
        course = play_misbehaving(player, cc, "reorder=8 since=100", SLOW, packets=packets)
        highest = max(step.cwnd for step in course.steps if step.delivered > 100)
        check_true(f"the path holds 50 packets, cwnd is {highest} at most", highest < 100)
    course = play_misbehaving(player, cc, "reorder=8 since=100", f"{SLOW} dark=500:250")
    before, step = course.entering(LOSS, course.time_of("dark", 500))
    check_true(f"ssthresh from {before.cwnd} to {step.ssthresh} at the timeout", step.ssthresh < before.cwnd * 3 / 4)


@event
def v5_forged_timestamps(player, cc):
    """echoes older timestamps: each cut is undone, as with any algorithm; cwnd is not larger than without the loss"""
    honest = play_misbehaving(player, cc, f"echo=500 since={NEVER}", f"{QUEUE} drop={NEVER}")
    other = play_misbehaving(player, cc, "echo=500 since=400", f"{QUEUE} drop=500")
    check_counts(other, congestion="queue", reductions=2, undos=1)
    check_no_gain(honest, other, slack=2)


@event
def v5_closing_window(player, cc):
    """closes its window again and again: the transfer ends, and cwnd grows by what CUBIC grows with the time, not by what is not sent"""
    for span in (20, 70, 400):
        honest, other = play_pair(player, cc, f"close={span}", QUIET, since=100)
        check_no_gain(honest, other, slack=5)


@event
def v5_any_receiver(player, cc):
    """each ACK is altered in another way, by chance: the transfer ends, and the largest cwnd is not larger on average than with Reno"""
    seeds = range(1, 9)
    found = []
    for name in (cc, "reno"):
        courses = [play_misbehaving(player, name, f"any={seed * 7919} since=100", f"{QUEUE} drop=500") for seed in seeds]
        check_true("each course has lies", all(any(item.what == "lie" for item in course.events) for course in courses))
        highest = [max(step.cwnd for step in course.steps if step.delivered > 100) for course in courses]
        print(f"    {name}: {highest}")
        found.append(sum(highest) / len(highest))
    check_true(f"{found[0]:.0f} packets, Reno {found[1]:.0f}", found[0] <= found[1])
