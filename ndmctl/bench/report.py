# SPDX-License-Identifier: GPL-2.0
"""The report in words: for a terminal as text, for programs as tab-separated lines."""
import math

from words import duration, plural, rate, shown, size

BAR_WIDTH = 30
MEANING = {
    "cpu": "a processor of this machine was busy for more than 80 % of the time; it may have been the limit, not the path",
    "far-cpu": "the far end's processor was busy for more than 80 % of the time",
    "receive-window": "the far end's receive window was the limit for more than 10 % of the time; its tcp_rmem may be too small",
    "send-buffer": "the send buffer, or this program, was the limit for more than 10 % of the time; tcp_wmem may be too small",
    "other-traffic": "others used the network device of this machine meanwhile",
    "failed-flows": "flows failed, and are left out",
    "rtt-drift": "the RTT without load changed during the measurement; the path may have changed",
    "unsteady": "Cubic differs from itself; the blocks are no fair comparison",
}

OF_THE_PATH = ("rtt-drift", "unsteady")    # and not of single flows


def percent(log_ratio):
    """Of a ratio's logarithm, such as +12 %; from twice or half on as a factor."""
    if abs(log_ratio) >= math.log(2):
        return "%.3g times" % math.exp(log_ratio)
    value = 100 * math.expm1(log_ratio)
    return "%+.*f %%" % (0 if abs(value) >= 9.95 else 1, value if abs(value) >= 0.05 else 0)


def interval(comparison):
    if comparison["log_ratio_low"] is None:
        return "-"
    return "%s to %s" % (percent(comparison["log_ratio_low"]), percent(comparison["log_ratio_high"]))


def verdict(comparison):
    """In words that can be shared; no verdict where there are too few blocks."""
    kind = comparison["verdict"]
    if kind == "too few blocks":
        return "no verdict: %s, %d needed" % (plural(comparison["blocks"], "block"), comparison["blocks_needed"])
    if kind == "no difference seen":
        return "no difference seen"
    return "%s than Cubic" % kind


def sentence(algorithm, comparison):
    return "%s: %s; goodput %s (95 %%: %s), p = %.3f" % (algorithm, verdict(comparison), percent(comparison["log_ratio"]), interval(comparison),
                                                        comparison["p_adjusted"])


def title(path):
    target = path["target"]
    return "%s (path %s)" % (target["address"] or target["kind"] + "://...", target["path_id"])


def noise_sentence(noise):
    if not noise:
        return "Cubic never ran twice in a block, so the noise of the path is unknown"
    return "Cubic twice in each block: %s (95 %%: %s); typically a factor of %.2f apart" % (
        percent(noise["log_ratio"]), interval(noise), noise["typical_ratio"])


def facts_line(run):
    host = run["machine"]
    module = "ndm-tcp %s" % host["module_version"] if host["module_version"] else "ndm not loaded"
    if host["module_version"] and host["ndm_variant"]:
        module += ", ndm means %s" % host["ndm_variant"]
    return "%s: Linux %s, %s, qdisc %s, seed %d, %d s a flow, the first %g s dropped, %s" % (
        run["began"], host["kernel"], module, host["default_qdisc"] or "unknown", run["plan"]["seed"], run["plan"]["seconds"],
        run["plan"]["skipped_seconds"], run["ended"])


def lines(paths, runs):
    """All of the text."""
    for path in paths:
        yield title(path)
        for run in runs:
            if run["target"] == path["target"]:
                yield "  " + facts_line(run)
                if run["warning"]:
                    yield "  warning: " + run["warning"]
        yield "  %s, %s, %s sent" % (plural(path["blocks"], "block"), plural(path["flows"], "flow"), size(path["sent_bytes"]))
        yield ""
        yield from table(path["algorithms"])
        yield ""
        for algorithm in path["algorithms"]:
            if algorithm["comparison"]:
                yield sentence(algorithm["algorithm"], algorithm["comparison"])
        yield noise_sentence(path["noise"])
        yield from cautions(path)
        yield ""


def cautions(path):
    for name, flows in path["flags"].items():
        yield "caution%s: %s" % ("" if name in OF_THE_PATH else " (%d of %d flows)" % (flows, path["flows"]), MEANING[name])


def table(algorithms):
    """Bars of goodput, the longest of full width."""
    most = max([a["goodput_median_bits_per_second"] or 0 for a in algorithms] + [1])
    yield "%-12s %-*s %13s %8s %8s %9s %8s" % ("ALGORITHM", BAR_WIDTH, "GOODPUT (MEDIAN)", "", "RESENT", "RTT", "REORDERED", "DSACK")
    for a in algorithms:
        goodput = a["goodput_median_bits_per_second"]
        if goodput is None:
            yield "%-12s no flow worked" % a["algorithm"]
            continue
        bar = "#" * max(1, round(BAR_WIDTH * goodput / most))
        yield "%-12s %-*s %13s %6.2f %% %5.0f ms %6s/GB %5s/GB" % (
            a["algorithm"], BAR_WIDTH, bar, rate(goodput), 100 * (a["retransmitted_share"] or 0), a["srtt_median_us"] / 1000,
            count(a["reorderings_per_gigabyte"]), count(a["dsacks_per_gigabyte"]))


def count(value):
    """At most five characters."""
    if value is None:
        return "-"
    return "%.0f" % value if value < 99999.5 else "%.0fk" % (value / 1000)


def text(paths, runs):
    return "".join(shown(line, 2000) + "\n" for line in lines(paths, runs)).rstrip("\n") + "\n"


def plain(paths):
    """One line for each algorithm of a path: path, algorithm, flows, goodput, share resent, RTT, ratio, low, high, p, verdict."""
    out = []
    for path in paths:
        for a in path["algorithms"]:
            c = a["comparison"] or {}
            cells = [path["target"]["path_id"], a["algorithm"], a["flows"], a["goodput_median_bits_per_second"], a["retransmitted_share"],
                     a["srtt_median_us"], ratio(c.get("log_ratio")), ratio(c.get("log_ratio_low")), ratio(c.get("log_ratio_high")),
                     None if "p_adjusted" not in c else "%.4f" % c["p_adjusted"], c.get("verdict")]
            out.append("\t".join("-" if cell is None else shown(cell) for cell in cells))
    return "\n".join(out) + "\n"


def ratio(log_ratio):
    return None if log_ratio is None else "%.4f" % math.exp(log_ratio)


def plan_lines(plan, target):
    """What will be sent, before anything is."""
    flows = plan.flows()
    yield "%s: %s of %s; %s of %g s, about %s in all; seed %d" % (
        target.text, plural(plan.blocks, "block"), ", ".join(plan.slots), plural(flows, "flow"), plan.seconds, duration(plan.estimated_s(flows)), plan.seed)
    if plan.budget_bytes is not None:
        yield "it sends at most %s, and stops there" % size(plan.budget_bytes)
    else:
        seconds = flows * plan.seconds
        yield "it sends what the path takes: %s at 10 Mbit/s, %s at 100; --budget MB sets a limit" % (
            size(seconds * 10e6 / 8), size(seconds * 100e6 / 8))
