# SPDX-License-Identifier: GPL-2.0
"""The goals of the sets and the judge of them, against answers worked out by hand."""
import contextlib
import dataclasses
import io
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ndmlab.judge import goals, verdicts, metrics  # noqa: E402  the path comes first
from ndmlab.run.cells import cells_of  # noqa: E402
from ndmlab.judge.goals import at_least, at_most, constant, times  # noqa: E402
from ndmlab.model import Scenario  # noqa: E402
from ndmlab.sets import SETS  # noqa: E402
from test_metrics import flow, result  # noqa: E402

GOALS = {name: one.goals for name, one in SETS.items() if one.goals}


def rates(*values):
    return [result(flow(value)) for value in values]


def judged(which, results):
    return {(row.goal.path, row.goal.what): row for row in verdicts.judge(which, results)}


class Chance(unittest.TestCase):
    def test_holm(self):
        # In order: 0.001 <= 0.05 / 5, 0.012 <= 0.05 / 4, 0.024 > 0.05 / 3; after that none, though 0.0245 <= 0.05 / 2. Bonferroni would reject 0.001 only.
        self.assertEqual(verdicts.holm([0.012, 0.2, 0.001, 0.0245, 0.024]), [True, False, True, False, False])
        self.assertEqual(verdicts.holm([0.05]), [True])
        self.assertEqual(verdicts.holm([]), [])


class Words(unittest.TestCase):
    GOAL = at_least("path", "Mbit/s; Cubic's", metrics.goodput, times(1, "cubic", metrics.goodput))

    def word(self, ours, cubic):
        [row] = verdicts.judge([self.GOAL], {("path", "ndm_v5"): rates(*ours), ("path", "cubic"): rates(*cubic)})
        return row.word

    def test_interval_is_that_of_the_paired_differences(self):
        [row] = verdicts.judge([self.GOAL], {("path", "ndm_v5"): rates(4, 6, 5), ("path", "cubic"): rates(3, 4, 4)})
        mean, half = metrics.mean_interval([1, 2, 1])
        self.assertAlmostEqual(row.margin, mean)
        self.assertAlmostEqual(row.half, half)
        self.assertEqual((row.own, row.limit, row.word), (5, 11 / 3, "undecided"))

    def test_of_one_goal_the_interval_decides(self):
        # Differences 1, 2, 1 and one more: 1.33 +- 1.43, 1.25 +- 0.80.
        self.assertEqual(self.word((4, 6, 5), (3, 4, 4)), "undecided")
        self.assertEqual(self.word((4, 6, 5, 5), (3, 4, 4, 4)), "reached")
        self.assertEqual(self.word((3, 4, 4, 4), (4, 6, 5, 5)), "missed")

    def test_where_seeds_do_not_differ_the_sign_decides(self):
        self.assertEqual(self.word((5, 5), (5, 5)), "reached")
        self.assertEqual(self.word((5, 7), (4, 6)), "reached")
        self.assertEqual(self.word((4, 4), (5, 5)), "missed")

    def test_one_seed_decides_nothing(self):
        [row] = verdicts.judge([self.GOAL], {("path", "ndm_v5"): rates(9), ("path", "cubic"): rates(1)})
        self.assertEqual((row.margin, row.half, row.word), (8, None, "undecided"))

    def test_a_goal_beside_others_needs_more(self):
        # Its p is 0.0154 (t = 5, 3 degrees of freedom). The smallest of four must be 0.0125 or less, of two 0.025.
        results = {("path", "ndm_v5"): rates(4, 6, 5, 5), ("path", "cubic"): rates(3, 4, 4, 4), **{(f"other-{index}", "ndm_v5"): rates(1, 9, 1, 9) for index in range(3)}}
        half = metrics.mean_interval([1, 2, 1, 1])[1]
        for others, word in ((0, "reached"), (1, "reached"), (3, "undecided")):
            row = verdicts.judge([self.GOAL, *(at_least(f"other-{index}", "Mbit/s; 5", metrics.goodput, constant(5)) for index in range(others))], results)[0]
            self.assertAlmostEqual(row.half, half)  # the interval stays its own
            self.assertGreater(row.margin, row.half)
            self.assertEqual(row.word, word)

    def test_goals_without_chance_and_of_one_seed_are_not_counted_among_them(self):
        results = {("path", "ndm_v5"): rates(4, 6, 5, 5), ("path", "cubic"): rates(3, 4, 4, 4), ("still", "ndm_v5"): rates(5, 5), ("once", "ndm_v5"): rates(5)}
        which = [self.GOAL, *(at_least(path, f"Mbit/s; {limit}", metrics.goodput, constant(limit)) for path in ("still", "once") for limit in (4, 5, 6))]
        self.assertEqual([row.word for row in verdicts.judge(which, results)], ["reached", "reached", "reached", "missed", *["undecided"] * 3])

    def test_a_limit_from_above(self):
        dropped = {"router": [{"kind": "netem", "drops": 20}]}
        goal = at_most("path", "retr. per drop; 1.05", goals.excess, constant(1.05))
        for retrans, margin, word in ((21, 0, "reached"), (22, -0.05, "missed")):
            [row] = verdicts.judge([goal], {("path", "ndm_v5"): [result(flow(9, retrans=retrans), qdisc=dropped)] * 2})
            self.assertAlmostEqual(row.margin, margin)
            self.assertEqual(row.word, word)

    def test_a_figure_that_all_seeds_but_one_lack_decides_nothing(self):
        goal = at_most("path", "completion p50, ms; 9", goals.completion(50), constant(9))
        [row] = verdicts.judge([goal], {("path", "ndm_v5"): [result(flow(1, fct_p50_ms=5)), result(flow(1)), result(flow(1))]})
        self.assertEqual((row.margin, row.half, row.word), (4, None, "undecided"))


