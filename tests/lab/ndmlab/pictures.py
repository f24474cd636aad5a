# SPDX-License-Identifier: GPL-2.0
"""SVG pictures of several sets: which algorithm is best where, goodput against queuing delay, the grid. The same results give the same bytes."""
import io
import math
import re
import statistics

import matplotlib

matplotlib.use("Agg")  # no screen
from matplotlib import pyplot  # noqa: E402  the backend comes first
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.patches import Patch, Rectangle  # noqa: E402

from . import goals, metrics, table  # noqa: E402
from .algorithms import OURS  # noqa: E402
from .machine import LabError  # noqa: E402
from .sets.grid import FIGURES, POINTS, RATES_MBIT, RTTS_US  # noqa: E402

COMPARED = (OURS, "cubic", "reno", "bbr")
COLOURS = {OURS: "#1b7f5c", "cubic": "#2f6fb0", "reno": "#8a6db1", "bbr": "#c8553d"}
ALIKE, OTHERS_ALIKE = "#a9d5c5", "#dddddd"
NONE = 0.02  # of the best figure: less is no difference

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

    def delay(self, result):
        """p95 of the queue's delay in ms, None where it is not of interest."""
        if self.scenario.link:
            return metrics.link_wait(result, 95)
        return metrics.queue_delay(result, 95, self.scenario.rtt) if self.scenario.rtt else None


def paths_of(sets, names=COMPARED):
    """Those paths of all sets on which each of these algorithms sends one flow alone, for a time. sets: name -> (cells, results)"""
    found = {}
    for cells, results in sets.values():
        for row in table.rows_of(cells, results):
            found.setdefault(row.scenario.name, []).append(row)
    for rows in found.values():
        traffic = rows[0].scenario.traffic
        alone = all(word not in traffic for word in ("rivals ", "stream ", "flows=", "bytes=", "chunk=", "messages "))
        if alone and set(names) <= {row.algorithm for row in rows}:
            path = Path([row for row in rows if row.algorithm in names])
            if path.rows[OURS].results:
                yield path


def winners(path, figure, sign):
    """The algorithms that nobody beats: the best one, and those that differ from it by less than chance or NONE. figure: result -> number; sign: 1 the most is best"""
    values = {name: [figure(result) for result in row.results] for name, row in path.rows.items()}
    if any(value is None for own in values.values() for value in own):
        return []
    means = {name: statistics.fmean(own) for name, own in values.items()}
    best = max(means, key=lambda name: (sign * means[name], name))

    def differs(name):
        apart, half = metrics.mean_interval(sign * (one - other) for one, other in zip(values[best], values[name], strict=True))
        return apart > half and apart > NONE * max(abs(means[best]), abs(means[name]))
    return [name for name in path.rows if name == best or not differs(name)]


def colour_of(best):
    if len(best) == 1:
        return COLOURS[best[0]]
    return ALIKE if OURS in best else OTHERS_ALIKE


def draw_map(sets, path):
    """A square for each path and criterion, in the colour of the algorithm that is best there."""
    paths = list(paths_of(sets))
    if not paths:
        raise LabError(f"no path has results of all of {' '.join(COMPARED)}: there is nothing to draw")
    criteria = [("goodput", lambda path: metrics.goodput, 1), ("queue's delay, p95", lambda path: path.delay, -1), ("retransmissions a MB", lambda path: goals.per_megabyte, -1)]
    with matplotlib.rc_context(STYLE):
        figure, axis = pyplot.subplots(figsize=(max(6, 0.17 * len(paths) + 1.5), 2.6))
        for column, where in enumerate(paths):
            for row, (_, of, sign) in enumerate(criteria):
                best = winners(where, of(where), sign)
                if best:
                    axis.add_patch(Rectangle((column, -row), 0.9, 0.9, color=colour_of(best), linewidth=0))
        axis.set_xlim(0, len(paths))
        axis.set_ylim(-len(criteria) + 1, 1)
        axis.set_xticks([column + 0.45 for column in range(len(paths))], [where.scenario.name for where in paths], rotation=90, fontsize=6)
        axis.set_yticks([0.45 - row for row in range(len(criteria))], [name for name, *_ in criteria])
        axis.tick_params(length=0)
        for side in ("left", "bottom"):
            axis.spines[side].set_visible(False)
        patches = [Patch(color=COLOURS[name], label=f"{name} is best") for name in COMPARED]
        patches += [Patch(color=ALIKE, label=f"{OURS} and others alike"), Patch(color=OTHERS_ALIKE, label=f"others alike, {OURS} behind")]
        figure.legend(handles=patches, loc="upper center", ncols=6, fontsize=7, frameon=False, bbox_to_anchor=(0.5, 0.99))
        save(figure, path)
    return len(paths)


def draw_plane(sets, path):
    """Share of the link against the queue's delay: a dot a path, a large mark the middle of an algorithm's dots."""
    points = {name: [] for name in COMPARED}
    for where in paths_of(sets):
        for name, row in where.rows.items():
            share, delays = where.share(name), [where.delay(result) for result in row.results]
            if share is not None and all(delay is not None for delay in delays):
                points[name].append((max(statistics.fmean(delays), 0.1), share))
    if not all(points.values()):
        raise LabError("no path has a rate and a queue's delay: there is nothing to draw")
    with matplotlib.rc_context(STYLE):
        figure, axis = pyplot.subplots(figsize=(6, 3.4))
        for name, own in points.items():
            axis.plot(*zip(*own, strict=True), ".", color=COLOURS[name], alpha=0.35, markersize=5, markeredgewidth=0)
        for name, own in points.items():
            axis.plot(math.exp(statistics.fmean(math.log(delay) for delay, _ in own)), statistics.fmean(share for _, share in own), "o", color=COLOURS[name], markersize=10,
                      markeredgecolor="white")
        axis.set_xscale("log")
        axis.set_xlabel("queuing delay, 95th percentile, ms (left is better)")
        axis.set_ylabel("share of the link (up is better)")
        axis.set_ylim(0, 1.02)
        axis.legend(handles=[Line2D([], [], marker="o", linestyle="", color=COLOURS[name], label=name) for name in COMPARED], loc="lower right", frameon=False, ncols=2)
        save(figure, path)
    return len(points[OURS])


