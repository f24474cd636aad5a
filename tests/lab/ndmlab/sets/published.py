# SPDX-License-Identifier: GPL-2.0
"""Set published: the five tests of NDM-TCP's author, as they were run: one host's loopback, 64 KB packets, netem on the sender's own egress.

The kernel does not retransmit a packet that is still in its own queue, which hides most spurious retransmissions; at 27 Mbit/s, cwnd is five
such packets. One published run says little: seeds differ by a factor of two.
"""
from ..show import page
from ..show.columns import COUNT, GOODPUT, PER, SPURIOUS, SRTT
from ..lab_set import Part, Set
from ..model import Scenario

SCENARIOS = (
    Scenario("extreme", "path_loopback delay 100ms 200ms", 40, "pure jitter, 100 ms +- 200 ms",
             {"ndm_v1": (6.82, 34, 40), "cubic": (6.87, 54, 40), "reno": (7.94, 36, 40), "bbr": (48.1, 427, 40)}),
    Scenario("moderate", "path_loopback delay 50ms 100ms", 60, "pure jitter, 50 ms +- 100 ms",
             {"ndm_v1": (21.8, 84, 60), "cubic": (23.5, 74, 60), "reno": (27.3, 76, 60), "bbr": (57.6, 1227, 60), "ndm_v4": (11.6, 70, 40)}),
    # The author names rate, jitter, loss and that there was duplication and reordering, not how much: compare the order, not the figures.
    Scenario("constrained", "path_loopback rate 20mbit delay 50ms 50ms loss 0.5% 25% duplicate 1% reorder 25% 50%", 40,
             "20 Mbit/s, +- 50 ms, 0.5 % correlated loss, duplication, reordering",
             {"ndm_v1": (19.6, 63, 40), "cubic": (18.7, 144, 40), "reno": (18.5, 145, 40), "bbr": (17.4, 243, 40)}),
    # Published over 40 s. The machine's clock counts instructions, so a busy second costs several of the host's and holds no chance.
    Scenario("clean", "path_loopback", 1, "bare loopback",
             {"ndm_v1": (59400, 3, 40), "cubic": (60600, 20, 40), "reno": (59600, 8, 40), "bbr": (58000, 37, 40)}, chance=False),
    Scenario("lte", "path_loopback delay 50ms 20ms loss 5%", 10, "urban LTE, 50 ms +- 20 ms, 5 % loss",
             {"ndm_v1": (18.9, 23, 10), "cubic": (30.5, 30, 10), "reno": (39.9, 52, 10)}),
)


def with_theirs(part, cells, results):
    """In brackets what the author measured."""
    def text(row):
        there = row.scenario.published.get(row.algorithm)
        return page.cell_of(row) + (f" ({there[0]:g} / {there[1]:g} in {there[2]:g} s)" if there else "")
    return page.by_path(part, cells, results, text)


ALGORITHMS = ("ndm_v1", "ndm_v4", "cubic", "reno", "bbr")
SET = Set("published", SCENARIOS, ALGORITHMS, columns=(GOODPUT, COUNT, PER, SPURIOUS, SRTT),
          page=Part("The author's five tests", "One host's loopback, as published; in brackets what the author measured once.", ALGORITHMS, shows=with_theirs))