class OfSets(unittest.TestCase):
    def test_every_goal_is_about_a_path_of_its_set(self):
        self.assertEqual(set(GOALS), {"v5", "hosts", "recorded", "random-loss", "few", "peers"})
        for name, which in GOALS.items():
            known = {scenario.name for scenario in SETS[name].scenarios}
            self.assertLessEqual({path for goal in which for path in (goal.path, goal.before) if path}, known, name)
            self.assertEqual(len({(goal.path, goal.what) for goal in which}), len(which), name)

    def test_every_path_has_a_goal_where_the_set_is_there_for_goals(self):
        for name in ("hosts", "recorded", "random-loss", "few"):
            self.assertEqual({goal.path for goal in GOALS[name]}, {scenario.name for scenario in SETS[name].scenarios})

    def test_harm_and_what_is_kept(self):
        results = {("vs-cubic", "ndm_v5"): [result(flow(6), flow(4, label="rival"))] * 2, ("vs-cubic", "cubic"): [result(flow(5), flow(5, label="rival"))] * 2,
                   ("vs-cubic", "none"): [result(flow(8, label="rival"))] * 2}
        found = judged(GOALS["v5"], results)
        row = found["vs-cubic", "harm; Cubic's + 0.05"]
        self.assertEqual((row.own, row.limit, row.word), (0.5, 0.375 + 0.05, "missed"))
        row = found["vs-cubic", "the other's part of its fair share; 0.6"]
        self.assertAlmostEqual(row.own, 0.8)
        self.assertEqual(row.word, "reached")

    def test_without_its_peer_a_goal_is_not_judged(self):
        found = judged(GOALS["v5"], {("loss-1", "ndm_v5"): rates(9, 9)})
        self.assertNotIn(("loss-1", "Mbit/s; 2 x Cubic's"), found)
        self.assertIn(("loss-1", "retr. per drop; 1.05"), found)

    def test_nothing_is_judged_of_nothing(self):
        for which in GOALS.values():
            self.assertEqual(judged(which, {(goal.path, "cubic"): rates(9, 9) for goal in which}), {})

    def test_across_the_wrap_is_compared_with_before(self):
        same = [result(flow(90, retrans=10))] * 2
        results = {("clock-early", "ndm_v5"): same, ("clock-wrap", "ndm_v5"): [result(flow(90, retrans=40))] * 2, ("clock-wrap", "cubic"): same, ("clock-early", "cubic"): same}
        found = judged(GOALS["hosts"], results)
        self.assertEqual(found["clock-wrap", "retransmissions; those before the wrap + 0.02 x Cubic's"].word, "missed")
        self.assertEqual(found["clock-early", "retransmissions; 1.02 x Cubic's"].word, "reached")

    def test_wait_is_judged_beside_bbrs(self):
        def waited(*times_ms):
            return [result(flow(3)) | {"counts": {"link_wait_p50_us": 1000, "link_wait_p95_us": ms * 1000}} for ms in times_ms]
        few, many = waited(100, 110, 120, 111), waited(200, 210, 220, 211)
        path, what = "lte-att-bulk-deep", "p95 of the queue, ms; at most 1 x BBR's"
        row = judged(GOALS["recorded"], {(path, "ndm_v5"): few, (path, "bbr"): many})[path, what]
        self.assertAlmostEqual(row.own, 110.25)
        self.assertAlmostEqual(row.limit, 210.25)
        self.assertEqual(row.word, "reached")
        self.assertEqual(judged(GOALS["recorded"], {(path, "ndm_v5"): many, (path, "bbr"): few})[path, what].word, "missed")


class Printed(unittest.TestCase):
    SCENARIO = Scenario("path", "path_router rate=1mbit", 10, "")

    def print_goals(self, which, found):
        cells = cells_of([self.SCENARIO], found, [2, 4])
        text = io.StringIO()
        with contextlib.redirect_stdout(text):
            count = verdicts.print_goals(which, cells, [found[cell.algorithm][cell.seed // 2 - 1] for cell in cells])
        return count, text.getvalue().splitlines()

    def test_figures_goal_margin_and_word_are_in_the_line(self):
        other = at_least("path", "Mbit/s; BBR's", metrics.goodput, times(1, "bbr", metrics.goodput))
        count, lines = self.print_goals([Words.GOAL, other], {"ndm_v5": rates(8, 8), "cubic": rates(5, 6)})
        self.assertEqual(count, 1)
        self.assertIn("Holm's method over all goals of the set", lines[1])
        self.assertEqual(lines[3].split(), ["path", "Mbit/s;", "Cubic's", "8", "5.5", ">=", "5.5", "2.5", "+-", "6.35", "undecided"])
        self.assertEqual(lines[4], "0 reached, 0 missed, 1 undecided of 1 goals; 1 not judged, as they or their peers were not run")

    def test_a_long_name_of_a_path_does_not_touch_its_figure(self):
        self.SCENARIO = dataclasses.replace(self.SCENARIO, name="p" * 40)
        _, lines = self.print_goals([dataclasses.replace(Words.GOAL, path=self.SCENARIO.name)], {"ndm_v5": rates(8, 8), "cubic": rates(5, 6)})
        self.assertEqual(lines[3].split()[:2], [self.SCENARIO.name, "Mbit/s;"])

    def test_none_is_said(self):
        self.assertEqual(self.print_goals([Words.GOAL], {"cubic": rates(5, 6)})[0], 0)


if __name__ == "__main__":
    unittest.main()