def ink(value, least, most, colours):
    """What is read on that colour: the dark ends of both scales are at one side."""
    dark = (value - least) / (most - least)
    return "white" if (1 - dark if colours.endswith("_r") else dark) < 0.5 else "black"


def draw_grid(sets, path, names=(OURS, "cubic")):
    """A table of colours for each figure and algorithm: round trips by rates."""
    rows = {(row.scenario.name, row.algorithm): row for pair in sets.values() for row in table.rows_of(*pair)}
    if any((point.name, name) not in rows for point in POINTS.values() for name in names):
        raise LabError("set grid is not whole: there is nothing to draw")
    scales = {"efficiency": (0, 1, "viridis"), "retransmissions": (0, 2, "viridis_r"), "queue": (0, 1, "viridis_r"), "fairness": (0.5, 1, "viridis")}
    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(len(names), len(FIGURES), figsize=(11, 4.2), constrained_layout=True)
        for line, name in zip(axes, names, strict=True):
            for axis, shown in zip(line, FIGURES, strict=True):
                least, most, colours = scales[shown.name]
                values = [[statistics.fmean(map(shown.of(rate, rtt_us), rows[POINTS[rate, rtt_us].name, name].results)) if (rate, rtt_us) in POINTS else math.nan for rate in RATES_MBIT]
                          for rtt_us in RTTS_US]
                axis.imshow(values, vmin=least, vmax=most, cmap=colours, aspect="auto")
                for row, numbers in enumerate(values):
                    for column, value in enumerate(numbers):
                        if not math.isnan(value):
                            axis.text(column, row, f"{value:.2g}", ha="center", va="center", fontsize=6, color=ink(value, least, most, colours))
                axis.set_title(f"{name}: {shown.name}", fontsize=8)
                axis.set_xticks(range(len(RATES_MBIT)), [f"{rate:g}M" if rate < 1000 else f"{rate // 1000}G" for rate in RATES_MBIT], fontsize=7)
                axis.set_yticks(range(len(RTTS_US)), [f"{rtt_us / 1000:g} ms" for rtt_us in RTTS_US], fontsize=7)
        save(figure, path)


# What the README shows: a path of each kind, what it is called there.
SHOWN = {"v5": {"moderate-wide": "jitter, packets\novertake", "loss-1": "1 % loss", "lte-routed": "jitter and\n5 % loss", "fifo-50m-40ms-1": "wired, clean"},
         "recorded": {"lte-att-bulk-deep": "recorded LTE", "starlink-bulk-deep": "recorded\nStarlink"}}
SHOWN_OF = (OURS, "cubic", "bbr")


def draw_goodput(sets, path):
    """Bars with 95 % intervals: the share of the link, and retransmissions a MB."""
    titles = {name: title for names in SHOWN.values() for name, title in names.items()}
    paths = {where.scenario.name: where for where in paths_of(sets, SHOWN_OF) if where.scenario.name in titles}
    missing = [name for name in titles if name not in paths]
    if missing:
        raise LabError(f"there are no results of {' '.join(SHOWN_OF)} on {' '.join(missing)}: there is nothing to draw")
    with matplotlib.rc_context(STYLE):
        figure, axes = pyplot.subplots(1, 2, figsize=(9, 2.6), constrained_layout=True)
        width = 0.8 / len(SHOWN_OF)
        for index, name in enumerate(SHOWN_OF):
            places = [place + (index - (len(SHOWN_OF) - 1) / 2) * width for place in range(len(titles))]
            rows = [paths[path].rows[name] for path in titles]
            scales = [paths[path].share(name) / statistics.fmean(map(metrics.goodput, row.results)) for path, row in zip(titles, rows, strict=True)]
            shares = [metrics.mean_interval(scale * metrics.goodput(result) for result in row.results) for scale, row in zip(scales, rows, strict=True)]
            counts = [metrics.mean_interval(map(goals.per_megabyte, row.results)) for row in rows]
            for axis, values in zip(axes, (shares, counts), strict=True):
                axis.bar(places, [mean for mean, _ in values], width, yerr=[half for _, half in values], color=COLOURS[name], label=name, error_kw={"linewidth": 0.7})
        axes[0].set_title("goodput, share of the link (more is better)", fontsize=9)
        axes[0].set_ylim(0, 1.05)
        axes[1].set_title("retransmissions per MB (fewer is better)", fontsize=9)
        axes[1].set_yscale("symlog", linthresh=1)
        axes[1].set_ylim(bottom=0)
        for axis in axes:
            axis.set_xticks(range(len(titles)), list(titles.values()), fontsize=6.5)
        axes[1].legend(frameon=False, fontsize=8)
        save(figure, path)
    return len(titles)


# Of each picture what draws it and the sets that it needs: whole, or those paths of them with SHOWN_OF.
PICTURES = {"goodput": (draw_goodput, SHOWN), "map": (draw_map, {"v5": (), "recorded": ()}), "plane": (draw_plane, {"v5": (), "recorded": ()}), "grid": (draw_grid, {"grid": ()})}
