# SPDX-License-Identifier: GPL-2.0
"""The lab's pure parts against answers worked out by hand."""
import itertools
import math
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ndmlab.show import columns, table  # noqa: E402  the path comes first
from ndmlab.judge import metrics  # noqa: E402  the path comes first
from ndmlab.algorithms import ALGORITHMS  # noqa: E402
from ndmlab.run import links  # noqa: E402
from ndmlab.run.cells import Cell, cell_text, seeds_of  # noqa: E402
from ndmlab.run.engine_fast import endless_path  # noqa: E402
from ndmlab.run.engines import default_engine  # noqa: E402
from ndmlab.model import SCATTER, SPREAD, Scenario, delay_of, fifo, router  # noqa: E402
from ndmlab.run.machine import without_comments  # noqa: E402
from ndmlab.sets import SETS  # noqa: E402
from ndmlab.sets.v5 import FIFOS  # noqa: E402

# A set may have scenarios of others.
ALL = list({id(scenario): scenario for one in SETS.values() for scenario in one.scenarios}.values())


def flow(megabits, seconds=10, label="test", **more):
    return {"label": label, "bytes": megabits * seconds * 125000, "seconds": seconds, "retrans": 0, "segments": 500} | more


def result(*flows, qdisc=(), seed=2):
    return {"flows": list(flows), "qdisc": dict(qdisc), "seed": seed}


class Seeds(unittest.TestCase):
    def test_without_chance_two_are_enough(self):
        seeds = {scenario.name: scenario.seeds([2, 4, 6]) for scenario in SETS["published"].scenarios}
        self.assertEqual(seeds.pop("clean"), [2, 4])
        self.assertEqual(list(seeds.values()), [[2, 4, 6]] * 4)


class Fairness(unittest.TestCase):
    def test_jain(self):
        self.assertEqual(metrics.jain([5, 5, 5]), 1)
        self.assertEqual(metrics.jain([7, 0]), 0.5)
        self.assertAlmostEqual(metrics.jain([3, 1]), 16 / 20)
        self.assertEqual(metrics.jain([0, 0]), 0)

    def test_fairness_counts_the_rival(self):
        self.assertAlmostEqual(metrics.fairness(result(flow(3), flow(1, label="rival"))), 0.8)
        self.assertIsNone(metrics.fairness(result(flow(3))))
        self.assertEqual(metrics.fairness(result(flow(3, jain=0.7))), 0.7)
        self.assertIsNone(metrics.fairness(result(flow(3), flow(1, label="rival", jain=0.7))))

    def test_harm_to_goodput(self):
        alone = result(flow(10, label="rival"))
        self.assertAlmostEqual(metrics.harm(alone, result(flow(6), flow(4, label="rival"))), 0.6)
        self.assertAlmostEqual(metrics.harm(alone, alone), 0)
        self.assertAlmostEqual(metrics.harm(alone, result(flow(10), flow(0, label="rival"))), 1)

    def test_harm_to_completion_time(self):
        alone, beside = (result(flow(1, label="rival", fct_p50_ms=ms)) for ms in (100, 400))
        self.assertAlmostEqual(metrics.harm(alone, beside), 0.75)

    def test_without_a_rival_its_rate_is_a_dash(self):
        scenario = Scenario("s", "", 10, "")
        [row] = table.rows_of([Cell(scenario, "bbr", 2)], [result(flow(3))])
        self.assertEqual(columns.RIVAL[2](row), "-")
        [row] = table.rows_of([Cell(scenario, "bbr", 2)], [result(flow(3), flow(1.5, label="rival"))])
        self.assertEqual(columns.RIVAL[2](row), "1.50 +- 0.00")

    def test_harm_beyond_cubic(self):
        scenario = Scenario("s", "", 10, "", harms=True)
        cells = [Cell(scenario, name, 2) for name in ("none", "cubic", "bbr")]
        results = [result(*([flow(1)] if rate < 10 else []), flow(rate, label="rival")) for rate in (10, 5, 2)]
        [cubic, bbr] = table.rows_of(cells, results)
        self.assertAlmostEqual(cubic.harm_beyond(cubic.results[0]), 0)
        self.assertAlmostEqual(bbr.harm_beyond(bbr.results[0]), 0.3)


    def test_delay_harm(self):
        alone, beside = result(flow(10, label="rival", srtt_p95_us=50000)), result(flow(5), flow(5, label="rival", srtt_p95_us=80000))
        self.assertAlmostEqual(metrics.delay_harm(alone, beside), 3 / 8)

    def test_a_stream_has_no_fair_share_and_its_losses_are_not_retransmitted(self):
        stream = flow(4, label="rival", cc="udp", lost=6, owd_p95_us=30000, srtt_p95_us=1)
        beside = result(flow(5, retrans=5), stream, qdisc={"bottleneck": [{"kind": "bfifo", "drops": 10}]})
        self.assertIsNone(metrics.fairness(beside))
        self.assertAlmostEqual(metrics.spurious_ratio(beside), 1 / 500)
        self.assertEqual(metrics.rival_delay(beside), 30000)


