# SPDX-License-Identifier: GPL-2.0
"""The page of results and its pictures, from results that are made up: what is missing is an error, what is there is on the page."""
import contextlib
import dataclasses
import io
import json
import pathlib
import random
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ndmlab.show import page, results, table  # noqa: E402  the path comes first
from ndmlab.algorithms import ALGORITHMS  # noqa: E402
from ndmlab.run.cells import Cell, cells_of, seeds_of  # noqa: E402
from ndmlab.model import Scenario  # noqa: E402
from ndmlab.sets import SETS, rfc9743  # noqa: E402
from ndmlab.show.stored import Incomplete, Stored  # noqa: E402

MODULE = "0123456789ab"


def made_up_flow(line, label, chance, seconds):
    flow = {"label": label, "cc": "x", "seconds": seconds, "bytes": int(chance.uniform(1e6, 2e6)), "retrans": chance.randrange(50), "segments": 2000,
            "srtt_p50_us": 60000, "srtt_p95_us": chance.randrange(80000, 90000), "min_rtt_us": 50000, "cwnd_max": 80, "reord_seen": 0, "mss": 1448,
            "owd_p95_us": 30000}
    if "summary=1" in line:
        flow |= {"jain": 0.9, "fct_p50_ms": 200, "fct_p95_ms": chance.randrange(300, 400)}
    if "chunk=" in line:
        flow |= {"fct_p50_ms": 900, "fct_p95_ms": chance.randrange(1000, 1400)}
    if "step=" in line:
        count = 80 if "cc=none" in line or "start=" not in line else 40
        flow["acked"] = [int(flow["bytes"] * (index + 1) / count) for index in range(count)]
    return flow


def made_up(cell, machine="m", module=MODULE):
    """A result as a cell of that text could have."""
    chance = random.Random(f"{cell.scenario.name} {cell.algorithm} {cell.seed if cell.scenario.chance else 0}")
    flows = []
    for line in cell.scenario.traffic.splitlines():
        word = line.split()[0]
        if word in ("tested", "flows") and cell.algorithm != "none":
            flows.append(made_up_flow(line, "test", chance, cell.scenario.seconds or 5))
        if word in ("rivals", "stream"):
            flows.append(made_up_flow(line, "rival", chance, cell.scenario.seconds or 5) | ({"cc": "udp", "lost": 0} if word == "stream" else {}))
    counts = {"link_wait_p50_us": 90000, "link_wait_p95_us": chance.randrange(100000, 200000), "link_offered_packets": 5000} if cell.scenario.link else {}
    return {"key": "k", "scenario": cell.scenario.name, "algorithm": cell.algorithm, "seed": cell.seed, "parameters": {}, "kernel": "6.1",
            "engine": "fast", "machine": machine, "module": module if ALGORITHMS[cell.algorithm].ours else None, "cell": cell.text(), "flows": flows, "counts": counts,
            "qdisc": {"bottleneck": [{"kind": "bfifo", "packets": 1, "bytes": 4_500_000, "drops": chance.randrange(1, 40), "ecn_mark": 0}]}}


def store(some, module=MODULE):
    with tempfile.NamedTemporaryFile("w", suffix=".jsonl") as file:
        file.write("".join(json.dumps(result) + "\n" for result in some))
        file.flush()
        return Stored([pathlib.Path(file.name)], module)


SCENARIOS = [Scenario("one", "path_router rate=1mbit", 10, "first path", rtt=50), Scenario("two", "path_router rate=2mbit", 10, "second path")]
GROUPS = [(("ndm_v5", "cubic"), ())]
SEEDS = seeds_of(2, "even")
CELLS = cells_of(SCENARIOS, ("ndm_v5", "cubic"), SEEDS)


