# SPDX-License-Identifier: GPL-2.0
"""The picture of the README. The same results give the same bytes."""
import io
import re
import statistics

import matplotlib

matplotlib.use("Agg")  # no screen
from matplotlib import pyplot  # noqa: E402  the backend comes first

from ..judge import goals, metrics  # noqa: E402
from . import table  # noqa: E402
from ..algorithms import OURS  # noqa: E402
from ..run.machine import LabError  # noqa: E402

COLOURS = {OURS: "#1b7f5c", "cubic": "#2f6fb0", "bbr": "#c8553d"}

STYLE = {"svg.hashsalt": "ndm-tcp", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 9, "axes.spines.top": False, "axes.spines.right": False}


def save(figure, path):
    """Without what only says when and by what it was drawn: same data, same bytes, and half as many."""
    text = io.StringIO()
    figure.savefig(text, format="svg", metadata={"Date": None, "Creator": None}, bbox_inches="tight")
    pyplot.close(figure)
    short = re.sub(r"<!--.*?-->|<metadata>.*?</metadata>", "", text.getvalue(), flags=re.DOTALL)
    path.parent.mkdir(parents=True, exist_ok=True)
    short = re.sub(r"(\.\d\d)\d+", r"\1", short)  # a hundredth of a point is enough
    path.write_text(re.sub(r"\s*\n\s*", "\n", short))


class Path:
    """One flow alone on one path: the rows of all that are compared, in the seeds that all of them have."""

    def __init__(self, rows):
        self.scenario = rows[0].scenario
        self.rows = {row.algorithm: row for row in rows}
        seeds = set.intersection(*({result["seed"] for result in row.results} for row in rows))
        for row in rows:
            row.results = [result for result in row.results if result["seed"] in seeds]

    def share(self, name):
        """Of the link, the mean of what that algorithm has; None where the link has no rate of its own."""
        row = self.rows[name]
        if self.scenario.link:
            return statistics.fmean(map(metrics.link_share, row.results))
        rate = [word for word in self.scenario.path.split("'") if word.startswith("rate=")]
        return statistics.fmean(map(metrics.goodput, row.results)) / float(rate[0][5:].removesuffix("mbit")) if rate else None


def paths_of(sets, names):
    """Those paths of all sets on which each of these algorithms sends one flow alone, for a time. sets: name -> (cells, results)"""
    found = {}
    for cells, results in sets.values():
        for row in table.rows_of(cells, results):
            found.setdefault(row.scenario.name, []).append(row)
    for rows in found.values():
        traffic = rows[0].scenario.traffic
        alone = all(word not in traffic for word in ("rivals ", "stream ", "flows=", "bytes=", "chunk="))
        if alone and set(names) <= {row.algorithm for row in rows}:
            path = Path([row for row in rows if row.algorithm in names])
            if path.rows[OURS].results:
                yield path


# What the README shows: a path of each kind, what it is called there.
SHOWN = {"peers": {"jitter": "packets\novertake", "lte-jitter": "jitter,\n5 % loss", "loss-1-50ms": "1 % loss", "starlink-bulk-tail": "recorded\nStarlink",
                   "queue-6": "a deep\nqueue", "queue-1": "wired,\nclean"}}
SHOWN_OF = (OURS, "cubic", "bbr")


def label_of(name, rows):
    """Of BBR its version, which the kernel's name tells: that of a patch of its user."""
    return "BBRv3" if name == "bbr" and all("bbr3" in result["kernel"] for row in rows for result in row.results) else name


def draw_goodput(sets, path):
    """Bars with 95 % intervals: the share of the link, retransmissions a MB, the 95th percentile of the queue."""
    titles = {name: title for names in SHOWN.values() for name, title in names.items()}
    paths = {where.scenario.name: where for where in paths_of(sets, SHOWN_OF) if where.scenario.name in titles}
    missing = [name for name in titles if name not in paths]
    if missing:
        raise LabError(f"there are no results of {' '.join(SHOWN_OF)} on {' '.join(missing)}: there is nothing to draw")
    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(1, 3, figsize=(12, 2.8), constrained_layout=True)
        width = 0.8 / len(SHOWN_OF)
        for index, name in enumerate(SHOWN_OF):
            places = [place + (index - (len(SHOWN_OF) - 1) / 2) * width for place in range(len(titles))]
            rows = [paths[path].rows[name] for path in titles]
            scales = [paths[path].share(name) / statistics.fmean(map(metrics.goodput, row.results)) for path, row in zip(titles, rows, strict=True)]
            shares = [metrics.mean_interval(scale * metrics.goodput(result) for result in row.results) for scale, row in zip(scales, rows, strict=True)]
            counts = [metrics.mean_interval(map(goals.per_megabyte, row.results)) for row in rows]
            queues = [metrics.mean_interval(metrics.queue_delay(result, 95, row.scenario.rtt) for result in row.results) for row in rows]
            for axis, values in zip(axes, (shares, counts, queues), strict=True):
                axis.bar(places, [mean for mean, _ in values], width, yerr=[half for _, half in values], color=COLOURS[name], label=label_of(name, rows),
                         error_kw={"linewidth": 0.7})
        axes[0].set_title("goodput, share of the link (more is better)", fontsize=9)
        axes[0].set_ylim(0, 1.05)
        axes[1].set_title("retransmissions per MB (fewer is better)", fontsize=9)
        axes[1].set_yscale("symlog", linthresh=1)
        axes[1].set_ylim(bottom=0)
        axes[2].set_title("queue, ms, 95th percentile (less is better)", fontsize=9)
        axes[2].set_ylim(bottom=0)
        for axis in axes:
            axis.set_xticks(range(len(titles)), list(titles.values()), fontsize=6.5)
        axes[2].legend(frameon=False, fontsize=8)
        save(figure, path)
    return len(titles)


# Of each picture what draws it, and the paths that it needs, by set.
PICTURES = {"goodput": (draw_goodput, SHOWN)}