class Convergence(unittest.TestCase):
    def of(self, late, early):
        return metrics.convergence(result(flow(1, acked=list(itertools.accumulate(late))),
                                          flow(1, label="rival", acked=list(itertools.accumulate(early)))))

    def test_the_first_second_with_two_fifths_counts(self):
        # Beside 10 a step before, then 2, 2, 5, 5, 5 of 10: steps 0 to 3 hold 14 of 40, steps 1 to 4 hold 17, and 16 are wanted.
        self.assertEqual(self.of([2, 2, 5, 5, 5, 5], [10] * 4 + [8, 8, 5, 5, 5, 5]), 1.25)

    def test_never_fair(self):
        self.assertEqual(self.of([1] * 8, [9] * 12), 2.0)

    def test_both_at_once_or_one_alone(self):
        self.assertIsNone(self.of([5] * 8, [5] * 8))
        self.assertIsNone(metrics.convergence(result(flow(1))))


class RecordedLinks(unittest.TestCase):
    RESULT = result(flow(3), qdisc={"bottleneck": [{"kind": "link", "bytes": 600_000}]}) | {"counts": {"link_wait_p95_us": 120_500, "link_offered_packets": 500}}

    def test_wait_and_share(self):
        self.assertEqual(metrics.link_wait(self.RESULT, 95), 120.5)
        self.assertAlmostEqual(metrics.link_share(self.RESULT), 0.8)  # 500 packets of 1,500 bytes are 750,000

    def test_without_such_a_link(self):
        other = result(flow(3)) | {"counts": {}}
        self.assertIsNone(metrics.link_wait(other, 95))
        self.assertIsNone(metrics.link_share(other))


class Rates(unittest.TestCase):
    def test_only_the_flow_under_test_counts(self):
        both = result(flow(3, retrans=2), flow(5, label="rival", retrans=7))
        self.assertAlmostEqual(metrics.goodput(both), 3)
        self.assertAlmostEqual(metrics.rival_goodput(both), 5)
        self.assertEqual(metrics.retransmissions(both), 2)

    def test_a_window_counts_instead_of_the_whole_time(self):
        self.assertAlmostEqual(metrics.goodput(result(flow(3, window_seconds=4.0, window_bytes=4 * 125000))), 1)

    def test_unlabelled_flows_are_under_test(self):
        self.assertAlmostEqual(metrics.goodput(result(flow(3, label=""))), 3)

    def test_queue_delay(self):
        self.assertAlmostEqual(metrics.queue_delay(result(flow(1, srtt_p95_us=87500)), 95, 50), 37.5)


class Drops(unittest.TestCase):
    QDISC = {"router": [{"kind": "netem", "drops": 3}],
             "policer": [{"kind": "ingress", "drops": 1}],
             "bottleneck": [{"kind": "htb", "drops": 4}, {"kind": "bfifo", "drops": 4}],
             "back": [{"kind": "netem", "drops": 100}]}

    def test_a_leafs_drop_counts_once_and_no_acks(self):
        self.assertEqual(metrics.drops(result(qdisc=self.QDISC)), 8)

    def test_spurious_ratio_is_of_all_flows(self):
        both = result(flow(3, retrans=10), flow(5, label="rival", retrans=3), qdisc=self.QDISC)
        self.assertAlmostEqual(metrics.spurious_ratio(both), (13 - 8) / 1000)
        self.assertEqual(metrics.spurious_ratio(result()), 0)


