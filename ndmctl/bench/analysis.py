# SPDX-License-Identifier: GPL-2.0
"""From runs to what is reported: for each path, the algorithms compared with Cubic, and what spoils the measurement."""
import math
import statistics

import stats
from plan import AGAIN, BASE
from results import FLAGS

DRIFT_SHARE, DRIFT_US = 0.25, 3000
LEAST_FOR_DRIFT = 8


def paths_of(runs):
    """The runs of the same path together, in the order in which the paths come."""
    paths = {}
    for run in runs:
        paths.setdefault((run["target"]["kind"], run["target"]["path_id"]), []).append(run)
    return [analyse(members) for members in paths.values()]


def analyse(runs):
    """Runs of one path, as one: a block is one of a run."""
    flows = [dict(flow, block=(index, flow["block"])) for index, run in enumerate(runs) for flow in run["flows"]]
    good = [flow for flow in flows if flow["ok"]]
    slots = list(dict.fromkeys(name for run in runs for name in run["plan"]["algorithms"] if name != BASE))
    ratios = {slot: log_ratios(good, slot) for slot in slots}
    compared = stats.judge([stats.compare(ratios[slot]) for slot in slots if ratios[slot]])
    verdicts = dict(zip([slot for slot in slots if ratios[slot]], compared))
    path = {
        "target": runs[0]["target"], "runs": len(runs), "flows": len(flows), "failed_flows": len(flows) - len(good),
        "blocks": len({flow["block"] for flow in good}), "sent_bytes": sum(run["sent_bytes"] for run in runs),
        "algorithms": [figures(good, BASE, (BASE, AGAIN), None)] +
                      [figures(good, slot, (slot,), verdicts.get(slot)) for slot in slots],
        "noise": noise_of(good),
    }
    path["flags"] = flags_of(path, good)
    return path


def by_block(flows):
    blocks = {}
    for flow in flows:
        blocks.setdefault(flow["block"], {})[flow["slot"]] = math.log(flow["goodput_bits_per_second"])
    return blocks.values()


def log_ratios(flows, slot):
    """One for each block in which the algorithm and Cubic worked; of Cubic's two flows the geometric mean."""
    values = []
    for block in by_block(flows):
        bases = [block[base] for base in (BASE, AGAIN) if base in block]
        if slot in block and bases:
            values.append(block[slot] - stats.mean(bases))
    return values


def noise_of(flows):
    """Cubic against itself: what is seen where there is no difference."""
    values = [block[AGAIN] - block[BASE] for block in by_block(flows) if AGAIN in block and BASE in block]
    if not values:
        return None
    compared = stats.compare(values)
    compared["typical_ratio"] = math.exp(statistics.median(abs(value) for value in values))
    return compared


def figures(flows, name, slots, comparison):
    """Medians over the flows of an algorithm; what is counted, per gigabyte that arrived."""
    own = [flow for flow in flows if flow["slot"] in slots]
    gigabytes = sum(flow["acked_bytes"] for flow in own) / 1e9
    sent = sum(flow["sent_bytes"] for flow in own)

    def per_gigabyte(field):
        return round(sum(flow[field] for flow in own) / gigabytes, 1) if gigabytes else None
    return {
        "algorithm": name, "flows": len(own),
        "goodput_median_bits_per_second": stats.middle([flow["goodput_bits_per_second"] for flow in own]),
        "retransmitted_share": round(sum(flow["retransmitted_bytes"] for flow in own) / sent, 6) if sent else None,
        "srtt_median_us": stats.middle([flow["srtt_median_us"] for flow in own]),
        "reorderings_per_gigabyte": per_gigabyte("reorderings"), "dsacks_per_gigabyte": per_gigabyte("dsacks"),
        "comparison": comparison,
    }


def flags_of(path, flows):
    """Flag: in how many flows; those of the whole path have a count of 1."""
    counts = {name: sum(name in flow["flags"] for flow in flows) for name in FLAGS}
    counts["failed-flows"] = path["failed_flows"]
    counts["rtt-drift"] = int(drifts([flow["idle_rtt_us"] for flow in flows if flow["idle_rtt_us"]]))
    noise = path["noise"]
    counts["unsteady"] = int(bool(noise) and noise["blocks"] >= stats.LEAST_BLOCKS and noise["p"] < stats.LEVEL / 2)
    return {name: count for name, count in counts.items() if count}


def drifts(rtts_us):
    """Whether the idle RTT of the last third differs from that of the first by more than chance: more than a quarter, and four standard
    errors of what single RTTs scatter."""
    if len(rtts_us) < LEAST_FOR_DRIFT:
        return False
    third = len(rtts_us) // 3
    first, last = rtts_us[:third], rtts_us[-third:]
    change_us = abs(stats.mean(last) - stats.mean(first))
    error_us = math.sqrt((statistics.pvariance(first) + statistics.pvariance(last)) / third)
    return change_us > max(DRIFT_US, DRIFT_SHARE * stats.mean(first), 4 * error_us)
