# SPDX-License-Identifier: GPL-2.0
"""link/lab_link.c, played on the fast engine, against answers worked out by hand."""
import itertools
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from ndmlab.run.cells import parse_output  # noqa: E402  the path comes first
from ndmlab.run.engines import machine_of  # noqa: E402
from ndmlab.run.links import packed  # noqa: E402

UDP = "udp to=$receiver sender=/run/netns/sender receiver=/run/netns/receiver size=1472"  # packets of 1500 bytes
NETEM_MS = 1


class Replay(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.machine = machine_of("fast")

    def play(self, recording, link, traffic, seed=2, more=""):
        """(the first flow, the link's queue, counts)"""
        cell = (f"use_seed {seed}\nuse_link of-the-test\n"
                f"path_router 'forward=delay {NETEM_MS}ms' 'back=delay {NETEM_MS}ms' 'link={link}' {more}\n{traffic}\nreport\n")
        with tempfile.NamedTemporaryFile() as file:
            file.write(recording)
            file.flush()
            result = parse_output(self.machine.run(cell, file.name))
        return result["flows"][0] if result["flows"] else None, result["qdisc"]["bottleneck"][0], result["counts"]

    def bulk(self, link, more=""):
        return self.play(packed([1]), link, "flows cc=cubic seconds=20 from=5", more=more)

    def test_a_packet_each_millisecond(self):
        # 1448 of 1500 bytes are payload with timestamps: 12 Mbit/s x 1448 / 1500. 100 packets fit; the last of a full queue waits 100 ms.
        flow, queue, counts = self.bulk("queue=150000")
        self.assertAlmostEqual(flow["window_bytes"] * 8 / flow["window_seconds"] / 1e6, 11.584, delta=0.03)
        self.assertGreater(queue["drops"], 0)
        self.assertEqual(flow["retrans"], queue["drops"])
        self.assertGreater(counts["link_wait_p95_us"], 85_000)
        self.assertLessEqual(counts["link_wait_p95_us"], 100_000)
        self.assertAlmostEqual(counts["link_offered_packets"], counts["link_ms"], delta=1)

    def test_a_large_packet_takes_several_opportunities(self):
        flow, _, _ = self.bulk("queue=150000", "mtu=9000")
        self.assertEqual(flow["mss"], 8948)
        self.assertAlmostEqual(flow["window_bytes"] * 8 / flow["window_seconds"] / 1e6, 12 * 8948 / 9000, delta=0.06)

    def test_the_tail_is_dropped_and_what_waits_waits_its_turn(self):
        # A packet comes each 4 ms, one may leave each 8 ms, ten fit. Once full, a packet finds the place that was freed less than
        # 4 ms ago, and leaves ten turns later: after 76 to 80 ms. Of 2,500 half are dropped, but for the ten of the queue.
        flow, queue, counts = self.play(packed([1, 0, 0, 0, 0, 0, 0, 0]), "queue=15000 delay=7", f"{UDP} rate=2944 seconds=10")
        for name in ("link_wait_p50_us", "link_wait_p95_us"):
            self.assertGreaterEqual(counts[name], 76_000)
            self.assertLessEqual(counts[name], 80_001)
        self.assertAlmostEqual(queue["drops"], 1240, delta=3)
        self.assertEqual(flow["lost"], queue["drops"])
        self.assertAlmostEqual(flow["owd_p95_us"], counts["link_wait_p95_us"] + 7000 + 1000 * NETEM_MS, delta=300)

    def test_an_empty_queue_waits_for_the_next_millisecond_only(self):
        # Nothing of a millisecond is kept: a packet each 2 ms, two could leave in each.
        _, queue, counts = self.play(packed([2]), "queue=15000", f"{UDP} rate=5888 seconds=2")
        self.assertEqual(queue["drops"], 0)
        self.assertLessEqual(counts["link_wait_p95_us"], 1000)

    def test_order_is_kept_where_the_delay_becomes_shorter(self):
        # 100 ms for 10 ms, then 10 ms for 10 ms. What is sent in the short time arrives with the last of the long one: after 90 to 100 ms.
        recording = packed([4], delay=[100, 10])
        flow, _, _ = self.play(recording, "queue=1000000", f"{UDP} rate=11776 seconds=4")
        self.assertAlmostEqual(flow["owd_p50_us"], 100_000 + 1000 * NETEM_MS, delta=1500)
        flow, queue, _ = self.play(recording, "queue=1000000", "flows cc=cubic bytes=1000000")
        self.assertGreater(queue["packets"], 690)
        self.assertEqual((flow["retrans"], flow["reord_seen"]), (0, 0))

    def test_the_share_that_is_lost(self):
        # 10,000 packets, a tenth: 1,000, standard deviation 30.
        flow, queue, _ = self.play(packed([4]), "queue=1000000 loss=0.1", f"{UDP} rate=11776 seconds=10")
        self.assertAlmostEqual(queue["drops"], 1000, delta=100)
        self.assertEqual(flow["lost"], queue["drops"])

    def test_codel_drops_by_its_law(self):
        # 1,250 packets come each second for 4 s and 1,000 may leave. 20 ms after the first, one has waited 5 ms; 100 ms later the first is
        # dropped, the next after 100 ms, then each 100 / sqrt(n) ms later, until all 5,000 have left or are dropped.
        law = list(itertools.accumulate((100 / count ** 0.5 for count in range(1, 2000)), initial=20 + 100))
        at = next(ms for ms in range(4000, 6000) if ms + sum(drop <= ms for drop in law) >= 5000)
        expected = sum(drop <= at for drop in law)
        _, queue, counts = self.play(packed([1]), "queue=3000000 codel=1", f"{UDP} rate=14720 seconds=4")
        self.assertAlmostEqual(queue["drops"], expected, delta=5)
        self.assertGreater(expected, 400)
        # Without it nothing is dropped, and the wait grows to 1,000 packets.
        _, queue, other = self.play(packed([1]), "queue=3000000", f"{UDP} rate=14720 seconds=4")
        self.assertEqual(queue["drops"], 0)
        self.assertAlmostEqual(other["link_wait_p95_us"], 0.95 * 1_000_000, delta=2000)
        self.assertLess(counts["link_wait_p95_us"], other["link_wait_p95_us"])

    def test_the_seed_chooses_the_place(self):
        # Eight parts of one second, each of another capacity: what was offered in 0.1 s says where the link began.
        recording = packed([count for count in range(1, 9) for _ in range(1000)])

        def began(seed):
            _, _, counts = self.play(recording, "queue=15000", "usleep 100000", seed)
            return counts["link_offered_packets"] / counts["link_ms"]
        parts = [began(seed) for seed in range(2, 34, 2)]
        self.assertEqual(parts[0], began(2))
        self.assertGreaterEqual(len({round(part) for part in parts}), 6)

    def test_a_recording_that_is_cut_off_is_an_error(self):
        for recording in (packed([1] * 9)[:-1], packed([0, 0]), b"nothing\n"):
            with self.assertRaises(Exception):
                self.play(recording, "queue=15000", "true")


if __name__ == "__main__":
    unittest.main(verbosity=2)
