# SPDX-License-Identifier: GPL-2.0
"""What is run: algorithms, the named sets of scenarios, and the guest's script for a cell."""
from .cases import CASES
from .grid import GRID
from .hosts import hosts_set
from .links import LINKS
from .model import Algorithm, Scenario
from .recorded import RECORDED
from .router import MESSAGES, ROUTER
from .share import SHARE
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

# The five tests of NDM-TCP's author, as they were run: one host's loopback, 64 KB packets, netem on the sender's own egress.
PUBLISHED = [
    Scenario("extreme", "path_loopback delay 100ms 200ms", 40, "pure jitter, 100 ms +- 200 ms",
             {"ndm_v1": (6.82, 34, 40), "cubic": (6.87, 54, 40), "reno": (7.94, 36, 40), "bbr": (48.1, 427, 40)}),
    Scenario("moderate", "path_loopback delay 50ms 100ms", 60, "pure jitter, 50 ms +- 100 ms",
             {"ndm_v1": (21.8, 84, 60), "cubic": (23.5, 74, 60), "reno": (27.3, 76, 60), "bbr": (57.6, 1227, 60), "ndm_v4": (11.6, 70, 40)}),
    # The author names rate, jitter, loss and that there was duplication and reordering, not how much; see README.md.
    Scenario("constrained", "path_loopback rate 20mbit delay 50ms 50ms loss 0.5% 25% duplicate 1% reorder 25% 50%", 40,
             "20 Mbit/s, +- 50 ms, 0.5 % correlated loss, duplication, reordering",
             {"ndm_v1": (19.6, 63, 40), "cubic": (18.7, 144, 40), "reno": (18.5, 145, 40), "bbr": (17.4, 243, 40)}),
    # Published over 40 s. The machine's clock counts instructions, so a busy second costs several of the host's and holds no chance.
    Scenario("clean", "path_loopback", 1, "bare loopback",
             {"ndm_v1": (59400, 3, 40), "cubic": (60600, 20, 40), "reno": (59600, 8, 40), "bbr": (58000, 37, 40)}, chance=False),
    Scenario("lte", "path_loopback delay 50ms 20ms loss 5%", 10, "urban LTE, 50 ms +- 20 ms, 5 % loss",
             {"ndm_v1": (18.9, 23, 10), "cubic": (30.5, 30, 10), "reno": (39.9, 52, 10)}),
]

V5 = v5_set([*PUBLISHED, *ROUTER, *SHARE, *CASES])
SETS = {
    "published": (PUBLISHED, ["ndm_v1", "ndm_v4", "cubic", "reno", "bbr"]),
    "impairments": (ROUTER, PEERS),
    "coexistence": (SHARE, PEERS),
    "difficulties": (CASES, PEERS),
    "messages": (MESSAGES, PEERS),
    "v5": (V5, ["ndm_v5", "ndm_v5_alone", "ndm_v1", "cubic", "reno", "bbr"]),
    "recorded": (RECORDED, ["ndm_v1", "ndm_v4", "ndm_v5", "cubic", "reno", "bbr"]),
    "shares": (SHARES, ["ndm_v5", "cubic"]),
    "grid": (GRID, ["ndm_v5", "cubic"]),
    "hosts": (hosts_set([*ROUTER, *V5]), ["ndm_v5", "cubic"]),
}


def cell_text(scenario, algorithm, seed, parameters=None, trace=False):
    """The guest's script for one cell. `parameters` are those of the module that differ from its defaults."""
    chosen = ALGORITHMS[algorithm]
    words = " ".join(f"{name}={value}" for name, value in sorted((parameters or {}).items()))
    lines = [f"use_seed {seed}", f"use_ndm {words}".rstrip() if chosen.ours else "", chosen.prepare,
             f"use_link {LINKS[scenario.link].digest}" if scenario.link else "", scenario.path,
             f"reach_uptime {scenario.uptime}" if scenario.uptime else "", scenario.traffic.format(cc=chosen.cc, seconds=scenario.seconds, trace=int(trace), seed=seed), "report"]
    return "".join(f"{line}\n" for line in lines if line)