class Recovery(unittest.TestCase):
    def recovery(self, rates, event=(4, 5), seed=0):
        return metrics.recovery(result(flow(1, acked=list(itertools.accumulate(rates))), seed=seed), event)

    def test_recovers_in_the_third_step(self):
        # 100 a step for 4 s, nothing for 1 s, then 0, 79, 80, ...: 0.8 of the mean before is 80.
        self.assertEqual(self.recovery([100] * 16 + [0] * 4 + [0, 79, 80, 100]), 0.75)

    def test_never_recovers(self):
        self.assertEqual(self.recovery([100] * 16 + [0] * 8), 1.0)

    def test_a_seed_delays_the_event_and_only_whole_steps_after_it_count(self):
        # From 4.94 to 5.94 s; the step to 6 s began before that.
        self.assertEqual(delay_of(4), 0.94)
        rates = [100] * 19 + [90] + [0] * 3 + [80, 0, 80, 100]
        self.assertAlmostEqual(self.recovery(rates, seed=4), 6.5 - 5.94)

    def test_no_event(self):
        self.assertIsNone(self.recovery([100], ()))
        self.assertIsNone(metrics.recovery(result(flow(1)), (4, 5)))


class Intervals(unittest.TestCase):
    def test_mean_interval(self):
        mean, half = metrics.mean_interval([1, 3])
        self.assertAlmostEqual(mean, 2)
        self.assertAlmostEqual(half, 12.706, delta=1e-3)  # sd sqrt(2), over sqrt(2)
        mean, half = metrics.mean_interval([2, 4, 6])
        self.assertAlmostEqual(mean, 4)
        self.assertAlmostEqual(half, 4.303 * 2 / math.sqrt(3), delta=1e-3)
        self.assertEqual(metrics.mean_interval([5]), (5, 0.0))


class Engines(unittest.TestCase):
    def test_only_a_path_without_rate_and_delay_has_no_end(self):
        for line in ("path_loopback", "path_loopback loss 5%", "path_router 'queue=pfifo limit 9' 'back=delay 5ms'"):
            self.assertEqual(endless_path(f"use_seed 2\n{line}\nreport\n"), line)
        for line in ("path_loopback delay 5ms", "path_loopback rate 1mbit", "path_router rate=1mbit", "path_router 'forward=delay 5ms'", "path_wire"):
            self.assertIsNone(endless_path(f"use_seed 2\n{line}\nreport\n"))
        self.assertEqual({name: default_engine(one.scenarios) for name, one in SETS.items()}, {name: "stock" if name == "published" else "fast" for name in SETS})


class Module(unittest.TestCase):
    def test_only_comments_may_change_without_being_seen(self):
        code = 'int a; /* one */\n#define B "/* no */" // two\nchar c = \'"\';\n'
        self.assertEqual(without_comments(code), without_comments(code.replace("one", "1\n\n * 2").replace("two", "three")))
        for old, new in (("int a", "int b"), ("no", "yes"), ("c =", "d =")):
            self.assertNotEqual(without_comments(code), without_comments(code.replace(old, new)))


