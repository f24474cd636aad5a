# SPDX-License-Identifier: GPL-2.0
"""The congestion controls that the lab runs."""
from dataclasses import dataclass


@dataclass(frozen=True)
class Algorithm:
    """A congestion control as the lab runs it; another joins by one line in ALGORITHMS.

    cc:        its name in the kernel
    ours:      it needs the module under test
    prepare:   shell lines before the path is built
    """
    cc: str
    ours: bool = False
    prepare: str = ""


ALGORITHMS = {
    "ndm_v1": Algorithm("ndm_v1", ours=True),
    "ndm_v4": Algorithm("ndm_v4", ours=True),
    "ndm_v5": Algorithm("ndm_v5", ours=True),
    "cubic": Algorithm("cubic"),
    "reno": Algorithm("reno"),
    "bbr": Algorithm("bbr"),
    # No flow under test: what a rival gets alone. Not of any set; `lab run` adds it where harm is measured.
    "none": Algorithm("none"),
    # v5 without its way into the kernel's loss detection, for set v5 only.
    "ndm_v5_alone": Algorithm("ndm_v5", ours=True, prepare="echo 0 > /sys/module/tcp_ndm/parameters/rack_assist"),
    # Cubic that waits for reordered packets by the setting that kernels before 6.18 have; for the tables of jitter.
    "cubic_norack": Algorithm("cubic", prepare="sysctls=tcp_recovery=0"),
}
EVERY = tuple(name for name in ALGORITHMS if name not in ("none", "ndm_v5_alone", "cubic_norack"))
OURS = "ndm_v5"
PEERS = (OURS, "ndm_v1", "cubic", "bbr")  # what a section of RESULTS.md compares where no goal asks for others
