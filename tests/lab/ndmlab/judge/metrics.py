# SPDX-License-Identifier: GPL-2.0
"""From results to figures: metrics of a cell, means with 95 % intervals."""
import math
import statistics

from scipy import stats

from ..model import delay_of


def tested(result):
    """The flows under test: all that are not the rival's."""
    return [flow for flow in result["flows"] if flow["label"] != "rival"]


def rivals(result):
    return [flow for flow in result["flows"] if flow["label"] == "rival"]


def rate(flow):
    """Mbit/s acknowledged, in the flow's window if it has one."""
    seconds = flow.get("window_seconds", flow["seconds"])
    return flow.get("window_bytes", flow["bytes"]) * 8 / seconds / 1e6 if seconds else 0.0


def goodput(result):
    """Mbit/s that the receiver acknowledged, all flows under test together."""
    return sum(map(rate, tested(result)))


def rival_goodput(result):
    """Mbit/s of all the rival's flows."""
    return sum(map(rate, rivals(result)))


def megabytes(result):
    """What the flows under test had acknowledged over their whole time."""
    return sum(flow["bytes"] for flow in tested(result)) / 1e6


def retransmissions(result):
    return sum(flow["retrans"] for flow in tested(result))


# These count a drop of the queue inside them once more.
CONTAINERS = ("htb", "tbf", "prio")


def drops(result):
    """Packets dropped on the way to the receiver; what is dropped on the way back holds ACKs only."""
    return sum(item["drops"] for name, items in result["qdisc"].items() if not name.startswith("back")
               for item in items if item["kind"] not in CONTAINERS)


def marks(result):
    """Packets that a queue marked instead of dropping them."""
    return sum(item.get("ecn_mark", 0) for items in result["qdisc"].values() for item in items)


def spurious_ratio(result):
    """Retransmissions beyond what the path dropped, over segments sent: of all flows, for the queue does not say whose it dropped.

    On one host's loopback ACKs share the counter with data, so that it may be negative; else only by what was lost at the very end.
    """
    segments = sum(flow["segments"] for flow in result["flows"] if flow.get("cc") != "udp")
    lost = drops(result) - sum(flow.get("lost", 0) for flow in result["flows"])
    return (sum(flow["retrans"] for flow in result["flows"]) - lost) / segments if segments else 0.0


def srtt(result, quantile):
    """Milliseconds; `quantile` is 50 or 95."""
    flows = tested(result)
    return statistics.fmean(flow[f"srtt_p{quantile}_us"] for flow in flows) / 1000 if flows else 0.0


def queue_delay(result, quantile, base):
    """Milliseconds of the smoothed RTT beyond `base`, the path's own; None when no round trip was ever measured."""
    total = srtt(result, quantile)
    return total - base if total else None


def link_wait(result, quantile):
    """Milliseconds that packets waited before a recorded link, its silences included; None without such a link."""
    waited = result["counts"].get(f"link_wait_p{quantile}_us")
    return None if waited is None else waited / 1000


def link_share(result):
    """Of what a recorded link could carry while it was watched, the share that came through; None without such a link."""
    offered = result["counts"].get("link_offered_packets")
    return None if offered is None else sum(item["bytes"] for item in result["qdisc"]["bottleneck"]) / (1500 * offered)


def completion(result, quantile):
    """Milliseconds from opening to the last acknowledgement of short flows, the tested or else the rival's; None without any."""
    for flow in tested(result) + rivals(result):
        if "fct_p50_ms" in flow:
            return flow[f"fct_p{quantile}_ms"]
    return None


def rival_cost(result):
    """What the rival wants little of: the median completion time of its short flows, else the time for a megabit."""
    for flow in rivals(result):
        if "fct_p50_ms" in flow:
            return flow["fct_p50_ms"]
    return 1 / max(rival_goodput(result), 1e-9)


def harm(alone, beside):
    """Of what the rival has alone, the share it lost beside the flows under test: 0 none, 1 all (Ware et al., HotNets 2019).

    (goodput alone - beside) / alone; for a time, (beside - alone) / beside, which is the same formula for its inverse.
    """
    return 1 - rival_cost(alone) / rival_cost(beside)


def rival_delay(result):
    """Microseconds, the 95th percentile: of one way for packets of a UDP stream, else the smoothed RTT of the rival's flows."""
    flows = rivals(result)
    return statistics.fmean(flow["owd_p95_us"] if "owd_p95_us" in flow else flow["srtt_p95_us"] for flow in flows) if flows else None


def delay_harm(alone, beside):
    """Of the rival's delay beside the flows under test, the share that it does not have alone."""
    return 1 - rival_delay(alone) / rival_delay(beside)


def fairness(result):
    """Jain's index over all flows, the rival's included; None when there is one only, short ones beside long ones, or a stream
    that wants no more than its rate."""
    flows = result["flows"]
    if any(flow.get("cc") == "udp" for flow in flows):
        return None
    if len(flows) == 1:
        return flows[0].get("jain")
    return None if any("jain" in flow for flow in flows) else jain([rate(flow) for flow in flows])


def recovery(result, event, step=0.25, part=0.8):
    """Seconds from the end of the event, which the seed delays, to the end of the first step after it with that part of the mean
    rate before it (two seconds left out for the start); when none has it, the time that was left. None without steps."""
    acked = tested(result)[0].get("acked")
    if not event or not acked:
        return None
    gains = [after - before for before, after in zip([0, *acked], acked)]
    began, ended = (seconds + delay_of(result["seed"]) for seconds in event)
    before = gains[int(2 / step):int(began / step)]
    wanted = part * sum(before) / len(before)
    first = math.ceil(ended / step)
    return next((index + 1 for index in range(first, len(gains)) if gains[index] >= wanted), len(gains)) * step - ended


def convergence(result, step=0.25, window=4, part=0.4):
    """Seconds from the opening of the later of two flows until, for a second, it first has that part of what both get (half would
    be fair); when it never has, the time that it was there. None unless there are two and one is later."""
    flows = sorted((flow["acked"] for flow in result["flows"] if flow.get("acked")), key=len)
    if len(flows) != 2 or len(flows[1]) - len(flows[0]) < window:
        return None
    late, early = ([0, *acked] for acked in flows)
    ahead = len(early) - len(late)
    for index in range(len(late) - window):
        own, other = (acked[at + window] - acked[at] for acked, at in ((late, index), (early, index + ahead)))
        if own and own >= part * (own + other):
            return (index + window) * step
    return (len(late) - 1) * step


def jain(shares):
    """Jain's fairness index of some rates: 1 when equal, 1/n when one takes all."""
    total = sum(shares)
    return total * total / (len(shares) * sum(share * share for share in shares)) if total else 0.0


def mean_interval(values):
    """Mean and half the width of its 95 % interval (Student's t over seeds)."""
    values = list(values)
    if len(values) < 2:
        return statistics.fmean(values), 0.0
    return statistics.fmean(values), stats.t.ppf(0.975, len(values) - 1) * stats.sem(values)