class Choice(unittest.TestCase):
    def choose(self, some, **more):
        return store(some, **more).choose("difficulties", GROUPS, SEEDS, SCENARIOS)

    def test_whole(self):
        cells, found = self.choose(map(made_up, CELLS))
        self.assertEqual(cells, CELLS)
        self.assertEqual([(result["scenario"], result["algorithm"], result["seed"]) for result in found],
                         [(cell.scenario.name, cell.algorithm, cell.seed) for cell in CELLS])

    def test_nothing_is_an_error_that_names_the_command(self):
        with self.assertRaises(Incomplete) as caught:
            self.choose([])
        self.assertIn("set difficulties has no result", str(caught.exception))
        self.assertIn("tests/lab/lab run difficulties --seeds 2 --algorithm ndm_v5 --algorithm cubic", str(caught.exception))

    def test_one_missing_is_an_error_that_names_it(self):
        for gone in CELLS:
            with self.assertRaises(Incomplete) as caught:
                self.choose(made_up(cell) for cell in CELLS if cell != gone)
            self.assertIn("7 of 8 results", str(caught.exception))
            self.assertIn(f"{gone.scenario.name} with {gone.algorithm}, seed {gone.seed}", str(caught.exception))

    def test_another_module_does_not_count(self):
        with self.assertRaises(Incomplete):
            self.choose(map(made_up, CELLS), module="another")

    def test_results_of_two_machines_do_not_add_up(self):
        with self.assertRaises(Incomplete):
            self.choose([made_up(cell, f"m{index % 2}") for index, cell in enumerate(CELLS)])
        _, found = self.choose([made_up(cell, "m2") for cell in CELLS] + [made_up(cell, "m1") for cell in CELLS[1:]])
        self.assertEqual({result["machine"] for result in found}, {"m2"})

    def test_a_cell_that_was_another_then_does_not_count(self):
        old = [made_up(Cell(SCENARIOS[0].varied(["mtu=9000"]), "cubic", 2))]
        with self.assertRaises(Incomplete):
            self.choose(old + [made_up(cell) for cell in CELLS[1:]])


