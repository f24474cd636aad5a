# SPDX-License-Identifier: GPL-2.0
"""Single events as in v1_v4.py, and what v5 does about them.

Of a step, `verdict` is that of the latest loss here, `plasticity` the share of packets lost, `growth` the gain per packet; both of 1000.
"""
import re

from .v1_v4 import LOSS, OPEN, PACKET, QUIET as SLOW, RECOVERY, check, check_cut_by_mark, check_restarted, check_true, events_of
from ..run.machine import TOP

EVENTS = {}
event = events_of(("ndm_v5",), EVENTS)

# enum ndm_verdict, in the words of /proc/net/tcp_ndm, which has other names for the last two.
COUNTED = re.findall(r'NDM_COUNTER\(LOSSES\w*, "loss_(\w+)"', (TOP / "src/module/counters.h").read_text())
VERDICTS = {word: number for number, word in enumerate([*COUNTED, "ecn", "timeout"])}

# As SLOW, but with room for 250 packets.
QUIET = "delay=25 gap=0.2 quick=1 drop=9"
# From packet 440 on, RTTs are 12 ms longer, as behind a queue: a whole round before packet 500.
QUEUE = f"{SLOW} more=440:12"


def kept(cwnd):
    """The same integers as ndm_cubic_keep()."""
    return max(cwnd * 717 >> 10, 2)


def check_counts(course, nodata=1, congestion="", noise=0, reductions=1, rtos=0, undos=0, ecn=0):
    """The loss that ends slow start is the one without data, and one of the cuts; `congestion`: what else was found, one word a loss."""
    reasons = ("queue", "own", "share", "plateau", "bound")
    names = ("loss_nodata", "loss_noise", "reductions", "rtos", "undos", "ecn_reductions")
    check(" ".join(names), [course.count(name) for name in names], [nodata, noise, reductions, rtos, undos, ecn])
    check("losses that are congestion", " ".join(name for name in reasons for _ in range(course.count(f"loss_{name}"))), congestion)


def check_loss(course, congestion="", packet=500):
    """One packet dropped: for noise cwnd becomes ssthresh, else ssthresh is cut and cwnd comes down to it; one packet is sent again."""
    noise = not congestion
    before, step = course.entering(RECOVERY, course.time_of("drop", packet))
    check_counts(course, congestion=congestion, noise=int(noise), reductions=2 - noise)
    check("verdict", step.verdict, VERDICTS[congestion or "noise"])
    check(f"ssthresh from {before.cwnd}", step.ssthresh, before.cwnd if noise else kept(before.cwnd))
    check("retransmissions", course.steps[-1].retrans - before.retrans, 1)
    _, after = course.entering(OPEN, step.t)
    if noise:
        # The kernel's rate reduction leaves out what is lost and not yet sent again.
        lowest = min(item.cwnd for item in course.steps if step.t <= item.t <= after.t)
        check_true(f"cwnd is never below {before.cwnd} less the lost packet: {lowest}", lowest >= before.cwnd - 1)
        check_true(f"nor much above: {after.cwnd}", after.cwnd <= before.cwnd + 2)
    else:
        check("window after recovery", after.cwnd, step.ssthresh)
    return before


@event
def v5_loss_quiet(player, cc):
    """one loss, constant RTT, no queue: noise, cwnd stays"""
    check_loss(player.play(cc, f"{QUIET} drop=500"))


@event
def v5_loss_in_queue(player, cc):
    """one loss while the mean RTT is above the base: a queue, 717/1024 stay"""
    check_loss(player.play(cc, f"{QUEUE} drop=500"), "queue")
    # The queue empties before the loss: the mean of the round shows it.
    check_loss(player.play(cc, f"{QUEUE} more=488:0 drop=501"), "queue", packet=501)


# In the last two round trips before packet 500 one packet in ten is 5.5 ms late, so that five later ones arrive before it.
REORDERED = " ".join(f"late={packet}:5.5" for packet in range(420, 491, 10))


@event
def v5_loss_reordered(player, cc):
    """one loss while packets arrive more than three out of order, twice per RTT: noise"""
    # The sender sends the first of them again, and takes the cut back.
    course = player.play(cc, f"{QUIET} {REORDERED} drop=500 more=501:1")
    before, step = course.entering(RECOVERY, course.time_of("drop", 500))
    check("verdict", step.verdict, VERDICTS["noise"])
    check_true("cwnd is kept", [item for item in course.steps if item.t >= step.t and item.state == OPEN][0].cwnd >= before.cwnd)


def check_mark(player, cc, words):
    course = player.play(cc, f"{words} mark=500", sysctls="set_ipv4 tcp_ecn 1")
    marked = course.time_of("mark")
    _, step = check_cut_by_mark(course, VERDICTS["ecn"], kept)
    check("packets delivered when the cut comes", step.delivered - 1, 500)  # one for the SYN
    check_true(f"within one smoothed RTT, a packet time for its rounding: {step.t - marked:.1f} ms", step.t - marked <= step.srtt_us / 1000 + 1)
    check_counts(course, reductions=2, ecn=1)


@event
def v5_ecn(player, cc):
    """one ECN mark: 717/1024 at the very ACK that carries the echo, although a loss would be noise"""
    check_mark(player, cc, QUIET)


