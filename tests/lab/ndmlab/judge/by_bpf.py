# SPDX-License-Identifier: GPL-2.0
"""Whether v5 as a BPF program does what the module does without its help against reordering: both on the reference engine, whose kernel
is Debian's own, with type information. Goodput, retransmissions, and what losses were judged as.

The program runs in other instructions, so on the same seed two runs part after a while: means are compared, of independent samples.
"""
import json
import shutil
import statistics
import subprocess

from scipy import stats

from . import metrics
from ..run.cells import Cell, parse_output
from ..run.machine import BUILD, TOP, digest_files, libraries_of, need, new_part
from ..sets import SETS

BPFTOOL = "/usr/sbin/bpftool"
# Chance, bursts, long round trips, short queues that others share, a policer; each at 10 Mbit/s, for the engine is slow.
SCENARIOS = {name: set_name for set_name, names in {
    "random-loss": ("bursts-slow", "satellite-random", "short-queue", "vs-cubic-0.06-loss-0", "vs-cubic-0.25-loss-0.1", "vs-cubic-1-loss-1"),
    "difficulties": ("loss-1", "policer")}.items() for name in names}
# Heading, the figure of a result, what difference is none: a share of the larger mean, and at least so much.
FIGURES = (("Mbit/s", metrics.goodput, 0.05, 0.0), ("retransmissions", metrics.retransmissions, 0.1, 5.0),
           ("% judged noise", lambda result: share_of(result, "noise"), 0.0, 10.0))


# What a cell has in the place of use_ndm.
USE_PROGRAM = ("use_extra /bpf.cpio", "(cd / && cpio -iu < /bpf.cpio 2> /dev/null)", "mount -t bpf bpf /sys/fs/bpf",
               "bpftool struct_ops register /ndm_v5.o > /refused 2>&1 || fail \"$(tail -n 3 /refused)\"")


def share_of(result, verdict):
    """Of the losses that were judged, in percent."""
    losses = {name.removeprefix("ndm_loss_"): int(count) for name, count in result["counts"].items() if name.startswith("ndm_loss_")}
    return 100 * losses[verdict] / max(sum(losses.values()), 1)


def archive_for(kernel):
    """A file for the guest: bpftool, what it needs, the program, and the kernel's configuration, in which libbpf looks for HZ."""
    need("bpftool", "clang", "llvm", "libbpf-dev", "cpio")
    built = BUILD / "bpf"
    subprocess.run(["make", "-s", "-C", TOP / "src/bpf", f"O={built.resolve()}", "algorithms", built.resolve() / "layout"], check=True)
    archive = BUILD / f"bpf-{kernel.release}-{digest_files([built / 'bpfel/ndm_v5.o'])}.cpio"
    if not archive.exists():
        part = new_part()
        for path in (BPFTOOL, *libraries_of(BPFTOOL)):
            (part / path[1:]).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, part / path[1:])
        shutil.copy(built / "bpfel/ndm_v5.o", part)
        (part / "boot").mkdir()
        shutil.copy(kernel.folder / "boot" / f"config-{kernel.release}", part / "boot")
        subprocess.run(f"find . | cpio -o -H newc --quiet > {archive.resolve()}.part", shell=True, cwd=part, check=True)
        archive.with_suffix(".cpio.part").rename(archive)
        shutil.rmtree(part)
    return archive


def text_of(cell):
    """The cell's script with the program in the place of the module."""
    lines = cell.text().splitlines()
    place = lines.index("use_ndm")
    lines[place:place + 1] = USE_PROGRAM
    return "\n".join([line for line in lines if "tcp_ndm" not in line] + ["echo count bpf_counters $(bpftool -j map dump name ndm_counters | tr -d ' \\n')", ""])


def counted(result, layout):
    """The result with the program's counters under the module's names."""
    sums = {}
    for row in json.loads(result["counts"].pop("bpf_counters")):
        for cpu in row["values"]:
            value = bytes(int(byte, 16) for byte in cpu["value"])
            for name, place in layout.items():
                sums[name] = sums.get(name, 0) + int.from_bytes(value[place:place + 8], "little", signed=True)
    return result | {"counts": result["counts"] | {f"ndm_{name}": count for name, count in sums.items()}}


def by_both(machine, scenario, seeds):
    """Results of the module without its help, and of the program."""
    archive = archive_for(machine.kernel)
    layout = {name.removeprefix("counter."): int(place) for name, place in
              (line.split() for line in (BUILD / "bpf/layout").read_text().splitlines()) if name.startswith("counter.")}
    module, program = [], []
    for seed in seeds:
        cell = Cell(scenario, "ndm_v5_alone", seed)
        module.append(parse_output(machine.run(cell.text())))
        program.append(counted(parse_output(machine.run(text_of(cell), archive)), layout))
    return module, program


def differ_by_more(one, other, share, least):
    """Whether the means differ by more than chance (Welch's t test at 0.1 %, for many are looked at) and by more than what counts as none.
    Where seeds do not differ there is no chance."""
    means = statistics.fmean(one), statistics.fmean(other)
    if abs(means[0] - means[1]) <= max(share * max(means), least):
        return False
    return not stats.ttest_ind(one, other, equal_var=False).pvalue >= 0.001  # not a number without variance


def check(machine, seeds, names=None):
    """Prints a row for each scenario; returns those where the two differ by more than chance."""
    wrong = []
    print(f"{'scenario':<24}" + "".join(f"{f'{heading}, module':>26}{'BPF':>10}" for heading, *_ in FIGURES) + "   means", flush=True)
    for name in names or SCENARIOS:
        [scenario] = [scenario for scenario in SETS[SCENARIOS[name]].scenarios if scenario.name == name]
        module, program = by_both(machine, scenario, seeds)
        row, differ = f"{name:<24}", ""
        for heading, figure, share, least in FIGURES:
            one, other = (list(map(figure, results)) for results in (module, program))
            row += f"{statistics.fmean(one):>26.2f}{statistics.fmean(other):>10.2f}"
            if differ_by_more(one, other, share, least):
                differ += f"   {heading} differ"
                wrong.append(name)
        print(row + differ, flush=True)
    return sorted(set(wrong))