class Scenarios(unittest.TestCase):
    def test_names_are_unique(self):
        names = [scenario.name for scenario in ALL]
        self.assertEqual(sorted(names), sorted(set(names)))

    def test_no_two_scenarios_are_the_same_cell(self):
        texts = {}
        for scenario in ALL:
            text = cell_text(scenario, "ndm_v4", 2)  # no scenario's own rival: beside itself and beside that one would be the same
            self.assertFalse(text in texts, f"{scenario.name} is {texts.get(text)}")
            texts[text] = scenario.name

    def test_every_word_of_a_template_is_filled(self):
        for scenario in ALL:
            for algorithm in ALGORITHMS:
                self.assertNotRegex(cell_text(scenario, algorithm, 2), "[{}]")

    def test_seed_and_trace_change_the_cell(self):
        for scenario in ALL:
            self.assertEqual(len({cell_text(scenario, "cubic", *more) for more in ((2,), (4,), (2, None, True))}), 3, scenario.name)

    def test_a_seed_moves_moments_and_no_end(self):
        scenario = Scenario("x", "p", 20, "", traffic="rivals start={later:5} seconds={sooner:15}")
        for seed, text in ((2, "start=5.47 seconds=14.53"), (4, "start=5.94 seconds=14.06")):
            self.assertIn(f"rivals {text}\n", cell_text(scenario, "cubic", seed))
        for seeds in (seeds_of(20, "even"), seeds_of(20, "odd")):
            delays = sorted(delay_of(seed) for seed in seeds)
            self.assertTrue(0 <= delays[0] < 0.2 and SPREAD - 0.3 < delays[-1] < SPREAD, delays)
            self.assertLess(max(after - before for before, after in zip(delays, delays[1:])), 0.2)

    def test_where_nothing_is_lost_by_chance_seeds_differ_otherwise(self):
        # A FIFO, or two long flows, have the same course with each seed else. (A stream of constant rate ends nothing in step.)
        for scenario in FIFOS:
            self.assertIn(SCATTER, scenario.path)
        for scenario in SETS["coexistence"].scenarios:
            if "rivals " in scenario.traffic:
                self.assertRegex(scenario.traffic, r"\{(later|seed)\b", scenario.name)

    def test_every_set_has_a_table_and_known_algorithms(self):
        for name, one in SETS.items():
            self.assertEqual(one.name, name)
            self.assertTrue(one.columns)
            self.assertLessEqual(set(one.algorithms), set(ALGORITHMS) - {"none"})
            for algorithms, paths in one.page.groups():
                self.assertLessEqual(set(algorithms), set(ALGORITHMS) - {"none"})
                self.assertLessEqual(set(paths), {scenario.name for scenario in one.scenarios})

    def test_where_harm_is_measured_the_rival_is_always_the_same(self):
        for scenario in ALL:
            rivals = [line for line in scenario.traffic.splitlines() if line.startswith(("rivals ", "stream "))]
            self.assertEqual(scenario.harms, bool(rivals) and "{cc}" not in rivals[0], scenario.name)

    def test_fifo(self):
        self.assertEqual(fifo(20, 50, 1), "bfifo limit 125000")
        self.assertEqual(fifo(20, 50, 0.25), "bfifo limit 31250")
        self.assertEqual(fifo(0.064, 50, 1), "bfifo limit 1514")

    def test_variation(self):
        scenario = Scenario("x", "path_router rate=1mbit", 1, "")
        self.assertIs(type(scenario.varied()), Scenario)
        self.assertEqual(scenario.varied(), scenario)
        self.assertEqual(scenario.varied(["sender_queue=fq limit 9"], 4290).path, "path_router rate=1mbit 'sender_queue=fq limit 9'")
        self.assertIn("reach_uptime 4290\nflows", cell_text(scenario.varied((), 4290), "cubic", 2))
        with self.assertRaises(ValueError):
            Scenario("x", "path_loopback delay 1ms", 1, "").varied(["family=6"])

    def test_router_words(self):
        self.assertEqual(router(20, 50, more="loss 1%"), "path_router 'rate=20mbit' 'queue=bfifo limit 125000' "
                         "'forward=delay 25ms loss 1%' 'back=delay 25ms'")
        self.assertEqual(router(10, 50, "fq_codel", forward="delay 1ms", family=6),
                         "path_router 'rate=10mbit' 'queue=fq_codel' 'forward=delay 1ms' 'back=delay 25ms' 'family=6'")


class Links(unittest.TestCase):
    def test_mahimahi(self):
        self.assertEqual(links.counts_of("1\n1\n3\n"), [0, 2, 0, 1])
        self.assertEqual(len(links.counts_of("5\n250000\n")), links.MOST_MS)

    def test_packed(self):
        self.assertEqual(links.packed([1, 2], [3], [40]), b"forward 2 back 1 delay 1\n\x01\x02\x03\x28")

    def test_what_is_here_has_the_digest_that_is_given(self):
        for name in ("starlink", "starlink-uplink"):
            self.assertEqual(links.digest_of(links.LINKS[name].source()), links.LINKS[name].digest, name)

    def test_every_link_is_played(self):
        self.assertEqual({scenario.link for scenario in SETS["recorded"].scenarios}, set(links.LINKS))


if __name__ == "__main__":
    unittest.main()
