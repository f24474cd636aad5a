#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""The statistics of ndmctl bench against hand-worked answers, and against chance itself."""
import math
import os
import random
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../ndmctl/bench"))
import analysis
import campaign
import stats
from plan import Plan


def run_of(blocks, **more):
    """A run with these goodputs: a dictionary of slots for each block."""
    flows = [dict({"block": number, "slot": slot, "algorithm": slot.replace("-again", ""), "ok": True, "goodput_bits_per_second": goodput,
                   "acked_bytes": 1000000, "sent_bytes": 1000000, "retransmitted_bytes": 10000, "srtt_median_us": 20000, "reorderings": 3,
                   "dsacks": 2, "idle_rtt_us": 10000, "flags": []}, **more)
             for number, block in enumerate(blocks, 1) for slot, goodput in block.items()]
    return {"target": {"kind": "iperf3", "address": None, "path_id": "x"}, "sent_bytes": 1, "plan": {"algorithms": ["cubic", "bbr"]}, "flows": flows}


class SignFlips(unittest.TestCase):
    def test_all_of_one_sign_have_the_smallest_p_there_is(self):
        for count in range(1, 9):
            self.assertEqual(stats.sign_flip_p([0.3 + 0.1 * i for i in range(count)]), 2 / 2 ** count)

    def test_three_values_by_hand(self):
        # sums of +-1 +-2 +-3: 6 4 2 0 0 -2 -4 -6; of 1 + 2 - 3 = 0 all are as far, of 1 - 2 + 3 = 2 six of eight
        self.assertEqual(stats.sign_flip_p([1, 2, -3]), 1)
        self.assertEqual(stats.sign_flip_p([1, -2, 3]), 6 / 8)
        self.assertEqual(stats.sign_flip_p([-1, 2, 3]), 4 / 8)

    def test_zeros_and_nothing_prove_nothing(self):
        self.assertEqual(stats.sign_flip_p([0.0] * 8), 1)
        self.assertEqual(stats.sign_flip_p([]), 1)

    def test_many_blocks_are_sampled_and_agree_with_the_normal_distribution(self):
        values = [0.1 + 0.5 * math.sin(i) for i in range(50)]
        z = math.fsum(values) / math.sqrt(math.fsum(v * v for v in values))
        self.assertTrue(0.05 < math.erfc(z / math.sqrt(2)) < 0.5)
        self.assertAlmostEqual(stats.sign_flip_p(values), math.erfc(z / math.sqrt(2)), delta=0.02)
        self.assertEqual(stats.sign_flip_p([0.1] * 50), 1 / 20001)    # none of 20000 is as far: rare, but not impossible


class Verdicts(unittest.TestCase):
    def verdict(self, *algorithms):
        return [c["verdict"] for c in stats.judge([stats.compare(values) for values in algorithms])]

    def test_six_blocks_at_least_and_more_when_more_are_compared(self):
        self.assertEqual([stats.least_blocks(n) for n in (1, 2, 3, 4, 6, 7)], [6, 7, 7, 8, 8, 9])
        self.assertEqual(self.verdict([0.5] * 5), ["too few blocks"])
        self.assertEqual(self.verdict([0.5] * 6), ["faster"])
        self.assertEqual(self.verdict([0.5] * 6, [-0.5] * 6), ["too few blocks"] * 2)
        self.assertEqual(self.verdict([0.5] * 7, [-0.5] * 7), ["faster", "slower"])

    def test_a_sure_difference_that_matters_to_nobody_is_none(self):
        self.assertEqual(self.verdict([0.01] * 8), ["no difference seen"])
        self.assertEqual(self.verdict([0.03] * 8), ["faster"])

    def test_one_block_against_seven_is_no_difference(self):
        self.assertEqual(self.verdict([0.5] * 6 + [-0.5] * 2), ["no difference seen"])

    def test_holm_by_hand(self):
        self.assertEqual([round(p, 3) for p in stats.holm([0.04, 0.01, 0.03])], [0.06, 0.03, 0.06])
        self.assertEqual(stats.holm([0.9, 0.8]), [1.0, 1.0])

    def test_chance_alone_is_called_a_difference_in_at_most_one_of_twenty(self):
        chance = random.Random(5)
        wrong = sum(self.verdict([chance.gauss(0, 0.3) for _ in range(8)]) != ["no difference seen"] for _ in range(150))
        self.assertLess(wrong, 150 * 0.05 + 3 * math.sqrt(150 * 0.05 * 0.95))

    def test_the_interval_holds_the_mean_and_is_the_same_each_time(self):
        values = [0.1, 0.3, 0.2, 0.5, 0.0, 0.4, 0.2, 0.3]
        low, high = stats.bootstrap_interval(values)
        self.assertTrue(0.1 < low < 0.25 < high < 0.4)
        self.assertEqual(stats.bootstrap_interval(values), (low, high))
        self.assertIsNone(stats.bootstrap_interval([0.1]))

    def test_the_interval_of_many_agrees_with_the_normal_distribution(self):
        values = list(range(-50, 51))
        half = 1.96 * math.sqrt(math.fsum(v * v for v in values)) / len(values)
        for end, expected in zip(stats.bootstrap_interval(values), (-half, half)):
            self.assertAlmostEqual(end, expected, delta=half / 20)