@event
def v5_ecn_amid_noise(player, cc):
    """an ECN mark amid a recovery that keeps cwnd: cut by the ACK after the echo, counted as ECN's"""
    course = player.play(cc, f"{QUIET} drop=500 mark=510", sysctls="set_ipv4 tcp_ecn 1")
    marked = course.time_of("mark")
    before, step = [(one, two) for one, two in zip(course.steps, course.steps[1:]) if one.t >= marked and two.ssthresh < one.ssthresh][0]
    check("state", step.state, RECOVERY)
    check(f"ssthresh from {before.ssthresh}", step.ssthresh, kept(before.ssthresh))
    check_true(f"within one smoothed RTT, two packet times for rounding and the next ACK: {step.t - marked:.1f} ms",
               step.t - marked <= step.srtt_us / 1000 + 2)
    # The echo goes on until the sender's CWR has come, which is when recovery ends: there the kernel cuts again, with Reno, too.
    check_counts(course, noise=1, reductions=3, ecn=2)


def check_timeout(course, packet, **counts):
    """Everything is lost for 250 ms: what the kernel sends after two round trips, too, but not what the timeout sends."""
    before, step = course.entering(LOSS, course.time_of("dark", packet))
    check("verdict", step.verdict, VERDICTS["timeout"])
    check("cwnd", step.cwnd, 1)
    check_counts(course, nodata=1, reductions=2, rtos=1, **counts)
    return before, step


@event
def v5_timeout(player, cc):
    """everything lost for a while: 717/1024 and a cwnd of 1, whatever the RTTs"""
    for words in (QUIET, QUEUE):
        before, step = check_timeout(player.play(cc, f"{words} dark=510:250"), 510)
        check(f"ssthresh from {before.cwnd}", step.ssthresh, kept(before.cwnd))


@event
def v5_timeout_amid_noise(player, cc):
    """a recovery that keeps cwnd ends in a timeout: cut after all"""
    before, step = check_timeout(player.play(cc, f"{QUIET} drop=500 dark=536:300"), 536, noise=1)
    check(f"ssthresh from {before.ssthresh}", step.ssthresh, kept(before.ssthresh))


def check_undone(player, cc, words, timestamps, congestion):
    """Packet 500 comes 30 ms late: after three others (they make the sender send it again), before what is sent again."""
    packet = PACKET if timestamps else PACKET + 12
    course = player.play(cc, f"{words} late=500:30 bytes={700 * packet}", sysctls=f"set_ipv4 tcp_timestamps {timestamps}")
    before, step = course.entering(RECOVERY, course.time_of("late"))
    check(f"ssthresh from {before.cwnd}", step.ssthresh, kept(before.cwnd) if congestion else before.cwnd)
    check("retransmissions", course.steps[-1].retrans - before.retrans, 1)
    if congestion:
        after = [item for item in course.steps if item.t > step.t and item.ssthresh != step.ssthresh][0]
        check_true(f"cut to {step.cwnd} meanwhile", step.cwnd < before.cwnd)
    else:
        _, after = course.entering(OPEN, step.t)
    # The kernel keeps tcp_current_ssthresh(): 3/4 of a cwnd that had grown beyond ssthresh. The ACK itself may let cwnd grow.
    restored = max(before.ssthresh, before.cwnd // 2 + before.cwnd // 4)
    check("ssthresh restored", after.ssthresh, restored if congestion else max(step.ssthresh, restored))
    check_true(f"cwnd {before.cwnd} restored: {after.cwnd}", before.cwnd <= after.cwnd <= before.cwnd + 1)
    check_counts(course, congestion=congestion, noise=int(not congestion), reductions=1 + bool(congestion), undos=1)
    check("undone because of DSACK", course.counts["TCPDSACKUndo"], 1 - timestamps)


@event
def v5_undo_eifel(player, cc):
    """a packet thought lost was late, timestamps tell: cwnd and ssthresh as before, cut or kept"""
    check_undone(player, cc, QUEUE, 1, "queue")
    check_undone(player, cc, QUIET, 1, "")


@event
def v5_undo_dsack(player, cc):
    """a packet considered lost was late, as DSACK shows: cwnd and ssthresh as before"""
    check_undone(player, cc, QUEUE, 0, "queue")


@event
def v5_idle_restart(player, cc):
    """three idle seconds: with the first ACK what was known of the path is forgotten, cwnd restarts as with the kernel's own"""
    course = player.play(cc, f"{QUIET} pause={400 * PACKET}:3000", packets=500, route="initcwnd 16")
    again = course.time_of("pause") + 3000
    before = [step for step in course.steps if step.t < again][-1]
    after = [step for step in course.steps if step.t >= again]
    check_true(f"entropy before: {before.entropy}", before.entropy > 0)
    check("entropy", [step for step in after if step.delivered > after[0].delivered][0].entropy, 0)
    check_true("the window was larger than the initial one", before.cwnd > 16)
    check_restarted(before, after[0], 16)


@event
def v5_wait_amid_reordering(player, cc):
    """one loss: RACK has waited for less than half an RTT; while packets arrive out of order, for more, but not for the RTO"""
    for words, least, most in (("", 50, 50 * 3 / 2), (REORDERED, 50 * 3 / 2, None)):
        course = player.play(cc, f"{QUIET} {words} drop=500", packets=900)
        dropped = course.time_of("drop", 500)
        _, step = course.entering(RECOVERY, dropped)
        waited = step.t - dropped
        check_true(f"RACK has waited {waited:.0f} ms", least < waited < (most or step.rto_us / 1000))
