# SPDX-License-Identifier: GPL-2.0
"""Links made from a seed have the statistics of recorded ones, which were measured by other means; and forms of recordings."""
import pathlib
import statistics
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ndmlab.run import links, made_links  # noqa: E402  the path comes first
from ndmlab.sets import SETS  # noqa: E402

SEEDS = range(1, 7)
# Of a kind's own figure: a mean over the seeds may differ so much. Silences are few and their number is chance.
NEAR = {"mean": 0.02, "variation": 0.16, "active": 0.08}
MEMORY = 0.12
SILENCES = (1 / 1.9, 1.9)


class MadeLinks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.measured = {name: [made_links.statistics_of(made_links.make_link(name, seed)) for seed in SEEDS] for name in made_links.KINDS}

    def means(self):
        """Pairs (kind's name, its Kind, figure -> mean over the seeds)."""
        for name, kind in made_links.KINDS.items():
            yield name, kind, lambda figure, name=name: statistics.fmean(map(figure, self.measured[name]))

    def test_rate_and_its_variation(self):
        for name, kind, mean in self.means():
            for word, share in NEAR.items():
                wanted = getattr(kind, word)
                self.assertAlmostEqual(mean(lambda figures: figures[word]), wanted, delta=share * wanted, msg=f"{name}: {word}")

    def test_memory(self):
        for name, kind, mean in self.means():
            for index, wanted in enumerate(kind.memory):
                self.assertAlmostEqual(mean(lambda figures: figures["memory"][index]), wanted, delta=MEMORY, msg=f"{name}: memory {index}")

    def test_silences(self):
        for name, kind, mean in self.means():
            for index, wanted in enumerate(kind.silences):
                found = mean(lambda figures: figures["silences"][index])
                self.assertLessEqual(found, SILENCES[1] * wanted, f"{name}: silences {index}")
                self.assertGreaterEqual(found, SILENCES[0] * wanted, f"{name}: silences {index}")

    def test_another_seed_is_another_link(self):
        for name in made_links.KINDS:
            self.assertEqual(made_links.make_link(name, 1), made_links.make_link(name, 1))
            self.assertNotEqual(made_links.make_link(name, 1), made_links.make_link(name, 2))


class Statistics(unittest.TestCase):
    def test_by_hand(self):
        # One packet a millisecond for 100 ms, nothing for 100 ms, and so on: 12 and 0 Mbit/s.
        found = made_links.statistics_of(([1] * 100 + [0] * 100) * 60)
        self.assertEqual((found["mean"], found["variation"], found["active"], found["silences"]), (6, 1, 0.5, (60, 0, 100)))
        self.assertEqual([round(value, 6) for value in found["memory"]], [-1, 1, 1])

    def test_of_starlinks_recording(self):
        # The figures that were given for it when it was chosen.
        data = links.starlink()
        head, _, values = data.partition(b"\n")
        found = made_links.statistics_of(list(values[:int(head.split()[1])]))
        kind = made_links.KINDS["starlink"]
        self.assertAlmostEqual(found["mean"], kind.mean, delta=0.05)
        self.assertAlmostEqual(found["variation"], kind.variation, delta=0.005)
        for one, other in zip(found["memory"], kind.memory, strict=True):
            self.assertAlmostEqual(one, other, delta=0.006)
        self.assertEqual(found["silences"][:2], kind.silences[:2])


class Forms(unittest.TestCase):
    def test_mahimahi(self):
        self.assertEqual(links.counts_of("1\n1\n3\n"), [0, 2, 0, 1])
        self.assertEqual(len(links.counts_of("5\n250000\n")), links.MOST_MS)

    def test_packed(self):
        self.assertEqual(links.packed([1, 2], [3], [40]), b"forward 2 back 1 delay 1\n\x01\x02\x03\x28")

    def test_what_is_here_has_the_digest_that_is_given(self):
        here = [name for name in links.LINKS if name == "starlink" or name.startswith("made-")]
        self.assertEqual(len(here), 3)
        for name in here:
            self.assertEqual(links.digest_of(links.LINKS[name].source()), links.LINKS[name].digest, name)

    def test_every_link_is_played(self):
        self.assertEqual({scenario.link for scenario in SETS["recorded"].scenarios}, set(links.LINKS))


if __name__ == "__main__":
    unittest.main()