class Paths(unittest.TestCase):
    def test_pairs_are_within_blocks_so_that_a_path_that_gets_faster_does_not_matter(self):
        blocks = [{"cubic": 10 ** i, "cubic-again": 4 * 10 ** i, "bbr": 4 * 10 ** i} for i in range(1, 7)]
        path, = analysis.paths_of([run_of(blocks)])
        comparison = path["algorithms"][1]["comparison"]
        self.assertAlmostEqual(comparison["ratio"], 2)    # the geometric mean of Cubic's two flows is 2
        self.assertEqual((comparison["blocks"], comparison["verdict"]), (6, "faster"))
        self.assertAlmostEqual(path["noise"]["ratio"], 4)
        self.assertEqual(path["flags"], {"unsteady": 1} if path["noise"]["p"] < 0.025 else {})

    def test_a_failed_flow_takes_only_its_pair_away(self):
        blocks = [{"cubic": 100, "cubic-again": 100, "bbr": 200}, {"cubic": 100, "bbr": 200}, {"bbr": 900}, {"cubic": 100, "cubic-again": 100}]
        path, = analysis.paths_of([run_of(blocks)])
        self.assertEqual(path["algorithms"][1]["comparison"]["blocks"], 2)
        self.assertAlmostEqual(path["algorithms"][1]["comparison"]["ratio"], 2)
        self.assertEqual(path["noise"]["blocks"], 2)

    def test_nothing_worked(self):
        run = run_of([{"cubic": 100}])
        run["flows"][0].update(ok=False, failed="refused")
        path, = analysis.paths_of([run])
        self.assertEqual((path["blocks"], path["noise"], path["flags"]), (0, None, {"failed-flows": 1}))
        self.assertEqual([a["flows"] for a in path["algorithms"]], [0, 0])

    def test_drift_of_the_rtt_is_told_from_its_scatter(self):
        chance = random.Random(3)
        self.assertTrue(analysis.drifts([40000] * 12 + [60000] * 12))
        self.assertFalse(analysis.drifts([40000] * 24))
        self.assertFalse(analysis.drifts([200] * 12 + [400] * 12))    # less than a path can be blamed for
        self.assertFalse(any(analysis.drifts([chance.uniform(50000, 150000) for _ in range(24)]) for _ in range(20)))
        self.assertFalse(analysis.drifts([10000, 90000]))


class Flags(unittest.TestCase):
    RECORD = {"busiest_processor_percent": 20, "far_cpu_percent": None, "receive_window_limited_share": 0, "send_buffer_limited_share": 0}

    def flags(self, others=None, idle_others=None, **record):
        return campaign.flags_of(dict(self.RECORD, **record), others, idle_others)

    def test_each_limit(self):
        self.assertEqual(self.flags(), [])
        self.assertEqual(self.flags(busiest_processor_percent=81), ["cpu"])
        self.assertEqual(self.flags(busiest_processor_percent=80, far_cpu_percent=80), [])
        self.assertEqual(self.flags(far_cpu_percent=81), ["far-cpu"])
        self.assertEqual(self.flags(receive_window_limited_share=0.11), ["receive-window"])
        self.assertEqual(self.flags(send_buffer_limited_share=0.11), ["send-buffer"])
        self.assertEqual(self.flags(0.09, 0.04), [])
        self.assertEqual(self.flags(0.11), ["other-traffic"])
        self.assertEqual(self.flags(None, 0.06), ["other-traffic"])

    def test_others_are_what_the_device_carried_beyond_our_own(self):
        class Reading:
            def __init__(self, wire):
                self.wire = wire

            def wire_bytes(self):
                return self.wire
        it = campaign.Campaign(Plan(["bbr"], 1, 1), None, None, None)
        readings = [Reading(1000), Reading(101000)]
        it.device = "eth0"
        self.assertEqual(it.others((5000, 120000), readings), 0.2)
        self.assertEqual(it.others((50000, 100000), readings), 0.5)
        self.assertEqual(it.others((0, 0), readings), 0)
        self.assertIsNone(it.others(None, readings))
        it.device = "lo"
        self.assertIsNone(it.others((200000, 200000), readings))


class Order(unittest.TestCase):
    def test_each_block_has_each_algorithm_once_and_cubic_twice_in_an_order_that_the_seed_gives(self):
        plan = Plan(["ndm_v5", "cubic", "bbr"], 8, 20, seed=7)
        order = plan.order()
        self.assertEqual({tuple(sorted(block)) for block in order}, {("bbr", "cubic", "cubic-again", "ndm_v5")})
        self.assertEqual(order, Plan(["ndm_v5", "cubic", "bbr"], 8, 20, seed=7).order())
        self.assertGreater(len({tuple(block) for block in order}), 3)
        self.assertNotEqual(order, Plan(["ndm_v5", "cubic", "bbr"], 8, 20, seed=8).order())

    def test_a_seed_of_its_own_is_recorded(self):
        plan = Plan(["bbr"], 2, 20)
        self.assertEqual(plan.order(), Plan(["bbr"], 2, 20, seed=plan.as_json()["seed"]).order())


if __name__ == "__main__":
    unittest.main()
