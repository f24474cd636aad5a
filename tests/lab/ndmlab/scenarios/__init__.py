# SPDX-License-Identifier: GPL-2.0
"""What is run: algorithms, the named sets of scenarios, and the guest's script for a cell."""
from ..links import LINKS
from ..model import Algorithm
from .coexistence import COEXISTENCE
from .difficulties import DIFFICULTIES
from .grid import GRID
from .hosts import hosts_set
from .impairments import IMPAIRMENTS
from .messages import MESSAGES
from .published import PUBLISHED
from .random_loss import RANDOM_LOSS
from .recorded import RECORDED
from .shares import SHARES
from .v5 import v5_set

ALGORITHMS = {
    "ndm_v1": Algorithm("ndm_v1", ours=True),
    "ndm_v4": Algorithm("ndm_v4", ours=True),
    "ndm_v5": Algorithm("ndm_v5", ours=True),
    "cubic": Algorithm("cubic"),
    "reno": Algorithm("reno"),
    "bbr": Algorithm("bbr"),
    "westwood": Algorithm("westwood"),
    "veno": Algorithm("veno"),
    "cdg": Algorithm("cdg"),
    "illinois": Algorithm("illinois"),
    # Reno that waits for reordering; newer kernels ignore the first setting.
    "reno_norack": Algorithm("reno", prepare="sysctls='tcp_recovery=0 tcp_reordering=200'"),
    # No flow under test: what a rival gets alone. Not of any set; `lab run` adds it where harm is measured.
    "none": Algorithm("none"),
    # v5 without its way into the kernel's loss detection, for set v5 only.
    "ndm_v5_alone": Algorithm("ndm_v5", ours=True, prepare="echo 0 > /sys/module/tcp_ndm/parameters/rack_assist"),
}
PEERS = [name for name in ALGORITHMS if name not in ("none", "ndm_v5_alone")]

V5 = v5_set([*PUBLISHED, *IMPAIRMENTS, *COEXISTENCE, *DIFFICULTIES])
SETS = {
    "published": (PUBLISHED, ["ndm_v1", "ndm_v4", "cubic", "reno", "bbr"]),
    "impairments": (IMPAIRMENTS, PEERS),
    "coexistence": (COEXISTENCE, PEERS),
    "difficulties": (DIFFICULTIES, PEERS),
    "messages": (MESSAGES, PEERS),
    "v5": (V5, ["ndm_v5", "ndm_v5_alone", "ndm_v1", "cubic", "reno", "bbr"]),
    "recorded": (RECORDED, ["ndm_v1", "ndm_v4", "ndm_v5", "cubic", "reno", "bbr"]),
    "random-loss": (RANDOM_LOSS, ["ndm_v5", "cubic", "reno", "bbr"]),
    "shares": (SHARES, ["ndm_v5", "cubic"]),
    "grid": (GRID, ["ndm_v5", "cubic"]),
    "hosts": (hosts_set([*IMPAIRMENTS, *V5]), ["ndm_v5", "cubic"]),
}


def cell_text(scenario, algorithm, seed, parameters=None, trace=False):
    """The guest's script for one cell. `parameters` are those of the module that differ from its defaults."""
    chosen = ALGORITHMS[algorithm]
    words = " ".join(f"{name}={value}" for name, value in sorted((parameters or {}).items()))
    lines = [f"use_seed {seed}", f"use_ndm {words}".rstrip() if chosen.ours else "", chosen.prepare,
             f"use_link {LINKS[scenario.link].digest}" if scenario.link else "", scenario.path,
             f"reach_uptime {scenario.uptime}" if scenario.uptime else "", scenario.traffic.format(cc=chosen.cc, seconds=scenario.seconds, trace=int(trace), seed=seed), "report"]
    return "".join(f"{line}\n" for line in lines if line)