class Page(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        # By their texts: a path may be of two sets.
        cells = {cell.text(): cell for one in SETS.values() for algorithms, names in one.page.groups()
                 for cell in cells_of([scenario for scenario in one.scenarios if not names or scenario.name in names], algorithms, SEEDS)}
        cls.cells = list(cells.values())
        cls.some = [made_up(cell) for cell in cls.cells]
        cls.texts = results.pages(store(cls.some), seeds=2)

    def test_every_set_has_a_page_and_every_path_of_a_table_a_line(self):
        self.assertEqual(list(self.texts), list(SETS))
        for name, one in SETS.items():
            section = self.texts[name]
            self.assertTrue(section.startswith(f"# {one.page.title}\n"))
            self.assertIn(f"tests/lab/lab run {name} --seeds {one.page.seeds} ", section)
            self.assertIn(" engine `fast`, kernel 6.1, guest m, module ", section)
            if name not in ("hosts", "rfc9743"):  # these have goals alone, or tables of another kind
                for scenario in one.scenarios:
                    self.assertEqual(section.count(f"\n| `{scenario.name}`: "), 1, scenario.name)
            self.assertEqual(section.count("goals are reached"), bool(one.goals), name)

    def test_the_table_of_the_rfc_needs_only_the_cells_that_its_rows_name(self):
        mine = [made_up(cell) for cell in cells_of(SETS["rfc9743"].scenarios, ("ndm_v5", "cubic"), SEEDS)]
        self.assertEqual(results.pages(store(mine), ["rfc9743"], 2)["rfc9743"], self.texts["rfc9743"])
        self.assertEqual(self.texts["rfc9743"].count("\n| "), 2 + len(rfc9743.ROWS))
        for name in ("loss-90", "50-percent-cubic-0.06"):
            self.assertIn(name, {result["scenario"] for result in mine})
            with self.assertRaises(Incomplete):
                results.pages(store(result for result in mine if result["scenario"] != name), ["rfc9743"], 2)

    def test_an_algorithm_that_only_some_paths_need_is_in_the_table_and_else_not_played(self):
        lines = self.texts["random-loss"].splitlines()
        self.assertIn("| path | ndm_v5 | cubic | bbr | cubic_norack |", lines)
        self.assertIn(f"--algorithm bbr` and `tests/lab/lab run random-loss --seeds {SETS['random-loss'].page.seeds} --scenario lte-jitter "
                      "--scenario lte-jitter-no-timestamps --scenario 5g-jitter --scenario 5g-jitter-no-timestamps --algorithm cubic_norack`: 67 paths, ", self.texts["random-loss"])
        played = {line.split("`")[1] for line in lines if line.startswith("| `") and not line.endswith("| not played |")}
        self.assertEqual(played, {"lte-jitter", "lte-jitter-no-timestamps", "5g-jitter", "5g-jitter-no-timestamps"})

    def test_a_goal_without_its_peer_is_an_error_that_names_it(self):
        alone = dataclasses.replace(SETS["random-loss"], page=dataclasses.replace(SETS["random-loss"].page, peers=()))
        with unittest.mock.patch.dict(SETS, {"random-loss": alone}), self.assertRaises(Incomplete) as caught:
            results.pages(store(self.some), ["random-loss"], 2)
        self.assertIn("bursts-slow: Mbit/s; 0.6 of BBR's", str(caught.exception))

    def test_the_first_page_has_a_line_for_each_set_in_their_order(self):
        lines = results.index({name: text for name, text in self.texts.items() if name != "few"}).splitlines()
        lines = [[field.strip() for field in line.strip("|").split("|")] for line in lines if line.startswith("| ")][2:]
        self.assertEqual([line[0] for line in lines], [f"[`{name}`](results/{name}.md)" if name != "few" else "`few`" for name in SETS])
        for name, (_, about, *counts, module) in zip(SETS, lines, strict=True):
            self.assertEqual(about, SETS[name].page.title)
            self.assertEqual(module, MODULE if name != "few" else "no page yet")
            if name != "few":
                self.assertEqual(sum(map(int, filter(None, counts))), len(SETS[name].goals), name)

    def test_every_set_has_a_table_on_the_terminal(self):
        by_text = {result["cell"]: result for result in self.some}
        for name, one in SETS.items():
            cells = cells_of(one.scenarios[:3], one.page.algorithms, SEEDS)
            with contextlib.redirect_stdout(io.StringIO()) as printed:
                table.print_table(one.columns, cells, [by_text[cell.text()] | {"scenario": cell.scenario.name} for cell in cells])
            self.assertIn(one.scenarios[2].name, printed.getvalue(), name)

    def test_a_figure_on_the_page_is_that_of_the_results(self):
        mine = [result for result in self.some if (result["scenario"], result["algorithm"]) == ("loss-1", "cubic")]
        rates = [flow["bytes"] * 8 / flow["seconds"] / 1e6 for result in mine for flow in result["flows"]]
        text = page.show(rates)
        self.assertRegex(text, r"^\d\.\d\d\d? ")
        self.assertIn(f"{text} / {page.show([result['flows'][0]['retrans'] for result in mine])}, ", self.texts["v5"])

    def test_without_one_result_there_is_no_page(self):
        for name in ("loss-1", "lte-att-short"):
            with self.assertRaises(Incomplete) as caught:
                results.pages(store([result for result in self.some if (result["scenario"], result["algorithm"], result["seed"]) != (name, "cubic", 2)]), seeds=2)
            self.assertIn(name, str(caught.exception))

    def test_what_is_missing_is_said_of_all_sets_at_once(self):
        with self.assertRaises(Incomplete) as caught:
            results.pages(store([]))
        for name in SETS:
            self.assertIn(f"set {name} has no result", str(caught.exception))
            self.assertIn(f"tests/lab/lab run {name} ", str(caught.exception))

    def test_a_page_alone(self):
        self.assertEqual(list(results.pages(store(self.some), ["recorded"], 2)), ["recorded"])

    def test_a_page_is_written_anew_and_the_others_stay(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.object(results, "PAGES", pathlib.Path(folder) / "results"), \
                unittest.mock.patch.object(results, "INDEX", pathlib.Path(folder) / "RESULTS.md"):
            results.write(self.texts)
            (results.PAGES / "random-loss.md").write_text(self.texts["random-loss"] + "\nA line by hand.\n")
            other = [made_up(cell, module="fedcba987654") for cell in self.cells if cell.scenario.name in {one.name for one in SETS["published"].scenarios}]
            results.write(results.pages(store(other, "fedcba987654"), ["published"], 2))
            self.assertIn("A line by hand.", (results.PAGES / "random-loss.md").read_text())
            self.assertIn(", module fedcba987654. ", (results.PAGES / "published.md").read_text())
            self.assertEqual((results.PAGES / "v5.md").read_text(), self.texts["v5"] + "\n")
            modules = {line.split("|")[1].strip(): line.split("|")[-2].strip() for line in results.INDEX.read_text().splitlines() if line.startswith("| [")}
            self.assertEqual({name for name, module in modules.items() if module != MODULE}, {"[`published`](results/published.md)"})
            self.assertEqual(len(modules), len(SETS))


class Forms(unittest.TestCase):
    def test_show(self):
        self.assertEqual(page.show([2.5, 2.5]), "2.50")
        self.assertEqual(page.show([99, 101]), "100 ±13")  # 12.7
        self.assertEqual(page.show([1234.4] * 3), "1,234")
        self.assertEqual(page.show([None]), "-")
        self.assertEqual(page.show([0.1, 0.1]), "0.100")

    def test_an_empty_table_is_an_error(self):
        with self.assertRaises(ValueError):
            page.markdown(["a"], [])


if __name__ == "__main__":
    unittest.main()
