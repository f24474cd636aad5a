# SPDX-License-Identifier: GPL-2.0
"""The SVG pictures, from results that are made up."""
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ndmlab.show import pictures, table  # noqa: E402  the path comes first
from ndmlab.run.machine import LabError  # noqa: E402
from ndmlab.model import Scenario  # noqa: E402
from ndmlab.sets import SETS  # noqa: E402
import test_results  # noqa: E402

SCENARIO = Scenario("alone", "path_router 'rate=10mbit'", 10, "", traffic="flows cc={cc}", rtt=50)


class Path(unittest.TestCase):
    def path(self, rates):
        """A path with these rates in Mbit/s, by algorithm, one a seed."""
        rows = []
        for name, values in rates.items():
            row = table.Row(SCENARIO, name, None)
            row.results = [{"seed": seed, "flows": [{"label": "test", "seconds": 8, "bytes": rate * 1e6, "retrans": 1}]} for seed, rate in enumerate(values)]
            rows.append(row)
        return pictures.Path(rows)

    def test_share_of_the_link(self):
        self.assertAlmostEqual(self.path({"ndm_v5": [9, 7]}).share("ndm_v5"), 0.8)

    def test_only_seeds_that_all_have_count(self):
        self.assertEqual(len(self.path({"ndm_v5": [9, 7, 5], "cubic": [1, 2]}).rows["ndm_v5"].results), 2)


class Pictures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        test_results.Page.setUpClass()
        known = test_results.store(test_results.Page.some)
        cls.sets = {name: known.choose(name, SETS[name].page.groups(), test_results.SEEDS) for name in ("peers",)}

    def draw(self, name, sets=None):
        draw, wanted = pictures.PICTURES[name]
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "deep" / "picture.svg"
            draw(sets if sets is not None else {key: self.sets[key] for key in wanted}, file)
            return file.read_text()

    def test_the_same_results_give_the_same_bytes(self):
        for name in pictures.PICTURES:
            text = self.draw(name)
            self.assertEqual(text, self.draw(name))
            self.assertNotRegex(text, r"20[0-9][0-9]-|matplotlib\.org")
            xml.etree.ElementTree.fromstring(text)
            self.assertLess(len(text), 150_000)

    def test_every_path_that_the_readme_shows_has_a_bar_or_it_is_an_error(self):
        text = self.draw("goodput")
        for word in ("recorded", "a deep", pictures.COLOURS["bbr"], "95th percentile"):
            self.assertIn(word, text)
        with self.assertRaises(LabError) as caught:
            self.draw("goodput", {})
        self.assertIn("loss-1", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
